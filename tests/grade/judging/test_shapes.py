"""What does a judgement make of every kind of answer that a server can give?"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from typing import Any

import pytest

from gitnotes.errors import ModelError
from gitnotes.grade.judging.asking import Plan
from gitnotes.grade.judging.judge import judge_texts
from gitnotes.grade.judging.questions import Case
from gitnotes.grade.judging.rubric import find_profile
from gitnotes.records import Judgement
from tests.stub_server import Answer, Respond, Stub, serve

pytest.importorskip("openai")
pytest.importorskip("detect_secrets")

CASE = Case("-a\n+b", "Rename a to b")
GOOD = Answer('{"score": 3}')


def judge(stub: Stub, **options: Any) -> Judgement:
    from gitnotes.draft.models.endpoint import Endpoint

    plan = Plan(find_profile("coderpe"), workers=1, **options)
    (found,) = judge_texts([CASE], plan, Endpoint("stub", base_url=stub.url), salt=b"x")
    return found


def refusing(option: str) -> Respond:
    def respond(question: dict[str, Any], _: int) -> Answer:
        return Answer(f"{option} is not supported", 400) if option in question else GOOD

    return respond


@pytest.mark.parametrize("option", ["response_format", "temperature", "logprobs"])
def test_a_refused_option_costs_one_call_and_no_score(option: str) -> None:
    with serve(refusing(option)) as stub:
        found = judge(stub)
    assert found.overall == 3 and not found.unscored
    assert option in found.signature.settings["without"].split(",")
    refusals = 2 if option == "response_format" else 1  # the schema, then any JSON
    assert len(stub.calls) == 4 + refusals


def test_too_many_requests_are_waited_for_as_long_as_the_server_says() -> None:
    def respond(_: dict[str, Any], number: int) -> Answer:
        return Answer("slow down", 429, {"retry-after": "0.4"}) if number == 0 else GOOD

    started = time.monotonic()
    with serve(respond) as stub:
        found = judge(stub)
    assert found.overall == 3 and len(stub.calls) == 5 and time.monotonic() - started >= 0.4


def test_an_answer_that_was_cut_off_is_asked_for_again_and_then_unscored() -> None:
    with serve(Answer('{"sco', finish="length")) as stub:
        found = judge(stub)
    assert found.overall is None and len(stub.calls) == 8
    assert all("cut off" in reason for reason in found.unscored.values())
    assert set(found.scores.values()) == {None}


def test_log_probabilities_are_used_where_there_are_any() -> None:
    def token(text: str, *others: tuple[str, float]) -> dict[str, Any]:
        top = [{"token": name, "logprob": math.log(share), "bytes": None} for name, share in others]
        return {"token": text, "logprob": math.log(0.5) - 1e-9, "bytes": None, "top_logprobs": top}

    told = [
        token('{"'),
        token("score"),
        token('":'),
        token(" "),
        token("3", ("3", 0.5), ("4", 0.5)),
        token("}"),
    ]
    with serve(Answer('{"score": 3}', logprobs=told)) as stub:
        found = judge(stub)
    assert found.overall == pytest.approx(3.5) and set(found.sources.values()) == {"logprobs"}
    with serve(GOOD) as stub:
        found = judge(stub)
    assert found.overall == 3 and set(found.sources.values()) == {"sample"}


def test_a_slow_server_is_given_up_in_time() -> None:
    started = time.monotonic()
    with serve(Answer('{"score": 3}', delay=1.5)) as stub, pytest.raises(ModelError, match="in time"):
        judge(stub, call_seconds=0.3)
    assert time.monotonic() - started < 6


def test_a_dead_server_is_said_to_be_dead() -> None:
    with serve(GOOD) as stub:
        pass
    with pytest.raises(ModelError, match="cannot be reached"):
        judge(stub)


def test_a_server_that_dies_for_good_is_waited_for_once() -> None:
    from gitnotes.draft.models.endpoint import Endpoint

    stub = Stub(lambda _question, _number: GOOD)

    def cases() -> Iterator[Case]:
        yield CASE
        while len(stub.calls) < 4:
            time.sleep(0.01)
        time.sleep(0.2)
        stub.close()
        yield Case("-a\n+c", "Rename a to c")
        yield Case("-a\n+d", "Rename a to d")

    plan = Plan(find_profile("coderpe"), workers=1, call_seconds=1.5)
    started = time.monotonic()
    first, *rest = judge_texts(cases(), plan, Endpoint("stub", base_url=stub.url), salt=b"x")
    assert first.overall == 3 and [item.overall for item in rest] == [None, None]
    assert all("cannot be reached" in reason for item in rest for reason in item.unscored.values())
    assert time.monotonic() - started < 6, "eight questions that each wait would take twice as long"


@pytest.mark.parametrize(
    "body", [b"", b"<html>busy</html>", b"[]", b'{"choices": []}', b"\xff\xfe", b"3", b"null", b"[" * 200_000]
)
def test_what_is_no_answer_is_a_sentence(body: bytes) -> None:
    with serve(Answer(body=body)) as stub, pytest.raises(ModelError) as caught:
        judge(stub)
    assert "answers in a form" in caught.value.message or "cannot be reached" in caught.value.message


def told(**changes: Any) -> Answer:
    """A good answer with some of its parts changed, as no client checks them."""
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": '{"score": 3}'},
    }
    body = {"model": "stub-1", "choices": [{**choice, **changes.pop("choice", {})}], **changes}
    return Answer(body=json.dumps(body).encode())


@pytest.mark.parametrize(
    "usage", [None, [1], "many", {}, {"prompt_tokens": "11"}, {"prompt_tokens": -1}, {"prompt_tokens": 1e30}]
)
def test_tokens_that_are_no_number_are_not_counted(usage: Any) -> None:
    with serve(told(usage=usage)) as stub:
        found = judge(stub)
    assert found.overall == 3 and found.tokens is None


@pytest.mark.parametrize(
    "content",
    [
        "abc",
        [1, 2],
        {"tokens": ["3"]},
        [{"token": '{"score": '}, {"token": "3"}],
        [{"token": '{"score": ', "logprob": -0.1}, {"token": "3", "logprob": None, "top_logprobs": []}],
        [{"token": '{"score": ', "logprob": -0.1}, {"token": "3", "logprob": "x", "top_logprobs": []}],
        [{"token": None, "logprob": -0.1, "top_logprobs": []}],
        [{"token": '{"score": ', "logprob": -0.1}, {"token": "3", "logprob": 9e9, "top_logprobs": [{}]}],
        [{"token": '{"score": 3}', "logprob": -0.1, "top_logprobs": [{"token": None, "logprob": None}]}],
    ],
)
def test_log_probabilities_of_another_shape_are_none(content: Any) -> None:
    with serve(told(choice={"logprobs": {"content": content}})) as stub:
        found = judge(stub)
    assert found.overall == 3 and set(found.sources.values()) == {"sample"}


def test_the_name_of_a_model_cannot_act_or_fill_the_screen() -> None:
    with serve(told(model="a\x1b]0;x\x07\u202eb" + "m" * 100_000)) as stub:
        line = str(judge(stub).signature)
    assert len(line) < 600 and line.isprintable()


def test_a_reply_with_half_a_character_is_asked_for_again() -> None:
    """It is shown to the model once more, and cannot be sent as it is."""
    with serve(told(choice={"message": {"role": "assistant", "content": "\ud800<|im_end|>no"}})) as stub:
        found = judge(stub)
    assert found.overall is None and len(stub.calls) == 8
    assert "<|im_end|>" not in json.dumps(stub.calls)


def test_nothing_is_said_for_a_model_that_said_nothing() -> None:
    with serve(told(choice={"message": {"role": "assistant", "content": None}})) as stub:
        judge(stub)
    assert all(message["content"] for call in stub.calls for message in call["messages"])
