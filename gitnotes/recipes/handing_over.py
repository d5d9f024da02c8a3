"""How is `git commit` run with us in the place of its editor, and when is it none of our business?

So everything that git can do with a commit works as it does without us: -a, -p, paths, --amend, -s,
templates, hooks. What brings its message, like -m or --fixup, is git's alone.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from gitnotes.errors import InputError, UsageError
from gitnotes.read.git import Git

OPTIONS = "GITNOTES_COMMIT"
"""The variable that hands our options to the process that git starts as its editor."""
_TAKEN = ("--message", "--file", "--reuse-message", "--no-edit", "--fixup", "--squash")
"""Options of git that bring the message, so that nothing is left to choose; git takes them cut short, too."""
_SHORT = re.compile(r"-[aepsnvqioz]*[mFC]")
"""The same in one word with others, as in -am."""
_TEMPLATE = re.compile(r"-[aepsnvqioz]*t")
_START = (
    "import sys; sys.path[:] = [*filter(None, sys.path), sys.argv.pop(1)]; "
    "from gitnotes.__main__ import main; main()"
)
"""How Python starts us: `-m` would import from the current folder, which is what somebody else wrote."""
_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked `gitnotes commit` for."""

    why: str = ""
    amend: bool = False
    resume: bool = False
    editor: str = ""
    """The editor that git would have opened."""
    template: str = ""
    """The file that git begins the message with, where the command names one."""
    model: str | None = None
    """The model that drafts as well."""
    named_model: bool = False
    """Whether the command names it, rather than a setting."""


def brings_message(arguments: Sequence[str]) -> str:
    """The option among the arguments of `git commit` that brings the message; empty when none does."""
    for argument in _before_paths(arguments):
        name = argument.partition("=")[0]
        if _SHORT.match(argument) or any(_stands_for(name, option) for option in _TAKEN):
            return name
    return ""


def run_commit(git: Git, options: Options, arguments: Sequence[str]) -> int:
    """`git commit ARGUMENTS` with us as the editor, or as it is where the arguments bring a message.

    The exit code is git's; 1 when the user gives up. Raises UsageError for options of ours that would
    do nothing, InputError when nothing was kept to resume.
    """
    if name := brings_message(arguments):
        if options.why or options.resume or options.named_model:
            raise UsageError(
                f"With {name} there is no message to choose.", "Leave out --why, --model and --resume."
            )
        return hand_over(git, "commit", *arguments)
    kept = kept_file(git)
    if options.resume and not kept.is_file():
        raise InputError("No text was kept.", "Leave out --resume.")
    known = json.dumps(
        {
            "why": options.why,
            "amend": any(_stands_for(argument, "--amend") for argument in _before_paths(arguments)),
            "resume": options.resume,
            "model": options.model,
            "template": _named_template(git, arguments),
            "editor": git.text("var", "GIT_EDITOR"),
        }
    )
    before = git.find("HEAD")
    with suppress(OSError):
        _quit_file(git).unlink()
    code = hand_over(
        git,
        "-c",
        "advice.waitingForEditor=false",
        "commit",
        *arguments,
        variables={OPTIONS: known, "GIT_EDITOR": _editor()},
    )
    if code == 0 and git.find("HEAD") != before:  # --dry-run and its kind make no commit
        with suppress(OSError):
            kept.unlink()
    with suppress(OSError):
        _quit_file(git).unlink()
        return 1
    return code


def give_up(git: Git) -> int:
    """Notes that the user wants no commit; the exit code for git's editor, on which git ends silently.

    That of an interrupt: any other makes git complain of the editor and explain how to do without.
    """
    place = _quit_file(git)
    with suppress(OSError):
        place.parent.mkdir(exist_ok=True)
        place.touch()
    return _INTERRUPTED


def hand_over(git: Git, *arguments: str, variables: dict[str, str] | None = None) -> int:
    """Runs `git ARGUMENTS` on the terminal; the exit code that a shell would give it.

    Ctrl-C is the business of git and of the editor that it starts: to some editors it is a key like
    others, and a git that is killed leaves its locks behind.
    """
    ours = signal.getsignal(signal.SIGINT)
    if ours is not signal.SIG_IGN:  # which git would inherit, unlike a handler
        signal.signal(signal.SIGINT, lambda *_: None)
    try:
        code = git.hand_over(*arguments, variables=variables)
    finally:
        signal.signal(signal.SIGINT, ours)
    return code if code >= 0 else 128 - code


def _editor() -> str:
    """The command that makes us git's editor, which git starts in the work tree."""
    home = os.fspath(Path(__file__).resolve().parents[2])
    words = [sys.executable, "-c", _START, home, "choose-message"]
    # A shell that waited for us would die of a Ctrl-C that was meant for the user's own editor.
    return "exec " + " ".join(map(shlex.quote, words))


def _stands_for(argument: str, option: str) -> bool:
    """Whether git may read `argument` as its long `option`, which may be cut short."""
    return len(argument) > 2 and option.startswith(argument)


def _before_paths(arguments: Sequence[str]) -> Iterator[str]:
    return takewhile(lambda argument: argument != "--", arguments)


def has_kept_text(git: Git) -> bool:
    """Whether a text waits for `gitnotes commit --resume`."""
    return kept_file(git).is_file()


def read_options() -> Options:
    """The options that `run_commit` handed on. Raises UsageError when it is not git that called us."""
    try:
        known = json.loads(os.environ[OPTIONS])
        return Options(
            why=str(known["why"]),
            amend=bool(known["amend"]),
            resume=bool(known["resume"]),
            editor=str(known["editor"]),
            template=str(known["template"]),
            model=known["model"] and str(known["model"]),
        )
    except (KeyError, TypeError, ValueError):
        raise UsageError("This is what git runs as its editor.", "Run: gitnotes commit") from None


def kept_file(git: Git) -> Path:
    return git.path("gitnotes/message")


def _quit_file(git: Git) -> Path:
    return git.path("gitnotes/quit")


def _named_template(git: Git, arguments: Sequence[str]) -> str:
    """The template that the command names, else the configuration, as git finds it; empty for none."""
    named = ""
    following = iter(_before_paths(arguments))
    for argument in following:
        name, equals, value = argument.partition("=")
        if len(name) > 4 and _stands_for(name, "--template"):
            named = value if equals else next(following, "")
        elif _TEMPLATE.match(argument):
            named = _TEMPLATE.sub("", argument) or next(following, "")
    if not named:
        return git.text("config", "--path", "--get", "commit.template", ok=(0, 1))
    # git looks for it in the folder that it was called in, and starts its editor at the top.
    return str(Path(git.text("rev-parse", "--show-prefix")) / named)
