"""How does a change become a message? Read it, learn the style, draft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from gitnotes.changes import add_parts, read_staged_change
from gitnotes.config import Settings
from gitnotes.customs import MAX_MESSAGE, learn_repository_style, read_input, repository_settings
from gitnotes.errors import CannotJudge, GitnotesError, InputError, UsageError
from gitnotes.guard.text import shorten
from gitnotes.read.diff import read_commit
from gitnotes.read.git import Git, open_git
from gitnotes.records import Change, Commit, Draft, Neighbour, Omission, Signature

LEFT_OUT = "the model was left out:"
"""How an omission begins that says why a model did not draft."""
_SHORTER = 8
"""Drafts among which one is looked for that keeps to a subject shorter than usual."""
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
    why: str = "",
    model: str | None = None,
    hint: str = "",
    watch: Callable[[str], None] | None = None,
    seconds: float | None = None,
) -> Draft:
    """Reads the change, learns the repository's style and drafts; the drafter's own order stands.

    `build` lets the index of earlier changes be made where there is none; `progress` is told how many
    commits it has read. `why` becomes a paragraph of each text. A `model` (`openai:NAME`,
    `local:PATH`) drafts as well, after the `hint`, in `seconds` where they are few; `watch` is given its
    text as it grows.
    """
    from gitnotes import __version__
    from gitnotes.draft import find_drafter
    from gitnotes.draft.words import LIMIT
    from gitnotes.form import form_settings
    from gitnotes.guard.width import columns
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
            "Nothing is staged.",
            "Stage something with `git add`; of a commit: gitnotes suggest --commit REV.",
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
    change = add_parts(git, change)
    limit = form_settings(
        settings, settings.elsewhere, author="", paths=(item.path for item in change.files)
    ).subject_limit
    if limit < LIMIT:  # drafts have room for the usual one, and one of the others may be short
        ranked = drafter(change, style, max(count, _SHORTER), neighbours)
        ranked.sort(key=lambda text: columns(text.partition("\n")[0]) > limit)
    else:
        ranked = drafter(change, style, count, neighbours)
    omitted = change.omitted
    settled = {"drafter": settings.drafter, "history": str(style.commits)}
    drafters = [settings.drafter] * len(ranked)
    if model is not None:
        from gitnotes.draft.models.prompt import Wish
        from gitnotes.recipes.asking import ask_model

        answer = ask_model(
            git, settings, change, style, model, drafts=ranked, neighbours=neighbours,
            wish=Wish(why=why, hint=hint), count=count, watch=watch, seconds=seconds,
        )  # fmt: skip
        ranked = list(answer.ranked)
        omitted += answer.omitted
        if answer.signature is not None:
            settled["model"] = str(answer.signature)
        drafters = [settled["model"] if text in answer.texts else settings.drafter for text in ranked]
    if style.ticket and commit is None and not amend:
        ranked = _name_issue(git, ranked, style.ticket)
    if commit is None and not amend:
        known = dict(zip(ranked, drafters, strict=True))
        ranked = _merge_squashed(git, settings, change, ranked)
        drafters = [known.get(text, "squash") for text in ranked]
    if taken_back := _take_back(git, change, neighbours):
        ranked, drafters = [taken_back, *ranked], ["undoing", *drafters]
    if why:
        from gitnotes.draft.repair import add_paragraph

        ranked = [add_paragraph(text, why) for text in ranked]
    return Draft(
        text=ranked[0],
        kind="message",
        signature=Signature("draft", __version__, settled),
        candidates=tuple(ranked[: max(count, 1)]),
        omitted=tuple(dict.fromkeys(omitted)),
        drafters=tuple(drafters[: max(count, 1)]),
    )


def suggest_anyway(
    git: Git,
    settings: Settings,
    *,
    model: str | None,
    hint: str = "",
    seconds: float | None = None,
    **known: Any,
) -> Draft:
    """As `suggest_message`, but a model that cannot be asked at all (not installed, no consent, unknown)
    is an omission like one that fails, and the drafts without it stand."""
    try:
        return suggest_message(git, settings, model=model, hint=hint, seconds=seconds, **known)
    except UsageError as problem:
        if model is None:
            raise
        draft = suggest_message(git, settings, **known)
        return replace(draft, omitted=(Omission("", f"{LEFT_OUT} {problem}"), *draft.omitted))


def _merge_squashed(git: Git, settings: Settings, change: Change, drafts: list[str]) -> list[str]:
    """The drafts; after `git merge --squash` behind what its commits said, the best grade first."""
    file = git.path("SQUASH_MSG")
    if not file.is_file():
        return drafts
    from gitnotes.draft.squash import merge_messages
    from gitnotes.read.squashes import read_merge_squash
    from gitnotes.recipes.grading import grade_text

    try:
        said = read_merge_squash(read_input(file, MAX_MESSAGE).decode("utf-8", "replace"))
    except InputError:  # too large to be a list that anybody reads
        return drafts
    merged = list(merge_messages(said, drafts[:1]))
    grades = {text: grade_text(git, settings, text, change=change).grade.overall for text in merged}
    return list(dict.fromkeys([*sorted(merged, key=lambda text: -(grades[text] or 0.0)), *drafts]))


def _take_back(git: Git, change: Change, neighbours: Sequence[Neighbour]) -> str:
    """The message for a change that takes back an earlier one, of which all others would say the opposite."""
    from gitnotes.draft.undoing import may_be_undone, revert_message, undoes

    for item in may_be_undone(neighbours):
        with suppress(GitnotesError):  # a partial clone has not all of it
            if undoes(change, read_commit(git, item.sha)):
                return revert_message(item)
    return ""


def _name_issue(git: Git, texts: Sequence[str], key: str) -> list[str]:
    """The texts with the issue of the branch in front, as the newest subjects have theirs."""
    from gitnotes.draft.tickets import add_ticket, ticket_form, ticket_of_branch
    from gitnotes.read.history import read_recent

    branch = git.text("symbolic-ref", "--quiet", "--short", "HEAD", ok=(0, 1))
    ticket = ticket_of_branch(branch, key)
    form = ticket_form(item.subject for item in read_recent(git, "HEAD", _HABITS)) if ticket else ""
    return [add_ticket(text, form, ticket) for text in texts] if form else list(texts)
