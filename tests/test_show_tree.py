from __future__ import annotations

import json
import sys

import pytest

from gitnotes.__main__ import run as run_gitnotes
from gitnotes.codec import from_json
from gitnotes.records import CommitTree
from tests.conftest import Repo


@pytest.fixture
def released(repo: Repo) -> Repo:
    """v1.0, then a merged topic, a commit and its revert, and a squashed one; HEAD is ahead of v1.1."""
    repo.commit("Root", {"a": "1\n"})
    repo.tag("v1.0")
    repo.branch("topic")
    repo.commit("Add b", {"b": "1\n"})
    repo.switch("main")
    repo.merge("topic", "Merge pull request #7 from x/topic\n\nAdd b")
    bad = repo.commit("Add c", {"c": "1\n"})
    repo.git("revert", "--no-edit", bad)
    repo.commit("Add d and e (#8)\n\n* Add d\n\n* Add e\n", {"d": "1\n"})
    repo.tag("v1.1")
    repo.commit("Later", {"a": "2\n"})
    return repo


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run_gitnotes(["show-tree", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_plain_text(released: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "v1.1", "--files")
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "v1.0..v1.1: 5 commits, 1 merge, 1 revert"
    assert [line[12:] for line in lines if line.startswith("  ") and line[2] != " "][:3] == [
        "Add d and e (#8)",
        f'Revert "Add c"  [undoes {released.git("rev-parse", "HEAD~3")[:9]}]',
        f"Add c  [undone by {released.git('rev-parse', 'HEAD~2')[:9]}]",
    ]
    merge = next(at for at, line in enumerate(lines) if "Merge pull request #7" in line)
    assert lines[merge + 1].startswith("    ") and lines[merge + 1].endswith(" Add b")
    assert lines[merge + 2] == "      A b"
    assert "    * Add d" in lines
    assert "  the files of 1 merges, whose commits have them" in lines


def test_json_reads_back(released: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "v1.0..v1.1", "--counts", "--json")
    found = json.loads(out)
    assert (code, found["schema"], found["kind"]) == (0, 1, "tree")
    tree = from_json(CommitTree, {key: found[key] for key in ("start", "end", "commits")})
    assert (tree.start, tree.end) == ("v1.0", "v1.1")
    assert [commit.sha for commit in tree.first_parent_line()] == found["main_line"]
    merge = found["main_line"][-1]
    assert found["brought_in"] == {merge: [released.git("rev-parse", "topic")]}
    assert found["pulls"] == {found["main_line"][0]: ["#8"], merge: ["#7"]}
    assert found["reverts"] == [{"sha": found["main_line"][1], "target": found["main_line"][2], "how": "id"}]
    assert found["undone"] == [found["main_line"][2]]
    assert [part["subject"] for part in found["squashes"][found["main_line"][0]]] == ["Add d", "Add e"]
    assert found["commits"][0]["files"][0]["added"] == 1


def test_words_for_ranges(released: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "latest")[1].startswith("v1.0..v1.1:")
    assert run(capsys, "unreleased")[1].startswith("v1.1..HEAD: 1 commit\n")


def test_paths(released: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "v1.1", "--path", "c")[1]
    assert out.startswith("v1.0..v1.1: 2 commits, 1 revert")
    assert "3 commits that touch none of the paths" in out
    code, out, _ = run(capsys, "v1.1", "--path", "nothing")
    assert (code, out) == (3, "")


def test_graph_is_that_of_git(released: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    drawn = released.git("log", "--graph", "--oneline", "--abbrev=8", "--no-decorate", "v1.0..v1.1")
    assert run(capsys, "v1.1", "--graph")[1].rstrip() == drawn
    assert run(capsys, "v1.1", "--graph", "--json")[0] == 2


def test_notes_and_mailmap(released: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    released.git("notes", "--ref=review", "add", "-m", "Seen by Bob", "v1.1")
    (released.path / ".mailmap").write_text("Ada Lovelace <lady@example.org> <ada@example.org>\n")
    out = run(capsys, "v1.1", "--notes", "review", "--mailmap", "--json")[1]
    found = json.loads(out)
    assert list(found["notes"].values()) == ["Seen by Bob"]
    assert {commit["author"] for commit in found["commits"]} == {"Ada Lovelace"}
    assert {commit["email"] for commit in found["commits"]} == {"lady@example.org"}


def test_escapes_never_reach_the_terminal(
    released: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    released.commit("Title \x1b]0;owned\x07 [red]x[/red]", {"f\x1b[31m": "1"})
    out = run(capsys, "v1.1..", "--files")[1]
    assert "\x1b" not in out and "^[]0;owned" in out
    assert "\x1b" not in run(capsys, "v1.1..", "--graph")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert sys.stdout.isatty() is False
    out = run(capsys, "v1.1..", "--files")[1]
    assert "\x1b]0;" not in out and "[red]x[/red]" in out and "└──" in out
