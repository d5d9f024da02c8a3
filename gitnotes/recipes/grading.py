"""What is one message worth for its change? Read both, grade."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitnotes.config import Settings
from gitnotes.conventional import Habits
from gitnotes.customs import next_author, read_habits
from gitnotes.errors import UsageError
from gitnotes.records import Change, Commit, Finding, Grade, Judgement

if TYPE_CHECKING:
    from gitnotes.read.git import Git
    from gitnotes.recipes.survey import Survey

REPEATED = "repeated-text"
NO_HABITS = Habits()


@dataclass(frozen=True, slots=True)
class Graded:
    """A commit, or a message that is not one yet (then `sha` is empty), with its grade."""

    sha: str
    subject: str
    grade: Grade
    message: str = ""
    """The whole text, as it is stored."""
    email: str = ""
    time: int = 0
    """Of the author, seconds since the epoch; 0 for a text."""
    unreadable: str = ""
    """Why the change could not be read, so that nothing was judged; empty when it was."""
    evidence: tuple[tuple[str, str], ...] = ()
    """What was found of the message in its change and what was not, where it was asked for."""
    change: Change | None = None
    """What the message is for, where it is known."""
    judgement: Judgement | None = None
    """What a language model thinks of it, where it was asked."""

    @property
    def key(self) -> str:
        """16 hexadecimal digits that tell the message from others; a rebase or a pick keeps the author,
        the date and the text."""
        import hashlib  # 5 ms that the grade of one message does not need

        text = f"{self.email}\0{self.time}\0{self.message.strip()}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


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
    from gitnotes.read.diff import parse_patch

    change = parse_patch(diff) if isinstance(diff, str | bytes) else diff
    return add_reference(grade_for(message, change, Settings(), conventional=False), message, reference)


def grade_text(
    git: Git | None,
    settings: Settings,
    message: str,
    *,
    change: Change | None = None,
    reference: Sequence[str] | None = None,
    author: str = "",
    merge: bool | None = None,
    explain: bool = False,
) -> Graded:
    """Grades one text, in the customs of the repository if there is one; `merge` as for `grade_for`."""
    if git and not author and any(item.authors for item in settings.overrides):
        author = next_author(git)
    habits = read_habits(git, settings, "HEAD") if git else Habits(settings.conventional == "always")
    result = grade_for(
        message,
        change,
        settings,
        conventional=habits.conventional,
        merge=merge,
        author=author,
        habits=habits,
    )
    return Graded(
        "",
        _first_line(message),
        add_reference(result, message, reference),
        message,
        evidence=find_evidence(message, change) if explain else (),
        change=change,
    )


def grade_commit(
    git: Git,
    settings: Settings,
    revision: str,
    *,
    reference: Sequence[str] | None = None,
    rules_only: bool = False,
    explain: bool = False,
) -> Graded:
    """Grades the message of one commit against what it did.

    Raises UnknownRevision, or CannotJudge when the clone is too shallow to have the parent.
    """
    from gitnotes.read.diff import read_commit
    from gitnotes.read.history import stream_messages
    from gitnotes.recipes.survey import survey_commit

    sha = git.resolve(revision)
    ((commit, message),) = stream_messages(git, [sha], limit=1)
    change = None if rules_only or commit.is_merge else read_commit(git, sha)
    survey = survey_commit(git, settings, sha)
    graded = grade_surveyed(commit, message, change, settings, survey, 0, explain=explain)
    return dataclasses.replace(graded, grade=add_reference(graded.grade, message, reference))


def grade_surveyed(
    commit: Commit,
    message: str,
    change: Change | None,
    settings: Settings,
    survey: Survey,
    place: int,
    *,
    explain: bool = False,
) -> Graded:
    """Grades one commit of a surveyed range; `message` is its text as it is stored."""
    result = grade_for(
        message,
        change,
        settings,
        conventional=survey.habits[place].conventional,
        # Without parents it is a root, or a shallow clone does not show them.
        merge=commit.is_merge if commit.parents else None,
        author=f"{commit.author} <{commit.email}>",
        habits=survey.habits[place],
    )
    original = survey.repeated.get(place)
    if original:
        result = dataclasses.replace(result, findings=(*result.findings, _repeats(original)))
    return Graded(
        commit.sha,
        commit.subject,
        result,
        message,
        commit.email,
        commit.time,
        evidence=find_evidence(message, change) if explain else (),
        change=change,
    )


def grade_for(
    message: str,
    change: Change | None,
    settings: Settings,
    *,
    conventional: bool,
    merge: bool | None = None,
    author: str = "",
    habits: Habits = NO_HABITS,
) -> Grade:
    """Grades a message for a change by the settings of the repository; `merge` as for `grade_message`."""
    from gitnotes.form import form_settings
    from gitnotes.grade.scale import grade_message

    paths = (path for file in change.files for path in (file.path, file.old_path) if path) if change else ()
    form = form_settings(settings, settings.elsewhere, author=author, paths=paths, habits=habits)
    return grade_message(
        message, change, settings=form, conventional=conventional, merge=merge, author=author
    )


def add_reference(result: Grade, message: str, reference: str | Sequence[str] | None) -> Grade:
    """The grade with Log-MNEXT against the references beside it; raises UsageError for empty ones."""
    if reference is None:
        return result
    if not reference:
        raise UsageError("The reference is empty.", "Give the text to compare with.")
    from gitnotes.grade.log_mnext import log_mnext

    compared = log_mnext(message, reference)
    return dataclasses.replace(result, scores={**result.scores, "log-mnext": compared.value})


def find_evidence(message: str, change: Change | None) -> tuple[tuple[str, str], ...]:
    """Label and text of what the change bears out of the message, and what it lacks; not escaped."""
    from gitnotes.grade.evidence import weigh

    found = weigh(message, change)
    if not found.assessable:
        return (("evidence", found.reason),)
    rows = [
        ("in the change", ", ".join(found.names_found[:8])),
        ("not in the change", ", ".join(found.names_missing[:8])),
        ("the opposite of", ", ".join((*found.opposites, *found.body_opposites)[:8])),
        ("subject borne out", f"{100 * found.share:.0f} %" if found.said else ""),
        ("no word about", f"{found.unsaid_part} ({100 * found.unsaid:.0f} % of the change unsaid)"
                          if found.unsaid_part and found.unsaid >= 0.1 else ""),
    ]  # fmt: skip
    return tuple((label, text) for label, text in rows if text)


def _repeats(sha: str) -> Finding:
    return Finding(
        REPEATED,
        "warning",
        f"Commit {sha[:9]} has the same text.",
        "Say what is different this time, or squash the two.",
    )


def _first_line(message: str) -> str:
    return next((line.strip() for line in message.split("\n") if line.strip()), "")
