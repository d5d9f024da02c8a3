"""What was known when each commit of a history was about to be made?

A commit is drafted from its ancestors alone: their style, those of them that changed things like it, and
what a drafter without a model makes of it, exactly as when it was staged.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from gitnotes.changes import add_parts
from gitnotes.config import Settings
from gitnotes.customs import learn_repository_style
from gitnotes.errors import InputError
from gitnotes.learn.dataset import why_unfit
from gitnotes.read.git import Git, open_git
from gitnotes.recipes.shares import map_shares
from gitnotes.records import Change, Commit, Neighbour

if TYPE_CHECKING:
    from gitnotes.draft.style import Style
    from gitnotes.index import Index

_SHARE = 100
"""Commits that a process drafts at a time."""


@dataclass(frozen=True, slots=True)
class Case:
    """A commit as it is drafted: what was known before it, and what the person wrote."""

    sha: str
    time: int
    reference: str
    change: Change
    style: Style
    neighbours: tuple[Neighbour, ...]

    def draft(self, count: int) -> list[str]:
        """Up to `count` messages without a model, the best first."""
        from gitnotes.draft.choose import draft_best

        return draft_best(self.change, self.style, count, self.neighbours)


def read_cases(
    git: Git,
    settings: Settings,
    last: int,
    revision: str = "HEAD",
    watch: Callable[[str, int], None] | None = None,
) -> Iterator[Case]:
    """The `last` newest commits of people with what was known before each, newest first."""
    from gitnotes.read.history import stream_changes

    head = git.resolve(revision)
    told = None if watch is None else lambda count: watch("reading", count)
    with _own_index(git, head, told) as (index, _):
        found = 0
        for commit, _, change in stream_changes(git, ["--no-merges", head]):
            if commit.parents and not why_unfit(commit, change):
                yield make_case(git, settings, index, commit, change)
                found += 1
                if found == last:
                    return


def make_case(git: Git, settings: Settings, index: Index, commit: Commit, change: Change) -> Case:
    """What was known before `commit`, which is no root; `change` is what it did."""
    from gitnotes.draft.models.short import without_reference

    parent = commit.parents[0]
    neighbours, recent = index.look_up(change, parent, settings.history)
    return Case(
        commit.sha,
        commit.time,
        without_reference(commit.subject),
        add_parts(git, change),
        learn_repository_style(git, settings, before=parent, recent=recent),
        tuple(neighbours),
    )


def predraft(
    git: Git,
    settings: Settings,
    shas: Sequence[str],
    head: str,
    *,
    drafts: int,
    processes: int,
    watch: Callable[[int], None] | None = None,
) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """For each of the commits the subjects of earlier ones like it, and of up to `drafts` drafts.

    `watch` is told how many there are so far. Raises GitError and InputError.
    """
    found: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    with _own_index(git, head, None) as (_, place):
        folder = str(git.common_folder())
        shares = [shas[at : at + _SHARE] for at in range(0, len(shas), _SHARE)]
        tasks = [(folder, settings, str(place), share, drafts) for share in shares]
        for part in map_shares(_predraft, tasks, processes):
            found.update(part)
            if watch is not None:
                watch(len(found))
    return found


def _predraft(
    task: tuple[str, Settings, str, Sequence[str], int],
) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    from gitnotes.draft.models.short import pick_similar, tame_subject
    from gitnotes.guard.secrets import sharing_detectors
    from gitnotes.read.history import stream_changes

    folder, settings, place, shas, drafts = task
    git = open_git(folder)
    found = {}
    with _open(git, Path(place)) as index, sharing_detectors():
        for commit, _, change in stream_changes(git, ["--no-walk=unsorted", *shas]):
            if not commit.parents:
                continue
            case = make_case(git, settings, index, commit, change)
            drafted = [text.partition("\n")[0] for text in case.draft(drafts)]
            found[commit.sha] = (
                tuple(map(tame_subject, pick_similar(case.neighbours))),
                tuple(map(tame_subject, drafted)),
            )
    return found


@contextmanager
def _own_index(git: Git, head: str, progress: Callable[[int], None] | None) -> Iterator[tuple[Index, Path]]:
    """An index of its own and its file: that of the repository may end elsewhere, or not be wanted."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / "history.sqlite"
        with _open(git, place) as index:
            try:
                index.update(git, head, progress=progress)
            except sqlite3.Error as problem:
                raise _no_room(problem) from None
            yield index, place


def _open(git: Git, place: Path) -> Index:
    from gitnotes.index import open_index

    index = open_index(git, place)
    if index is None:
        raise _no_room()
    return index


def _no_room(problem: sqlite3.Error | None = None) -> InputError:
    told = f": {problem}" if problem is not None else ""
    return InputError(
        f"There is no room for an index in the folder for temporary files{told}.",
        "Set TMPDIR to another folder.",
    )
