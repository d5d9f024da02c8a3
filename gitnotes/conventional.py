"""Does a subject, or a history, keep to Conventional Commits 1.0?"""

from __future__ import annotations

import re
from collections.abc import Iterable

TYPES = ("build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test")
"""The types of the Angular convention, which most repositories use."""

_HEAD = re.compile(
    r"(?:build|chore|ci|docs?|feat|fix|perf|refactor|revert|style|tests?|deps|security|release)"
    r"(?:\([^()\n]{1,60}\))?!?: +\S"
)


def is_conventional(subject: str) -> bool:
    """Whether a subject reads `type: text`, `type(scope): text` or `type!: text` with a usual type."""
    return _HEAD.match(subject) is not None


def keep_conventional(subjects: Iterable[str]) -> bool:
    """Whether more than half of the subjects are conventional; False for none at all."""
    known = [is_conventional(subject) for subject in subjects]
    return sum(known) * 2 > len(known)
