"""How do drafters look side by side, as a table and as JSON?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gitnotes.codec import SCHEMA, to_json
from gitnotes.guard.text import shorten, show
from gitnotes.show.learning import day
from gitnotes.show.scores import table

if TYPE_CHECKING:
    from gitnotes.learn.evaluate import Evaluation, System
    from gitnotes.learn.feedback import Month

_HEAD = ["drafter", "log-mnext", "mnext-f1", "rouge-l", "edit", "grade", "invented", "seconds", "memory"]


def evaluation_text(found: Evaluation) -> str:
    """The table, what is sure about it, and the recommendation."""
    name = f" of {shorten(found.repository)}" if found.repository else ""
    counted = "1 commit" if found.commits == 1 else f"{found.commits:,} commits"
    lines = [
        f"{counted}{name}, {day(found.first)} to {day(found.last)}, each drafted from what came before it",
        "",
        table([_HEAD, *(_cells(item) for item in found.systems)], left=1),
    ]
    if found.duels:
        rows = [["against the first", "metric", "difference", "95 % interval", "p"]]
        for duel in found.duels:
            rows.append(
                [
                    shorten(duel.system),
                    duel.metric,
                    f"{100 * duel.difference:+.1f}",
                    f"{100 * duel.low:+.1f} to {100 * duel.high:+.1f}",
                    f"{duel.p:.3f}",
                ]
            )
        lines += ["", table(rows, left=2)]
    lines += ["", *found.notes, found.reason, str(found.signature)]
    return "\n".join(lines)


def _cells(item: System) -> list[str]:
    memory = "-" if item.memory is None else f"{item.memory / 1e6:,.0f} MB"
    return [
        shorten(item.name),
        *(f"{100 * item.mean(metric):.1f}" for metric in ("log-mnext", "mnext-f1", "rouge-l", "edit")),
        "-" if item.grade is None else f"{item.grade:.0f}",
        f"{100 * item.share('invented'):.0f} %",
        f"{item.seconds:.3f}",
        memory,
    ]


def evaluation_json(found: Evaluation, *, rows: bool = False) -> str:
    """One JSON object; `rows` adds every draft beside what the person wrote."""
    systems: list[dict[str, Any]] = []
    for item in found.systems:
        told: dict[str, Any] = {"name": item.name, "model": item.model, "memory": item.memory}
        told |= {metric: item.mean(metric) for metric in ("log-mnext", "mnext-f1", "rouge-l", "edit")}
        told |= {what: item.share(what) for what in ("kept", "invented", "empty")}
        told |= {"grade": item.grade, "seconds": item.seconds}
        if rows:
            told["rows"] = [to_json(row) for row in item.rows]
        systems.append(told)
    content = {
        "schema": SCHEMA,
        "kind": "evaluation",
        "repository": found.repository,
        "commits": found.commits,
        "first": found.first,
        "last": found.last,
        "systems": systems,
        "comparisons": [to_json(duel) for duel in found.duels],
        "recommended": found.recommended,
        "reason": found.reason,
        "notes": list(found.notes),
        "signature": str(found.signature),
    }
    return json.dumps(content, indent=2)


def months_text(months: Sequence[Month]) -> str:
    """What became of suggestions, a line a month."""
    rows = [["month", "suggestions", "kept", "edited", "replaced"]]
    for item in months:
        rest = 1 - item.kept - item.edited
        rows.append(
            [
                show(item.month),
                f"{item.suggestions:,}",
                *(f"{100 * share:.0f} %" for share in (item.kept, item.edited, rest)),
            ]
        )
    return table(rows, left=1)


def months_json(months: Sequence[Month]) -> str:
    content = {"schema": SCHEMA, "kind": "feedback", "months": [to_json(item) for item in months]}
    return json.dumps(content, indent=2)
