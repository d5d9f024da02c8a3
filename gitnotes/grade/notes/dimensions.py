"""How complete, true, clear, concise and well ordered are the entries of a note, each from 0 to 1?

The dimensions are those by which the ReleaseEval paper had people rate notes (completeness, clarity,
conciseness, organisation), and accuracy, which a machine can check. Every value is a share of entries or
of changes, so that a reader can name what costs it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from gitnotes.grade.notes.matching import ChangeFact, Matches, content_words
from gitnotes.note_items import NoteItem, category_of_heading

_LONG = 30
"""Words of an entry up to which it is read at a glance."""
_FEW = 4
"""Entries below which there is nothing to put in order."""
_RAW = re.compile(
    r"(?:feat|fix|chore|docs|refactor|perf|test|style|build|ci)(?:\([^)]{0,60}\))?!?: |merge (?:branch|pull)"
    r"|(?:fixup|squash|amend)! |\bwip\b",
    re.IGNORECASE,
)
_HEAVY = {"Breaking": 2.0, "Security": 2.0}
"""What it costs to forget a change, where it is not 1."""
_PLUMBING = "plumbing"
"""The category of what is no news to anybody: merges, preparation of the release."""


def completeness(facts: Sequence[ChangeFact], matches: Matches) -> tuple[float | None, list[int]]:
    """The share of the changes that a note should have, weighed by what it costs to miss one; and those
    that it lacks, the heaviest first."""
    covered = {at for found in matches.facts for at in found}
    wanted = [at for at, fact in enumerate(facts) if fact.told]
    total = sum(_weight(facts[at]) for at in wanted)
    missing = [at for at in wanted if at not in covered]
    missing.sort(key=lambda at: -_weight(facts[at]))
    return (1 - sum(_weight(facts[at]) for at in missing) / total if total else None), missing


def _weight(fact: ChangeFact) -> float:
    return _HEAVY.get(fact.category, 1.0)


def accuracy(items: Sequence[NoteItem], matches: Matches) -> float | None:
    """The share of the entries that a change of the range bears out."""
    return 1 - len(matches.invented) / len(items) if items else None


def clarity(items: Sequence[NoteItem]) -> tuple[float | None, list[int]]:
    """How much of the entries says what changed, and the places of those that do not.

    An entry without a word of content counts nothing; one that keeps the marks of a commit, or runs
    over more than twice 30 words, half.
    """
    values = [_clear(item) for item in items]
    return (sum(values) / len(values) if values else None), [at for at, one in enumerate(values) if one < 1]


def says_little(text: str) -> bool:
    """Whether a text has neither a word of content nor a name: `Fix stuff`, `Various improvements`."""
    return not content_words(text) and not re.search(r"\w[._/-]\w|[a-z][A-Z]|\d", text)


def _clear(item: NoteItem) -> float:
    if says_little(item.text):
        return 0.0
    is_long = len(item.text.split()) > 2 * _LONG
    return 0.5 if is_long or _RAW.match(item.text) else 1.0


def conciseness(
    items: Sequence[NoteItem], facts: Sequence[ChangeFact], matches: Matches
) -> tuple[float | None, list[tuple[int, int]], list[int]]:
    """What is left when entries that say a thing again, that are no news, and the words of an entry over
    30 are taken away; and the pairs that say the same (the later one first), and what is no news."""
    if not items:
        return None, [], []
    doubles = _doubles(items, matches)
    quiet = [
        at
        for at, found in enumerate(matches.facts)
        if found and all(_is_plumbing(facts[place], items[at]) for place in found)
    ]
    lengths = [len(item.text.split()) for item in items]
    over = sum(max(0, length - _LONG) for length in lengths) / max(1, sum(lengths))
    wasted = len({*(late for late, _ in doubles), *quiet}) / len(items)
    return max(0.0, 1 - wasted - over), doubles, quiet


def _is_plumbing(fact: ChangeFact, item: NoteItem) -> bool:
    """Whether an entry says what a merge or the preparation of the release says; to have its number is not
    enough, since such a commit may name what the release closes."""
    return fact.category == _PLUMBING and _alike(content_words(item.text), content_words(fact.text))


def _doubles(items: Sequence[NoteItem], matches: Matches) -> list[tuple[int, int]]:
    """Pairs of entries (the later one first) with the same words, or about the same single change."""
    by_text: dict[tuple[frozenset[str], str], int] = {}
    by_fact: dict[int, int] = {}
    found: list[tuple[int, int]] = []
    for at, item in enumerate(items):
        words = content_words(item.text)
        key = (words, "" if len(words) > 2 else item.text.casefold())
        places = matches.facts[at]
        first = by_text.get(key)
        if (
            first is not None
            and places
            and matches.facts[first]
            and not set(places) & set(matches.facts[first])
        ):
            first = None  # the same few words about two changes
        if first is None and len(places) == 1 and items[at].depth == 0:
            before = by_fact.get(places[0])
            # Two sides of one change are no repetition.
            if before is not None and _alike(words, content_words(items[before].text)):
                first = before
        if first is not None:
            found.append((at, first))
            continue
        by_text[key] = at
        if len(places) == 1:
            by_fact.setdefault(places[0], at)
    return found


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return 3 * len(one & other) >= 2 * max(len(one), len(other)) > 0


def organisation(
    items: Sequence[NoteItem], facts: Sequence[ChangeFact], matches: Matches
) -> tuple[float | None, list[int]]:
    """How far what is alike stands together, and the places of entries under a heading of another kind.

    Under headings that name kinds of change: the share of the entries that are of that kind. Under other
    headings, or none: how few times the kind changes from one entry to the next; a long list without any
    headings counts no more than 3 quarters of that. None with fewer than 4 entries.
    """
    kinds = [_kind(facts, found) for found in matches.facts]
    headed = [category_of_heading(item.heading) for item in items]
    if len(items) < _FEW:
        return None, []
    named = [at for at, heading in enumerate(headed) if heading and kinds[at]]
    if 2 * sum(map(bool, headed)) >= len(items):
        wrong = [at for at in named if not _fits(headed[at], kinds[at])]
        return (1 - len(wrong) / len(named) if named else None), wrong
    has_headings = any(item.heading for item in items)
    groups = [
        [kind for kind in (kinds[at] for at in range(len(items)) if items[at].heading == heading) if kind]
        for heading in dict.fromkeys(item.heading for item in items)
    ]
    runs = sum(len(list(groupby(group))) for group in groups)
    least = sum(len(set(group)) for group in groups)
    most = sum(map(len, groups))
    if not runs:
        return None, []
    tidy = 1.0 if most == least else 1 - (runs - least) / (most - least)
    if has_headings or len(items) <= 2 * _FEW:
        return 0.5 + 0.5 * tidy, []
    return 0.25 + 0.5 * tidy, []


def _kind(facts: Sequence[ChangeFact], found: Sequence[int]) -> str:
    kinds = [facts[at].category for at in found if facts[at].category != _PLUMBING]
    return kinds[0] if kinds else ""


def _fits(heading: str, kind: str) -> bool:
    """Whether a kind of change may stand under a heading; what only changed may stand anywhere."""
    loose = {"Changes", "Internal", "Performance", "Reverted", "Documentation", "Dependencies"}
    return heading == kind or (heading in loose and kind in loose) or kind == "Changes"
