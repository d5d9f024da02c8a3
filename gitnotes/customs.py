"""Which customs does a repository keep, as far as its settings and its history tell?"""

from __future__ import annotations

import dataclasses
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gitnotes.config import Settings, load_settings, wants_conventional
from gitnotes.conventional import RECENT, Habits, learn_habits
from gitnotes.errors import BareRepository, InputError
from gitnotes.guard.text import show
from gitnotes.read.git import Git

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitnotes.draft.style import Style
    from gitnotes.records import Commit
    from gitnotes.write.message_file import Cleanup

MAX_MESSAGE = 1 << 20
"""Bytes of a message that are read."""
MAX_INPUT = 100 << 20
"""Bytes of another file that are read."""


class MessageCustoms(NamedTuple):
    """What git is told about message files; None where it is told nothing."""

    comment: str | None
    cleanup: str | None
    encoding: str


GIT_DEFAULTS = MessageCustoms(None, None, "utf-8")


def message_customs(git: Git) -> MessageCustoms:
    """What the settings of the repository say about message files."""
    found = dict(git.settings())
    return MessageCustoms(
        comment=found.get("core.commentstring") or found.get("core.commentchar"),
        cleanup=found.get("commit.cleanup"),
        encoding=found.get("i18n.commitencoding") or "utf-8",
    )


def read_input(path: Path, limit: int = MAX_INPUT) -> bytes:
    """The bytes of a file or pipe that a person named.

    Raises InputError when it cannot be read, or when it does not end within `limit` bytes.
    """
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(
            f"{show(str(path))} cannot be read: {reason}.", "Name a file that exists."
        ) from problem
    if len(data) > limit:
        raise InputError(f"{show(str(path))} is larger than {limit >> 20} MB.", "Shorten it.")
    return data


def read_standard_input(limit: int = MAX_INPUT) -> bytes:
    """Standard input to its end; raises InputError when it is closed, unreadable or longer than `limit`."""
    # Python has none when it was closed before the start, whatever its types say.
    stdin: Any = sys.stdin
    if stdin is None:
        raise InputError("Standard input is closed.", "Pipe the text into it, or name a file.")
    try:
        data: bytes = stdin.buffer.read(limit + 1)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(f"Standard input cannot be read: {reason}.", "Name a file instead.") from problem
    if len(data) > limit:
        raise InputError(f"Standard input is larger than {limit >> 20} MB.", "Shorten it.")
    return data


def find_top(git: Git) -> Path | None:
    """The top of the work tree; None in a bare repository."""
    try:
        return git.top()
    except BareRepository:
        return None


def git_settings(git: Git) -> list[tuple[str, str | None]]:
    """What git's own configuration says of gitnotes: keys and values, None for a key that has none."""
    return [(key, value) for key, value in git.settings() if key.startswith("gitnotes.")]


def repository_settings(git: Git) -> Settings:
    """The settings that hold in the repository, with what other tools are told there.

    Raises UsageError for a setting that makes no sense.
    """
    from gitnotes.read.conventions import read_conventions

    top = find_top(git)
    settings = load_settings(top, git_values=git_settings(git))
    if top is None or not settings.conventions:
        return settings
    return dataclasses.replace(settings, elsewhere=read_conventions(top))


def next_author(git: Git) -> str:
    """Who will be the author of a commit that is made now, as "Name <email>"; empty where git knows none."""
    ident = git.run("var", "GIT_AUTHOR_IDENT", ok=(0, 128)).decode("utf-8", "replace")
    return ident[: ident.rfind(">") + 1]


def read_stored_message(git: Git | None, path: Path) -> str:
    """The message that git will store of the message file at `path`, by the customs of the repository.

    Raises InputError when the file is not there, holds NUL, or cannot be decoded.
    """
    editor = os.environ.get("GIT_EDITOR") != ":"
    return clean_message(git, read_input(path, MAX_MESSAGE), editor=editor)


def clean_message(git: Git | None, data: bytes, *, editor: bool) -> str:
    """The message that git will store of `data`, with or without an `editor` in which comments go.

    Raises InputError when it holds NUL, or cannot be decoded.
    """
    from gitnotes.write.message_file import cleanup_mode, comment_string, stored_text

    customs = message_customs(git) if git else GIT_DEFAULTS
    comment = comment_string(data, customs.comment)
    cleanup: Cleanup = cleanup_mode(data, comment, customs.cleanup, editor=editor)
    return stored_text(data, comment, cleanup, customs.encoding)


def committing_author() -> str:
    """Who is about to commit, "Name <email>", as git tells its hooks; empty outside of one."""
    name, email = os.environ.get("GIT_AUTHOR_NAME", ""), os.environ.get("GIT_AUTHOR_EMAIL", "")
    return f"{name} <{email}>" if name else ""


def learn_repository_style(
    git: Git, settings: Settings, *, before: str, recent: Sequence[Commit] = ()
) -> Style:
    """How the commits up to `before` are written, as far as the settings leave it open.

    `recent` are the newest of them, with their files, where they were read already.
    """
    from gitnotes.draft.style import learn_style
    from gitnotes.read.history import read_recent

    style = learn_style(recent or read_recent(git, before, settings.history, files=True))
    wanted = wants_conventional(settings)
    style = style if wanted is None else dataclasses.replace(style, conventional=wanted)
    if style.conventional:
        from gitnotes.read.workspaces import read_workspaces

        with suppress(BareRepository):
            style = dataclasses.replace(style, members=read_workspaces(git.top()))
    return style


def keeps_conventional(git: Git, settings: Settings, revision: str) -> bool:
    """Whether the commits up to `revision` keep to Conventional Commits, or are to."""
    wanted = wants_conventional(settings)
    return read_habits(git, settings, revision).conventional if wanted is None else wanted


def read_habits(git: Git, settings: Settings, revision: str) -> Habits:
    """What the subjects up to `revision` have in common, as far as the settings leave it open."""
    from gitnotes.read.subjects import read_subjects

    habits = learn_habits(read_subjects(git, revision, min(settings.history, RECENT)))
    wanted = wants_conventional(settings)
    return habits if wanted is None else habits._replace(conventional=wanted)
