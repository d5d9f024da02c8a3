"""Which folders of a repository are packages of their own?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gitnotes.read.manifests.entries import items, load_json, load_toml, load_yaml, table, text_of

MAX_FILE = 1 << 20
"""Bytes of a file that are read."""
_MOST = 500
_GO_USE = re.compile(r"^\s*(?:use\s+)?\"?\./([\w.@/-]{1,200})\"?\s*$", re.MULTILINE)


def read_workspaces(top: Path) -> tuple[str, ...]:
    """Patterns of the folders with a package each, as npm, pnpm, lerna, Cargo, uv and Go list them at the
    top of a work tree: `packages/*`, `crates/core`; `*` stands for one folder.

    A file that cannot be read lists nothing.
    """
    found: dict[str, None] = {}
    for name, read in _READERS.items():
        path = top / name
        try:
            if path.is_file() and path.stat().st_size <= MAX_FILE:
                found |= dict.fromkeys(read(path.read_text("utf-8-sig", "replace")))
        except (OSError, ValueError, RecursionError):
            continue
    tidy = (pattern.removeprefix("./").rstrip("/") for pattern in found)
    return tuple(pattern for pattern in tidy if pattern not in ("", ".", "*") and pattern[0] != "!")[:_MOST]


def _npm(text: str) -> Iterator[str]:
    listed: Any = load_json(text).get("workspaces")
    yield from map(text_of, items(listed.get("packages") if isinstance(listed, dict) else listed))


def _lerna(text: str) -> Iterator[str]:
    yield from map(text_of, items(load_json(text).get("packages")))


def _pnpm(text: str) -> Iterator[str]:
    yield from map(text_of, items(table(load_yaml(text)).get("packages")))


def _cargo(text: str) -> Iterator[str]:
    yield from map(text_of, items(table(load_toml(text), "workspace").get("members")))


def _uv(text: str) -> Iterator[str]:
    yield from map(text_of, items(table(load_toml(text), "tool", "uv", "workspace").get("members")))


def _go(text: str) -> Iterator[str]:
    yield from _GO_USE.findall(text)


_READERS = {
    "package.json": _npm,
    "pnpm-workspace.yaml": _pnpm,
    "lerna.json": _lerna,
    "Cargo.toml": _cargo,
    "pyproject.toml": _uv,
    "go.work": _go,
}
