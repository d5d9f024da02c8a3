"""doctor: does everything work here, and how is the rest mended?"""

from __future__ import annotations

from typing import Annotated

import typer


def doctor(
    context: typer.Context,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check what gitnotes needs here, and say how to mend it.

    That is git, hooks, settings, history, models and server. Nothing is changed, and nothing leaves
    this machine. The exit code is 1 when there is a problem; what is merely not set up is a note.

    Examples: gitnotes doctor; gitnotes doctor --json
    """
    from gitnotes.recipes.doctor import examine
    from gitnotes.show import console
    from gitnotes.show import doctor as showing

    checks = examine(context.obj.folder)
    console.write(showing.doctor_json(checks) if json else showing.doctor_text(checks))
    if showing.count_problems(checks):
        raise typer.Exit(1)
