"""Does a changelog made anew tell each commit once, under the version that had it first?"""

from __future__ import annotations

import json

import pytest

from gitnotes.read.git import open_git
from gitnotes.recipes.release_all import draft_changelog
from tests.conftest import Repo
from tests.test_cli import assert_sentence, run


@pytest.fixture
def project(repo: Repo) -> Repo:
    """1.0.0, then 1.0.1 on a branch of its own after 2.0.0, merged back; a candidate and an alias."""
    repo.commit("feat: begin", {"a.py": "1\n"})
    repo.tag("v1.0.0")
    repo.branch("1.x")
    repo.switch("main")
    repo.commit("feat: add a door", {"b.py": "1\n"})
    repo.tag("v2.0.0-rc.1")
    repo.commit("fix: hang the door", {"b.py": "2\n"})
    repo.tag("v2.0.0")
    repo.tag("v0.200.0")
    repo.switch("1.x")
    repo.commit("fix: close the window", {"c.py": "1\n"})
    repo.tag("v1.0.1")
    repo.switch("main")
    repo.merge("1.x", "Merge branch '1.x'")
    repo.commit("feat: add a roof", {"d.py": "1\n"})
    return repo


def test_each_commit_stands_in_the_first_version_that_has_it(project: Repo) -> None:
    found = draft_changelog(open_git(project.path))
    assert [(one.name, one.commits) for one in found.versions] == [
        ("HEAD", 2),
        ("v2.0.0", 2),
        ("v1.0.1", 1),
        ("v1.0.0", 1),
    ]
    texts = {one.name: one.note.text for one in found.versions}
    assert "Hang the door" in texts["v2.0.0"] and "Add a door" in texts["v2.0.0"]
    assert "Close the window" in texts["v1.0.1"] and "window" not in texts["HEAD"]
    assert "First release." in texts["v1.0.0"] and "First release." not in texts["v1.0.1"]
    assert found.commits == int(project.git("rev-list", "--count", "--all"))


def test_the_file_keeps_what_no_tag_knows(project: Repo) -> None:
    old = (
        "# History\r\n\r\nOurs.\r\n\r\n## 1.0.0\r\n\r\n- wrong\r\n\r\n## 0.5.0 (1999-01-01)\r\n\r\n"
        "- From before git\r\n\r\n[x]: https://host/\r\n"
    )
    (project.path / "HISTORY.md").write_bytes(old.encode())
    assert_sentence(run("release", "--all", "--write", "HISTORY.md"), 2)
    done = run("release", "--all", "--write", "HISTORY.md", "--replace")
    assert done.code == 0 and "4 versions from 6 commits" in done.err
    text = (project.path / "HISTORY.md").read_bytes().decode()
    assert text.startswith("# History\r\n\r\nOurs.\r\n\r\n## Unreleased") and "wrong" not in text
    assert text.endswith("## 0.5.0 (1999-01-01)\r\n\r\n- From before git\r\n\r\n[x]: https://host/\r\n")
    assert "\n" not in text.replace("\r\n", "")
    assert "already" in run("release", "--all", "--write", "HISTORY.md").err
    assert (project.path / "HISTORY.md").read_bytes().decode() == text


def test_a_version_reads_the_same_alone_and_among_all(project: Repo) -> None:
    alone = run("release", "v2.0.0").out.strip()
    assert alone in run("release", "--all").out
    found = json.loads(run("release", "--all", "--json").out)
    assert sum(one["commits"] for one in found["versions"]) == found["commits"] == 6


def test_without_a_tag_there_is_nothing_to_tell(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "1\n"})
    assert_sentence(run("release", "--all"), 3)
    assert_sentence(run("release", "--all", "v1.0"), 2)


def test_the_next_version_is_proposed_with_its_reasons(project: Repo) -> None:
    done = run("release", "--bump")
    assert done.out == "v2.1.0\n"
    assert "Features: Add a roof" in done.err or "Features: add a roof" in done.err
    found = json.loads(run("release", "--bump", "--json").out)
    assert (found["kind"], found["tag"], found["part"]) == ("bump", "v2.1.0", "minor")
    project.commit("feat!: drop the door", {"b.py": "3\n"})
    assert run("release", "--bump").out == "v3.0.0\n"
    assert run("release", "v1.0.0..v1.0.1", "--bump").out == "v1.0.1\n"
