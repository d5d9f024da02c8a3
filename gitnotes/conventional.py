"""How is the head of a subject read, and which customs do the subjects of a history keep?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
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
    known = [is_conventional(subject) for subject in _written(subjects)]
    return sum(known) * 2 > len(known)


class Habits(NamedTuple):
    """What the newest subjects of a history have in common."""

    conventional: bool = False
    capital: bool = False
    """Subjects without a type begin with a capital letter."""
    stop: bool = False
    """Subjects end with a full stop."""


def learn_habits(subjects: Iterable[str]) -> Habits:
    """The habits of the newest subjects, counted as in `keep_conventional`.

    Three of four make a habit of a letter or a stop, of which ten have to be seen.
    """
    known = list(_written(subjects))
    heads = [read_gitmoji(subject)[1] for subject in known]
    words = [head.split(None, 1)[0] for head in heads if head and read_head(head) is None]
    letters = [word[0].isupper() for word in words if word[0].isupper() or word.islower()]
    return Habits(
        conventional=keep_conventional(known),
        capital=_is_habit(letters),
        stop=_is_habit([subject.endswith((".", "。")) for subject in known]),
    )


def _is_habit(answers: list[bool]) -> bool:
    return len(answers) >= 10 and sum(answers) * 4 >= len(answers) * 3


def _written(subjects: Iterable[str]) -> Iterator[str]:
    """The newest subjects without those that git wrote and those that wait for a squash."""
    for subject in islice(subjects, RECENT):
        if not (is_fixup(subject) or is_merge_subject(subject) or is_revert_subject(subject)):
            yield subject
