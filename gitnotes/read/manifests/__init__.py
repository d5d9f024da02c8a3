"""Which dependencies does a change add, remove or move, judged by whole manifests before and after?

Each family of formats has a module that turns a text into entries; here the two sides are
compared. What no parser reads falls back to the changed lines, so no file is ever an error.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from gitnotes.errors import GitError
from gitnotes.read.git import Git
from gitnotes.read.manifests import ci, go, java, javascript, php, python, ruby, rust
from gitnotes.read.manifests.entries import MAX_BYTES, Blocks, Entry, Format, decode, short, tidy
from gitnotes.read.manifests.lines import dependencies_from_hunks, has_lines
from gitnotes.records import Change, DependencyChange, FileChange, Omission

__all__ = ["add_dependencies", "dependencies_from_hunks", "format_of"]

MAX_CHANGES = 2000
"""Dependency changes that are kept of one change; a first lock file has thousands."""
_MAX_MANIFEST = 500_000
"""Bytes of a file that people write; only lock files are larger."""
_BUDGET = 20_000_000
"""Bytes of manifests that are parsed for one change; the rest is read from hunks."""
_VENDORED = {"node_modules", "vendor", "third_party", "site-packages", "_vendor"}
_LINK = "120000"

Key = tuple[str, str, str, bool]
"""Ecosystem, folded name, tool, whether it is the project itself."""


class _Found(NamedTuple):
    """One difference, and what decides which of several with one key stays."""

    key: Key
    lock: bool
    change: DependencyChange


def add_dependencies(git: Git, change: Change) -> Change:
    """The change with its `dependencies`, manifests before lock files, each difference once.

    A name that moves in a manifest and in its lock file is one direct change, with the versions of
    the manifest. A file that cannot be parsed is read from its hunks. Raises GitError only when git
    itself cannot be started.
    """
    files = [file for file in change.files if _is_wanted(file)]
    if not files:
        return change
    known = [(file, format_of(file.path) or format_of(file.old_path or "")) for file in files]
    if not change.base:
        return replace(change, dependencies=_merge(_from_hunks(change, known)))
    contents = _read_contents(git, change, known)
    asked_for = _Manifests(git, change, contents)
    found: list[_Found] = []
    unread: list[tuple[FileChange, Format | None]] = []
    for file, how in known:
        sides = contents.get(file.path)
        parsed = None if how is None or sides is None else _compare(file, how, sides, asked_for)
        if parsed is None:
            unread.append((file, how))
        else:
            found.extend(parsed)
    found.extend(_from_hunks(change, unread))
    order = {file.path: position for position, file in enumerate(change.files)}
    found.sort(key=lambda item: (item.lock, order.get(item.change.path, 0)))
    merged = _merge(found)
    omitted = change.omitted
    if len(merged) > MAX_CHANGES:
        reason = f"only the first {MAX_CHANGES:,} of {len(merged):,} dependency changes are listed"
        omitted += (Omission(merged[MAX_CHANGES].path, reason),)
    return replace(change, dependencies=merged[:MAX_CHANGES], omitted=omitted)


@lru_cache(maxsize=4096)
def format_of(path: str) -> Format | None:
    """How the manifest or lock file at `path` is parsed; None when it is none, or somebody else's."""
    path = path.lower()
    *folders, name = path.split("/")
    if _VENDORED.intersection(folders):
        return None
    families = (python, javascript, rust, go, java, ruby, php, ci)
    return next((found for family in families if (found := family.format_of(path, name))), None)


def _is_wanted(file: FileChange) -> bool:
    if file.submodule or _LINK in (file.old_mode, file.new_mode):
        return False
    if file.old_id and file.old_id == file.new_id:
        return False
    return any(format_of(path) or has_lines(path) for path in (file.path, file.old_path) if path)


