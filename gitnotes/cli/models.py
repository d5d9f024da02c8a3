"""models: which models are here, and how do they come, stay warm and go?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_ACTIONS = ("list", "pull", "path", "remove", "warm", "stop")


def models(
    action: Annotated[str, typer.Argument(metavar="ACTION", help=f"{', '.join(_ACTIONS)}.")] = "list",
    name: Annotated[
        str | None,
        typer.Argument(metavar="[MODEL]", help="A name of the list, OWNER/NAME, a folder or a GGUF file."),
    ] = None,
    called: Annotated[str, typer.Option("--name", metavar="NAME", help="pull: what it is called here.")] = "",
    adapter: Annotated[
        Path | None, typer.Option("--adapter", metavar="FOLDER", help="warm, stop: the adapter on it.")
    ] = None,
    minutes: Annotated[
        float,
        typer.Option("--minutes", metavar="N", min=0.1, help="warm: without a question for so long it ends."),
    ] = 30.0,
    background: Annotated[
        bool, typer.Option("--background", help="warm: give the terminal back once it is loaded.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List, fetch, remove and warm models of this machine.

    `pull` goes on where it was broken off and checks what it fetched; a folder or a GGUF file is
    only written down. `warm` keeps a model in memory, so that a draft takes less than a second.

    Examples: gitnotes models; gitnotes models pull smollm2-135m; gitnotes models warm smollm2-135m
    """
    from gitnotes.errors import UsageError
    from gitnotes.guard.text import shorten, show
    from gitnotes.recipes import catalogue
    from gitnotes.show import console, learning

    if action not in _ACTIONS:
        raise UsageError(f"'{shorten(action)}' is nothing to do with models.", f"Say {', '.join(_ACTIONS)}.")
    if action == "list":
        if name is not None:
            raise UsageError("`list` takes no name.", "Ask for one with: gitnotes models path NAME")
        found = catalogue.list_registered()
        console.write(learning.models_json(found) if json else learning.models_text(found))
        return
    if name is None:
        raise UsageError(f"Which model is `{action}` for?", "See: gitnotes models list")
    if action == "pull":
        item = catalogue.pull(name, called=called)
        console.write(learning.models_json([item]) if json else f"{show(item.name)}: {show(item.path)}")
    elif action == "path":
        console.write(show(str(catalogue.path_of(name))))
    elif action == "remove":
        item, deleted = catalogue.remove(name)
        what = "deleted" if deleted else "forgotten; its files are yours and stay"
        console.write(f"{show(item.name)}: {what}")
    elif action == "warm":
        _warm(name, adapter, minutes, background)
    else:
        from gitnotes.recipes.models import stop_warm

        found_model = catalogue.resolve(name, adapter)
        stopped = stop_warm(found_model.source, adapter=found_model.adapter)
        console.write("Stopped." if stopped else "It was not warm.")


def _warm(name: str, adapter: Path | None, minutes: float, background: bool) -> None:
    from gitnotes.recipes import catalogue
    from gitnotes.recipes.models import keep_warm
    from gitnotes.show import console

    found = catalogue.resolve(name, adapter)
    if background and not _goes_on_in_background():
        console.write("Warm. It ends by itself; sooner with: gitnotes models stop")
        return

    def loaded() -> None:
        if background:
            _tell_parent(b"+")
        else:
            console.note(f"gitnotes: warm for {minutes:g} minutes after the last question; Ctrl-C ends it.")

    try:
        keep_warm(found.source, adapter=found.adapter, minutes=minutes, loaded=loaded)
    finally:
        if background:
            _tell_parent(b"-")


_pipe: int | None = None


def _goes_on_in_background() -> bool:
    """Whether this is the process that goes on; the other one waits until the model is loaded.

    Forks before torch is loaded, whose threads no child inherits. Raises ModelError when the child
    ends without having loaded it, and UsageError where processes cannot fork.
    """
    import os

    from gitnotes.errors import ModelError, UsageError

    global _pipe
    if not hasattr(os, "fork"):
        raise UsageError("A process cannot go on in the background here.", "Leave --background out.")
    reading, writing = os.pipe()
    if os.fork():
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            answer = pipe.read(1)
            problem = pipe.read().decode("utf-8", "replace") if answer == b"-" else ""
        if answer != b"+":
            raise ModelError(problem or "The model could not be loaded.", "Run it without --background.")
        return False
    os.close(reading)
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    _pipe = writing
    return True


def _tell_parent(word: bytes) -> None:
    import os
    import sys
    from contextlib import suppress

    global _pipe
    if _pipe is not None:
        problem = sys.exc_info()[1]
        with suppress(OSError):
            os.write(_pipe, word + (str(getattr(problem, "message", "")).encode() if problem else b""))
            os.close(_pipe)
        _pipe = None
