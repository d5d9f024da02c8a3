"""How does a poor message become a better one, and old commits get theirs without harm?"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gitnotes.changes import add_parts, read_staged_change
from gitnotes.config import Settings
from gitnotes.customs import keeps_conventional, learn_repository_style
from gitnotes.errors import GitnotesError, UsageError
from gitnotes.guard.text import shorten
from gitnotes.messages import is_bot, is_merge_subject, is_revert_subject
from gitnotes.read.diff import read_commit
from gitnotes.read.git import Git
from gitnotes.recipes.drafting import suggest_message
from gitnotes.recipes.gate import is_below
from gitnotes.recipes.grading import Graded, grade_for, grade_text
from gitnotes.records import Change, Commit, Grade

if TYPE_CHECKING:
    from gitnotes.draft.repair import Parts
    from gitnotes.draft.style import Style
    from gitnotes.read.rewriting import Obstacles

DRAFTS = 3
"""Subjects of the drafter that are tried."""
NOTHING_BETTER = "nothing that was tried grades higher"

_SAYS_NOTHING = frozenset(["vague", "wip", "what-missing", "where-only"])
"""Findings that no mending of the form takes away: then a drafted subject is tried as well."""
_IN_OTHER_WORDS = "not-in-change"
_A_MERGE = "what a merge brings in is for a person to say"
_FROM_FORK = "Merge commit from fork"
"""What GitHub calls the repair of a hole that was found in private, which may be no merge."""
_ONLY_THE_AUTHOR = "it says something in words that the change does not hold, which no draft can judge"


@dataclass(frozen=True, slots=True)
class Improvement:
    """A message with its grade, and a better one where there is one."""

    commit: Commit | None
    """None for a text that is no commit yet."""
    message: str
    grade: Grade
    below: bool
    """Whether it misses the bar."""
    better: str = ""
    """Empty when nothing that was tried grades higher, or nothing had to be tried."""
    better_grade: Grade | None = None
    reason: str = ""
    """Why a message below the bar has no better one, so that a person must write it."""


@dataclass(frozen=True, slots=True)
class WrittenPlan:
    """A plan in a folder, and what a person should know before applying it."""

    folder: str
    command: str
    reworded: int
    made_again: int
    """Commits that get another name: those and all that come after."""
    obstacles: Obstacles


@dataclass(frozen=True, slots=True)
class _Desk:
    """What lies ready while one message is improved."""

    settings: Settings
    style: Style
    change: Change
    drafts: tuple[str, ...]


def improve_text(
    git: Git,
    settings: Settings,
    message: str,
    *,
    minimum: float,
    commit: str | None = None,
    amend: bool = False,
) -> Improvement:
    """The author's own draft for the staged change, or for that of `commit`, mended; drafted anew only
    where it stays below the bar. With `amend` what HEAD changed counts as staged, too.

    Raises InputError when nothing is staged, or the commit changed nothing.
    """
    drafts = suggest_message(git, settings, commit=commit, count=DRAFTS, amend=amend).candidates
    settings = _settle(git, settings, commit or "HEAD")
    style = learn_repository_style(git, settings, before=commit or "HEAD")
    change = add_parts(git, read_commit(git, commit) if commit else read_staged_change(git, amend=amend))
    before = grade_text(git, settings, message, change=change)
    kept = Improvement(None, message, before.grade, is_below(before, minimum))
    return _improve(kept, _Desk(settings, style, change, drafts), minimum)


def improve_commit(git: Git, settings: Settings, graded: Graded, *, minimum: float) -> Improvement:
    """The message of a commit that was graded, mended or drafted anew, whether below the bar or not.

    Raises GitError.
    """
    from gitnotes.read.history import stream_messages

    ((commit, message),) = stream_messages(git, [graded.sha], limit=1)
    settings = _settle(git, settings, graded.sha)
    style = learn_repository_style(git, settings, before=graded.sha)
    kept = Improvement(commit, message, graded.grade, is_below(graded, minimum))
    return _improve_commit(git, settings, kept, commit, style, minimum)


def improve_range(git: Git, settings: Settings, versions: str, *, minimum: float) -> Iterator[Improvement]:
    """Every commit of the range, newest first, those below the bar with a better message.

    Raises CannotJudge when the range is empty or leaves a shallow clone.
    """
    from gitnotes.read.history import read_range
    from gitnotes.read.versions import resolve_range
    from gitnotes.recipes.ranges import grade_range

    span = resolve_range(git, versions)
    settings = _settle(git, settings, span.end_sha)
    style = learn_repository_style(git, settings, before=span.end_sha)
    commits = {item.sha: item for item in read_range(git, span.start_sha, span.end_sha).commits}
    for graded in grade_range(git, settings, versions):
        commit = commits[graded.sha]
        kept = Improvement(commit, commit.message, graded.grade, is_below(graded, minimum))
        yield _improve_commit(git, settings, kept, commit, style, minimum) if kept.below else kept


def _settle(git: Git, settings: Settings, revision: str) -> Settings:
    """The settings with the question answered that every grade would ask the history again."""
    conventional = keeps_conventional(git, settings, revision)
    return dataclasses.replace(settings, conventional="always" if conventional else "never")


def _improve_commit(
    git: Git, settings: Settings, kept: Improvement, commit: Commit, style: Style, minimum: float
) -> Improvement:
    if commit.is_merge:
        return dataclasses.replace(kept, reason=_A_MERGE)
    if is_bot(f"{commit.author} <{commit.email}>"):
        return dataclasses.replace(kept, reason="a program wrote it, whose settings are to be mended")
    if any("\ud800" <= letter <= "\udfff" for letter in commit.message):
        return dataclasses.replace(kept, reason="the message is not in UTF-8")
    try:
        change = add_parts(git, read_commit(git, commit.sha))
        drafts = suggest_message(git, settings, commit=commit.sha, count=DRAFTS).candidates
    except GitnotesError as problem:
        return dataclasses.replace(kept, reason=problem.message.rstrip("."))
    return _improve(kept, _Desk(settings, style, change, drafts), minimum)


def _improve(kept: Improvement, desk: _Desk, minimum: float) -> Improvement:
    """`kept` with the best message that grades higher: the author's own words where they reach the bar."""
    start = kept.grade.overall
    if start is None:
        return dataclasses.replace(kept, reason=kept.grade.unscored.get("overall", "it is not graded"))
    subject = kept.message.partition("\n")[0].strip()
    if is_merge_subject(subject) or subject == _FROM_FORK:
        return dataclasses.replace(kept, reason=_A_MERGE)
    if is_revert_subject(subject):
        return dataclasses.replace(kept, reason="only a person knows why the commit was undone")
    mended, own = _own_words(kept.message, desk)
    best = _best(own, desk, start)
    said = best[1] if best else kept.grade
    score = said.overall or 0.0
    rules = {finding.rule for finding in said.findings}
    if _IN_OTHER_WORDS in rules and not rules & _SAYS_NOTHING:
        return dataclasses.replace(kept, reason=_ONLY_THE_AUTHOR)
    if score < minimum or rules & _SAYS_NOTHING:
        best = _best(_drafted(mended, desk), desk, score) or best
    if best is None:
        return dataclasses.replace(kept, reason=NOTHING_BETTER if kept.below else "")
    return dataclasses.replace(kept, better=best[0], better_grade=best[1])


