"""How is the head of a subject read, and which customs do the subjects of a history keep?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import NamedTuple

from gitnotes.guard.patterns import late
from gitnotes.messages import is_fixup, is_merge_subject, is_revert_subject

TYPES = ("build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test")
"""The types of the Angular convention, which most repositories use."""
USED_TYPES = frozenset([*TYPES, "doc", "tests", "deps", "security", "release"])
"""With those that repositories add."""
RECENT = 100
"""The newest subjects that decide whether a repository keeps the convention."""

_HEAD = re.compile(
    r"([A-Za-z0-9_.*][\w.+*/,\- ]{0,60}?)(?:( ?)\(([^()\n]{0,60})\))?(!?)(\s*):(\s*)(\S.*)?$", re.DOTALL
)
_PICTURE = "[\u2190-\u2bff\u3030\U0001f000-\U0001faff]"
_GITMOJI = late(
    f"(?:(:[a-z0-9_+-]{{2,40}}:)"
    f"|({_PICTURE})(?:[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]|\u200d{_PICTURE})*\u200d?)[ \t]*"
)
_SIGNS = (
    ("feat", "✨ :sparkles:"),
    ("fix", "🐛 :bug: 🚑 🩹 :ambulance: :adhesive_bandage:"),
    ("perf", "⚡️ :zap: 🚀"),
    ("security", "🔒 :lock:"),
    ("docs", "📝 :memo:"),
    ("feat!", "💥 :boom:"),
    ("deprecate", "🗑 :wastebasket:"),
    ("deps", "⬆ :arrow_up: ⬇ :arrow_down: 📌 :pushpin: ➕ :heavy_plus_sign: ➖ :heavy_minus_sign:"),
    ("refactor", "♻️ :recycle:"),
    ("style", "🎨 :art:"),
    ("test", "✅ :white_check_mark:"),
    ("ci", "👷 :construction_worker: 💚 :green_heart:"),
    ("build", "📦 :package:"),
    ("chore", "🔧 :wrench:"),
    ("lint", "🚨 :rotating_light:"),
    ("revert", "⏪ :rewind:"),
    ("release", "🔖 :bookmark:"),
    ("types", "🏷 :label:"),
    ("change", "🔥 :fire:"),
)


class Head(NamedTuple):
    """A subject with a word before a colon, taken apart: `fix(parser)!: keep order`."""

    type: str
    """As written; the name of an area where it is no type."""
    scope: str
    breaking: bool
    description: str
    is_strict: bool
    """Blanks and brackets are as Conventional Commits wants them, and neither part is empty."""
    has_space_before: bool
    """A blank before the colon."""
    space_after: str
    """What stands between the colon and the description."""
    has_empty_scope: bool

    @property
    def is_usual(self) -> bool:
        return self.type.lower() in USED_TYPES


def read_head(subject: str) -> Head | None:
    """The parts of `subject`; None when there is no colon after one short phrase."""
    match = _HEAD.match(subject) if ":" in subject else None
    if match is None:
        return None
    name, gap, scope, mark, before, after, description = match.groups()
    return Head(
        type=name.strip(),
        scope=(scope or "").strip(),
        breaking=bool(mark),
        description=description or "",
        is_strict=not (gap or before or name != name.strip() or scope == "")
        and bool(after.strip(" ") == "" and after and description),
        has_space_before=bool(before),
        space_after=after,
        has_empty_scope=scope == "",
    )


def read_gitmoji(subject: str) -> tuple[str, str]:
    """The emoji (or its `:code:`) that a subject begins with, '' for none, and what follows it."""
    if subject[:1].isalnum():
        return "", subject
    match = _GITMOJI().match(subject)
    return (match[1] or match[2], subject[match.end() :]) if match else ("", subject)


def gitmoji_for(kind: str, *, code: bool) -> str:
    """The sign, or its `:code:`, that stands for a type; that of chore for an unknown one."""
    signs = dict(_SIGNS).get(kind) or dict(_SIGNS)["chore"]
    return signs.split()[1 if code else 0]


@cache
def gitmoji_types() -> dict[str, str]:
    """Signs and codes of the gitmoji list to the type that each stands for; `!` marks a breaking change."""
    return {sign.rstrip("\ufe0f"): kind for kind, signs in _SIGNS for sign in signs.split()}


def is_conventional(subject: str) -> bool:
    """Whether a subject, after any emoji, is `type: text`, `type(scope): text` or `type!: text`.

    The type is a usual one, in any case: item 15 of the specification.
    """
    head = read_head(read_gitmoji(subject)[1])
    return head is not None and head.is_strict and head.is_usual


def keep_conventional(subjects: Iterable[str]) -> bool:
    """Whether more than half of the newest subjects are conventional; False for none at all.

    The first 100 count, newest first, without those that git wrote and those that wait for a squash.
    """
    return learn_habits(subjects).conventional


class Marks(NamedTuple):
    """What one subject shows of the habits of whoever wrote it: 1 yes, 0 no, -1 nothing."""

    conventional: int
    capital: int
    """Of a subject without a type; names and scripts without case show nothing."""
    stop: int


class Habits(NamedTuple):
    """What the newest subjects of a history have in common."""

    conventional: bool = False
    capital: bool = False
    """Subjects without a type begin with a capital letter."""
    stop: bool = False
    """Subjects end with a full stop."""


def marks_of(subject: str) -> Marks:
    """The marks of a subject; none where git wrote it or it waits for a squash."""
    if is_fixup(subject) or is_merge_subject(subject) or is_revert_subject(subject):
        return Marks(-1, -1, -1)
    plain = read_gitmoji(subject)[1]
    head = read_head(plain)
    word = plain.split(None, 1)[0] if head is None and plain.strip() else ""
    shows_case = word[:1].isupper() or word.islower()
    return Marks(
        conventional=int(head is not None and head.is_strict and head.is_usual),
        capital=int(word[0].isupper()) if shows_case else -1,
        stop=int(subject.endswith((".", "。"))),
    )


def is_habit(yes: int, seen: int) -> bool:
    """Whether so many of those that were seen make a habit: three of four, and ten have to be seen."""
    return seen >= 10 and yes * 4 >= seen * 3


def learn_habits(subjects: Iterable[str]) -> Habits:
    """The habits of the newest subjects, counted as in `keep_conventional`."""
    marks = [marks_of(subject) for subject in islice(subjects, RECENT)]
    typed, capitals, stops = (
        [mark[place] for mark in marks if mark[place] >= 0] for place in range(len(Marks._fields))
    )
    return Habits(
        conventional=sum(typed) * 2 > len(typed),
        capital=is_habit(sum(capitals), len(capitals)),
        stop=is_habit(sum(stops), len(stops)),
    )
