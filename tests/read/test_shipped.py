from __future__ import annotations

import dataclasses

import pytest

from gitnotes.read.git import open_git
from gitnotes.read.history import read_range
from gitnotes.read.shipped import find_shipped
from gitnotes.read.versions import resolve_range
from tests.conftest import Repo

BASE = {"a.py": "one = 1\n", "b.py": "two = 2\n"}


def shipped(versions: str) -> dict[str, str]:
    """Subject to release, for the commits of the range that were in one."""
    git = open_git()
    span = resolve_range(git, versions)
    tree = read_range(git, span.start_sha, span.end_sha, files=True, name=span.end)
    tree = dataclasses.replace(tree, start=span.start)
    found = find_shipped(git, span, tree)
    subject_of = {commit.sha: commit.subject for commit in tree.commits}
    return {subject_of[sha]: name for sha, name in found.items()}


def tag(repo: Repo, name: str) -> None:
    repo.clock += 60
    repo.git("tag", name, GIT_COMMITTER_DATE=f"{repo.clock} +0000")


def pick(repo: Repo, sha: str, *options: str) -> None:
    repo.clock += 60
    repo.git("cherry-pick", *options, sha)


@pytest.fixture
def two_lines(repo: Repo) -> Repo:
    """v1.0.0 on main, and a branch `rel` for its maintenance; main is checked out."""
    repo.commit("Begin", BASE)
    tag(repo, "v1.0.0")
    repo.git("branch", "rel")
    return repo


@pytest.mark.parametrize("options", [("-x",), ()])
def test_a_fix_of_the_maintenance_branch_that_was_picked(two_lines: Repo, options: tuple[str, ...]) -> None:
    repo = two_lines
    repo.switch("rel")
    fix = repo.commit("Fix one", {"a.py": "one = 11\n"})
    tag(repo, "v1.0.1")
    repo.switch("main")
    repo.commit("Add three", {"c.py": "three = 3\n"})
    pick(repo, fix, *options)
    tag(repo, "v1.1.0")
    assert shipped("v1.0.0..v1.1.0") == {"Fix one": "v1.0.1"}
    # The start is no ancestor here.
    assert shipped("v1.0.1..v1.1.0") == {"Fix one": "v1.0.1"}
    assert shipped("v1.1.0") == {"Fix one": "v1.0.1"}


def test_a_fix_of_main_that_was_backported(two_lines: Repo) -> None:
    repo = two_lines
    fix = repo.commit("Fix one", {"a.py": "one = 11\n"})
    repo.commit("Fix two", {"b.py": "two = 22\n"})
    repo.switch("rel")
    repo.commit("Widen", {"a.py": "zero = 0\n\n\n\none = 1\n"})
    # Adapted by hand, so that only the line tells.
    repo.commit(f"Fix one for 1.0\n\n(cherry picked from commit {fix})", {"a.py": "zero = 0\none = 12\n"})
    tag(repo, "v1.0.1")
    repo.switch("main")
    repo.commit("Release 1.1.0")
    tag(repo, "v1.1.0")
    assert shipped("v1.0.0..v1.1.0") == {"Fix one": "v1.0.1"}


def test_an_adapted_patch_with_the_same_pull_request(two_lines: Repo) -> None:
    repo = two_lines
    repo.switch("rel")
    repo.commit("Fix one (#7)", {"a.py": "one = 12\n"})
    repo.commit("Fix two (#8)", {"b.py": "two = 23\n"})
    tag(repo, "v1.0.1")
    repo.switch("main")
    repo.commit("Fix one (#7)", {"a.py": "one = 11\n"})
    repo.commit("Fix two (#9)", {"b.py": "two = 22\n"})
    tag(repo, "v1.1.0")
    assert shipped("v1.0.0..v1.1.0") == {"Fix one (#7)": "v1.0.1"}


def test_the_first_release_is_named(two_lines: Repo) -> None:
    repo = two_lines
    repo.switch("rel")
    fix = repo.commit("Fix one", {"a.py": "one = 11\n"})
    tag(repo, "v1.0.9")
    repo.commit("Fix two", {"b.py": "two = 22\n"})
    tag(repo, "v1.0.10")
    repo.switch("main")
    pick(repo, fix)
    pick(repo, "rel")
    tag(repo, "v1.1.0")
    assert shipped("v1.0.0..v1.1.0") == {"Fix one": "v1.0.9", "Fix two": "v1.0.10"}


def test_later_releases_and_those_of_other_packages_do_not_count(two_lines: Repo) -> None:
    repo = two_lines
    fix = repo.commit("Fix one", {"a.py": "one = 11\n"})
    repo.switch("rel")
    pick(repo, fix, "-x")
    tag(repo, "other-v1.0.1")
    repo.switch("main")
    tag(repo, "v1.1.0")
    repo.switch("rel")
    repo.commit("Go on")
    tag(repo, "v1.0.1")
    tag(repo, "v1.2.0")
    assert shipped("v1.0.0..v1.1.0") == {}
    # Who starts from it has it, whenever it came out.
    assert shipped("v1.0.1..v1.1.0") == {"Fix one": "v1.0.1"}


def test_a_line_alone_proves_no_release(two_lines: Repo) -> None:
    repo = two_lines
    repo.commit(f"Fix one\n\n(cherry picked from commit {'ab' * 20})", {"a.py": "one = 11\n"})
    repo.switch("rel")
    repo.commit("Fix two", {"b.py": "two = 22\n"})
    tag(repo, "v1.0.1")
    repo.switch("main")
    tag(repo, "v1.1.0")
    assert shipped("v1.0.0..v1.1.0") == {}
