"""How do scores of pairs look as text and as JSON, and the words that one pair shares?"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gitnotes.codec import SCHEMA, to_json
from gitnotes.guard.text import show
from gitnotes.guard.width import columns
from gitnotes.records import Score
from gitnotes.show import console

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from gitnotes.scoring.results import Compared, Summary, SystemResult

MAX_SHOWN_GROUPS = 50
_COLOURS = {"exact": "green", "stem": "yellow", "synonym": "cyan"}
_WIDEST = 40


def summary_json(summary: Summary) -> str:
    return json.dumps({"schema": SCHEMA, "kind": "scores", **to_json(summary)}, indent=2)


def summary_text(summary: Summary) -> str:
    """The tables: rows, means, groups, comparisons, and what must be known about them."""
    several = len(summary.systems) > 1
    blocks = ["\n".join(_rows_line(system) for system in summary.systems)]
    blocks.append(_means_table(summary, several))
    problems = [line for system in summary.systems for line in _problem_lines(system, several)]
    if problems:
        blocks.append("\n".join(problems))
    if any(system.groups for system in summary.systems):
        blocks.append(_groups_table(summary, several))
    if summary.comparisons:
        blocks += _comparison_tables(summary)
    foot = [f"note: {note}." for note in summary.notes]
    if summary.resumed:
        foot.append(f"{summary.resumed:,} rows were scored by an earlier run.")
    foot += summary.signatures.values()
    foot.append("|".join(f"{key}:{value}" for key, value in summary.settings.items()))
    blocks.append("\n".join(foot))
    return "\n\n".join(blocks)


def _rows_line(system: SystemResult) -> str:
    empty, unscored = sum(system.empty.values()), sum(system.unscored.values())
    rows = "1 row" if system.rows == 1 else f"{system.rows:,} rows"
    parts = [rows, f"{system.rows - empty - unscored:,} with both sides"]
    if empty:
        parts.append(f"{empty:,} with an empty side")
    if unscored:
        parts.append(f"{unscored:,} unscored")
    return f"{show(system.system)}: {', '.join(parts)}"


def _means_table(summary: Summary, several: bool) -> str:
    any_empty = any(system.empty for system in summary.systems)
    level = f"{float(summary.settings['level']) * 100:g} % interval"
    head = ["metric", "mean", level, "rows", *(["mean, empty as 0"] if any_empty else [])]
    lines = [[*(["system"] if several else []), *head]]
    for system in summary.systems:
        for found in system.metrics:
            interval = "-" if found.low is None else f"{_number(found.low)} to {_number(found.high)}"
            cells = [found.metric, _number(found.mean), interval, f"{found.scored:,}"]
            if any_empty:
                cells.append(_number(found.mean_with_empty))
            lines.append([*([show(system.system)] if several else []), *cells])
    return table(lines, left=2 if several else 1)


def _problem_lines(system: SystemResult, several: bool) -> list[str]:
    from gitnotes.scoring.results import describe

    lines = []
    counts = {**system.empty, **system.unscored}
    no_score = {found.metric: found.no_score for found in system.metrics if found.no_score}
    name = f"{show(system.system)}: " if several else ""
    for problem, count in counts.items():
        first = next(item for item in system.examples if item.problem == problem)
        detail = "" if first.detail == describe(problem) else f": {show(first.detail)}"
        place = f"row {first.row:,}, line {first.line:,}{detail}"
        rows = "1 row" if count == 1 else f"{count:,} rows"
        first_word = "" if count == 1 else "first "
        lines.append(f"{name}{rows}: {describe(problem)} ({first_word}{place})")
    lines += [f"{name}{count:,} rows: {metric} has no score" for metric, count in no_score.items()]
    if "encoding" in counts:
        lines.append(f"{name}name another encoding with --encoding, such as cp1252, and run again")
    return lines


def _groups_table(summary: Summary, several: bool) -> str:
    metrics = list(summary.signatures)
    by = show(summary.extras.get("by", "group"))
    lines = [[*(["system"] if several else []), by, "rows", *metrics]]
    total = 0
    for system in summary.systems:
        total += len(system.groups)
        for group in system.groups[:MAX_SHOWN_GROUPS]:
            means = [_number(group.means[metric]) for metric in metrics]
            value = show(group.value)[:_WIDEST] or "(empty)"
            lines.append([*([show(system.system)] if several else []), value, f"{group.rows:,}", *means])
    text = table(lines, left=2 if several else 1)
    left_out = total - (len(lines) - 1)
    return f"{text}\n{left_out:,} more groups; --json has them all" if left_out else text


def _comparison_tables(summary: Summary) -> list[str]:
    """One for each system, under a line with its name, which beside the numbers would not fit."""
    return [
        _comparison_table([item for item in summary.comparisons if item.system == system])
        for system in dict.fromkeys(item.system for item in summary.comparisons)
    ]


def _comparison_table(comparisons: Sequence[Compared]) -> str:
    lines = [["metric", "baseline", "system", "difference", "interval", "p", "rows"]]
    for item in comparisons:
        found = item.result
        lines.append(
            [
                item.metric,
                _number(found.baseline),
                _number(found.system),
                f"{found.difference:+.5f}",
                f"{found.low:+.5f} to {found.high:+.5f}",
                f"{found.p:.4f}",
                f"{found.rows:,}",
            ]
        )
    head = f"{show(comparisons[0].system)} against the baseline {show(comparisons[0].baseline)}"
    return f"{head}\n{table(lines, left=1)}"


def table(lines: Sequence[Sequence[str]], *, left: int) -> str:
    """Lines of cells in columns, the first `left` of them flush left, the others flush right."""
    widths = [max(columns(line[place]) for line in lines) for place in range(len(lines[0]))]

    def pad(cell: str, place: int) -> str:
        space = " " * (widths[place] - columns(cell))
        return cell + space if place < left else space + cell

    return "\n".join(
        "  ".join(pad(cell, place) for place, cell in enumerate(line)).rstrip() for line in lines
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.5f}"


def explain_rows(score: Score) -> list[tuple[str, str, str]]:
    """Prediction, reference and stage, in the order of the prediction; '' where there is no partner.

    Words of the reference without a partner follow at the end.
    """
    partners = {match.prediction: match for match in score.matches}
    rows = []
    for position, word in enumerate(score.prediction):
        match = partners.get(position)
        rows.append(
            (word, "", "") if match is None else (word, score.reference[match.reference], match.stage)
        )
    matched = {match.reference for match in score.matches}
    rows += [("", word, "") for position, word in enumerate(score.reference) if position not in matched]
    return rows


def write_explanation(score: Score) -> None:
    """Prints the words side by side, in colour on a terminal, and the numbers they lead to."""
    lines = [("prediction", "reference", "match")]
    lines += [(_cell(left), _cell(right), stage or "-") for left, right, stage in explain_rows(score)]
    width = [max(columns(line[place]) for line in lines) for place in (0, 1)]
    parts = [
        f"Log-MNEXT {score.value!r}",
        f"precision {score.precision:.4f}, recall {score.recall:.4f}, F {score.f_mean:.4f}, "
        f"penalty {score.penalty:.4f}, chunks {score.chunks}",
    ]
    texts = [
        (
            "  ".join(cell + " " * (width[place] - columns(cell)) for place, cell in enumerate(line[:2])),
            line[2],
        )
        for line in lines
    ]
    if not console.wants_colour(sys.stdout):
        console.write("\n".join([*(f"{text}  {stage}" for text, stage in texts), "", *parts]))
        return
    from rich.text import Text

    out = console.make_console(sys.stdout)
    for text, stage in texts:
        style = _COLOURS.get(stage, "bold" if stage == "match" else "dim")
        out.print(Text(f"{text}  {stage}", style), soft_wrap=True)
    out.print(Text("\n" + "\n".join(parts)), soft_wrap=True)


def _cell(word: str) -> str:
    shown = show(word)
    return (shown if len(shown) <= _WIDEST else f"{shown[: _WIDEST - 1]}…") or "-"


class OneValue(NamedTuple):
    """One pair by one metric; `reason` says why there is no value, where there is none."""

    metric: str
    value: float | None
    signature: str
    reason: str


def values_text(found: Sequence[OneValue]) -> str:
    """One pair by several metrics: name, value and signature of each."""
    lines = [
        [item.metric, f"unscored: {item.reason}" if item.value is None else repr(item.value)]
        for item in found
    ]
    return "\n".join([table(lines, left=2), *(item.signature for item in found)])


def values_json(found: Sequence[OneValue]) -> str:
    content: dict[str, Any] = {
        "values": {item.metric: item.value for item in found},
        "unscored": {item.metric: item.reason for item in found if item.value is None},
        "signatures": {item.metric: item.signature for item in found},
    }
    return json.dumps({"schema": SCHEMA, "kind": "score", **content}, indent=2)


class ScoreProgress:
    """A bar on stderr for runs of more than a second, on a terminal only."""

    def __init__(self, label: str = "Scoring", unit: str = "rows") -> None:
        self._label, self._unit = label, unit
        self._started = time.monotonic()
        self._wanted = sys.stderr.isatty()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> ScoreProgress:
        return self

    def __exit__(self, *problem: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, rows: int, share: float | None) -> None:
        """Shows how many are done, and the share of them, 0 to 1, where it is known."""
        if not self._wanted:
            return
        if self._bar is None:
            if time.monotonic() - self._started <= console.PATIENCE:
                return
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn(self._label),
                BarColumn(),
                TextColumn(f"{{task.fields[rows]:,}} {self._unit}"),
                TimeRemainingColumn(),
                console=console.make_console(sys.stderr),
                transient=True,
            )
            self._task = self._bar.add_task("", total=None if share is None else 1.0, rows=rows)
            self._bar.start()
        assert self._task is not None
        self._bar.update(self._task, completed=share or 0.0, rows=rows)
