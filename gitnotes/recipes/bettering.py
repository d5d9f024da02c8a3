"""Which message would be better than a poor one? Improve it, and say so where nothing grades higher."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitnotes.config import Settings
from gitnotes.errors import GitnotesError
from gitnotes.read.git import Git
from gitnotes.recipes.gate import Judged


def better_all(
    git: Git,
    settings: Settings,
    judged: Iterable[Judged],
    bar: float,
    *,
    commit: str | None = None,
    many: bool = False,
) -> Iterator[Judged]:
    """The same, with a better message beside each one that fails or is below `bar`, or why there is none.

    The change is that of the commit itself; for a text that of `commit`, or what is staged. Of `many`
    messages those that are good enough stay as they are.
    """
    for one in judged:
        overall = one.item.grade.overall
        if one.item.unreadable or overall is None:
            yield one
        elif one.faults or overall < bar:
            yield better(git, settings, one, bar, commit)
        else:
            yield one if many else one._replace(unimproved=f"the message reaches the bar of {bar:g}")


def better(git: Git, settings: Settings, judged: Judged, bar: float, commit: str | None) -> Judged:
    """With the message that `gitnotes improve` would give it, for what `commit` did or what is staged."""
    from gitnotes.recipes.improving import NOTHING_BETTER, improve_commit, improve_text

    item = judged.item
    try:
        if item.sha:
            found = improve_commit(git, settings, item, minimum=bar)
        else:
            found = improve_text(git, settings, item.message, minimum=bar, commit=commit)
    except GitnotesError as problem:  # an empty commit, a merge: there is nothing to draft from
        return judged._replace(unimproved=problem.message.rstrip("."))
    score = found.better_grade.overall if found.better_grade else None
    if score is None or score <= (item.grade.overall or 0.0):
        return judged._replace(unimproved=found.reason or NOTHING_BETTER)
    return judged._replace(suggestion=(found.better, score))
