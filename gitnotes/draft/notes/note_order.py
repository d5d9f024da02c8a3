"""In which order does a project tell the kinds of change, and where do the others go between them?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import get_args

from gitnotes.draft.notes.categories import QUIET, Category


def learn_sequence(notes: Iterable[Sequence[Category]]) -> tuple[Category, ...]:
    """The kinds of change in the order that most of the notes have; empty when none has two of them.

    Each note is given as its kinds from the top to the bottom. A kind goes before those that it stands above
    more often than below.
    """
    won: Counter[Category] = Counter()
    met: Counter[Category] = Counter()
    for kinds in notes:
        for upper, lower in combinations(dict.fromkeys(kinds), 2):
            won[upper] += 1
            met.update((upper, lower))
    usual = get_args(Category)
    return tuple(sorted(met, key=lambda kind: (-won[kind] / met[kind], usual.index(kind))))


def complete_sequence(known: Sequence[Category]) -> tuple[Category, ...]:
    """All kinds of change: the known ones in their order, each other one behind what it usually follows;
    what concerns users least goes last."""
    usual = get_args(Category)
    order = list(known)
    for at, kind in enumerate(usual):
        if kind not in order:
            before = next((one for one in reversed(usual[:at]) if one in order), None)
            place = order.index(before) + 1 if before else 0
            order.insert(len(order) if kind in QUIET else place, kind)
    return tuple(order)
