"""Which words of a prediction stand for which words of a reference?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from gitnotes.grade.words import STEMS, SYNONYMS

_stem = STEMS.__getitem__
_synonyms = SYNONYMS.__getitem__

Pair = tuple[int, int]
"""Position in the prediction, position in the reference; both from 0."""


class Alignment(NamedTuple):
    """The pairs that each stage found, in the order in which it found them: from the end."""

    exact: list[Pair]
    stem: list[Pair]
    synonym: list[Pair]

    def pairs(self) -> list[Pair]:
        """All pairs in the order of the prediction; a pair that two stages found is there twice."""
        if not self.stem and not self.synonym:
            return self.exact[::-1]
        return sorted(self.exact + self.stem + self.synonym, key=itemgetter(0))

    def new_synonyms(self) -> int:
        """How many pairs the synonym stage found that the stem stage had not found."""
        return len(set(self.synonym).difference(self.stem)) if self.stem else len(self.synonym)


def align(prediction: Sequence[str], reference: Sequence[str]) -> Alignment:
    """The alignment of Log-MNEXT's authors, who took theirs from nltk's METEOR.

    Three stages go over the words of `prediction` from its end and give each the last free word
    of `reference` that is the same word, has the same stem, or is a synonym. A word that the
    first stage used is gone, but the second stage takes nothing away: the third sees the same
    words as the second, so that one word can be matched twice. Costs time in proportion to the
    number of words.
    """
    left: Sequence[str] = prediction
    free: Sequence[str] = reference
    exact: list[Pair] = []
    wanted, offered = set(prediction), set(reference)
    shared = wanted & offered
    if shared:
        exact, left, free = _match_equal(prediction, reference, shared)
        wanted, offered = set(left), set(free)
        wanted.discard("")
        offered.discard("")
    if not wanted or not offered:
        return Alignment(exact, [], [])
    stems = set(map(_stem, wanted)).intersection(map(_stem, offered))
    stem = _match_stems(left, free, stems) if stems else []
    synonym: list[Pair] = []
    if not all(map(offered.isdisjoint, map(_synonyms, wanted))):
        synonym = _match_synonyms(left, free, offered)
    return Alignment(exact, stem, synonym)


def match_whole(prediction: Sequence[str], reference: Sequence[str]) -> tuple[int, int] | None:
    """How many pairs of equal words there are, and their chunks, where `align` finds nothing else.

    None where it would pair stems or synonyms, or has a choice between places.
    """
    wanted, offered = set(prediction), set(reference)
    shared = wanted & offered
    if shared:
        # A word that is there twice can be left over once.
        if len(offered) != len(reference) and sum(map(shared.__contains__, reference)) != len(shared):
            return None
        if len(wanted) != len(prediction) and sum(map(shared.__contains__, prediction)) != len(shared):
            return None
        wanted -= shared
        offered -= shared
    if wanted and offered:
        if not set(map(_stem, wanted)).isdisjoint(map(_stem, offered)):
            return None
        if not all(map(offered.isdisjoint, map(_synonyms, wanted))):
            return None
    if len(shared) < 2:
        return len(shared), len(shared)
    places = dict(zip(reference, range(len(reference)), strict=True))
    chunks = 0
    follows = -1
    for place in map(places.get, prediction):
        if place is None:
            follows = -1
        else:
            if place != follows:
                chunks += 1
            follows = place + 1
    return len(shared), chunks


def count_chunks(pairs: Sequence[Pair]) -> int:
    """How many runs of pairs follow each other in both texts; `pairs` in the order of the prediction."""
    chunks = 0
    next_left = next_right = -1
    for left, right in pairs:
        if left != next_left or right != next_right:
            chunks += 1
        next_left, next_right = left + 1, right + 1
    return chunks


def _match_equal(
    prediction: Sequence[str], reference: Sequence[str], shared: set[str]
) -> tuple[list[Pair], list[str], list[str]]:
    """The pairs of equal words, and both texts with '' in place of the words that have a partner."""
    left, free = list(prediction), list(reference)
    places: dict[str, list[int]] = {word: [] for word in shared}
    for position, word in enumerate(reference):
        if word in shared:
            places[word].append(position)
    pairs = []
    for position in range(len(left) - 1, -1, -1):
        stack = places.get(left[position])
        if stack:
            place = stack.pop()
            pairs.append((position, place))
            left[position] = free[place] = ""
    return pairs, left, free


def _match_stems(left: Sequence[str], free: Sequence[str], stems: set[str]) -> list[Pair]:
    """The pairs of words with equal stems; `stems` are those that both texts have."""

    def candidates(words: Sequence[str]) -> list[tuple[int, str]]:
        return [(position, stem) for position, stem in enumerate(map(_stem, words)) if stem in stems]

    places = _places(candidates(free))
    pairs = []
    for position, stem in reversed(candidates(left)):
        stack = places[stem]
        if stack:
            pairs.append((position, stack.pop()))
    return pairs


def _match_synonyms(left: Sequence[str], free: Sequence[str], offered: set[str]) -> list[Pair]:
    """The pairs whose word in the reference is a synonym of the word in the prediction."""
    offered = set(offered)
    places = _places((position, word) for position, word in enumerate(free) if word)
    pairs = []
    for position in range(len(left) - 1, -1, -1):
        word = left[position]
        known = _synonyms(word) & offered if word else None
        if known:
            stack = max((places[name] for name in known), key=itemgetter(-1))
            place = stack.pop()
            pairs.append((position, place))
            if not stack:
                offered.discard(free[place])
    return pairs


def _places(words: Iterable[tuple[int, str]]) -> dict[str, list[int]]:
    """The positions of each word, the last one at the end."""
    places: dict[str, list[int]] = {}
    for position, word in words:
        if word in places:
            places[word].append(position)
        else:
            places[word] = [position]
    return places
