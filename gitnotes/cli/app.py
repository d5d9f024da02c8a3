"""Which verbs are there, and what holds for all of them?"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from gitnotes.errors import UsageError
from gitnotes.guard.text import show

VERBS = {
    "commit": "gitnotes.cli.committing:commit",
    "suggest": "gitnotes.cli.drafting:suggest",
    "grade": "gitnotes.cli.grading:grade",
    "improve": "gitnotes.cli.improving:improve",
    "judge-check": "gitnotes.cli.judging:judge_check",
    "release": "gitnotes.cli.releasing:release",
    "dataset": "gitnotes.cli.dataset:dataset",
    "train": "gitnotes.cli.training:train",
    "evaluate": "gitnotes.cli.evaluating:evaluate",
    "models": "gitnotes.cli.models:models",
    "consent": "gitnotes.cli.consenting:consent",
    "config": "gitnotes.cli.configuring:config",
    "doctor": "gitnotes.cli.doctoring:doctor",
    "install": "gitnotes.cli.hooks:install",
    "uninstall": "gitnotes.cli.hooks:uninstall",
    "hook": "gitnotes.cli.hooks:hook",
    "choose-message": "gitnotes.cli.committing:choose_message",
    "show-change": "gitnotes.cli.showing_change:show_change",
    "show-tree": "gitnotes.cli.showing:show_tree",
    "score": "gitnotes.cli.scoring:score",
    "correlate": "gitnotes.cli.correlating:correlate",
}
"""Verb to `module:function`, in the order of the help; a module is imported when its verb is wanted."""

_PASSES_ON: dict[str, dict[str, Any]] = {
    "hook": {"ignore_unknown_options": True},
    # Of -m"Fix the path" click would take the h for help.
    "commit": {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": ["--help"]},
}
_HIDDEN = frozenset(["choose-message"])
"""Verbs that git calls, not people."""

_FIRST = {"-C": "-C FOLDER", "--quiet": "--quiet", "--verbose": "--verbose"}
"""Options that hold for all verbs, and how they are written."""

# Typer uses click, or its own copy of it, depending on its version; the classes of what it raises
# are found through the one that it exports: BadParameter is a UsageError is a ClickException.
CLICK_ERROR: Any = typer.BadParameter.__mro__[2]


@dataclass(frozen=True, slots=True)
class Place:
    """Which repository the command is about; None is the one that the current folder is in."""

    folder: Path | None


def _print_version(wanted: bool) -> None:
    if wanted:
        from gitnotes import __version__
        from gitnotes.recipes.build import built_from

        commit = built_from()
        typer.echo(f"gitnotes {__version__}" + (f" (commit {commit})" if commit else ""))
        raise typer.Exit


def root(
    context: typer.Context,
    folder: Annotated[
        Path | None, typer.Option("-C", metavar="FOLDER", help="Work in the repository at FOLDER.")
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Leave out hints, notes and progress; results and errors stay.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Say which git commands are run, and when.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    context.obj = Place(folder)
    if quiet and verbose:
        raise UsageError("--quiet and --verbose exclude each other.", "Give one of them.")
    if quiet or verbose:
        from gitnotes.show import console

        console.be_quiet() if quiet else console.tell_commands()
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def make_app(verbs: Iterable[str]) -> typer.Typer:
    """The command line with only those verbs, since each costs a few milliseconds to set up."""
    app = typer.Typer(
        name="gitnotes",
        help="Drafts, grades and writes commit messages and release notes, "
        "checked against the change itself.",
        # Not no_args_is_help: what it raises differs between versions of click.
        invoke_without_command=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Exit codes: 0 fine, 1 below the bar, 2 usage, 3 git or input cannot be judged, "
        "4 model, 130 interrupted.",
    )
    app.callback()(root)
    for verb in verbs:
        module, _, function = VERBS[verb].partition(":")
        settings = _PASSES_ON.get(verb, {})
        app.command(verb, context_settings=settings, hidden=verb in _HIDDEN)(
            getattr(import_module(module), function)
        )
    return app


def _wanted(arguments: list[str]) -> Iterable[str]:
    """The verb that the arguments call; all of them when it is not plain, or help is wanted."""
    rest = iter(arguments)
    for word in rest:
        if word == "-C":
            next(rest, None)
        elif word not in _FIRST:
            # What completes a line in the shell needs to know them all.
            return [word] if word in VERBS and "_GITNOTES_COMPLETE" not in os.environ else VERBS
    return VERBS


def _name_judge(arguments: list[str]) -> list[str]:
    """A bare `--judge` means a model, since an option of Typer always has a value or never."""
    named = []
    for place, word in enumerate(arguments):
        following = arguments[place + 1] if place + 1 < len(arguments) else ""
        named.append(
            "--judge=model"
            if word == "--judge" and following not in ("model", "pair", "likelihood")
            else word
        )
    return named


def _keep_for_git(arguments: list[str]) -> list[str]:
    """What `gitnotes commit` hands on, so that click does: `--` twice, as click takes one away and git
    would read the paths as options; -h, which is no letter among others, as --help."""
    if list(_wanted(arguments)) != ["commit"]:
        return arguments
    place = arguments.index("--") if "--" in arguments else len(arguments)
    ours = ["--help" if word == "-h" else word for word in arguments[:place]]
    return [*ours, *["--"] * ("--" in arguments), *arguments[place:]]


def run_app(arguments: list[str]) -> int:
    """Runs the command line; raises GitnotesError, never exits."""
    arguments = _keep_for_git(_name_judge(arguments))
    command = typer.main.get_command(make_app(_wanted(arguments)))
    try:
        code = command.main(args=arguments, prog_name="gitnotes", standalone_mode=False)
    except CLICK_ERROR as problem:
        verb = problem.ctx.command_path if getattr(problem, "ctx", None) else "gitnotes"
        message = show(problem.format_message())
        misplaced = _FIRST.get(message.removeprefix("No such option: ").partition(" ")[0])
        if misplaced:
            raise UsageError(f"{misplaced} stands before the command.", f"See: {verb} --help") from problem
        raise UsageError(
            message if message[-1:] in ".?" else f"{message}.", f"See: {verb} --help"
        ) from problem
    except SystemExit as stop:
        # click's answer to a reader that has left is exit code 1, which here means a low grade.
        if type(sys.stdout).__name__ == "PacifyFlushWrapper":
            sys.stdout = sys.__stdout__
            raise BrokenPipeError from stop
        raise
    except typer.Abort as problem:
        raise KeyboardInterrupt from problem
    return code if isinstance(code, int) else 0
