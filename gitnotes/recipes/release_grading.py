"""Does a release note tell what its range changed: a draft of ours, or what people wrote?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gitnotes.customs import read_input
from gitnotes.errors import InputError
from gitnotes.guard.text import show
from gitnotes.read.git import Git
from gitnotes.recipes.releasing import Material, NoteOptions, Release, draft_release
from gitnotes.versioning import read_version

if TYPE_CHECKING:
    from gitnotes.draft.notes.entries import Entry
    from gitnotes.grade.notes.matching import ChangeFact as ChangeFact
    from gitnotes.grade.notes.note_grade import NoteGrade as NoteGrade
    from gitnotes.note_rules import Fragment, NoteRules
    from gitnotes.read.versions import VersionRange
    from gitnotes.records import Commit, CommitTree

_NUMBER = re.compile(r"(?<![\w&/])[#!](\d{1,9})\b")
_QUIET = frozenset(["Internal", "Documentation", "Dependencies"])
PASS = 5.0
"""What completeness and accuracy must reach by default: nothing forgotten, nothing invented."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The grade of a note, and which one it was."""

    grade: NoteGrade
    text: str
    range: VersionRange
    path: str = ""
    """The changelog that it stands in; empty for a draft."""

    def passes(self, bar: float = PASS) -> bool:
        """Whether completeness and accuracy reach the bar; what has no score does."""
        scores = (self.grade.scores["completeness"], self.grade.scores["accuracy"])
        return all(score is None or score >= bar for score in scores)


def grade_release(release: Release) -> Checked:
    """Grades a draft against the changes of its range."""
    from gitnotes.grade.notes.note_grade import grade_note

    grade = grade_note(release.note.text, _facts(release.material))
    return Checked(grade, release.note.text, release.range)


def check_note(git: Git, versions: str, path: Path, options: NoteOptions | None = None) -> Checked:
    """Grades the section that the changelog at `path` has for a range.

    Raises InputError when the file cannot be read or has no such section, and what `draft_release` does.
    """
    from gitnotes.grade.notes.note_grade import grade_note
    from gitnotes.write.release_body import find_section

    text = read_input(path).decode("utf-8", "replace")
    release = draft_release(git, versions, options)
    section = find_section(text, read_version(release.range.version))
    if not section:
        raise InputError(
            f"{show(str(path))} has no section for {show(release.range.version)}.",
            f"Draft it with: gitnotes release {show(versions)} --write {show(str(path))}",
        )
    return Checked(grade_note(section, _facts(release.material)), section, release.range, str(path))


def _facts(material: Material) -> list[ChangeFact]:
    return change_facts(material.tree, material.options.package, material.fragments, material.rules)


def change_facts(
    tree: CommitTree,
    folder: str = "",
    fragments: Sequence[Fragment] = (),
    rules: NoteRules | None = None,
) -> list[ChangeFact]:
    """All changes of the range, those included that no note needs to tell.

    Where the project writes `fragments` for its news, what has none needs not be told, and neither does
    what its `rules` leave out.
    """
    from gitnotes.draft.notes.entries import read_entries
    from gitnotes.draft.notes.note import inside_folder
    from gitnotes.grade.notes.matching import ChangeFact

    commits = {commit.sha: commit for commit in tree.commits}
    entries, omitted = read_entries(tree)
    if folder:
        entries, elsewhere = inside_folder(entries, tree, folder)
        omitted = (*omitted, *elsewhere)
    if fragments:
        from gitnotes.draft.notes.fragments import tell_by_fragments

        told, _ = tell_by_fragments(entries, omitted, fragments)
        worded = {sha for entry in told for sha in entry.commits}
        bare = [entry for entry in entries if not worded & set(entry.commits)]
        omitted = tuple(item for item in omitted if item.path not in worded)
        facts = [_fact(entry, commits) for entry in told]
        facts += [replace(_fact(entry, commits), told=False) for entry in bare]
    else:
        facts = [_fact(entry, commits) for entry in entries]
    if rules is not None:
        from gitnotes.draft.notes.rules import follow_rules

        ruled = follow_rules(entries, tree, rules, headings=False)
        silent = {item.path for item in ruled.omitted}
        facts = [replace(fact, told=fact.told and not silent & set(fact.commits)) for fact in facts]
    for item in omitted:
        commit = commits[item.path]
        numbers = _numbers([commit])
        facts.append(ChangeFact(commit.subject, "plumbing", numbers, (commit.sha,), told=False))
    return facts


def _fact(entry: Entry, commits: dict[str, Commit]) -> ChangeFact:
    from gitnotes.grade.notes.matching import ChangeFact

    mine = [commits[sha] for sha in (*entry.commits, *([entry.source] if entry.source else []))]
    said = [
        *(commit.subject for commit in mine),
        *([entry.text] if entry.marked else []),
        *entry.breaking,
        *(part.text for part in entry.parts),
        *(f"{bump.name} {bump.old} {bump.new}" for bump in entry.bumps),
    ]
    numbers = {pull[1:] for pull in (*entry.pulls, *entry.issues)} | {
        pull[1:] for bump in entry.bumps for pull in bump.pulls
    }
    told = (entry.category not in _QUIET or bool(entry.marked)) and not entry.shipped
    return ChangeFact(
        entry.text,
        entry.category,
        frozenset(numbers) | _numbers(mine),
        tuple(commit.sha for commit in mine),
        tuple(said),
        told,
    )


def _numbers(commits: list[Commit]) -> frozenset[str]:
    return frozenset(number for commit in commits for number in _NUMBER.findall(commit.message[:20_000]))
