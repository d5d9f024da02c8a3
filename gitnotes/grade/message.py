"""What are the parts of a commit message, and who wrote its first line: a person, git or a bot?"""

from __future__ import annotations

from typing import Literal, NamedTuple

from gitnotes.conventional import TYPES, read_head
from gitnotes.guard import text as guard
from gitnotes.messages import (
    is_bot,
    is_fixup,
    is_merge_subject,
    is_revert_subject,
    trailer_start,
    without_ci_orders,
)

Kind = Literal["plain", "merge", "revert", "fixup", "bot"]

LONGEST = 64 * 1024
"""Characters of a message that are looked at; the rest changes nothing."""


class Message(NamedTuple):
    """A message cut into its parts; `lines` are 0-based, without line ends."""

    raw: str
    lines: tuple[str, ...]
    kind: Kind
    subject: str
    """The first line as it stands, without invisible characters."""
    prefix: str
    """Type or area before the colon, lower case; empty when the subject has none."""
    scope: str
    breaking: bool
    description: str
    """The subject after prefix and ticket number, without orders to a service such as `[skip ci]`."""
    trailer_start: int
    """Line at which the trailers begin; len(lines) when there are none."""

    @property
    def body(self) -> tuple[str, ...]:
        return self.lines[1 : self.trailer_start]

    @property
    def trailers(self) -> tuple[str, ...]:
        return self.lines[self.trailer_start :]

    @property
    def conventional(self) -> bool:
        return self.prefix in TYPES


def split_message(raw: str, *, parents: int | None = None, author: str = "") -> Message:
    """The parts of `raw`, a message as git stores it.

    `parents` is the number of parents when it is known: it tells a merge from a text that
    looks like one. `author` is "Name <email>" when it is known, for bots.
    """
    if len(raw) > LONGEST:
        raw = raw[:LONGEST]
    text = raw if raw.isascii() and raw.isprintable() else guard.clean(raw)
    lines = text.rstrip().split("\n")
    while len(lines) > 1 and not lines[0].strip():
        lines.pop(0)
    lines = [line.rstrip() for line in lines]
    subject = lines[0].strip()
    prefix, scope, breaking, description = "", "", False, subject
    head = read_head(subject)
    # An area may be a list (`cmd/go, go/build: ...`); several other words are a sentence with a colon.
    if head and head.type[0].isalpha() and (" " not in head.type or "," in head.type):
        prefix, scope = head.type.lower(), head.scope
        breaking, description = head.breaking, head.description
    body_start = trailer_start(lines[1:]) + 1
    return Message(
        raw=raw,
        lines=tuple(lines),
        kind=_kind(subject, lines, parents, author),
        subject=subject,
        prefix=prefix,
        scope=scope,
        breaking=breaking,
        description=without_ci_orders(description).strip(),
        # Without a blank line after the subject git takes a trailer for a part of it.
        trailer_start=body_start if body_start > 1 else len(lines),
    )


def _kind(subject: str, lines: list[str], parents: int | None, author: str) -> Kind:
    if parents is not None and parents > 1:
        return "merge"
    if is_fixup(subject):
        return "fixup"
    if author and is_bot(author):
        return "bot"
    if parents is None and is_merge_subject(subject):
        return "merge"
    return "revert" if is_revert_subject(subject) else "plain"
