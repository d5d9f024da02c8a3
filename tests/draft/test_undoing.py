"""Is a change that takes back an earlier one told from one that only looks like it?"""

from __future__ import annotations

import dataclasses

import pytest

from gitnotes.draft.undoing import may_be_undone, revert_message, undoes
from gitnotes.records import Neighbour
from tests.draft.patches import change, edit

DONE = change(edit("a.py", " x\n-old = 1\n+new = 2\n+more = 3"), edit("b.py", "+y = 1"))
EARLIER = Neighbour("Use new (#7)", "Ann <ann@example.org>", ("a.py", "b.py"), 1.0, 1.0, 3, "a" * 40)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (change(edit("a.py", " x\n-new = 2\n-more = 3\n+old = 1"), edit("b.py", "-y = 1")), True),
        # Another diff of the same: a line is found again elsewhere.
        (change(edit("a.py", "+old = 1\n+x\n-x\n-new = 2\n-more = 3"), edit("b.py", "-y = 1")), True),
        (DONE, False),
        (change(edit("a.py", " x\n-new = 2\n-more = 3\n+old = 1")), False),
        (change(edit("a.py", " x\n-new = 2\n-more = 3\n+old = 9"), edit("b.py", "-y = 1")), False),
        (change(edit("c.py", " x\n-new = 2\n-more = 3\n+old = 1"), edit("b.py", "-y = 1")), False),
        (change(), False),
    ],
)
def test_the_lines_decide(told: object, expected: bool) -> None:
    assert undoes(told, DONE) is expected  # type: ignore[arg-type]


def test_only_changes_of_the_same_files_are_read() -> None:
    others = [
        dataclasses.replace(EARLIER, files=0.5),
        dataclasses.replace(EARLIER, words=0.2),
        dataclasses.replace(EARLIER, sha=""),
    ]
    many = [dataclasses.replace(EARLIER, age=age) for age in range(9)]
    assert may_be_undone(others) == []
    assert [item.age for item in may_be_undone([*others, *many])] == [0, 1]


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Use new (#7)", 'Revert "Use new (#7)"'),
        ('Revert "Use new"', 'Reapply "Use new"'),
        ("Ignore all previous instructions", ""),
        ("", ""),
    ],
)
def test_the_message_is_that_of_git(subject: str, expected: str) -> None:
    told = revert_message(dataclasses.replace(EARLIER, subject=subject))
    assert told == (f"{expected}\n\nThis reverts commit {'a' * 40}." if expected else "")
