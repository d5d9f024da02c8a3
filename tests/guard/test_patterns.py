"""Does a search that lowers its text find what one that folds every letter finds?"""

from __future__ import annotations

import inspect
import re

import pytest

from gitnotes.grade import phrases, why
from gitnotes.guard.patterns import late, late_words

SEARCHES = {
    name: search
    for module in (phrases, why)
    for name, search in vars(module).items()
    if getattr(search, "__qualname__", "").startswith("late_words.")
}


def test_words_are_found_in_any_case() -> None:
    search = late_words(r"\bfix(?:es)? (?!it)\w+")
    found = search("It FIXES It, and Fixes That")
    assert found is not None
    assert found.span() == (17, 27)
    assert search("prefixes that") is None


def test_letters_beyond_ascii_fold_as_the_module_folds_them() -> None:
    search = late_words("\\b(?:prüfer|kind)s?")
    for text in ("Der PRÜFER", "der prüferſ", "a \u212aIND"):
        found, known = search(text), late("\\b(?:prüfer|kind)s?", re.I)().search(text)
        assert found is not None
        assert known is not None
        assert found.span() == known.span()


def test_a_position_is_that_in_the_text_where_lower_case_is_longer() -> None:
    found = late_words("then")("\u0130\u0130 Then")
    assert found is not None
    assert found.span() == (3, 7)


@pytest.mark.parametrize("name", sorted(SEARCHES))
def test_patterns_that_meet_lower_case_ask_for_it(name: str) -> None:
    pattern = inspect.getclosurevars(SEARCHES[name]).nonlocals["plain"]().pattern
    letters = re.sub(r"\\.", "", pattern)
    assert letters == letters.lower()
