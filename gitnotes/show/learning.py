"""How do a data set and what was learned of it look, in a terminal and as JSON?"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitnotes.codec import SCHEMA, to_json
from gitnotes.guard.text import shorten, show
from gitnotes.learn.dataset import day_of
from gitnotes.show import console
from gitnotes.show.scores import table

if TYPE_CHECKING:
    from rich.progress import Progress

    from gitnotes.learn.dataset import Report
    from gitnotes.learn.finetune import Point
    from gitnotes.learn.sizing import Estimate, Plan
    from gitnotes.recipes.catalogue import Registered
    from gitnotes.recipes.training import Outcome


class Counting:
    """Says on stderr how many there are so far, on a terminal and after a second."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._started = time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> Counting:
        return self

    def __exit__(self, *problem: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, name: str, count: int) -> None:
        """Shows `count` for what is called `name`."""
        if not sys.stderr.isatty() or time.monotonic() - self._started < console.PATIENCE:
            return
        if self._bar is None:
            from rich.progress import Progress, SpinnerColumn, TextColumn

            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                console=console.make_console(sys.stderr),
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._task = self._bar.add_task("", total=None)
            self._bar.start()
        self._bar.update(self._task, description=f"{shorten(name)}: {count:,} {self._unit}")


def report_text(report: Report, path: Path) -> str:
    """What a data set holds and what was left out."""
    total = sum(report.splits.values())
    parts = ", ".join(f"{report.splits.get(name, 0):,} {name}" for name in ("train", "valid", "test"))
    rows = [["repository", "licence", "from", "to", "examples"]]
    for item in report.origins:
        licence = show(item.licence) or "not known"
        rows.append([shorten(item.name), licence, day(item.first), day(item.last), f"{item.examples:,}"])
    lines = [f"{total:,} examples in {show(str(path))}: {parts}", "", table(rows, left=4)]
    if report.dropped:
        lines += ["", "left out"]
        counts = [[f"{count:,}", show(reason)] for reason, count in report.dropped.items()]
        lines.append(table([["", ""], *counts], left=0).strip("\n"))
    if report.ungraded:
        lines.append(f"kept ungraded: {report.ungraded:,} in a language that is not compared")
    if report.masked:
        kinds = ", ".join(f"{count:,} {show(kind)}" for kind, count in report.masked.items())
        lines.append(f"secrets masked: {kinds}")
    return "\n".join([*lines, "", str(report.signature)])


def report_json(report: Report) -> str:
    content: dict[str, Any] = {"schema": SCHEMA, "kind": "dataset", **to_json(report)}
    return json.dumps(content, indent=2)


def day(seconds: int) -> str:
    """A date in UTC; `-` where none is known."""
    return day_of(seconds) or "-"


def plan_text(plan: Plan, cost: Estimate, examples: int) -> str:
    """What is about to be trained and what it will take, one line each."""
    share = 100 * cost.trained / max(cost.weights, 1)
    return "\n".join(
        [
            f"model     {cost.weights / 1e6:,.0f} million weights on {cost.device}; {cost.trained / 1e6:.1f} "
            f"million more are learned ({share:.1f} %)",
            f"data      {examples:,} examples of up to {plan.tokens} tokens, {plan.epochs:.2g} times",
            f"steps     {cost.steps:,} of {plan.at_a_time * plan.turns} examples, "
            f"{plan.at_a_time} at a time; rate {plan.rate:g}, rank {plan.rank}, seed {plan.seed}",
            f"estimate  {duration(cost.seconds)} and {cost.memory / 1e9:.1f} GB, by real passes",
        ]
    )


def point_text(point: Point) -> str:
    """One line of progress: the step, the losses and the time that is left."""
    done = point.step - point.begun
    left = f"{duration(point.seconds / done * (point.steps - point.step))} left" if done > 0 else ""
    loss = f"held-out loss {point.held_out:.4f}" if point.held_out is not None else f"loss {point.loss:.4f}"
    return f"step {point.step:,} of {point.steps:,}  {loss}  {left}".rstrip()


def outcome_text(outcome: Outcome) -> str:
    """What came of training: the curve, the losses, where the adapter is."""
    found = outcome.trained
    steps = "1 step" if found.steps == 1 else f"{found.steps:,} steps"
    early = f", stopped early, best at step {found.best_step:,}" if found.stopped_early else ""
    return "\n".join(
        [
            *curve_lines(found.curve, found.before),
            "",
            f"held-out loss {found.before:.4f} before, {found.after:.4f} after (nats a token)",
            f"{steps} in {duration(found.seconds)}{early}; {found.memory / 1e9:.1f} GB at most",
            f"the adapter, {outcome.card.size / 1e6:.1f} MB, is in {show(str(outcome.folder))}",
            f"use it: gitnotes suggest --model local:{show(str(outcome.folder))}",
        ]
    )


def outcome_json(outcome: Outcome) -> str:
    content = {
        "schema": SCHEMA,
        "kind": "training",
        "folder": str(outcome.folder),
        "card": to_json(outcome.card),
        "curve": [to_json(point) for point in outcome.trained.curve],
    }
    return json.dumps(content, indent=2)


def curve_lines(curve: tuple[Point, ...], before: float) -> list[str]:
    """The held-out loss as bars, one for each look, the longest for the highest."""
    looks = [(0, before), *((item.step, item.held_out) for item in curve if item.held_out is not None)]
    most = max(loss for _, loss in looks)
    return [f"step {step:>6,}  {loss:.4f}  {'#' * round(40 * loss / most)}" for step, loss in looks]


def duration(seconds: float) -> str:
    """A time for people: 42 s, 3 min, 2 h 5 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


class Following:
    """Shows training as it goes: a line that changes on a terminal, else a line for each look."""

    def __init__(self) -> None:
        self._line = sys.stderr.isatty()
        self._said = False

    def __enter__(self) -> Following:
        return self

    def __exit__(self, *problem: object) -> None:
        if self._line and self._said:
            sys.stderr.write("\n")

    def update(self, point: Point) -> None:
        text = point_text(point)
        if self._line:
            self._said = True
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
        elif point.held_out is not None:
            console.note(text)


def models_text(found: Sequence[Registered]) -> str:
    """What is on this machine, and what could be."""
    from gitnotes.learn.catalogue import ENTRIES

    lines = []
    if found:
        rows = [["here", "kind", "licence", "where"]]
        for item in sorted(found, key=lambda item: (item.kind, item.name)):
            rows.append([show(item.name), item.kind, show(item.licence) or "-", show(item.path)])
        lines += [table(rows, left=4), ""]
    rows = [["to be fetched", "licence", "parameters", "disk", "speed"]]
    here = {item.name for item in found}
    for entry in ENTRIES:
        if entry.name not in here:
            size = f"{entry.disk / 1000:.1f} GB" if entry.disk >= 1000 else f"{entry.disk} MB"
            rows.append(
                [entry.name, entry.licence, f"{entry.parameters:,} M", size, entry.speed or "not measured"]
            )
    return "\n".join([*lines, table(rows, left=2), "", "fetch one: gitnotes models pull NAME"])


def models_json(found: Sequence[Registered]) -> str:
    from gitnotes.learn.catalogue import ENTRIES

    content = {
        "schema": SCHEMA,
        "kind": "models",
        "here": [to_json(item) for item in found],
        "catalogue": [to_json(entry) for entry in ENTRIES],
    }
    return json.dumps(content, indent=2)
