"""Which verbs are there, and what holds for all of them?"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from gitnotes.cli import correlating, drafting, grading, hooks, scoring, showing, showing_change
from gitnotes.errors import UsageError
from gitnotes.guard.text import show

app = typer.Typer(
    name="gitnotes",
    help="Drafts, grades and writes commit messages and release notes, checked against the change itself.",
    # Not no_args_is_help: what it raises differs between versions of click.
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 fine, 1 below the bar, 2 usage, 3 git or input cannot be judged, 4 model, 130 "
    "interrupted.",
)
app.command("suggest")(drafting.suggest)
app.command("grade")(grading.grade)
app.command("release")(drafting.release)
app.command("show-change")(showing_change.show_change)
app.command("show-tree")(showing.show_tree)
app.command("score")(scoring.score)
app.command("correlate")(correlating.correlate)
app.command("install")(hooks.install)
app.command("uninstall")(hooks.uninstall)
app.command("hook", context_settings={"ignore_unknown_options": True})(hooks.hook)


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

        typer.echo(f"gitnotes {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    folder: Annotated[
        Path | None, typer.Option("-C", metavar="FOLDER", help="Work in the repository at FOLDER.")
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    context.obj = Place(folder)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run_app(arguments: list[str]) -> int:
    """Runs the command line; raises GitnotesError, never exits."""
    command = typer.main.get_command(app)
    try:
        code = command.main(args=arguments, prog_name="gitnotes", standalone_mode=False)
    except CLICK_ERROR as problem:
        verb = problem.ctx.command_path if getattr(problem, "ctx", None) else "gitnotes"
        raise UsageError(show(problem.format_message()), f"See: {verb} --help") from problem
    except SystemExit as stop:
        # click's answer to a reader that has left is exit code 1, which here means a low grade.
        if type(sys.stdout).__name__ == "PacifyFlushWrapper":
            sys.stdout = sys.__stdout__
            raise BrokenPipeError from stop
        raise
    except typer.Abort as problem:
        raise KeyboardInterrupt from problem
    return code if isinstance(code, int) else 0
