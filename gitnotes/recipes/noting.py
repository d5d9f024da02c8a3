"""How are grades kept beside the commits? As git notes under refs/notes/gitnotes, one line each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from gitnotes import __version__
from gitnotes.read.git import Git
from gitnotes.recipes.gate import Judged


def collect_notes(judged: Iterable[Judged], lines: dict[str, str]) -> Iterator[Judged]:
    """The same, the line of each commit that could be judged put into `lines` by its id."""
    for one in judged:
        if one.item.sha and not one.item.unreadable:
            lines[one.item.sha] = grade_line(one)
        yield one


def save_notes(git: Git, lines: dict[str, str]) -> str:
    """Writes the lines, and says so in a sentence; grades that are there already make no commit.

    Raises GitError.
    """
    from gitnotes.write.notes import REF, save_lines

    changed = save_lines(git, lines)
    return f"{REF}: {changed:,} of {len(lines):,} grades are new. They stay here until you push them."


def grade_line(judged: Judged) -> str:
    """A grade as one line of JSON, the same for the same grade."""
    grade = judged.item.grade
    return json.dumps(
        {
            "gitnotes": __version__,
            "overall": grade.overall,
            "scores": grade.scores,
            "rules": list(dict.fromkeys(finding.rule for finding in grade.findings)),
            "signature": str(grade.signature),
        }
    )
