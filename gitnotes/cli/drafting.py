"""suggest, release: what could be written?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def suggest(
    context: typer.Context,
    commit: Annotated[
        str | None, typer.Option("--commit", metavar="REV", help="Describe this commit instead.")
    ] = None,
    amend: Annotated[
        bool, typer.Option("--amend", help="Describe HEAD and what is staged, as `git commit --amend` would.")
    ] = False,
    count: Annotated[
        int, typer.Option("-n", "--count", min=1, max=20, metavar="N", help="Print up to N candidates.")
    ] = 1,
    why: Annotated[
        str, typer.Option("--why", metavar="TEXT", help="The reason; it becomes a paragraph of the message.")
    ] = "",
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="Ask a model as well: openai:NAME or local:PATH."),
    ] = None,
    hint: Annotated[
        str, typer.Option("--hint", metavar="TEXT", help="With --model: what the text should be like.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print the Draft record as JSON.")] = False,
) -> None:
    """Print a commit message for the staged change.

    The default drafter needs no model and no network: it says what changed, from the diff itself or as
    it was said of earlier changes like it, in the style of the repository.

    A model's texts are graded with the others and the best comes first; its answers are kept. A server
    elsewhere is asked only after `gitnotes consent HOST`, with secrets masked.

    Examples: gitnotes suggest; gitnotes suggest --commit HEAD~2 -n 3;
    gitnotes suggest --model openai:qwen2.5-coder --why "Proxies close idle connections"
    """
    from gitnotes.customs import repository_settings
    from gitnotes.errors import UsageError
    from gitnotes.read.git import open_git
    from gitnotes.recipes.drafting import suggest_message
    from gitnotes.show import console, formats

    if commit is not None and amend:
        raise UsageError("--commit and --amend exclude each other.", "Choose one.")
    if hint and model is None:
        raise UsageError("A hint is for a model.", "Add --model NAME.")
    git = open_git(context.obj.folder)
    settings = repository_settings(git)
    with console.counting("Reading earlier commits, once:") as progress:
        draft = suggest_message(
            git, settings, commit=commit, count=count, amend=amend, progress=progress,
            why=why, model=model, hint=hint,
        )  # fmt: skip
    if json:
        console.write(formats.draft_json(draft))
    else:
        console.write(formats.draft_text(draft, count))
        console.note(formats.omitted_text(draft.omitted))


def release(
    context: typer.Context,
    versions: Annotated[
        str,
        typer.Argument(
            metavar="RANGE", help="v1.0..v1.1, v1.0.. (up to HEAD), one tag, latest or unreleased."
        ),
    ],
    write: Annotated[
        Path | None,
        typer.Option("--write", metavar="FILE", readable=False, help="Insert the note into this changelog."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="With --write: replace the section of this version.")
    ] = False,
    style: Annotated[
        str | None,
        typer.Option(
            "--style",
            metavar="NAME",
            help="A layout by name, or auto for the one that suits the commits;"
            " without it that of the project's changelog.",
        ),
    ] = None,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="List on stderr the commits that were left out, and why.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the note as JSON.")] = False,
) -> None:
    """Print or write the release note of a range of versions.

    Its entries come from the commit tree: a merged pull request is one entry, reverts cancel, and
    dependency bumps fold.

    Examples: gitnotes release v1.0..v1.1; gitnotes release v1.1 --write CHANGELOG.md;
    gitnotes release v1.0..v1.1 --style github
    """
    from gitnotes.errors import UsageError
    from gitnotes.guard.text import show
    from gitnotes.read.git import open_git
    from gitnotes.recipes.releasing import write_release_note
    from gitnotes.show import console, formats

    if replace and write is None:
        raise UsageError("--replace is for --write.", "Name the changelog with --write FILE.")
    git = open_git(context.obj.folder)
    written = write_release_note(git, versions, path=write, replace=replace, style=style)
    if json:
        console.write(formats.written_json(written))
    elif write is None:
        console.write(written.note.text)
    if write is not None:
        console.note(formats.written_text(written))
    if not written.range.start_is_ancestor:
        console.note(
            f"{show(written.range.start or '')} was released from another branch than "
            f"{show(written.range.end)}; entries that were out already are marked."
        )
    if coverage:
        console.note(formats.omitted_text(written.note.omitted, limit=None))
