"""What is a change while its commits are put together?"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from gitnotes.draft.notes.bumps import Bump
from gitnotes.draft.notes.titles import Title
from gitnotes.records import Commit

_WORD = re.compile(r"\w+")


@dataclass(slots=True, eq=False)
class Unit:
    """A merged pull request with what it brought, a squashed one, or a lone commit."""

    head: Commit
    title: Title
    commits: list[Commit]
    rank: int
    """Position in the tree: 0 is the newest."""
    omit: str = ""
    bumps: tuple[Bump, ...] = ()
    extra: list[Unit] = field(default_factory=list)

    def all_commits(self) -> list[Commit]:
        return [*self.commits, *(commit for unit in self.extra for commit in unit.commits)]


@lru_cache(maxsize=8192)
def plain_words(text: str) -> str:
    """The words of `text` without case and signs, for comparison."""
    return " ".join(_WORD.findall(text.casefold()))
