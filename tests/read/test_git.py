from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gitnotes.errors import (
    BareRepository,
    CannotJudge,
    GitError,
    NotARepository,
    UnknownRevision,
    UsageError,
)
from gitnotes.read.complaints import explain
from gitnotes.read.diff import read_commit, read_staged, read_work_tree
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


def test_foreign_repository_of_another_user_stays_untrusted(
    make_repo: object, monkeypatch: pytest.MonkeyPatch, light: bool
) -> None:
    first: Repo = make_repo("first")  # type: ignore[operator]
    second: Repo = make_repo("it's another")  # type: ignore[operator]
    second.commit("Second", {"a": "1"})
    monkeypatch.chdir(first.path)
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    for variables in ({}, {"GIT_DIR": str(first.path / ".git"), "GIT_INDEX_FILE": ".git/index"}):
        with monkeypatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            with pytest.raises(GitError, match="does not trust") as caught:
                open_git(second.path, light=light).find("HEAD")
            assert "git config --global --add safe.directory" in caught.value.hint


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root"
)
def test_repository_of_another_user(repo: Repo) -> None:
    repo.commit("First", {"a": "1"})
    for folder in repo.path.parents:
        if os.access(folder, os.W_OK) and folder.stat().st_mode & 0o055 != 0o055 and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    done = repo.run("setpriv", "--reuid=65534", "--clear-groups", "git", "rev-parse", "HEAD", LC_ALL="C")
    problem = explain(done.stderr.decode(), ("rev-parse",))
    assert "does not trust" in problem.message
    assert f"safe.directory '{repo.path}'" in problem.hint


def test_variables_of_our_own_repository_are_kept(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, light: bool
) -> None:
    repo.commit("First", {"a": "1\n"})
    (repo.path / "work").mkdir()
    (repo.path / "work" / "b").write_text("2\n")
    monkeypatch.chdir(repo.path.parent)
    monkeypatch.setenv("GIT_DIR", "repo/.git")
    monkeypatch.setenv("GIT_WORK_TREE", "repo/work")
    monkeypatch.setenv("GIT_INDEX_FILE", "repo/.git/index")
    git = open_git(light=light)
    assert git.top() == repo.path / "work"
    assert git.text("diff-index", "--name-only", "HEAD", "--") == "a"


def test_hook_in_a_worktree_and_in_a_submodule(repo: Repo, make_repo: object, tmp_path: Path) -> None:
    """git gives such hooks an absolute GIT_DIR and GIT_INDEX_FILE; another repository is not misled."""
    other: Repo = make_repo("other")  # type: ignore[operator]
    other.commit("In the other", {"x": "1\n"})
    repo.commit("First", {"a": "1\n"})
    repo.git("worktree", "add", "-q", "../linked")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.path), "sub")
    code = (
        "import os, sys; from gitnotes.read.git import open_git; from gitnotes.read.diff import read_staged\n"
        "assert 'GIT_DIR' in os.environ\n"
        "for light in (True, False):\n"
        f"    own, foreign = open_git(light=light), open_git({str(other.path)!r}, light=light)\n"
        "    print(*[file.path for file in read_staged(own).files], own.text('log', '-1', '--format=%s'),\n"
        "        len(read_staged(foreign).files), foreign.text('log', '-1', '--format=%s'), sep='|')\n"
    )
    hook = tmp_path / "hooks" / "pre-commit"
    hook.parent.mkdir()
    hook.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{code}" >&2\n')
    hook.chmod(0o755)
    for place, last in (("../linked", "First"), ("sub", "In the other")):
        inside = Repo(repo.path / place)
        inside.git("config", "core.hooksPath", str(hook.parent))
        inside.write("new file", "1\n")
        done = inside.run("git", "commit", "-q", "-m", "In the hook")
        assert done.returncode == 0, done.stderr
        assert done.stderr.decode().splitlines() == [f"new file|{last}|0|In the other"] * 2


def _break_index(repo: Repo) -> None:
    (repo.path / ".git" / "index").write_bytes(b"garbage")


def _drop_blob(repo: Repo) -> None:
    _object(repo, "HEAD:a").unlink()


def _damage_blob(repo: Repo) -> None:
    path = _object(repo, "HEAD:a")
    path.chmod(0o644)
    path.write_bytes(b"xxxxxxxxxxxxx")


def _drop_tree(repo: Repo) -> None:
    _object(repo, "HEAD^{tree}").unlink()


def _drop_commit(repo: Repo) -> None:
    _object(repo, "HEAD").unlink()


def _break_config(repo: Repo) -> None:
    with (repo.path / ".git" / "config").open("a") as file:
        file.write("[x\n")


def _need_newer_git(repo: Repo) -> None:
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.somethingNew", "true")


def _object(repo: Repo, name: str) -> Path:
    identity = repo.git("rev-parse", name)
    return repo.path / ".git" / "objects" / identity[:2] / identity[2:]


