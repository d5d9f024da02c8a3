"""Does a model add to the drafts, and does everything stand when it does not?"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gitnotes.config import Settings
from gitnotes.read.diff import read_staged
from gitnotes.read.git import open_git
from gitnotes.recipes.asking import rank_texts
from tests.conftest import Repo
from tests.stub_server import Answer, serve

pytest.importorskip("openai")
pytest.importorskip("detect_secrets")

TEXT = (
    "Retry fetch when the connection breaks\n\nProxies close idle connections, so the first request failed."
)


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.commit("Add a client", {"client.py": "def fetch(url):\n    return get(url)\n"})
    repo.write(
        "client.py",
        "def fetch(url, retries=3):\n    # Retry when the connection breaks.\n    return get(url, retries)\n",
    )
    return repo


def suggest(repo: Repo, folder: Path, url: str, *arguments: str) -> tuple[int, str, str]:
    done = repo.run(
        sys.executable, "-m", "gitnotes", "suggest", "--model", "openai:stub", *arguments,
        OPENAI_BASE_URL=url, OPENAI_API_KEY="key-of-the-test", GITNOTES_CACHE=str(folder),
    )  # fmt: skip
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_the_better_text_comes_first(changed: Repo, tmp_path: Path) -> None:
    with serve(Answer(f"Sure! Here it is:\n\n```\n{TEXT}\n```")) as stub:
        code, out, _ = suggest(changed, tmp_path, stub.url, "--json")
        found = json.loads(out)
        assert code == 0 and found["text"].startswith("Retry fetch when the connection breaks")
        assert "model:stub" in found["signature"]
        asked = len(stub.calls)
        suggest(changed, tmp_path, stub.url)
        assert len(stub.calls) == asked  # the second try is free


def test_the_order_of_our_own_drafts_is_kept(changed: Repo) -> None:
    """A grade chooses worse among them than the drafter; it only holds a model's text against the first."""
    git = open_git(changed.path)
    change = read_staged(git)
    drafts = ["Update client.py", "Add retries parameter to fetch", "Change fetch"]
    assert rank_texts(git, Settings(), change, [], drafts) == drafts
    better = rank_texts(git, Settings(), change, [TEXT], drafts)
    assert better == [TEXT, *drafts]
    worse = rank_texts(git, Settings(), change, ["Fix bug"], ["Add retries parameter to fetch", *drafts])
    assert worse == ["Add retries parameter to fetch", "Fix bug", "Update client.py", "Change fetch"]


def test_an_invented_name_is_refused(changed: Repo, tmp_path: Path) -> None:
    with serve(Answer("Add retries to download_everything")) as stub:
        code, out, err = suggest(changed, tmp_path, stub.url)
    assert code == 0 and "download_everything" not in out and "refused" in err


@pytest.mark.parametrize(
    "answer",
    [Answer("gone", 404), Answer("bad key", 401), Answer("bad", 400), Answer(body=b"<html>"),
     Answer("I'm sorry, I can't."), Answer(""), Answer("slow", 429, {"retry-after": "100"})],
)  # fmt: skip
def test_the_draft_without_a_model_stands(changed: Repo, tmp_path: Path, answer: Answer) -> None:
    plain = changed.run(sys.executable, "-m", "gitnotes", "suggest").stdout.decode()
    started = time.monotonic()
    with serve(answer) as stub:
        code, out, err = suggest(changed, tmp_path, stub.url)
    assert code == 0 and out == plain
    assert err and "Traceback" not in err and "key-of-the-test" not in err
    assert time.monotonic() - started < 60


def test_a_dead_server(changed: Repo, tmp_path: Path) -> None:
    code, out, err = suggest(changed, tmp_path, "http://127.0.0.1:9/v1")
    assert code == 0 and out and "cannot be reached" in err


def test_nothing_is_sent_without_consent(changed: Repo, tmp_path: Path) -> None:
    code, out, err = suggest(changed, tmp_path, "https://model.example.com/v1")
    assert code == 2 and out == "" and "gitnotes consent model.example.com" in err


def test_why_and_hint(changed: Repo, tmp_path: Path) -> None:
    def respond(question: dict[str, Any], _: int) -> Answer:
        text = question["messages"][1]["content"]
        return Answer("Add retries to fetch" if "mention fetch" in text and "idle proxies" in text else "no")

    with serve(respond) as stub:
        _, out, _ = suggest(
            changed, tmp_path, stub.url, "--why", "There are idle proxies.", "--hint", "mention fetch"
        )
    assert "\n\nThere are idle proxies." in out


