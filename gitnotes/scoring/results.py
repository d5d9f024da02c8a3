"""What is known after files of pairs were scored?"""

from __future__ import annotations

from dataclasses import dataclass, field

from gitnotes.grade.significance import Comparison
from gitnotes.read.pairs import PROBLEMS


@dataclass(frozen=True, slots=True)
class MetricResult:
    """One metric over the rows of one system."""

    metric: str
    scored: int
    """Rows with both sides and a score."""
    mean: float | None
    """Over these rows; None when there are none."""
    low: float | None
    high: float | None
    """The bootstrap interval of `mean`; None with fewer than two rows."""
    mean_with_empty: float | None
    """The mean when each row with an empty side counts as 0."""
    no_score: int = 0
    """Rows with both sides that the metric has no score for."""


@dataclass(frozen=True, slots=True)
class Example:
    """A row that could not be scored; numbers from 1, `line` is where the row begins in its file."""

    row: int
    line: int
    problem: str
    detail: str


@dataclass(frozen=True, slots=True)
class GroupResult:
    """The rows that have one value in the column of `--by`."""

    value: str
    rows: int
    scored: dict[str, int]
    means: dict[str, float | None]


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One file, or the rows of one value of the system column."""

    system: str
    rows: int
    empty: dict[str, int]
    """Rows with an empty side: empty-reference, empty-prediction, empty-both."""
    unscored: dict[str, int]
    """Rows that cannot be scored for another reason, by reason."""
    metrics: tuple[MetricResult, ...]
    examples: tuple[Example, ...] = ()
    """The first rows of each problem."""
    groups: tuple[GroupResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Compared:
    """A system against the baseline by one metric."""

    baseline: str
    system: str
    metric: str
    result: Comparison


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that one run found."""

    systems: tuple[SystemResult, ...]
    signatures: dict[str, str]
    """Metric to the line with every setting that changes its scores."""
    settings: dict[str, str]
    """How intervals and tests were computed: seed, resamples, level, batches, test."""
    comparisons: tuple[Compared, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader of the numbers must know; safe to print."""
    broken: tuple[str, ...] = ()
    """Files that broke off; everything before that point is in the numbers."""
    resumed: int = 0
    """Rows that were taken from the file of an earlier run."""
    extras: dict[str, str] = field(default_factory=dict)
    """`by` and `system`: the columns that rows were grouped by."""


def describe(problem: str) -> str:
    """A few words about a kind of unscored row."""
    return PROBLEMS[problem]
