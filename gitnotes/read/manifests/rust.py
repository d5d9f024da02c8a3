"""What do Cargo.toml and Cargo.lock ask for?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitnotes.read.manifests.entries import (
    Blocks,
    Entry,
    Format,
    items,
    load_toml,
    split_toml,
    table,
    text_of,
)

_GROUPS = ("dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies")


def format_of(path: str, name: str) -> Format | None:
    """How the file is read, judged by its lower-case path and name."""
    if name == "cargo.toml":
        return Format("rust", _manifest, fold=fold)
    if name == "cargo.lock":
        return Format("rust", _lock, True, fold, (), _split)
    return None


def fold(name: str) -> str:
    """The name as the registry compares it: `-` and `_` are the same."""
    return name.lower().replace("_", "-")


def _manifest(text: str) -> Iterator[Entry]:
    data = load_toml(text)
    workspace = table(data, "workspace")
    for package in (table(data, "package"), table(workspace, "package")):
        if version := text_of(package.get("version")):
            yield Entry(text_of(package.get("name")), version, project=True)
        if version := text_of(package.get("rust-version")):
            yield Entry("rust-version", version, "language")
    for place in (data, workspace, *table(data, "target").values()):
        for group in _GROUPS:
            for name, value in table(place, group).items():
                yield from _dependency(name, value)


def _dependency(name: str, value: Any) -> Iterator[Entry]:
    if not isinstance(value, dict):
        yield Entry(name, text_of(value))
    elif value.get("workspace") is not True:
        keys = ("version", "tag", "rev", "branch")
        version = next((text_of(value[key]) for key in keys if text_of(value.get(key))), "")
        yield Entry(text_of(value.get("package")) or name, version)


def _is_own(block: str) -> bool:
    """Whether a package of the lock file is a member of the workspace: those have no source."""
    return "\nsource = " not in block


def _split(text: str) -> Blocks:
    return split_toml(text, keep=_is_own)


def _lock(text: str) -> Iterator[Entry]:
    packages = [table(package) for package in items(load_toml(text).get("package"))]
    own = [package for package in packages if not package.get("source")]
    direct = {text_of(item).split(" ")[0] for package in own for item in items(package.get("dependencies"))}
    for package in packages:
        name, version = text_of(package.get("name")), text_of(package.get("version"))
        if package.get("source"):
            pin = text_of(package["source"]).partition("#")[2]
            yield Entry(name, version, direct=name in direct, pin=pin)
        else:
            yield Entry(name, version, project=True)
