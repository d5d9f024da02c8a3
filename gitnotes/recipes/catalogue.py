"""Which models and adapters are on this machine, and how do they get here and away?

What was fetched, made or named is written down in `registry.json` in the user's cache, so that it is
found by a short name. Only what gitnotes has fetched or made is ever deleted.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from gitnotes.codec import from_json, to_json
from gitnotes.errors import InputError, ModelError, UsageError
from gitnotes.guard.text import shorten
from gitnotes.learn.catalogue import FILES, find_entry

Kind = Literal["model", "adapter"]
_NAME = re.compile(r"[A-Za-z0-9][\w.+-]{0,63}")
_HUB = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_ADAPTER = "adapter_config.json"


@dataclass(frozen=True, slots=True)
class Registered:
    """A model or adapter that is found by its name."""

    name: str
    kind: Kind
    path: str
    own: bool
    """Whether gitnotes has put it there, and may delete it."""
    base: str = ""
    """For an adapter, what it is put on: a name, a folder, a file."""
    licence: str = ""


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a name stands for."""

    source: str
    """A folder, a file, or a name on the hub."""
    adapter: Path | None


def list_registered() -> list[Registered]:
    """What is written down, by name; what is gone since is left out."""
    return [item for item in _read().values() if _exists(Path(item.path))]


def register(item: Registered) -> None:
    """Writes an item down, in the place of one of the same name.

    Raises UsageError for a name that cannot stand in a command, InputError when it cannot be written.
    """
    check_name(item.name)
    with _changing() as known:
        known[item.name] = item


