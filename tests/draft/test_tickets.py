"""Is the issue of a branch found, and named as the repository names its issues?"""

from __future__ import annotations

import pytest

from gitnotes.draft.tickets import add_ticket, ticket_form, ticket_of_branch


@pytest.mark.parametrize(
    ("subjects", "form"),
    [
        (["ABC-1: add a", "ABC-2: add b", "ABC-30: add c", "Fix d"], "{}: "),
        (["[ABC-1] add a", "[ABC-2] add b", "[ABC-3]: add c", "[ABC-4] add d"], "[{}] "),
        (["#1 add a", "#2 add b", "#3 add c"], "{} "),
        (["ABC-1: add a", "ABC-2: add b"], ""),
        (["ABC-1: add a", "ABC-2: b", "ABC-3: c", "d", "e", "f", "g"], ""),
        (["UTF-8: add a"] * 5, ""),
        ([], ""),
    ],
)
def test_form(subjects: list[str], form: str) -> None:
    assert ticket_form(subjects) == form


@pytest.mark.parametrize(
    ("branch", "key", "ticket"),
    [
        ("feature/ABC-123-retry", "ABC", "ABC-123"),
        ("abc-123", "ABC", "ABC-123"),
        ("abc_77_x", "ABC", "ABC-77"),
        ("XABC-1", "ABC", ""),
        ("main", "ABC", ""),
        ("123-retry", "#", "#123"),
        ("fix/issue-42", "#", "#42"),
        ("gh-9/x", "#", "#9"),
        ("v2fix", "#", ""),
        ("feature/$(touch x)-ABC-5", "ABC", "ABC-5"),
    ],
)
def test_branch(branch: str, key: str, ticket: str) -> None:
    assert ticket_of_branch(branch, key) == ticket


def test_added_once_and_only_where_it_fits() -> None:
    assert add_ticket("Add retry\n\nBody", "{}: ", "ABC-1") == "ABC-1: Add retry\n\nBody"
    assert add_ticket("ABC-1: Add retry", "{}: ", "ABC-1") == "ABC-1: Add retry"
    assert add_ticket("Add retry (ABC-1)", "[{}] ", "ABC-1") == "Add retry (ABC-1)"
    assert add_ticket("x" * 70, "{}: ", "ABC-1") == "x" * 70
