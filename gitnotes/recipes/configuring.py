"""How does a person see which settings hold, and why, and change one of them?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gitnotes.config import TABLE, Layer, Setting, Settings, merge_layers, read_layers
from gitnotes.config.checks import check_value, parse_text, setting_named
from gitnotes.customs import find_top, git_settings
from gitnotes.errors import InputError, UsageError
from gitnotes.guard.text import show

if TYPE_CHECKING:
    from gitnotes.read.git import Git

Place = Literal["user", "repository", "git"]
_RULES = "rules."


@dataclass(frozen=True, slots=True)
class Said:
    """What one place says of a setting."""

    layer: str
    place: str
    value: Any
    refused: str = ""
    """Why it does not count; empty when it may."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A setting as it holds."""

    name: str
    setting: Setting
    value: Any
    layer: str
    """`default`, `user`, `repository`, `git`, `variable` or `flag`."""
    place: str
    said: tuple[Said, ...] = ()
    """All that was said, the weakest first; the last one that is not refused holds."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """All settings, and what was said in vain or by other tools."""

    entries: tuple[Entry, ...]
    settings: Settings


def read_configuration(git: Git | None) -> Configuration:
    """Every setting with its origin, for the repository or, without one, for the user alone.

    Raises UsageError for a key or value that makes no sense.
    """
    from gitnotes.customs import repository_settings

    layers = _layers(git)
    settings = merge_layers(layers) if git is None else repository_settings(git)
    names = [*TABLE, *(f"{_RULES}{rule}" for rule in settings.rules)]
    return Configuration(tuple(_entry(name, settings, layers) for name in names), settings)


def explain_setting(git: Git | None, key: str) -> Entry:
    """One setting, `rules.RULE` included, with all that was said of it. Raises UsageError: unknown."""
    layers = _layers(git)
    return _entry(setting_named(key), merge_layers(layers), layers)


def write_setting(git: Git | None, key: str, text: str | None, place: Place) -> tuple[str, Entry]:
    """Sets the setting `key` to what `text` means, or takes it away (None), at one place.

    Gives the place's name and the setting as it holds now, which a stronger place may still decide.
    Raises UsageError for what makes no sense there, InputError when the file cannot be written.
    """
    name = setting_named(key)
    value = None if text is None else _value(name, text)
    where = _write_git(git, name, text) if place == "git" else _write_file(git, name, value, place)
    return where, explain_setting(git, name)


def _layers(git: Git | None) -> list[Layer]:
    if git is None:
        return read_layers()
    return read_layers(find_top(git), git_values=git_settings(git))


def _entry(name: str, settings: Settings, layers: list[Layer]) -> Entry:
    rule = name[len(_RULES) :] if name.startswith(_RULES) else ""
    setting = TABLE["rules" if rule else name]
    refused = {(item.name, item.place): item.reason for item in settings.refused}
    said = []
    for item in layers:
        values = item.values.get("rules", {}) if rule else item.values
        if (rule or name) in values:
            reason = refused.get((name, item.place), "")
            said.append(Said(item.kind, item.place, values[rule or name], reason))
    holding = next((item for item in reversed(said) if not item.refused), None)
    if rule:
        from gitnotes.rulebook import RULES

        value: Any = settings.rules.get(rule, RULES[rule].level)
    else:
        value = getattr(settings, name)
    layer, place = (holding.layer, holding.place) if holding else ("default", "default")
    return Entry(name, setting, value, layer, place, tuple(said))


def _value(name: str, text: str) -> Any:
    """What `text` means as the value of a setting, checked, as TOML has it."""
    where = f"The setting '{name}'"
    if name.startswith(_RULES):
        rule = name[len(_RULES) :]
        return check_value("rules", {rule: text}, "given")[rule]
    if name == "overrides":
        raise UsageError("An override does not fit in one line.", "Write it in the file as [[overrides]].")
    value = check_value(name, parse_text(text, TABLE[name].kind, where), "given")
    return list(value) if isinstance(value, tuple) else value


def _write_git(git: Git | None, name: str, text: str | None) -> str:
    if git is None:
        raise UsageError("There is no repository here.", "Say --user, or change into one.")
    first, *others = name.split("_")
    # git allows no underscore in a key, and compares the last part whatever the case.
    key = "gitnotes." + (name if name.startswith(_RULES) else first + "".join(map(str.capitalize, others)))
    if text is None:
        git.run("config", "--local", "--unset-all", key, ok=(0, 5))
    else:
        git.run("config", "--local", "--replace-all", key, text)
    return f"git config {key}"


def _write_file(git: Git | None, name: str, value: Any, place: Place) -> str:
    from gitnotes.config import repository_file, user_file
    from gitnotes.write import atomic

    if place == "repository":
        top = find_top(git) if git else None
        if top is None:
            raise UsageError("There is no work tree here.", "Say --user, or change into one.")
        if TABLE[name.partition(".")[0]].guard == "personal":
            raise UsageError(f"'{name}' does not count in a repository's own file.", "Say --user or --git.")
        path = repository_file(top)
    else:
        path = user_file()
    with atomic.explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with atomic.lock(path):
        data = _read(path)
        edited = _edit(data, path, name, value)
        if edited != data:
            _check_whole(edited, path)
            atomic.replace_file(path, edited)
    return show(str(path))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as problem:
        raise InputError(f"{show(str(path))} cannot be read: {problem.strerror}.") from problem


def _edit(data: bytes, path: Path, name: str, value: Any) -> bytes:
    """The file with one value set, or taken away, and all else (comments, order) as it was."""
    import tomlkit

    from gitnotes.config.layers import SHARED_FILE, parse_toml

    parse_toml(data, path)  # its complaints name the file
    text = data.decode("utf-8-sig")
    document = tomlkit.parse(text)
    section = [*(("tool", "gitnotes") if path.name == SHARED_FILE else ())]
    if name.startswith(_RULES):
        section.append("rules")
        name = name[len(_RULES) :]
    table: Any = document
    for part in section:
        if part not in table:
            if value is None:
                return data
            table[part] = tomlkit.table()
        table = table[part]
    spelled = next((key for key in table if key.replace("-", "_") == name.replace("-", "_")), name)
    if value is not None:
        table[spelled] = value
    elif spelled in table:
        del table[spelled]
    return tomlkit.dumps(document).encode("utf-8")


def _check_whole(data: bytes, path: Path) -> None:
    """Raises UsageError unless all of the file makes sense, as it is about to stand."""
    from gitnotes.config.layers import SHARED_FILE, own_table, parse_toml

    found = parse_toml(data, path)
    for key, value in (own_table(found) if path.name == SHARED_FILE else found).items():
        check_value(key.replace("-", "_"), value, show(str(path)))
