"""Which of several drafts is the best one?"""

from __future__ import annotations

from collections.abc import Callable, Sequence


def choose(candidates: Sequence[str], rate: Callable[[str], float | None]) -> list[str]:
    """The distinct candidates, best rated first.

    `rate` gives a text its grade, higher being better, or None when it cannot be graded. Ties keep
    the drafters' order, and an unscored text comes after every scored one, never as if it had got 0.
    Each text is rated once.
    """
    distinct = list(dict.fromkeys(candidates))
    grades = {text: rate(text) for text in distinct}

    def place(text: str) -> tuple[bool, float]:
        grade = grades[text]
        return (True, 0.0) if grade is None or grade != grade else (False, -grade)

    return sorted(distinct, key=place)
