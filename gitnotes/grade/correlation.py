"""How well do scores go along with what people say, and how sure is that?

Spearman's rho is Pearson's r of the ranks, equal values sharing the mean of their ranks. Kendall's
tau-b is (concordant - discordant pairs) / sqrt(pairs not tied in one * pairs not tied in the
other), counted by sorting (Knight 1966). Intervals are percentiles of the bootstrap that draws
whole clusters with replacement, since rows of one project or one annotator are not independent;
all metrics are drawn together, so that their difference has an interval too.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

SEED = 12345
RESAMPLES = 1000
LEVEL = 0.95
_HUGE = 1e100

Numbers = Sequence[float]

Drawn = dict[str, dict[str, list[float | None]]]
"""Metric to the name of a coefficient to its values in the resamples."""

Draw = Callable[[dict[str, list[float]], list[float], list[list[int]], int, int], Drawn]
"""Takes the scores by metric, the human values, the rows of each cluster, resamples and seed."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A coefficient, -1 to 1, and its 95 % interval; None where it is not defined."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Correlation:
    """How one metric goes along with one column of human values."""

    metric: str
    human: str
    rows: int
    clusters: int
    spearman: Estimate
    kendall: Estimate
    pearson: Estimate
    difference: Estimate | None = None
    """Spearman's rho minus that of the first metric, on the same rows; None for the first."""
    defined: int = 0
    """In how many of the resamples rho is defined; the interval is that of these."""


def pearson(one: Numbers, other: Numbers) -> float | None:
    """Pearson's r; None for fewer than two rows, or when one side is constant or not finite."""
    size = len(one)
    if size != len(other):
        raise ValueError("both sides need the same number of values")
    if size < 2 or not all(map(math.isfinite, itertools.chain(one, other))):
        return None
    one, other = _scale(one), _scale(other)
    centre, middle = math.fsum(one) / size, math.fsum(other) / size
    left = [value - centre for value in one]
    right = [value - middle for value in other]
    spread = math.sqrt(_product(left, left)) * math.sqrt(_product(right, right))
    if min(one) == max(one) or min(other) == max(other) or not spread or not math.isfinite(spread):
        return None
    return max(-1.0, min(1.0, _product(left, right) / spread))


def _scale(values: Numbers) -> Numbers:
    """The values, divided by the largest where a sum or a square could overflow; r stays the same."""
    top = max(map(abs, values))
    return [value / top for value in values] if top > _HUGE else values


def _product(one: Numbers, other: Numbers) -> float:
    return math.fsum(map(float.__mul__, map(float, one), map(float, other)))


def ranks(values: Numbers) -> list[float]:
    """The rank of each value from 1, equal values sharing the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    start = 0
    for _, group in itertools.groupby(order, key=values.__getitem__):
        places = list(group)
        shared = start + (len(places) + 1) / 2
        start += len(places)
        for place in places:
            found[place] = shared
    return found


def spearman(one: Numbers, other: Numbers) -> float | None:
    """Spearman's rho; None where `pearson` is."""
    if not all(map(math.isfinite, itertools.chain(one, other))):
        return None
    return pearson(ranks(one), ranks(other))


def kendall(one: Numbers, other: Numbers) -> float | None:
    """Kendall's tau-b in n log n time; None for fewer than two rows or when one side is constant."""
    size = len(one)
    if size != len(other):
        raise ValueError("both sides need the same number of values")
    if not all(map(math.isfinite, itertools.chain(one, other))):
        return None
    pairs = size * (size - 1) // 2
    rows = sorted(zip(one, other, strict=True))
    tied_one = _tied(row[0] for row in rows)
    tied_both = _tied(rows)
    second = [row[1] for row in rows]
    swaps, ordered = _count_swaps(second)
    tied_other = _tied(ordered)
    spread = (pairs - tied_one) * (pairs - tied_other)
    if not spread:
        return None
    return (pairs - tied_one - tied_other + tied_both - 2 * swaps) / math.sqrt(spread)


