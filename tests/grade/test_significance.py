"""Do intervals cover, do tests keep their level, and do batches change nothing but the cost?"""

from __future__ import annotations

import math
import random

import pytest

from gitnotes.grade.significance import BATCHES, Batches, bootstrap_interval, compare


def batches_of(values: list[float]) -> Batches:
    batches = Batches()
    for row, value in enumerate(values):
        batches.add(row, value)
    return batches


def test_mean_is_exact_and_knows_zeros() -> None:
    batches = batches_of([0.1] * 10)
    assert batches.mean() == 0.1
    assert batches.mean(zeros=10) == 0.05
    assert Batches().mean() is None and Batches().mean(zeros=2) == 0.0


def test_interval_of_few_rows_is_the_bootstrap_of_rows() -> None:
    # 0 or 1, twice: the mean of a resample is 0, 1/2 or 1 with chances 1/4, 1/2, 1/4.
    assert bootstrap_interval(batches_of([0.0, 1.0])) == (0.0, 1.0)
    assert bootstrap_interval(batches_of([0.0, 1.0]), level=0.4) == (0.5, 0.5)
    assert bootstrap_interval(batches_of([1.0])) is None
    assert bootstrap_interval(batches_of([0.3] * 5)) == pytest.approx((0.3, 0.3))


@pytest.mark.parametrize("count", [200, BATCHES, 20_001])
def test_width_is_that_of_the_normal_interval(count: int) -> None:
    generator = random.Random(count)
    values = [generator.random() ** 3 for _ in range(count)]
    low, high = bootstrap_interval(batches_of(values)) or (0.0, 0.0)
    mean = math.fsum(values) / count
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / count)
    assert low < mean < high
    assert high - low == pytest.approx(2 * 1.96 * deviation / math.sqrt(count), rel=0.12)


def test_the_seed_decides() -> None:
    generator = random.Random(1)
    batches = batches_of([generator.random() for _ in range(50)])
    assert bootstrap_interval(batches, seed=1) == bootstrap_interval(batches, seed=1)
    assert bootstrap_interval(batches, seed=1) != bootstrap_interval(batches, seed=2)


def test_interval_covers_as_often_as_it_says() -> None:
    generator = random.Random(7)
    hits = 0
    for _ in range(200):
        values = [generator.expovariate(1) for _ in range(60)]
        low, high = bootstrap_interval(batches_of(values), resamples=200) or (0.0, 0.0)
        hits += low <= 1 <= high
    assert 175 <= hits <= 199  # 95 % nominal; the percentile interval of a skewed mean is a bit short


@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_tests_keep_their_level_and_find_what_is_there(test: str) -> None:
    generator = random.Random(11)
    false, found = 0, 0
    for _ in range(150):
        one = [generator.random() for _ in range(60)]
        noise = [value + generator.gauss(0, 0.1) for value in one]
        better = [value + generator.gauss(0.06, 0.1) for value in one]
        same = compare(one, noise, test=test, resamples=200)  # type: ignore[arg-type]
        other = compare(one, better, test=test, resamples=200)  # type: ignore[arg-type]
        assert same is not None and other is not None
        false += same.p < 0.05
        found += other.p < 0.05
    assert false <= 17  # 7.5 expected, 5 standard deviations above that
    assert found >= 130


@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_equal_systems_differ_by_chance_alone(test: str) -> None:
    values = [0.1, 0.5, 0.3, 0.9]
    found = compare(values, list(values), test=test)  # type: ignore[arg-type]
    assert found is not None
    assert (found.difference, found.p, found.low, found.high) == (0.0, 1.0, 0.0, 0.0)


def test_randomization_agrees_with_all_swaps() -> None:
    # Differences 1, 2, 3, 4: of the 16 ways to swap, 2 are at least as far from 0.
    found = compare([0.0] * 4, [1.0, 2.0, 3.0, 4.0], test="randomization", resamples=20_000)
    assert found is not None
    assert found.p == pytest.approx(2 / 16, abs=0.01)


def test_rows_without_a_score_count_for_neither() -> None:
    nan = math.nan
    found = compare([0.0, nan, 0.5, 1.0], [0.5, 1.0, nan, 1.0])
    assert found is not None
    assert (found.rows, found.baseline, found.system, found.difference) == (2, 0.5, 0.75, 0.25)
    assert compare([nan, 0.5], [0.5, 0.5]) is None
