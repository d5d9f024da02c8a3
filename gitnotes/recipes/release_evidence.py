"""What did a change of the range do, where its own title does not say?"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gitnotes.changes import add_parts
from gitnotes.errors import GitError
from gitnotes.read.diff import read_between, read_commit
from gitnotes.read.git import Git

if TYPE_CHECKING:
    from gitnotes.draft.notes.entries import Entry
    from gitnotes.records import Commit, CommitTree

_ONLY_NAMES_FILES = re.compile(r"Update (?:\S+|[0-9,]+ files(?: in \S+)?)")
"""What is drafted when nothing can be told of the lines; it says no more than a poor title."""
_MOST = 300
"""Diffs that are read where only some titles say nothing; each takes some 30 ms."""


def tell_by_diffs(
    git: Git,
    entries: Sequence[Entry],
    tree: CommitTree,
    *,
    every: bool = False,
    progress: Callable[[int], None] | None = None,
) -> tuple[tuple[Entry, ...], int]:
    """The entries with the text of those whose title says nothing (`fix stuff`) drafted from their diff;
    of all of them with `every`. And how many were.

    Those that then say the same are one, and those that were one for the same empty title are told apart.
    A pull request is told by what its merge brought to the main line. What cannot be read, or drafted, keeps
    its title, and so do dependency updates and what people wrote a fragment for.
    """
    from gitnotes.draft.notes.doubles import fold_doubles, take_apart
    from gitnotes.grade.notes.dimensions import says_little

    by_sha: dict[str, Commit] = {}
    told: list[Entry] = []
    count = 0
    for at, entry in enumerate(entries):
        is_settled = bool(entry.bumps or entry.marked or not entry.commits)
        if not is_settled and (every or (count < _MOST and says_little(entry.text))):
            by_sha = by_sha or {commit.sha: commit for commit in tree.commits}
            for part in take_apart(entry, [by_sha[sha] for sha in entry.commits]):
                text = _draft(git, by_sha[part.commits[0]], part.text) if every or count < _MOST else ""
                told.append(dataclasses.replace(part, text=text, prefix="") if text else part)
                count += bool(text)
        else:
            told.append(entry)
        if progress is not None:
            progress(at + 1)
    return (fold_doubles(told) if count else tuple(told)), count


def _draft(git: Git, commit: Commit, title: str) -> str:
    """The subject that the diff of a commit would get, in git's own manner; empty when there is none that
    says more than its title."""
    from gitnotes.draft.structure import draft_from_structure
    from gitnotes.draft.style import Style

    try:
        parents = commit.parents
        change = read_between(git, parents[0], commit.sha) if parents else read_commit(git, commit.sha)
    except GitError:
        return ""
    if not change.files:
        return ""
    drafts = draft_from_structure(add_parts(git, change), Style(), 1)
    subject = drafts[0].partition("\n")[0] if drafts else ""
    # Even the names of files say more than a lone `update`.
    return "" if _ONLY_NAMES_FILES.fullmatch(subject) and " " in title else subject
