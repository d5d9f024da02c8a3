"""Which examples say nearly the same as one that is held out, so that it would be known by heart?

Words are hashed and the smallest hashes kept, a bottom-k sketch (Broder 1997): two texts that share
most words share most of these, so that only examples with one in common are compared.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from heapq import nsmallest
from zlib import crc32

from gitnotes.learn.dataset import Example

NEAR = 0.8
"""Jaccard's index of the words from which two examples are the same."""
_SKETCH = 12
_COMMON = 200
"""Examples with the same hash after which it tells nothing."""
_WORD = re.compile(r"\w+")


def drop_near_duplicates(examples: Sequence[Example]) -> tuple[list[Example], int]:
    """The examples without those to learn from that are nearly one held out, and how many went.

    What is held out stays as it is, as that is what a person will meet; of those held out to choose
    by (valid), the ones that are nearly in the test go as well.
    """
    held: list[frozenset[str]] = []
    places: dict[int, list[int]] = defaultdict(list)
    kept: list[Example] = []
    for split in ("test", "valid", "train"):
        fresh: list[frozenset[str]] = []
        for item in examples:
            if item.split != split:
                continue
            words = frozenset(_WORD.findall(f"{item.message}\n{item.change}".lower()))
            if _is_near(words, held, places):
                continue
            kept.append(item)
            if split != "train":
                fresh.append(words)
        for words in fresh:
            for key in _sketch(words):
                if len(places[key]) < _COMMON:
                    places[key].append(len(held))
            held.append(words)
    order = {id(item): place for place, item in enumerate(examples)}
    kept.sort(key=lambda item: order[id(item)])
    return kept, len(examples) - len(kept)


def _is_near(words: frozenset[str], held: Sequence[frozenset[str]], places: dict[int, list[int]]) -> bool:
    seen: set[int] = set()
    for key in _sketch(words):
        for place in places.get(key, ()):
            if place not in seen:
                seen.add(place)
                common = len(words & held[place])
                if common >= NEAR * (len(words) + len(held[place]) - common):
                    return True
    return False


def _sketch(words: frozenset[str]) -> list[int]:
    return nsmallest(_SKETCH, (crc32(word.encode("utf-8", "replace")) for word in words))
