"""What does each layer of configuration say, and what holds of it?"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from gitnotes.config.checks import check_value, near_setting, parse_text
from gitnotes.config.table import TABLE, Refusal, Settings
from gitnotes.errors import UsageError
from gitnotes.guard.text import shorten, show

MAX_FILE = 1 << 20
"""Bytes of a configuration file that are read."""
OWN_FILE = ".gitnotes.toml"
SHARED_FILE = "pyproject.toml"
GIT_SECTION = "gitnotes."
_OTHER_KEYS = ("consent", "feedback", "forge")
"""What stands in git's configuration besides settings."""
_PERSONAL = "only you can say this, not a file that comes with a clone"
_LOWERED = "it would lower what you have set; trust_repository = true allows it"

LayerKind = Literal["user", "repository", "git", "variable", "flag"]


class Layer(NamedTuple):
    """What one place says; `values` are checked, as `Settings` has them."""

    kind: LayerKind
    place: str
    values: dict[str, Any]


def load_settings(
    top: Path | None = None, *, git_values: Iterable[tuple[str, str | None]] = (), **flags: Any
) -> Settings:
    """The settings for the repository whose work tree is at `top`; flags that are None do not count.

    `git_values` are the pairs of git's configuration that begin with `gitnotes.`; the value None stands
    for true. Raises UsageError for a key or value that makes no sense, naming the place it stands in.
    """
    return merge_layers(read_layers(top, git_values=git_values, **flags))


def read_layers(
    top: Path | None = None, *, git_values: Iterable[tuple[str, str | None]] = (), **flags: Any
) -> list[Layer]:
    """What each place says, the weakest first; places that say nothing are left out. See `load_settings`."""
    layers = []
    user = user_file()
    if os.path.lexists(user):
        layers.append(_layer("user", str(user), read_toml(user)))
    if top is not None:
        own, shared = top / OWN_FILE, top / SHARED_FILE
        if os.path.lexists(own):
            layers.append(_layer("repository", own.name, read_toml(own)))
        elif shared.is_file() and b"gitnotes" in _read_bytes(shared):
            table = own_table(read_toml(shared))
            layers.append(_layer("repository", f"[tool.gitnotes] in {shared.name}", table))
    layers += _git_layers(git_values)
    for name, setting in TABLE.items():
        variable = f"GITNOTES_{name.upper()}"
        if name != "overrides" and os.environ.get(variable):
            value = parse_text(os.environ[variable], setting.kind, f"The variable {variable}")
            layers.append(_layer("variable", variable, {name: value}))
    given = {name: value for name, value in flags.items() if value is not None}
    if given:
        layers.append(_layer("flag", "a flag", given))
    return layers


def merge_layers(layers: Sequence[Layer]) -> Settings:
    """What holds: of several layers the last one, but what protects a user only the user can lower."""
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    refused: list[Refusal] = []
    trusted = False
    for layer in layers:
        if layer.kind != "repository":
            trusted = layer.values.get("trust_repository", trusted)
    for layer in layers:
        found = layer.values
        if layer.kind == "repository":
            found, vain = _guard(found, values, layer.place, trusted)
            refused += vain
        for name, value in found.items():
            origins[name] = layer.place
            if name == "rules":
                origins.update((f"rules.{rule}", layer.place) for rule in value)
                value = {**values.get(name, {}), **value}
            elif name == "overrides":
                value = (*values.get(name, ()), *value)
            values[name] = value
    return Settings(**values, origins=origins, refused=tuple(refused))


def user_file() -> Path:
    """The configuration file of the user, whether or not it is there."""
    if sys.platform == "win32":
        base = os.environ.get("APPDATA", "")
    else:
        base = os.environ.get("XDG_CONFIG_HOME", "")
    # What begins at the current folder would be the file of whoever made the clone.
    try:
        folder = Path(base) if Path(base).is_absolute() else Path.home() / ".config"
    except RuntimeError:  # no home folder is known
        folder = Path(os.devnull)
    if not folder.is_absolute():
        folder = Path(os.devnull)
    return folder / "gitnotes" / "config.toml"


