"""evaluate: which drafter comes nearest to what people write here?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def evaluate(
    context: typer.Context,
    last: Annotated[int, typer.Option("--last", metavar="N", min=1, help="Newest commits of people.")] = 200,
    drafters: Annotated[
        str,
        typer.Option(
            "--drafters",
            metavar="NAMES",
            help="With commas; models as local:PATH. [default: all without]",
        ),
    ] = "",
    against: Annotated[
        list[Path] | None,
        typer.Option("--against", metavar="FILE", help="Another tool's drafts: sha and message."),
    ] = None,
    feedback: Annotated[
        bool, typer.Option("--feedback", help="Show what became of suggestions made here, by month.")
    ] = False,
    set_it: Annotated[
        bool, typer.Option("--set", help="Make the recommended drafter that of this repository.")
    ] = False,
    rows: Annotated[bool, typer.Option("--rows", help="With --json: also every draft.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Draft the newest commits anew, beside what people wrote.

    Each commit is drafted from what came before it. The first drafter is what the others are compared
    with, commit by commit; a difference whose interval is above 0 is a sure one.

    Examples: gitnotes evaluate; gitnotes evaluate --last 100 --drafters best,local:./adapter
    """
    from gitnotes.customs import repository_settings
    from gitnotes.errors import UsageError
    from gitnotes.guard.text import shorten
    from gitnotes.read.git import open_git
    from gitnotes.recipes import evaluating
    from gitnotes.recipes.collecting import name_repository
    from gitnotes.show import console, evaluations, learning

    if rows and not json:
        raise UsageError("--rows goes with --json.", "Add --json.")
    if feedback and (against or drafters or set_it or rows):
        raise UsageError("With --feedback nothing is drafted.", "Leave the other options out.")
    git = open_git(context.obj.folder)
    if feedback:
        from gitnotes.recipes.feedback import read_months

        months = read_months(git)
        console.write(evaluations.months_json(months) if json else evaluations.months_text(months))
        return
    names = [name.strip() for name in drafters.split(",") if name.strip()] or list(evaluating.DEFAULT)
    with learning.Counting("commits") as counting:
        found = evaluating.evaluate_drafters(
            git,
            repository_settings(git),
            names,
            last=last,
            against=against or [],
            name=name_repository(git, str(context.obj.folder or ".")),
            watch=counting.update,
        )
    console.write(
        evaluations.evaluation_json(found, rows=rows) if json else evaluations.evaluation_text(found)
    )
    if set_it and found.recommended:
        if ":" in found.recommended:
            # What a repository's own file says must not load a model on everybody's machine.
            console.note(f"gitnotes: use it with --model {shorten(found.recommended)}; nothing was set.")
            return
        where = evaluating.set_drafter(git, found.recommended)
        console.note(f"gitnotes: {found.recommended} is now the drafter in {where}.")
