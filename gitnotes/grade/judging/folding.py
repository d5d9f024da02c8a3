"""Does it help the grade to count the likelihood of a message as well, and what is it then?

A percentile is no grade. It is read as the grade that the same share of the repository's earlier
messages stays below, so that a message in the middle of both is worth what it was.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from gitnotes.grade.judging.controls import probability_greater

WEIGHT = 0.4
"""Of the likelihood. Between a fifth and a half no weight did better on httpx, flask and ripgrep."""
_RESAMPLES = 1000
_SEED = 12345


@dataclass(frozen=True, slots=True)
class Gain:
    """How well grades tell own messages from those of other commits, without and with the likelihood."""

    alone: float
    """AUC of the grade."""
    together: float
    """AUC of the grade with the likelihood folded in."""
    low: float
    high: float
    """95 % interval of the difference, by the paired bootstrap over messages."""

    @property
    def helps(self) -> bool:
        return self.low > 0


def fold_in(overall: float, share: float, overalls: Sequence[float]) -> float:
    """`overall`, 0 to 100, with two fifths of it read from the likelihood.

    `share` is the share, 0 to 1, of earlier messages that are less likely, and `overalls` are their
    grades in rising order, at least one.
    """
    at = share * (len(overalls) - 1)
    low = int(at)
    high = min(low + 1, len(overalls) - 1)
    read = overalls[low] + (at - low) * (overalls[high] - overalls[low])
    return (1 - WEIGHT) * overall + WEIGHT * read


def compare_folded(
    own: Sequence[tuple[float, float]], swapped: Sequence[tuple[float, float]], *, seed: int = _SEED
) -> Gain:
    """What is gained; `own` and `swapped` have, for the same changes, the grade alone and folded.

    At least one of each. The interval is that of resampled changes, each with both of its messages.
    """

    def areas(places: Sequence[int]) -> list[float]:
        return [
            probability_greater([own[at][which] for at in places], [swapped[at][which] for at in places])
            or 0.0
            for which in (0, 1)
        ]

    dice = random.Random(seed)
    number = len(own)
    differences = []
    for _ in range(_RESAMPLES):
        alone, together = areas(dice.choices(range(number), k=number))
        differences.append(together - alone)
    differences.sort()
    alone, together = areas(range(number))
    edge = round(0.025 * _RESAMPLES)
    return Gain(alone, together, differences[edge], differences[-1 - edge])
