"""Which dependencies does a change update, from which version to which?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gitnotes.draft.notes.titles import Title
from gitnotes.guard.text import clean
from gitnotes.records import Commit

_NAME = r"[`'\"]?(@?[A-Za-z][\w./@+:-]{0,199}?)[`'\"]?"
_VERSION = r"[`'\"]?([~^>=<]{0,2}v?\d[\w.+-]{0,80}|[0-9a-f]{7,64})[`'\"]?"
_VERB = r"(?:[\w-]+: )?(?:bump|bumps|bumped|update|updates|updated|upgrade|upgrades|upgraded|pin)"
_KIND = r"(?: (?:dependency|module|action|package|library|requirement|the|version of|requirements for))*"
_AFTER = r"(?: (?:action|docker tag|digest|requirement|version))?"
_FROM_TO = re.compile(
    rf"{_VERB}{_KIND} {_NAME}{_AFTER} from {_VERSION} to {_VERSION}(?:\.|,| in .*| and .*)?",
    re.I,
)
_TO = re.compile(
    rf"{_VERB}{_KIND} {_NAME}{_AFTER}(?: to)? {_VERSION}\.?",
    re.I,
)
_STARTS = re.compile(rf"{_VERB}\b", re.I)
_LINE = re.compile(
    rf"^(?:Bumps|Updates) (?:\[{_NAME}\]\([^)\s]{{0,400}}\)|{_NAME}) from {_VERSION} to {_VERSION}\.?[ \t]*$",
    re.M,
)
_LONGEST_BODY = 50_000
# `update year to 2024`, `bump timeout to 30`: a lone number says nothing about a dependency.
_LONE_NUMBER = re.compile(r"v?\d{1,4}")


@dataclass(frozen=True, slots=True)
class Bump:
    """A dependency moved to another version; `old` is empty when nothing says."""

    name: str
    old: str
    new: str
    pulls: tuple[str, ...] = ()


def read_bumps(title: Title, commits: Sequence[Commit]) -> tuple[Bump, ...]:
    """The dependencies that a change updates; none when it is not about that alone."""
    if match := _FROM_TO.fullmatch(title.text):
        return (Bump(match[1], match[2], match[3].rstrip("."), title.pulls),)
    if _STARTS.match(title.text):
        found: dict[str, Bump] = {}
        for commit in commits:
            for name, other, old, new in _LINE.findall(clean(commit.body[:_LONGEST_BODY])):
                bump = Bump(name or other, old, new.rstrip("."), title.pulls)
                found.setdefault(bump.name, bump)
        if found:
            return tuple(found.values())
    match = _TO.fullmatch(title.text)
    if match and (title.category == "Dependencies" or not _LONE_NUMBER.fullmatch(match[2])):
        return (Bump(match[1], "", match[2].rstrip("."), title.pulls),)
    return ()
