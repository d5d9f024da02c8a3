"""Which language models can be asked from here? None is needed: only one that was named can be a problem."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from gitnotes.errors import GitnotesError
from gitnotes.guard.text import show
from gitnotes.recipes.doctor import Check

if TYPE_CHECKING:
    from gitnotes.read.git import Git

_SECONDS = 2.0
_MOST_FILES = 100_000


def check_models(git: Git | None) -> Iterator[Check]:
    """Local models, the server, and what is kept of both; only a server on this machine is asked."""
    yield from _check_local()
    yield from _check_server(git)
    yield from _check_secrets()
    yield from _check_named(git)
    yield _check_cache()


def _check_named(git: Git | None) -> Iterator[Check]:
    """The model that the settings name, which the hooks leave out when it cannot be asked."""
    from gitnotes.recipes.configuring import explain_setting

    entry = explain_setting(git, "model")
    if not entry.value:
        return
    named = f"{show(entry.value)}, named in {show(entry.place)},"
    why, remedy = _why_not(entry.value, git)
    if why:
        yield Check("models", "problem", f"{named} cannot be asked: {why}.", remedy)
    else:
        yield Check("models", "ok", f"{named} drafts as well.")


def _why_not(spec: str, git: Git | None) -> tuple[str, str]:
    """Why a model cannot be asked, and what to do about it; both empty when nothing is seen against it."""
    from gitnotes.draft.models.endpoint import base_url_of, host_of, is_on_this_machine
    from gitnotes.recipes.models import list_consents

    kind, _, name = spec.partition(":")
    if kind not in ("openai", "local") or not name:
        return "it names no model", "Write openai:NAME or local:PATH."
    if kind == "local":
        if find_spec("torch") is None and not _is_warm(name):
            return "local models cannot run", "For them: pip install 'gitnotes[local]'"
        return "", ""
    if find_spec("openai") is None:
        return "the client is not installed", "For it: pip install 'gitnotes[endpoint]'"
    try:
        address = base_url_of()
    except GitnotesError as problem:
        return show(problem.message.rstrip(".")), problem.hint
    host = host_of(address)
    if not is_on_this_machine(address) and host not in list_consents(git):
        return (
            f"you have not agreed that changes go to {show(host)}",
            f"If you do: gitnotes consent {show(host)}",
        )
    return "", ""


def _check_local() -> Iterator[Check]:
    from gitnotes.recipes.catalogue import list_registered

    models = list_registered()
    if find_spec("torch") is None:
        yield Check(
            "models", "note", "Local models cannot run, and no command needs one.",
            "For them: pip install 'gitnotes[local]'",
        )  # fmt: skip
        return
    names = ", ".join(show(item.name) for item in models)
    yield Check("models", "ok", f"Local models can run; known here: {names or 'none'}.")
    for item in models:
        if _is_warm(item.path):
            yield Check("models", "ok", f"{show(item.name)} is warm.")


def _is_warm(source: str) -> bool:
    from gitnotes.draft.models.warm import find_warm

    try:
        return find_warm(source, None) is not None
    except (GitnotesError, OSError):
        return False


def _check_server(git: Git | None) -> Iterator[Check]:
    from gitnotes.draft.models.endpoint import base_url_of, host_of, is_on_this_machine
    from gitnotes.recipes.models import list_consents

    consents = list_consents(git)
    agreed = ", ".join(map(show, consents))
    yield Check("server", "ok", f"Changes may go to: {agreed}." if consents else "Changes go nowhere.")
    if not os.environ.get("OPENAI_BASE_URL"):
        return
    if find_spec("openai") is None:
        yield Check(
            "server", "note", "OPENAI_BASE_URL is set, and the client is not installed.",
            "For it: pip install 'gitnotes[endpoint]'",
        )  # fmt: skip
        return
    try:
        address = base_url_of()
    except GitnotesError as problem:
        yield Check("server", "problem", problem.message, problem.hint)
        return
    host = host_of(address)
    if not is_on_this_machine(address):
        if host not in consents:
            sentence = f"{show(host)} is the server, and you have not agreed that changes go there."
            yield Check("server", "note", sentence, f"If you do, run: gitnotes consent {show(host)}")
        else:
            yield Check("server", "ok", f"{show(host)} is the server; it was not asked.")
        return
    answer = _ask(address)
    if answer:
        remedy = "Start it, or look at OPENAI_BASE_URL."
        yield Check("server", "problem", f"{show(host)} does not answer: {show(answer)}.", remedy)
    else:
        yield Check("server", "ok", f"{show(host)} answers.")


def _check_secrets() -> Iterator[Check]:
    """Who looks for secrets in what goes to a server."""
    from gitnotes.guard.gitleaks import find_gitleaks, mask_as_gitleaks

    if find_spec("detect_secrets") is None:  # then nothing is sent
        return
    program = find_gitleaks()
    if program is None:
        yield Check("secrets", "ok", "They are masked before anything is sent; there is no gitleaks to help.")
    elif mask_as_gitleaks("Is anybody there?", program) is None:
        yield Check(
            "secrets", "note", f"{show(program)} gives no answer, so secrets are masked without it.",
            "Install gitleaks 8.15 or newer, or leave it.",
        )  # fmt: skip
    else:
        yield Check("secrets", "ok", f"They are masked before anything is sent; {show(program)} helps.")


def _ask(address: str) -> str:
    """Why the server on this machine does not answer; empty when it does."""
    import http.client
    from urllib.parse import urlsplit

    parts = urlsplit(address)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    # Not through urllib, which would ask a proxy.
    link = kind(parts.hostname or "", parts.port, timeout=_SECONDS)
    try:
        link.request("GET", f"{parts.path.rstrip('/')}/models")
        link.getresponse()
    except (OSError, http.client.HTTPException) as problem:
        return getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
    finally:
        link.close()
    return ""


def _check_cache() -> Check:
    from gitnotes.draft.models.gguf import cache_folder

    folder = cache_folder()
    shown = show(str(folder))
    if not folder.exists():
        return Check("cache", "ok", f"{shown} is not there yet; it is made when it is needed.")
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        return Check(
            "cache", "problem", f"{shown} cannot be written.", "Mend its rights, or set GITNOTES_CACHE."
        )
    return Check(
        "cache", "ok", f"{shown} holds {_size(folder) / 1e6:,.1f} MB; it may be deleted at any time."
    )


def _size(folder: Path) -> int:
    total = count = 0
    for place, _, names in os.walk(folder):
        for name in names:
            count += 1
            if count > _MOST_FILES:
                return total
            try:
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 - many of them
            except OSError:
                continue
    return total
