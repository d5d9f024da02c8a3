"""How is it remembered, on this machine and only if wanted, what became of suggestions?

`git config gitnotes.feedback true` in a repository says that it is wanted there.
"""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

from gitnotes.errors import CannotJudge
from gitnotes.learn.feedback import Month, Suggestion, Verdict, as_line, by_month, judge, read_lines
from gitnotes.read.git import Git

_KEY = "gitnotes.feedback"
_MAX_FILE = 16 << 20
"""Bytes of the file that are read, and beyond which nothing more is written."""


def is_wanted(git: Git) -> bool:
    """Whether the user has asked, in this repository's own settings, that suggestions are remembered."""
    if _KEY not in dict(git.settings()):
        return False
    told = git.text("config", "--local", "--type=bool", "--get", _KEY, ok=(0, 1, 128))
    return told == "true"


def remember_suggestion(git: Git, text: str, drafter: str) -> bool:
    """Writes down that `text` was suggested for what is staged; False when it is not wanted.

    Never raises for the file: a suggestion is worth more than the memory of it.
    """
    if not is_wanted(git):
        return False
    place = _file(git)
    line = as_line(Suggestion(int(time.time()), git.head() or "", text, drafter))
    with suppress(OSError):
        place.parent.mkdir(exist_ok=True)
        if not place.exists() or (place.is_file() and place.stat().st_size < _MAX_FILE):
            with place.open("a", encoding="utf-8") as file:
                file.write(line)
            return True
    return False


def read_verdicts(git: Git) -> list[Verdict]:
    """What became of the suggestions in this repository, oldest first.

    Raises CannotJudge when none was remembered, saying how to ask for it.
    """
    from gitnotes.read.history import stream_messages

    suggestions: list[Suggestion] = []
    place = _file(git)
    if place.is_file():  # a pipe would be waited for
        with suppress(OSError), place.open(encoding="utf-8", errors="replace") as file:
            suggestions = read_lines(file.read(_MAX_FILE))
    if not suggestions:
        hint = (
            "Those of the hook and of `gitnotes commit` are, from now on."
            if is_wanted(git)
            else "It is only done when you ask for it: git config gitnotes.feedback true"
        )
        raise CannotJudge("No suggestion was remembered here.", hint)
    since = min(item.time for item in suggestions)
    children: dict[str, list[tuple[str, int, str]]] = defaultdict(list)
    for commit, _ in stream_messages(git, [f"--since={since - 86_400}", "--all"]):
        for parent in commit.parents[:1] or ("",):
            children[parent].append((commit.sha, commit.time, commit.subject))
    return judge(suggestions, {parent: tuple(found) for parent, found in children.items()})


def read_months(git: Git) -> list[Month]:
    """How many suggestions were kept and edited, by month. Raises CannotJudge, see `read_verdicts`."""
    return by_month(read_verdicts(git))


def suggested_commits(git: Git) -> list[str]:
    """The commits for which a message was suggested. Raises CannotJudge, see `read_verdicts`."""
    return [item.sha for item in read_verdicts(git)]


def _file(git: Git) -> Path:
    return git.common_folder() / "gitnotes" / "feedback.jsonl"
