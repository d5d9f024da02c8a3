"""Which words does a change, or each commit of a range, have in its paths and changed lines?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gitnotes.read.git import Git
from gitnotes.read.history import PATCH_LOG_OPTIONS, split_records
from gitnotes.read.log_format import FIELDS, CommitMaker
from gitnotes.records import Change, Commit

SIDE = 400
"""Words of the removed and of the added lines that count, each."""
MAX_PATHS = 50
_BYTES = 16_384
"""Of the patch of one file."""
_WORD = re.compile(r"\w\w+")
_SECTION = re.compile(rb"(?:^|\n)diff --git ")
_RENAMED = re.compile(rb"\nrename to ([^\n]+)\n")
# Enough for the words; the rest is what makes `git log -p` slow to read.
_OPTIONS = ("-p", "-U0", "-M", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short")


class ChangedWords(NamedTuple):
    """A commit with the paths that it changed and its words, in small letters and with repetitions."""

    commit: Commit
    paths: tuple[str, ...]
    words: list[str]


def words_of(change: Change) -> list[str]:
    """The words of a change, as `read_changed_words` tells them of a commit."""
    paths = [item.path for item in change.files]
    return _words(paths, change.lines("-"), change.lines("+"))


def read_changed_words(git: Git, end: str, known: Sequence[str], limit: int) -> Iterator[ChangedWords]:
    """The newest `limit` commits reachable from `end` and from none of `known`, newest first.

    A merge has neither paths nor words. Raises GitError.
    """
    blocks = git.stream(
        *PATCH_LOG_OPTIONS,
        f"--format=%x00%x00{FIELDS}%x00",
        *_OPTIONS,
        f"--max-count={limit}",
        "--end-of-options",
        *(f"^{name}" for name in known),
        end,
        "--",
    )
    maker = CommitMaker()
    for record in split_records(blocks):
        fields = record.split(b"\0", 6)
        commit = maker.make([field.decode("utf-8", "surrogateescape") for field in fields[:6]], None)
        yield _read(commit, fields[6] if len(fields) > 6 else b"")


def _read(commit: Commit, patch: bytes) -> ChangedWords:
    paths: list[str] = []
    sides: dict[str, list[str]] = {"-": [], "+": []}
    for section in _SECTION.split(patch)[1 : MAX_PATHS + 1]:
        head, _, body = section[:_BYTES].partition(b"\n@@")
        paths.append(_path(head))
        for line in body.decode("utf-8", "replace").split("\n"):
            if line[:1] in sides:
                sides[line[0]].append(line[1:])
    return ChangedWords(commit, tuple(paths), _words(paths, sides["-"], sides["+"]))


def _path(head: bytes) -> str:
    """The path after the change, from the lines before the first hunk."""
    renamed = _RENAMED.search(head)
    names = head.partition(b"\n")[0]
    # Without a rename both names are the same: `a/NAME b/NAME`.
    name = renamed[1] if renamed else names[(len(names) + 1) // 2 :].removeprefix(b"b/")
    return name.decode("utf-8", "surrogateescape")


def _words(paths: Iterable[str], removed: Iterable[str], added: Iterable[str]) -> list[str]:
    found = [word for path in paths for word in _WORD.findall(path.lower())]
    for lines in (removed, added):
        found.extend(_first_words(lines))
    return found


def _first_words(lines: Iterable[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        found.extend(_WORD.findall(line.lower()))
        if len(found) >= SIDE:
            break
    return found[:SIDE]