def _read_contents(
    git: Git, change: Change, known: Sequence[tuple[FileChange, Format | None]]
) -> dict[str, tuple[str | None, str | None]]:
    """Path to the texts before and after; None is no file. A side that cannot be had: no entry."""
    wanted = [(file, how) for file, how in known if how is not None]
    shown = {hunk.path for hunk in change.hunks}
    blobs = git.blobs(
        [name for file, _ in wanted for name in (file.old_id, file.new_id) if name],
        limit=MAX_BYTES,
        diffed=all(file.path in shown for file, _ in wanted),
    )
    result: dict[str, tuple[str | None, str | None]] = {}
    budget = _BUDGET
    for file, how in wanted:
        old = blobs.get(file.old_id) if file.status not in "A" else None
        new = blobs.get(file.new_id) if file.status not in "D" else None
        if new is None and file.status != "D" and change.target == "worktree":
            new = _read_file(git, file.path)
        missing = (old is None and file.status != "A") or (new is None and file.status != "D")
        budget -= len(old or b"") + len(new or b"")
        large = not how.lock and max(len(old or b""), len(new or b"")) > _MAX_MANIFEST
        if missing or large or budget < 0:
            continue
        # A copy starts from another file: what it holds is new here.
        old = None if file.status == "C" else old
        result[file.path] = tuple(None if side is None else decode(side) for side in (old, new))  # type: ignore[assignment]
    return result


def _read_file(git: Git, path: str) -> bytes | None:
    """The file in the work tree, if it is a plain one of fair size."""
    try:
        place = git.top() / path
        descriptor = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as stream:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > MAX_BYTES:
                return None
            return stream.read(MAX_BYTES)
    except (OSError, ValueError, GitError):
        return None


class _Manifests:
    """The names that the manifests next to a lock file ask for, read once a folder."""

    def __init__(self, git: Git, change: Change, contents: dict[str, tuple[str | None, str | None]]) -> None:
        self._git, self._base, self._contents = git, change.base, contents
        self._names: dict[str, frozenset[str] | None] = {}

    def names(self, folder: str, how: Format) -> frozenset[str] | None:
        """Folded names; None when no manifest is there or none can be parsed."""
        result: frozenset[str] | None = None
        for manifest in how.manifests:
            path = f"{folder}{manifest}"
            if path not in self._names:
                self._names[path] = self._read(path)
            found = self._names[path]
            result = result if found is None else found | (result or frozenset())
        return result

    def _read(self, path: str) -> frozenset[str] | None:
        how = format_of(path)
        if how is None:
            return None
        if path in self._contents:
            texts = [text for text in self._contents[path] if text is not None]
        else:
            texts = self._read_unchanged(path)
        found = [entries for text in texts if (entries := _parse(how, text)) is not None]
        if not found:
            return None
        return frozenset(how.fold(entry.name) for entries in found for entry in entries if entry.direct)

    def _read_unchanged(self, path: str) -> list[str]:
        """The text at the base, which is also the text after the change."""
        if "\0" in path:
            return []
        try:
            line = self._git.run(
                "--literal-pathspecs", "ls-tree", "-z", "--full-tree", self._base, "--", path
            )
        except GitError:
            return []
        name = line.partition(b"\t")[0].rpartition(b" ")[2].decode("ascii", "replace")
        return [decode(data) for data in self._git.blobs([name], limit=MAX_BYTES).values()]


def _parse(how: Format, text: str) -> list[Entry] | None:
    """The entries of the text; None when it cannot be parsed."""
    try:
        return list(tidy(how.read(text)))
    # The parsers are other people's, the files are anybody's: whatever goes wrong, the hunks are left.
    except (Exception, RecursionError):
        return None


def _compare(
    file: FileChange, how: Format, sides: tuple[str | None, str | None], asked_for: _Manifests
) -> list[_Found] | None:
    """What differs between both sides of one file; None when one of them cannot be parsed."""
    old_text, new_text = sides
    if how.split and old_text and new_text:
        old_text, new_text = _changed_blocks(how.split, old_text, new_text)
    before = [] if old_text is None else _parse(how, old_text)
    after = [] if new_text is None else _parse(how, new_text)
    if before is None or after is None:
        return None
    names: frozenset[str] | None = None
    if how.manifests and any(entry.direct is None for entry in (*before, *after)):
        names = asked_for.names(file.path[: file.path.rfind("/") + 1], how)
    return list(_differences(file.path, how, before, after, names))


