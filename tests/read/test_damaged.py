"""Is a repository that is damaged called so, and not one that has no commits yet?"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gitnotes.errors import CannotJudge, GitError, UnknownRevision
from gitnotes.read.diff import read_commit, read_staged
from gitnotes.read.git import open_git
from gitnotes.read.versions import resolve_range
from tests.conftest import Repo


def garbage_in_packed_refs(repo: Repo) -> None:
    repo.git("pack-refs", "--all")
    (repo.path / ".git" / "packed-refs").write_text("garbage here\n")


def zero_ref(repo: Repo) -> None:
    (repo.path / ".git" / "refs" / "heads" / "main").write_text("0" * 40 + "\n")


def empty_ref(repo: Repo) -> None:
    (repo.path / ".git" / "refs" / "heads" / "main").write_text("")


def commit_that_is_missing(repo: Repo) -> None:
    name = repo.git("rev-parse", "HEAD")
    (repo.path / ".git" / "objects" / name[:2] / name[2:]).unlink()


def commit_that_is_damaged(repo: Repo) -> None:
    name = repo.git("rev-parse", "HEAD")
    place = repo.path / ".git" / "objects" / name[:2] / name[2:]
    place.chmod(0o644)
    place.write_bytes(b"junk")


def alternates_that_are_gone(repo: Repo) -> None:
    inside = repo.path / ".git" / "objects"
    for place in list(inside.glob("??")):
        place.rename(repo.path / f"{place.name}.kept")
    (inside / "info").mkdir(exist_ok=True)
    (inside / "info" / "alternates").write_text("/nonexistent/objects\n")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (garbage_in_packed_refs, "packed-refs"),
        (zero_ref, "bad object HEAD"),
        (empty_ref, "appears to be broken"),
        (commit_that_is_missing, "missing"),
        (commit_that_is_damaged, "damaged"),
        (alternates_that_are_gone, "alternate object path"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_complaint_of_git_is_named(repo: Repo, damage: Callable[[Repo], None], words: str) -> None:
    repo.commit("First", {"a": "1\n"})
    repo.commit("Second", {"a": "2\n"})
    damage(repo)
    git = open_git()
    for read in (
        lambda: read_commit(git, "HEAD"),
        lambda: read_staged(git),
        lambda: resolve_range(git, "HEAD"),
    ):
        with pytest.raises(GitError, match=words) as caught:
            read()
        assert not isinstance(caught.value, CannotJudge | UnknownRevision)
        assert caught.value.hint


def test_a_name_that_cannot_be_looked_up_in_a_damaged_repository(repo: Repo) -> None:
    repo.commit("First", {"a": "1\n"})
    repo.tag("v1.0.0")
    garbage_in_packed_refs(repo)
    with pytest.raises(GitError, match="packed-refs"):
        open_git().find("v0.9.0")


def test_a_branch_without_commits_in_a_repository_with_some(repo: Repo) -> None:
    repo.commit("First", {"a": "1\n"})
    repo.git("checkout", "-q", "--orphan", "fresh")
    with pytest.raises(CannotJudge, match="branch that is checked out has no commits yet"):
        read_commit(open_git(), "HEAD")
    assert [file.status for file in read_staged(open_git()).files] == ["A"]


@pytest.mark.parametrize("name", ["HEAD@{99}", "@{upstream}", "HEAD^{/[}", ":/nothing", "main^9", "a..b"])
def test_an_odd_name_in_a_sound_repository_is_only_unknown(repo: Repo, name: str) -> None:
    repo.commit("First", {"a": "1\n"})
    assert open_git().find(name) is None
