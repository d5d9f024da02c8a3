"""How do correlations vary when rows are drawn again, without sorting them each time?

A drawn row is one of the sample, so the order of values is known before: ranks follow from how often
each value was drawn, and Kendall's swaps are counted along the order of the sample. Spearman's rho
and Kendall's tau are computed from whole numbers and rounded once.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from operator import mul
from typing import NamedTuple

from gitnotes.grade.correlation import Drawn

_HUGE = 1e100


class Drawing:
    """Draws rows with replacement, whole groups at a time; hand `draw` to `correlate`."""

    def __init__(self, progress: Callable[[], None] | None = None) -> None:
        """`progress` is called after each resample."""
        self._progress = progress

    def draw(
        self,
        columns: dict[str, list[float]],
        people: list[float],
        groups: list[list[int]],
        resamples: int,
        seed: int,
    ) -> Drawn:
        """The coefficients of `grade.correlation` in each resample, but for rounding in the last digits."""
        other = _Side(people)
        greater = _Greater(other.size, len(groups) * max(map(len, groups), default=0))
        pairs = {metric: _Pair(_Side(column), other) for metric, column in columns.items()}
        drawn: Drawn = {metric: {"spearman": [], "kendall": [], "pearson": []} for metric in columns}
        chance = random.Random(seed)
        for _ in range(resamples):
            places = list(itertools.chain.from_iterable(chance.choices(groups, k=len(groups))))
            theirs = _Drawn.of(other, places)
            for metric, pair in pairs.items():
                mine = _Drawn.of(pair.one, places)
                found = drawn[metric]
                found["spearman"].append(_spearman(mine, theirs))
                found["kendall"].append(_kendall(pair, greater, places, mine, theirs))
                found["pearson"].append(_pearson(mine, theirs))
            if self._progress is not None:
                self._progress()
        return drawn


class _Side:
    """The values of one column, and the place of each among the distinct ones."""

    def __init__(self, values: Sequence[float]) -> None:
        self.finite = all(map(math.isfinite, values))
        top = max(map(abs, values), default=0.0) if self.finite else 0.0
        self.values = [value / top for value in values] if top > _HUGE else list(values)
        order = {value: level for level, value in enumerate(sorted(set(values)))} if self.finite else {}
        self.levels = [order[value] for value in values] if self.finite else []
        self.size = len(order)


class _Pair:
    """Two columns, and their distinct cells in the order of the first, equal ones in that of the second."""

    def __init__(self, one: _Side, other: _Side) -> None:
        self.one = one
        both = list(zip(one.levels, other.levels, strict=True)) if one.finite and other.finite else []
        order = {cell: place for place, cell in enumerate(sorted(set(both)))}
        self.cells = [order[cell] for cell in both]
        self.others = [level for _, level in order]
        """The level of the second column in each cell."""


class _Greater:
    """Counts, while rows come in, how many of the earlier ones have a greater level.

    Many counters are packed into one whole number: that of a level holds the rows above it, so one
    addition counts a row everywhere. Levels are split into blocks to keep these numbers short.
    """

    def __init__(self, levels: int, rows: int) -> None:
        """For levels 0 to `levels` - 1 and up to `rows` rows."""
        width = rows.bit_length()
        block = math.isqrt(max(levels - 1, 0)) + 1
        ones = [0]
        for _ in range(block):
            ones.append(ones[-1] << width | 1)
        self._mask = (1 << width) - 1
        self._blocks = -(-levels // block)
        self._look = [
            (high, width * high, ones[high], width * low, ones[low])
            for high, low in (divmod(level, block) for level in range(levels))
        ]

    def count_swaps(self, levels: Iterable[int], weights: Iterable[int]) -> int:
        """How many pairs of rows stand in the wrong order; `weights` says how often each row is there."""
        mask, look = self._mask, self._look
        blocks, within, swaps = 0, [0] * self._blocks, 0
        for level, weight in zip(levels, weights, strict=True):
            if weight:
                block, shift, add, low_shift, low_add = look[level]
                mine = within[block]
                swaps += weight * ((blocks >> shift & mask) + (mine >> low_shift & mask))
                blocks += weight * add
                within[block] = mine + weight * low_add
        return swaps


class _Drawn(NamedTuple):
    """A column of one resample."""

    side: _Side
    levels: list[int]
    ranks: list[int]
    """Twice the rank of each level."""
    ties: Counter[int]
    """How many levels were drawn how often, 0 times included."""
    centred: list[float]
    length: float
    """The square root of the sum of the squares of `centred`."""

    @classmethod
    def of(cls, side: _Side, places: list[int]) -> _Drawn:
        """The rows of `side` at `places`."""
        values = list(map(side.values.__getitem__, places))
        centre = math.fsum(values) / len(values) if side.finite else 0.0
        levels = list(map(side.levels.__getitem__, places)) if side.finite else []
        sizes = _count(levels, side.size)
        ranks = [2 * total - size + 1 for total, size in zip(itertools.accumulate(sizes), sizes, strict=True)]
        centred = [value - centre for value in values]
        length = math.sqrt(math.fsum(map(mul, centred, centred))) if side.finite else 0.0
        return cls(side, levels, ranks, Counter(sizes), centred, length)

    @property
    def constant(self) -> bool:
        """Whether no coefficient is defined: all values are equal, or one is no number."""
        return self.ties.total() - self.ties[0] < 2

    def cubes(self) -> int:
        """The sum of size cubed minus size over the ties."""
        return sum(count * (size**3 - size) for size, count in self.ties.items())


def _count(levels: Iterable[int], size: int) -> list[int]:
    """How often each level is there."""
    counts = [0] * size
    for level in levels:
        counts[level] += 1
    return counts


def _pairs(ties: Counter[int]) -> int:
    """How many pairs of rows are equal."""
    return sum(count * size * (size - 1) // 2 for size, count in ties.items())


def _spearman(one: _Drawn, other: _Drawn) -> float | None:
    if one.constant or other.constant:
        return None
    size = len(one.levels)
    # Of doubled ranks: their sum is size * (size + 1), and that of their squares is known from the ties.
    product: int = sum(
        map(mul, map(one.ranks.__getitem__, one.levels), map(other.ranks.__getitem__, other.levels))
    )
    whole = size**3 - size
    spread = (whole - one.cubes()) * (whole - other.cubes())
    return max(-1.0, min(1.0, 3 * (product - size * (size + 1) ** 2) / math.sqrt(spread)))


def _kendall(pair: _Pair, greater: _Greater, places: list[int], one: _Drawn, other: _Drawn) -> float | None:
    if one.constant or other.constant:
        return None
    size = len(places)
    pairs = size * (size - 1) // 2
    cells = _count(map(pair.cells.__getitem__, places), len(pair.others))
    tied_one, tied_other, tied_both = _pairs(one.ties), _pairs(other.ties), _pairs(Counter(cells))
    swaps = greater.count_swaps(pair.others, cells)
    spread = (pairs - tied_one) * (pairs - tied_other)
    agreeing: int = pairs - tied_one - tied_other + tied_both - 2 * swaps
    return agreeing / math.sqrt(spread)


def _pearson(one: _Drawn, other: _Drawn) -> float | None:
    if one.constant or other.constant:
        return None
    spread = one.length * other.length
    if not spread or not math.isfinite(spread):
        return None
    return max(-1.0, min(1.0, math.fsum(map(mul, one.centred, other.centred)) / spread))
