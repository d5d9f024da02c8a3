"""How does a range become a release note? Read the tree, learn the style, draft, write."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gitnotes.customs import read_input
from gitnotes.read.git import Git, open_git
from gitnotes.records import Draft

if TYPE_CHECKING:
    from gitnotes.read.versions import VersionRange


@dataclass(frozen=True, slots=True)
class Written:
    """A release note, the range it is for, and what became of the file it was written to."""

    note: Draft
    range: VersionRange
    path: str | None
    changed: bool


def release_note(versions: str, *, repo: str | Path | None = None) -> Draft:
    """A Markdown release note for a range such as `v1.0..v1.1`, or for one tag.

    Raises GitnotesError: no repository, unknown revision, empty range, history not here.
    """
    return write_release_note(open_git(repo), versions).note


def write_release_note(
    git: Git, versions: str, *, path: Path | None = None, replace: bool = False
) -> Written:
    """Reads the commit tree of a range, drafts the note, and writes it into the changelog at `path`.

    `changed` is False when the changelog had the note already.
    """
    from gitnotes.draft.notes.note import draft_note, learn_note_style
    from gitnotes.read.history import read_range
    from gitnotes.read.remotes import remote_links
    from gitnotes.read.shipped import find_shipped
    from gitnotes.read.versions import resolve_range
    from gitnotes.write.atomic import check_target

    if path is not None:
        check_target(path)
    span = resolve_range(git, versions)
    tree = read_range(git, span.start_sha, span.end_sha, files=True, name=span.end)
    tree = dataclasses.replace(tree, start=span.start)
    existing = _read_changelog(path) if path else ""
    note = draft_note(
        tree,
        version=span.version,
        date=span.date,
        remote=remote_links(git),
        style=learn_note_style(existing, path.name if path else ""),
        shipped=find_shipped(git, span, tree),
    )
    if path is None:
        return Written(note, span, None, False)
    from gitnotes.write.changelog import write_changelog

    return Written(note, span, str(path), write_changelog(path, note.text, span.version, replace=replace))


def _read_changelog(path: Path) -> str:
    return read_input(path).decode("utf-8", "replace") if path.is_file() else ""
