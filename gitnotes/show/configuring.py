"""How do settings and their origins look, as text and as JSON?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gitnotes.codec import SCHEMA
from gitnotes.config.schema import describe_values, show_value
from gitnotes.guard.text import show
from gitnotes.guard.width import columns
from gitnotes.show.console import wrap

if TYPE_CHECKING:
    from gitnotes.recipes.configuring import Configuration, Entry

_WIDEST = 40
"""Columns of a value in the list."""


def list_text(found: Configuration) -> str:
    """One line for each setting: name, value, origin; then what does not count, and other tools."""
    shown = [(entry.name, _short(entry.value), entry.place) for entry in found.entries]
    widths = [max(columns(row[place]) for row in shown) for place in (0, 1)]
    lines = []
    for name, value, place in shown:
        gaps = [" " * (width - columns(text)) for width, text in zip(widths, (name, value), strict=True)]
        lines.append(f"{name}{gaps[0]}  {value}{gaps[1]}  {show(place)}")
    for item in found.settings.refused:
        lines.append(
            f"{item.name} = {_short(item.value)} in {show(item.place)} does not count: {item.reason}."
        )
    elsewhere = found.settings.elsewhere
    if elsewhere:
        lines.append(f"Where you say nothing, these count: {', '.join(map(show, elsewhere.sources))}.")
        for note in elsewhere.notes:
            lines += wrap(show(note), rest=2)
    return "\n".join(lines)


def list_json(found: Configuration) -> str:
    elsewhere = found.settings.elsewhere
    content: dict[str, Any] = {
        "settings": [_entry(entry) for entry in found.entries],
        "conventions": elsewhere
        and {"sources": list(elsewhere.sources), "notes": [show(note) for note in elsewhere.notes]},
    }
    return json.dumps({"schema": SCHEMA, "kind": "config", **content}, indent=2, default=_plain)


def entry_json(entry: Entry) -> str:
    content = {"schema": SCHEMA, "kind": "setting", **_entry(entry)}
    return json.dumps(content, indent=2, default=_plain)


def value_text(entry: Entry) -> str:
    """The bare value, for scripts: a text as it is, anything else as TOML and JSON write it."""
    return show(entry.value) if isinstance(entry.value, str) else _value(entry.value)


def entry_text(entry: Entry) -> str:
    """What a setting means, may be, is, and who said what of it."""
    setting = entry.setting
    if entry.name == setting.name:
        lines = wrap(f"{entry.name}: {setting.meaning}")
        lines.append(f"It may be {describe_values(setting).replace('`', '')}.")
        default = _value(setting.default)
    else:
        from gitnotes.rulebook import LEVELS, RULES

        rule = RULES[entry.name.partition(".")[2]]
        lines = [*wrap(f"{entry.name}: {rule.question}"), f"It may be {', '.join(LEVELS)}."]
        default = _value(rule.level)
    holds = "" if entry.said and entry.layer != "default" else "  <- holds"
    lines.append(f"default: {default}{holds}")
    for item in entry.said:
        mark = f"  (does not count: {item.refused})" if item.refused else ""
        if item.place == entry.place and not item.refused:
            mark = "  <- holds"
        lines.append(f"{show(item.place)}: {_value(item.value)}{mark}")
    if entry.name in ("rules", "overrides") and len(entry.said) > 1:
        lines.append("All of them together hold, the later one where they disagree.")
    return "\n".join(lines)


def _entry(entry: Entry) -> dict[str, Any]:
    said = [
        {"layer": item.layer, "place": item.place, "value": item.value, "refused": item.refused}
        for item in entry.said
    ]
    return {
        "name": entry.name,
        "value": entry.value,
        "default": entry.setting.default if entry.name == entry.setting.name else None,
        "layer": entry.layer,
        "place": entry.place,
        "said": said,
    }


def _plain(value: Any) -> Any:
    return value._asdict() if hasattr(value, "_asdict") else str(value)


def _value(value: Any) -> str:
    if isinstance(value, tuple) and value and hasattr(value[0], "_asdict"):
        value = [{key: part for key, part in item._asdict().items() if part} for item in value]
    return show(show_value(value))


def _short(value: Any) -> str:
    text = _value(value)
    while columns(text) > _WIDEST:
        text = (
            f"{text[: _WIDEST // 2]}...{text[-_WIDEST // 4 :]}" if len(text) > _WIDEST else text[:-4] + "..."
        )
    return text


def changed_text(where: str, layer: str, entry: Entry, *, set_now: bool) -> str:
    """What was done at the place `where` of a layer, and what holds when another layer decides."""
    value = _value(entry.value)
    if not set_now:
        return f"{where}: taken out; {entry.name} is {value} ({show(entry.place)})."
    if entry.layer == layer:
        return f"{where}: {entry.name} is {value} now."
    vain = next((item.refused for item in entry.said if item.layer == layer and item.refused), "")
    reason = vain or f"{show(entry.place)} is stronger"
    return f"{where}: written, but {entry.name} is {value}: {reason}."
