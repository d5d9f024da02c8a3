"""Which entries of a note break something that their titles do not tell of?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gitnotes.errors import GitError
from gitnotes.read.git import Git

if TYPE_CHECKING:
    from gitnotes.read.removals import Removal
    from gitnotes.read.versions import VersionRange

_MOST_NAMES = 12
"""Names that one line of a note lists."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the code of both ends of a range tells of what breaks."""

    gone: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Commit to a sentence for each thing that it took away for certain."""
    possible: tuple[str, ...] = ()
    """A sentence for each thing that may break somebody."""
    cut: str = ""
    """What was not looked at; empty when all was."""


def find_breaks(git: Git, span: VersionRange) -> Evidence:
    """What the range took away from those who use the code; nothing for a first release.

    A start on another branch is compared from where the two parted. Where git cannot tell, nothing is
    found, and that is said.
    """
    start = span.start_sha if span.start_is_ancestor else span.merge_base
    if not start:
        return Evidence()
    from gitnotes.read.removals import find_removals

    try:
        found = find_removals(git, start, span.end_sha)
    except GitError as problem:
        return Evidence(cut=f"The code was not looked at for what breaks: {problem.message}")
    by_commit: dict[str, list[Removal]] = {}
    for removal in found.sure:
        by_commit.setdefault(removal.commit, []).append(removal)
    gone = {sha: tuple(_sentences(mine)) for sha, mine in by_commit.items()}
    return Evidence(gone, found.possible, found.cut)


def _sentences(removals: Iterable[Removal]) -> Iterable[str]:
    """One sentence for each thing that has another to use instead, and one for all the rest."""
    bare: list[str] = []
    for removal in removals:
        if removal.hint:
            yield f"`{removal.name}` is gone; use `{removal.hint}` instead"
        else:
            bare.append(f"`{removal.name}`")
    if not bare:
        return
    more = len(bare) - _MOST_NAMES
    listed = [*bare[:_MOST_NAMES], *([f"{more} more"] if more > 0 else [])]
    if len(listed) == 1:
        yield f"{listed[0]} is gone"
    else:
        yield f"{', '.join(listed[:-1])} and {listed[-1]} are gone"
