"""What git draws, and what we draw ourselves, is read back with the same parents in the same order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitnotes.errors import UsageError
from gitnotes.read.drawn_tree import read_tree_text
from gitnotes.read.git import open_git
from gitnotes.read.history import read_range
from gitnotes.read.tree_text import tree_text
from gitnotes.records import Commit, CommitTree
from tests.conftest import Repo


def test_lanes_that_cross_and_a_merge_of_three(repo: Repo) -> None:
    for name, start in (("one", "main"), ("two", "main"), ("three", "main")):
        if name == "one":
            repo.commit("Root")
        repo.switch(start)
        repo.branch(name)
        repo.commit(f"First of {name}")
        repo.commit(f"Second of {name}")
    repo.switch("main")
    repo.commit("Main goes on")
    repo.merge("one", "Merge one")
    repo.git("merge", "--quiet", "--no-ff", "-m", "Merge the rest", "two", "three")
    repo.commit("Last")
    tree = read_range(open_git(repo.path), None, "HEAD")
    assert any(len(commit.parents) == 3 for commit in tree.commits)
    drawn = repo.git("log", "--graph", "--oneline", "--no-abbrev-commit", "--no-decorate")
    found = read_tree_text(drawn)
    assert [(commit.sha, commit.parents, commit.subject) for commit in found.commits] == [
        (commit.sha, commit.parents, commit.subject) for commit in tree.commits
    ]


@st.composite
def trees(draw: st.DrawFn) -> CommitTree:
    """Commits newest first; each but the last has one or two parents among the older ones."""
    size = draw(st.integers(1, 14))
    commits = []
    for number in range(size):
        older = list(range(number + 1, size))
        parents = draw(st.lists(st.sampled_from(older), min_size=1, max_size=2, unique=True)) if older else []
        ids = tuple(f"{parent:08x}" for parent in parents)
        commits.append(Commit(f"{number:08x}", ids, "", "", 0, f"Change {number}", ""))
    return CommitTree(None, "HEAD", tuple(commits))


@settings(max_examples=300, deadline=None)
@given(trees())
def test_what_was_drawn_is_read_back(tree: CommitTree) -> None:
    assert read_tree_text(tree_text(tree)) == tree


def test_lines_without_trailing_blanks_and_broken_subjects() -> None:
    text = (
        "*   aaaaaaa Merge it\r\n|\\\r\n| * bbbbbbb Add <b> | and * signs\n"
        "* | ccccccc A subject\nthat goes on\n|/\n* ddddddd"
    )
    found = read_tree_text(text)
    assert [commit.parents for commit in found.commits] == [
        ("ccccccc", "bbbbbbb"),
        ("ddddddd",),
        ("ddddddd",),
        (),
    ]
    assert [commit.subject for commit in found.commits] == [
        "Merge it",
        "Add <b> | and * signs",
        "A subject that goes on",
        "",
    ]


def test_a_merge_of_which_one_side_is_not_drawn_stays_a_merge() -> None:
    found = read_tree_text("* aaaaaaa Merge pull request #1 from ada/topic\n* bbbbbbb Merge sort")
    assert [commit.is_merge for commit in found.commits] == [True, False]
    assert found.commits[0].parents == ("bbbbbbb", "")


def test_text_without_commits_is_refused() -> None:
    with pytest.raises(UsageError, match="no commit"):
        read_tree_text("* not an id\n|\\\n")
