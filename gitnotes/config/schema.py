"""How do editors and documents learn which settings there are? From the table that checks them."""

from __future__ import annotations

import json
import re
from typing import Any

from gitnotes.config.table import TABLE, Setting

_TITLE = "Settings of gitnotes (.gitnotes.toml, [tool.gitnotes] in pyproject.toml, gitnotes/config.toml)"
_TYPES = {int: "integer", float: "number", bool: "boolean", str: "string", tuple: "array", dict: "object"}


def json_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a configuration file."""
    properties = {name: _property(setting) for name, setting in TABLE.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": _TITLE,
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }


def settings_table() -> str:
    """The settings as a table in Markdown."""
    lines = ["| setting | default | may be | meaning |", "|---|---|---|---|"]
    for name, setting in TABLE.items():
        meaning = re.sub(r"(?<!\w)'([^']+)'(?!\w)", r"`\1`", setting.meaning)
        lines.append(
            f"| `{name}` | `{show_value(setting.default)}` | {describe_values(setting)} | {meaning} |"
        )
    return "\n".join(lines)


def rules_table() -> str:
    """The rules as a table in Markdown."""
    from gitnotes.rulebook import PROTECTED, RULES

    lines = ["| rule | level | what it asks | how to mend it |", "|---|---|---|---|"]
    for name, rule in RULES.items():
        mark = " (protected)" if name in PROTECTED else ""
        lines.append(f"| `{name}`{mark} | {rule.level} | {rule.question} | {rule.remedy} |")
    return "\n".join(lines)


def describe_values(setting: Setting) -> str:
    """What a setting may be, in words."""
    if setting.choices:
        return ", ".join(f"`{choice}`" for choice in setting.choices)
    if setting.bounds:
        low, high = setting.bounds
        return f"{low:g} to {high:g}" + (", or 0" if setting.off_at_zero else "")
    names = {bool: "true or false", str: "a text", tuple: "a list of texts", dict: "a table"}
    return "a list of tables" if setting.name == "overrides" else names[setting.kind]


def show_value(value: Any) -> str:
    """A value as TOML and JSON write it alike."""
    if isinstance(value, float) and value == int(value):
        value = int(value)
    return json.dumps(value, ensure_ascii=False)


def _property(setting: Setting) -> dict[str, Any]:
    found: dict[str, Any] = {"type": _TYPES[setting.kind], "description": setting.meaning}
    if setting.name not in ("rules", "overrides"):
        found["default"] = list(setting.default) if setting.kind is tuple else setting.default
    if setting.choices:
        found["enum"] = list(setting.choices)
    if setting.bounds:
        low, high = setting.bounds
        found |= {"minimum": low, "maximum": high}
        if setting.off_at_zero:
            limits = {key: found.pop(key) for key in ("minimum", "maximum")}
            found["anyOf"] = [{"const": 0}, limits]
    if setting.name == "rules":
        found |= _rules()
    elif setting.name == "overrides":
        found["items"] = _override()
    elif setting.kind is tuple:
        found["items"] = {"type": "string"}
    return found


def _rules() -> dict[str, Any]:
    from gitnotes.rulebook import LEVELS, RULES

    levels = {"enum": list(LEVELS)}
    return {
        "additionalProperties": False,
        "properties": {name: {"description": rule.question, **levels} for name, rule in RULES.items()},
    }


def _override() -> dict[str, Any]:
    patterns = {"type": "array", "items": {"type": "string"}}
    local = {name: _property(setting) for name, setting in TABLE.items() if setting.in_overrides}
    for item in local.values():
        item.pop("default")
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "paths": {**patterns, "description": "Patterns as in .gitignore; every changed path matches."},
            "authors": {**patterns, "description": 'Globs, one of which "Name <email>" matches.'},
            "rules": {"type": "object", **_rules()},
            **local,
        },
        "anyOf": [{"required": ["paths"]}, {"required": ["authors"]}],
    }
