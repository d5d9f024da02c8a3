"""Does every server, however it behaves, end in an answer or in one sentence, and in time?"""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

pytest.importorskip("openai")

from gitnotes.draft.models.endpoint import Endpoint, base_url_of, is_on_this_machine
from gitnotes.errors import ModelError, UsageError
from gitnotes.generation import Request, Turn
from tests.stub_server import Answer, Stub, serve

KEY = "sk-made-up-key-for-this-test"


def ask(stub: Stub, monkeypatch: pytest.MonkeyPatch, *, retries: int = 3, **options: Any) -> Any:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    request = Request((Turn("system", "s"), Turn("user", "u")), **{"timeout": 20.0, **options})
    return Endpoint("m", base_url=stub.url, retries=retries).complete(request)


def test_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(Answer("Add retry")) as stub:
        (found,) = ask(stub, monkeypatch, seed=3, stop=("\n\n\n",))
        assert (found.text, found.model, found.finish, found.prompt_tokens) == (
            "Add retry",
            "stub-1",
            "stop",
            11,
        )
        (question,) = stub.calls
        assert question["temperature"] == 0.0 and question["seed"] == 3 and question["stop"] == ["\n\n\n"]
        assert [turn["role"] for turn in question["messages"]] == ["system", "user"]


def test_several_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(Answer("Add retry")) as stub:
        assert len(ask(stub, monkeypatch, count=3, temperature=0.7)) == 3


def test_stream_is_shown_as_it_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    with serve(Answer("Add a retry")) as stub:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        (found,) = Endpoint("m", base_url=stub.url).complete(Request((Turn("user", "u"),)), seen.append)
    assert found.text.strip() == "Add a retry" and found.finish == "stop"
    assert seen[0].strip() == "Add" and len(seen) >= 3


def test_log_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    logprobs = [{"token": "4", "logprob": -0.1, "bytes": None,
                 "top_logprobs": [{"token": "3", "logprob": -2.0, "bytes": None}]}]  # fmt: skip
    with serve(Answer("4", logprobs=logprobs)) as stub:
        (found,) = ask(stub, monkeypatch, top_logprobs=5)
    assert found.tokens[0].text == "4" and found.tokens[0].alternatives == (("3", -2.0),)


@pytest.mark.parametrize("option", ["temperature", "response_format", "logprobs", "seed"])
def test_a_refused_option_is_left_out_from_then_on(monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    def respond(question: dict[str, Any], _: int) -> Answer:
        return Answer(f"unsupported parameter: {option}", 400) if option in question else Answer("ok")

    with serve(respond) as stub:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        endpoint = Endpoint("m", base_url=stub.url)
        request = Request((Turn("user", "u"),), seed=1, schema={"type": "object"}, top_logprobs=3)
        assert endpoint.complete(request)[0].text == "ok"
        before = len(stub.calls)
        assert endpoint.complete(request)[0].text == "ok"
        assert len(stub.calls) == before + 1


def test_schema_falls_back_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    def respond(question: dict[str, Any], _: int) -> Answer:
        return Answer("bad response_format", 400) if "response_format" in question else Answer("ok")

    with serve(respond) as stub:
        ask(stub, monkeypatch, schema={"type": "object"})
        assert [call.get("response_format", {}).get("type") for call in stub.calls] == [
            "json_schema", "json_object", None,
        ]  # fmt: skip


def test_max_tokens_has_a_new_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def respond(question: dict[str, Any], _: int) -> Answer:
        return Answer("max_tokens is not supported", 400) if "max_tokens" in question else Answer("ok")

    with serve(respond) as stub:
        ask(stub, monkeypatch, max_tokens=7)
        assert stub.calls[-1]["max_completion_tokens"] == 7


def test_overload_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def respond(_: dict[str, Any], number: int) -> Answer:
        return Answer("slow down", 429, {"retry-after": "0.1"}) if number < 2 else Answer("ok")

    with serve(respond) as stub:
        assert ask(stub, monkeypatch)[0].text == "ok"
        assert len(stub.calls) == 3


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (Answer("bad key " + KEY, 401), "401"),
        (Answer("no such model", 404), "404"),
        (Answer("always", 400), "400"),
        (Answer("always", 500), "500"),
        (Answer(body=b"<html>proxy</html>", headers={"content-type": "text/html"}), "form"),
        (Answer(body=b"not json"), ""),
        (Answer(body=b"{}"), "form"),
        (Answer(body=b'{"choices": []}'), "form"),
        (Answer("x", 302, {"location": "https://example.com/"}), "elsewhere"),
        (Answer("\x1b[2J\u202eoops", 403), "oops"),
    ],
)  # fmt: skip
def test_failures_are_one_sentence(monkeypatch: pytest.MonkeyPatch, answer: Answer, word: str) -> None:
    with serve(answer) as stub, pytest.raises(ModelError) as caught:
        ask(stub, monkeypatch, retries=0)
    told = str(caught.value)
    assert word in told
    assert KEY not in told and "\x1b" not in told and "\n" not in told


def test_no_text_is_an_empty_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(Answer(None, finish="content_filter")) as stub:
        (found,) = ask(stub, monkeypatch)
    assert (found.text, found.finish) == ("", "other")


@pytest.mark.parametrize(
    "answer", [Answer(delay=30), Answer(drip=0.2), Answer("x", 503, {"retry-after": "60"})]
)
def test_never_longer_than_agreed(monkeypatch: pytest.MonkeyPatch, answer: Answer) -> None:
    started = time.monotonic()
    with serve(answer) as stub, pytest.raises(ModelError):
        ask(stub, monkeypatch, timeout=1.0)
    assert time.monotonic() - started < 10


def test_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(ModelError, match="cannot be reached"):
        Endpoint("m", base_url=f"http://127.0.0.1:{port}/v1").complete(Request((Turn("user", "u"),)))


@pytest.mark.parametrize(
    "url", ["ftp://x/v1", "localhost:1", "http://", "http://a:b@host/v1", "http://[::1", "x"]
)
def test_bad_address(url: str) -> None:
    with pytest.raises(UsageError):
        base_url_of(url)


def test_a_hosted_server_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="key"):
        Endpoint("m", base_url="https://example.com/v1")


@pytest.mark.parametrize(
    ("url", "here"),
    [("http://localhost:1/v1", True), ("http://127.0.0.9/v1", True), ("http://[::1]:8/v1", True),
     ("https://example.com/v1", False), ("http://10.0.0.1/v1", False),
     ("http://localhost.example.com", False)],
)  # fmt: skip
def test_where(url: str, here: bool) -> None:
    assert is_on_this_machine(url) is here
