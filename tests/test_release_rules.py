"""Does a note follow the files that other tools for release notes have in a project?"""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from gitnotes.draft.notes import labels
from gitnotes.read.git import open_git
from gitnotes.recipes.release_all import draft_changelog
from gitnotes.recipes.releasing import NoteOptions, Release, draft_release
from tests.conftest import Repo

RANGE = "v1.0.0..v1.1.0"
RELEASE_YML = """\
changelog:
  exclude:
    labels: [ignore-for-release, dependencies]
    authors: [octobot]
  categories:
    - title: Breaking 🛠
      labels: [semver-major, breaking-change]
    - title: Parser
      labels: ["area: parser"]
    - title: Exciting 🎉
      labels: [enhancement]
    - title: Repaired
      labels: ["kind/bug"]
      exclude: {labels: [docs-only]}
    - title: The rest
      labels: ["*"]
"""
CLIFF = """\
[changelog]
header = "# What happened\\n"
body = "{% for group, commits in commits | group_by(attribute='group') %}{{ group }}{% endfor %}"
[git]
conventional_commits = true
filter_unconventional = true
tag_pattern = "^v[0-9]"
commit_parsers = [
  { message = "^feat", group = "<!-- 1 -->🚀 new" },
  { message = "^fix", group = "<!-- 0 -->🐛 Mended" },
  { message = "^chore", skip = true },
  { body = ".*security", group = "<!-- 2 -->Security" },
  { message = "(a+)+$", group = "Slow" },
  { footer = "^x", group = "Foot" },
]
"""
TOWNCRIER = """\
[tool.towncrier]
directory = "changelog/"
filename = "docs/news.rst"
[[tool.towncrier.type]]
directory = "bugfix"
name = "Mended things"
[[tool.towncrier.type]]
directory = "feature"
name = "New things"
[[tool.towncrier.type]]
directory = "misc"
name = "Misc"
showcontent = false
"""


def draft(repo: Repo, versions: str = RANGE, **options: object) -> Release:
    return draft_release(open_git(repo.path), versions, NoteOptions(**options))  # type: ignore[arg-type]


def reasons(release: Release) -> dict[str, str]:
    subjects = {commit.sha: commit.subject for commit in release.material.tree.commits}
    return {subjects[item.path]: item.reason for item in release.material.selection.omitted}


def all_accounted_for(release: Release) -> bool:
    told = [sha for entry in release.material.selection.entries for sha in entry.commits]
    left = [item.path for item in release.material.selection.omitted]
    return sorted([*told, *left]) == sorted(commit.sha for commit in release.material.tree.commits)


@pytest.fixture
def labelled(repo: Repo) -> Repo:
    repo.commit("Begin", {"a.py": "x = 0\n", ".github/release.yml": RELEASE_YML})
    repo.tag("v1.0.0")
    repo.commit("feat: add the lock", {"a.py": "x = 1\n"})
    repo.commit("fix(parser): read the last line", {"a.py": "x = 2\n"})
    repo.commit("Repair the clock\n\nLabels: kind/bug", {"a.py": "x = 3\n"})
    repo.commit("feat!: take the old key away", {"a.py": "x = 4\n"})
    repo.commit("Bump foo from 1.0 to 1.1", {"requirements.txt": "foo==1.1\n"})
    repo.commit("Reword the banner\n\nLabels: ignore-for-release", {"a.py": "x = 5\n"})
    repo.commit(
        "Write the table anew", {"a.py": "x = 6\n"}, "--author=Octo <1+octobot@users.noreply.github.com>"
    )
    repo.commit("Colour of the sign", {"a.py": "x = 7\n"})
    repo.tag("v1.1.0")
    return repo


def test_headings_and_exclusions_of_release_yml(labelled: Repo) -> None:
    release = draft(labelled)
    text = release.note.text
    heads = [line[4:] for line in text.split("\n") if line.startswith("### ")]
    assert heads == ["Breaking 🛠", "Parser", "Exciting 🎉", "Repaired", "The rest"]
    assert "### Repaired\n\n- Repair the clock" in text
    assert "### Parser\n\n- **parser:** Read the last line" in text
    assert "### The rest\n\n- Colour of the sign" in text
    assert reasons(release) == {
        "Bump foo from 1.0 to 1.1": ".github/release.yml leaves out the label dependencies",
        "Reword the banner": ".github/release.yml leaves out the label ignore-for-release",
        "Write the table anew": ".github/release.yml leaves out octobot",
    }
    assert all_accounted_for(release)


def test_a_changelog_keeps_its_own_headings(labelled: Repo) -> None:
    labelled.commit("Keep notes", {"CHANGELOG.md": "# Log\n\n## 1.0.0\n\n### Added\n\n- A.\n"})
    text = draft(labelled, "v1.0.0..").note.text
    assert "### Added" in text and "Exciting" not in text and "Reword the banner" not in text


