"""How do correlations with people look as text and as JSON?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gitnotes.codec import SCHEMA, to_json
from gitnotes.guard.text import show

if TYPE_CHECKING:
    from gitnotes.scoring.correlating import Correlations, Estimate


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
    width = max(len("metric"), *(len(show(item.metric)) for item in found.correlations))
    for human in dict.fromkeys(item.human for item in found.correlations):
        items = [item for item in found.correlations if item.human == human]
        clusters = "" if items[0].clusters == items[0].rows else f" in {items[0].clusters:,} clusters"
        lines = [f"{show(human)} ({items[0].rows:,} rows{clusters})"]
        columns = [f"{'metric':{width}}", *(f"{name:22}" for name in ("Spearman", "Kendall", "Pearson"))]
        if len(items) > 1:
            columns.append("Spearman minus the first")
        lines.append("  ".join(columns).rstrip())
        for item in items:
            cells = [_estimate(value) for value in (item.spearman, item.kendall, item.pearson)]
            if item.difference is not None:
                cells.append(_estimate(item.difference, sign="+"))
            lines.append(
                "  ".join([f"{show(item.metric):{width}}", *(f"{cell:22}" for cell in cells)]).rstrip()
            )
        blocks.append("\n".join(lines))
    foot = [f"note: {note}." for note in found.notes]
    foot += found.signatures.values()
    foot.append("|".join(f"{key}:{value}" for key, value in found.settings.items()))
    blocks.append("\n".join(foot))
    return "\n\n".join(blocks)


def _estimate(found: Estimate, sign: str = "") -> str:
    """`0.827 [0.733, 0.891]`, a hyphen where it is not defined."""
    if found.value is None:
        return "-"
    value = f"{found.value:{sign}.3f}"
    if found.low is None or found.high is None:
        return value
    return f"{value} [{found.low:{sign}.3f}, {found.high:{sign}.3f}]"
