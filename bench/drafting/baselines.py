"""What do the simplest drafters say: the subject of a change like this one, the name of the file?"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from bench.drafting.past import Past
from gitnotes.kinds import common_folder

NEAREST = 5
"""Neighbours that NNGen compares by BLEU."""
_EPSILON = 0.1
"""Stands for no match of a length, as in smoothing 1 of Chen and Cherry 2014."""


class Cosines:
    """The changes of a repository by the words of their diffs, to find those that are alike."""

    def __init__(self, items: Sequence[Past]) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._norms: dict[int, float] = {}
        for item in items:
            self._norms[item.place] = math.sqrt(sum(count * count for count in item.words.values())) or 1.0
            for word, count in item.words.items():
                self._postings[word].append((item.place, count))

    def nearest(self, item: Past, known: Sequence[Past]) -> list[Past]:
        """The five of `known` with the largest cosine of word counts, the newer first among equals."""
        dots: Counter[int] = Counter()
        for word, count in item.words.items():
            for place, other in self._postings[word]:
                dots[place] += count * other
        scored = sorted(known, key=lambda past: (-dots[past.place] / self._norms[past.place], past.place))
        return scored[:NEAREST]


def nngen(item: Past, nearest: Sequence[Past]) -> str:
    """The subject of that of the five nearest changes whose diff has the highest BLEU-4 (NNGen, ASE 2018)."""
    best = max(nearest, key=lambda past: bleu(past.diff, item.diff), default=None)
    return best.subject if best else ""


def bleu(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    """BLEU-4 of a pair of texts, 0 to 1."""
    if not hypothesis or not reference:
        return 0.0
    total = 0.0
    for length in range(1, 5):
        one = Counter(tuple(hypothesis[at : at + length]) for at in range(len(hypothesis) - length + 1))
        other = Counter(tuple(reference[at : at + length]) for at in range(len(reference) - length + 1))
        found = sum((one & other).values())
        total += math.log((found or _EPSILON) / max(sum(one.values()), 1))
    brevity = min(0.0, 1 - len(reference) / len(hypothesis))
    return math.exp(brevity + total / 4)


def nearest_by_files(item: Past, known: Sequence[Past]) -> str:
    """The subject of the newest change whose files are most nearly the same (Jaccard's index)."""
    mine = set(item.paths)
    shares = (
        (len(mine & set(past.paths)) / len(mine | set(past.paths)), -past.place, past) for past in known
    )
    _, _, best = max(shares, default=(0.0, 0, None))
    return best.subject if best else ""


def update_file(item: Past) -> str:
    """`Update` with the file, or the folder that all files have in common."""
    folder = common_folder(item.paths)
    path = folder if len(item.paths) > 1 and folder else item.paths[0]
    return f"Update {path.rpartition('/')[2]}"


def majority(known: Sequence[Past]) -> str:
    """The subject that most earlier commits have."""
    return next((text for text, _ in Counter(past.subject for past in known).most_common(1)), "")
