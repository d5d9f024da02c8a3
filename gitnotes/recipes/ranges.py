"""What are the messages of many commits worth, one at a time, whatever cannot be read?"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from gitnotes.config import Settings
from gitnotes.errors import GitError
from gitnotes.read.git import Git
from gitnotes.read.history import stream_changes, stream_messages
from gitnotes.recipes.grading import Graded, grade_surveyed
from gitnotes.recipes.survey import Survey, survey_commits
from gitnotes.recipes.targets import Span, find_span, shallow_edge
from gitnotes.records import Change, Commit

_RESTARTS = 20
"""Times that git is started again behind a commit that it cannot read, before each is asked for alone."""
_SHALLOW = "the clone is shallow and lacks its parent"


@dataclass(frozen=True, slots=True)
class _Read:
    """A commit with its message as it is stored and its change, or why that cannot be read."""

    commit: Commit
    message: str
    change: Change | None
    trouble: str = ""


def grade_range(git: Git, settings: Settings, versions: str, *, rules_only: bool = False) -> Iterator[Graded]:
    """Grades every commit of a range, newest first; `rules_only` does not read the changes.

    Raises CannotJudge when the range is empty or leaves a shallow clone.
    """
    span = find_span(git, versions)
    survey = survey_commits(git, settings, span.revisions, span.end)
    return grade_span(git, settings, span, survey, rules_only=rules_only)


def grade_span(
    git: Git,
    settings: Settings,
    span: Span,
    survey: Survey,
    *,
    rules_only: bool = False,
    explain: bool = False,
) -> Iterator[Graded]:
    """Grades the commits of a span as git delivers them, newest first; memory holds one at a time.

    A commit whose change cannot be read is unscored, and `unreadable` says why; the rest is graded.
    """
    read = _read_messages(git, span) if rules_only else _read_changes(git, span, survey)
    for place, found in enumerate(read):
        change = None if found.commit.is_merge else found.change
        item = grade_surveyed(found.commit, found.message, change, settings, survey, place, explain=explain)
        yield _leave_unjudged(item, found.trouble) if found.trouble else item


def _read_messages(git: Git, span: Span) -> Iterator[_Read]:
    for commit, message in stream_messages(git, span.revisions):
        yield _Read(commit, message, None)


def _read_changes(git: Git, span: Span, survey: Survey) -> Iterator[_Read]:
    edge = shallow_edge(git)
    done = restarts = 0
    while done < len(survey.order) and restarts <= _RESTARTS:
        try:
            for commit, message, change in stream_changes(git, span.revisions, skip=done):
                done += 1
                yield _Read(commit, message, change, _SHALLOW if commit.sha in edge else "")
        except GitError as problem:
            restarts += 1
            # git delivers in the order of the survey, so it is the next one that stopped it.
            yield _read_alone(git, survey.order[done], problem.message)
            done += 1
        else:
            return
    for sha in survey.order[done:]:
        yield _read_alone(git, sha)


def _read_alone(git: Git, sha: str, trouble: str = "") -> _Read:
    from gitnotes.read.diff import read_commit

    ((commit, message),) = stream_messages(git, [sha], limit=1)
    if trouble:
        return _Read(commit, message, None, trouble)
    try:
        return _Read(commit, message, read_commit(git, sha))
    except GitError as problem:
        return _Read(commit, message, None, problem.message)


def _leave_unjudged(item: Graded, trouble: str) -> Graded:
    grade = item.grade
    reason = f"its change cannot be read: {trouble}"
    empty = dataclasses.replace(
        grade,
        overall=None,
        scores=dict.fromkeys(grade.scores),
        parts={},
        unscored=dict.fromkeys(("overall", *grade.scores), reason),
    )
    return dataclasses.replace(item, grade=empty, unreadable=trouble)
