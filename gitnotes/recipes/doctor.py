"""Does everything that gitnotes needs work here, and how is what does not work mended?

Nothing is changed and nothing leaves the machine. A check never says more than it saw: a hook is
called fine only where git itself would look for it and run it.
"""

from __future__ import annotations

import os
import platform
import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gitnotes.errors import BareRepository, GitError, GitnotesError, NotARepository
from gitnotes.guard.text import show
from gitnotes.read.git import Git, open_git

Status = Literal["ok", "note", "problem"]
OLDEST_GIT = (2, 30)
"""git rev-parse knows --end-of-options from here on, without which names could be options."""


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, what was found, and for a problem how to mend it."""

    area: str
    status: Status
    sentence: str
    remedy: str = ""


def examine(folder: Path | None) -> list[Check]:
    """Every check, in the order in which they depend on each other; nothing is raised but UsageError."""
    from gitnotes.recipes.hook_state import check_hooks
    from gitnotes.recipes.model_state import check_models

    checks = [_check_python()]
    git = open_git(folder, light=True)
    checks += _guarded("git", lambda: _check_git(git))
    if checks[-1].status == "problem":
        return checks
    place, here = _check_repository(git)
    checks.append(place)
    if here:
        checks += _guarded("hooks", lambda: check_hooks(git))
    checks += _guarded("settings", lambda: _check_settings(git if here else None))
    if here:
        checks += _guarded("history", lambda: _check_index(git))
        checks += _guarded("kept text", lambda: _check_kept(git))
    checks += _guarded("models", lambda: check_models(git if here else None))
    return checks


def _guarded(area: str, check: Callable[[], Iterator[Check]]) -> list[Check]:
    """The checks; one that fails is a finding itself, and stops no other."""
    found: list[Check] = []
    try:
        for item in check():
            found.append(item)
    except GitnotesError as problem:
        found.append(Check(area, "problem", problem.message, problem.hint))
    except (OSError, sqlite3.Error) as problem:
        found.append(Check(area, "problem", f"It cannot be looked at: {show(str(problem))}."))
    return found


def _check_python() -> Check:
    from gitnotes import __version__
    from gitnotes.recipes.build import built_from

    commit = built_from()
    made = f" (commit {commit})" if commit else ""
    return Check("gitnotes", "ok", f"{__version__}{made}, Python {platform.python_version()}.")


def _check_git(git: Git) -> Iterator[Check]:
    said = git.text("--version")
    found = re.search(r"(\d+)\.(\d+)", said)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    if version < OLDEST_GIT:
        wanted = ".".join(map(str, OLDEST_GIT))
        yield Check("git", "problem", f"{show(said)} is too old.", f"Install git {wanted} or newer.")
    else:
        yield Check("git", "ok", f"{show(said)}.")


def _check_repository(git: Git) -> tuple[Check, bool]:
    """What repository this is, and whether there is one to look at."""
    try:
        top = git.top()
    except NotARepository as problem:
        return Check(
            "repository", "note", problem.message, "Its hooks and settings were not looked at."
        ), False
    except BareRepository:
        return Check("repository", "note", "It has no work tree, so nobody commits here."), True
    except GitError as problem:
        return Check("repository", "problem", problem.message, problem.hint), False
    kinds = []
    if git.path("HEAD").parent != git.common_folder():
        kinds.append("a linked work tree; hooks, settings and index are those of all of them")
    if git.is_shallow():
        kinds.append("shallow, so ranges that reach its edge cannot be judged")
    return Check("repository", "ok", f"{show(str(top))}{': ' if kinds else ''}{'; '.join(kinds)}."), True


def _check_settings(git: Git | None) -> Iterator[Check]:
    from gitnotes.recipes.configuring import read_configuration

    found = read_configuration(git)
    places = dict.fromkeys(item.place for entry in found.entries for item in entry.said)
    where = f"They come from: {', '.join(map(show, places))}." if places else "All are the defaults."
    yield Check("settings", "ok", where)
    for item in found.settings.refused:
        sentence = f"{item.name} in {show(item.place)} does not count: {item.reason}."
        yield Check("settings", "note", sentence, f"See: gitnotes config explain {item.name}")
    elsewhere = found.settings.elsewhere
    if elsewhere:
        yield Check("settings", "ok", f"{', '.join(map(show, elsewhere.sources))} counts as well.")
        for note in elsewhere.notes:
            yield Check("settings", "note", show(note), "Say it in .gitnotes.toml, if it matters here.")
    if git is not None:
        from gitnotes.read.ignoring import NAME, read_ignore_patterns

        patterns = read_ignore_patterns(git)
        if patterns:
            yield Check("settings", "ok", f"{NAME} leaves out what its {len(patterns)} patterns name.")
    for variable in ("GITNOTES_SKIP", "SKIP", "GITNOTES_STRICT", "GITNOTES_TIMEOUT"):
        value = os.environ.get(variable, "")
        if value not in ("", "0") and (variable != "SKIP" or "gitnotes" in value):
            yield Check(
                "settings", "note", f"{variable}={show(value)[:60]} is set, and the hooks heed it.",
                f"If that is not meant: unset {variable}",
            )  # fmt: skip


def _check_index(git: Git) -> Iterator[Check]:
    from gitnotes.index import count_indexed

    head = git.head()
    if head is None:
        yield Check("history", "note", "There is no commit yet to learn from.")
        return
    count, is_current = count_indexed(git, head)
    if count == 0:
        yield Check(
            "history", "note", "No commits are indexed, so the hook drafts from the change alone.",
            "Run: gitnotes install, or gitnotes suggest once",
        )  # fmt: skip
    else:
        state = "and HEAD is one of them" if is_current else "what came since is added by the next draft"
        indexed = "1 commit is indexed" if count == 1 else f"{count:,} commits are indexed"
        yield Check("history", "ok", f"{indexed}, {state}.")


def _check_kept(git: Git) -> Iterator[Check]:
    from gitnotes.recipes.handing_over import has_kept_text

    if has_kept_text(git):
        yield Check(
            "kept text", "note", "A text that was not committed is kept.", "Run: gitnotes commit --resume"
        )
