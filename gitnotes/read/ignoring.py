"""Which files of a change are none of gitnotes' business, because the repository says so?

`.gitnotesignore` at the top of the work tree has the syntax of .gitignore. What it names is left out of
what is drafted from and graded against: its lines, its name, its definitions. It stays in the commit.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gitnotes.errors import GitError, InputError
from gitnotes.globs import is_ignored, parse_ignore_file
from gitnotes.read.git import Git
from gitnotes.records import Change, Omission

NAME = ".gitnotesignore"
REASON = f"left out by {NAME}"
_MAX_FILE = 1 << 18
_MAX_PATTERNS = 2000


def read_ignore_patterns(git: Git) -> tuple[str, ...]:
    """The patterns of the repository's .gitnotesignore; none without one, or without a work tree.

    Raises InputError when it cannot be read, or is too large to be meant.
    """
    try:
        path = git.top() / NAME
    except GitError:
        return ()
    return read_patterns(path)


def read_patterns(path: Path) -> tuple[str, ...]:
    """The patterns of the file at `path`; none when there is no such file."""
    try:
        if not path.is_file():
            return ()
        with path.open("rb") as file:
            data = file.read(_MAX_FILE + 1)
    except OSError as problem:
        raise InputError(f"{NAME} cannot be read: {problem.strerror}.", "Mend or remove it.") from problem
    patterns = parse_ignore_file(data.decode("utf-8", "surrogateescape"))
    if len(data) > _MAX_FILE or len(patterns) > _MAX_PATTERNS:
        raise InputError(f"{NAME} has more than {_MAX_PATTERNS} patterns.", "Shorten it.")
    return patterns


def leave_out(change: Change, patterns: tuple[str, ...]) -> Change:
    """The change without what `patterns` name, each of which is told in `omitted`.

    Where nothing else is left the names stay, since the commit has to be called something.
    """
    if not patterns:
        return change
    names = {file.path for file in change.files if is_ignored(file.path, patterns)}
    if not names:
        return change
    left = tuple(file for file in change.files if file.path not in names)
    known = {item.path for item in change.omitted}
    told = tuple(Omission(file.path, REASON) for file in change.files if file.path in names - known)
    return replace(
        change,
        files=left or change.files,
        hunks=tuple(hunk for hunk in change.hunks if hunk.path not in names),
        omitted=(*change.omitted, *told),
    )
