"""Which conventions does a configuration of commitizen (the one in Python) ask for?"""

from __future__ import annotations

from typing import Any

from gitnotes.conventional import TYPES
from gitnotes.read.conventions.asked import Asked, whole_number
from gitnotes.records import Conventions

_BUMP = "bump"
"""The type of the commits that commitizen itself makes."""
_JIRA = r"\b[A-Z]{2,20}-\d+\b"
_NOT_HERE = ("allowed_prefixes", "extras")


def read_commitizen(table: dict[str, Any], source: str) -> Conventions:
    """The conventions that the loaded table `[tool.commitizen]` asks for."""
    asked = Asked(source)
    name = table.get("name", "cz_conventional_commits")
    if name == "cz_conventional_commits":
        asked.values["conventional"] = True
        asked.values["types"] = (*TYPES, _BUMP)
    elif name == "cz_jira":
        asked.values["conventional"] = False
        asked.values["ticket"] = _JIRA
    elif name == "cz_customize":
        _take_custom(asked, table.get("customize"))
    else:
        asked.note(f"name = {name}", "what it checks is in a package that is not run")
    limit = table.get("message_length_limit")
    if limit is not None and whole_number(limit) != 0:
        asked.take_number("subject_limit", "message_length_limit", limit)
    for key in _NOT_HERE:
        if key in table:
            asked.note(key, "there is nothing like it here")
    return asked.freeze()


def _take_custom(asked: Asked, custom: Any) -> None:
    if not isinstance(custom, dict):
        asked.note("name = cz_customize", "there is no table `customize`")
        return
    if "schema_pattern" in custom:
        asked.take_pattern("subject_pattern", "customize.schema_pattern", custom["schema_pattern"])
    types = _offered_types(custom.get("questions"))
    if types and asked.take_names("types", "customize.questions", types):
        example = custom.get("example")
        asked.values["conventional"] = isinstance(example, str) and example.startswith(
            tuple(f"{name}{sign}" for name in types for sign in (":", "(", "!"))
        )


def _offered_types(questions: Any) -> list[Any]:
    """The values of the first list that a person chooses a type from."""
    for question in questions if isinstance(questions, list) else []:
        if not isinstance(question, dict) or question.get("type") not in ("list", "select"):
            continue
        if question.get("name") not in ("prefix", "type", "change_type", "commit_type"):
            continue
        choices = question.get("choices")
        return [
            choice.get("value") if isinstance(choice, dict) else choice
            for choice in (choices if isinstance(choices, list) else [])
        ]
    return []
