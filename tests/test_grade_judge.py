"""Does `gitnotes grade --judge` stand beside the grade, say what it costs, and keep what was asked for?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Repo
from tests.stub_server import Answer, serve

pytest.importorskip("openai")
pytest.importorskip("detect_secrets")


@pytest.fixture
def history(repo: Repo) -> Repo:
    repo.commit("Add a client", {"client.py": "def fetch(url):\n    return get(url)\n"})
    repo.commit("Remove the login page", {"cache.py": "CACHE = {}\n"})
    return repo


def grade(repo: Repo, folder: Path, url: str, *arguments: str) -> tuple[int, str, str]:
    done = repo.run(
        sys.executable, "-m", "gitnotes", "grade", *arguments, "--judge", "--model", "openai:stub",
        OPENAI_BASE_URL=url, OPENAI_API_KEY="key-of-the-test", GITNOTES_CACHE=str(folder),
    )  # fmt: skip
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_scores_of_both_in_json(history: Repo, tmp_path: Path) -> None:
    def respond(question: dict[str, Any], _: int) -> Answer:
        fluency = "Rate the fluency" in question["messages"][1]["content"]
        return Answer("no idea") if fluency else Answer('{"score": 4}')

    with serve(respond) as stub:
        code, out, err = grade(history, tmp_path, stub.url, "HEAD", "--json")
    found = json.loads(out)
    assert code == 3 and "Judge: 5 calls for 1 text." in err
    assert "1 of 5 ratings of the judge are unscored" in err
    judge = found["judge"]
    assert judge["scores"]["relevance"] == 4 and judge["scores"]["fluency"] == "unscored"
    assert judge["overall"] == "unscored" and judge["unscored"]["fluency"]
    assert "answered-by:stub-1" in judge["signature"] and "key-of-the-test" not in out + err
    # The change has nothing of what the message says, and the judge gives full marks.
    assert any(flag.startswith("disputed") for flag in judge["flags"])


def test_a_range_is_judged_once(history: Repo, tmp_path: Path) -> None:
    with serve(Answer('{"score": 3}')) as stub:
        code, out, _ = grade(history, tmp_path, stub.url, "HEAD~1..HEAD", "--profile", "coderpe")
        assert code == 0 and "judge 3.00" in out
        assert len(stub.calls) == 4
        grade(history, tmp_path, stub.url, "HEAD~1..HEAD", "--profile", "coderpe")
        assert len(stub.calls) == 4


def test_sixteen_calls_for_four_roles(history: Repo, tmp_path: Path) -> None:
    roles = "reviewer,author,editor,analyst"
    with serve(Answer('{"score": 3}')) as stub:
        _, _, err = grade(history, tmp_path, stub.url, "HEAD", "--profile", "coderpe", "--roles", roles)
        assert "Judge: 16 calls for 1 text." in err and len(stub.calls) == 16


def test_nothing_of_the_author_is_sent_and_secrets_are_masked(history: Repo, tmp_path: Path) -> None:
    token = "gh" + "p_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z"
    history.commit(f"Set the token {token}", {"t.py": f"T = '{token}'\n"})
    with serve(Answer('{"score": 3}')) as stub:
        grade(history, tmp_path, stub.url, "HEAD")
    sent = json.dumps(stub.calls)
    author = history.git("log", "-1", "--format=%an <%ae>")
    assert token not in sent and "<redacted:github-token>" in sent
    assert author.split(" <")[1] not in sent


def test_consent_comes_first(history: Repo, tmp_path: Path) -> None:
    code, _, err = grade(history, tmp_path, "https://judge.example.com/v1", "HEAD")
    assert code == 2 and "gitnotes consent judge.example.com" in err
    done = history.run(sys.executable, "-m", "gitnotes", "consent", "judge.example.com")
    assert done.returncode == 0 and b"judge.example.com" in done.stdout
    assert "judge.example.com" in history.git("config", "--local", "--get-all", "gitnotes.consent")
    history.run(sys.executable, "-m", "gitnotes", "consent", "--revoke", "judge.example.com")
    code, _, err = grade(history, tmp_path, "https://judge.example.com/v1", "HEAD")
    assert code == 2


@pytest.mark.parametrize(("answer", "word"), [(Answer("gone", 404), "404"), (Answer("bad", 401), "401")])
def test_a_server_that_fails_is_one_sentence(
    history: Repo, tmp_path: Path, answer: Answer, word: str
) -> None:
    with serve(answer) as stub:
        code, _, err = grade(history, tmp_path, stub.url, "HEAD")
    assert code == 4 and word in err and "Traceback" not in err
    assert len(err.strip().split("\n")) == 2


def test_a_budget(history: Repo, tmp_path: Path) -> None:
    with serve(Answer('{"score": 3}')) as stub:
        _, out, err = grade(history, tmp_path, stub.url, "HEAD", "--max-calls", "2", "--json")
        assert len(stub.calls) == 2 and "2 at most" in err
    assert "budget" in json.dumps(json.loads(out)["judge"]["unscored"])


def test_steps_and_reference_are_shown(history: Repo, tmp_path: Path) -> None:
    with serve(Answer('{"score": 3}')) as stub:
        code, _, _ = grade(
            history, tmp_path, stub.url, "HEAD", "--steps", "--reference", "Keep pages in a cache"
        )
    asked = [call["messages"][1]["content"] for call in stub.calls]
    assert code == 0 and all("reference commit message]\nKeep pages in a cache" in text for text in asked)
    assert sum("Go about it like this:" in text for text in asked) == 4  # rationale has no steps


def test_limits_of_tokens_and_seconds(history: Repo, tmp_path: Path) -> None:
    with serve(Answer('{"score": 3}')) as stub:
        _, out, err = grade(history, tmp_path, stub.url, "HEAD", "--max-tokens", "1", "--json")
    assert "1 tokens at most" in err and len(stub.calls) < 5
    assert "budget of tokens" in json.dumps(json.loads(out)["judge"]["unscored"])
    started = time.monotonic()
    with serve(Answer('{"score": 3}', delay=60)) as stub:
        _, out, err = grade(history, tmp_path / "b", stub.url, "HEAD", "--max-seconds", "1.5", "--json")
    assert "1.5 seconds at most" in err and len(stub.calls) <= 4
    assert time.monotonic() - started < 30, "a call that is under way ends with the budget"
    assert set(json.loads(out)["judge"]["unscored"].values()) == {"the budget of time is used up"}


def test_tokens_that_no_server_counts_are_estimated(history: Repo, tmp_path: Path) -> None:
    told = {
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": '{"score": 3}'}}],
    }
    with serve(Answer(body=json.dumps(told).encode())) as stub:
        _, out, _ = grade(history, tmp_path, stub.url, "HEAD~1..HEAD", "--max-tokens", "1", "--json")
    assert 0 < len(stub.calls) < 5
    assert "budget of tokens" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ("grade", "HEAD", "--judge"),
        ("grade", "HEAD", "--judge", "pair", "--reference", "Keep pages in a cache"),
        ("judge-check", "openai:stub", "-n", "5"),
        ("release", "HEAD~1..HEAD", "--grade", "--judge"),
    ],
)
def test_ctrl_c_waits_for_no_answer(history: Repo, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    for number in range(4):
        history.commit(f"Add page {number}", {f"page{number}.py": f"PAGE = {number}\n"})
    model = () if arguments[0] == "judge-check" else ("--model", "openai:stub")
    with serve(Answer('{"score": 3}', delay=60)) as stub:
        running = subprocess.Popen(
            [sys.executable, "-m", "gitnotes", *arguments, *model],
            cwd=history.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "OPENAI_BASE_URL": stub.url, "OPENAI_API_KEY": "k",
                 "GITNOTES_CACHE": str(tmp_path)},
        )  # fmt: skip
        wait_for(lambda: len(stub.calls) >= 2)
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=20)
    assert running.returncode == 130 and b"Traceback" not in told and len(stub.calls) <= 5


def test_nothing_more_is_asked_when_the_reader_has_left(history: Repo, tmp_path: Path) -> None:
    for number in range(12):
        history.commit(f"Add page {number}", {f"page{number}.py": f"PAGE = {number}\n"})
    with serve(Answer('{"score": 3}', delay=0.1)) as stub:
        running = subprocess.Popen(
            [sys.executable, "-m", "gitnotes", "grade", "HEAD~12..HEAD", "--judge", "--model", "openai:stub"],
            cwd=history.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "OPENAI_BASE_URL": stub.url, "OPENAI_API_KEY": "k",
                 "GITNOTES_CACHE": str(tmp_path)},
        )  # fmt: skip
        assert running.stdout is not None and running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        running.wait(timeout=30)
        running.stderr.close()
    assert len(stub.calls) < 12 * 5


def test_what_a_range_may_cost_is_said_for_all_of_it(history: Repo, tmp_path: Path) -> None:
    history.commit("Add a page", {"page.py": "PAGE = 1\n"})
    with serve(Answer('{"score": 3}')) as stub:
        _, _, err = grade(
            history, tmp_path, stub.url, "HEAD~2..HEAD", "--profile", "coderpe", "--max-calls", "3"
        )
    assert "Judge: 4 calls for each of 2 texts, 8 in all, 3 at most." in err


def test_a_reply_that_cannot_be_read_is_kept(history: Repo, tmp_path: Path) -> None:
    with serve(Answer("It is \x1b[2Jsplendid.")) as stub:
        _, out, _ = grade(history, tmp_path, stub.url, "HEAD", "--profile", "coderpe", "--json")
    replies = json.loads(out)["judge"]["replies"]
    assert len(replies) == 4 and "fluency (reviewer): It is splendid." in replies


def check(repo: Repo, folder: Path, url: str, *arguments: str) -> tuple[int, str, str]:
    done = repo.run(
        sys.executable, "-m", "gitnotes", "judge-check", "openai:stub", *arguments,
        OPENAI_BASE_URL=url, OPENAI_API_KEY="k", GITNOTES_CACHE=str(folder),
    )  # fmt: skip
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def pages(history: Repo) -> Repo:
    for number in range(5):
        history.commit(f"Add page {number}", {f"page{number}.py": f"PAGE = {number}\n"})
    return history


def test_a_budget_that_ends_early_says_nothing_about_the_judge(pages: Repo, tmp_path: Path) -> None:
    with serve(Answer('{"score": 3}')) as stub:
        code, out, err = check(pages, tmp_path, stub.url, "-n", "5", "--max-calls", "7")
        assert code == 3 and "budget" in err and not out and len(stub.calls) == 7
        code, out, err = check(pages, tmp_path, stub.url, "-n", "5")
        assert code == 1 and "Not fit" in out and len(stub.calls) == 25 * 5, "the rest was asked, once"
    assert "Judge: 5 calls for each of 25 texts, 125 in all." in err


def test_why_texts_have_no_score_is_said(pages: Repo, tmp_path: Path) -> None:
    with serve(Answer("I will not rate this.")) as stub:
        code, out, _ = check(pages, tmp_path, stub.url, "-n", "5", "--profile", "coderpe")
    assert code == 1 and "25 of 25 texts are unscored (refusal)" in out


@pytest.mark.parametrize(
    "arguments", [("--profile", "release"), ("--max-seconds", "nan"), ("--form", "essay")]
)
def test_odd_options_of_a_check(pages: Repo, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    with serve(Answer('{"score": 3}')) as stub:
        code, _, err = check(pages, tmp_path, stub.url, *arguments)
    assert code == 2 and not stub.calls and "Traceback" not in err


def judge_note(repo: Repo, folder: Path, url: str, *arguments: str) -> tuple[int, str, str]:
    done = repo.run(
        sys.executable, "-m", "gitnotes", "release", "HEAD~3..HEAD", "--grade", "--model", "openai:stub",
        "--json", *arguments, OPENAI_BASE_URL=url, OPENAI_API_KEY="k", GITNOTES_CACHE=str(folder),
    )  # fmt: skip
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_note_without_a_score_says_so(pages: Repo, tmp_path: Path) -> None:
    with serve(Answer('{"score": 3}')) as stub:
        code, out, err = judge_note(pages, tmp_path, stub.url, "--judge")
        assert code == 0 and "Judge: 4 calls." in err and "not covered" not in err
        judgement = json.loads(out)["judgement"]
        assert judgement["scores"]["completeness"] == judgement["overall"] == "unscored"
        assert judgement["unscored"]["completeness"] and not judgement["explanations"]
        code, _, err = judge_note(pages, tmp_path, stub.url, "--judge=pair")
        assert code == 2 and "judges the draft" in err


def wait_for(arrived: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not arrived():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_pair_is_asked_about_in_both_orders(history: Repo, tmp_path: Path) -> None:
    def respond(question: dict[str, Any], _: int) -> Answer:
        text = question["messages"][1]["content"]
        first = text.index("Keep pages") < text.index("Remove the login")
        return Answer(json.dumps({"better": "first" if first else "second"}))

    with serve(respond) as stub:
        code, out, err = judge_pair(history, tmp_path, stub.url)
    judge = json.loads(out)["judge"]
    assert code == 0 and "Judge: 2 calls for 1 text." in err and len(stub.calls) == 2
    assert judge["scores"] == {"preference": 0.0} and not judge["flags"]
    with serve(Answer('{"better": "first"}')) as stub:
        _, out, _ = judge_pair(history, tmp_path / "b", stub.url)
    assert json.loads(out)["judge"]["overall"] == 2 and "order" in json.loads(out)["judge"]["flags"][0]


def judge_pair(repo: Repo, folder: Path, url: str) -> tuple[int, str, str]:
    done = repo.run(
        sys.executable, "-m", "gitnotes", "grade", "HEAD", "--judge", "pair", "--model", "openai:stub",
        "--reference", "Keep pages in a cache", "--json",
        OPENAI_BASE_URL=url, OPENAI_API_KEY="k", GITNOTES_CACHE=str(folder),
    )  # fmt: skip
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_judge_that_is_credited_is_doubted(history: Repo, tmp_path: Path) -> None:
    history.commit("Add a page\n\nAssisted-by: stub-1", {"page.py": "PAGE = 1\n"})
    with serve(Answer('{"score": 3}')) as stub:
        _, out, _ = grade(history, tmp_path, stub.url, "HEAD", "--json")
    assert any("self-preference" in flag for flag in json.loads(out)["judge"]["flags"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("--judge",),
        ("--model", "openai:x"),
        ("--judge", "likelihood", "--model", "openai:x"),
        ("--judge", "pair", "--model", "openai:x"),
        ("--judge", "--model", "openai:x", "--profile", "release"),
        ("--judge", "--model", "openai:x", "--max-seconds", "nan"),
        ("--judge", "--model", "openai:x", "--max-seconds", "inf"),
        ("--judge", "--model", "openai:x", "--rules"),
        ("--judge", "--model", "openai:x", "--profile", "checklist", "--form", "rate-explain"),
        ("--judge", "pair", "--model", "openai:x", "--reference", "Fix it", "--steps"),
        ("--judge", "--model", "openai:x", "--format", "junit"),
        ("--judge", "--model", "openai:x", "--format", "markdown"),
    ],
)
def test_incomplete_options(history: Repo, arguments: tuple[str, ...]) -> None:
    done = history.run(sys.executable, "-m", "gitnotes", "grade", "HEAD", *arguments)
    assert done.returncode == 2 and b"Traceback" not in done.stderr
