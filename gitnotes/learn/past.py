"""Which earlier changes resemble a change, when thousands are asked about in a row?

The same words and weights as those of the index of a repository (`gitnotes.index`), held in memory
and asked oldest first, so that no change finds a later one.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from heapq import nlargest

from gitnotes.records import Neighbour

_QUERY = 96
"""Words of a change that are looked up, those that say most."""
_COMMON = 0.3
"""Share of the changes from which a word says nothing."""
_NEAREST, _NEWEST = 12, 5


class Past:
    """The changes so far, by their words."""

    def __init__(self) -> None:
        # Where a word is and what it weighs there; plain numbers, which numpy reads without a copy.
        self._places: dict[str, array[int]] = defaultdict(lambda: array("q"))
        self._weights: dict[str, array[float]] = defaultdict(lambda: array("d"))
        self._norms = array("d")
        self._told: list[tuple[str, str]] = []

    def add(self, words: Counter[str], subject: str, author: str) -> None:
        """Takes in a change with its subject and its author, `Name <email>`."""
        place = len(self._told)
        self._told.append((subject, author))
        square = 0.0
        for word, count in words.items():
            weight = 1 + math.log(count)
            known = self._places[word]
            known.append(place)
            self._weights[word].append(weight)
            square += (weight * math.log(1 + (place + 1) / len(known))) ** 2
        self._norms.append(math.sqrt(square))

    def nearest(self, words: Counter[str]) -> list[Neighbour]:
        """The changes with the nearest words by the cosine of tf-idf weights, then the newest."""
        import numpy

        total = len(self._told)
        if not total:
            return []
        weights = {
            word: (1 + math.log(count)) * math.log(1 + total / max(len(self._places.get(word, ())), 1))
            for word, count in words.items()
        }
        most = max(_COMMON * total, 3)
        usable = [word for word in words if 0 < len(self._places.get(word, ())) <= most]
        dots = numpy.zeros(total)
        for word in nlargest(_QUERY, usable, key=weights.__getitem__):
            rarity = math.log(1 + total / len(self._places[word])) * weights[word]
            dots[numpy.frombuffer(self._places[word], "int64")] += rarity * numpy.frombuffer(
                self._weights[word]
            )
        size = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        norms = numpy.frombuffer(self._norms)
        near = ((dots > 0) & (norms > 0)).nonzero()[0]
        found = numpy.minimum(dots[near] / size / norms[near], 1.0)
        if len(found) > _NEAREST:  # no need to sort more than the best, what equals the last, the newest
            least = numpy.partition(found, -_NEAREST)[-_NEAREST]
            kept = (found >= least) | (near >= total - _NEWEST)
            near, found = near[kept], found[kept]
        cosines = dict(zip(near.tolist(), found.tolist(), strict=True))
        best = nlargest(_NEAREST, cosines, key=lambda place: (cosines[place], place))
        newest = range(total - 1, max(total - 1 - _NEWEST, -1), -1)
        chosen = dict.fromkeys([*best, *newest])
        return [
            Neighbour(subject, author, (), words=cosines.get(place, 0.0), age=total - place)
            for place, (subject, author) in ((place, self._told[place]) for place in chosen)
        ]
