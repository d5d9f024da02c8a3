"""config: which settings hold, why, and how is one changed?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gitnotes.read.git import Git
    from gitnotes.recipes.configuring import Place

_TAKES = {"list": 0, "schema": 0, "get": 1, "explain": 1, "unset": 1, "set": 2}
"""Action to how many words it takes."""


def config(
    context: typer.Context,
    action: Annotated[str, typer.Argument(metavar="ACTION", help=f"{', '.join(_TAKES)}.")] = "list",
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME [VALUE]]", help="A setting, or rules.RULE, and its new value."),
    ] = None,
    user: Annotated[bool, typer.Option("--user", help="set, unset: in your own file.")] = False,
    repository: Annotated[
        bool, typer.Option("--repository", help="set, unset: in the file of this repository.")
    ] = False,
    git: Annotated[
        bool, typer.Option("--git", help="set, unset: in this clone's .git/config, seen by nobody else.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show and change settings, and where each comes from.

    `list` shows all, `explain` one with all that was said of it, `get` its bare value. `schema` prints
    the JSON schema of the files, for editors.

    Examples: gitnotes config; gitnotes config explain min_score; gitnotes config set --user strict true
    """
    from gitnotes.errors import UsageError
    from gitnotes.guard.text import shorten
    from gitnotes.recipes import configuring
    from gitnotes.show import configuring as showing
    from gitnotes.show import console

    given = words or []
    if action not in _TAKES:
        raise UsageError(f"'{shorten(action)}' is nothing to do with settings.", f"Say {', '.join(_TAKES)}.")
    if len(given) != _TAKES[action]:
        wanted = ("no name", "a name", "a name and a value")[_TAKES[action]]
        raise UsageError(f"`config {action}` takes {wanted}.", "See: gitnotes config --help")
    marked: dict[Place, bool] = {"user": user, "repository": repository, "git": git}
    places = [place for place, wanted in marked.items() if wanted]
    if action not in ("set", "unset"):
        if places:
            raise UsageError(f"--{places[0]} goes with set and unset.", "Leave it out.")
    elif len(places) != 1:
        raise UsageError("Where is it to be written?", "Say one of --user, --repository, --git.")
    if action == "schema":
        import json as encoder

        from gitnotes.config.schema import json_schema

        console.write(encoder.dumps(json_schema(), indent=2))
        return
    here = _open_git(context)
    if action == "list":
        found = configuring.read_configuration(here)
        console.write(showing.list_json(found) if json else showing.list_text(found))
        return
    if action in ("get", "explain"):
        entry = configuring.explain_setting(here, given[0])
        shown = showing.value_text(entry) if action == "get" else showing.entry_text(entry)
        console.write(showing.entry_json(entry) if json else shown)
        return
    text = given[1] if action == "set" else None
    where, entry = configuring.write_setting(here, given[0], text, places[0])
    done = showing.changed_text(where, places[0], entry, set_now=text is not None)
    console.write(showing.entry_json(entry) if json else done)


def _open_git(context: typer.Context) -> Git | None:
    """The repository, or None outside of one, where the user's own settings are all there is."""
    from gitnotes.customs import find_top
    from gitnotes.errors import NotARepository
    from gitnotes.read.git import open_git

    try:
        git = open_git(context.obj.folder, light=True)
        find_top(git)
        return git
    except NotARepository:
        return None
