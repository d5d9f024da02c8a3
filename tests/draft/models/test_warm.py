"""Does a warm model answer its owner, survive bad questions, and end by itself?"""

from __future__ import annotations

import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from gitnotes.draft.models import warm
from gitnotes.errors import ModelError, UsageError
from gitnotes.generation import Completion, Request, Token, Tuning, Turn
from gitnotes.records import Signature

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="there are no Unix sockets here")


class Loaded:
    """Stands for a loaded model."""

    signature = Signature("local", "1", {"model": "m"})
    context = 512
    tuning: Tuning | None = None

    def count_tokens(self, text: str) -> int:
        return len(text)

    def complete(self, request: Request, watch: Callable[[str], None] | None = None) -> list[Completion]:
        if request.turns[0].text == "fail":
            raise ModelError("It failed.", "Do this.")
        if request.turns[0].text == "crash":
            raise RuntimeError("\x1b[31m")
        if request.turns[0].text == "slow":
            time.sleep(1.0)
        return [Completion(f"echo {request.turns[0].text}", "m", tokens=(Token("a", -1.0, (("b", -2.0),)),))]

    def log_probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [-float(len(text)) for _, text in pairs]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GITNOTES_RUNTIME", str(tmp_path))
    return warm.socket_path("m", None)


@pytest.fixture
def running(path: Path) -> Iterator[warm.WarmModel]:
    thread = threading.Thread(target=warm.serve, args=(Loaded(), path), daemon=True)
    thread.start()
    while not path.exists():
        time.sleep(0.01)
    model = warm.WarmModel(path)
    yield model
    model.stop()
    thread.join(10)
    assert not thread.is_alive() and not path.exists()


def ask(text: str, seconds: float = 30.0) -> Request:
    return Request((Turn("user", text),), schema={"type": "object"}, timeout=seconds)


def test_answers(running: warm.WarmModel) -> None:
    assert running.signature == Loaded.signature and running.context == 512
    assert running.count_tokens("abc") == 3
    (found,) = running.complete(ask("Ünïcode"))
    assert found.text == "echo Ünïcode" and found.tokens == (Token("a", -1.0, (("b", -2.0),)),)
    assert running.log_probabilities([("a", "bc"), ("", "d")]) == [-2.0, -1.0]


def test_it_is_found_by_name(running: warm.WarmModel) -> None:
    assert warm.find_warm("m", None) is not None
    assert warm.find_warm("another", None) is None


def test_only_the_owner_may_enter(running: warm.WarmModel, path: Path) -> None:
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def test_failures_are_told_and_survived(running: warm.WarmModel) -> None:
    with pytest.raises(ModelError, match=r"It failed\. Do this\."):
        running.complete(ask("fail"))
    with pytest.raises(ModelError) as caught:
        running.complete(ask("crash"))
    assert "\x1b" not in str(caught.value)
    assert running.complete(ask("still there"))[0].text == "echo still there"


def test_bad_questions_do_no_harm(running: warm.WarmModel, path: Path) -> None:
    for data in (
        b"",
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x02{]",
        b"\x00\x00\x00\x02{}",
        b"GET / HTTP/1.1\r\n\r\n",
    ):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.connect(str(path))
            link.sendall(data)
    assert running.count_tokens("a") == 1


def test_a_slow_answer_is_given_up(running: warm.WarmModel) -> None:
    started = time.monotonic()
    with pytest.raises(ModelError, match="in time"):
        running.complete(ask("slow", 0.2))
    assert time.monotonic() - started < 0.9


def test_a_second_process_is_refused(running: warm.WarmModel, path: Path) -> None:
    with pytest.raises(UsageError, match="warm already"):
        warm.serve(Loaded(), path)  # type: ignore[arg-type]
    assert running.count_tokens("a") == 1


def test_it_ends_when_nobody_asks(path: Path) -> None:
    warm.serve(Loaded(), path, idle_minutes=0.0)  # type: ignore[arg-type]
    assert not path.exists()


def test_a_socket_that_was_left_is_replaced(path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(path))
    assert warm.find_warm("m", None) is None
    warm.serve(Loaded(), path, idle_minutes=0.0)  # type: ignore[arg-type]
    assert not path.exists()


def test_a_folder_of_others_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITNOTES_RUNTIME", str(tmp_path))
    (tmp_path / "gitnotes").mkdir()
    (tmp_path / "gitnotes").chmod(0o777)
    with pytest.raises(UsageError, match="not yours alone"):
        warm.socket_path("m", None)
    assert warm.find_warm("m", None) is None


def test_tells_how_its_adapter_wants_to_be_asked(path: Path) -> None:
    loaded = Loaded()
    loaded.tuning = Tuning("base", "0123", 200)
    thread = threading.Thread(target=warm.serve, args=(loaded, path), daemon=True)
    thread.start()
    while not path.exists():
        time.sleep(0.01)
    model = warm.WarmModel(path)
    assert model.tuning == loaded.tuning
    model.stop()
    thread.join(10)
