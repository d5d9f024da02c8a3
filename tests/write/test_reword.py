"""Does applying a plan change messages, and nothing else, whatever the history looks like?"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from gitnotes.errors import InputError, UsageError
from gitnotes.read.git import open_git
from gitnotes.read.history import read_range
from gitnotes.write.reword import BACKUP, Plan, plan_rewording, write_plan, write_todo
from tests.conftest import Repo

HOSTILE = "New {}\n\n$(touch pwned) `touch pwned`\n\n\n# not a comment  \nexec touch pwned\n"


def build(repo: Repo) -> None:
    """Two roots, a merge whose conflict was resolved by hand, one of three branches, an empty commit."""
    repo.commit("root", {"a": "1\n2\n3\n"})
    repo.commit("second", {"b": "1\n"})
    repo.branch("side")
    repo.commit("side one", {"a": "1\nside\n3\n"}, "--author=Grace <grace@example.org>")
    repo.commit("side two", {"c": "1\n"})
    repo.switch("main")
    repo.commit("main one", {"a": "1\nmain\n3\n"})
    repo.git("merge", "--quiet", "side", check=False)
    repo.commit("Merge branch 'side'\n\n# kept as it is", {"a": "1\nboth\n3\n", "evil": "by hand\n"})
    repo.commit("empty")
    for name in ("left", "right"):
        repo.git("checkout", "--quiet", "-b", name, ":/^root")
        repo.commit(name, {name: "1\n"})
    repo.switch("main")
    repo.git("merge", "--quiet", "--no-edit", "-m", "octopus", "left", "right")
    repo.git("checkout", "--quiet", "--orphan", "island")
    repo.git("rm", "--quiet", "-rf", ".")
    repo.commit("other root", {"d": "1\n"})
    repo.switch("main")
    repo.git("merge", "--quiet", "--allow-unrelated-histories", "-m", "join", "island")
    repo.commit("last", {"e": "1\n"})


def shape(repo: Repo, revision: str) -> str:
    """Trees, authors and parents of every commit, whatever its message and committer: one for the graph."""
    known: dict[str, str] = {}
    log = repo.git("log", "--topo-order", "--reverse", "--format=%H|%P|%T %an %ae %ad", revision)
    for line in log.split("\n"):
        sha, parents, rest = line.split("|", 2)
        text = " ".join([*(known[parent] for parent in parents.split()), rest])
        known[sha] = hashlib.sha256(text.encode()).hexdigest()
    return known[repo.git("rev-parse", revision)]


def messages(repo: Repo, revision: str = "HEAD") -> dict[str, str]:
    """Subject to the whole message as it is stored."""
    raw = repo.run("git", "log", "-z", "--topo-order", "--format=%B", revision).stdout.decode()
    return {text.partition("\n")[0]: text for text in raw.split("\0") if text}


def apply(repo: Repo, folder: Path, subjects: list[str]) -> str:
    """Writes a plan for the commits with those subjects and runs its command; the old tip."""
    git = open_git(repo.path)
    old = git.resolve("HEAD")
    commits = read_range(git, None, old).commits
    texts = {item.sha: HOSTILE.format(item.subject) for item in commits if item.subject in subjects}
    assert len(texts) == len(subjects)
    plan = plan_rewording(commits, texts)
    command = write_plan(folder, plan, texts, top=git.top(), old=old)
    assert command in (folder / "README").read_text()
    assert shape(repo, "HEAD") == shape(repo, old) and repo.git("rev-parse", "HEAD") == old
    repo.clock += 5000
    done = repo.run("sh", "-c", command)
    assert done.returncode == 0, done.stderr.decode()
    return old


ALL = ["root", "second", "side one", "side two", "main one", "Merge branch 'side'", "empty", "left", "right"]
ALL += ["octopus", "other root", "join", "last"]


@pytest.mark.parametrize(
    "subjects", [ALL, ["root"], ["join"], ["octopus"], ["other root"], ["side two", "right"]]
)
def test_only_messages_change(repo: Repo, tmp_path: Path, subjects: list[str]) -> None:
    build(repo)
    before = messages(repo)
    old = apply(repo, tmp_path / "plan", subjects)
    assert repo.git("diff", old, "HEAD") == "" == repo.git("status", "--porcelain")
    assert shape(repo, "HEAD") == shape(repo, old)
    assert repo.git("branch", "--show-current") == "main"
    after = messages(repo)
    for subject, text in before.items():
        if subject in subjects:
            assert after[f"New {subject}"] == HOSTILE.format(subject)
        else:
            assert after[subject] == text
    assert not list(repo.path.rglob("pwned"))
    assert repo.git("rev-parse", BACKUP) == old


def test_commits_before_the_first_new_message_keep_their_names(repo: Repo, tmp_path: Path) -> None:
    build(repo)
    join = repo.git("rev-parse", "HEAD^")
    apply(repo, tmp_path / "plan", ["last"])
    assert repo.git("rev-parse", "HEAD^") == join


def test_undo(repo: Repo, tmp_path: Path) -> None:
    build(repo)
    old = apply(repo, tmp_path / "plan", ["second"])
    lines = (tmp_path / "plan" / "README").read_text().split("\n")
    (undo,) = [line for line in lines if " reset " in line]
    assert repo.git("rev-parse", "HEAD") != old
    assert repo.run(*shlex.split(undo)).returncode == 0
    assert repo.git("rev-parse", "HEAD") == old


def test_names_of_folders(make_repo: Callable[..., Repo], tmp_path: Path) -> None:
    name = """-it's "a" ü; touch pwned $(touch pwned)"""
    repo = make_repo(f"repo {name}")
    build(repo)
    old = apply(repo, tmp_path / name, ["second", "last"])
    assert shape(repo, "HEAD") == shape(repo, old)
    assert not list(tmp_path.rglob("pwned"))


