"""The drawing of git itself is the expectation: its lines are compared, commit by commit."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitnotes.read.git import open_git
from gitnotes.read.history import read_range
from gitnotes.read.tree_text import tree_lines, tree_text
from gitnotes.records import Commit, CommitTree
from tests.conftest import START, Repo


def commit(sha: str, *parents: str) -> Commit:
    return Commit(sha, parents, "Ada", "ada@example.org", 0, f"Subject {sha}", "")


def import_history(repo: Repo, parents: list[list[int]], name: str = "made") -> None:
    """Commits by number, oldest first; the last one merges every head, so that all are drawn."""
    stream: list[str] = []
    for number, sources in enumerate(parents):
        stream += [
            f"commit refs/heads/{name}-{number}",
            f"mark :{number + 1}",
            f"committer A <a@example.org> {START + number * 60} +0000",
            "data <<END",
            f"Change {number}",
            "END",
            *(f"{'merge' if at else 'from'} :{source + 1}" for at, source in enumerate(sources)),
            "",
        ]
    done = repo.run("git", "fast-import", "--quiet", "--force", input="\n".join(stream).encode())
    assert done.returncode == 0, done.stderr


def drawn_by_git(repo: Repo, *revisions: str) -> list[str]:
    done = repo.run(
        "git", "log", "--graph", "--oneline", "--no-decorate", "--abbrev=8", "--no-color", *revisions, "--"
    )
    return done.stdout.decode().removesuffix("\n").split("\n")


def check(repo: Repo, start: str | None, end: str) -> None:
    tree = read_range(open_git(repo.path), start, end)
    expected = drawn_by_git(repo, *([f"^{start}"] if start else []), end)
    assert list(tree_lines(tree)) == expected


def test_the_look() -> None:
    tree = CommitTree(
        None,
        "HEAD",
        (
            commit("aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc"),
            commit("cccccccccc", "dddddddddd"),
            commit("bbbbbbbbbb", "dddddddddd"),
            commit("dddddddddd"),
        ),
    )
    assert tree_text(tree, abbreviate=4) == (
        "*   aaaa Subject aaaaaaaaaa\n"
        "|\\  \n"
        "| * cccc Subject cccccccccc\n"
        "* | bbbb Subject bbbbbbbbbb\n"
        "|/  \n"
        "* dddd Subject dddddddddd"
    )
    assert tree_text(CommitTree(None, "HEAD", ())) == ""


@pytest.mark.parametrize("seed", range(12))
def test_random_histories_look_as_git_draws_them(repo: Repo, seed: int) -> None:
    dice = random.Random(seed)
    parents: list[list[int]] = [[]]
    for number in range(1, 60):
        reach = list(range(max(0, number - dice.choice((2, 5, 12))), number))
        wanted = dice.choice((1, 1, 1, 2, 2, 3, 5)) if dice.random() > 0.03 else 0
        parents.append(dice.sample(reach, min(wanted, len(reach))))
    heads = sorted(set(range(60)) - {source for sources in parents for source in sources})
    parents.append(heads)
    import_history(repo, parents)
    check(repo, None, "made-60")
    check(repo, "made-20", "made-60")
    check(repo, "made-41", "made-59")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_small_histories_look_as_git_draws_them(repo: Repo, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 14))
    parents = [
        data.draw(st.lists(st.integers(0, number - 1), max_size=4, unique=True)) if number else []
        for number in range(size)
    ]
    heads = sorted(set(range(size)) - {source for sources in parents for source in sources})
    import_history(repo, [*parents, heads])
    check(repo, None, f"made-{size}")
