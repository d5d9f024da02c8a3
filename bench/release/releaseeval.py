"""How near do our notes come to those of ReleaseEval, given what it gives to models?

A row has the `input`, a drawn commit tree or the messages of commits, and the `note` that people
wrote. The layout is chosen by the commits alone, as `draft_note(style="auto")` does for a project without
notes of its own. Beside it stands the echo: the subjects without merges, one a line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.release.measures import PAPER, paper_scores
from bench.release.texts import shown_text
from gitnotes.draft.notes.note import draft_note
from gitnotes.draft.notes.presets import NoteStyle
from gitnotes.errors import UsageError
from gitnotes.guard.text import show
from gitnotes.read.drawn_tree import read_tree_text
from gitnotes.records import Commit, CommitTree

_TRAILER = re.compile(r"(?:[A-Z][\w-]{1,40}-by|Fixes|Closes|Refs?|Change-Id): ")


@dataclass(frozen=True, slots=True)
class Row:
    """One release."""

    tree: CommitTree
    note: str


def read_rows(path: Path) -> Iterator[Row]:
    """The releases of a JSON Lines file; raises UsageError for a line that is none."""
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageError(f"Cannot read {show(str(path))}.", "Give a JSON Lines file in UTF-8.") from problem
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
            text, note = found["input"], found["note"]
            if not isinstance(text, str) or not isinstance(note, str):
                raise TypeError
        except (ValueError, KeyError, TypeError) as problem:
            raise UsageError(
                f"Line {number} of {show(str(path))} has no texts `input` and `note`.",
                'Each line is an object such as {"input": "* 1a2b3c4 Add x", "note": "Added x"}.',
            ) from problem
        yield Row(read_input(text), note)


def read_input(text: str) -> CommitTree:
    """A drawn tree, or messages one below the other where nothing is drawn, newest first."""
    try:
        return read_tree_text(text, start="before")
    except UsageError:
        return read_messages(text)


def read_messages(text: str) -> CommitTree:
    """The commits of messages that stand one below the other, newest first, as far as one can tell.

    Messages are joined by line ends alone, so nothing divides the body of one from the subject of the next.
    Taken for body is the first line after a blank one, what goes on below a long line, bullets and
    trailers.
    """
    subjects: list[str] = []
    before, in_body = "", False
    for line in map(str.strip, text.split("\n")):
        if not line:
            in_body = True
        elif in_body and (not before or len(before) > 55 or line[0] in "-*>" or _TRAILER.match(line)):
            pass
        else:
            in_body = False
            subjects.append(line)
        before = line
    ids = [f"{number:040x}" for number in range(len(subjects) + 1)]
    commits = (
        Commit(name, (parent,), "", "", 0, subject, "")
        for name, parent, subject in zip(ids, ids[1:], subjects, strict=False)
    )
    return CommitTree("before", "HEAD", tuple(commits))


def draft(tree: CommitTree, style: str | NoteStyle = "auto") -> str:
    """The note of `tree` as a reader sees it, without the heading that names the version."""
    return shown_text(draft_note(tree, version="", date="", style=style, heading=False).text)


def echo(tree: CommitTree) -> str:
    """The subjects without merges, as they are."""
    return "\n".join(commit.subject for commit in tree.commits if not commit.subject.startswith("Merge "))


def measure(path: Path) -> dict[str, Any]:
    """The three metrics of the paper for `auto` and for the echo, means over the rows, 0 to 100."""
    rows = list(read_rows(path))
    if not rows:
        raise UsageError(f"{show(str(path))} has no rows.", "Give lines with `input` and `note`.")
    systems: dict[str, Callable[[CommitTree], str]] = {"gitnotes": draft, "echo": echo}
    found = {
        name: _means([paper_scores(system(row.tree), row.note) for row in rows])
        for name, system in systems.items()
    }
    return {"rows": len(rows), **found["gitnotes"], "systems": found}


def _means(scores: list[dict[str, float]]) -> dict[str, float]:
    return {name: sum(row[name] for row in scores) / len(scores) for name in PAPER}
