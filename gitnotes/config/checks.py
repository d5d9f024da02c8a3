"""Does the value of a setting make sense, and if not, what should stand there?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gitnotes.config.table import TABLE, Override
from gitnotes.errors import UsageError
from gitnotes.findings import Level
from gitnotes.guard.text import shorten, show

_MAX_ITEMS = 1000
"""Of a list."""


def setting_named(key: str) -> str:
    """The name of the setting that somebody calls `key`: `subject-limit`, `subjectLimit`, `rules.vague`.

    Raises UsageError for one that does not exist, with the nearest that does.
    """
    name, dot, rule = key.partition(".")
    wanted = name.replace("-", "").replace("_", "").lower()
    for known in TABLE:
        if known.replace("_", "") == wanted and (not dot or known == "rules"):
            if not dot:
                return known
            check_value("rules", {rule: "off"}, "its name")
            return f"rules.{rule.replace('_', '-').lower()}"
    raise UsageError(f"There is no setting '{shorten(key)}'.", near_setting(name.replace("-", "_"), TABLE))


def check_value(name: str, value: Any, origin: str, known: Iterable[str] = TABLE) -> Any:
    """The value of the setting `name` as `Settings` has it. Raises UsageError, naming `origin`."""
    if name not in known:
        raise UsageError(f"There is no setting '{shorten(name)}' ({origin}).", near_setting(name, known))
    if name == "rules":
        return _check_rules(value, origin)
    if name == "overrides":
        return tuple(_check_override(item, origin) for item in _check_list(name, value, origin, dict))
    setting = TABLE[name]
    if setting.kind is tuple:
        return tuple(_check_list(name, value, origin, str))
    if setting.kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, setting.kind) or (setting.kind is int and isinstance(value, bool)):
        raise _wrong(name, origin, _describe(setting.kind), value)
    if setting.choices and value not in setting.choices:
        raise UsageError(
            f"The setting '{name}' ({origin}) cannot be {show(repr(value))[:60]}.",
            f"Choose one of: {', '.join(setting.choices)}.",
        )
    if setting.bounds and not (setting.off_at_zero and value == 0):
        low, high = setting.bounds
        if isinstance(value, int | float) and not low <= value <= high:
            raise UsageError(f"The setting '{name}' ({origin}) must be from {low:g} to {high:g}.")
    if name == "ticket" and value not in ("", "any"):
        _check_pattern(name, str(value), origin)
    return value


def parse_text(text: str, kind: type, where: str) -> Any:
    """The value that a text stands for: of a variable, of git's configuration, or on the command line."""
    if kind is bool:
        word = text.strip().lower()
        if word in ("1", "true", "yes", "on"):
            return True
        if word in ("0", "false", "no", "off"):
            return False
    elif kind is str:
        return text
    elif kind is tuple:
        return [item.strip() for item in text.split(",") if item.strip()]
    elif kind is dict:
        pairs = [item.partition("=") for item in text.split(",") if item.strip()]
        if all(mark for _, mark, _ in pairs):
            return {name.strip(): value.strip() for name, _, value in pairs}
        raise UsageError(f"{where} wants rule=level,rule=level, not {show(repr(text))[:60]}.")
    else:
        try:
            return kind(text)
        except ValueError:
            pass
    raise UsageError(f"{where} wants {_describe(kind)}, not {show(repr(text))[:60]}.")


def near_setting(name: str, known: Iterable[str]) -> str:
    """What to say to somebody who named a setting that does not exist."""
    import difflib

    near = difflib.get_close_matches(name[:60], known, 1)
    return f"Did you mean '{near[0]}'?" if near else f"Known are: {', '.join(known)}."


def _check_list(name: str, value: Any, origin: str, kind: type) -> list[Any]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, kind) for item in value):
        raise _wrong(name, origin, f"a list of {'tables' if kind is dict else 'texts'}", value)
    if len(value) > _MAX_ITEMS:
        raise UsageError(f"The setting '{name}' ({origin}) has more than {_MAX_ITEMS} items.")
    return list(value)


def _check_pattern(name: str, value: str, origin: str) -> None:
    from gitnotes.guard.regexes import Refused, compile_foreign

    try:
        compile_foreign(value, search=True)
    except Refused as problem:
        raise UsageError(
            f"The pattern of '{name}' ({origin}) cannot be run: {show(str(problem))}.", "Write a simpler one."
        ) from problem


def _check_rules(value: Any, origin: str) -> dict[str, Level]:
    from gitnotes.rulebook import LEVELS, RULES, near_rule

    if not isinstance(value, dict):
        raise _wrong("rules", origin, "a table", value)
    found: dict[str, Level] = {}
    for key, level in value.items():
        rule = key.replace("_", "-")
        if rule not in RULES:
            raise UsageError(f"There is no rule '{shorten(key)}' ({origin}).", near_rule(rule))
        if level not in LEVELS:
            raise UsageError(
                f"The rule '{rule}' ({origin}) cannot be {show(repr(level))[:60]}.",
                f"Choose one of: {', '.join(LEVELS)}.",
            )
        found[rule] = level
    return found


def _check_override(table: dict[str, Any], origin: str) -> Override:
    local = (name for name, setting in TABLE.items() if setting.in_overrides)
    known = ("paths", "authors", "rules", *local)
    where = f"an override in {origin}"
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name in ("paths", "authors"):
            values[name] = tuple(_check_list(name, value, where, str))
        else:
            values[name] = check_value(name, value, where, known)
    paths, authors = values.pop("paths", ()), values.pop("authors", ())
    if not paths and not authors:
        raise UsageError(f"There is {where} without paths and authors.", "Say for which it is meant.")
    return Override(paths, authors, rules=values.pop("rules", {}), values=values)


def _wrong(name: str, origin: str, wanted: str, value: Any) -> UsageError:
    return UsageError(f"The setting '{name}' ({origin}) wants {wanted}, not {show(repr(value))[:60]}.")


def _describe(kind: type) -> str:
    return {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}[kind]
