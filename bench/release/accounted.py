"""Is every commit of real ranges in exactly one entry, or left out for a reason?

`python -m bench.release.accounted REPO...` takes the last eight pairs of final versions of each repository,
twice: entries from the tree and from commits alone.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from gitnotes.errors import CannotJudge
from gitnotes.read.git import Git, open_git
from gitnotes.read.versions import Tag, list_tags
from gitnotes.recipes.releasing import NoteOptions, draft_release, read_source
from gitnotes.versioning import release_ranks

_PAIRS = 8


def count(git: Git, start: str, end: str, source: str) -> tuple[int, int]:
    """How many commits the range has, and how many of them are in exactly one place."""
    made = draft_release(git, f"{start}..{end}", NoteOptions(source=read_source(source)))
    places = Counter(sha for entry in made.material.selection.entries for sha in entry.commits)
    places.update(item.path for item in made.note.omitted if item.reason)
    every = git.text("rev-list", f"{start}..{end}").split()
    return len(every), sum(places[sha] == 1 for sha in every)


def pairs(git: Git) -> Iterator[tuple[Tag, Tag]]:
    """The last final versions of the main series, each with the one before it."""
    tags = [tag for tag in list_tags(git) if tag.version and tag.version.is_final and not tag.version.series]
    ranks = release_ranks(tag.version for tag in tags if tag.version)
    tags.sort(key=lambda tag: ranks[tag.version.name] if tag.version else -1)
    yield from list(pairwise(tags))[-_PAIRS:]


def main(arguments: Sequence[str] | None = None) -> int:
    total = once = ranges = 0
    for name in sys.argv[1:] if arguments is None else arguments:
        git = open_git(Path(name), light=True)
        for first, last in pairs(git):
            for source in ("tree", "commits"):
                try:
                    commits, found = count(git, first.name, last.name, source)
                except CannotJudge:  # two names for one version
                    continue
                total, once, ranges = total + commits, once + found, ranges + 1
    print(f"{ranges} ranges: {once:,} of {total:,} commits are in exactly one place")
    return 0 if once == total else 1


if __name__ == "__main__":
    sys.exit(main())
