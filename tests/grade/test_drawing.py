"""Does the quick way to draw rows again give what the plain one gives?"""

from __future__ import annotations

import itertools
import math
import random

import pytest

from gitnotes.grade.correlation import COEFFICIENTS, correlate
from gitnotes.grade.drawing import Drawing

CHOOSE = random.Random(4)
VALUES = {
    "distinct": lambda: CHOOSE.gauss(0, 1),
    "tied": lambda: float(CHOOSE.randrange(5)),
    "few": lambda: float(CHOOSE.random() < 0.05),
    "constant": lambda: 3.0,
    "huge": lambda: CHOOSE.choice([1.5e308, -1.2e308, 1e300, 0.0]),
    "tiny": lambda: CHOOSE.choice([5e-324, 0.0, 1e-310]),
    "outlier": lambda: CHOOSE.choice([1e15, 0.1, 0.2, 0.3, 0.4]),
    "not finite": lambda: CHOOSE.choice([math.inf, math.nan, 1.0]),
}


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("size", [2, 3, 60])
@pytest.mark.parametrize(("one", "other"), list(itertools.product(VALUES, VALUES)))
def test_both_ways_agree(one: str, other: str, size: int, clustered: bool) -> None:
    columns = {"a": [VALUES[one]() for _ in range(size)], "b": [VALUES["tied"]() for _ in range(size)]}
    columns["c"] = [value + VALUES["few"]() for value in columns["b"]]
    people = [VALUES[other]() for _ in range(size)]
    groups: list[list[int]] = [[place] for place in range(size)]
    if clustered:
        groups = [list(range(start, size, 7)) for start in range(min(7, size))]
    chance = random.Random(1)
    plain: dict[str, dict[str, list[float | None]]] = {
        metric: {name: [] for name in COEFFICIENTS} for metric in columns
    }
    for _ in range(8):
        places = list(itertools.chain.from_iterable(chance.choices(groups, k=len(groups))))
        for metric, column in columns.items():
            for name, coefficient in COEFFICIENTS.items():
                both = [column[place] for place in places], [people[place] for place in places]
                plain[metric][name].append(coefficient(*both))
    quick = Drawing().draw(columns, people, groups, 8, 1)
    for metric in columns:
        for name in COEFFICIENTS:
            expected, found = plain[metric][name], quick[metric][name]
            assert [value is None for value in found] == [value is None for value in expected]
            known = [value for value in expected if value is not None]
            assert [value for value in found if value is not None] == pytest.approx(known, abs=1e-12)


def test_estimates_are_the_same() -> None:
    scores = {name: [CHOOSE.random() for _ in range(50)] for name in "ab"}
    people = {"human": [float(CHOOSE.randrange(4)) for _ in range(50)]}
    plain = correlate(scores, people, resamples=200)
    quick = correlate(scores, people, resamples=200, draw=Drawing().draw)
    for one, two in zip(plain, quick, strict=True):
        assert one.kendall.low == two.kendall.low and one.pearson.high == two.pearson.high
        assert one.spearman.low == pytest.approx(two.spearman.low, abs=1e-12)
        assert one.defined == two.defined == 200
    assert quick[1].difference is not None and quick[1].difference.low is not None


def test_progress_is_told_after_each_resample() -> None:
    calls: list[None] = []
    Drawing(lambda: calls.append(None)).draw({"a": [1.0, 2.0]}, [1.0, 2.0], [[0], [1]], 5, 1)
    assert len(calls) == 5