def test_a_preset_and_the_settings_go_before(labelled: Repo) -> None:
    assert "Exciting" not in draft(labelled, style="keepachangelog").note.text
    assert "### Exciting 🎉" in draft(labelled, style="github").note.text
    told = draft(labelled, audience="developers").note.text
    assert "Write the table anew" in told and "foo 1.0 -> 1.1" in told
    (labelled.path / ".gitnotes.toml").write_text("conventions = false\n")
    text = draft(labelled).note.text
    assert "Exciting" not in text and "Reword the banner" in text


@pytest.mark.parametrize(
    ("label", "category"),
    [
        ("bug", "Fixes"),
        ("kind/bug", "Fixes"),
        ("type: feature", "Features"),
        ("C-enhancement", "Features"),
        ("relnotes-added", "Features"),
        ("Type::Documentation", "Documentation"),
        ("semver-major", "Breaking"),
        ("breaking-change", "Breaking"),
        ("package::documentation", ""),
        ("area/docs", ""),
        ("good first issue", ""),
        ("", ""),
    ],
)
def test_what_a_label_is_about(label: str, category: str) -> None:
    assert labels._category_of(label.casefold()) == category


@pytest.fixture
def cliffed(repo: Repo) -> Repo:
    repo.commit("Begin", {"a.py": "x = 0\n", "cliff.toml": CLIFF})
    repo.tag("v1.0.0")
    repo.tag("web-1.0.5")
    repo.commit("feat: add the lock", {"a.py": "x = 1\n"})
    repo.commit("fix: read the last line", {"a.py": "x = 2\n"})
    repo.commit("chore: tidy up", {"a.py": "x = 3\n"})
    repo.commit("Colour of the sign", {"a.py": "x = 4\n"})
    repo.commit("refactor: hide the key\n\nThis is about security.", {"a.py": "x = 5\n"})
    repo.commit("perf: walk faster", {"a.py": "x = 6\n"})
    repo.tag("v1.1.0")
    return repo


def test_groups_skips_and_order_of_git_cliff(cliffed: Repo) -> None:
    release = draft(cliffed)
    heads = [line[4:] for line in release.note.text.split("\n") if line.startswith("### ")]
    assert heads == ["🐛 Mended", "🚀 new", "Security", "Performance"]
    assert reasons(release) == {
        "chore: tidy up": "cliff.toml skips ^chore",
        "Colour of the sign": "cliff.toml leaves out what is not conventional",
    }
    assert all_accounted_for(release)
    told = "\n".join(release.material.told)
    assert "(a+)+$ is not followed" in told and "footer" in told and told.count("Tera") == 1


def test_a_whole_changelog_follows_git_cliff(cliffed: Repo) -> None:
    changelog = draft_changelog(open_git(cliffed.path))
    assert changelog.text.startswith("# What happened\n\n## ")
    assert [one.name for one in changelog.versions] == ["v1.1.0", "v1.0.0"]
    assert "🐛 Mended" in changelog.text and changelog.told


def test_git_cliff_in_other_files(cliffed: Repo) -> None:
    (cliffed.path / "cliff.toml").unlink()
    table = '[package.metadata.git-cliff.git]\ncommit_parsers = [{message = "^feat", group = "New"}]\n'
    (cliffed.path / "Cargo.toml").write_text(table)
    assert "### New\n" in draft(cliffed).note.text


def test_hostile_patterns_cost_nothing(repo: Repo) -> None:
    rules = ", ".join('{ message = "^(a|a)*(b|b)*.*.*.*$", group = "G" }' for _ in range(300))
    repo.commit("Begin", {"a.py": "x = 0\n", "cliff.toml": f"[git]\ncommit_parsers = [{rules}]\n"})
    repo.tag("v1.0.0")
    repo.commit(f"fix: {'a' * 5000}", {"a.py": "x = 1\n"})
    repo.tag("v1.1.0")
    start = time.monotonic()
    assert len(draft(repo).material.told) <= 20
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cliff.toml", b"[git\n"),
        ("cliff.toml", b"\xff\xfe\x00"),
        (".github/release.yml", b"changelog: [\n"),
        (".github/release.yml", b"- 1\n"),
        (".github/release.yml", b"a: &a [x]\n" + b"b: [" + b"*a," * 300 + b"*a]\n"),
        ("towncrier.toml", b"[tool.towncrier]\ndirectory = 1\n[[tool.towncrier.type]]\nname = []\n"),
        ("towncrier.toml", b'[tool.towncrier]\ndirectory = "../../etc"\n'),
        ("reno.yaml", b"sections: {a: [b]}\nnotesdir: ../../x\n"),
        ("cliff.toml", b"#" * (2 << 20)),
        ("cliff.toml", b"a = " + b"[" * 5000),
    ],
)
def test_a_broken_file_is_one_sentence_at_most(repo: Repo, name: str, content: bytes) -> None:
    repo.commit("Begin", {"a.py": "x = 0\n", name: content})
    repo.tag("v1.0.0")
    repo.commit("fix: repair the lock", {"a.py": "x = 1\n"})
    repo.tag("v1.1.0")
    done = subprocess.run(
        [sys.executable, "-m", "gitnotes", "release", RANGE], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and "Repair the lock" in done.stdout
    assert "Traceback" not in done.stderr and done.stderr.count("\n") <= 1


def test_a_link_out_of_the_project_is_not_followed(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "x = 0\n"})
    repo.tag("v1.0.0")
    repo.commit("chore: repair the lock", {"a.py": "x = 1\n"})
    repo.tag("v1.1.0")
    outside = repo.path.parent / "cliff.toml"
    outside.write_text(CLIFF)
    (repo.path / "cliff.toml").symlink_to(outside)
    assert draft(repo).material.rules is None