def check_name(name: str) -> None:
    """Raises UsageError for a name that cannot stand in a command or for a folder."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"'{shorten(name)}' cannot be a name.", "Use letters, digits, dots and dashes.")


def resolve(name: str, adapter: Path | None = None) -> Resolved:
    """What `name` stands for: something written down, an adapter's folder, a catalogue entry, or itself.

    Raises UsageError for an adapter whose model is not here.
    """
    known = _read().get(name)
    if known is not None and known.kind == "model":
        return Resolved(known.path, adapter)
    path = place_of(known.path if known is not None else name)
    if _exists(path / _ADAPTER):
        return Resolved(_base_of(path, known), path)
    entry = find_entry(name)
    return Resolved(entry.hub if entry is not None and not _exists(path) else name, adapter)


def _base_of(path: Path, known: Registered | None) -> str:
    from gitnotes.draft.models.adapters import read_tuning

    tuning = read_tuning(path)
    wanted = known.base if known is not None and known.base else (tuning.base if tuning else "")
    if wanted and wanted != str(path):
        found = _read().get(wanted)
        entry = find_entry(wanted)
        if found is not None:
            return found.path
        if entry is not None:
            there = _read().get(entry.name)
            return there.path if there is not None else entry.hub
        if _exists(Path(wanted)):
            return wanted
    raise UsageError(
        f"The adapter '{shorten(path.name)}' needs the model '{shorten(wanted or 'it was made for')}', which "
        "is not on this machine.",
        "Fetch it with `gitnotes models pull`, or name it: --model local:MODEL --adapter FOLDER",
    )


def path_of(name: str) -> Path:
    """Where a model or adapter is. Raises UsageError when nothing here has that name."""
    known = _read().get(name)
    path = place_of(known.path if known is not None else name)
    if not _exists(path):
        raise UsageError(f"There is no model or adapter '{shorten(name)}' here.", "See: gitnotes models list")
    return path


def pull(name: str, *, called: str = "") -> Registered:
    """Fetches a model of the catalogue or of the hub, or writes down a folder or GGUF file that is here.

    A fetch that was broken off goes on where it stopped, and every file is checked. Raises
    UsageError: offline, no such model; ModelError: the network failed; InputError: the disk is full.
    """
    if called:
        check_name(called)
    path = place_of(name)
    if _exists(path):
        return _register_local(path, called)
    entry = find_entry(name)
    hub = entry.hub if entry is not None else name
    if not _HUB.fullmatch(hub):
        raise UsageError(
            f"There is no model '{shorten(name)}'.", "Choose one of `gitnotes models list`, or OWNER/NAME."
        )
    if os.environ.get("HF_HUB_OFFLINE", "0").lower() in ("1", "true", "yes", "on"):
        raise UsageError(
            "HF_HUB_OFFLINE is set, so nothing is fetched.", "Take it away, or name a folder that is here."
        )
    folder = _fetch(hub)
    item = Registered(
        called or (entry.name if entry is not None else hub.rpartition("/")[2].lower()),
        "model",
        str(folder),
        own=True,
        licence=entry.licence if entry is not None else "",
    )
    register(item)
    return item


def _register_local(path: Path, called: str) -> Registered:
    from gitnotes.draft.models.gguf import is_gguf

    path = path.resolve()
    if path.is_file():
        is_gguf(str(path))  # says what is wrong with the file
    elif not (path / "config.json").is_file() and not (path / _ADAPTER).is_file():
        raise UsageError(
            f"'{shorten(str(path))}' holds no model.", "Name a folder with config.json, or a GGUF file."
        )
    kind: Kind = "adapter" if (path / _ADAPTER).is_file() else "model"
    item = Registered(called or as_name(path.stem), kind, str(path), own=False)
    register(item)
    return item


def _fetch(hub: str) -> Path:
    os.environ["HF_HUB_OFFLINE"] = "0"
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise UsageError(
            "Models are fetched by huggingface_hub, which is not installed.",
            "Run: pip install 'gitnotes[local]'",
        ) from None
    folder = models_folder() / hub.replace("/", "--")
    try:
        snapshot_download(hub, local_dir=str(folder), allow_patterns=list(FILES))
    except OSError as problem:
        if getattr(problem, "errno", None) == 28:
            raise InputError(
                "The disk is full.", "Free some space; the fetch goes on where it was."
            ) from None
        raise _unreachable(hub, problem) from None
    except Exception as problem:
        raise _unreachable(hub, problem) from None
    if not (folder / "config.json").is_file() or not list(folder.glob("*.safetensors")):
        raise UsageError(
            f"'{shorten(hub)}' has no weights as safetensors.", "Choose another, or give a GGUF file."
        )
    return folder


def _unreachable(hub: str, problem: Exception) -> ModelError:
    told = " ".join(str(problem).split())
    return ModelError(
        f"'{shorten(hub)}' could not be fetched: {shorten(told) or type(problem).__name__}.",
        "Run it again; it goes on where it stopped.",
    )


def remove(name: str) -> tuple[Registered, bool]:
    """Forgets a model or adapter, and deletes it if gitnotes has put it there; whether it did.

    Raises UsageError when nothing has that name.
    """
    item = _read().get(name)
    if item is None:
        raise UsageError(f"There is no model or adapter '{shorten(name)}' here.", "See: gitnotes models list")
    with _changing() as known:
        known.pop(name, None)
        # Resolved, so that no `..` and no link leads out of the folder that is ours.
        path = Path(os.path.realpath(item.path))
        deleted = item.own and path.is_dir() and models_folder().resolve() in path.parents
        if deleted:
            shutil.rmtree(path, ignore_errors=True)
    return item, deleted


def models_folder() -> Path:
    """Where fetched models and trained adapters are kept."""
    from gitnotes.draft.models.gguf import cache_folder

    return cache_folder() / "models"


def place_of(name: str) -> Path:
    """The path that `name` is, with `~` for the home folder, where there is such a one."""
    with suppress(RuntimeError):  # `~nobody`
        return Path(name).expanduser()
    return Path(name)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a name, or with a NUL
        return False


def as_name(text: str) -> str:
    """A name that can stand in a command, made of any text."""
    return re.sub(r"[^A-Za-z0-9_.+-]+", "-", text).strip("-._+")[:64].lower() or "model"


def _read() -> dict[str, Registered]:
    return _load()[0]


def _load() -> tuple[dict[str, Registered], list[Any]]:
    """What is written down, by name, and the entries that cannot be read: damaged, or of a later version."""
    known: dict[str, Registered] = {}
    unread: list[Any] = []
    told = _stored()
    for entry in told or []:
        try:
            item = from_json(Registered, entry)
            if not _NAME.fullmatch(item.name) or not item.path or "\0" in item.path:
                raise ValueError(item.name)
            known[item.name] = item
        except ValueError:
            unread.append(entry)
    return known, unread


def _stored() -> list[Any] | None:
    """The entries of the file as they are; None where it holds none that can be read."""
    try:
        told = json.loads(_file().read_text("utf-8"))["items"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return told if isinstance(told, list) else None


@contextmanager
def _changing() -> Iterator[dict[str, Registered]]:
    """What is written down, to be changed; no other run changes it meanwhile.

    Entries that cannot be read stay as they are, and a file that is none of ours is set aside.
    """
    from gitnotes.write.atomic import explained, lock, replace_file

    file = _file()
    with explained(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    with lock(file):
        known, unread = _load()
        yield known
        if file.is_file() and _stored() is None:
            with explained(file):
                file.replace(file.with_suffix(".damaged"))
        told = {"items": [*(to_json(item) for item in known.values()), *unread]}
        replace_file(file, (json.dumps(told, indent=2) + "\n").encode())


def _file() -> Path:
    return models_folder() / "registry.json"
