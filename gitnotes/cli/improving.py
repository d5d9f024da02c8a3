"""improve: which better message would this change have?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gitnotes.config import Settings
    from gitnotes.read.git import Git


def improve(
    context: typer.Context,
    versions: Annotated[
        str | None, typer.Argument(metavar="[RANGE]", help="A..B, A.. (up to HEAD), one tag, unreleased.")
    ] = None,
    message: Annotated[
        str | None, typer.Option("-m", "--message", metavar="TEXT", help="Mend this text.")
    ] = None,
    message_file: Annotated[
        Path | None,
        typer.Option(
            "--message-file", metavar="FILE", readable=False, help="Mend what git would store of this file."
        ),
    ] = None,
    stdin: Annotated[bool, typer.Option("--stdin", help="Mend the text on standard input.")] = False,
    minimum: Annotated[
        float | None,
        typer.Option("--min", min=0, max=100, metavar="N", help="The bar; min_score of the settings."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FOLDER", help="Write the plan there, for `git rebase`."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Improve your own draft, or the poor messages of a range.

    A text is mended for the staged change and printed; your words, reasons and trailers stay. For a
    range each commit below the bar is shown with a better message, and --output writes a plan that
    you can apply: no history is rewritten here.

    Examples: gitnotes improve main..HEAD; gitnotes improve -m "fixed parser."
    """
    from gitnotes import customs
    from gitnotes.errors import UsageError
    from gitnotes.read.git import open_git

    if minimum is not None and minimum != minimum:
        raise UsageError("--min is not a number.", "Give one from 0 to 100.")
    if sum([versions is not None, message is not None, message_file is not None, stdin]) != 1:
        raise UsageError(
            "Nothing, or too much, is named.", "Name a RANGE, or one text with -m, --message-file or --stdin."
        )
    if output is not None and versions is None:
        raise UsageError("--output is for a range.", "Name the RANGE.")
    git = open_git(context.obj.folder)
    settings = customs.repository_settings(git)
    bar = settings.min_score if minimum is None else minimum
    if versions is not None:
        _improve_range(git, settings, versions, bar, output, json)
        return
    if message_file is not None:
        message = customs.read_stored_message(git, message_file)
    elif stdin:
        message = customs.read_standard_input(customs.MAX_MESSAGE).decode("utf-8", "replace")
    _improve_text(git, settings, message or "", bar, json)


def _improve_text(git: Git, settings: Settings, message: str, bar: float, json: bool) -> None:
    from gitnotes.recipes.improving import improve_text
    from gitnotes.show import console, improvements

    found = improve_text(git, settings, message, minimum=bar)
    if json:
        console.write(improvements.improvement_json(found))
    else:
        console.write(improvements.text_of(found))
        console.note(improvements.verdict(found))


def _improve_range(
    git: Git, settings: Settings, versions: str, bar: float, output: Path | None, json: bool
) -> None:
    from gitnotes.recipes.improving import improve_range, write_plan
    from gitnotes.show import console, improvements

    found = list(console.track(improve_range(git, settings, versions, minimum=bar), "Improving"))
    has_better = any(item.better for item in found)
    plan = write_plan(git, versions, found, output) if output and has_better else None
    if json:
        console.write(improvements.improvements_json(found, bar, plan))
        return
    for item in found:
        if item.below:
            console.write(improvements.improvement_text(item))
    console.write(improvements.summary(found, bar))
    if plan:
        console.note(improvements.plan_text(plan))
    elif output:
        console.note("No message has a better one, so there is no plan to write.")
