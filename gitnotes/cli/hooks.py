"""install, uninstall, hook: how does git call gitnotes?"""

from __future__ import annotations

from typing import Annotated

import typer


def install(context: typer.Context) -> None:
    """Install the git hooks that suggest and grade messages.

    A hook that is there already goes on working; `gitnotes uninstall` restores it byte for byte.
    """
    from gitnotes.read.git import open_git
    from gitnotes.recipes import hooking
    from gitnotes.show import console

    with console.counting("Reading earlier commits, once:") as progress:
        lines = hooking.install_hooks(open_git(context.obj.folder), progress=progress)
    for line in lines:
        console.write(line)


def uninstall(context: typer.Context) -> None:
    """Remove the git hooks and restore what was there before."""
    from gitnotes.read.git import open_git
    from gitnotes.recipes import hooking
    from gitnotes.show import console

    for line in hooking.uninstall_hooks(open_git(context.obj.folder)):
        console.write(line)


def hook(
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="NAME FILE [SOURCE [SHA]]", help="What git passes.")
    ] = None,
) -> None:
    """What git calls when a message is prepared or written.

    NAME is prepare-commit-msg or commit-msg.

    A failure is one line on stderr and exit code 0, unless --strict stands before FILE.
    """
    # Reached only behind an option such as -C; `gitnotes hook` itself never loads Typer.
    from gitnotes.hook import main

    raise typer.Exit(main(list(arguments or [])))
