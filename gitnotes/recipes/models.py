"""Which model is asked, and has the user agreed to what would leave this machine?

Consent is given for a host and a repository. It stands in the repository's own git configuration,
which no clone brings along, or for programs in GITNOTES_CONSENT; never in a file of the project.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gitnotes.errors import ModelError, UsageError
from gitnotes.guard.text import shorten, show

if TYPE_CHECKING:
    from gitnotes.config import Settings
    from gitnotes.generation import Generator, LocalGenerator
    from gitnotes.read.git import Git

_KEY = "gitnotes.consent"
_FORMS = "Write openai:NAME for a server, or local:PATH for a model on this machine."


def chosen_model(settings: Settings, named: str | None) -> str | None:
    """The model that drafts: the one `named` by a command (`none` for none), else the settings'."""
    return (settings.model if named is None else "" if named == "none" else named) or None


def find_generator(
    spec: str, git: Git | None, *, adapter: Path | None = None, load: bool = True
) -> Generator:
    """The model that `spec` names: `openai:NAME` at OPENAI_BASE_URL, or `local:FOLDER|HUB ID|FILE.gguf`.

    A local one that is not kept warm is only loaded where there is time to `load` it. Raises
    UsageError: unknown form, not installed, no consent; ModelError: it cannot be loaded, or is not warm.
    """
    kind, _, name = spec.partition(":")
    if kind == "openai" and name:
        from gitnotes.draft.models.endpoint import Endpoint, base_url_of, host_of, is_on_this_machine

        if adapter is not None:
            raise UsageError("An adapter is put on a local model.", "Give --model local:PATH.")
        address = base_url_of()
        if not is_on_this_machine(address):
            check_consent(git, host_of(address))
        from gitnotes.recipes.outgoing import look_through

        return look_through(Endpoint(name, base_url=address))
    if kind == "local" and name:
        return find_local(name, adapter=adapter, load=load)
    raise UsageError(f"'{shorten(spec)}' names no model.", _FORMS)


def find_local(name: str, *, adapter: Path | None = None, load: bool = True) -> LocalGenerator:
    """The model on this machine called `name`: the process that keeps it warm, else loaded here.

    Raises ModelError when it may not be loaded and is not warm.

    A name is what `gitnotes models` lists, a folder (of an adapter, too), a file, or one of the hub.
    """
    from gitnotes.draft.models.warm import find_warm
    from gitnotes.recipes.catalogue import resolve

    found = resolve(name, adapter)
    warm = find_warm(found.source, found.adapter)
    if warm is not None:
        return warm
    if not load:
        raise ModelError("The model is not warm.", "Run: gitnotes models warm NAME")
    from gitnotes.draft.models.local import LocalModel

    return LocalModel(found.source, adapter=found.adapter)


def keep_warm(name: str, *, adapter: Path | None, minutes: float, loaded: Callable[[], None]) -> None:
    """Loads a local model and answers for it until nobody asks for `minutes`; calls `loaded` before.

    Raises what loading raises, and UsageError when it is warm already.
    """
    from gitnotes.draft.models.local import LocalModel
    from gitnotes.draft.models.warm import find_warm, serve, socket_path

    if find_warm(name, adapter) is not None:
        raise UsageError("This model is warm already.", "Use it, or stop it with `gitnotes models stop`.")
    model = LocalModel(name, adapter=adapter)
    loaded()
    serve(model, socket_path(name, adapter), idle_minutes=minutes)


def stop_warm(name: str, *, adapter: Path | None) -> bool:
    """Ends the process that keeps a local model; False when there is none."""
    from gitnotes.draft.models.warm import find_warm

    model = find_warm(name, adapter)
    if model is None:
        return False
    model.stop()
    return True


def check_consent(git: Git | None, host: str) -> None:
    """Raises UsageError unless the user has agreed that changes of this repository go to `host`."""
    if host in list_consents(git):
        return
    where = "of this repository " if git is not None else ""
    how = f"run: gitnotes consent {show(host)}" if git is not None else f"set GITNOTES_CONSENT={show(host)}"
    raise UsageError(
        f"Nothing was sent: you have not agreed that changes {where}go to {show(host)}.", f"If you do, {how}"
    )


def list_consents(git: Git | None) -> list[str]:
    """The hosts that the user has agreed to, each once."""
    found = [host.strip().casefold() for host in os.environ.get("GITNOTES_CONSENT", "").split(",")]
    if git is not None:
        # Only the repository's own file: agreeing once must not hold everywhere.
        found += git.text("config", "--local", "--get-all", _KEY, ok=(0, 1)).casefold().split("\n")
    return [host for host in dict.fromkeys(found) if host]


def grant_consent(git: Git, host: str) -> bool:
    """Remembers that changes of this repository may go to `host`; False when it was known already."""
    host = _as_host(host)
    if host in list_consents(git):
        return False
    git.run("config", "--local", "--add", _KEY, host)
    return True


def revoke_consent(git: Git, host: str) -> bool:
    """Forgets a consent; False when there was none. Raises UsageError when it is not the repository's."""
    known = _as_host(host)
    if known not in list_consents(git):
        return False
    # 5: it was not in the file, so it came from the environment.
    git.run("config", "--local", "--fixed-value", "--unset-all", _KEY, known, ok=(0, 5))
    if known in list_consents(git):
        raise UsageError(f"The consent for {show(known)} stands in GITNOTES_CONSENT.", "Take it out there.")
    return True


def _as_host(text: str) -> str:
    """The host of an address, or the text itself when it is one."""
    from gitnotes.draft.models.endpoint import base_url_of, host_of

    return host_of(base_url_of(text if "://" in text else f"https://{text}"))
