"""How do grades look as text, JSON, SARIF, JUnit, GitHub annotations or Markdown?

A report is a function from judged messages to pieces of text, each of whole lines, as they come.
The tally is complete when the last message was taken, so what sums up comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import NamedTuple

from gitnotes.recipes.gate import Judged, Tally

DIMENSIONS = ("what", "why", "consistency", "form", "conciseness")
FORMATS = {
    "text": "text",
    "json": "json_report",
    "sarif": "sarif",
    "junit": "junit",
    "github": "github",
    "markdown": "markdown",
}
"""Name of a format to its module, which has `report`."""


class Shape(NamedTuple):
    """What is reported: many commits or one text, and how much of it."""

    many: bool
    minimum: float | None = None
    explain: bool = False


Report = Callable[[Iterable[Judged], Tally, Shape], Iterator[str]]


def find_report(name: str) -> Report:
    """The report of a format; only its module is loaded."""
    report: Report = import_module(f"{__name__}.{FORMATS[name]}").report
    return report
