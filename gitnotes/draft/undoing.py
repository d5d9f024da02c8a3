"""Does a change take back an earlier one, and what does git call that?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gitnotes.draft.quotes import is_quotable
from gitnotes.guard.text import clean
from gitnotes.records import Change, Neighbour

_ALIKE = 0.6
"""Likeness of the words of two changes from which they are compared line by line."""
_TRIES = 2


def may_be_undone(neighbours: Iterable[Neighbour]) -> list[Neighbour]:
    """The few earlier changes, the likeliest first, that one of the same files and words may undo."""
    found = [item for item in neighbours if item.sha and item.files == 1.0 and item.words > _ALIKE]
    return sorted(found, key=lambda item: (-item.words, item.age))[:_TRIES]


def undoes(change: Change, earlier: Change) -> bool:
    """Whether the one adds, file by file, just what the other one removes, and removes what it adds."""
    lines = _gains(change, "+")
    return bool(lines) and lines == _gains(earlier, "-")


def revert_message(neighbour: Neighbour) -> str:
    """What `git revert` would write; empty where the earlier subject is not fit to be repeated."""
    subject = clean(neighbour.subject).strip()
    if not subject or not is_quotable(subject):
        return ""
    verb = "Revert"
    if subject.startswith('Revert "') and subject.endswith('"'):
        verb, subject = "Reapply", subject[len('Revert "') : -1]
    return f'{verb} "{subject}"\n\nThis reverts commit {neighbour.sha}.'


def _gains(change: Change, sign: str) -> dict[tuple[str, str], int]:
    """How many more lines of a text each file has with `sign` than with the other one.

    What has both is left out: where a diff finds a line again depends on its direction.
    """
    gains: Counter[tuple[str, str]] = Counter()
    for hunk in change.hunks:
        for line in hunk.lines:
            if line[:1] in ("+", "-"):
                gains[hunk.path, line[1:]] += 1 if line[0] == sign else -1
    return {key: number for key, number in gains.items() if number}
