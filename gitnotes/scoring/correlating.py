"""How well does each metric go along with the people whose values stand beside the texts?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from gitnotes.errors import InputError, UsageError
from gitnotes.grade.correlation import LEVEL, RESAMPLES, SEED, correlate
from gitnotes.grade.correlation import Correlation as Correlation
from gitnotes.grade.correlation import Estimate as Estimate
from gitnotes.grade.drawing import Drawing
from gitnotes.grade.metric import make_metric
from gitnotes.guard.text import show
from gitnotes.read.pairs import Layout, open_pairs

MAX_ROWS = 100_000
"""Rows that are correlated at most: every one of them is drawn again in each resample."""

_STEP = 100

Progress = Callable[[str, int, float | None], None]

_NO_VALUE = ("", "nan", "na", "n/a", "null", "none", "-")
"""How people and programs leave a value out."""

MEAN = "mean"
"""The name of the mean of several human columns."""


@dataclass(frozen=True, slots=True)
class Correlations:
    """The correlations of a file, and what stands behind them."""

    rows: int
    unscored: dict[str, int]
    """Rows without a score or without any human value, by reason."""
    correlations: tuple[Correlation, ...]
    signatures: dict[str, str]
    settings: dict[str, str]
    notes: tuple[str, ...]
    broken: str = ""
    """Why reading stopped before the end of the file, or what is damaged; empty when nothing is."""


def correlate_file(
    path: str,
    layout: Layout,
    metrics: Sequence[str],
    humans: Sequence[str],
    *,
    cluster: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress | None = None,
) -> Correlations:
    """Scores the pairs of a table and correlates the scores with its columns `humans`.

    With several of these, a row that has all of them also counts for their mean. A row with an
    empty side, or that a metric has no score for, counts nowhere. `layout.extras` is not used.
    Raises UsageError for metrics and columns that are not there, InputError for a file that cannot
    be read or has too few rows. `progress` is called with "rows" or "resamples", how many
    are done, and the share of them, 0 to 1, where it is known.
    """
    if not humans or len(set(humans)) != len(humans):
        raise UsageError("Human columns are named once each.", "Name each of them once with --human A,B.")
    raters = [make_metric(name) for name in metrics]
    extras = (*humans, *((cluster,) if cluster is not None else ()))
    layout = replace(layout, extras=extras)
    scores: dict[str, list[float | None]] = {rater.name: [] for rater in raters}
    values: dict[str, list[float | None]] = {name: [] for name in humans}
    groups: list[str] = []
    unscored: Counter[str] = Counter()
    odd: dict[str, _Odd] = {}
    rows = 0
    file = open_pairs(path, layout)
    for row in file:
        rows += 1
        if progress is not None and rows % _STEP == 0:
            progress("rows", rows, file.progress)
        if rows > MAX_ROWS:
            file.close()
            raise InputError(
                f"{file.name} has more than {MAX_ROWS:,} rows.", "Correlate a random sample of them."
            )
        found = [None if row.problem else rater.score(row.prediction, row.references) for rater in raters]
        people = [_read_number(text) for text in row.extras[: len(humans)]]
        problem = row.problem
        for name, text, number in zip(humans, row.extras, people, strict=False):
            if number is None and text.strip().lower() not in _NO_VALUE and not problem:
                odd.setdefault(name, _Odd(text, row.line)).count += 1
        if not problem and any(value is None or not math.isfinite(value) for value in found):
            problem = "no-score"
        if not problem and all(value is None for value in people):
            problem = "no-human-value"
        if problem:
            unscored[problem] += 1
            continue
        for rater, value in zip(raters, found, strict=True):
            scores[rater.name].append(value)
        for name, value in zip(humans, people, strict=True):
            values[name].append(value)
        groups.append(row.extras[-1] if cluster is not None else "")
    broken = f"{file.name} breaks off: {file.broken}" if file.broken else ""
    told = [_say_odd(name, found) for name, found in odd.items()]
    if len(groups) < 3:
        usable = "1 row" if len(groups) == 1 else f"{len(groups)} rows"
        few = f"{file.name} has {usable} with a score and a human value"
        reasons = [f"{count:,} left out: {reason}" for reason, count in unscored.items()]
        raise InputError(
            f"{broken or few}.", f"{'; '.join(['It takes three rows or more', *reasons, *told])}."
        )
    if len(humans) > 1:
        complete = zip(*values.values(), strict=True)
        values[MEAN if MEAN not in values else "mean of all"] = [
            None if None in several else _mean([v for v in several if v is not None]) for several in complete
        ]
    found_all = correlate(
        scores,
        values,
        groups if cluster is not None else None,
        resamples=resamples,
        seed=seed,
        draw=_make_drawing(progress, resamples * len(values)).draw,
    )
    if cluster is not None and (unnamed := groups.count("")):
        told.append(f"{unnamed:,} of the rows have no value of '{show(cluster)[:60]}' and are one cluster")
    told += dict.fromkeys(filter(None, (_why_undefined(item, values) for item in found_all)))
    settings = {
        "interval": "percentile bootstrap",
        "level": repr(LEVEL),
        "resamples": str(resamples),
        "seed": str(seed),
        "unit": "row" if cluster is None else f"cluster {show(cluster)}",
    }
    return Correlations(
        rows,
        dict(unscored),
        tuple(found_all),
        {rater.name: str(rater.signature) for rater in raters},
        settings,
        (*file.notes, *told),
        broken,
    )


@dataclass(slots=True)
class _Odd:
    """Cells of a human column that hold something, but no number."""

    first: str
    line: int
    count: int = 0


def _say_odd(name: str, odd: _Odd) -> str:
    many = "1 value that is no number" if odd.count == 1 else f"{odd.count:,} values that are no numbers"
    which = "" if odd.count == 1 else "the first "
    return f"'{show(name)[:60]}' has {many}, {which}'{show(odd.first)[:40]}' in line {odd.line:,}"


def _why_undefined(item: Correlation, values: Mapping[str, Sequence[float | None]]) -> str:
    """Why a coefficient or its interval is not there; empty when both are, or none was asked for."""
    human = f"'{show(item.human)[:60]}'"
    if item.rows < 2:
        return f"{human} has {'a number in 1 row only' if item.rows else 'no number in any row'}"
    if item.spearman.value is None:
        if len(set(values[item.human]) - {None}) == 1:
            return f"{human} has one and the same number in all its rows, so nothing goes along with it"
        return f"{item.metric} has one and the same score in all rows of {human}"
    if item.spearman.low is None and item.clusters == 1:
        return f"the rows of {human} are one cluster, so there is no interval"
    if item.spearman.low is None and item.defined:
        return f"{item.metric} or {human} is constant in most of the resamples, so there is no interval"
    return ""


def _make_drawing(progress: Progress | None, total: int) -> Drawing:
    if progress is None:
        return Drawing()
    number = count(1)

    def tell() -> None:
        done = next(number)
        progress("resamples", done, done / total)

    return Drawing(tell)


def _mean(values: Sequence[float]) -> float:
    try:
        return math.fsum(values) / len(values)
    except OverflowError:  # of the sum; the mean itself is a number
        return math.fsum(value / len(values) for value in values)


def _read_number(text: str) -> float | None:
    try:
        # Python takes 1_0 for 10, and nobody writes that in a table.
        value = math.nan if "_" in text else float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
