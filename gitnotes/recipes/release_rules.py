"""What do the files of other tools for release notes mean for this note?"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from gitnotes.read.git import Git

if TYPE_CHECKING:
    from gitnotes.draft.notes.presets import NoteStyle
    from gitnotes.note_rules import Fragment, NoteRules
    from gitnotes.read.versions import VersionRange
    from gitnotes.records import CommitTree

_GENERATED = "github"
"""The preset that lays a note out as GitHub does, whose headings `.github/release.yml` gives."""


def find_rules(git: Git) -> NoteRules | None:
    """The rules that other tools' files set; None where there are none or the setting `conventions` is off.

    Raises UsageError for a setting that makes no sense.
    """
    from gitnotes.read.conventions.note_rules import read_note_rules

    rules = read_note_rules(git)
    if rules is None:
        return None
    from gitnotes.config import load_settings
    from gitnotes.customs import find_top, git_settings

    return rules if load_settings(find_top(git), git_values=git_settings(git)).conventions else None


def find_fragments(
    git: Git, rules: NoteRules | None, tree: CommitTree, span: VersionRange | None = None
) -> tuple[tuple[Fragment, ...], list[str]]:
    """The fragments that came with the range, and a sentence for each thing that was not read.

    Where `span` starts on another branch, what was picked there was told by its start.
    """
    if rules is None or rules.place is None:
        return (), []
    from gitnotes.read.conventions.fragments import list_added, read_fragments

    fragments, unread = read_fragments(git, rules.place, tree)
    if not fragments or span is None or span.start_is_ancestor or span.start_sha is None:
        return fragments, unread
    known = list_added(git, rules.place, span.merge_base, span.start_sha)
    marked = (
        dataclasses.replace(one, released=span.start or "") if one.path in known else one for one in fragments
    )
    return tuple(marked), unread


def fit_rules(rules: NoteRules | None, style: str | NoteStyle) -> tuple[NoteRules | None, bool]:
    """The rules as far as they go together with the style, and whether the headings are theirs.

    A preset that the user names has its own headings. What GitHub generates is another text than a
    changelog: the headings of `.github/release.yml` are for a note without headings of its own.
    """
    if rules is None:
        return None, False
    if isinstance(style, str):
        is_generated = style == _GENERATED
        return rules if is_generated else dataclasses.replace(rules, labels=()), is_generated
    return dataclasses.replace(rules, labels=()) if style.names else rules, True
