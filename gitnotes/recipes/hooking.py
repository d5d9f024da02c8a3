"""What happens in the hooks of git, and how do they get there and away again?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gitnotes.changes import read_staged_change
from gitnotes.config import Settings
from gitnotes.customs import (
    MAX_MESSAGE,
    committing_author,
    message_customs,
    read_input,
    read_stored_message,
    repository_settings,
)
from gitnotes.errors import InputError
from gitnotes.guard.text import show
from gitnotes.messages import is_merge_subject
from gitnotes.read.git import Git, open_git
from gitnotes.read.squashes import read_merge_squash
from gitnotes.recipes.drafting import LEFT_OUT, suggest_anyway
from gitnotes.recipes.grading import grade_text
from gitnotes.recipes.hook_rules import HookVerdict
from gitnotes.records import Grade

_SECONDS = 5.0
_FOR_MODEL = 0.7
"""The share of a hook's time that a model may take; the rest is for reading, grading and writing."""


def fill_message_file(path: Path, seconds: float = _SECONDS) -> str | None:
    """Puts a suggestion on top of git's message file; what to say on stderr, or None.

    The list that `git merge --squash` writes becomes one message, and stays among the comments. The
    file is replaced as a whole or not at all. A model of the settings has a part of the `seconds` that
    the hook may take, and is done without when that is not enough.
    """
    from gitnotes.write.atomic import replace_file
    from gitnotes.write.message_file import cleanup_mode, comment_string, insert_suggestion, replace_text

    git = open_git(light=True)
    data = read_input(path, MAX_MESSAGE)
    settings = repository_settings(git)
    try:
        draft = suggest_anyway(
            git, settings, build=False, model=settings.model or None, seconds=seconds * _FOR_MODEL
        )
    except InputError:
        return None  # an empty commit says what it is for itself
    left_out = (item.reason for item in draft.omitted if item.reason.startswith(LEFT_OUT))
    told = next((f"gitnotes: {show(reason)}" for reason in left_out), None)
    customs = message_customs(git)
    comment = comment_string(data, customs.comment)
    if read_merge_squash(data.decode("utf-8", "replace")):
        mode = cleanup_mode(data, comment, customs.cleanup, editor=True)
        filled = replace_text(data, draft.text, comment, customs.encoding, mode)
    else:
        filled = insert_suggestion(data, draft.text, comment, customs.encoding)
    if filled != data:
        from gitnotes.recipes.feedback import remember_suggestion

        replace_file(path, filled)
        remember_suggestion(git, draft.text, draft.drafters[0])
    return told


def check_message_file(path: Path) -> HookVerdict:
    """Grades the message that git will store of its message file against the staged change."""
    from gitnotes.write.message_file import is_empty

    git = open_git(light=True)
    message = read_stored_message(git, path)
    if is_empty(message):
        return HookVerdict((), True)  # git gives up by itself, and says so
    settings = repository_settings(git)
    if git.find("MERGE_HEAD"):
        return HookVerdict((), True)
    change = read_staged_change(git)
    graded = grade_text(
        git, settings, message, change=change, author=committing_author(), merge=_may_be_merge(git, message)
    )
    return judge_for_hook(graded.grade, settings)


def _may_be_merge(git: Git, message: str) -> bool | None:
    """None where the commit may be a merge that is amended, which no hook is told; False where it is none."""
    if is_merge_subject(message.partition("\n")[0]) and git.find("HEAD^2"):
        return None
    return False


def judge_for_hook(grade: Grade, settings: Settings) -> HookVerdict:
    """What the commit-msg hook says about a grade: nothing when all is well."""
    if grade.overall is None or grade.overall >= settings.min_score:
        return HookVerdict((), True)
    lines = [f"gitnotes: this message scores {grade.overall:.0f} of 100 (the bar is {settings.min_score:g})."]
    serious = [item for item in grade.findings if item.severity != "info"] or list(grade.findings)
    lines += [f"  {show(item.message)} {show(item.remedy)}" for item in serious[:3]]
    return HookVerdict(tuple(lines), False, settings.strict)


def install_hooks(git: Git, *, progress: Callable[[int], None] | None = None) -> list[str]:
    """Installs the hooks where git will look for them, and reads the history for their drafts, of
    which `progress` is told; a sentence for each thing done."""
    from gitnotes.index import fill_index
    from gitnotes.write.installer import install

    if git.config("core.hooksPath") == "":
        raise InputError(
            "core.hooksPath is set to nothing, so git runs no hooks here.",
            "Run: git config --unset core.hooksPath",
        )
    done = [show(str(action)) for action in install(git.path("hooks"))]
    # The hook itself has no time to read thousands of commits, so it only adds to what is there.
    fill_index(git, progress=progress)
    return done


def uninstall_hooks(git: Git) -> list[str]:
    """Removes the hooks and restores what was there; a sentence for each thing done."""
    from gitnotes.write.installer import uninstall

    return [show(str(action)) for action in uninstall(git.path("hooks"))]
