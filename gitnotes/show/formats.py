"""How does each result look as text and as JSON? docs/json.md documents the objects."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gitnotes.codec import SCHEMA, to_json
from gitnotes.guard.text import show
from gitnotes.records import Draft, Grade, Omission, Score

if TYPE_CHECKING:
    from gitnotes.recipes.grading import Graded
    from gitnotes.recipes.releasing import Written

DIMENSIONS = ("what", "why", "consistency", "form", "conciseness")


def _dump(kind: str, content: dict[str, Any]) -> str:
    return json.dumps({"schema": SCHEMA, "kind": kind, **content}, indent=2)


def draft_json(draft: Draft) -> str:
    return _dump("draft", {**_draft(draft), "draft_kind": draft.kind})


def _draft(draft: Draft) -> dict[str, Any]:
    content = to_json(draft)
    content.pop("kind")
    return {**content, "signature": str(draft.signature), "settings": draft.signature.settings}


def draft_text(draft: Draft, count: int) -> str:
    """One message as it is, or numbered candidates."""
    if count == 1 or len(draft.candidates) < 2:
        return show(draft.text, newlines=True)
    blocks = []
    for number, text in enumerate(draft.candidates, 1):
        first, _, rest = show(text, newlines=True).partition("\n")
        indented = "\n".join(f"   {line}".rstrip() for line in rest.split("\n")) if rest else ""
        blocks.append(f"{number}. {first}" + (f"\n{indented}" if indented else ""))
    return "\n".join(blocks)


def omitted_text(omitted: Sequence[Omission], limit: int | None = 5) -> str:
    """What was not used, and why."""
    lines = [f"left out: {show(item.path)} ({show(item.reason)})" for item in omitted[:limit]]
    if limit is not None and len(omitted) > limit:
        lines.append(f"left out: {len(omitted) - limit} more")
    return "\n".join(lines)


def grade_json(item: Graded) -> str:
    return _dump("grade", _graded(item))


def grades_json(items: Sequence[Graded]) -> str:
    return _dump("grades", {"commits": [_graded(item) for item in items], "summary": _summary(items)})


def _graded(item: Graded) -> dict[str, Any]:
    grade = to_json(item.grade)
    return {
        "sha": item.sha or None,
        "subject": item.subject,
        **grade,
        "signature": str(item.grade.signature),
    }


def _summary(items: Sequence[Graded]) -> dict[str, Any]:
    from statistics import fmean, median  # 4 ms that one message does not have to pay

    values = [item.grade.overall for item in items if item.grade.overall is not None]
    return {
        "commits": len(items),
        "graded": len(values),
        "unscored": len(items) - len(values),
        "mean": round(fmean(values), 2) if values else None,
        "median": round(median(values), 2) if values else None,
        "lowest": min(values) if values else None,
    }


def grade_line(item: Graded) -> str:
    """The score, the commit and its subject."""
    name = f"{item.sha[:9]} " if item.sha else ""
    return f"{_overall(item.grade)}  {name}{show(item.subject)}"


def grade_details(item: Graded, *, brief: bool) -> list[tuple[str, str]]:
    """Label and text of the scores and findings; `brief` leaves out what is only information."""
    grade = item.grade
    details: list[tuple[str, str]] = []
    if not brief:
        scores = [f"{key} {_value(grade.scores[key])}" for key in DIMENSIONS if key in grade.scores]
        if scores and any(grade.scores[key] is not None for key in DIMENSIONS if key in grade.scores):
            details.append(("scores", ", ".join(scores)))
        others = {key: value for key, value in grade.scores.items() if key not in DIMENSIONS}
        details += [(key, f"{value:.4f}") for key, value in others.items() if value is not None]
        reasons = dict.fromkeys(grade.unscored.values())
        for reason in reasons:
            names = [key for key, value in grade.unscored.items() if value == reason]
            details.append(("unscored", f"{', '.join(names)}: {show(reason)}"))
    elif grade.overall is None:
        details.append(("unscored", show(grade.unscored.get("overall", ""))))
    for finding in grade.findings:
        if brief and finding.severity == "info":
            continue
        place = f"line {finding.line}: " if finding.line and finding.line > 1 else ""
        details.append((finding.rule, f"{place}{show(finding.message)} {show(finding.remedy)}".rstrip()))
    return details


def _overall(grade: Grade) -> str:
    return "  -" if grade.overall is None else f"{grade.overall:3.0f}"


def _value(value: float | None) -> str:
    return "unscored" if value is None else f"{value:.1f}"


def summary_text(items: Sequence[Graded], minimum: float | None) -> str:
    """The last line of a range."""
    from gitnotes.recipes.grading import is_below

    summary = _summary(items)
    if not summary["commits"]:
        return "There is nothing to grade."
    parts = [f"{summary['commits']} commits"]
    if summary["graded"]:
        parts.append(f"median {summary['median']:.0f}, lowest {summary['lowest']:.0f} of 100")
    if summary["unscored"]:
        parts.append(f"{summary['unscored']} unscored")
    if minimum is not None:
        parts.append(f"{sum(is_below(item, minimum) for item in items)} below {minimum:g}")
    return "; ".join(parts) + "."


def score_json(score: Score) -> str:
    content = to_json(score)
    return _dump("score", {"log-mnext": score.value, **content, "signature": str(score.signature)})


def score_text(score: Score) -> str:
    return f"Log-MNEXT {score.value!r}\n{score.signature}"


def written_json(written: Written) -> str:
    return _dump(
        "release",
        {
            **_draft(written.note),
            "draft_kind": written.note.kind,
            "range": to_json(written.range),
            "path": written.path,
            "changed": written.changed,
        },
    )


def written_text(written: Written) -> str:
    path = show(written.path or "")
    if written.changed:
        return f"{path}: wrote the section of {show(written.range.version)}."
    return f"{path}: has the section of {show(written.range.version)} already; nothing changed."
