"""What are messages worth for their changes? Read both, grade, compare with the bar."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gitnotes.config import Settings
from gitnotes.customs import keeps_conventional
from gitnotes.errors import UsageError
from gitnotes.read.diff import parse_patch, read_commit
from gitnotes.read.git import Git
from gitnotes.records import Change, Commit, Grade


@dataclass(frozen=True, slots=True)
class Graded:
    """A commit, or a message that is not one yet (then `sha` is empty), with its grade."""

    sha: str
    subject: str
    grade: Grade


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
