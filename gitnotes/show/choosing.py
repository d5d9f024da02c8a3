"""How is a message shown to somebody who has to choose?"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Collection, Iterable

from gitnotes.guard.text import show
from gitnotes.recipes.committing import Candidate
from gitnotes.show.console import make_console, wrap

_SOURCES = {
    "draft": "draft",
    "yours": "your text",
    "improved": "your text, improved",
    "kept": "the text that was kept",
}
_MOST_FINDINGS = 3
KEYS = {
    "accept": ("Enter", "accept"),
    "edit": ("e", "edit"),
    "next": ("n", "next"),
    "why": ("w", "add a why"),
    "again": ("r", "ask again"),
    "quit": ("q", "quit"),
}


def show_candidate(
    candidate: Candidate,
    place: int,
    total: int,
    keys: Collection[str] = tuple(KEYS),
    told: Iterable[str] = (),
) -> None:
    """Draws a message on the terminal with its grade, what speaks against it, and the `keys`; below
    the message what was `told` while it was drafted."""
    console = make_console(sys.stderr)
    grade = candidate.graded.grade
    of = f" {place + 1} of {total}" if total > 1 else ""
    worth = "not graded" if grade.overall is None else f"{grade.overall:.0f} of 100"
    console.print()
    console.print(f"{_SOURCES[candidate.source]}{of}, {worth}", style="bold")
    console.print()
    for number, line in enumerate(candidate.text.split("\n")):
        words = show(line.lstrip(" "))
        indent = " " * (4 + len(line) - len(line.lstrip(" ")))
        # What goes on stands further in, so that it does not look like a line of its own.
        for part in wrap(words, indent, rest=len(indent) + 2):
            console.print(part, style="bold cyan" if number == 0 else None, soft_wrap=True)
    console.print()
    serious = sorted(grade.findings, key=lambda item: ("error", "warning", "info").index(item.severity))
    for finding in serious[:_MOST_FINDINGS]:
        item = textwrap.fill(show(f"{finding.message} {finding.remedy}"), console.width - 6)
        console.print(textwrap.indent(item, "      ").replace("      ", "    - ", 1), style="yellow")
    for line in told:
        console.print(textwrap.fill(show(line), console.width), style="dim")
    offered = [f"[{key}] {word}" for name, (key, word) in KEYS.items() if name in keys]
    console.print("  ".join(offered), style="dim")
