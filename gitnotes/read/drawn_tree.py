"""Which commits, with which parents, does the text of `git log --graph --oneline` show?

The text is what ReleaseEval gives to models, and what people paste; `gitnotes.read.tree_text` draws it.
Lanes are followed from line to line by where their strokes begin and end: `|` goes straight down, `\\`
from its left to its right, `/` from its right to its left, and `_` lengthens a `/`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gitnotes.errors import UsageError
from gitnotes.guard.patterns import late
from gitnotes.records import Commit, CommitTree

_COMMIT = late(r"([ |\\/_]*\*[-. |\\/_]*)([0-9a-f]{6,64})(?:[ ](.*))?$")
_STROKES = late(r"[ |\\/_]+$")
_MERGE = late(r"Merge (?:pull request #\d|(?:remote-tracking )?branch(?:es)? '|tag '|commit ')")
_WIDEST = 4000
"""Columns of strokes that are followed; git's largest histories stay far below."""


@dataclass(slots=True)
class _Edge:
    """A child that waits for a parent, on the stroke that leads to it."""

    child: int
    order: int
    """0 for the first parent."""
    stroke: str


@dataclass(slots=True)
class _Drawing:
    """What was read so far."""

    ids: list[str] = field(default_factory=list)
    subjects: list[str] = field(default_factory=list)
    parents: list[dict[int, int]] = field(default_factory=list)
    """For each commit its parents by number, with their order."""
    ends: dict[int, list[_Edge]] = field(default_factory=dict)
    """For each column the edges that reach the end of the last line there."""

    def add_commit(self, strokes: str, name: str, subject: str) -> None:
        number = len(self.ids)
        self.ids.append(name)
        self.subjects.append(subject.strip())
        self.parents.append({})
        at = strokes.index("*")
        for edge in self.ends.get(at, []):
            self.parents[edge.child].setdefault(number, edge.order)
        ends = self._follow(strokes)
        # A merge of three or more reaches right: `*-.`, with an arm at every second column.
        arms = [
            at,
            *(col for col in range(at + 2, len(strokes), 2) if set(strokes[at + 1 : col + 1]) <= {*"-."}),
        ]
        for arm in arms:
            ends.setdefault(arm, []).append(_Edge(number, 0, "*"))
        self.ends = ends

    def add_strokes(self, strokes: str) -> None:
        self.ends = self._follow(strokes)

    def _follow(self, strokes: str) -> dict[int, list[_Edge]]:
        """Where the edges are after this line."""
        takers: dict[int, list[tuple[int, str]]] = {}
        for column, sign in enumerate(strokes[:_WIDEST]):
            if sign in "|\\/":
                # Lanes are at even columns; beside a commit git draws one that is about to move slanted.
                start = column + ({"\\": -1, "/": 1}.get(sign, 0) if column % 2 else 0)
                takers.setdefault(start, []).append((column, sign))
        ends: dict[int, list[_Edge]] = {}
        arms: dict[int, int] = {}
        for start in sorted(takers):
            for column, sign in takers[start]:
                for edge in _share(self.ends.get(start, []), takers[start], sign):
                    order = edge.order
                    if edge.stroke == "*":
                        order = arms[edge.child] = arms.get(edge.child, -1) + 1
                    ends.setdefault(_end(strokes, column, sign), []).append(_Edge(edge.child, order, sign))
        return ends


def _share(edges: list[_Edge], takers: list[tuple[int, str]], sign: str) -> list[_Edge]:
    """Which of the edges at a place go on by the stroke `sign`: a `/` that crosses a lane stays a `/`."""
    if len(edges) < 2 or len(takers) < 2:
        return edges
    crossing = [edge for edge in edges if edge.stroke == "/"]
    straight = [edge for edge in edges if edge.stroke != "/"]
    if not crossing or not straight:
        return edges
    return crossing if sign == "/" else straight


def _end(strokes: str, column: int, sign: str) -> int:
    if sign == "|" or column % 2 == 0:
        return column
    if sign == "\\":
        return column + 1
    while column >= 2 and strokes[column - 2] == "_":
        column -= 2
    return column - 1


def read_tree_text(text: str, *, start: str | None = None, end: str = "HEAD") -> CommitTree:
    """The commits of a drawn tree in its order, with ids as short as they are.

    `start` and `end` name the ends of the range, where somebody knows them.
    Authors, dates and bodies are empty. A line that is neither a commit nor strokes belongs to the
    subject before it. Parents that are not drawn are not known: what git worded as a merge and has less
    than two gets an empty id instead, and what begins below the end of another line looks like its
    parent. The drawing of a merge of more than two lines can be ambiguous where others cross it.
    Raises UsageError when no commit is in it.
    """
    drawing = _Drawing()
    for line in text.splitlines():
        if match := _COMMIT().match(line):
            drawing.add_commit(match[1], match[2], match[3] or "")
        elif _STROKES().match(line):
            drawing.add_strokes(line)
        elif drawing.subjects and line.strip():
            drawing.subjects[-1] = f"{drawing.subjects[-1]} {line.strip()}"
    if not drawing.ids:
        raise UsageError(
            "There is no commit in this text.", "Give it what `git log --graph --oneline A..B` prints."
        )
    return CommitTree(start, end, tuple(_commits(drawing)))


def _commits(drawing: _Drawing) -> Iterator[Commit]:
    for name, subject, parents in zip(drawing.ids, drawing.subjects, drawing.parents, strict=True):
        known = sorted(parents, key=parents.__getitem__)
        found = [drawing.ids[at] for at in known]
        if len(found) < 2 and _MERGE().match(subject):
            found += [""] * (2 - len(found))
        yield Commit(name, tuple(found), "", "", 0, subject, "")
