"""Which settings hold, and where does each of them come from?

Defaults < user file < repository file < environment < flags. The user file is
`gitnotes/config.toml` in the configuration folder of the platform; the repository file is
`.gitnotes.toml`, or else `[tool.gitnotes]` in `pyproject.toml`, at the top of the work tree.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gitnotes.errors import UsageError
from gitnotes.guard.text import show

MAX_FILE = 1 << 20
"""Bytes of a configuration file that are read."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting; `origins` maps the name of a setting to where its value was found."""

    subject_limit: int = 72
    """Display columns that a subject may have."""
    body_limit: int = 100
    """Display columns that a line of the body may have."""
    conventional: str = "auto"
    """'auto' follows the history, 'always' and 'never' do not look at it."""
    min_score: float = 30.0
    """The score below which a hook complains, and a strict hook refuses."""
    strict: bool = False
    """Whether the commit-msg hook may refuse a message."""
    drafter: str = "structure"
    """The drafter that suggests messages."""
    history: int = 300
    """Commits whose style is learned."""
    origins: dict[str, str] = field(default_factory=dict)


_KINDS: dict[str, type] = {
    item.name: type(item.default) for item in dataclasses.fields(Settings) if item.name != "origins"
}
_CHOICES = {"conventional": ("auto", "always", "never")}
_BOUNDS: dict[str, tuple[float, float]] = {
    "subject_limit": (20, 1000),
    "body_limit": (20, 10_000),
    "min_score": (0, 100),
    "history": (0, 100_000),
}


def load_settings(top: Path | None = None, **flags: Any) -> Settings:
    """The settings for the repository whose work tree is at `top`; flags that are None do not count.

    Raises UsageError for a key or value that makes no sense, naming the file it stands in.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}

    def take(found: dict[str, Any], origin: str) -> None:
        for key, value in found.items():
            name = key.replace("-", "_")
            values[name] = _check(name, value, origin)
            origins[name] = origin

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
        if os.environ.get(variable):
            take({name: _parse(os.environ[variable], kind, variable)}, variable)
    take({name: value for name, value in flags.items() if value is not None}, "a flag")
    return Settings(**values, origins=origins)


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


def _check(name: str, value: Any, origin: str) -> Any:
    kind = _KINDS.get(name)
    if kind is None:
        import difflib

        near = difflib.get_close_matches(name, _KINDS, 1)
        hint = f"Did you mean '{near[0]}'?" if near else f"Known are: {', '.join(_KINDS)}."
        raise UsageError(f"There is no setting '{show(name)}' ({origin}).", hint)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise UsageError(
            f"The setting '{name}' ({origin}) wants {_describe(kind)}, not {show(repr(value))[:60]}."
        )
    if name in _CHOICES and value not in _CHOICES[name]:
        raise UsageError(
            f"The setting '{name}' ({origin}) cannot be {show(repr(value))[:60]}.",
            f"Choose one of: {', '.join(_CHOICES[name])}.",
        )
    low, high = _BOUNDS.get(name, (0, 0))
    if name in _BOUNDS and isinstance(value, int | float) and not low <= value <= high:
        raise UsageError(f"The setting '{name}' ({origin}) must be from {low:g} to {high:g}.")
    return value


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
    else:
        try:
            return kind(text)
        except ValueError:
            pass
    raise UsageError(f"The variable {variable} wants {_describe(kind)}, not {show(repr(text))[:60]}.")
