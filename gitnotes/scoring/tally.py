"""What do the rows of one system add up to?"""

from __future__ import annotations

import math
import zlib
from array import array
from collections.abc import Sequence

from gitnotes.grade.significance import BATCHES, Batches, bootstrap_interval
from gitnotes.read.pairs import Row
from gitnotes.scoring.results import Example, GroupResult, MetricResult, SystemResult

MAX_EXAMPLES = 3
"""Rows of each problem that are named."""

MAX_GROUPS = 10_000
OTHER = "(other values)"
"""The group of all values after the first `MAX_GROUPS`."""


def checksum(row: Row) -> int:
    """CRC-32 of the texts of a row; tells whether two rows are the same, not against a forger."""
    return zlib.crc32("\0".join((*row.references, row.prediction)).encode("utf-8", "surrogatepass"))


def _checksum_references(row: Row) -> int:
    """CRC-32 of the references; 0 for a row whose texts were not all read."""
    if row.problem and not row.problem.startswith("empty"):
        return 0
    return zlib.crc32("\0".join(row.references).encode("utf-8", "surrogatepass")) or 1


class Tally:
    """Totals of one system; takes the same memory for any number of rows unless `keep` is set."""

    def __init__(self, system: str, metrics: Sequence[str], *, by: int | None = None, keep: bool = False):
        """`by` is the position of the group among the extras; `keep` keeps every score for a comparison."""
        self.system = system
        self.rows = 0
        self.problems: dict[str, int] = {}
        self.references = array("I")
        self.scores: list[array[float]] = [array("d") for _ in metrics]
        self._metrics = list(metrics)
        self._batches = [Batches() for _ in metrics]
        self._no_score = [0] * len(metrics)
        self._examples: list[Example] = []
        self._groups: dict[str, _Group] = {}
        self._by = by
        self._keep = keep

    def add(self, rows: Sequence[Row], scores: Sequence[Sequence[float]]) -> None:
        """Adds rows with their scores by each metric; NaN where there is none."""
        start = self.rows
        self.rows += len(rows)
        for place, row in enumerate(rows, start):
            if row.problem:
                self._count(place + 1, row, row.problem, row.detail)
        if self._by is not None:
            groups = [self._group(row.extras[self._by]) for row in rows]
            for group in groups:
                group.rows += 1
        for index, values in enumerate(scores):
            batches = self._batches[index]
            sums, counts = batches.sums, batches.counts
            for place, value in enumerate(values, start):
                if value == value:
                    batch = place % BATCHES
                    sums[batch] += value
                    counts[batch] += 1
                elif not rows[place - start].problem:
                    self._no_score[index] += 1
                    detail = f"{self._metrics[index]} has no score for it"
                    self._count(place + 1, rows[place - start], "no-score", detail)
            if self._by is not None:
                for group, value in zip(groups, values, strict=True):
                    if value == value:
                        group.counts[index] += 1
                        group.sums[index] += value
            if self._keep:
                self.scores[index].extend(values)
        if self._keep:
            self.references.extend(_checksum_references(row) for row in rows)

    def _count(self, number: int, row: Row, problem: str, detail: str) -> None:
        count = self.problems[problem] = self.problems.get(problem, 0) + 1
        if count <= MAX_EXAMPLES:
            self._examples.append(Example(number, row.line, problem, detail))

    def _group(self, value: str) -> _Group:
        group = self._groups.get(value)
        if group is None:
            if len(self._groups) >= MAX_GROUPS and value != OTHER:
                return self._group(OTHER)
            group = self._groups[value] = _Group(len(self._metrics))
        return group

    def result(self, *, resamples: int, seed: int, level: float) -> SystemResult:
        """The totals so far."""
        empty = {key: count for key, count in self.problems.items() if key.startswith("empty")}
        metrics = []
        for index, name in enumerate(self._metrics):
            batches = self._batches[index]
            interval = bootstrap_interval(batches, resamples=resamples, seed=seed, level=level)
            low, high = interval or (None, None)
            with_empty = batches.mean(sum(empty.values()))
            metrics.append(
                MetricResult(
                    name, batches.count, batches.mean(), low, high, with_empty, self._no_score[index]
                )
            )
        return SystemResult(
            self.system,
            self.rows,
            empty,
            # What one metric has no score for is counted with that metric.
            {key: count for key, count in self.problems.items() if key not in empty and key != "no-score"},
            tuple(metrics),
            tuple(self._examples),
            tuple(group.result(value, self._metrics) for value, group in sorted(self._groups.items())),
        )


class _Group:
    __slots__ = ("counts", "rows", "sums")

    def __init__(self, metrics: int) -> None:
        self.rows = 0
        self.counts = [0] * metrics
        self.sums = [0.0] * metrics

    def result(self, value: str, metrics: Sequence[str]) -> GroupResult:
        means = {
            name: total / count if count else None
            for name, total, count in zip(metrics, self.sums, self.counts, strict=True)
        }
        return GroupResult(value, self.rows, dict(zip(metrics, self.counts, strict=True)), means)


def differing_references(baseline: Tally, other: Tally) -> int:
    """The number of the first row, from 1, whose references differ; 0 when they agree.

    Rows whose texts could not be read in one of the systems are not compared.
    """
    pairs = zip(baseline.references, other.references, strict=False)
    return next((row for row, (a, b) in enumerate(pairs, 1) if a != b and a and b), 0)


def is_unscored(values: Sequence[float]) -> bool:
    """Whether a metric has no score."""
    return any(math.isnan(value) for value in values)
