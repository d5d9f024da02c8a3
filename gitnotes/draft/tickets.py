"""Which issue is a branch about, and how do this repository's subjects name theirs?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from gitnotes.draft.words import LIMIT
from gitnotes.guard.width import columns
from gitnotes.messages import leading_tracker

_LEADING = re.compile(r"(\[?)(?:#|GH-|[A-Z][A-Z0-9]{1,9}-)\d{1,9}(\]?:? +)")
_ENOUGH = 3


def ticket_form(subjects: Iterable[str]) -> str:
    """How most subjects begin that name an issue first, as `{}: `, `[{}] `; empty when that is no habit."""
    forms: Counter[str] = Counter()
    total = 0
    for subject in subjects:
        total += 1
        match = _LEADING.match(subject) if leading_tracker(subject) else None
        if match:
            forms[f"{match[1]}{{}}{match[2].rstrip()} "] += 1
    if sum(forms.values()) < _ENOUGH or sum(forms.values()) * 2 <= total:
        return ""
    return forms.most_common(1)[0][0]


def ticket_of_branch(branch: str, key: str) -> str:
    """The issue in the name of a branch, by the tracker's key: `ABC-12`, or `#12` for the key `#`."""
    if key == "#":
        match = re.search(r"(?:^|[/_-])(?:issue[-_/]?|gh[-_]?|#)?(\d{1,7})(?=[/_-]|$)", branch, re.IGNORECASE)
        return f"#{match[1]}" if match else ""
    match = re.search(rf"(?<![A-Za-z0-9]){re.escape(key)}[-_](\d{{1,9}})(?!\d)", branch, re.IGNORECASE)
    return f"{key}-{match[1]}" if match else ""


def add_ticket(message: str, form: str, ticket: str) -> str:
    """`message` with the issue in front, where it has none and there is room for it."""
    subject, gap, rest = message.partition("\n")
    if ticket in subject or leading_tracker(subject):
        return message
    named = form.format(ticket) + subject
    return message if columns(named) > LIMIT else named + gap + rest
