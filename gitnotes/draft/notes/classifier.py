"""Which kind of change does a title tell of, when neither a type nor a rule says?

The logarithm of the odds of each category is a sum over the words of the title; the first word counts once
more on its own, since titles begin with what was done. `gitnotes/data/categories.json` has the weights,
`bench/release/fit_categories.py` fits them on public commits with conventional types.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gitnotes.guard.patterns import late

if TYPE_CHECKING:
    from gitnotes.draft.notes.categories import Category

_DATA = Path(__file__).parents[2] / "data" / "categories.json"
_WORD = late(r"[a-z]{2,30}|#(?=\d)")
_MOST_WORDS = 60


class Guess(NamedTuple):
    """A category and how likely it is, 0 to 1."""

    category: Category
    likelihood: float


class _Weights(NamedTuple):
    categories: tuple[Category, ...]
    intercept: tuple[float, ...]
    words: dict[str, list[int]]
    """A hundred times the weight of each category, by feature."""


@cache
def _weights() -> _Weights:
    found = json.loads(_DATA.read_text("utf-8"))
    return _Weights(tuple(found["categories"]), tuple(found["intercept"]), found["words"])


def title_features(text: str) -> set[str]:
    """The words of a title in lower case, pairs at its start, and the first word with a mark."""
    words = _WORD().findall(text[:600].lower())[:_MOST_WORDS]
    found = set(words)
    if words:
        found |= {f"^{words[0]}", f"^{' '.join(words[:2])}"}
    area, colon, _ = text[:40].partition(": ")
    if colon and " " not in area:
        found.add(f"{area.lower()}:")
    return found


def guess_category(text: str) -> Guess:
    """The likeliest category of a change with this title."""
    weights = _weights()
    sums = [100 * value for value in weights.intercept]
    for name in title_features(text):
        for at, value in enumerate(weights.words.get(name, ())):
            sums[at] += value
    top = max(sums)
    shares = [math.exp((value - top) / 100) for value in sums]
    best = sums.index(top)
    return Guess(weights.categories[best], shares[best] / sum(shares))