def test_sha256(make_repo: Callable[..., Repo], tmp_path: Path) -> None:
    repo = make_repo("repo", "--object-format=sha256")
    build(repo)
    old = apply(repo, tmp_path / "plan", ALL)
    assert len(old) == 64 and shape(repo, "HEAD") == shape(repo, old)


def test_worktree_and_submodule(repo: Repo, make_repo: Callable[..., Repo], tmp_path: Path) -> None:
    inner = make_repo("inner")
    inner.commit("inside", {"x": "1\n"})
    repo.commit("start", {"a": "1\n"})
    allow = ("-c", "protocol.file.allow=always")
    repo.git(*allow, "submodule", "--quiet", "add", str(inner.path), "lib")
    repo.commit("add lib")
    repo.commit("after", {"a": "2\n"})
    repo.git("worktree", "add", "--quiet", "-b", "tree", str(tmp_path / "other tree"))
    other = Repo(tmp_path / "other tree")
    other.git(*allow, "submodule", "--quiet", "update", "--init")
    old = apply(other, tmp_path / "plan", ["add lib", "after"])
    assert shape(other, "HEAD") == shape(other, old)
    assert other.git("status", "--porcelain") == ""
    assert repo.git("rev-parse", "main") == old


def test_settings_of_the_user(repo: Repo, tmp_path: Path) -> None:
    build(repo)
    for setting in (
        ("commit.cleanup", "strip"),
        ("commit.verbose", "true"),
        ("core.commentChar", "N"),
        ("i18n.commitEncoding", "ISO-8859-1"),
        ("rebase.abbreviateCommands", "true"),
        ("rebase.autoSquash", "true"),
        ("rebase.missingCommitsCheck", "error"),
        ("rebase.updateRefs", "true"),
    ):
        repo.git("config", *setting)
    old = apply(repo, tmp_path / "plan", ["second", "left"])
    assert shape(repo, "HEAD") == shape(repo, old)
    after = messages(repo)
    assert after["New second"] == HOSTILE.format("second")
    assert after["Merge branch 'side'"] == "Merge branch 'side'\n\n# kept as it is\n"


def test_hooks_do_not_run(repo: Repo, tmp_path: Path) -> None:
    build(repo)
    for name in ("prepare-commit-msg", "commit-msg", "pre-commit", "pre-rebase", "post-checkout"):
        hook = repo.path / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text('#!/bin/sh\necho HOOKED >>"$1"\nexit 1\n')
        hook.chmod(0o755)
    old = apply(repo, tmp_path / "plan", ["second"])
    assert shape(repo, "HEAD") == shape(repo, old)
    assert not any("HOOKED" in text for text in messages(repo).values())


def test_what_needs_no_shell_flags_works_without_them(repo: Repo, tmp_path: Path) -> None:
    """The todo does its work under the shortest command that a person would type, too."""
    build(repo)
    git = open_git(repo.path)
    old = git.resolve("HEAD")
    commits = read_range(git, None, old).commits
    texts = {item.sha: "New text\n" for item in commits if item.subject == "second"}
    plan = plan_rewording(commits, texts)
    write_plan(tmp_path / "plan", plan, texts, top=git.top(), old=old)
    editor = f"cp {tmp_path}/plan/todo"
    done = repo.run("git", "rebase", "-i", "--rebase-merges", plan.base, GIT_SEQUENCE_EDITOR=editor)
    assert done.returncode == 0, done.stderr
    assert shape(repo, "HEAD") == shape(repo, old)
    assert "New text" in messages(repo)


def test_folder_that_is_not_empty(repo: Repo, tmp_path: Path) -> None:
    sha = repo.commit("one", {"a": "1\n"})
    git = open_git(repo.path)
    plan = plan_rewording(read_range(git, None, sha).commits, {sha: "Two"})
    with pytest.raises(InputError, match="not empty"):
        write_plan(repo.path, plan, {sha: "Two"}, top=repo.path, old=sha)
    with pytest.raises(UsageError, match="line break"):
        write_plan(tmp_path / "a\nb", plan, {sha: "Two"}, top=repo.path, old=sha)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError):
        write_plan(tmp_path / "file", plan, {sha: "Two"}, top=repo.path, old=sha)


def test_nothing_to_do(repo: Repo) -> None:
    sha = repo.commit("one", {"a": "1\n"})
    with pytest.raises(UsageError, match="no better message"):
        plan_rewording(read_range(open_git(repo.path), None, sha).commits, {})


def test_subject_cannot_leave_its_line(repo: Repo) -> None:
    sha = repo.commit("one\x0bexec touch pwned \x1b[31m", {"a": "1\n"})
    last = repo.commit("two\x0cexec touch pwned", {"a": "2\n"})
    commits = read_range(open_git(repo.path), None, last).commits
    todo = write_todo(plan_rewording(commits, {last: "x"}), {last: "/x"}, last)
    assert len(todo.splitlines()) == 3 and "\x1b" not in todo
    assert plan_rewording(commits, {sha: "x"}) == Plan(commits[::-1], sha)