def _tied(values: Iterable[object]) -> int:
    """How many pairs of equal neighbours there are in sorted `values`."""
    groups = (sum(1 for _ in group) for _, group in itertools.groupby(values))
    return sum(size * (size - 1) // 2 for size in groups)


def _count_swaps(values: list[float]) -> tuple[int, list[float]]:
    """How many pairs stand in the wrong order, and the values sorted."""
    swaps = 0
    runs = [[value] for value in values]
    while len(runs) > 1:
        merged = []
        for one, other in itertools.zip_longest(runs[::2], runs[1::2]):
            if other is None:
                merged.append(one)
                continue
            count, run = _merge(one, other)
            swaps += count
            merged.append(run)
        runs = merged
    return swaps, runs[0] if runs else []


def _merge(one: list[float], other: list[float]) -> tuple[int, list[float]]:
    """Two sorted runs as one, and how many pairs of both stand in the wrong order."""
    swaps, start, run = 0, 0, []
    for value in other:
        while start < len(one) and one[start] <= value:
            run.append(one[start])
            start += 1
        swaps += len(one) - start
        run.append(value)
    return swaps, run + one[start:]


COEFFICIENTS: dict[str, Callable[[Numbers, Numbers], float | None]] = {
    "spearman": spearman,
    "kendall": kendall,
    "pearson": pearson,
}


def correlate(
    scores: Mapping[str, Sequence[float | None]],
    humans: Mapping[str, Sequence[float | None]],
    clusters: Sequence[Hashable] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    draw: Draw | None = None,
) -> list[Correlation]:
    """Each metric against each column of human values, metrics first.

    A row counts for a column when it has that value and a score by every metric, so that metrics
    are compared on the same rows. `clusters` gives the cluster of each row; without it each row is
    its own. `draw` is another way to compute the same resamples.
    """
    found = []
    for human, values in humans.items():
        rows = [
            row
            for row, value in enumerate(values)
            if value is not None and all(column[row] is not None for column in scores.values())
        ]
        people = [_known(values[row]) for row in rows]
        names = [row if clusters is None else clusters[row] for row in rows]
        groups: dict[Hashable, list[int]] = {}
        for place, name in enumerate(names):
            groups.setdefault(name, []).append(place)
        columns = {metric: [_known(column[row]) for row in rows] for metric, column in scores.items()}
        found += _estimate(human, columns, people, list(groups.values()), resamples, seed, draw)
    return found


def _known(value: float | None) -> float:
    assert value is not None
    return float(value)


def _estimate(
    human: str,
    columns: dict[str, list[float]],
    people: list[float],
    groups: list[list[int]],
    resamples: int,
    seed: int,
    draw: Draw | None,
) -> list[Correlation]:
    """The correlations of all metrics with one human column."""
    drawn: Drawn = {metric: {name: [] for name in COEFFICIENTS} for metric in columns}
    if draw is not None and len(groups) > 1:
        drawn, resamples = draw(columns, people, groups, resamples, seed), 0
    chance = random.Random(seed)
    for _ in range(resamples if len(groups) > 1 else 0):
        places = list(itertools.chain.from_iterable(chance.choices(groups, k=len(groups))))
        side = [people[place] for place in places]
        for metric, column in columns.items():
            values = [column[place] for place in places]
            for name, coefficient in COEFFICIENTS.items():
                drawn[metric][name].append(coefficient(values, side))
    first = next(iter(columns), "")
    found = []
    for metric, column in columns.items():
        estimates = {
            name: _bound(coefficient(column, people), drawn[metric][name])
            for name, coefficient in COEFFICIENTS.items()
        }
        rho = drawn[metric]["spearman"]
        difference = None
        if metric != first:
            base = spearman(columns[first], people)
            value = estimates["spearman"].value
            gap = None if base is None or value is None else value - base
            pairs = zip(rho, drawn[first]["spearman"], strict=True)
            difference = _bound(gap, [_minus(one, other) for one, other in pairs])
        defined = sum(value is not None for value in rho)
        found.append(
            Correlation(
                metric, human, len(people), len(groups), **estimates, difference=difference, defined=defined
            )
        )
    return found


def _minus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _bound(value: float | None, drawn: Sequence[float | None]) -> Estimate:
    """`value` with the interval of what was drawn, where at least half of it is defined."""
    known = sorted(number for number in drawn if number is not None)
    if value is None or not known or 2 * len(known) < len(drawn):
        return Estimate(value)
    cut = (1 - LEVEL) / 2
    return Estimate(value, _quantile(known, cut), _quantile(known, 1 - cut))


def _quantile(ordered: Numbers, share: float) -> float:
    """The value below which `share` of the ordered ones are, interpolated."""
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])