@pytest.fixture
def fragmented(repo: Repo) -> Repo:
    head = "Project 1.0.0 (2024-01-01)"
    news = f"{head}\n{'=' * len(head)}\n\nMended things\n-------------\n\n- A. (#1)\n"
    repo.commit("Begin", {"a.py": "x = 0\n", "pyproject.toml": TOWNCRIER, "docs/news.rst": news})
    repo.tag("v1.0.0")
    repo.branch("topic")
    repo.commit(
        "fix it", {"a.py": "x = 1\n", "changelog/12.bugfix.rst": "The *lock* opens\n``twice``.\n\nMore.\n"}
    )
    repo.commit("more", {"changelog/13.feature.1.rst": "A :func:`~a.b` is new.\n"})
    repo.switch("main")
    repo.merge("topic", "Merge pull request #20 from x/topic\n\nRepair the lock")
    repo.commit("Add a key", {"b.py": "y = 1\n", "changelog/+key.feature.md": "A `key` is there.\n"})
    repo.commit("Internal only", {"c.py": "z = 1\n"})
    repo.commit("Take more", {"c.py": "z = 2\n", "changelog/14.misc.rst": "secret\n"})
    repo.commit("Try a thing", {"d.py": "q = 1\n", "changelog/15.feature.rst": "Never came.\n"})
    repo.git("rm", "-q", "changelog/15.feature.rst")
    repo.commit("Take it back")
    repo.commit("Announce", {"changelog/12.bugfix.rst": "The *lock* opens\n``twice`` a day.\n\nMore.\n"})
    return repo


def test_fragments_of_towncrier_word_the_note(fragmented: Repo) -> None:
    release = draft(fragmented, "v1.0.0..")
    assert release.note.text == (
        f"{release.note.text.partition(chr(10))[0]}\n{'=' * len(release.note.text.partition(chr(10))[0])}\n\n"
        "Mended things\n-------------\n\n"
        "- The *lock* opens\n  ``twice`` a day. (#12)\n\n  More.\n\n\n"
        "New things\n----------\n\n"
        "- A :func:`~a.b` is new. (#13)\n- A ``key`` is there.\n\n"
        "Misc\n----\n\n- Take more. (#14)"
    )
    assert "secret" not in release.note.text and "Never came" not in release.note.text
    left = reasons(release)
    assert left["Internal only"] == "has no news fragment" and left["Try a thing"] == "has no news fragment"
    assert all_accounted_for(release)
    assert "Internal only" in draft(fragmented, "v1.0.0..", audience="developers").note.text


def test_fragments_that_the_release_collected_count(fragmented: Repo) -> None:
    fragmented.git("rm", "-q", "-r", "changelog")
    fragmented.commit("Release 1.1.0", {"docs/news.rst": "Project 1.1.0\n=============\n"})
    fragmented.tag("v1.1.0")
    release = draft(fragmented)
    assert "The *lock* opens\n  ``twice`` a day. (#12)" in release.note.text
    assert all_accounted_for(release)


def test_a_link_to_a_fragment_tells_its_text_for_another_issue(fragmented: Repo) -> None:
    (fragmented.path / "changelog/16.bugfix.rst").symlink_to("12.bugfix.rst")
    (fragmented.path / "changelog/17.bugfix.rst").symlink_to("../../secret")
    fragmented.git("add", "--", "changelog")
    fragmented.commit("Tell it for another issue", {"e.py": "w = 1\n"})
    text = draft(fragmented, "v1.0.0..").note.text
    assert "``twice`` a day. (#12, #16)" in text and text.count("twice") == 1
    assert "secret" not in text and "17" not in text


