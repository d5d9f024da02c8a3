"""Which message would be better than a poor one? Draft, grade, and keep it only when it scores more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitnotes.config import Settings
from gitnotes.errors import GitnotesError
from gitnotes.read.git import Git
from gitnotes.recipes.drafting import suggest_message
from gitnotes.recipes.gate import Judged
from gitnotes.recipes.grading import grade_for


def better_all(
    git: Git, settings: Settings, judged: Iterable[Judged], bar: float, *, commit: str | None = None
) -> Iterator[Judged]:
    """The same, with a better message beside each one that fails or is below `bar`.

    The change is that of the commit itself; for a text that of `commit`, or what is staged.
    """
    for one in judged:
        overall = one.item.grade.overall
        poor = bool(one.faults) or (overall is not None and overall < bar)
        yield better(git, settings, one, one.item.sha or commit) if poor and not one.item.unreadable else one


def better(git: Git, settings: Settings, judged: Judged, commit: str | None) -> Judged:
    """With a drafted message that scores more for the same change, if there is one: for what `commit`
    did, or for what is staged."""
    from gitnotes.changes import read_staged_change
    from gitnotes.conventional import is_conventional
    from gitnotes.read.diff import read_commit

    try:
        draft = suggest_message(git, settings, commit=commit)
        change = read_commit(git, commit) if commit else read_staged_change(git)
    except GitnotesError:  # an empty commit, a merge: there is nothing to draft from
        return judged
    subject = draft.text.partition("\n")[0]
    score = grade_for(draft.text, change, settings, conventional=is_conventional(subject)).overall
    if score is None or score <= (judged.item.grade.overall or 0.0):
        return judged
    return judged._replace(suggestion=(draft, score))