def repository_file(top: Path) -> Path:
    """The file of the repository at `top` that holds its settings, or would."""
    own, shared = top / OWN_FILE, top / SHARED_FILE
    if not os.path.lexists(own) and shared.is_file() and own_table(read_toml(shared)):
        return shared
    return own


def own_table(document: dict[str, Any]) -> dict[str, Any]:
    """What stands under `tool.gitnotes`; a `tool` of another shape is not for us to judge."""
    tool = document.get("tool")
    table = tool.get("gitnotes", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise UsageError("'tool.gitnotes' in pyproject.toml must be a table.", "Write [tool.gitnotes].")
    return table


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file. Raises UsageError when it is none, or cannot be read."""
    return parse_toml(_read_bytes(path), path)


def parse_toml(data: bytes, path: Path) -> dict[str, Any]:
    """What the bytes of the TOML file `path` say."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    # ValueError: also a number with too many digits.
    except (ValueError, RecursionError) as problem:
        raise UsageError(
            f"The configuration {show(str(path))} is not valid TOML: {show(str(problem))}.", "Mend that line."
        ) from problem


def _layer(kind: LayerKind, place: str, found: dict[str, Any]) -> Layer:
    values = {}
    for key, value in found.items():
        name = key.replace("-", "_")
        values[name] = check_value(name, value, place)
    return Layer(kind, place, values)


def _git_layers(pairs: Iterable[tuple[str, str | None]]) -> list[Layer]:
    """One layer for each key of git's configuration, since each is named by its key."""
    # git writes section and name of a key without regard to case, and knows no underscore in them.
    names = {name.replace("_", ""): name for name in TABLE}
    layers = []
    for key, text in pairs:
        word, dot, rule = key[len(GIT_SECTION) :].partition(".")
        plain = word.replace("-", "").lower()
        if plain in _OTHER_KEYS and not dot:
            continue
        name = names.get(plain)
        place = f"git config {show(key)}"
        if name is None or name == "overrides" or (dot and name != "rules"):
            raise UsageError(
                f"There is no setting '{shorten(key)}' in git's configuration.", near_setting(word, TABLE)
            )
        value: Any = {rule: text or ""} if dot else True
        if not dot and text is not None:
            value = parse_text(text, TABLE[name].kind, place)
        layers.append(_layer("git", place, {name: value}))
    return layers


def _guard(
    found: dict[str, Any], floor: dict[str, Any], place: str, trusted: bool
) -> tuple[dict[str, Any], list[Refusal]]:
    """What of the repository's values counts beside those of the user, `floor`, and what does not."""
    kept: dict[str, Any] = {}
    refused: list[Refusal] = []
    for name, value in found.items():
        guard = TABLE[name].guard
        if guard == "personal":
            refused.append(Refusal(name, value, place, _PERSONAL))
        elif trusted:
            kept[name] = value
        elif guard == "raise" and name in floor and value < floor[name]:
            refused.append(Refusal(name, value, place, _LOWERED))
        elif name == "rules":
            kept[name] = _guard_rules(value, floor, place, refused)
        elif name == "overrides":
            kept[name] = tuple(
                item._replace(rules=_guard_rules(item.rules, floor, place, refused)) for item in value
            )
        else:
            kept[name] = value
    return kept, refused


def _guard_rules(
    rules: dict[str, Any], floor: dict[str, Any], place: str, refused: list[Refusal]
) -> dict[str, Any]:
    from gitnotes.rulebook import LEVELS, PROTECTED

    kept = {}
    mine = floor.get("rules", {})
    for rule, level in rules.items():
        lowered = rule in PROTECTED and rule in mine and LEVELS.index(level) > LEVELS.index(mine[rule])
        if lowered:
            refused.append(Refusal(f"rules.{rule}", level, place, _LOWERED))
        else:
            kept[rule] = level
    return kept


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
