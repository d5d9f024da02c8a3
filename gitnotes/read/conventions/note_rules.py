"""Which rules for release notes do the files of other tools set in a repository?

`.github/release.yml` (GitHub), `cliff.toml` (git-cliff), `towncrier.toml` and `reno.yaml`, also where they
stand in `pyproject.toml` or `Cargo.toml`. They are read, never run.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitnotes.errors import BareRepository
from gitnotes.read.git import Git

if TYPE_CHECKING:
    from gitnotes.note_rules import NoteRules

MAX_FILE = 1 << 20
"""Bytes of a file; a larger one is not read."""
_GITHUB = (".github/release.yml", ".github/release.yaml")
_CLIFF = ("cliff.toml", ".cliff.toml", "pyproject.toml", "Cargo.toml")
_TOWNCRIER = ("towncrier.toml", "pyproject.toml")
_RENO = ("reno.yaml", "releasenotes/config.yaml", "releasenotes/notes")
_SHARED: dict[tuple[str, str], bytes] = {
    ("git-cliff", "pyproject.toml"): b"git-cliff",
    ("git-cliff", "Cargo.toml"): b"git-cliff",
    ("towncrier", "pyproject.toml"): b"towncrier",
}
"""Files that are other tools' first, and what stands in them when they are one of these tools', too."""
_TOPS = frozenset(name.partition("/")[0] for name in (*_GITHUB, *_CLIFF, *_TOWNCRIER, *_RENO, "releasenotes"))
Read = Callable[[bytes, str], "NoteRules | None"]


def read_note_rules(git: Git) -> NoteRules | None:
    """What the files in the work tree ask, or where there is none those of HEAD; None when they ask nothing.

    Of each tool the first file counts. What cannot be read gives a note, never an error.
    """
    try:
        found: _Worktree | _Head = _Worktree(git.top())
    except BareRepository:
        found = _Head(git)
    if not found.names & _TOPS:
        return None
    merged: NoteRules | None = None
    tools: tuple[tuple[str, tuple[str, ...], Read], ...] = (
        ("github", _GITHUB, _read_github),
        ("git-cliff", _CLIFF, _read_cliff),
        ("towncrier", _TOWNCRIER, _read_towncrier),
        ("reno", _RENO, _read_reno),
    )
    for tool, candidates, read in tools:
        for name in candidates:
            if name.partition("/")[0] not in found.names:
                continue
            rules = _read_file(found, tool, name, read)
            if rules is not None:
                merged = rules if merged is None else _merge(merged, rules)
                break
    return merged


class _Worktree:
    """The files of a work tree. A link is none: it may lead out of it."""

    def __init__(self, top: Path) -> None:
        self._top = top
        try:
            with os.scandir(top) as entries:  # once, where asking for each name costs a call of its own
                self.names = {entry.name for entry in entries}
        except OSError:
            self.names = set()

    def read(self, name: str) -> bytes | None:
        path = self._top / name
        if any(part.is_symlink() for part in (path, path.parent)):
            return None
        if path.is_dir():
            return b""
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(MAX_FILE + 1)


class _Head:
    """The files of the commit that a bare repository is at, all read at once."""

    def __init__(self, git: Git) -> None:
        paths = sorted({*_GITHUB, *_CLIFF, *_TOWNCRIER, *_RENO})
        listed = git.run("ls-tree", "-z", "HEAD", "--", *paths, ok=(0, 128))
        self._kinds: dict[str, str] = {}
        ids: dict[str, str] = {}
        for line in listed.decode("utf-8", "replace").split("\0"):
            about, _, name = line.partition("\t")
            words = about.split(" ")
            if len(words) == 3 and words[0] != "120000":
                self._kinds[name], ids[name] = words[1], words[2]
        self.names = {name.partition("/")[0] for name in self._kinds}
        blobs = [blob for name, blob in ids.items() if self._kinds[name] == "blob"]
        contents = git.blobs(blobs, limit=MAX_FILE) if blobs else {}
        self._contents = {name: contents[blob] for name, blob in ids.items() if blob in contents}

    def read(self, name: str) -> bytes | None:
        if self._kinds.get(name) == "blob" and name not in self._contents:
            raise ValueError("it is too large")
        return b"" if self._kinds.get(name) == "tree" else self._contents.get(name)


def _read_file(found: _Worktree | _Head, tool: str, name: str, read: Read) -> NoteRules | None:
    try:
        data = found.read(name)
        if data is None or _SHARED.get((tool, name), b"") not in data:
            return None
        if len(data) > MAX_FILE:
            raise ValueError("it is too large")
        return read(data, name)
    except (OSError, ValueError, RecursionError) as problem:
        from gitnotes.guard.text import shorten
        from gitnotes.note_rules import NoteRules

        reason = problem.strerror if isinstance(problem, OSError) else str(problem).split("\n", 1)[0]
        return NoteRules((name,), notes=(f"{name} is not read: {shorten(str(reason).rstrip('.'))}.",))


def _read_github(data: bytes, name: str) -> NoteRules | None:
    from gitnotes.read.conventions.release_yml import read_release_yml

    return read_release_yml(_yaml(data), name)


def _read_cliff(data: bytes, name: str) -> NoteRules | None:
    from gitnotes.read.conventions.git_cliff import read_cliff
    from gitnotes.read.manifests.entries import table

    loaded = _toml(data)
    if name == "pyproject.toml":
        loaded = table(loaded, "tool", "git-cliff")
    elif name == "Cargo.toml":
        loaded = table(loaded, "package", "metadata", "git-cliff") or table(
            loaded, "workspace", "metadata", "git-cliff"
        )
    return read_cliff(loaded, name) if loaded or name.endswith("cliff.toml") else None


def _read_towncrier(data: bytes, name: str) -> NoteRules | None:
    from gitnotes.read.conventions.fragments import read_towncrier
    from gitnotes.read.manifests.entries import table

    found = table(_toml(data), "tool", "towncrier")
    return read_towncrier(found, name) if found else None


def _read_reno(data: bytes, name: str) -> NoteRules | None:
    from gitnotes.read.conventions.fragments import read_reno

    loaded = _yaml(data) if name.endswith(".yaml") else {}
    return read_reno(loaded if isinstance(loaded, dict) else {}, name)


def _toml(data: bytes) -> dict[str, Any]:
    from gitnotes.read.manifests.entries import load_toml

    return load_toml(data.decode("utf-8-sig", "replace"))


def _yaml(data: bytes) -> Any:
    from gitnotes.read.manifests.entries import load_yaml

    return load_yaml(data.decode("utf-8-sig", "replace"))


def _merge(first: NoteRules, second: NoteRules) -> NoteRules:
    """`first`, with what it leaves open taken from `second`."""
    from gitnotes.note_rules import NoteRules

    gaps = {
        item.name: getattr(second, item.name)
        for item in dataclasses.fields(NoteRules)
        if item.name not in ("sources", "notes") and not getattr(first, item.name)
    }
    return dataclasses.replace(
        first, sources=first.sources + second.sources, notes=first.notes + second.notes, **gaps
    )
