"""What are the parts of a commit message, and who wrote its first line: a person, git or a bot?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from gitnotes.guard import text as guard

Kind = Literal["plain", "merge", "revert", "fixup", "bot"]

LONGEST = 64 * 1024
"""Characters of a message that are looked at; the rest changes nothing."""
TYPES = (
    "build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test",
)  # fmt: skip
_NEAR_TYPES = frozenset(
    ["feature", "bugfix", "doc", "tests", "hotfix", "wip", "release", "deps", "security", "bump"]
)

_HEAD = re.compile(r"([A-Za-z][\w.+*/,\- ]{0,60}?)(?:\(([^()\n]{0,60})\))?(!?)(\s*):(\s*)(\S.*)?$", re.DOTALL)
_TRAILER = re.compile(r"([A-Za-z][A-Za-z0-9-]*|BREAKING CHANGE)(?:: | #)\S")
_KNOWN_TRAILERS = (
    "signed-off-by:",
    "co-authored-by:",
    "change-id:",
    "reviewed-by:",
    "(cherry picked from commit ",
)
_FIXUP = re.compile(r"(fixup|squash|amend)! ")
_MERGE = re.compile(
    r"Merge (?:(?:remote-tracking )?branch(?:es)? '|tag '|commit '|pull request #\d+ from |branch \S+ of |"
    r"pull request #\d+ in )"
)
_REVERT = re.compile(r'(?:Revert|Reapply) "')
_REVERT_BODY = re.compile(r"This reverts commit [0-9a-f]{7,64}")
_BOT = re.compile(
    r"\[bot\]|(?:^|[\s<])(?:dependabot|renovate|pre-commit-ci|github-actions|greenkeeper)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Message:
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
    """The subject after prefix and ticket number."""
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
    match = _HEAD.match(subject) if ":" in subject else None
    if match:
        name = match.group(1).strip()
        if " " not in name or "," in name or name.lower() in TYPES:
            prefix, scope = name.lower(), (match.group(2) or "").strip()
            breaking = bool(match.group(3))
            description = match.group(6) or ""
    return Message(
        raw=raw,
        lines=tuple(lines),
        kind=_kind(subject, lines, parents, author),
        subject=subject,
        prefix=prefix,
        scope=scope,
        breaking=breaking,
        description=description,
        trailer_start=_trailer_start(lines),
    )


def read_head(subject: str) -> tuple[str, str, str, str] | None:
    """Type, blanks before the colon, blanks after it and the rest, when `subject` has a type-like head.

    The type is as written; None when there is no colon after one word.
    """
    match = _HEAD.match(subject) if ":" in subject else None
    if match is None:
        return None
    return match.group(1), match.group(4), match.group(5), match.group(6) or ""


def looks_like_type(word: str) -> bool:
    """Whether a word before a colon is a conventional type, or meant as one."""
    word = word.lower()
    return word in TYPES or word in _NEAR_TYPES


def without_fixup(subject: str) -> str:
    """`subject` without git's own fixup!, squash! and amend! marks."""
    while match := _FIXUP.match(subject):
        subject = subject[match.end() :]
    return subject


def is_git_revert_line(line: str) -> bool:
    return _REVERT_BODY.match(line) is not None


def is_trailer(line: str) -> bool:
    return _TRAILER.match(line) is not None or line.lower().startswith(_KNOWN_TRAILERS)


def _kind(subject: str, lines: list[str], parents: int | None, author: str) -> Kind:
    if parents is not None and parents > 1:
        return "merge"
    if _FIXUP.match(subject):
        return "fixup"
    if author and _BOT.search(author):
        return "bot"
    if parents is None and _MERGE.match(subject):
        return "merge"
    if _REVERT.match(subject) and subject.rstrip(" )#0123456789(").endswith('"'):
        return "revert"
    return "plain"


def _trailer_start(lines: list[str]) -> int:
    """The last paragraph is a trailer block when every line in it is a trailer or continues one."""
    start = len(lines)
    while start > 1 and lines[start - 1].strip():
        start -= 1
    if start <= 1 or start == len(lines):
        return len(lines)
    block = lines[start:]
    if not is_trailer(block[0]) or not all(
        is_trailer(line) or line.startswith((" ", "\t")) for line in block
    ):
        return len(lines)
    return start