def test_why_needs_no_model(changed: Repo) -> None:
    done = changed.run(
        sys.executable, "-m", "gitnotes", "suggest", "--why", "Proxies close idle connections."
    )
    assert done.stdout.decode().rstrip().split("\n\n")[1] == "Proxies close idle connections."
    done = changed.run(sys.executable, "-m", "gitnotes", "suggest", "--hint", "x")
    assert done.returncode == 2


def test_no_proxy_sees_what_is_for_this_machine(changed: Repo, tmp_path: Path, monkeypatch: Any) -> None:
    with serve(Answer(TEXT)) as proxy, serve(Answer(TEXT)) as stub:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        code, _, _ = suggest(changed, tmp_path, stub.url)
    assert code == 0 and stub.calls and not proxy.calls


def test_the_first_texts_stand_when_the_second_try_fails(changed: Repo, tmp_path: Path) -> None:
    def respond(_: dict[str, Any], number: int) -> Answer:
        return Answer("Change things") if number < 2 else Answer("gone", 404)

    with serve(respond) as stub:
        code, out, err = suggest(changed, tmp_path, stub.url, "-n", "5")
    assert code == 0 and "Change things" in out and "not asked again" in err


def hooked(
    repo: Repo, folder: Path, url: str, model: str = "openai:stub", timeout: str = "30"
) -> tuple[str, str]:
    """The message file that the hook leaves, and what it says."""
    file = repo.path / ".git" / "COMMIT_EDITMSG"
    file.write_text("\n# Please enter the commit message\n")
    done = repo.run(
        sys.executable, "-m", "gitnotes", "hook", "prepare-commit-msg", str(file), GIT_EDITOR="vi",
        OPENAI_BASE_URL=url, OPENAI_API_KEY="key-of-the-test", GITNOTES_CACHE=str(folder),
        GITNOTES_MODEL=model, GITNOTES_TIMEOUT=timeout,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return file.read_text(), done.stderr.decode()


def test_the_hook_asks_the_model_of_the_settings(changed: Repo, tmp_path: Path) -> None:
    with serve(Answer(TEXT)) as stub:
        text, said = hooked(changed, tmp_path, stub.url)
    assert text.startswith(TEXT) and said == ""


def test_a_slow_model_costs_the_hook_its_share_of_the_time(changed: Repo, tmp_path: Path) -> None:
    with serve(Answer(TEXT, delay=60)) as stub:
        started = time.monotonic()
        text, said = hooked(changed, tmp_path, stub.url, timeout="10")
        assert time.monotonic() - started < 20
    assert "retries" in text and said.count("\n") == 1 and "did not answer in time" in said


@pytest.mark.parametrize("model", ["local:/nowhere/model", "openai:", "nothing"])
def test_a_model_that_is_not_there_costs_the_hook_a_line(changed: Repo, tmp_path: Path, model: str) -> None:
    text, said = hooked(changed, tmp_path, "http://127.0.0.1:9/v1", model)
    assert "retries" in text and said.count("\n") == 1 and "left out" in said


def test_a_clone_brings_no_model(changed: Repo, tmp_path: Path) -> None:
    changed.write(".gitnotes.toml", 'model = "openai:stub"\n')
    with serve(Answer(TEXT)) as stub:
        done = changed.run(
            sys.executable, "-m", "gitnotes", "suggest", OPENAI_BASE_URL=stub.url, OPENAI_API_KEY="none"
        )
        assert done.returncode == 0 and stub.calls == []


def test_the_settings_choose_a_model_and_the_command_none(changed: Repo, tmp_path: Path) -> None:
    changed.git("config", "gitnotes.model", "openai:stub")
    with serve(Answer(TEXT)) as stub:
        asked = []
        for arguments in ([], ["--model", "none"]):
            done = changed.run(
                sys.executable, "-m", "gitnotes", "suggest", *arguments,
                OPENAI_BASE_URL=stub.url, OPENAI_API_KEY="none", GITNOTES_CACHE=str(tmp_path),
            )  # fmt: skip
            assert done.returncode == 0
            asked.append(len(stub.calls))
    assert 0 < asked[0] == asked[1]
