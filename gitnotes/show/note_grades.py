"""How does the grade of a release note look as text and as JSON? docs/json.md documents the object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gitnotes.codec import to_json
from gitnotes.guard.text import shorten, show
from gitnotes.show.formats import dump

if TYPE_CHECKING:
    from gitnotes.note_items import NoteItem
    from gitnotes.recipes.release_grading import ChangeFact, Checked, NoteGrade
    from gitnotes.records import Judgement

_MOST = 20
"""Lines of one kind that a person is shown."""


def grade_json(checked: Checked, bar: float) -> str:
    return dump(
        "note-grade",
        {
            **grade_content(checked.grade),
            "text": checked.text,
            "range": to_json(checked.range),
            "path": checked.path or None,
            "min": bar,
            "passes": checked.passes(bar),
        },
    )


def grade_content(grade: NoteGrade) -> dict[str, Any]:
    return {
        "scores": grade.scores,
        "overall": grade.overall,
        "entries": grade.entries,
        "changes": grade.changes,
        "missing": [_fact(fact) for fact in grade.missing],
        "invented": [_item(item) for item in grade.invented],
        "doubles": [[_item(item) for item in pair] for pair in grade.doubles],
        "unclear": [_item(item) for item in grade.unclear],
        "misplaced": [_item(item) for item in grade.misplaced],
        "needless": [_item(item) for item in grade.needless],
        "unscored": grade.unscored,
        "signature": str(grade.signature),
    }


def grade_text(checked: Checked) -> str:
    """The scores, one a line, and below them what costs them."""
    grade = checked.grade
    lines = [f"{name:14}{_score(score)}" for name, score in grade.scores.items()]
    lines.append(f"{'overall':14}{_score(grade.overall)}")
    told = grade.changes - len(grade.missing)
    lines.append(f"{told:,} of {grade.changes:,} changes are told, in {grade.entries:,} entries.")
    lines += _list("forgotten", (_reference(fact) for fact in grade.missing))
    lines += _list("nothing bears out", (_place(item) for item in grade.invented))
    lines += _list("said before", (f"{_place(item)} (line {other.line})" for item, other in grade.doubles))
    lines += _list("says little", (_place(item) for item in grade.unclear))
    lines += _list("under another heading", (_place(item) for item in grade.misplaced))
    lines += _list("no news", (_place(item) for item in grade.needless))
    lines += [f"{name} has no score: {reason}." for name, reason in grade.unscored.items()]
    return "\n".join(lines)


def judgement_text(judgement: Judgement) -> str:
    """What a model thinks of a note, beside our own grade."""
    lines = [f"judge {name:14}{_score(score)}" for name, score in judgement.scores.items()]
    lines.append(f"judge {'overall':14}{_score(judgement.overall)}")
    lines += [f"judge {name} has no score: {show(reason)}." for name, reason in judgement.unscored.items()]
    lines += [f"judge: {show(text)}" for text in (*judgement.flags, *judgement.explanations)]
    return "\n".join(lines)


def _score(score: float | None) -> str:
    return "   -" if score is None else f"{score:4.2f} of 5"


def _list(label: str, items: Iterable[str]) -> list[str]:
    known = list(items)
    more = [f"{label}: {len(known) - _MOST:,} more"] if len(known) > _MOST else []
    return [*(f"{label}: {item}" for item in known[:_MOST]), *more]


def _reference(fact: ChangeFact) -> str:
    return f"{shorten(fact.text)} [{fact.category}, {fact.commits[0][:9] if fact.commits else ''}]"


def _place(item: NoteItem) -> str:
    return f"{shorten(item.text)} (line {item.line})"


def _fact(fact: ChangeFact) -> dict[str, Any]:
    return {
        "text": fact.text,
        "category": fact.category,
        "numbers": sorted(fact.numbers),
        "commits": list(fact.commits),
    }


def _item(item: NoteItem) -> dict[str, Any]:
    return {"text": item.text, "line": item.line, "heading": item.heading}
