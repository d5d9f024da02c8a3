"""Which settings hold, and where does each of them come from?

Defaults < configuration of other tools < user file < repository file < environment < flags. The user file is
`gitnotes/config.toml` in the configuration folder of the platform; the repository file is
`.gitnotes.toml`, or else `[tool.gitnotes]` in `pyproject.toml`, at the top of the work tree.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from gitnotes.errors import UsageError
from gitnotes.guard.text import shorten, show
from gitnotes.records import Conventions, Level

MAX_FILE = 1 << 20
"""Bytes of a configuration file that are read."""
_MAX_ITEMS = 1000
"""Of a list."""


class Override(NamedTuple):
    """Settings for the commits of some authors, or those that stay within some paths."""

    paths: tuple[str, ...]
    """Patterns as in .gitignore; every changed path matches them. Empty: whatever the paths."""
    authors: tuple[str, ...]
    """Globs, one of which "Name <email>" matches. Empty: whoever it is."""
    values: dict[str, Any]
    """Name of a setting to its value here."""
    rules: dict[str, Level]


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting; `origins` maps the name of a setting to where its value was found."""

    subject_limit: int = 72
    """Display columns that a subject may have."""
    subject_min: int = 0
    """Display columns that a subject has at least."""
    body_limit: int = 100
    """Display columns that a line of the body may have; 0 for no limit."""
    conventional: str = "auto"
    """'auto' follows the configuration of other tools, then the history; 'always' and 'never' do not."""
    types: tuple[str, ...] = ()
    """Types of Conventional Commits; empty for the usual ones."""
    scopes: tuple[str, ...] = ()
    """Scopes of Conventional Commits; empty for any."""
    capital: str = "auto"
    """The case of a subject's first letter; 'auto' follows the history."""
    ticket: str = ""
    """'any' to want a reference to an issue, or a regular expression that is found in the message."""
    sign_off: bool = False
    """Whether messages have a Signed-off-by line."""
    attribution: str = "allowed"
    """Whether messages credit co-authors and tools."""
    rules: dict[str, Level] = field(default_factory=dict)
    """Rule id to how serious a breach is; `RULES` of gitnotes.rulebook has the rest."""
    overrides: tuple[Override, ...] = ()
    """What is different for some paths or authors; of several that apply the last one counts."""
    conventions: bool = True
    """Whether the configuration of commitlint, commitizen and gitlint counts."""
    min_score: float = 30.0
    """The score below which a hook complains, and a strict hook refuses."""
    strict: bool = False
    """Whether the commit-msg hook may refuse a message."""
    drafter: str = "best"
    """The drafter that suggests messages."""
    history: int = 300
    """Commits whose style is learned."""
    origins: dict[str, str] = field(default_factory=dict)
    elsewhere: Conventions | None = None
    """What other tools are told; the settings above are what gitnotes is told itself."""


_KINDS: dict[str, type] = {
    item.name: dict if item.name == "rules" else type(item.default)
    for item in dataclasses.fields(Settings)
    if item.name not in ("origins", "elsewhere")
}
_CHOICES = {
    "conventional": ("auto", "always", "never"),
    "capital": ("auto", "upper", "lower", "any"),
    "attribution": ("allowed", "no-tools", "forbidden", "required"),
}
_BOUNDS: dict[str, tuple[float, float]] = {
    "subject_limit": (20, 1000),
    "subject_min": (0, 1000),
    "body_limit": (20, 10_000),
    "min_score": (0, 100),
    "history": (0, 100_000),
}
_OFF_AT_ZERO = frozenset(["body_limit"])
_LOCAL = (
    *("subject_limit", "subject_min", "body_limit", "types", "scopes", "capital", "ticket", "sign_off"),
    "attribution",
)
"""Settings that an override may have."""


