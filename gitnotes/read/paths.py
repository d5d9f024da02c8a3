"""How does git take a path for what it is, whatever signs are in it?"""

from __future__ import annotations

from collections.abc import Iterable

from gitnotes.errors import UsageError

_LITERAL = ":(literal)"


def literal_paths(paths: Iterable[str]) -> tuple[str, ...]:
    """The pathspecs that mean these paths: a file or all in a folder, seen from the current folder.

    Raises UsageError for an empty path.
    """
    paths = tuple(paths)
    if not all(paths):
        raise UsageError("A path is empty.", "Name a file or folder of the repository; `.` is this one.")
    return tuple(_LITERAL + path for path in paths)


def plain_path(pathspec: str) -> str:
    """The path that `literal_paths` was given."""
    return pathspec.removeprefix(_LITERAL)
