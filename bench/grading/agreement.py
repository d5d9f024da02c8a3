"""How well do numbers agree with people: AUC, macro-F1, Spearman, with intervals over clusters?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
DRAWS, SEED = 1000, 5


class Interval(NamedTuple):
    """A figure with the middle 95 % of its bootstrap; whole clusters are drawn."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.2f}, {self.high:.2f}]"


def auc(scores: Array, answers: Array) -> float:
    """The chance that a yes scores above a no, ties counting half; nan when one of them is missing."""
    ranks = rank(scores)
    yes = int((answers > 0).sum())
    no = len(answers) - yes
    if not yes or not no:
        return float("nan")
    return float((ranks[answers > 0].sum() - yes * (yes + 1) / 2) / (yes * no))


def spearman(scores: Array, ratings: Array) -> float:
    """Rank correlation with ties; nan when one side is constant."""
    a, b = rank(scores), rank(ratings)
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum() / size) if size else float("nan")


def macro_f1(said: Array, answers: Array) -> float:
    """The mean of the F1 of yes and of no."""
    found = []
    for side in (True, False):
        right = float(((said > 0) == side)[(answers > 0) == side].sum())
        total = float(((said > 0) == side).sum() + ((answers > 0) == side).sum())
        found.append(2 * right / total if total else 0.0)
    return sum(found) / 2


def best_threshold(scores: Array, answers: Array) -> float:
    """The score from which on yes is said, for the best macro-F1."""
    bars: list[float] = sorted(set(scores.tolist()))
    return max(bars, key=lambda bar: macro_f1((scores >= bar).astype(float), answers))


def rank(values: Array) -> Array:
    """Ranks from 1, ties sharing their mean."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[place]


def bootstrap(
    measure: Callable[[Array, Array], float], scores: Array, answers: Array, clusters: Sequence[str]
) -> Interval:
    """`measure` of the pairs, and of DRAWS samples of whole clusters with replacement."""
    random = np.random.default_rng(SEED)
    names = sorted(set(clusters))
    members = [np.flatnonzero(np.array([cluster == name for cluster in clusters])) for name in names]
    found = []
    for _ in range(DRAWS):
        drawn = np.concatenate([members[number] for number in random.integers(len(names), size=len(names))])
        value = measure(scores[drawn], answers[drawn])
        if value == value:
            found.append(value)
    low, high = np.quantile(found, [0.025, 0.975]) if found else (float("nan"), float("nan"))
    return Interval(measure(scores, answers), float(low), float(high))
