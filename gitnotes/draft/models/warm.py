"""How does a loaded model stay in memory for the next draft, for its owner alone and not forever?

Loading takes seconds, an answer less than one. A process that somebody starts on purpose keeps the
weights and answers over a Unix socket in a folder that only its owner can enter; when nobody asks
for a while it ends. Questions and answers are JSON, so nothing that comes in can run.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import stat
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitnotes.codec import from_json, to_json
from gitnotes.errors import ModelError, UsageError
from gitnotes.generation import Completion, Request, Tuning
from gitnotes.guard.text import shorten
from gitnotes.records import Signature

if TYPE_CHECKING:
    from gitnotes.draft.models.local import LocalModel

IDLE_MINUTES = 30.0
"""Without a question for so long the process ends."""
_LARGEST = 16 << 20
"""Bytes of a question or an answer."""
_LENGTH = struct.Struct(">I")
_STOP_SECONDS = 10.0
_CONNECT_SECONDS = 2.0


def runtime_folder() -> Path:
    """The folder of the sockets, made for its owner alone.

    Raises UsageError when it belongs to somebody else, or others may enter.
    """
    base = os.environ.get("GITNOTES_RUNTIME") or os.environ.get("XDG_RUNTIME_DIR", "")
    if Path(base).is_absolute():  # the standard has any other value ignored
        folder = Path(base) / "gitnotes"
    else:
        from gitnotes.draft.models.gguf import cache_folder

        folder = cache_folder() / "run"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise UsageError(
            f"The folder '{shorten(str(folder))}' is not yours alone.", "Remove it, or set GITNOTES_RUNTIME."
        )
    return folder


def socket_path(source: str, adapter: Path | None) -> Path:
    """Where a process with this model would listen."""
    path = Path(source).expanduser()
    name = f"{path.resolve() if path.exists() else source}\0{adapter.resolve() if adapter else ''}"
    return (
        runtime_folder() / f"{hashlib.sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}.sock"
    )


class WarmModel:
    """A model in another process of the same user; see `gitnotes.generation.Generator`."""

    def __init__(self, path: Path) -> None:
        """Raises ModelError when nobody answers."""
        self._path = path
        told = self._call("hello", None, _CONNECT_SECONDS * 5)
        self._signature: Signature = from_json(Signature, told["signature"])
        self._context = int(told["context"])
        self.tuning: Tuning | None = told.get("tuning") and from_json(Tuning, told["tuning"])
        """How its adapter wants to be asked, if it says so."""

    @property
    def signature(self) -> Signature:
        return self._signature

    @property
    def context(self) -> int:
        return self._context

    def count_tokens(self, text: str) -> int:
        return int(self._call("count", text, 60.0))

    def complete(self, request: Request, watch: Callable[[str], None] | None = None) -> list[Completion]:
        """See Generator; `watch` is called once, with the whole."""
        answers = self._call("complete", to_json(request), request.timeout)
        found = [from_json(Completion, answer) for answer in answers]
        if watch is not None:
            watch(found[0].text)
        return found

    def log_probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """See Likelihood."""
        return [float(value) for value in self._call("log_probabilities", list(pairs), 600.0)]

    def stop(self) -> None:
        """Asks the process to end, and waits until it no longer listens."""
        self._call("stop", None, _CONNECT_SECONDS)
        deadline = time.monotonic() + _STOP_SECONDS
        while self._path.exists() and time.monotonic() < deadline:
            time.sleep(0.05)

    def _call(self, what: str, argument: Any, seconds: float) -> Any:
        deadline = time.monotonic() + seconds
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
                link.settimeout(_CONNECT_SECONDS)
                link.connect(str(self._path))
                _check_owner(link)
                _send(link, {"what": what, "argument": argument})
                answer = _receive(link, deadline)
        except (OSError, ValueError, EOFError) as problem:
            late = isinstance(problem, TimeoutError)
            raise ModelError(
                "The warm model did not answer in time." if late else "The warm model does not answer.",
                "Start it again with `gitnotes models warm`.",
            ) from None
        if "error" in answer:
            raise ModelError(str(answer["error"]), str(answer.get("hint", "")))
        return answer["value"]


def find_warm(source: str, adapter: Path | None) -> WarmModel | None:
    """The process that holds this model; None when there is none. Imports nothing heavy."""
    if not hasattr(socket, "AF_UNIX"):
        return None
    try:
        path = socket_path(source, adapter)
        return WarmModel(path) if path.exists() else None
    except (ModelError, UsageError, OSError):
        return None


def serve(model: LocalModel, path: Path, *, idle_minutes: float = IDLE_MINUTES) -> None:
    """Answers until nobody has asked for `idle_minutes`, or is told to stop.

    Raises UsageError when another process holds the model already.
    """
    last_asked = time.monotonic()
    stopping = threading.Event()
    one_at_a_time = threading.Lock()

    def answer(link: socket.socket) -> None:
        nonlocal last_asked
        with link, suppress(OSError, ValueError, EOFError):
            link.settimeout(_CONNECT_SECONDS)
            _check_owner(link)
            question = _receive(link, time.monotonic() + _CONNECT_SECONDS * 5)
            link.settimeout(None)
            with one_at_a_time:
                reply = _answer(model, question, stopping)
            last_asked = time.monotonic()
            _send(link, reply)

    with _listening(path) as server:
        server.settimeout(0.5)
        while not stopping.is_set() and time.monotonic() - last_asked < idle_minutes * 60:
            with suppress(TimeoutError):
                link, _ = server.accept()
                threading.Thread(target=answer, args=(link,), daemon=True).start()


def _answer(model: LocalModel, question: Any, stopping: threading.Event) -> dict[str, Any]:
    try:
        what, argument = question["what"], question["argument"]
        if what == "hello":
            value: Any = {
                "signature": to_json(model.signature),
                "context": model.context,
                "tuning": to_json(model.tuning),
            }
        elif what == "count":
            value = model.count_tokens(str(argument))
        elif what == "complete":
            request = from_json(Request, argument)
            value = [
                to_json(item) for item in model.complete(replace(request, timeout=min(request.timeout, 600)))
            ]
        elif what == "log_probabilities":
            value = model.log_probabilities([(str(context), str(text)) for context, text in argument])
        elif what == "stop":
            stopping.set()
            value = True
        else:
            return {"error": "The question is not understood.", "hint": "Use one version of gitnotes."}
        return {"value": value}
    except ModelError as problem:
        return {"error": problem.message, "hint": problem.hint}
    except Exception as problem:  # one bad question must not end the process
        return {"error": f"The warm model failed: {shorten(str(problem))}", "hint": ""}


@contextmanager
def _listening(path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        if path.exists():
            try:
                WarmModel(path)
            except ModelError:
                path.unlink()  # left by a process that was killed
            else:
                raise UsageError("This model is warm already.", "Use it, or stop it first.")
        before = os.umask(0o177)
        try:
            server.bind(str(path))
        finally:
            os.umask(before)
        server.listen(8)
        inode = path.stat().st_ino
        try:
            yield server
        finally:
            with suppress(OSError):
                if path.stat().st_ino == inode:
                    path.unlink()


def _check_owner(link: socket.socket) -> None:
    """Raises OSError when the other end is another user's; the folder's mode says so as well."""
    if sys.platform != "linux":
        return
    credentials = link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    if struct.unpack("3i", credentials)[1] != os.getuid():
        raise PermissionError("another user's process")


def _send(link: socket.socket, message: Any) -> None:
    data = json.dumps(message).encode()
    link.sendall(_LENGTH.pack(len(data)) + data)


def _receive(link: socket.socket, deadline: float) -> Any:
    (length,) = _LENGTH.unpack(_read_exactly(link, _LENGTH.size, deadline))
    if length > _LARGEST:
        raise ValueError("too large")
    return json.loads(_read_exactly(link, length, deadline))


def _read_exactly(link: socket.socket, length: int, deadline: float) -> bytes:
    data = bytearray()
    while len(data) < length:
        link.settimeout(max(deadline - time.monotonic(), 0.001))
        part = link.recv(min(length - len(data), 1 << 16))
        if not part:
            raise EOFError
        data += part
    return bytes(data)
