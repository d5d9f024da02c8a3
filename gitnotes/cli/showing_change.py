"""show-change: what does the tool see of a change?"""

from __future__ import annotations

from typing import Annotated

import typer


def show_change(
    context: typer.Context,
    revision: Annotated[
        str | None, typer.Argument(metavar="[REV]", show_default=False, help="Show what this commit did.")
    ] = None,
    staged: Annotated[
        bool, typer.Option("--staged", help="Show what is staged; so does no argument at all.")
    ] = False,
    copies: Annotated[
        bool, typer.Option("--copies", help="Also look for copies among the changed files.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the Change record as JSON.")] = False,
) -> None:
    """Print what gitnotes sees of a change.

    The staged one, or what the commit REV did, as the drafter and the grader get it.

    Everything that was not read is listed with the reason.

    Examples: gitnotes show-change; gitnotes show-change HEAD~2 --json
    """
    from gitnotes.changes import read_change
    from gitnotes.errors import UsageError
    from gitnotes.read.git import open_git
    from gitnotes.show import changes, console

    if revision is not None and staged:
        raise UsageError("REV and --staged exclude each other.", "Choose one.")
    change = read_change(open_git(context.obj.folder), revision, copies=copies)
    if json:
        console.write(changes.change_json(change))
    else:
        changes.write_change(change)
