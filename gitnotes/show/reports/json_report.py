"""How do grades look as JSON? docs/json.md documents the objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import indent
from typing import Any

from gitnotes.codec import SCHEMA, to_json
from gitnotes.recipes.gate import Judged, Tally
from gitnotes.show.judging import judgement_object
from gitnotes.show.reports import Shape
from gitnotes.show.reports.escaping import as_json


def report(judged: Iterable[Judged], tally: Tally, shape: Shape) -> Iterator[str]:
    """One object; that of many commits is written as they come, so that memory stays flat."""
    if not shape.many:
        for one in judged:
            yield as_json({"schema": SCHEMA, "kind": "grade", **to_object(one)}, 2)
        return
    yield f'{{\n  "schema": {SCHEMA},\n  "kind": "grades",\n  "commits": ['
    before = ""
    for one in judged:
        if before:
            yield before + ","
        before = indent(as_json(to_object(one), 2), "    ")
    summary = indent(as_json(tally.summary(), 2), "  ").lstrip()
    yield f'{before}{chr(10) if before else ""}  ],\n  "summary": {summary}\n}}'


def to_object(one: Judged) -> dict[str, Any]:
    """The object of one message, as text that a program reads: nothing in it is replaced."""
    item = one.item
    found: dict[str, Any] = {
        "sha": item.sha or None,
        "subject": item.subject,
        **to_json(item.grade),
        "signature": str(item.grade.signature),
        "key": item.key,
        "faults": [to_json(finding) for finding in one.faults],
        "known": [finding.rule for finding in one.known],
        "unreadable": item.unreadable or None,
    }
    if item.evidence:
        found["evidence"] = dict(item.evidence)
    if one.item.judgement:
        found["judge"] = judgement_object(one.item.judgement)
    if one.suggestion:
        text, score = one.suggestion
        found["suggestion"] = {"text": text, "overall": score}
    elif one.unimproved:
        found["suggestion"] = {"text": None, "reason": one.unimproved}
    return found
