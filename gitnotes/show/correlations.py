"""How do correlations with people look as text and as JSON?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gitnotes.codec import SCHEMA, to_json
from gitnotes.guard.text import show
from gitnotes.show.scores import table

if TYPE_CHECKING:
    from gitnotes.scoring.correlating import Correlation, Correlations, Estimate


def correlations_json(found: Correlations) -> str:
    return json.dumps({"schema": SCHEMA, "kind": "correlations", **to_json(found)}, indent=2)


def correlations_text(found: Correlations) -> str:
    """A table for each human column, and what must be known about it."""
    unscored = sum(found.unscored.values())
    head = f"{found.rows:,} rows, {found.rows - unscored:,} with scores and human values"
    if found.unscored:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(found.unscored.items()))
        head += f"; left out: {reasons}"
    blocks = [head]
    for human in dict.fromkeys(item.human for item in found.correlations):
        items = [item for item in found.correlations if item.human == human]
        blocks.append("\n".join([_heading(items[0]), *_tables(items)]))
    foot = [f"note: {note}." for note in found.notes]
    foot += found.signatures.values()
    foot.append("|".join(f"{key}:{value}" for key, value in found.settings.items()))
    blocks.append("\n".join(foot))
    return "\n\n".join(blocks)


def _heading(item: Correlation) -> str:
    rows = "1 row" if item.rows == 1 else f"{item.rows:,} rows"
    groups = "1 cluster" if item.clusters == 1 else f"{item.clusters:,} clusters"
    return f"{show(item.human)} ({rows}{'' if item.clusters == item.rows else f' in {groups}'})"


def _tables(items: Sequence[Correlation]) -> list[str]:
    """The coefficients, and how far each other metric is from the first one."""
    lines = [["metric", "Spearman", "Kendall", "Pearson"]]
    for item in items:
        estimates = (item.spearman, item.kendall, item.pearson)
        lines.append([show(item.metric), *map(_estimate, estimates)])
    differences = [
        [show(item.metric), _estimate(item.difference, sign="+")]
        for item in items
        if item.difference is not None and item.difference.value is not None
    ]
    if not differences:
        return [table(lines, left=4)]
    head = [f"minus {show(items[0].metric)}", "Spearman"]
    # Of their own: beside the three others they would be wider than a terminal.
    return [table(lines, left=4), table([head, *differences], left=2)]


def _estimate(found: Estimate, sign: str = "") -> str:
    """`0.827 [0.733, 0.891]`, a hyphen where it is not defined."""
    if found.value is None:
        return "-"
    value = f"{found.value:{sign}.3f}"
    if found.low is None or found.high is None:
        return value
    return f"{value} [{found.low:{sign}.3f}, {found.high:{sign}.3f}]"
