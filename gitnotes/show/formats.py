"""How does each result look as text and as JSON? docs/json.md documents the objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gitnotes.codec import SCHEMA, to_json
from gitnotes.guard.text import show
from gitnotes.records import Draft, Omission, Score


def dump(kind: str, content: dict[str, Any]) -> str:
    import json

    return json.dumps({"schema": SCHEMA, "kind": kind, **content}, indent=2)


def draft_json(draft: Draft) -> str:
    return dump("draft", {**draft_content(draft), "draft_kind": draft.kind})


def draft_content(draft: Draft) -> dict[str, Any]:
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
    # What concerns no file is about the drafting as a whole.
    notes = [show(item.reason) for item in omitted if not item.path]
    files = [item for item in omitted if item.path]
    lines = [f"left out: {show(item.path)} ({show(item.reason)})" for item in files[:limit]]
    if limit is not None and len(files) > limit:
        lines.append(f"left out: {len(files) - limit} more")
    return "\n".join(notes + lines)


def score_json(score: Score) -> str:
    content = to_json(score)
    return dump("score", {"log-mnext": score.value, **content, "signature": str(score.signature)})


def score_text(score: Score) -> str:
    return f"Log-MNEXT {score.value!r}\n{score.signature}"
