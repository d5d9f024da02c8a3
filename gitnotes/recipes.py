"""What does gitnotes do? Each function is one use, step by step, and calls the rooms for each step."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gitnotes.changes import add_parts, read_staged_change
from gitnotes.config import Settings, load_settings
from gitnotes.customs import (
    MAX_MESSAGE,
    find_top,
    keeps_conventional,
    learn_repository_style,
    message_customs,
    read_input,
    read_stored_message,
)
from gitnotes.errors import CannotJudge, InputError, UsageError
from gitnotes.guard.text import shorten, show
from gitnotes.read.diff import parse_patch, read_commit
from gitnotes.read.git import Git, open_git
from gitnotes.records import Change, Commit, Draft, Grade, Signature

if TYPE_CHECKING:
    from gitnotes.read.versions import VersionRange


@dataclass(frozen=True, slots=True)
class Graded:
    """A commit, or a message that is not one yet (then `sha` is empty), with its grade."""

    sha: str
    subject: str
    grade: Grade


@dataclass(frozen=True, slots=True)
class HookVerdict:
    """What a hook has to say: lines that are safe to print, and whether the message is good enough."""

    lines: tuple[str, ...]
    passed: bool
    strict: bool = False
    """Whether the settings ask to refuse a message that did not pass."""


@dataclass(frozen=True, slots=True)
class Written:
    """A release note, the range it is for, and what became of the file it was written to."""

    note: Draft
    range: VersionRange
    path: str | None
    changed: bool


# The public functions of the package.


def suggest(*, repo: str | Path | None = None, commit: str | None = None, count: int = 1) -> Draft:
    """A commit message for the staged change, or for what `commit` did.

    The message is `.text`; `.candidates` has up to `count` texts, best first.
    Raises GitnotesError: nothing staged, no repository, unknown revision.
    """
    git = open_git(repo)
    return suggest_message(git, load_settings(find_top(git)), commit=commit, count=count)


def grade(
    message: str,
    *,
    diff: str | bytes | Change | None = None,
    reference: str | Sequence[str] | None = None,
) -> Grade:
    """What `message` is worth for the change `diff` (a patch, or a `Change`), from 0 to 100.

    Without `diff` only what the message itself shows is graded, and `.unscored` says so. With
    `reference`, one text or several, `.scores["log-mnext"]` compares the message with it, 0 to 1.
    Never raises for any text.
    """
    change = parse_patch(diff) if isinstance(diff, str | bytes) else diff
    return _grade(message, change, Settings(), conventional=False, reference=reference)


def release_note(versions: str, *, repo: str | Path | None = None) -> Draft:
    """A Markdown release note for a range such as `v1.0..v1.1`, or for one tag.

    Raises GitnotesError: no repository, unknown revision, empty range, history not here.
    """
    return write_release_note(open_git(repo), versions).note


# The recipes of the command line and the hooks.


def suggest_message(
    git: Git, settings: Settings, *, commit: str | None = None, count: int = 1, amend: bool = False
) -> Draft:
    """Reads the change, learns the repository's style and drafts; the drafter's own order stands."""
    from gitnotes import __version__
    from gitnotes.draft import find_drafter

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
    style = learn_repository_style(git, settings, before="HEAD" if commit is None else f"{change.target}^1")
    ranked = drafter(add_parts(git, change), style, count)
    return Draft(
        text=ranked[0],
        kind="message",
        signature=Signature(
            "draft", __version__, {"drafter": settings.drafter, "history": str(style.commits)}
        ),
        candidates=tuple(ranked),
        omitted=change.omitted,
    )


def grade_text(
    git: Git | None,
    settings: Settings,
    message: str,
    *,
    change: Change | None = None,
    reference: Sequence[str] | None = None,
) -> Graded:
    """Grades one text, in the customs of the repository if there is one."""
    conventional = keeps_conventional(git, settings, "HEAD") if git else settings.conventional == "always"
    result = _grade(message, change, settings, conventional=conventional, reference=reference)
    return Graded("", _first_line(message), result)


def grade_commit(
    git: Git, settings: Settings, revision: str, *, reference: Sequence[str] | None = None
) -> Graded:
    """Grades the message of one commit against what it did."""
    from gitnotes.read.history import read_range

    sha = git.resolve(revision)
    (commit,) = read_range(git, None, sha, limit=1).commits
    change = read_commit(git, sha)
    return _grade_commit(
        commit, change, settings, conventional=keeps_conventional(git, settings, sha), reference=reference
    )


def is_below(item: Graded, minimum: float) -> bool:
    """Whether a commit misses the bar: by its score, or because it was to be squashed and was not."""
    if item.grade.overall is None:
        return minimum > 0 and any(finding.rule == "fixup-left" for finding in item.grade.findings)
    return item.grade.overall < minimum


def grade_range(git: Git, settings: Settings, versions: str, *, rules_only: bool = False) -> Iterator[Graded]:
    """Grades every commit of a range, newest first; `rules_only` does not read the changes.

    Raises CannotJudge when the range is empty or leaves a shallow clone.
    """
    from gitnotes.read.versions import resolve_range

    span = resolve_range(git, versions)
    yield from grade_between(git, settings, span.start_sha, span.end_sha, rules_only=rules_only)


def grade_between(
    git: Git, settings: Settings, start: str | None, end: str, *, rules_only: bool = False
) -> Iterator[Graded]:
    """Grades every commit that `end` has and `start` has not."""
    from gitnotes.read.history import read_changes, read_range

    conventional = keeps_conventional(git, settings, end)
    if rules_only:
        for commit in read_range(git, start, end).commits:
            yield _grade_commit(commit, None, settings, conventional=conventional)
        return
    for commit, change in read_changes(git, start, end):
        yield _grade_commit(commit, None if commit.is_merge else change, settings, conventional=conventional)


def grade_pushed(git: Git, settings: Settings, *, rules_only: bool = False) -> Iterator[Graded]:
    """Grades what is about to be pushed: the range that pre-commit names, else what no remote has."""
    end = git.resolve(os.environ.get("PRE_COMMIT_TO_REF") or "HEAD")
    start = os.environ.get("PRE_COMMIT_FROM_REF") or ""
    start_sha = git.find(start) if start.strip("0") else None
    if start.strip("0") and start_sha is None:
        git.resolve(start)
    if start_sha is None:
        new = git.text("rev-list", end, "--not", "--remotes", "--").split()
        if not new:
            return
        start_sha = git.find(f"{new[-1]}^1")
    if start_sha == end:
        return
    yield from grade_between(git, settings, start_sha, end, rules_only=rules_only)


def write_release_note(
    git: Git, versions: str, *, path: Path | None = None, replace: bool = False
) -> Written:
    """Reads the commit tree of a range, drafts the note, and writes it into the changelog at `path`.

    `changed` is False when the changelog had the note already.
    """
    from gitnotes.draft.note import draft_note, learn_note_style
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


def fill_message_file(path: Path) -> str | None:
    """Puts a suggestion on top of git's message file; what to say on stderr, or None.

    The file is replaced as a whole or not at all.
    """
    from gitnotes.write.atomic import replace_file
    from gitnotes.write.message_file import comment_string, insert_suggestion

    git = open_git(light=True)
    data = read_input(path, MAX_MESSAGE)
    settings = load_settings(find_top(git))
    try:
        draft = suggest_message(git, settings)
    except InputError:
        return None  # an empty commit says what it is for itself
    customs = message_customs(git)
    comment = comment_string(data, customs.comment)
    filled = insert_suggestion(data, draft.text, comment, customs.encoding)
    if filled != data:
        replace_file(path, filled)
    return None


def check_message_file(path: Path) -> HookVerdict:
    """Grades the message that git will store of its message file against the staged change."""
    from gitnotes.write.message_file import is_empty

    git = open_git(light=True)
    message = read_stored_message(git, path)
    if is_empty(message):
        return HookVerdict((), True)  # git gives up by itself, and says so
    settings = load_settings(find_top(git))
    if git.find("MERGE_HEAD"):
        return HookVerdict((), True)
    graded = grade_text(git, settings, message, change=read_staged_change(git))
    return judge_for_hook(graded.grade, settings)


def judge_for_hook(grade: Grade, settings: Settings) -> HookVerdict:
    """What the commit-msg hook says about a grade: nothing when all is well."""
    if grade.overall is None or grade.overall >= settings.min_score:
        return HookVerdict((), True)
    lines = [f"gitnotes: this message scores {grade.overall:.0f} of 100 (the bar is {settings.min_score:g})."]
    serious = [item for item in grade.findings if item.severity != "info"] or list(grade.findings)
    lines += [f"  {show(item.message)} {show(item.remedy)}" for item in serious[:3]]
    return HookVerdict(tuple(lines), False, settings.strict)


def install_hooks(git: Git) -> list[str]:
    """Installs the hooks where git will look for them; a sentence for each thing done."""
    from gitnotes.write.installer import install

    if git.config("core.hooksPath") == "":
        raise InputError(
            "core.hooksPath is set to nothing, so git runs no hooks here.",
            "Run: git config --unset core.hooksPath",
        )
    return [show(str(action)) for action in install(git.path("hooks"))]


def uninstall_hooks(git: Git) -> list[str]:
    """Removes the hooks and restores what was there; a sentence for each thing done."""
    from gitnotes.write.installer import uninstall

    return [show(str(action)) for action in uninstall(git.path("hooks"))]


def _read_changelog(path: Path) -> str:
    return read_input(path).decode("utf-8", "replace") if path.is_file() else ""


def _grade_commit(
    commit: Commit,
    change: Change | None,
    settings: Settings,
    *,
    conventional: bool,
    reference: Sequence[str] | None = None,
) -> Graded:
    result = _grade(
        commit.message,
        change,
        settings,
        conventional=conventional,
        reference=reference,
        merge=commit.is_merge,
        author=f"{commit.author} <{commit.email}>",
    )
    return Graded(commit.sha, commit.subject, result)


def _grade(
    message: str,
    change: Change | None,
    settings: Settings,
    *,
    conventional: bool,
    reference: str | Sequence[str] | None = None,
    merge: bool = False,
    author: str = "",
) -> Grade:
    from gitnotes.grade.rules import FormSettings
    from gitnotes.grade.scale import grade_message

    form = FormSettings(subject_limit=settings.subject_limit, body_limit=settings.body_limit)
    result = grade_message(
        message, change, settings=form, conventional=conventional, merge=merge, author=author
    )
    if reference is None:
        return result
    if not reference:
        raise UsageError("The reference is empty.", "Give the text to compare with.")
    from gitnotes.grade.log_mnext import log_mnext

    compared = log_mnext(message, reference)
    return dataclasses.replace(result, scores={**result.scores, "log-mnext": compared.value})


def _first_line(message: str) -> str:
    return next((line.strip() for line in message.split("\n") if line.strip()), "")
