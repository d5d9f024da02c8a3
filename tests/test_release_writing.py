"""Does a release note reach every place once, whole, and the same everywhere?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitnotes.read.git import open_git
from gitnotes.recipes.releasing import NoteOptions, draft_release
from tests.conftest import Repo
from tests.test_cli import assert_sentence, run

UNRELEASED = (
    "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A lock that people wrote about (#7)\n\n"
    "## [1.0.0] - 2023-11-14\n\n### Fixed\n\n- First\n"
)


@pytest.fixture
def project(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A project with a changelog, one version, and two changes since."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", "1709251200 +0000")  # 2024-03-01
    repo.commit("Begin", {"CHANGELOG.md": UNRELEASED, "a.py": "x = 1\n"})
    repo.tag("v1.0.0", "-a", "-m", "1.0.0")
    repo.commit("feat: add a lock (#7)", {"lock.py": "x = 2\n"})
    repo.commit("fix: repair `__init__` of List<T>", {"a.py": "x = 2\n"})
    return repo


def tag_text(repo: Repo, name: str) -> str:
    done = repo.run("git", "cat-file", "tag", name).stdout.decode()
    return done.partition("\n\n")[2]


def test_one_text_in_all_places(project: Repo) -> None:
    done = run(
        "release", "--as", "1.1.0", "--write", "CHANGELOG.md", "--tag", "v1.1.0", "--notes",
        "--github-release", "body.md",
    )  # fmt: skip
    assert done.code == 0, done.err
    changelog = (project.path / "CHANGELOG.md").read_text()
    text = tag_text(project, "v1.1.0")
    assert text.startswith("## [1.1.0] - 2024-03-01\n\n### Added\n\n- A lock that people wrote about (#7)\n")
    assert "- Repair `__init__` of List&lt;T>\n" in text
    assert f"## [Unreleased]\n\n{text}\n## [1.0.0]" in changelog
    assert project.run("git", "notes", "--ref=releases", "show", "HEAD").stdout.decode() == text
    assert (project.path / "body.md").read_text() == text.partition("\n\n")[2]


def test_all_of_it_twice_changes_nothing(project: Repo) -> None:
    command = [
        "release",
        "v1.0.0..",
        "--as",
        "1.1.0",
        "--write",
        "CHANGELOG.md",
        "--tag",
        "v1.1.0",
        "--notes",
    ]
    command += ["--github-release", "body.md"]
    assert run(*command).code == 0
    before = {path.name: path.read_bytes() for path in project.path.glob("*.md")}
    refs = project.git("for-each-ref")
    again = run(*command)
    assert again.code == 0
    assert again.err.count("nothing changed") == 4
    assert {path.name: path.read_bytes() for path in project.path.glob("*.md")} == before
    assert project.git("for-each-ref") == refs


def test_a_tag_made_later_has_the_section_that_was_committed(project: Repo) -> None:
    assert run("release", "--as", "1.1.0", "--write", "CHANGELOG.md").code == 0
    path = project.path / "CHANGELOG.md"
    path.write_text(path.read_text().replace("that people wrote about", "improved by hand"))
    project.commit("Release 1.1.0", {"CHANGELOG.md": path.read_text()})
    assert run("release", "--tag", "v1.1.0").code == 0
    assert "improved by hand" in tag_text(project, "v1.1.0")


def test_a_tag_is_signed_where_git_is_set_so(project: Repo, tmp_path: Path) -> None:
    signer = tmp_path / "signer"
    signer.write_text(
        "#!/bin/sh\ncat > /dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\n"
        "echo '-----BEGIN PGP SIGNATURE-----'\necho x\necho '-----END PGP SIGNATURE-----'\n"
    )
    signer.chmod(0o755)
    project.git("config", "gpg.program", str(signer))
    project.git("config", "tag.gpgSign", "true")
    done = run("release", "--tag", "v1.1.0")
    assert done.code == 0, done.err
    assert "BEGIN PGP SIGNATURE" in tag_text(project, "v1.1.0")
    assert "nothing changed" in run("release", "v1.0.0..v1.1.0", "--tag", "v1.1.0").err


def test_a_published_tag_is_never_moved(project: Repo) -> None:
    assert run("release", "HEAD~1", "--tag", "v1.1.0").code == 0
    before = project.git("rev-parse", "v1.1.0")
    assert_sentence(run("release", "v1.0.0..HEAD", "--tag", "v1.1.0", "--replace"), 2)
    assert project.git("rev-parse", "v1.1.0") == before


@pytest.mark.parametrize("name", ["-x", "a..b", "release", "v1.0 0", "v1//0", ""])
def test_a_bad_name_for_a_tag_writes_nothing(project: Repo, name: str) -> None:
    command = ["release", "HEAD", "--write", "CHANGELOG.md", "--tag", name]
    if name:
        assert_sentence(run(*command), 2)
        assert (project.path / "CHANGELOG.md").read_text() == UNRELEASED


def test_another_note_wants_replace(project: Repo) -> None:
    assert run("release", "v1.0.0..HEAD", "--as", "1.1.0", "--notes").code == 0
    assert_sentence(run("release", "v1.0.0..HEAD", "--as", "1.1.1", "--notes"), 2)
    assert run("release", "v1.0.0..HEAD", "--as", "1.1.1", "--notes", "--replace").code == 0
    assert "1.1.1" in project.git("notes", "--ref=releases", "show", "HEAD")


def test_unreleased_grows_and_moves_into_the_version(project: Repo) -> None:
    assert run("release", "--unreleased", "--write", "CHANGELOG.md").code == 0
    text = (project.path / "CHANGELOG.md").read_text()
    assert text.count("Unreleased") == 1 and "Repair" in text
    assert run("release", "--unreleased", "--write", "CHANGELOG.md").err.count("nothing changed") == 1
    project.commit("perf: read faster", {"b.py": "y = 1\n"})
    assert run("release", "--unreleased", "--write", "CHANGELOG.md").code == 0
    assert run("release", "--as", "v1.1.0", "--write", "CHANGELOG.md").code == 0
    text = (project.path / "CHANGELOG.md").read_text()
    assert "## [Unreleased]\n\n## [1.1.0]" in text
    assert text.count("Read faster") == text.count("Repair") == text.count("A lock") == 1


def test_the_text_for_github_is_markdown_and_fits(repo: Repo) -> None:
    old = "Changes\n=======\n\nVersion 1.0.0\n-------------\n\n-   First. :pr:`1`\n"
    repo.commit("Begin", {"CHANGES.rst": old})
    repo.tag("v1.0.0")
    for number in range(600):
        repo.commit(f"feat: add {'long ' * 60}{number} (#{number})")
    repo.tag("v1.1.0")
    done = run("release", "v1.1.0", "--github-release", "body.md")
    body = (repo.path / "body.md").read_text()
    assert len(body) <= 125_001 and "cut to" in done.err
    assert body.endswith("The rest is in CHANGES.rst.\n") and ":pr:" not in body
    assert body.splitlines()[0].startswith("- Add long")


def test_every_commit_is_accounted_for(project: Repo) -> None:
    project.branch("topic")
    project.commit("work", {"c.py": "z = 1\n"})
    project.switch("main")
    project.merge("topic", "Merge pull request #9 from a/topic\n\nAdd a window")
    project.commit("Release 1.1.0", {"version.txt": "1.1.0\n"})
    done = run("release", "v1.0.0..HEAD", "--coverage", "--json")
    found = json.loads(done.out)
    told = [sha for entry in found["entries"] for sha in entry["commits"]]
    every = project.git("rev-list", "v1.0.0..HEAD").split("\n")
    assert sorted([*told, *(item["path"] for item in found["omitted"])]) == sorted(every)
    assert found["commits"] == len(every) == 5
    assert all(sha[:9] in done.err for sha in every)
    assert "5 commits: 4 in 3 entries, 1 left out." in done.err


def test_a_package_tells_its_own_changes(repo: Repo) -> None:
    repo.commit("Begin", {"packages/one/a.py": "1\n", "packages/two/b.py": "1\n"})
    repo.tag("one@1.0.0")
    repo.tag("two@1.0.0")
    repo.branch("topic")
    repo.commit("work", {"packages/one/a.py": "2\n"})
    repo.switch("main")
    repo.merge("topic", "Merge pull request #3 from a/topic\n\nAdd a door")
    repo.commit("Repair the roof", {"packages/two/b.py": "2\n"})
    done = run("release", "--package", "packages/one", "--coverage")
    assert "Add a door (#3)" in done.out and "roof" not in done.out
    assert "touches nothing in packages/one" in done.err
    assert "roof" in run("release", "--package", "packages/two/", "unreleased").out
    repo.tag("one@1.1.0")
    repo.tag("two@1.1.0")
    assert run("release", "two@1.1.0", "--package", "packages/two").out.startswith("## [1.1.0]")
    assert_sentence(run("release", "--package", "packages/three"), 2)


def test_people_and_news(project: Repo) -> None:
    project.commit("feat!: drop the old lock", {"d.py": "1\n"}, "--author=Bo New <bo@example.org>")
    out = run("release", "--contributors", "--highlights").out
    assert "1 breaking change, 1 feature and 1 fix." in out
    assert "### Contributors\n\n- Ada Example\n- Bo New (first contribution)" in out
    assert "Internal" not in run("release", "--for", "users").out
    assert_sentence(run("release", "--for", "nobody"), 2)


def test_one_file_is_not_two_places(project: Repo) -> None:
    done = run(
        "release", "--as", "1.1.0", "--write", "CHANGELOG.md", "--github-release", "./x/../CHANGELOG.md"
    )
    assert_sentence(done, 2)
    assert (project.path / "CHANGELOG.md").read_text() == UNRELEASED


@pytest.mark.parametrize("place", ["tag", "note"])
def test_what_refuses_at_the_end_refuses_at_the_start(project: Repo, place: str) -> None:
    if place == "tag":
        project.tag("v1.1.0", "-a", "-m", "mine")
    else:
        project.run("git", "notes", "--ref=releases", "add", "-m", "mine")
    refs = project.run("git", "show-ref").stdout
    done = run(
        "release", "v1.0.0..HEAD", "--as", "1.1.0", "--write", "CHANGELOG.md", "--github-release", "body.md",
        "--tag", "v1.1.0", "--notes",
    )  # fmt: skip
    assert_sentence(done, 2)
    assert (project.path / "CHANGELOG.md").read_text() == UNRELEASED
    assert not (project.path / "body.md").exists()
    assert project.run("git", "show-ref").stdout == refs


@pytest.mark.parametrize("where", [("--tag", "v1.1.0"), ("--notes",)])
def test_somebody_whom_git_does_not_know(
    project: Repo, monkeypatch: pytest.MonkeyPatch, where: tuple[str, ...]
) -> None:
    for name in ("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "EMAIL"):
        monkeypatch.delenv(name, raising=False)
    project.run("git", "config", "user.useConfigOnly", "true")
    project.run("git", "config", "--unset-all", "user.email")
    done = run("release", "--as", "1.1.0", "--write", "CHANGELOG.md", *where)
    assert_sentence(done, 3)
    assert "git config user.email" in done.err
    assert (project.path / "CHANGELOG.md").read_text() == UNRELEASED


@pytest.mark.parametrize(
    "option", ["--tag=", "--as= ", "--package=", "--write=", "--write=-", "--github-release=-", "--check=-"]
)
def test_an_empty_value_is_not_taken_for_none(project: Repo, option: str) -> None:
    before = project.run("git", "show-ref").stdout
    assert_sentence(run("release", "v1.0.0..HEAD", option), 2)
    assert project.run("git", "show-ref").stdout == before
    assert not (project.path / "-").exists()


def test_a_second_run_learns_nothing_from_the_first(project: Repo) -> None:
    """What the section of the version itself looks like is not what earlier ones look like."""
    path = project.path / "CHANGELOG.md"
    path.write_text(UNRELEASED.replace("## [Unreleased]", "## 1.1.0\n\n* x.\n* y.\n* z.\n\n## [Unreleased]"))
    text = draft_release(
        open_git(project.path), "v1.0.0..", NoteOptions(version="1.1.0"), path=path
    ).note.text
    assert text.startswith("## [1.1.0] - 2024-03-01\n\n### Added\n\n- Add a lock (#7)\n")
