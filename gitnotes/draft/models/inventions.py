"""Which lines and words of a model's message could only have been made up?

A trailer that nobody asked for signs in somebody's name, `Closes #1` closes an issue, `[skip ci]`
switches off tests, a link leads somewhere, a mention calls somebody. Each has to stand in what the
model was given.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from gitnotes.messages import is_trailer, trailer_start

_ORDERS = re.compile(
    r"\s*(?:\[(?:skip[ -](?:ci|actions|cd)|(?:ci|actions)[ -]skip|no[ -]ci)\]|\*{3}NO_CI\*{3})", re.IGNORECASE
)
_CLOSES = re.compile(
    r"(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|implements?|refs?|references|see|related to|part of)[ \t:]*"
    r"(?:issues? )?(?P<refs>(?:(?:[\w.-]{1,60}/[\w.-]{1,60})?#\d{1,9}|GH-\d{1,9})"
    r"(?:(?:, ?| and | )(?:#\d{1,9}))*)",
    re.IGNORECASE,
)
_PARENTHESIS = re.compile(r"\s*\((?P<inside>[^()\n]{1,80})\)")
_LINK = re.compile(r"<?\b(?:https?|ftp|ssh|git)://[^\s<>]{1,500}>?")
_MENTION = re.compile(r"(?<![\w/`.])@[A-Za-z0-9][\w/-]{0,80}")
_POINTER = re.compile(
    r"\W*(?:see|refer to|more|details|link|docs?|documentation|source|via)\b[^.]{0,60}[.:]?", re.I
)
"""A line that was about nothing but the link that is gone."""
_DANGLING = re.compile(r"[ ,;(]{1,3}(?:see|see also|cf|via|thanks(?: to)?)[:. )]{0,3}$", re.I)
"""A pointer at the end of a line whose link is gone."""
_NUMBER = re.compile(r"#\d{1,9}|GH-\d{1,9}")
_FOOTERS = frozenset(["Change-Id", "BREAKING CHANGE", "BREAKING-CHANGE"])
_LISTED = 60
"""Characters of a removed piece that are told."""


def without_inventions(
    lines: Sequence[str], *, known: str, said: str = "", trailers: Collection[str] = ()
) -> tuple[list[str], list[str]]:
    """The lines of a message without what neither `known` nor `trailers` holds, and what was removed.

    `known` is all that the model was given: the change and the user's own words, which are `said`.
    Trailers and orders to a CI have to stand in the latter: a change may hold them to smuggle them in.
    """
    kept: list[str] = []
    removed: list[str] = []
    end_of_prose = 1 + trailer_start(lines[1:])
    for at, line in enumerate(lines):
        if line in trailers:
            kept.append(line)
        elif at and _signs(line, in_block=at >= end_of_prose) and line.strip() not in said:
            removed.append(line.strip()[:_LISTED])
        else:
            left = _clean_line(line, known, said, removed)
            if left or not line.strip():
                kept.append(left)
    return kept, removed


def _signs(line: str, *, in_block: bool) -> bool:
    """Whether a line is a trailer; outside of the last paragraph only one that is nothing else."""
    key = line.partition(":")[0]
    return is_trailer(line) and (in_block or key.lower().endswith("-by") or key in _FOOTERS)


def _clean_line(line: str, known: str, said: str, removed: list[str]) -> str:
    def drop(match: re.Match[str]) -> str:
        removed.append(match.group().strip()[:_LISTED])
        return ""

    def drop_unknown_link(match: re.Match[str]) -> str:
        return match.group() if match.group().strip("<>.,)") in known else drop(match)

    def drop_unknown_reference(match: re.Match[str]) -> str:
        numbers = _NUMBER.findall(match["refs"])
        return match.group() if all(_holds(known, number) for number in numbers) else drop(match)

    def drop_unknown_parenthesis(match: re.Match[str]) -> str:
        inside = match["inside"].strip()
        only = _CLOSES.fullmatch(inside) or _NUMBER.fullmatch(inside)
        if only and not all(_holds(known, number) for number in _NUMBER.findall(inside)):
            return drop(match)
        return match.group()

    def unmention(match: re.Match[str]) -> str:
        if match.group() in known:
            return match.group()
        removed.append(match.group()[:_LISTED])
        return match.group()[1:]

    found = len(removed)
    line = line if _has_order(said) else _ORDERS.sub(drop, line)
    line = _LINK.sub(drop_unknown_link, line)
    line = _PARENTHESIS.sub(drop_unknown_parenthesis, line)
    line = _CLOSES.sub(drop_unknown_reference, line)
    line = _MENTION.sub(unmention, line)
    if len(removed) == found:
        return line
    if _POINTER.fullmatch(line.strip()):
        return ""
    line = _DANGLING.sub("", line)
    # What is left of a line that was about nothing else.
    left = re.sub(r"\s+([.,;:!?])", r"\1", " ".join(line.split())).strip(" ,;:-")
    return left if re.search(r"\w\w", left) else ""


def _has_order(said: str) -> bool:
    return _ORDERS.search(said) is not None


def _holds(known: str, number: str) -> bool:
    return re.search(re.escape(number) + r"(?!\d)", known) is not None
