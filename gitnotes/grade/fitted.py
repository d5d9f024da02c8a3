"""What do the coefficients that were fitted on rated messages say of the signals of one?

`data/scale.json` holds them: `python -m bench.grading.fit --data DIR --write` makes its fitted
part. Grading needs no more than sums.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

_SCALE = Path(__file__).parent.parent / "data" / "scale.json"


class Coefficients(NamedTuple):
    """What a head knows, as data/scale.json holds it."""

    intercept: float
    signals: Mapping[str, float]
    words: Mapping[str, float]
    """The coefficient of a stem that a message holds, however often."""
    means: Mapping[str, float]
    """What the signals and stems are in a typical message, the mean of those the head was fitted on."""


class Head(Coefficients):
    """A linear function of signals and stems; its value is the log-odds of a yes."""

    def parts(self, signals: Mapping[str, float], stems: frozenset[str]) -> dict[str, float]:
        """By how much each signal moves the log-odds away from those of a typical message."""
        means, value_of = self.means, signals.get
        found = {name: weight * (value_of(name, 0.0) - means[name]) for name, weight in self.signals.items()}
        words = self.words
        spoken = sum([words[stem] for stem in stems if stem in words])
        found["words"] = spoken - means["words"]
        return found

    @cached_property
    def typical(self) -> float:
        """The log-odds of a typical message."""
        weighed = sum(weight * self.means[name] for name, weight in self.signals.items())
        return self.intercept + weighed + self.means["words"]


class Scale(NamedTuple):
    """All numbers that turn signals into a grade; scale.py gives the formula."""

    name: str
    """Changes with every number: it stands in the signature of a grade."""
    weights: Mapping[str, float]
    penalties: Mapping[str, float]
    floor: float
    """What a dimension of 0 counts for in the geometric mean, 0 to 1."""
    gates: Mapping[str, tuple[float, float]]
    """Dimension to what its 0 leaves of the whole, and the score from which on it takes nothing."""
    unseen: float
    """What is left of the whole where consistency is not scored, 0 to 1."""
    most_reference: float
    """The most log-odds that references to issues add."""
    typical: Mapping[str, float]
    """The scores of a typical message, by dimension."""
    heads: Mapping[str, Head]
    confidence: tuple[float, ...]
    """The coefficients of `shares.rate_confidence`."""


def probability(log_odds: float) -> float:
    """The logistic function, safe for any size."""
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, log_odds))))


def read_scale(data: dict[str, Any]) -> Scale:
    """The scale in the content of scale.json."""
    hand, fitted = data["hand"], data["fitted"]
    return Scale(
        name=fitted["version"],
        weights=hand["weights"],
        penalties=hand["penalties"],
        floor=hand["floor"],
        gates={name: (low, bar) for name, (low, bar) in hand["gates"].items()},
        unseen=hand["unseen"],
        most_reference=hand["most_reference"],
        typical=hand["typical"],
        heads={name: Head(**content) for name, content in fitted["heads"].items()},
        confidence=tuple(fitted["confidence"]),
    )


@lru_cache(maxsize=1)
def load_scale() -> Scale:
    """The scale that is shipped; read once."""
    return read_scale(json.loads(_SCALE.read_text(encoding="utf-8")))
