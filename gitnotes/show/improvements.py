"""How does a better message look beside the one that it would replace, as text and as JSON?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gitnotes.codec import SCHEMA, to_json
from gitnotes.guard.text import shorten, show
from gitnotes.recipes.improving import Improvement, WrittenPlan
from gitnotes.records import Grade
from gitnotes.show.console import wrap

_REASONS = 3
"""Findings that are shown for a message."""


def text_of(item: Improvement) -> str:
    """The message to use: the better one, or the own one where nothing is better."""
    return show(item.better or item.message.rstrip("\n"), newlines=True)


def verdict(item: Improvement) -> str:
    """What became of a text, in a sentence, and what is left to do."""
    before = _score(item.grade)
    if item.better_grade is not None:
        left = [finding for finding in item.better_grade.findings if finding.severity != "info"]
        why = [finding for finding in item.better_grade.findings if finding.rule == "why-missing"]
        lines = [f"{before} -> {_score(item.better_grade)} of 100"]
        return "\n".join([*lines, *_findings((*left, *why))])
    if item.reason:
        return "\n".join(
            [f"{before} of 100, unchanged: {show(item.reason)}.", *_findings(item.grade.findings)]
        )
    return f"{before} of 100; nothing to mend."


def improvement_text(item: Improvement) -> str:
    """A commit below the bar: grade, subject, reasons, and the better message or why there is none."""
    assert item.commit is not None
    lines = wrap(f"{item.commit.sha[:9]} {show(item.commit.subject)}", f"{_score(item.grade):>3}  ")
    for line in _findings(item.grade.findings):
        lines += wrap(line, " " * 5, rest=7)
    if item.better_grade is None:
        return "\n".join([*lines, *wrap(f"needs a person: {show(item.reason)}", " " * 5, rest=7)])
    first, *rest = show(item.better, newlines=True).split("\n")
    lines.append(f"  -> {_score(item.better_grade):>3}  {first}")
    return "\n".join([*lines, *(f"          {line}".rstrip() for line in rest)])


def summary(items: Sequence[Improvement], bar: float) -> str:
    """The last line of a range."""
    below = [item for item in items if item.below]
    better = sum(bool(item.better) for item in below)
    if not below:
        return f"{len(items)} commits, none below {bar:g}."
    return "\n".join(
        wrap(
            f"{len(items)} commits, {len(below)} below {bar:g}: {better} with a better message, "
            f"{len(below) - better} for a person."
        )
    )


def plan_text(plan: WrittenPlan) -> str:
    """What was written, what to know before it is applied, and how to apply it."""
    found = plan.obstacles
    warnings = [
        found.busy and "a rebase is going on here; finish it first.",
        found.dirty and "files have changes that are not committed; git will refuse until they are.",
        found.published
        and f"{found.published} of these commits are on a remote branch: whoever has them "
        "must move to the new ones, and a push needs --force-with-lease.",
        found.signed
        and f"{found.signed} of these commits are signed; the new ones are signed only if "
        "commit.gpgSign is set.",
        found.names
        and "other branches and tags keep the old commits: "
        f"{', '.join(shorten(name) for name in found.names[:5])}{' ...' if len(found.names) > 5 else ''}.",
    ]
    reworded = "1 new message" if plan.reworded == 1 else f"{plan.reworded} new messages"
    again = "1 commit is" if plan.made_again == 1 else f"{plan.made_again} commits are"
    lines = [f"{show(plan.folder)}: {reworded}; {again} made again."]
    lines += [f"warning: {line}" for line in warnings if line]
    return "\n".join([*lines, "Read the README there; to apply it:", f"  {show(plan.command)}"])


def improvement_json(item: Improvement) -> str:
    return _dump("improvement", _fields(item))


def improvements_json(items: Sequence[Improvement], bar: float, plan: WrittenPlan | None) -> str:
    """The commits below the bar, newest first, and the plan if one was written."""
    below = [_fields(item) for item in items if item.below]
    content = {"commits": below, "graded": len(items), "min": bar, "plan": to_json(plan) if plan else None}
    return _dump("improvements", content)


def _dump(kind: str, content: dict[str, Any]) -> str:
    return json.dumps({"schema": SCHEMA, "kind": kind, **content}, indent=2)


def _fields(item: Improvement) -> dict[str, Any]:
    return {
        "sha": item.commit.sha if item.commit else None,
        "message": item.message,
        "overall": item.grade.overall,
        "findings": to_json(item.grade.findings),
        "better": item.better or None,
        "better_overall": item.better_grade.overall if item.better_grade else None,
        "reason": item.reason or None,
    }


def _findings(findings: Sequence[Any]) -> list[str]:
    serious = [item for item in findings if item.severity != "info"] or list(findings)
    return [f"{item.rule}: {show(item.message)} {show(item.remedy)}".rstrip() for item in serious[:_REASONS]]


def _score(grade: Grade) -> str:
    return "-" if grade.overall is None else f"{grade.overall:.0f}"
