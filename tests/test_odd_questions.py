"""Is a question that has no good answer answered with one sentence?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gitnotes.errors import CannotJudge
from gitnotes.guard.text import SHORT, shorten
from gitnotes.read.diff import read_commit
from gitnotes.read.git import open_git
from tests.conftest import Repo
from tests.test_cli import assert_sentence, run

MakeRepo = Callable[..., Repo]


@pytest.mark.parametrize("command", [["show-change"], ["show-change", "--staged"], ["suggest"]])
def test_what_is_staged_needs_a_work_tree(repo: Repo, tmp_path: Path, command: list[str]) -> None:
    repo.commit("First", {"a": "1\n"})
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", ".", str(bare))
    for place, words in ((bare, "bare"), (repo.path / ".git", "git's own")):
        for result in (run("-C", str(place), *command), run(*command, cwd=place)):
            assert_sentence(result, 3)
            assert words in result.err
        assert run("-C", str(place), "show-change", "HEAD").code == 0


def test_a_parent_that_is_missing_is_called_so(repo: Repo) -> None:
    first = repo.commit("First", {"a": "1\n"})
    repo.commit("Second", {"a": "2\n"})
    (repo.path / ".git" / "objects" / first[:2] / first[2:]).unlink()
    with pytest.raises(CannotJudge, match="The parent of that commit is missing"):
        read_commit(open_git(), "HEAD")


def test_a_conflict_is_named_where_nothing_else_is_staged(repo: Repo) -> None:
    repo.commit("First", {"a b": "1\n"})
    repo.branch("topic")
    repo.commit("Topic", {"a b": "2\n"})
    repo.switch("main")
    repo.commit("Main", {"a b": "3\n"})
    repo.git("merge", "-q", "topic", check=False)
    result = run("suggest")
    assert_sentence(result, 3)
    assert "'a b', whose merge conflict is not resolved" in result.err
    assert "a b: its merge conflict is not resolved" in run("show-change").out


@pytest.mark.parametrize("name", [":colon", ":!a", "*.x", "[a]", "-dash", ":(top)x", "a\\b", "sub/b"])
def test_a_path_means_itself(repo: Repo, name: str) -> None:
    repo.commit("First", {"other.x": "1\n", "a": "1\n"})
    repo.write(name, "1\n") if not name.startswith((":", "*", "[")) else None
    place = repo.path / name
    place.parent.mkdir(exist_ok=True)
    place.write_text("1\n")
    repo.git("--literal-pathspecs", "add", "--", name)
    sha = repo.commit("Second")
    found = run("show-tree", "HEAD", f"--path={name}", "--json").json()
    assert [commit["sha"] for commit in found["commits"]] == [sha]


def test_paths_are_seen_from_the_current_folder(repo: Repo) -> None:
    repo.commit("First", {"a": "1\n"})
    sha = repo.commit("Second", {"sub/a": "1\n"})
    found = run("show-tree", "HEAD", "--path", "a", "--json", cwd=repo.path / "sub").json()
    assert [commit["sha"] for commit in found["commits"]] == [sha]


@pytest.mark.parametrize(
    ("path", "words"), [("", "path is empty"), ("../x", "outside"), ("/nowhere/x", "outside"), ("no", "no.")]
)
def test_a_path_that_cannot_be_is_refused(repo: Repo, path: str, words: str) -> None:
    repo.commit("First", {"a": "1\n"})
    result = run("show-tree", "HEAD", "--path", path)
    assert_sentence(result, 3 if path else 2)
    assert words in result.err


@pytest.mark.parametrize("command", ["show-tree", "show-change", "release", "grade"])
def test_a_tag_of_no_commit_is_called_what_it_is(repo: Repo, command: str) -> None:
    repo.commit("First", {"a": "1\n"})
    repo.git("tag", "blob", "HEAD:a")
    repo.git("tag", "-a", "-m", "x", "tree", "HEAD^{tree}")
    for name, kind in (("blob", "the content of a file"), ("tree", "a folder"), ("HEAD:a", "content")):
        result = run(command, name)
        assert_sentence(result, 3)
        assert f"'{name}' is" in result.err and kind in result.err


@pytest.mark.parametrize("command", ["show-tree", "show-change", "release", "grade"])
def test_a_long_name_is_not_repeated_in_full(repo: Repo, command: str) -> None:
    repo.commit("First", {"a": "1\n"})
    for name in ("x" * 50_000, "a" * 200 + ".." + "\x1b" * 200):
        result = run(command, name)
        assert_sentence(result, 3)
        assert len(result.err) < 5 * SHORT


def test_long_names_keep_both_ends() -> None:
    assert shorten("short\x1b") == "short^["
    long = shorten("begin" + "\x00" * 1_000_000 + "end")
    assert long.startswith("begin^@") and long.endswith("^@end") and len(long) == SHORT + 3


def test_submodules_have_no_lines(repo: Repo) -> None:
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
    repo.commit("Add lib")
    change = run("show-change", "HEAD", "--json").json()["files"]
    found = run("show-tree", "HEAD", "--counts", "--json").json()
    assert found["commits"][0]["files"] == change
    assert change[0]["submodule"] == ["", "1" * 40]
    assert (change[0]["added"], change[0]["removed"]) == (None, None)
    assert found["omitted"] == []


def test_notes_that_are_not_there_are_named(repo: Repo) -> None:
    repo.commit("First", {"a": "1\n"})
    repo.git("notes", "--ref=review", "add", "-m", "Seen")
    for name in ("review", "notes/review", "refs/notes/review"):
        found = run("show-tree", "HEAD", "--notes", name, "--json").json()
        assert list(found["notes"].values()) == ["Seen"]
        assert not any("notes" in item["reason"] for item in found["omitted"])
    found = run("show-tree", "HEAD", "--notes", "nosuch", "--json").json()
    assert "there are no notes under 'nosuch'" in [item["reason"] for item in found["omitted"]]
