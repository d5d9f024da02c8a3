"""How do grades look as annotations of GitHub Actions, and as the summary of the job?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from gitnotes.recipes.gate import Judged, Tally
from gitnotes.show import console
from gitnotes.show.reports import Shape
from gitnotes.show.reports.escaping import github_data, github_property, plain
from gitnotes.show.reports.markdown import MOST_ROWS, write_row, write_table
from gitnotes.show.reports.text import Line, list_lines, summarise

SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable that names the file of the job's summary."""


def report(judged: Iterable[Judged], tally: Tally, shape: Shape) -> Iterator[str]:
    """An annotation for each message that has a fault or a warning: GitHub shows ten of a kind.

    Appends a table to the summary of the job where GITHUB_STEP_SUMMARY names its file.
    """
    place = os.environ.get(SUMMARY, "")
    rows: list[str] = []
    left = 0
    for one in judged:
        annotation = _annotate(one, shape)
        if annotation:
            yield annotation
        if len(rows) < MOST_ROWS and place:
            rows.append(write_row(one))
        else:
            left += 1
    yield summarise(tally, shape) if shape.many else ""
    if place:
        _append(Path(place), write_table(rows, left, tally, shape))


def _annotate(one: Judged, shape: Shape) -> str:
    lines = [
        line for line in list_lines(one, shape) if line.mark in ("x", "!") or line.label.startswith("better")
    ]
    if not any(line.mark in ("x", "!") for line in lines):
        return ""
    level = "error" if one.faults or one.item.unreadable else "warning"
    overall = one.item.grade.overall
    score = "" if overall is None else f" scores {overall:.0f} of 100"
    title = f"{one.item.sha[:9] or 'message'}{score}"
    text = "\n".join([plain(one.item.subject), *map(_say, lines)])
    return f"::{level} title={github_property(title)}::{github_data(text)}"


def _say(line: Line) -> str:
    return f"{line.label}: {line.text} {line.remedy}".rstrip()


def _append(path: Path, text: str) -> None:
    """Adds to the summary; that it cannot be written does not change the verdict."""
    try:
        with path.open("a", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
    except (OSError, ValueError) as problem:
        console.note(f"gitnotes: the summary of the job cannot be written: {plain(str(problem))}")
