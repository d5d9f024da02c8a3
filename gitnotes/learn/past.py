"""Which earlier changes resemble a change, when thousands are asked about in a row?

The same words and weights as those of the index of a repository (`gitnotes.index`), held in memory
and asked oldest first, so that no change finds a later one.
"""

from __future__ import annotations

import math
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
        self._places: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self._norms: list[float] = []
        self._told: list[tuple[str, str]] = []

    def add(self, words: Counter[str], subject: str, author: str) -> None:
        """Takes in a change with its subject and its author, `Name <email>`."""
        place = len(self._told)
        self._told.append((subject, author))
        square = 0.0
        for word, count in words.items():
            weight = 1 + math.log(count)
            known = self._places[word]
            known.append((place, weight))
            square += (weight * math.log(1 + (place + 1) / len(known))) ** 2
        self._norms.append(math.sqrt(square))

    def nearest(self, words: Counter[str]) -> list[Neighbour]:
        """The changes with the nearest words by the cosine of tf-idf weights, then the newest."""
        total = len(self._told)
        if not total:
            return []
        weights = {
            word: (1 + math.log(count)) * math.log(1 + total / max(len(self._places.get(word, ())), 1))
            for word, count in words.items()
        }
        most = max(_COMMON * total, 3)
        usable = [word for word in words if 0 < len(self._places.get(word, ())) <= most]
        dots: dict[int, float] = defaultdict(float)
        for word in nlargest(_QUERY, usable, key=weights.__getitem__):
            rarity = math.log(1 + total / len(self._places[word])) * weights[word]
            for place, weight in self._places[word]:
                dots[place] += rarity * weight
        size = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        cosines = {
            place: min(dot / size / self._norms[place], 1.0)
            for place, dot in dots.items()
            if self._norms[place]
        }
        best = nlargest(_NEAREST, cosines, key=lambda place: (cosines[place], place))
        newest = range(total - 1, max(total - 1 - _NEWEST, -1), -1)
        chosen = dict.fromkeys([*best, *newest])
        return [
            Neighbour(subject, author, (), words=cosines.get(place, 0.0), age=total - place)
            for place, (subject, author) in ((place, self._told[place]) for place in chosen)
        ]
