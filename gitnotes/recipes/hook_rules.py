"""Does a message keep the rules of form, where its change is not to be looked at?

Kept apart from hooking.py, since what reads and grades changes takes longer to import than this to run.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from gitnotes.customs import committing_author, read_habits, read_stored_message, repository_settings
from gitnotes.guard.text import show
from gitnotes.read.git import open_git

_MOST = 3
"""Findings that are shown."""


class HookVerdict(NamedTuple):
    """What a hook has to say: lines that are safe to print, and whether the message is good enough."""

    lines: tuple[str, ...]
    passed: bool
    strict: bool = False
    """Whether the settings ask to refuse a message that did not pass."""


def check_rules(path: Path) -> HookVerdict:
    """Holds the message that git will store of its message file to the rules; an error is a bad breach."""
    from gitnotes.form import form_settings
    from gitnotes.grade.rules import check_form
    from gitnotes.write.message_file import is_empty

    git = open_git(light=True)
    message = read_stored_message(git, path)
    settings = repository_settings(git)
    # The file that git hands to a hook lies in git's own folder; to ask git for it takes a process.
    if is_empty(message) or (path.parent / "MERGE_HEAD").exists():
        return HookVerdict((), True)
    habits = read_habits(git, settings, "HEAD")
    author = committing_author()
    paths = git.text("diff", "--cached", "--name-only", "-z").split("\0") if settings.overrides else []
    asked = form_settings(
        settings, settings.elsewhere, author=author, paths=[name for name in paths if name], habits=habits
    )
    found = check_form(message, settings=asked, conventional=habits.conventional, author=author)
    errors = [item for item in found if item.severity == "error"]
    if not errors:
        return HookVerdict((), True)
    lines = [f"gitnotes: this message breaks {len(errors)} rule{'s' * (len(errors) > 1)}."]
    lines += [f"  {item.rule}: {show(item.message)} {show(item.remedy)}" for item in errors[:_MOST]]
    return HookVerdict(tuple(lines), False, settings.strict)
