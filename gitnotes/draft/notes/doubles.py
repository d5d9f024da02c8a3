"""Which entries of a note say the same, so that one of them is enough?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gitnotes.draft.notes.entries import Entry
from gitnotes.draft.notes.titles import read_title
from gitnotes.draft.notes.units import plain_words
from gitnotes.records import Commit


def fold_doubles(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entries, each text once within its scope and heading; updates and fragments stay as they are."""
    kept: list[Entry] = []
    place: dict[tuple[str, str, str], int] = {}
    for entry in entries:
        words = plain_words(entry.text)
        key = (entry.scope.casefold(), entry.group or entry.category, words)
        if not words or entry.bumps or entry.marked:
            kept.append(entry)
        elif key in place:
            kept[place[key]] = join_entries(kept[place[key]], entry)
        else:
            place[key] = len(kept)
            kept.append(entry)
    return tuple(kept)


def take_apart(entry: Entry, commits: Sequence[Commit]) -> list[Entry]:
    """One entry for each of its commits where they were joined for nothing but the same subject."""
    if len(commits) < 2 or any(commit.is_merge for commit in commits):
        return [entry]
    if len({plain_words(commit.subject) for commit in commits}) > 1:
        return [entry]
    return [
        replace(
            entry,
            commits=(commit.sha,),
            pulls=read_title(commit.subject).pulls,
            authors=tuple(name for name in entry.authors if name == commit.author) or entry.authors,
        )
        for commit in commits
    ]


def join_entries(first: Entry, other: Entry) -> Entry:
    """The first entry, with the commits, people and references of both."""
    return replace(
        first,
        commits=tuple(dict.fromkeys((*first.commits, *other.commits))),
        issues=tuple(dict.fromkeys((*first.issues, *other.issues))),
        pulls=tuple(dict.fromkeys((*first.pulls, *other.pulls))),
        authors=tuple(dict.fromkeys((*first.authors, *other.authors))),
        breaking=tuple(dict.fromkeys((*first.breaking, *other.breaking))),
        shipped=first.shipped if first.shipped == other.shipped else "",
    )