def load_settings(top: Path | None = None, **flags: Any) -> Settings:
    """The settings for the repository whose work tree is at `top`; flags that are None do not count.

    Raises UsageError for a key or value that makes no sense, naming the file it stands in.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}

    def take(found: dict[str, Any], origin: str) -> None:
        for key, value in found.items():
            name = key.replace("-", "_")
            checked = _check(name, value, origin)
            origins[name] = origin
            if name == "rules":
                origins.update((f"rules.{rule}", origin) for rule in checked)
                checked = {**values.get(name, {}), **checked}
            elif name == "overrides":
                checked = (*values.get(name, ()), *checked)
            values[name] = checked

    user = _user_file()
    if os.path.lexists(user):
        take(_read_toml(user), str(user))
    if top is not None:
        own, shared = top / ".gitnotes.toml", top / "pyproject.toml"
        if os.path.lexists(own):
            take(_read_toml(own), own.name)
        elif shared.is_file() and b"gitnotes" in _read_bytes(shared):
            take(_own_table(_read_toml(shared)), f"[tool.gitnotes] in {shared.name}")
    for name, kind in _KINDS.items():
        variable = f"GITNOTES_{name.upper()}"
        if name != "overrides" and os.environ.get(variable):
            take({name: _parse(os.environ[variable], kind, variable)}, variable)
    take({name: value for name, value in flags.items() if value is not None}, "a flag")
    return Settings(**values, origins=origins)


def wants_conventional(settings: Settings) -> bool | None:
    """Whether subjects keep to Conventional Commits; None where only the history can tell."""
    if settings.conventional != "auto":
        return settings.conventional == "always"
    return settings.elsewhere.conventional if settings.elsewhere else None


def _own_table(document: dict[str, Any]) -> dict[str, Any]:
    """What stands under `tool.gitnotes`; a `tool` of another shape is not for us to judge."""
    tool = document.get("tool")
    table = tool.get("gitnotes", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise UsageError("'tool.gitnotes' in pyproject.toml must be a table.", "Write [tool.gitnotes].")
    return table


def _user_file() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("APPDATA", "")
    else:
        base = os.environ.get("XDG_CONFIG_HOME", "")
    try:
        folder = Path(base) if base else Path.home() / ".config"
    except RuntimeError:  # no home folder is known
        folder = Path(os.devnull)
    return folder / "gitnotes" / "config.toml"


def _read_bytes(path: Path) -> bytes:
    try:
        if not path.is_file():  # a folder, a pipe, a link that leads nowhere
            raise UsageError(f"The configuration {show(str(path))} is not a file.", "Mend or remove it.")
        with path.open("rb") as file:
            return file.read(MAX_FILE)
    except OSError as problem:
        raise UsageError(
            f"The configuration {show(str(path))} cannot be read: {problem.strerror}.", "Mend or remove it."
        ) from problem


def _read_toml(path: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        return tomllib.loads(_read_bytes(path).decode("utf-8-sig"))
    # ValueError: also a number with too many digits.
    except (ValueError, RecursionError) as problem:
        raise UsageError(
            f"The configuration {show(str(path))} is not valid TOML: {show(str(problem))}.", "Mend that line."
        ) from problem


def _check(name: str, value: Any, origin: str, known: Iterable[str] = _KINDS) -> Any:
    """The value of the setting `name` as `Settings` has it."""
    if name not in known:
        raise UsageError(f"There is no setting '{shorten(name)}' ({origin}).", _near(name, known))
    if name == "rules":
        return _check_rules(value, origin)
    if name == "overrides":
        return tuple(_check_override(item, origin) for item in _check_list(name, value, origin, dict))
    kind = _KINDS[name]
    if kind is tuple:
        return tuple(_check_list(name, value, origin, str))
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise _wrong(name, origin, _describe(kind), value)
    if name in _CHOICES and value not in _CHOICES[name]:
        raise UsageError(
            f"The setting '{name}' ({origin}) cannot be {show(repr(value))[:60]}.",
            f"Choose one of: {', '.join(_CHOICES[name])}.",
        )
    low, high = _BOUNDS.get(name, (0, 0))
    is_off = name in _OFF_AT_ZERO and value == 0
    if name in _BOUNDS and not is_off and isinstance(value, int | float) and not low <= value <= high:
        raise UsageError(f"The setting '{name}' ({origin}) must be from {low:g} to {high:g}.")
    if name == "ticket" and value not in ("", "any"):
        _check_pattern(name, str(value), origin)
    return value


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
    known = ("paths", "authors", "rules", *_LOCAL)
    where = f"an override in {origin}"
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name in ("paths", "authors"):
            values[name] = tuple(_check_list(name, value, where, str))
        else:
            values[name] = _check(name, value, where, known)
    paths, authors = values.pop("paths", ()), values.pop("authors", ())
    if not paths and not authors:
        raise UsageError(f"There is {where} without paths and authors.", "Say for which it is meant.")
    return Override(paths, authors, rules=values.pop("rules", {}), values=values)


def _near(name: str, known: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name[:60], known, 1)
    return f"Did you mean '{near[0]}'?" if near else f"Known are: {', '.join(known)}."


def _wrong(name: str, origin: str, wanted: str, value: Any) -> UsageError:
    return UsageError(f"The setting '{name}' ({origin}) wants {wanted}, not {show(repr(value))[:60]}.")


def _describe(kind: type) -> str:
    return {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}[kind]


def _parse(text: str, kind: type, variable: str) -> Any:
    """The value that an environment variable stands for."""
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
        raise UsageError(f"The variable {variable} wants rule=level,rule=level, not {show(repr(text))[:60]}.")
    else:
        try:
            return kind(text)
        except ValueError:
            pass
    raise UsageError(f"The variable {variable} wants {_describe(kind)}, not {show(repr(text))[:60]}.")