def _own_words(message: str, desk: _Desk) -> tuple[Parts, list[str]]:
    """The author's own message in better form, as parts, and then with the object named."""
    from gitnotes.conventional import read_gitmoji, read_head
    from gitnotes.draft.repair import mend_form, name_objects, take_apart

    limit = desk.settings.subject_limit
    head = read_head(read_gitmoji(desk.drafts[0])[1])
    scope = f"({head.scope})" if head and head.scope else ""
    prefix = f"{head.type}{scope}: " if head and head.is_usual else ""
    mended = mend_form(
        take_apart(message, subject_limit=limit),
        desk.style,
        subject_limit=limit,
        body_limit=desk.settings.body_limit,
        prefix=prefix,
    )
    named = name_objects(mended, desk.change, subject_limit=limit)
    return mended, [item.join() for item in (mended, *named)]


def _drafted(mended: Parts, desk: _Desk) -> Iterator[str]:
    """Drafted subjects over the author's own body, without and with that of the draft."""
    from gitnotes.draft.repair import redraft
    from gitnotes.grade.why import find_reasons

    reasons = find_reasons(mended.subject, [], "", None)
    gives_reason = reasons.cause + reasons.before + reasons.fault > 0
    for draft in desk.drafts:
        for body in (False, True):
            yield redraft(
                mended,
                draft,
                desk.style,
                subject_limit=desk.settings.subject_limit,
                keep_subject=gives_reason,
                body=body,
            ).join()


def _best(texts: Iterable[str], desk: _Desk, above: float) -> tuple[str, Grade] | None:
    """The text with the highest grade, the first of several, if it is above `above`."""
    found: tuple[str, Grade] | None = None
    conventional = desk.settings.conventional == "always"
    for text in dict.fromkeys(texts):
        grade = grade_for(text, desk.change, desk.settings, conventional=conventional)
        if grade.overall is not None and grade.overall > above:
            found, above = (text, grade), grade.overall
    return found


def write_plan(git: Git, versions: str, improvements: Sequence[Improvement], folder: Path) -> WrittenPlan:
    """Writes what a person needs to give the commits of a range their better messages; git is only read.

    Raises UsageError when there is none, or when the range does not lead to the branch that is checked
    out; InputError when the folder cannot be written; BareRepository.
    """
    from gitnotes.read.history import read_range
    from gitnotes.read.rewriting import find_obstacles
    from gitnotes.read.versions import resolve_range
    from gitnotes.write.reword import plan_rewording
    from gitnotes.write.reword import write_plan as write

    top = git.top()
    span = resolve_range(git, versions)
    old = git.resolve("HEAD")
    if git.run("rev-list", "--max-count=1", span.end_sha, f"^{old}", "--"):
        raise UsageError(
            f"'{shorten(span.end)}' is not part of the branch that is checked out.",
            "Switch to its branch, then write the plan.",
        )
    messages = {item.commit.sha: item.better for item in improvements if item.commit and item.better}
    plan = plan_rewording(read_range(git, span.start_sha, old).commits, messages)
    command = write(folder, plan, messages, top=top, old=old)
    names = [commit.sha for commit in plan.commits]
    return WrittenPlan(str(folder), command, len(messages), len(names), find_obstacles(git, names, old))