def _changed_blocks(split: Callable[[str], Blocks], old: str, new: str) -> tuple[str, str]:
    """Both lock files without the packages that are equal: most of a lock file, in most changes."""
    before, after = split(old), split(new)
    equal = set(before.blocks) & set(after.blocks)
    # Another version of a package that differs is needed to tell an update from a newcomer.
    names = {before.name(block) for block in (*before.blocks, *after.blocks) if block not in equal}
    return before.without(equal, names), after.without(equal, names)


def _differences(
    path: str, how: Format, before: list[Entry], after: list[Entry], names: frozenset[str] | None
) -> Iterator[_Found]:
    old_sides, new_sides = (_by_key(how, entries) for entries in (before, after))
    for key in {**old_sides, **new_sides}:
        old, new = old_sides.get(key, {}), new_sides.get(key, {})
        gone = [version for version in old if version not in new]
        come = [version for version in new if version not in old]
        for position in range(max(len(gone), len(come))):
            left = old[gone[position]] if position < len(gone) else None
            right = new[come[position]] if position < len(come) else None
            entry = right or left
            assert entry is not None
            if old and new and (left is None or right is None):
                # The name was and is there, in one version more, or less: for another group or platform.
                if not entry.version:
                    continue
                left = left or list(old.values())[-1]
                right = right or list(new.values())[-1]
            direct = entry.direct
            if direct is None and names is not None:
                direct = key[1] in names
            before_it, after_it = (side.version if side else "" for side in (left, right))
            if left and right and before_it == after_it:
                before_it, after_it = short(left.pin), short(right.pin)
            item = DependencyChange(
                entry.name,
                before_it,
                after_it,
                path,
                added=left is None and not entry.project,
                removed=right is None and not entry.project,
                project=entry.project,
                tool=entry.tool,
                direct=None if entry.project else direct,
            )
            if item.old or item.new or item.added or item.removed:
                yield _Found(key, how.lock, item)


def _by_key(how: Format, entries: Iterable[Entry]) -> dict[Key, dict[str, Entry]]:
    """Each thing with the versions that the file has of it, in its order; a direct entry wins."""
    result: dict[Key, dict[str, Entry]] = {}
    for entry in entries:
        key = (how.ecosystem, how.fold(entry.name), entry.tool, entry.project)
        versions = result.setdefault(key, {})
        stated = f"{entry.version} {entry.pin}"
        if stated not in versions or (entry.direct and not versions[stated].direct):
            versions[stated] = entry
    return result


def _from_hunks(change: Change, files: Sequence[tuple[FileChange, Format | None]]) -> Iterator[_Found]:
    paths = {file.path: how for file, how in files}
    part = replace(change, hunks=tuple(hunk for hunk in change.hunks if hunk.path in paths))
    for item in dependencies_from_hunks(part):
        how = paths.get(item.path)
        fold: Callable[[str], str] = how.fold if how else str.lower
        key = (how.ecosystem if how else "", fold(item.name), item.tool, item.project)
        direct = None if item.project or how is None or how.lock else True
        yield _Found(key, bool(how and how.lock), replace(item, direct=direct))


def _merge(found: Iterable[_Found]) -> tuple[DependencyChange, ...]:
    """One change for what several files say of the same thing; a manifest speaks before a lock file."""
    groups: dict[Key, list[_Found]] = {}
    for item in found:
        groups.setdefault(item.key, []).append(item)
    result: list[DependencyChange] = []
    for group in groups.values():
        manifests = [item.change for item in group if not item.lock]
        result.extend(_once(_joined(manifests or [item.change for item in group])))
    return tuple(result)


def _joined(items: list[DependencyChange]) -> list[DependencyChange]:
    """A thing that left one file and came into another has moved; at most its version changed."""
    gone = [item for item in items if item.removed]
    come = [item for item in items if item.added]
    for left, right in zip(gone, come, strict=False):
        if left.path == right.path:
            continue
        items = [item for item in items if item is not left and item is not right]
        if left.old != right.new:
            items.append(replace(right, old=left.old, added=False))
    return items


def _once(items: list[DependencyChange]) -> Iterator[DependencyChange]:
    seen: dict[tuple[str, str], DependencyChange] = {}
    for item in items:
        kept = seen.setdefault((item.old, item.new), item)
        if item.direct and not kept.direct:
            seen[item.old, item.new] = replace(kept, direct=True)
    yield from seen.values()
