"""Does a path, or an author, match a pattern such as those of .gitignore?

Linear for each part of a path: no pattern becomes a regular expression that backtracks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


def parse_ignore_file(text: str) -> tuple[str, ...]:
    """The patterns of a file in the syntax of .gitignore, in its order."""
    lines = (line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n"))
    patterns = (_without_trailing_blanks(line) for line in lines if not line.startswith("#"))
    return tuple(pattern for pattern in patterns if pattern)


def is_ignored(path: str, patterns: Sequence[str]) -> bool:
    """Whether git would ignore `path` by the `patterns` of one file at the top.

    Unlike `matches_path` it keeps git's rule that nothing in an ignored folder comes back.
    """
    parts = path.split("/")
    ignored = [False] * (len(parts) + 1)
    for pattern in patterns:
        negated = pattern.startswith("!")
        wanted, only_folders = _split(pattern[negated:])
        for end in _ends(parts, [_translate(part) for part in wanted]):
            if end < len(parts) or not only_folders:
                ignored[end] = not negated
    return any(ignored)


def _without_trailing_blanks(line: str) -> str:
    kept = line.rstrip(" ")
    # A blank behind a backslash stays.
    escaped = (len(kept) - len(kept.rstrip("\\"))) % 2 == 1
    return kept + " " if escaped and kept != line else kept


def _translate(part: str) -> str:
    """A part of a git pattern in the words of fnmatch, which knows no backslash and no `[^`."""
    if part == "**" or ("\\" not in part and "[^" not in part):
        return part
    found = []
    signs = iter(part)
    for sign in signs:
        if sign == "\\":
            literal = next(signs, "")
            found.append(f"[{literal}]" if literal in "*?[" and literal else literal or "\0")
        else:
            found.append(sign)
    return "".join(found).replace("[^", "[!")


def _matches(parts: list[str], pattern: str) -> bool:
    """Whether the path, or a folder above it, matches: the part after the match may be anything."""
    wanted, only_folders = _split(pattern)
    return any(end < len(parts) or not only_folders for end in _ends(parts, wanted))


def _split(pattern: str) -> tuple[list[str], bool]:
    """The parts that a pattern asks for from the top, and whether it is meant for folders alone."""
    only_folders = pattern.endswith("/")
    wanted = pattern.strip("/").split("/")
    if "/" not in pattern.rstrip("/"):
        wanted.insert(0, "**")
    return wanted, only_folders


def _ends(parts: list[str], wanted: list[str]) -> Iterator[int]:
    """Of how many of its first parts each path is that matches: the path itself and folders above it."""
    reached = {0}
    for place in range(len(parts) + 1):
        # `**` may stand for no part at all.
        for at in range(len(wanted)):
            if at in reached and wanted[at] == "**" and at + 1 < len(wanted):
                reached.add(at + 1)
        if len(wanted) in reached:
            yield place
        if place == len(parts) or not reached:
            return
        part = parts[place]
        # `**` stays for the next part as well; the last one has also done with this one.
        stays = {at for at in reached if at < len(wanted) and wanted[at] == "**"}
        goes_on = {at + 1 for at in reached if at < len(wanted) and fnmatchcase(part, wanted[at])}
        reached = stays | {at for at in goes_on if wanted[at - 1] != "**" or at == len(wanted)}