@pytest.mark.parametrize(
    ("damage", "sentence", "hint"),
    [
        (_break_index, "index of this repository is damaged", "git reset"),
        (_drop_blob, "missing from this repository", "git fsck"),
        (_damage_blob, "damaged", "git fsck"),
        (_drop_tree, "missing from this repository", "git fsck"),
        (_drop_commit, "missing from this repository", "git fsck"),
        (_break_config, "cannot read its own configuration: bad config line", "--show-origin"),
        (_need_newer_git, "needs a newer git", "Update git"),
    ],
)
def test_damage_is_told_in_a_sentence_with_the_next_step(
    repo: Repo, light: bool, damage: Callable[[Repo], None], sentence: str, hint: str
) -> None:
    repo.commit("First", {"a": "1\n", "b": "2\n"})
    repo.write("a", "changed\n")
    damage(repo)
    with pytest.raises(GitError, match=sentence) as caught:
        read_staged(open_git(light=light))
    assert hint in caught.value.hint
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("complaint", "kind", "sentence"),
    [
        ("fatal: Unable to create '/r/.git/index.lock': File exists.", GitError, "Another git is at work"),
        ("error: unable to write file: No space left on device", GitError, "disk is full"),
        ("fatal: detected dubious ownership in repository at '/a\x1b[31m'", GitError, "does not trust"),
        ("fatal: this operation must be run in a work tree", BareRepository, "bare"),
        ("fatal: ambiguous argument 'x': unknown revision or path", UnknownRevision, "does not know"),
        ("fatal: your current branch 'main' does not have any commits yet", CannotJudge, "no commits yet"),
        ("error: something\x1b[2J new", GitError, r"git says: error: something\^\[\[2J new"),
        ("", GitError, "git says: git diff-index failed"),
    ],
)
def test_complaints(complaint: str, kind: type[GitError], sentence: str) -> None:
    problem = explain(complaint, ("-c", "a=b", "diff-index", "HEAD"))
    assert type(problem) is kind
    assert re.search(sentence, problem.message)
    assert problem.hint
    assert "\x1b" not in str(problem)


def test_a_locked_index_does_not_stop_reading(repo: Repo) -> None:
    repo.commit("First", {"a": "1\n"})
    repo.write("a", "2\n")
    (repo.path / ".git" / "index.lock").write_text("")
    assert [file.path for file in read_staged(open_git()).files] == ["a"]
    assert [file.path for file in read_work_tree(open_git()).files] == ["a"]


def test_a_git_that_complains_at_length_does_not_stall(repo: Repo, light: bool) -> None:
    repo.git("config", "alias.talk", "!head -c 3000000 /dev/zero | tr '\\0' x >&2; echo done; exit 1")
    stream = open_git(light=light).stream("talk")
    assert next(stream) == b"done\n"
    with pytest.raises(GitError):
        next(stream)


HOSTILE = [
    "--output=owned",
    "--patch-with-raw",
    "--help",
    "; touch owned",
    "$(touch owned)",
    "HEAD --output=owned",
    "@{-1}",
]


@pytest.mark.parametrize("revision", HOSTILE)
def test_every_command_is_a_list_and_names_come_after_the_options(
    repo: Repo, revision: str, monkeypatch: pytest.MonkeyPatch, light: bool
) -> None:
    import git as gitpython

    repo.commit("First", {"a": "1\n", "bin": b"\0"})
    repo.write("a", "2\n")
    started: list[list[str]] = []

    class Recorder(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, command: object, *rest: object, **options: object) -> None:
            assert not options.get("shell")
            assert isinstance(command, list)
            started.append(command)
            super().__init__(command, *rest, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", Recorder)
    monkeypatch.setattr(gitpython.cmd, "safer_popen", Recorder)
    asked = open_git(light=light)
    with pytest.raises(UnknownRevision):
        read_commit(asked, revision)
    read_commit(asked, "HEAD")
    read_staged(asked)
    read_staged(asked, amend=True)
    read_work_tree(asked)
    assert len(started) > 8
    for command in started:
        assert command[0] == "git"
        for position, word in enumerate(command):
            if revision in word:
                assert "--end-of-options" in command[:position]
        if {"diff-index", "diff-tree", "rev-list"} & set(command):
            assert command[-1] == "--"
            assert "--end-of-options" in command
    assert not (repo.path / "owned").exists()


def test_configuration_that_git_cannot_read(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    broken.write_text("[nonsense\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(broken))
    # GitPython asks for the version of git when it is imported, so a fresh process is needed.
    done = subprocess.run(
        [sys.executable, "-m", "gitnotes", "suggest"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert "bad config line 1" in done.stderr and done.stderr.count("\n") == 1


def test_interrupt_that_git_heard_first(repo: Repo) -> None:
    repo.commit("First", {"a": "1"})
    repo.git("config", "alias.die", "!kill -INT $PPID; sleep 0.5")
    with pytest.raises(KeyboardInterrupt):
        open_git(light=True).run("die")
