"""Which commits are worth learning from, and which of them are held out to test what was learned?

Commits are split by time, never at random: a model is used on what comes after what it has seen.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Literal

from gitnotes.errors import CannotJudge
from gitnotes.messages import (
    is_bot,
    is_default_subject,
    is_fixup,
    is_merge_subject,
    is_revert_subject,
    trailer_start,
)
from gitnotes.records import Change, Commit, Signature

Split = Literal["train", "valid", "test"]
Kind = Literal["message", "note"]

LEAST = 50
"""Examples to learn from below which a model only learns them by heart."""
MOST_FILES = 100
MOST_LINES = 5000
"""Changed lines; what is larger was copied or generated, and its message says so at best."""
LONGEST_SUBJECT = 120
LONGEST_MESSAGE = 2000
VALID, TEST = 0.1, 0.1
"""Shares of each repository that are held out, the newest ones to test."""


@dataclass(frozen=True, slots=True)
class Example:
    """A change, or a commit tree, and what a person wrote for it."""

    repository: str
    id: str
    """Of the commit, the version, or the row."""
    time: int
    """Seconds since the epoch; 0 where it is not known."""
    message: str
    change: str
    """As a model reads it; secrets are masked."""
    similar: tuple[str, ...] = ()
    """Subjects of earlier changes that resemble this one, the nearest first."""
    drafts: tuple[str, ...] = ()
    """Subjects that gitnotes drafts without a model, the best first."""
    kind: Kind = "message"
    grade: float | None = None
    """0 to 100 by gitnotes' own scale; None where the message is not graded."""
    licence: str = ""
    """SPDX identifier of the repository's licence; empty where it is not known."""
    split: Split = "train"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where examples come from."""

    name: str
    licence: str
    head: str
    """The commit up to which the history was read; for a file, empty."""
    examples: int
    first: int
    """Time of the oldest example, seconds since the epoch."""
    last: int
    learned: int = 0
    """Time of the newest example that is learned from; 0 where it is not known."""


@dataclass(frozen=True, slots=True)
class Report:
    """What is in a data set, and what is not, and why."""

    origins: tuple[Origin, ...]
    splits: dict[str, int]
    dropped: dict[str, int]
    """Reason to the number of commits that were left out for it."""
    signature: Signature
    masked: dict[str, int] = field(default_factory=dict)
    """Kinds of secrets that were masked, and how often."""
    ungraded: int = 0
    """Messages that were kept though they cannot be graded, in a language that is not compared."""


def day_of(seconds: int) -> str:
    """The date of a moment in UTC, `YYYY-MM-DD`; empty where none is known, or no calendar has it."""
    try:
        return datetime.fromtimestamp(seconds, timezone.utc).date().isoformat() if seconds else ""
    except (OverflowError, ValueError, OSError):  # git and files of others may say any number
        return ""


def why_unfit(commit: Commit, change: Change) -> str:
    """Why nothing is to be learned from a commit, in words; empty when it may be."""
    subject = commit.subject
    if commit.is_merge or is_merge_subject(subject):
        return "merges"
    if is_bot(f"{commit.author} <{commit.email}>"):
        return "written by bots"
    if is_revert_subject(subject) or is_fixup(subject) or is_default_subject(subject):
        return "written by git"
    if not change.files:
        return "no changed file"
    if len(subject.split()) < 2 and subject.isascii():
        return "less than two words"
    if len(subject) > LONGEST_SUBJECT:
        return f"subjects of more than {LONGEST_SUBJECT} characters"
    lines = sum((item.added or 0) + (item.removed or 0) for item in change.files)
    if len(change.files) > MOST_FILES or lines > MOST_LINES:
        return f"more than {MOST_FILES} files or {MOST_LINES:,} lines"
    return ""


def target_of(commit: Commit, *, body: bool) -> str:
    """What a model is to answer: the subject, or with `body` the whole message without its trailers."""
    if not body or not commit.body:
        return commit.subject
    lines = commit.body.split("\n")
    text = "\n".join(lines[: trailer_start(lines)]).strip()
    return f"{commit.subject}\n\n{text}"[:LONGEST_MESSAGE] if text else commit.subject


def split_by_time(examples: Iterable[Example], *, valid: float = VALID, test: float = TEST) -> list[Example]:
    """The examples, oldest first in each repository, with the newest of each held out.

    `valid` and `test` are shares, 0 to 1; commits of one moment stay in the order in which they come.
    """
    by_repository: dict[tuple[str, Kind], list[Example]] = defaultdict(list)
    for item in examples:
        by_repository[item.repository, item.kind].append(item)
    found: list[Example] = []
    for items in by_repository.values():
        items.sort(key=lambda item: item.time)
        first_test = len(items) - round(len(items) * test)
        first_valid = first_test - round(len(items) * valid)
        for place, item in enumerate(items):
            split: Split = "train" if place < first_valid else "valid" if place < first_test else "test"
            found.append(replace(item, split=split))
    return found


def check_size(examples: Sequence[Example], dropped: Counter[str], *, shallow: bool = False) -> None:
    """Raises CannotJudge when there is too little to learn from; of a `shallow` clone the rest is fetched."""
    count = sum(item.split == "train" for item in examples)
    if count >= LEAST:
        return
    reasons = ", ".join(f"{number:,} {reason}" for reason, number in dropped.most_common(3))
    left = f" Left out: {reasons}." if reasons else ""
    raise CannotJudge(
        f"{count} {'example is' if count == 1 else 'examples are'} left to learn from, and at least "
        f"{LEAST} are needed.{left}",
        "The clone is shallow: fetch the rest of its history with `git fetch --unshallow`."
        if shallow
        else "Add a repository with --repo, lower --min-grade, or raise --last.",
    )


def summarise(
    examples: Sequence[Example],
    heads: dict[str, str],
    dropped: Counter[str],
    masked: Counter[str],
    signature: Signature,
) -> Report:
    """The report on a data set; `heads` maps a repository to the commit that it was read up to."""
    by_name: dict[str, list[Example]] = defaultdict(list)
    for item in examples:
        by_name[item.repository].append(item)
    origins = tuple(
        Origin(
            name,
            items[0].licence,
            heads.get(name, ""),
            len(items),
            min(item.time for item in items),
            max(item.time for item in items),
            max((item.time for item in items if item.split == "train"), default=0),
        )
        for name, items in by_name.items()
    )
    return Report(
        origins,
        dict(Counter(item.split for item in examples)),
        dict(dropped.most_common()),
        signature,
        dict(masked.most_common()),
        sum(item.grade is None and item.kind == "message" for item in examples),
    )
