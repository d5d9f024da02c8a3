"""Which version should the unreleased changes have?"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from datetime import date, datetime, timezone
from typing import TYPE_CHECKING

from gitnotes.read.git import Git
from gitnotes.read.versions import Tag, list_tags
from gitnotes.recipes.release_breaking import find_breaks
from gitnotes.recipes.releasing import NoteOptions, find_span, today_in
from gitnotes.versioning import Version, release_ranks

if TYPE_CHECKING:
    from gitnotes.draft.notes.next_version import NextVersion
    from gitnotes.read.versions import VersionRange


@dataclass(frozen=True, slots=True)
class Bump:
    """A proposal for the version at the end of a range."""

    proposal: NextVersion
    tag: str
    """The version as its tag would be called: `v1.2.0` after `v1.1.0`."""
    range: VersionRange


def propose_bump(
    git: Git, versions: str, options: NoteOptions | None = None, *, today: date | None = None
) -> Bump:
    """Reads the changes of a range, by default of all since the last version, and proposes a version.

    Today is when git would date a commit, which the environment may say. Raises GitnotesError.
    """
    from gitnotes.draft.notes.next_version import propose_version
    from gitnotes.draft.notes.note import select_entries
    from gitnotes.read.history import read_range

    options = dataclasses.replace(options or NoteOptions(), audience="developers")
    span = find_span(git, versions, dataclasses.replace(options, version=""))
    tree = read_range(git, span.start_sha, span.end_sha, files=True, renames=False, name=span.end)
    selection = select_entries(
        tree,
        options.style or "keepachangelog",
        audience=options.audience,
        folder=options.package,
        gone=find_breaks(git, span).gone if options.breaking else None,
    )
    start = next((tag for tag in list_tags(git) if tag.name == span.start and tag.version), None)
    known = _versions_up_to(git, start) if start else []
    proposal = propose_version(selection.entries, known, today or today_in(git))
    prefix = start.name.removesuffix(start.version.name) if start and start.version else "v"
    return Bump(proposal, f"{prefix}{proposal.version}", span)


def _versions_up_to(git: Git, start: Tag) -> list[tuple[Version, date]]:
    """The versions of the series in release order up to this one, with their dates."""
    tags = {
        tag.version.name: tag
        for tag in list_tags(git)
        if tag.version and start.version and tag.version.series == start.version.series
    }
    ranks = release_ranks(tag.version for tag in tags.values() if tag.version)
    limit = ranks[start.version.name] if start.version else -1
    names = sorted((name for name in tags if ranks[name] <= limit), key=ranks.__getitem__)
    return [
        (version, datetime.fromtimestamp(tags[name].time, timezone.utc).date())
        for name in names
        if (version := tags[name].version)
    ]
