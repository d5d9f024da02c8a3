"""Does a batch of a thousand messages survive the death of the judge and of the server, and pay once?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.stub_server import Answer, Stub, serve

pytest.importorskip("openai")
pytest.importorskip("detect_secrets")

MESSAGES = 1000
WORKERS = 4
PROGRAM = f"""
import sys
from pathlib import Path
from gitnotes.draft.models.endpoint import Endpoint
from gitnotes.grade.judging.asking import Plan
from gitnotes.grade.judging.cache import AnswerCache
from gitnotes.grade.judging.judge import judge_texts
from gitnotes.grade.judging.questions import Case
from gitnotes.grade.judging.rubric import find_profile

cases = [Case("+x", f"Add part number {{number}} of it") for number in range({MESSAGES})]
plan = Plan(find_profile("checklist"), workers={WORKERS})
with AnswerCache(Path(sys.argv[1])) as cache:
    found = judge_texts(cases, plan, Endpoint("stub"), salt=b"x", cache=cache)
    unscored = calls = cached = 0
    for judgement in found:
        unscored += judgement.overall is None
        calls += judgement.calls
        cached += judgement.cached
print(unscored, calls, cached)
"""
YES = json.dumps(
    dict.fromkeys(("act", "object", "supported", "direction", "whole", "reason", "readable", "other"), "yes")
)


def start(url: str, cache: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(cache)],
        env={**os.environ, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k"},
        stdout=subprocess.PIPE,
    )


def wait_for(calls: list[dict[str, Any]], number: int) -> None:
    deadline = time.monotonic() + 120
    while len(calls) < number and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(calls) >= number


@contextmanager
def serve_at(port: int) -> Iterator[Stub]:
    with serve(Answer(YES), port=port) as stub:
        yield stub


def questions(*stubs: Stub) -> Counter[str]:
    return Counter(json.dumps(call["messages"]) for stub in stubs for call in stub.calls)


def paid(*stubs: Stub) -> set[str]:
    """What a gateway that knows its questions again by their key would charge for."""
    return {
        value
        for stub in stubs
        for headers in stub.headers
        for name, value in headers.items()
        if name.lower() == "idempotency-key"
    }


def test_a_question_is_known_again_by_its_header() -> None:
    """So that a gateway that keeps answers charges nothing for what a killed process had asked."""
    from gitnotes.draft.models.endpoint import Endpoint
    from gitnotes.grade.judging.asking import Plan
    from gitnotes.grade.judging.judge import judge_texts
    from gitnotes.grade.judging.questions import Case
    from gitnotes.grade.judging.rubric import find_profile

    plan = Plan(find_profile("checklist"), turns=2, workers=1)
    keys = []
    with serve(Answer(YES)) as stub:
        for text in ("Add retry", "Add retry", "Add cache"):
            stub.headers.clear()
            list(judge_texts([Case("+x", text)], plan, Endpoint("stub", base_url=stub.url), salt=b"x"))
            keys.append(paid(stub))
    first, again, other = keys
    assert first == again
    assert len(first) == 2, "each turn is a question of its own"
    assert not first & other


def test_what_is_asked_in_another_form_has_another_key() -> None:
    from gitnotes.draft.models.endpoint import Endpoint
    from gitnotes.generation import Request, Turn

    def respond(question: dict[str, Any], number: int) -> Answer:
        return Answer("temperature is not known", 400) if "temperature" in question else Answer(YES)

    with serve(respond) as stub:
        Endpoint("stub", base_url=stub.url).complete(Request((Turn("user", "x"),), once="k"))
    assert paid(stub) == {"k", "k-temperature"}


def test_a_thousand_messages(tmp_path: Path) -> None:
    cache = tmp_path / "judge.sqlite"
    with serve(Answer(YES)) as first:
        killed = start(first.url, cache)
        wait_for(first.calls, 300)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        before_kill = len(first.calls)
        batch = start(first.url, cache)
        wait_for(first.calls, before_kill + 200)
        port = int(first.url.rpartition(":")[2].partition("/")[0])
    # The server is gone, and begins anew while the batch goes on.
    time.sleep(1.0)
    with serve_at(port) as second:
        out, _ = batch.communicate(timeout=120)
        told = [int(number) for number in out.split()]
        unscored, calls, cached = told
        asked = questions(first, second)
        assert batch.returncode == 0 and unscored == 0
        assert len(asked) == MESSAGES and calls + cached == MESSAGES
        # Only what was on its way when a process was killed can be asked again: one for each worker.
        assert sum(asked.values()) - MESSAGES <= 2 * WORKERS
        assert len(paid(first, second)) == MESSAGES
        assert cached >= before_kill - WORKERS
        again = start(second.url, cache)
        out, _ = again.communicate(timeout=120)
        assert [int(number) for number in out.split()] == [0, 0, MESSAGES]
        assert sum(questions(first, second).values()) == sum(asked.values())


def test_a_form_that_is_refused_to_all_at_once_costs_no_message(tmp_path: Path) -> None:
    """All workers are refused the same form at the same time; each must only learn from it."""
    from gitnotes.draft.models.endpoint import Endpoint
    from gitnotes.grade.judging.asking import Plan
    from gitnotes.grade.judging.judge import judge_texts
    from gitnotes.grade.judging.questions import Case
    from gitnotes.grade.judging.rubric import find_profile

    together = threading.Barrier(WORKERS, timeout=10)

    def respond(question: dict[str, Any], number: int) -> Answer:
        if number < WORKERS:
            together.wait()
        kind = question.get("response_format", {}).get("type")
        return Answer("response_format is not known", 400) if kind == "json_schema" else Answer(YES)

    plan = Plan(find_profile("checklist"), workers=WORKERS)
    cases = [Case("+x", f"Add part {number}") for number in range(2 * WORKERS)]
    with serve(respond) as stub:
        found = list(judge_texts(cases, plan, Endpoint("stub", base_url=stub.url), salt=b"x"))
    assert all(judgement.overall is not None for judgement in found)
    assert {call.get("response_format", {}).get("type") for call in stub.calls} == {
        "json_schema", "json_object",
    }  # fmt: skip
