"""What became of the messages that were suggested: kept, edited, or thrown away?

A suggestion is written down with the commit that it would stand on. What was committed there tells
what became of it, so that nothing has to run when somebody commits. All of it stays in
`.git/gitnotes/` of the repository; nothing is written unless the user has asked for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Literal

MAX_TEXT = 4000
"""Characters of a suggestion that are kept."""
_LAST = 1 << 36
"""Seconds since the epoch beyond which no calendar goes; about the year 4147."""
KEPT, EDITED = 0.95, 0.5
"""Similarity from which a suggestion counts as kept as it was, or as edited rather than replaced."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A message that was suggested for what was staged on top of `base`."""

    time: int
    """Seconds since the epoch."""
    base: str
    """The commit that HEAD was."""
    text: str
    drafter: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a suggestion."""

    suggestion: Suggestion
    sha: str
    """The commit that was made."""
    similarity: float
    """Of its subject and the suggested one, 1 - edit distance by words / the longer one, 0 to 1."""
    fate: Literal["kept", "edited", "replaced"]


@dataclass(frozen=True, slots=True)
class Month:
    """The verdicts of one month, `YYYY-MM`."""

    month: str
    suggestions: int
    kept: float
    """Share."""
    edited: float


def as_line(item: Suggestion) -> str:
    told = {"time": item.time, "base": item.base, "text": item.text[:MAX_TEXT], "drafter": item.drafter}
    return json.dumps(told) + "\n"


def read_lines(text: str) -> list[Suggestion]:
    """The suggestions in a file; a line that is torn, or of a time that cannot be, is left out."""
    found: list[Suggestion] = []
    for line in text.split("\n"):
        try:
            row: dict[str, Any] = json.loads(line)
            item = Suggestion(int(row["time"]), str(row["base"]), str(row["text"]), str(row["drafter"]))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue
        if 0 <= item.time < _LAST:
            found.append(item)
    return found


def judge(
    suggestions: Iterable[Suggestion], children: Mapping[str, Sequence[tuple[str, int, str]]]
) -> list[Verdict]:
    """What became of each; `children` maps a commit to those on top of it: id, time and subject.

    Of several suggestions for one commit the last one before it counts.
    """
    last: dict[str, Suggestion] = {}
    for item in suggestions:
        after = [child for child in children.get(item.base, ()) if child[1] >= item.time - 60]
        if after:
            sha = min(after, key=lambda child: child[1])[0]
            if sha not in last or last[sha].time <= item.time:
                last[sha] = item
    subjects = {sha: subject for found in children.values() for sha, _, subject in found}
    verdicts = []
    for sha, item in last.items():
        similarity = edit_similarity(item.text.partition("\n")[0].split(), subjects[sha].split())
        fate: Literal["kept", "edited", "replaced"] = (
            "kept" if similarity >= KEPT else "edited" if similarity >= EDITED else "replaced"
        )
        verdicts.append(Verdict(item, sha, similarity, fate))
    return sorted(verdicts, key=lambda verdict: verdict.suggestion.time)


def by_month(verdicts: Iterable[Verdict]) -> list[Month]:
    """The shares by month, oldest first."""
    months: dict[str, list[Verdict]] = {}
    for item in verdicts:
        day = datetime.fromtimestamp(item.suggestion.time, timezone.utc)
        months.setdefault(f"{day:%Y-%m}", []).append(item)
    return [
        Month(
            month,
            len(items),
            sum(item.fate == "kept" for item in items) / len(items),
            sum(item.fate == "edited" for item in items) / len(items),
        )
        for month, items in sorted(months.items())
    ]


def edit_similarity(one: Sequence[str], other: Sequence[str]) -> float:
    """1 - Levenshtein's distance / the length of the longer sequence; 1 for two empty ones."""
    row = list(range(len(other) + 1))
    for number, word in enumerate(one, 1):
        before, row[0] = row[0], number
        for at, against in enumerate(other, 1):
            before, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, before + (word != against))
    return 1 - row[-1] / max(len(one), len(other), 1)
