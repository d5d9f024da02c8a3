"""What does a manifest say, whatever its format, and how is its text loaded safely?

Every loader refuses what a hostile file could use: aliases that multiply, entities, nesting and
dotted keys that cost quadratic time. A refusal is a ValueError; the caller then reads the hunks.
"""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from gitnotes.guard.patterns import late

MAX_BYTES = 5_000_000
"""Larger files are read from their hunks."""
_MAX_SLOW_YAML = 200_000
"""Characters of YAML that are parsed where PyYAML has no C parser (0.8 MB/s instead of 4)."""
_MAX_ALIASES = 200
_MAX_DOT_COST = 20_000_000
"""Sum over the lines of the square of their dots: tomllib copies a dotted key for each of its parts."""
_LONGEST = 214

_VERSION = r"v?\d[\w.+*-]*"
_STATED = late(rf"[\^~><=!\s]*({_VERSION})")
_OBJECT_ID = late(r"[0-9a-f]{40}")


class Entry(NamedTuple):
    """One thing that a manifest or lock file names, with the version as it is written there."""

    name: str
    version: str = ""
    tool: str = ""
    direct: bool | None = True
    project: bool = False
    pin: str = ""
    """What the version is fixed to, an object id or digest: it may move where the version does not."""


def _same(name: str) -> str:
    return name


class Format(NamedTuple):
    """How one kind of file is read."""

    ecosystem: str
    read: Callable[[str], Iterable[Entry]]
    lock: bool = False
    fold: Callable[[str], str] = _same
    """Two names are one dependency when this makes them equal."""
    manifests: tuple[str, ...] = ()
    """Files next to a lock file that tell what is direct, where the lock file does not."""
    split: Callable[[str], Blocks] | None = None
    """Takes a lock file apart, so that packages that are equal on both sides are not parsed."""


class Blocks(NamedTuple):
    """A lock file taken apart: `head`, then the blocks, each behind `mark`."""

    head: str
    mark: str
    blocks: list[str]
    name: Callable[[str], str]
    """The package that a block is about, as text that is equal for equal packages."""
    keep: Callable[[str], bool] | None = None
    """Which blocks are parsed even if they are equal."""

    def without(self, equal: set[str], names: set[str]) -> str:
        """The text without the blocks in `equal` that are about none of `names`."""
        kept = [
            block
            for block in self.blocks
            if block not in equal or self.name(block) in names or (self.keep is not None and self.keep(block))
        ]
        return self.mark.join([self.head, *kept])


def split_toml(text: str, header: str = "[[package]]", keep: Callable[[str], bool] | None = None) -> Blocks:
    """A lock file in TOML; each block begins with the name of its package."""
    mark = f"\n{header}\n"
    head, *blocks = text.split(mark)
    return Blocks(head, mark, blocks, lambda block: block.partition("\n")[0], keep)


def decode(data: bytes) -> str:
    """The text of a file: UTF-8, or UTF-16 where it says so; other bytes are replaced; `\\n` line ends."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", "replace")
    else:
        text = data.decode("utf-8-sig", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def tidy(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries that have a name fit to show, with their versions bare."""
    for entry in entries:
        name, version = entry.name.strip(), bare_version(entry.version)
        if not name.isprintable() or len(name) > _LONGEST or not (name or entry.project):
            continue
        if not version.isprintable() or len(version) > _LONGEST:
            version = ""
        yield Entry(name, version, entry.tool, entry.direct, entry.project, entry.pin)


def bare_version(text: str) -> str:
    """The version without operators where one is stated: `>=1.2` -> `1.2`; ranges stay as they are."""
    text = text.strip().strip("\"'")
    match = _STATED().fullmatch(text)
    return short(match[1] if match else text)


def short(version: str) -> str:
    """A full object id is shortened, as people write it."""
    return version[:7] if _OBJECT_ID().fullmatch(version) else version


def load_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises ValueError."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    if sum(line.count(".") ** 2 for line in text.split("\n")) > _MAX_DOT_COST:
        raise ValueError("too many dots in a line")
    return tomllib.loads(text)


def load_json(text: str) -> dict[str, Any]:
    """The object of a JSON text. Raises ValueError."""
    import json

    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def load_yaml(text: str) -> Any:
    """The YAML text as dicts, lists and strings: `1.10` stays as it is written. Raises ValueError."""
    import yaml

    fast = getattr(yaml, "CBaseLoader", None)
    if fast is None and len(text) > _MAX_SLOW_YAML:
        raise ValueError("too large for the slow parser")
    # No more `*` than this, no more aliases; only a file with many is asked twice.
    if text.count("*") > _MAX_ALIASES:
        events = yaml.parse(text, Loader=fast or yaml.BaseLoader)
        if sum(isinstance(event, yaml.AliasEvent) for event in events) > _MAX_ALIASES:
            raise ValueError("too many aliases")
    try:
        return yaml.load(text, Loader=fast or yaml.BaseLoader)
    except yaml.YAMLError as problem:
        raise ValueError(str(problem)) from problem


def load_xml(text: str) -> Any:
    """The root element of an XML text without a document type, hence without entities. Raises ValueError."""
    from xml.etree import ElementTree

    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("a document type is refused")
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as problem:
        raise ValueError(str(problem)) from problem


def table(data: Any, *keys: str) -> dict[str, Any]:
    """The mapping under those keys; empty when there is none."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def items(data: Any) -> list[Any]:
    """The list, or nothing when it is none."""
    return data if isinstance(data, list) else []


def text_of(data: Any) -> str:
    """The string, or an empty one when it is none."""
    return data if isinstance(data, str) else ""
