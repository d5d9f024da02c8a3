"""How does a range become a release note? Read the tree, learn the style, draft, write."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gitnotes.customs import read_input
from gitnotes.read.git import Git, open_git
from gitnotes.records import Draft

if TYPE_CHECKING:
    from gitnotes.read.versions import VersionRange


_STEMS = ("changelog", "changes", "history", "news", "release_notes", "releases")
_CHANGELOG = re.compile(rf"({'|'.join(_STEMS)})(?:\.(?:md|markdown|rst|rest|txt))?", re.IGNORECASE)
_LARGEST = 8_000_000
"""Bytes of a changelog; only the newest notes are looked at."""


@dataclass(frozen=True, slots=True)
class Written:
    """A release note, the range it is for, and what became of the file it was written to."""

    note: Draft
    range: VersionRange
    path: str | None
    changed: bool


def release_note(versions: str, *, repo: str | Path | None = None, style: str | None = None) -> Draft:
    """A release note for a range such as `v1.0..v1.1`, or for one tag.

    It looks like those in the changelog that the project has at the end of the range, and as Keep a
    Changelog where it has none; `style` names a preset instead, or `auto` for the one that suits the
    commits. Raises GitnotesError: no repository, unknown revision, empty range, history not here,
    unknown style.
    """
    return write_release_note(open_git(repo), versions, style=style).note


def write_release_note(
    git: Git, versions: str, *, path: Path | None = None, replace: bool = False, style: str | None = None
) -> Written:
    """Reads the commit tree of a range, drafts the note, and writes it into the changelog at `path`.

    The style is that of the notes in the file at `path`, or without one of the project's changelog,
    unless `style` names one. `changed` is False when the changelog had the note already.
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
    existing, name = (_read_changelog(path), path.name) if path else find_changelog(git, span.end_sha)
    note = draft_note(
        tree,
        version=span.version,
        date=span.date,
        remote=remote_links(git),
        style=style or learn_note_style(existing, name),
        shipped=find_shipped(git, span, tree),
    )
    if path is None:
        return Written(note, span, None, False)
    from gitnotes.write.changelog import write_changelog

    return Written(note, span, str(path), write_changelog(path, note.text, span.version, replace=replace))


def find_changelog(git: Git, commit: str) -> tuple[str, str]:
    """The text and the name of the changelog at the top of a commit; both empty when there is none."""
    found: list[tuple[int, str, str]] = []
    for line in git.run("ls-tree", "-z", commit).decode("utf-8", "surrogateescape").split("\0"):
        about, _, name = line.partition("\t")
        match = _CHANGELOG.fullmatch(name)
        if match and " blob " in about:
            found.append((_STEMS.index(match[1].lower()), name, about.split(" ")[2]))
    if not found:
        return "", ""
    _, name, blob = min(found)
    content = git.blobs([blob], limit=_LARGEST).get(blob, b"")
    return content.decode("utf-8", "replace"), name


def _read_changelog(path: Path) -> str:
    return read_input(path).decode("utf-8", "replace") if path.is_file() else ""
