"""What have the commits of a range to do with each other?

Records like those of `records.py`, apart because only a range has them, and every hook would pay.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Revert:
    """A commit that undoes another one; a re-applied change is a revert of its revert."""

    sha: str
    target: str
    """Object id of what is undone, in the tree or not; abbreviated where the message says no more."""
    how: Literal["id", "pull", "title"]


@dataclass(frozen=True, slots=True)
class Pick:
    """A commit that repeats `source`, in the tree or not: by its own line, an equal patch, or its pull."""

    sha: str
    source: str
    how: Literal["line", "patch", "pull"]


@dataclass(frozen=True, slots=True)
class SquashedCommit:
    """One of the commits whose messages a squashed commit lists; empty is what the list does not say."""

    subject: str
    body: str = ""
    sha: str = ""
    author: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True)
class Relations:
    """What the commits of a tree have to do with each other and with others, newest first."""

    reverts: tuple[Revert, ...] = ()
    picks: tuple[Pick, ...] = ()
    squashes: dict[str, tuple[SquashedCommit, ...]] = field(default_factory=dict)
    pulls: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Pull or merge requests of a commit, as `#12` or `!12`."""

    def undone(self) -> frozenset[str]:
        """The commits whose work is not there any more: undone by a revert that is not undone itself."""
        gone: set[str] = set()
        for revert in self.reverts:
            gone.update(() if revert.sha in gone else (revert.target,))
        return frozenset(gone)
