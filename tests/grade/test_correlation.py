"""Are coefficients and intervals those of their definitions?"""

from __future__ import annotations

import itertools
import math
import random

import pytest

from gitnotes.grade.correlation import Estimate, correlate, kendall, pearson, ranks, spearman


def samples() -> list[tuple[list[float], list[float]]]:
    choose = random.Random(3)
    found = []
    for size in (3, 4, 7, 30):
        for levels in (2, 3, 1000):
            one = [float(choose.randrange(levels)) for _ in range(size)]
            other = [value + choose.randrange(levels) for value in one]
            if len(set(one)) > 1 and len(set(other)) > 1:
                found.append((one, other))
    return found


def slow_kendall(one: list[float], other: list[float]) -> float:
    score = left = right = 0
    for i, j in itertools.combinations(range(len(one)), 2):
        a = (one[i] > one[j]) - (one[i] < one[j])
        b = (other[i] > other[j]) - (other[i] < other[j])
        score, left, right = score + a * b, left + abs(a), right + abs(b)
    return score / math.sqrt(left * right)


def test_coefficients_by_their_definitions() -> None:
    assert len(samples()) > 8
    for one, other in samples():
        assert kendall(one, other) == pytest.approx(slow_kendall(one, other))
        means = sum(one) / len(one), sum(other) / len(other)
        top = sum((a - means[0]) * (b - means[1]) for a, b in zip(one, other, strict=True))
        spread = math.sqrt(sum((a - means[0]) ** 2 for a in one) * sum((b - means[1]) ** 2 for b in other))
        assert pearson(one, other) == pytest.approx(top / spread)
        below = [sum(b < a for b in one) + (sum(b == a for b in one) + 1) / 2 for a in one]
        assert ranks(one) == below
        assert spearman(one, other) == pearson(ranks(one), ranks(other))


# scipy 1.17: spearmanr, kendalltau, pearsonr.
def test_known_coefficients() -> None:
    one, other = [1, 2, 2, 3, 5, 8], [2.0, 1.0, 4.0, 4.0, 3.0, 9.0]
    assert spearman(one, other) == pytest.approx(0.6617647058823529)
    assert kendall(one, other) == pytest.approx(0.5)
    assert pearson(one, other) == pytest.approx(0.8456197166243281)


@pytest.mark.parametrize("coefficient", [pearson, spearman, kendall])
def test_perfect_and_undefined(coefficient: type) -> None:
    assert coefficient([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert coefficient([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert coefficient([1, 1, 1], [1, 2, 3]) is None
    assert coefficient([0.1] * 3, [1, 2, 3]) is None
    assert coefficient([], []) is None
    assert coefficient([1], [1]) is None
    assert coefficient([1, math.nan, 2], [1, 2, 3]) is None
    assert coefficient([1, math.inf, 2], [1, 2, 3]) is None
    with pytest.raises(ValueError):
        coefficient([1, 2], [1])


def test_metrics_are_compared_on_the_same_rows() -> None:
    scores = {"a": [1.0, 2, 3, 4, None], "b": [4.0, 3, 2, 1, 0]}
    humans = {"x": [1.0, 2, 3, 4, 5], "y": [None, 1.0, 2, 3, 4]}
    found = correlate(scores, humans, resamples=50)
    assert [(item.metric, item.human, item.rows) for item in found] == [
        ("a", "x", 4),
        ("b", "x", 4),
        ("a", "y", 3),
        ("b", "y", 3),
    ]
    assert found[0].difference is None
    assert found[1].difference is not None
    assert found[1].difference.value == pytest.approx(-2)
    assert found[0].spearman.value == pytest.approx(1)


def test_intervals_hold_the_value_and_repeat() -> None:
    choose = random.Random(2)
    people = [choose.random() for _ in range(80)]
    scores = {"a": [value + choose.random() for value in people]}
    one, again, other = (correlate(scores, {"x": people}, resamples=150, seed=seed)[0] for seed in (1, 1, 2))
    assert one == again != other
    for estimate in (one.spearman, one.kendall, one.pearson):
        assert estimate.low is not None and estimate.high is not None and estimate.value is not None
        assert estimate.low < estimate.value < estimate.high
    narrow = one.pearson
    assert narrow.low is not None and narrow.high is not None
    # The textbook interval of r, by Fisher's z.
    assert narrow.value is not None
    z, width = math.atanh(narrow.value), 1.96 / math.sqrt(77)
    assert narrow.low == pytest.approx(math.tanh(z - width), abs=0.06)
    assert narrow.high == pytest.approx(math.tanh(z + width), abs=0.06)


def test_clusters_widen_the_interval() -> None:
    choose = random.Random(7)
    clusters = [place // 20 for place in range(200)]
    levels = [choose.random() for _ in range(10)]
    people = [levels[cluster] + choose.random() / 50 for cluster in clusters]
    scores = {"a": [choose.random() / 50 + levels[cluster] * (cluster % 3) for cluster in clusters]}
    rows = correlate(scores, {"x": people}, resamples=80)[0]
    grouped = correlate(scores, {"x": people}, clusters, resamples=80)[0]
    assert (rows.clusters, grouped.clusters) == (200, 10)
    assert rows.spearman.value == grouped.spearman.value

    def width(estimate: Estimate) -> float:
        assert estimate.low is not None and estimate.high is not None
        return estimate.high - estimate.low

    assert width(grouped.spearman) > 2 * width(rows.spearman)


def test_no_interval_where_there_is_nothing_to_draw() -> None:
    scores = {"a": [1.0, 2, 3]}
    for found in (
        correlate(scores, {"x": [1.0, 2, 4]}, resamples=0)[0],
        correlate(scores, {"x": [1.0, 2, 4]}, ["one"] * 3)[0],
    ):
        assert found.spearman == Estimate(pytest.approx(1))
        assert found.defined == 0
    constant = correlate({"a": [1.0, 1, 1]}, {"x": [1.0, 2, 4]}, resamples=20)[0]
    assert constant.spearman == Estimate(None)


def test_values_whose_sum_is_no_number_correlate_as_small_ones() -> None:
    small, other = [1.0, 1.5, 1.2, -1.7], [0.1, 0.4, 0.3, 0.2]
    huge = [value * 1e308 for value in small]
    assert pearson(huge, other) == pytest.approx(pearson(small, other))
    found = correlate({"m": other}, {"h": huge}, resamples=20)[0]
    assert found.pearson.value == pytest.approx(pearson(small, other))
