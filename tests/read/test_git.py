from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitnotes.errors import CannotJudge, GitError, NotARepository, UnknownRevision, UsageError
from gitnotes.read.git import Git, open_git
from tests.conftest import Repo


@pytest.fixture(params=[False, True], ids=["gitpython", "light"])
def light(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def test_both_runners_give_the_same_bytes(repo: Repo) -> None:
    repo.commit("First\n\nwith\n\n\nblank lines", {"a b.txt": "x\n"})
    command = ("log", "-z", "--format=%B", "--raw")
    assert open_git(light=True).run(*command) == open_git().run(*command)


def test_folder_outside_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, light: bool) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotARepository) as caught:
        open_git(light=light).run("rev-parse", "--git-dir")
    assert caught.value.exit_code == 3


def test_folder_that_does_not_exist(light: bool) -> None:
    with pytest.raises(UsageError, match="no folder"):
        open_git("does/not/exist", light=light)


def test_unknown_revision_names_it_without_its_escapes(repo: Repo, light: bool) -> None:
    repo.commit("First", {"a": "1"})
    with pytest.raises(UnknownRevision) as caught:
        open_git(light=light).resolve("no\x1b[31msuch")
    assert "no^[[31msuch" in str(caught.value)


@pytest.mark.parametrize("revision", ["--output=owned", "-p", "--all", "HEAD..HEAD", "HEAD\0x", "a" * 40])
def test_revisions_that_are_none(repo: Repo, revision: str) -> None:
    repo.commit("First", {"a": "1"})
    assert open_git().find(revision) is None
    assert not (repo.path / "owned").exists()


def test_unborn_branch_cannot_be_judged(repo: Repo) -> None:
    with pytest.raises(CannotJudge, match="no commits yet"):
        open_git().resolve("HEAD")


def test_foreign_repository_ignores_the_variables_of_our_own(
    make_repo: object, monkeypatch: pytest.MonkeyPatch, light: bool
) -> None:
    first: Repo = make_repo("first")  # type: ignore[operator]
    second: Repo = make_repo("second")  # type: ignore[operator]
    first.commit("In the first", {"a": "1"})
    second.commit("In the second", {"a": "2"})
    second.write("staged", "x")
    monkeypatch.chdir(first.path)
    monkeypatch.setenv("GIT_DIR", str(first.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    monkeypatch.setenv("GIT_WORK_TREE", str(first.path))
    git = open_git(second.path, light=light)
    assert git.text("log", "--format=%s") == "In the second"
    assert git.text("diff", "--cached", "--name-only") == "staged"
    assert open_git(light=light).text("log", "--format=%s") == "In the first"


def test_stream_gives_the_same_bytes_and_the_same_error(repo: Repo) -> None:
    repo.commit("First", {"a": "line\n" * 100_000})
    git = open_git()
    assert b"".join(git.stream("show", "HEAD")) == git.run("show", "HEAD")
    with pytest.raises(UnknownRevision):
        list(git.stream("show", "nothing"))


def test_a_stream_may_be_left_early(repo: Repo) -> None:
    repo.commit("First", {"a": "line\n" * 100_000})
    stream = open_git().stream("show", "HEAD")
    assert next(stream)
    stream.close()  # type: ignore[attr-defined]


def test_git_that_is_missing(repo: Repo, monkeypatch: pytest.MonkeyPatch, light: bool) -> None:
    monkeypatch.setenv("PATH", os.fspath(repo.path))
    with pytest.raises(GitError, match="cannot be started"):
        open_git(light=light).run("status")


def test_hooks_path_is_the_one_git_uses(repo: Repo) -> None:
    git = open_git()
    assert git.path("hooks") == repo.path / ".git" / "hooks"
    repo.git("config", "core.hooksPath", "my hooks")
    assert git.path("hooks") == repo.path / "my hooks"


def test_config(repo: Repo) -> None:
    repo.git("config", "core.commentChar", ";")
    git: Git = open_git()
    assert git.config("core.commentChar") == ";"
    assert git.config("core.commentString") is None


def test_blobs(repo: Repo, light: bool) -> None:
    contents = {"a": b"one\n", "empty": b"", "bin": b"\0\n\xff blob 3\n", "big": b"x" * 5000}
    commit = repo.commit("First", dict(contents))
    ids = {name: repo.git("rev-parse", f":{name}") for name in contents}
    git = open_git(light=light)
    asked = [*ids.values(), ids["a"], commit, "0" * 40, "", "HEAD", "--batch", "a\nb"]
    assert git.blobs(asked, limit=4999) == {ids[name]: contents[name] for name in ("a", "empty", "bin")}
    assert git.blob_sizes(asked) == {ids[name]: len(content) for name, content in contents.items()}
    assert git.blobs([], limit=10) == {}
