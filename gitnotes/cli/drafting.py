"""suggest: what could be written?"""

from __future__ import annotations

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
        typer.Option(
            "--model", metavar="NAME", help="A model that drafts, too: openai:NAME, local:PATH; or none."
        ),
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
    from gitnotes.recipes.models import chosen_model
    from gitnotes.show import console, formats

    if commit is not None and amend:
        raise UsageError("--commit and --amend exclude each other.", "Choose one.")
    git = open_git(context.obj.folder, light=True)
    settings = repository_settings(git)
    model = chosen_model(settings, model)
    if hint and model is None:
        raise UsageError("A hint is for a model.", "Add --model NAME.")
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
