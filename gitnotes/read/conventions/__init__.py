"""Which conventions do commitlint, commitizen and gitlint enforce in a work tree?

Their files are read, never run: of a configuration in JavaScript the literals count.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gitnotes.findings import Conventions

MAX_FILE = 1 << 20
"""Bytes of a file; a larger one is not read."""
_SCRIPTS = ("js", "cjs", "mjs", "ts", "cts", "mts")
_COMMITLINT = (
    *("package.json", ".commitlintrc", ".commitlintrc.json", ".commitlintrc.yaml", ".commitlintrc.yml"),
    *(f".commitlintrc.{suffix}" for suffix in _SCRIPTS),
    *(f"commitlint.config.{suffix}" for suffix in _SCRIPTS),
)
_COMMITIZEN = (*(".cz.toml", "cz.toml", ".cz.json", "cz.json", ".cz.yaml", "cz.yaml", "pyproject.toml"),)
_GITLINT = (".gitlint",)
_SHARED = {"package.json": b'"commitlint"', "pyproject.toml": b"commitizen"}
"""Files that are other tools' first, and what stands in them when they are one of these tools', too."""


def read_conventions(top: Path) -> Conventions | None:
    """What the configuration at the top of a work tree asks of messages; None when there is none.

    Of each tool the first file in its own order counts; what a tool leaves open is taken from the
    next one. A file that cannot be read gives a note, never an error: it is another tool's.
    """
    try:
        with os.scandir(top) as entries:  # once, where asking for each name costs a call of its own
            names = {entry.name for entry in entries}
    except OSError:
        return None
    readers: tuple[tuple[tuple[str, ...], Callable[[bytes, str], Conventions | None]], ...] = (
        (_COMMITLINT, _read_commitlint),
        (_COMMITIZEN, _read_commitizen),
        (_GITLINT, _read_gitlint),
    )
    merged: Conventions | None = None
    for candidates, read in readers:
        for name in candidates:
            if name in names and (found := _read_file(top / name, read)) is not None:
                merged = found if merged is None else _merge(merged, found)
                break
    return merged


def _read_file(path: Path, read: Callable[[bytes, str], Conventions | None]) -> Conventions | None:
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
        if len(data) > MAX_FILE:
            raise ValueError("it is too large")
        if _SHARED.get(path.name, b"") not in data:
            return None
        return read(data, path.name)
    except (OSError, ValueError, RecursionError) as problem:
        from gitnotes.guard.text import show

        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        return Conventions((path.name,), notes=(f"{path.name} is not read: {show(str(reason))[:200]}.",))


def _read_commitlint(data: bytes, name: str) -> Conventions | None:
    from gitnotes.read.conventions.commitlint import read_commitlint

    suffix = name.rpartition(".")[2]
    loaded: Any
    if suffix in _SCRIPTS:
        from gitnotes.read.conventions.javascript import read_export

        loaded = read_export(data, "typescript" if suffix.endswith("ts") else "javascript")
    else:
        loaded = _load(data, suffix)
    if name == "package.json":
        loaded = loaded.get("commitlint")
        if loaded is None:
            return None
    return read_commitlint(loaded, name)


def _read_commitizen(data: bytes, name: str) -> Conventions | None:
    from gitnotes.read.conventions.commitizen import read_commitizen
    from gitnotes.read.manifests.entries import table

    loaded = _load(data, name.rpartition(".")[2])
    keys = ("tool", "commitizen") if name.endswith("toml") else ("commitizen",)
    found = table(loaded, *keys)
    return read_commitizen(found, name) if found else None


def _read_gitlint(data: bytes, name: str) -> Conventions | None:
    from gitnotes.read.conventions.gitlint import read_gitlint

    return read_gitlint(data.decode("utf-8-sig", "replace"), name)


def _load(data: bytes, suffix: str) -> Any:
    """The content of a JSON, TOML or YAML file; one without a suffix is JSON or YAML."""
    from gitnotes.read.manifests.entries import load_json, load_toml, load_yaml

    text = data.decode("utf-8-sig", "replace")
    if suffix == "toml":
        return load_toml(text)
    if suffix == "json" or text.lstrip().startswith("{"):
        return load_json(text)
    return load_yaml(text)


def _merge(first: Conventions, second: Conventions) -> Conventions:
    """`first`, with what it leaves open taken from `second`."""
    joined = {"sources", "notes", "levels"}
    gaps = {
        item.name: getattr(second, item.name)
        for item in dataclasses.fields(Conventions)
        if item.name not in joined and getattr(first, item.name) in (None, (), "")
    }
    return dataclasses.replace(
        first,
        sources=first.sources + second.sources,
        notes=first.notes + second.notes,
        levels={**second.levels, **first.levels},
        **gaps,
    )
