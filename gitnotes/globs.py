"""Does a path, or an author, match a pattern such as those of .gitignore?

Linear for each part of a path: no pattern becomes a regular expression that backtracks.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase


def matches_path(path: str, patterns: Sequence[str]) -> bool:
    """Whether `path`, from the top with `/`, matches `patterns`; of several that do the last one counts.

    As in gitignore(5): `*` and `?` stay within a part, `**` goes over parts, a pattern with a `/`
    before its end is meant from the top and any other in every folder, a folder stands for all in
    it, and `!` in front takes paths out again.
    """
    parts = path.split("/")
    answer = False
    for pattern in patterns:
        negated = pattern.startswith("!")
        if answer == negated and _matches(parts, pattern[negated:]):
            answer = not negated
    return answer


def matches_author(author: str, patterns: Sequence[str]) -> bool:
    """Whether "Name <email>" matches one of `patterns` whatever the case; brackets stand for themselves."""
    author = author.lower()
    return any(fnmatchcase(author, pattern.lower().replace("[", "[[]")) for pattern in patterns)


def _matches(parts: list[str], pattern: str) -> bool:
    only_folders = pattern.endswith("/")
    wanted = pattern.strip("/").split("/")
    if "/" not in pattern.rstrip("/"):
        wanted.insert(0, "**")
    return _match_parts(parts, wanted, only_folders)


def _match_parts(parts: list[str], wanted: list[str], only_folders: bool) -> bool:
    """Whether the path, or a folder above it, matches: the part after the match may be anything."""
    reached = {0}
    for place in range(len(parts) + 1):
        # `**` may stand for no part at all.
        for at in range(len(wanted)):
            if at in reached and wanted[at] == "**" and at + 1 < len(wanted):
                reached.add(at + 1)
        if len(wanted) in reached and (place < len(parts) or not only_folders):
            return True
        if place == len(parts):
            return False
        part = parts[place]
        reached = {
            at if wanted[at] == "**" and at + 1 < len(wanted) else at + 1
            for at in reached
            if at < len(wanted) and (wanted[at] == "**" or fnmatchcase(part, wanted[at]))
        }
    return False
