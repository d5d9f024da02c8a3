"""What is a release note worth, and what did it forget or invent?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gitnotes import __version__
from gitnotes.grade.notes.dimensions import accuracy, clarity, completeness, conciseness, organisation
from gitnotes.grade.notes.matching import ChangeFact, match_items
from gitnotes.note_items import NoteItem, read_items
from gitnotes.records import Signature

DIMENSIONS = ("completeness", "accuracy", "clarity", "conciseness", "organisation")


@dataclass(frozen=True, slots=True)
class NoteGrade:
    """What a note is worth; what cannot be graded is None and has its reason in `unscored`."""

    scores: dict[str, float | None]
    """Each dimension 1 to 5."""
    overall: float | None
    """The mean of the dimensions that have a score; None when completeness or accuracy has none."""
    missing: tuple[ChangeFact, ...]
    """The changes that it does not tell, the heaviest first."""
    invented: tuple[NoteItem, ...]
    """The entries that nothing in the range bears out."""
    doubles: tuple[tuple[NoteItem, NoteItem], ...]
    """Entries that say the same as an earlier one, with that."""
    unclear: tuple[NoteItem, ...]
    misplaced: tuple[NoteItem, ...]
    """Entries under the heading of another kind of change."""
    needless: tuple[NoteItem, ...]
    """Entries about merges or the preparation of the release."""
    entries: int
    """How many entries the note has."""
    changes: int
    """How many changes it should tell."""
    signature: Signature
    unscored: dict[str, str]


def grade_note(note: str, facts: Sequence[ChangeFact]) -> NoteGrade:
    """Grades a note (a section with its heading) against all changes of its range.

    The values are 1 + 4 x the shares of `dimensions`. Paragraphs count as entries where there are no lists.
    """
    every = read_items(note)
    items = [item for item in every if item.is_entry] or [item for item in every if _is_told(item)]
    matches = match_items(items, facts)
    complete, missing = completeness(facts, matches)
    clear, unclear = clarity(items)
    concise, doubles, needless = conciseness(items, facts, matches)
    ordered, misplaced = organisation(items, facts, matches)
    shares = dict(zip(DIMENSIONS, (complete, accuracy(items, matches), clear, concise, ordered), strict=True))
    scores = {name: None if share is None else round(1 + 4 * share, 2) for name, share in shares.items()}
    known = [score for score in scores.values() if score is not None]
    is_whole = scores["completeness"] is not None and scores["accuracy"] is not None
    return NoteGrade(
        scores=scores,
        overall=round(sum(known) / len(known), 2) if is_whole else None,
        missing=tuple(facts[at] for at in missing),
        invented=tuple(items[at] for at in matches.invented),
        doubles=tuple((items[late], items[first]) for late, first in doubles),
        unclear=tuple(items[at] for at in unclear),
        misplaced=tuple(items[at] for at in misplaced),
        needless=tuple(items[at] for at in needless),
        entries=len(items),
        changes=sum(fact.told for fact in facts),
        signature=Signature("note-grade", __version__, {"scale": "1-5"}),
        unscored=_why_not(scores, len(items)),
    )


def _is_told(item: NoteItem) -> bool:
    return not item.text.lower().startswith(("released ", "full changelog", "no changes", "first release"))


def _why_not(scores: dict[str, float | None], entries: int) -> dict[str, str]:
    reasons = {
        "completeness": "the range has no change that a note should tell",
        "organisation": "fewer than four entries have no order, or no entry could be matched to a change",
    }
    empty = "the note has no entries"
    found = {
        name: reasons.get(name, empty) if entries or name == "completeness" else empty
        for name, score in scores.items()
        if score is None
    }
    if scores["completeness"] is None or scores["accuracy"] is None:
        found["overall"] = "completeness and accuracy must have a score"
    return found
