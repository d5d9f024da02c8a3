"""grade: what is a text worth?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gitnotes.config import Settings
    from gitnotes.read.git import Git
    from gitnotes.recipes.grading import Graded
    from gitnotes.records import Change


def grade(
    context: typer.Context,
    target: Annotated[
        str | None, typer.Argument(metavar="[REV | A..B]", help="A commit or a range; HEAD without any text.")
    ] = None,
    message: Annotated[
        str | None, typer.Option("-m", "--message", metavar="TEXT", help="Grade this text.")
    ] = None,
    message_file: Annotated[
        Path | None,
        typer.Option(
            "--message-file", metavar="FILE", readable=False, help="Grade what git would store of this file."
        ),
    ] = None,
    stdin: Annotated[bool, typer.Option("--stdin", help="Grade the text on standard input.")] = False,
    staged: Annotated[
        bool, typer.Option("--staged", help="Against the staged change; this is what a text is graded with.")
    ] = False,
    diff: Annotated[
        Path | None,
        typer.Option(
            "--diff", metavar="FILE", readable=False, help="Against this patch; needs no repository."
        ),
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option("--reference", metavar="TEXT", help="Add Log-MNEXT against this text (repeatable)."),
    ] = None,
    minimum: Annotated[
        float | None,
        typer.Option("--min", min=0, max=100, metavar="N", help="Exit 1 if anything scores below N."),
    ] = None,
    rules: Annotated[
        bool, typer.Option("--rules", help="Grade the messages alone, without reading the changes.")
    ] = False,
    pre_push: Annotated[
        bool, typer.Option("--pre-push", help="The commits about to be pushed; the bar is min_score.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Grade commit messages against their changes.

    A text (-m, --stdin, --message-file) is graded against the staged change, or against the change
    of REV. The findings say what is wrong and how to mend it.

    Examples: gitnotes grade; gitnotes grade main..HEAD --min 50; gitnotes grade -m "Fix cache" HEAD
    """
    from gitnotes import customs
    from gitnotes.errors import UsageError
    from gitnotes.recipes import grading
    from gitnotes.show import console, formats

    if minimum is not None and minimum != minimum:
        raise UsageError("--min is not a number.", "Give one from 0 to 100.")
    texts = [message is not None, message_file is not None, stdin]
    if sum(texts) > 1:
        raise UsageError("-m, --message-file and --stdin exclude each other.", "Give one text.")
    if pre_push and (target or any(texts) or staged or diff):
        raise UsageError("--pre-push finds its commits by itself.", "Leave the rest out.")
    if sum([target is not None, staged, diff is not None]) > 1:
        raise UsageError("REV, --staged and --diff exclude each other.", "Name one change.")
    is_range = target is not None and ".." in target
    if is_range and (any(texts) or reference):
        raise UsageError("A range has its own messages.", "Name one commit to grade a text against.")
    if (staged or diff) and not any(texts):
        raise UsageError("There is no text to grade.", "Give one with -m, --message-file or --stdin.")
    git, settings = _open(context.obj.folder, needed=not any(texts) or (diff is None and not rules))
    if message_file is not None:
        message = customs.read_stored_message(git, message_file)
    elif stdin:
        message = _read_stdin()
    many = is_range or pre_push
    if message is not None:
        change = _find_change(git, target, diff, rules)
        graded = iter([grading.grade_text(git, settings, message, change=change, reference=reference)])
    else:
        assert git is not None
        graded = _grade_commits(git, settings, target, reference, rules, pre_push)
    if pre_push and minimum is None:
        minimum = settings.min_score
    found = []
    for item in console.track(graded, "Grading") if many else graded:
        found.append(item)
        if not json:
            details = formats.grade_details(item, brief=many)
            console.write_grade(formats.grade_line(item), details, item.grade.overall)
    if json:
        console.write(formats.grades_json(found) if many else formats.grade_json(found[0]))
    elif many:
        console.write(formats.summary_text(found, minimum))
    if minimum is not None and any(grading.is_below(item, minimum) for item in found):
        raise typer.Exit(1)


def _open(folder: Path | None, *, needed: bool) -> tuple[Git | None, Settings]:
    """The repository, or None when there is none and none is `needed`, and the settings that hold."""
    from gitnotes.config import load_settings
    from gitnotes.customs import find_top
    from gitnotes.errors import NotARepository
    from gitnotes.read.git import open_git

    try:
        # One message is graded while somebody waits for the editor: no GitPython on this path.
        git = open_git(folder, light=True)
        return git, load_settings(find_top(git))
    except NotARepository:
        if needed:
            raise
        return None, load_settings()


def _grade_commits(
    git: Git,
    settings: Settings,
    target: str | None,
    reference: list[str] | None,
    rules: bool,
    pre_push: bool,
) -> Iterator[Graded]:
    from gitnotes.recipes import grading

    if pre_push:
        return grading.grade_pushed(git, settings, rules_only=rules)
    if target is not None and ".." in target:
        return grading.grade_range(git, settings, target, rules_only=rules)
    return iter(
        [grading.grade_commit(git, settings, "HEAD" if target is None else target, reference=reference)]
    )


def _find_change(git: Git | None, target: str | None, diff: Path | None, rules: bool) -> Change | None:
    from gitnotes import customs
    from gitnotes.changes import read_staged_change
    from gitnotes.read.diff import parse_patch, read_commit

    if diff is not None:
        return parse_patch(customs.read_input(diff))
    if rules or git is None:
        return None
    return read_staged_change(git) if target is None else read_commit(git, target)


def _read_stdin() -> str:
    import sys

    from gitnotes.customs import MAX_MESSAGE

    return sys.stdin.buffer.read(MAX_MESSAGE).decode("utf-8", "replace")
