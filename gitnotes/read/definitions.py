"""Which definitions did a change add, remove, rename, move or change?

Both versions of each source file are parsed and their definitions compared. What no parser can
read, and what is beyond the bounds below, is judged by the lines of its hunks instead.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple

from gitnotes.kinds import kind_of
from gitnotes.read.compare import FilePair, Side, compare
from gitnotes.read.git import OBJECT_ID, Git
from gitnotes.read.hunk_definitions import definitions_from_hunks, is_cut, options_in
from gitnotes.read.languages import language_of
from gitnotes.read.syntax import Definition, Edit, broken_lines, definitions_in, innermost, parse
from gitnotes.records import Change, DefinitionChange, FileChange, Hunk, Omission

__all__ = ["add_definitions", "definitions_from_hunks"]

MAX_FILE = 1 << 20
"""Bytes of one version of a file that is parsed."""
MAX_TOTAL = 2_000_000
"""Bytes that are parsed of one change; the files with most changed lines come first."""
MAX_FILES = 100
"""Files of one change that are parsed."""
SECONDS = 2.0
"""Time after which parsing stops; far above what the bounds need, against hostile files."""
_FEW = 16
_MINIFIED = 300
"""Mean length of a line from which a file was not written by hand."""
_LONG_ENOUGH = 4096
_GENERATED = re.compile(rb"(?:Code|File) generated\b[^\n]{0,200}DO NOT EDIT|@generated\b", re.IGNORECASE)
_REGULAR = ("", "100644", "100755", "100664")


def add_definitions(git: Git | None, change: Change) -> Change:
    """The change with its definitions, the one with most changed lines first.

    Contents are read by the object ids of the files; without `git`, or where an object is not here,
    they come from the hunks as far as those tell. Never raises for what is in a file.
    """
    hunks: dict[str, list[Hunk]] = {}
    for hunk in change.hunks:
        hunks.setdefault(hunk.path, []).append(hunk)
    readable: list[FileChange] = []
    omitted: list[Omission] = []
    for file in change.files:
        if file.path not in hunks or kind_of(file.path) == "lock" or not _is_source(file):
            continue
        if kind_of(file.path) in {"vendored", "generated"}:
            omitted.append(Omission(file.path, f"{kind_of(file.path)} code; its definitions were not read"))
        else:
            readable.append(file)
    contents = _read_contents(git, readable, hunks)
    deadline = time.monotonic() + SECONDS
    pairs: list[FilePair] = []
    parsed: set[str] = set()
    broken: list[Hunk] = []
    skipped = {item.path for item in omitted}
    for file in readable:
        content = contents.get(file.path)
        if content is None:
            continue
        if reason := _why_unreadable(content):
            omitted.append(Omission(file.path, reason))
            skipped.add(file.path)
        elif parsing := _parse(file, content, hunks[file.path], deadline):
            pairs.append(parsing[0])
            parsed.add(file.path)
            broken.extend(parsing[1])
    rest = tuple(hunk for hunk in change.hunks if hunk.path not in parsed and hunk.path not in skipped)
    code = tuple(hunk for hunk in change.hunks if hunk.path in parsed)
    found = [
        *compare(pairs),
        *options_in(replace(change, hunks=code)),
        *definitions_from_hunks(replace(change, hunks=rest)),
    ]
    known = {(item.path, item.name) for item in found}
    guessed = definitions_from_hunks(replace(change, hunks=tuple(broken))) if broken else ()
    found.extend(item for item in guessed if (item.path, item.name) not in known)
    found = [item for item in found if not is_cut(item.name, hunks.get(item.path, ()))]
    return replace(change, definitions=_sorted(found, change.files), omitted=_merged(change.omitted, omitted))


def _is_source(file: FileChange) -> bool:
    return file.submodule is None and file.old_mode in _REGULAR and file.new_mode in _REGULAR


def _sorted(found: Iterable[DefinitionChange], files: Sequence[FileChange]) -> tuple[DefinitionChange, ...]:
    """Most changed lines first; what is in a renamed file after the rest; then the order of the files."""
    order = {file.path: number for number, file in enumerate(files)}
    renamed = {file.path for file in files if file.status == "R"}
    return tuple(
        sorted(found, key=lambda item: (-item.lines, item.path in renamed, order.get(item.path, len(order))))
    )


def _merged(known: tuple[Omission, ...], new: list[Omission]) -> tuple[Omission, ...]:
    return (*known, *(item for item in new if item not in known))


class _Content(NamedTuple):
    """Both versions of a file; an empty one stands for a file that is not there."""

    old: bytes
    new: bytes


def _read_contents(
    git: Git | None, files: Sequence[FileChange], hunks: dict[str, list[Hunk]]
) -> dict[str, _Content]:
    """Both versions of the files, as far as they can be had and within the bounds."""
    wanted = sorted(
        (file for file in files if language_of(file.path)),
        key=lambda file: (
            kind_of(file.path) not in {"code", "test"},
            -(file.added or 0) - (file.removed or 0),
        ),
    )[:MAX_FILES]
    ids = [name for file in wanted for name in (file.old_id, file.new_id) if OBJECT_ID.fullmatch(name)]
    if git is not None and len(ids) > _FEW:  # asked for their sizes first, so that memory stays small
        ids = _within(git.blob_sizes(ids))
    blobs = git.blobs(ids, limit=MAX_FILE, diffed=True) if git is not None and ids else {}
    found: dict[str, _Content] = {}
    total = 0
    for file in wanted:
        own = hunks[file.path]
        old = b"" if file.status == "A" else blobs.get(file.old_id)
        new = b"" if file.status == "D" else blobs.get(file.new_id)
        if new is None and old is not None:
            new = _patched(old, own, file, reverse=False)
        elif old is None and new is not None:
            old = _patched(new, own, file, reverse=True)
        if old is None or new is None or max(len(old), len(new)) > MAX_FILE:
            continue
        total += len(old) + len(new)
        if total > MAX_TOTAL:
            break
        found[file.path] = _Content(_plain(old), _plain(new))
    return found


def _within(sizes: dict[str, int]) -> list[str]:
    """The first objects that keep to the bounds together."""
    small = [(name, size) for name, size in sizes.items() if size <= MAX_FILE]
    totals = accumulate(size for _, size in small)
    return [name for (name, _), total in zip(small, totals, strict=True) if total <= MAX_TOTAL]


def _plain(source: bytes) -> bytes:
    """The source with plain line ends, also after its last line."""
    source = source.replace(b"\r\n", b"\n")
    return source if not source or source.endswith(b"\n") else source + b"\n"


def _patched(source: bytes, hunks: Sequence[Hunk], file: FileChange, *, reverse: bool) -> bytes | None:
    """The other version of a file, made from the one that is here; None when the hunks do not fit.

    A version of the work tree is no object of the repository yet, and a bare diff of a new file
    holds all of it.
    """
    gone, come = ("+", "-") if reverse else ("-", "+")
    lines = source.split(b"\n") if source else []
    result: list[bytes] = []
    position = added = removed = 0
    for hunk in hunks:
        start, count = (hunk.new_start, hunk.new_count) if reverse else (hunk.old_start, hunk.old_count)
        start = start if count == 0 else start - 1
        if start < position or start > len(lines):
            return None
        result.extend(lines[position:start])
        position = start
        for line in hunk.lines:
            sign, text = line[:1], line[1:].encode("utf-8", "replace")
            added += sign == "+"
            removed += sign == "-"
            if sign in {gone, " "}:
                if position >= len(lines) or lines[position].decode("utf-8", "replace") != line[1:]:
                    return None
                position += 1
            if sign in {come, " "}:
                result.append(text)
    if (added, removed) != (file.added, file.removed):  # not all lines were kept
        return None
    return b"\n".join([*result, *lines[position:]])


def _why_unreadable(content: _Content) -> str:
    """Why a file was not written by hand; empty when it may have been."""
    for source in (content.new, content.old):
        if len(source) > _LONG_ENOUGH and len(source) > _MINIFIED * (source.count(b"\n") + 1):
            return "minified code or data; its definitions were not read"
        if _GENERATED.search(source[:2000]):
            return "generated code; its definitions were not read"
    return ""


def _parse(
    file: FileChange, content: _Content, hunks: Sequence[Hunk], deadline: float
) -> tuple[FilePair, list[Hunk]] | None:
    """Both versions with their definitions, and the hunks in which the parser was lost.

    None when one of the versions cannot be parsed.
    """
    old_path = file.old_path or file.path
    language = language_of(file.path)
    old_language = language_of(old_path) or language
    removed, added, edits = _changed_rows(hunks)
    old_tree = parse(content.old, old_language, deadline=deadline) if content.old else None
    before = (old_tree, content.old) if old_tree is not None and old_language == language else None
    new_tree = parse(content.new, language, deadline=deadline, before=before, edits=edits)
    sides: list[Side] = []
    for path, source, tree, rows in (
        (old_path, content.old, old_tree, removed),
        (file.path, content.new, new_tree, added),
    ):
        definitions: tuple[Definition, ...] | None = ()
        if source:
            if tree is None:
                return None
            spoken = language_of(path) or language
            definitions = definitions_in(tree, source, spoken, path, deadline=deadline)
        if definitions is None:
            return None
        sides.append(Side(path, source, definitions, rows))
    pair = FilePair(*sides)
    ranges = [broken_lines(tree) if tree is not None else [] for tree in (old_tree, new_tree)]
    return pair, [hunk for hunk in hunks if any(ranges) and _is_lost(hunk, pair, ranges)]


def _is_lost(hunk: Hunk, pair: FilePair, broken: list[list[tuple[int, int]]]) -> bool:
    """Whether a changed line of the hunk is in no definition and inside of a syntax error."""
    old_rows, new_rows, _ = _changed_rows([hunk])
    for side, rows, ranges in zip((pair.old, pair.new), (old_rows, new_rows), broken, strict=True):
        for row, around in zip(rows, innermost(side.definitions, rows), strict=True):
            if not around and any(first <= row <= last for first, last in ranges):
                return True
    return False


def _changed_rows(hunks: Sequence[Hunk]) -> tuple[list[int], list[int], list[Edit]]:
    """The removed lines of the old file and the added ones of the new, from 0, and the edits they make."""
    removed: list[int] = []
    added: list[int] = []
    edits: list[Edit] = []
    for hunk in hunks:
        old = hunk.old_start - (hunk.old_count > 0)
        new = hunk.new_start - (hunk.new_count > 0)
        gone = come = 0
        for line in (*hunk.lines, " "):
            sign = line[:1]
            if sign == "-":
                removed.append(old)
                gone += 1
                old += 1
            elif sign == "+":
                added.append(new)
                come += 1
                new += 1
            elif sign == " ":
                if gone or come:
                    edits.append((old - gone, gone, come))
                gone = come = 0
                old += 1
                new += 1
    return removed, added, edits