def test_links_to_links_are_no_text(fragmented: Repo) -> None:
    folder = fragmented.path / "changelog"
    for name, target in (("21", "22"), ("22", "21"), ("23", "23"), ("24", "."), ("25", "/etc/passwd")):
        (folder / f"{name}.bugfix.rst").symlink_to(f"{target}.bugfix.rst" if target.isdigit() else target)
    fragmented.git("add", "--", "changelog")
    fragmented.commit("Turn in circles", {"e.py": "w = 1\n"})
    release = draft(fragmented, "v1.0.0..")
    assert not any(number in release.note.text for number in ("#21", "#22", "#23", "#24", "#25"))
    assert len([one for one in release.material.told if "leads to no other fragment" in one]) == 5


def test_what_another_branch_told_is_not_told_again(fragmented: Repo) -> None:
    fragmented.git("checkout", "-q", "-b", "stable", "v1.0.0")
    fragmented.commit("Port it", {"changelog/12.bugfix.rst": "The *lock* opens\n``twice``.\n"})
    fragmented.tag("v1.0.1")
    fragmented.switch("main")
    release = draft(fragmented, "v1.0.1..")
    assert "opens" not in release.note.text and "is new" in release.note.text
    assert all_accounted_for(release)


def test_references_stand_before_a_block_of_code(fragmented: Repo) -> None:
    fragmented.commit("Run", {"run.py": "", "changelog/21.feature.rst": "It runs::\n\n    run()\n"})
    assert "- It runs (#21)::\n\n      run()\n" in draft(fragmented, "v1.0.0..").note.text


def test_notes_of_reno(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "x = 0\n", "releasenotes/notes/.keep": ""})
    repo.tag("v1.0.0")
    note = (
        "prelude: >\n  All is better.\nfeatures:\n  - |\n    Adds a ``key``.\nfixes:\n  - The lock opens.\n"
    )
    repo.commit("Do two things", {"a.py": "x = 1\n", "releasenotes/notes/two-0123456789abcdef.yaml": note})
    repo.commit("Break it", {"a.py": "x = 2\n", "releasenotes/notes/bad-0123456789abcdee.yaml": "a: [\n"})
    repo.tag("v1.1.0")
    release = draft(repo)
    body = release.note.text.partition("\n\n")[2]
    assert body == "All is better.\n\n### New Features\n\n- Adds a `key`\n\n### Bug Fixes\n\n- The lock opens"
    assert release.material.told == (
        "releasenotes/notes/bad-0123456789abcdee.yaml is not read: it is no YAML.",
    )
    assert all_accounted_for(release)


def test_a_bare_repository_has_rules_too(cliffed: Repo, tmp_path_factory: pytest.TempPathFactory) -> None:
    bare = tmp_path_factory.mktemp("bare")
    cliffed.git("clone", "-q", "--bare", str(cliffed.path), str(bare / "x.git"))
    release = draft_release(open_git(bare / "x.git"), RANGE)
    assert "🐛 Mended" in release.note.text


@pytest.mark.parametrize("sign", ["\u0085", "\u2028", "\u2029"])
def test_odd_line_ends_do_not_join_words(repo: Repo, sign: str) -> None:
    repo.commit("Begin", {"a.py": "x = 0\n"})
    repo.tag("v1.0.0")
    repo.commit(f"fix: repair{sign}the lock", {"a.py": "x = 1\n"})
    repo.tag("v1.1.0")
    assert "Repair the lock" in draft(repo).note.text


def test_a_check_forgives_what_the_rules_leave_out(cliffed: Repo) -> None:
    (cliffed.path / "NEWS.md").write_text(f"# News\n\n{draft(cliffed).note.text}\n")
    command = [sys.executable, "-m", "gitnotes", "release", RANGE, "--check", "NEWS.md"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "forgotten" not in done.stdout
    (cliffed.path / "cliff.toml").unlink()
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "forgotten: Colour of the sign" in done.stdout


def test_references_stand_where_a_fragment_ends(repo: Repo) -> None:
    config = TOWNCRIER.replace("docs/news.rst", "CHANGELOG.md")
    repo.commit("Begin", {"a.py": "x = 0\n", "pyproject.toml": config, "CHANGELOG.md": "# Log\n\n## 1.0.0\n"})
    repo.tag("v1.0.0")
    files: dict[str, str | bytes] = {
        "changelog/1.feature.md": "A way to look:\n\n`look(x)` looks.\n",
        "changelog/2.feature.md": "It runs:\n\n```\nrun()\n```\n",
    }
    repo.commit("Look and run", {"a.py": "x = 1\n", **files})
    repo.commit("Look more", {"a.py": "x = 2\n", "changelog/3.feature.md": "A way to look:\n\nSee.\n"})
    text = draft(repo, "v1.0.0..").note.text
    assert "- A way to look: (#1)\n\n  `look(x)` looks.\n- It runs: (#2)\n\n  ```\n  run()\n  ```" in text
    assert "- A way to look:\n\n  See. (#3)" in text
