"""How does a change become a message? Read it, learn the style, draft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from gitnotes.changes import add_parts, read_staged_change
from gitnotes.config import Settings
from gitnotes.customs import learn_repository_style, repository_settings
from gitnotes.errors import CannotJudge, InputError
from gitnotes.guard.text import shorten
from gitnotes.read.diff import read_commit
from gitnotes.read.git import Git, open_git
from gitnotes.records import Commit, Draft, Neighbour, Signature

_HABITS = 20
"""Commits before which nothing that was written once is a habit."""


def suggest(*, repo: str | Path | None = None, commit: str | None = None, count: int = 1) -> Draft:
    """A commit message for the staged change, or for what `commit` did.

    The message is `.text`; `.candidates` has up to `count` texts, best first.
    Raises GitnotesError: nothing staged, no repository, unknown revision.
    """
    git = open_git(repo)
    return suggest_message(git, repository_settings(git), commit=commit, count=count)


def suggest_message(
    git: Git,
    settings: Settings,
    *,
    commit: str | None = None,
    count: int = 1,
    amend: bool = False,
    build: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Draft:
    """Reads the change, learns the repository's style and drafts; the drafter's own order stands.

    `build` lets the index of earlier changes be made where there is none; `progress` is told how many
    commits it has read.
    """
    from gitnotes import __version__
    from gitnotes.draft import find_drafter
    from gitnotes.index import DEPTH, look_up

    drafter = find_drafter(settings.drafter)
    change = read_staged_change(git, amend=amend) if commit is None else read_commit(git, commit)
    if not change.files:
        if commit is not None:
            raise CannotJudge(f"The commit {change.target[:9]} changes no file.", "Name another one.")
        if change.omitted:  # nothing but conflicts
            raise InputError(
                f"Nothing is staged but '{shorten(change.omitted[0].path)}', whose merge conflict is not "
                "resolved.",
                "Resolve it, then stage it with `git add`.",
            )
        raise InputError(
            "Nothing is staged.", "Stage something with `git add`, or name a commit with --commit REV."
        )
    neighbours: Sequence[Neighbour] = ()
    recent: Sequence[Commit] = ()
    if settings.drafter != "structure":
        neighbours, recent = look_up(
            git, change, max(settings.history, _HABITS), build=build, progress=progress
        )
    if len(recent) < _HABITS:
        neighbours = ()
    before = "HEAD" if commit is None else f"{change.target}^1"
    style = learn_repository_style(
        git, settings, before=before, recent=recent[: settings.history] if settings.history <= DEPTH else ()
    )
    ranked = drafter(add_parts(git, change), style, count, neighbours)
    return Draft(
        text=ranked[0],
        kind="message",
        signature=Signature(
            "draft", __version__, {"drafter": settings.drafter, "history": str(style.commits)}
        ),
        candidates=tuple(ranked),
        omitted=change.omitted,
    )
