"""Does everything but a model behind a server work where no socket may be used?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conftest import Repo

WATCH = """
import os, sys
def refuse(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.sendto") or (
        event in ("socket.connect", "socket.bind") and not isinstance(arguments[1], (str, bytes))
    ):
        with open(os.environ["SOCKETS_USED"], "a") as file:
            file.write(event + "\\n")
        raise OSError("there is no network")
sys.addaudithook(refuse)
"""

VERBS = {
    "suggest": ["suggest"],
    "suggest of a commit": ["suggest", "--commit", "HEAD", "-n", "3", "--json"],
    "grade": ["grade", "HEAD~2..HEAD", "--suggest", "--explain", "--format", "sarif"],
    "improve": ["improve", "HEAD~2..HEAD"],
    "release": ["release", "v1..", "--write", "CHANGELOG.md"],
    "show-change": ["show-change"],
    "show-tree": ["show-tree", "v1..HEAD"],
    "score": ["score", "pairs.jsonl", "--metric", "log-mnext,mnext-f1"],
    "models": ["models", "list"],
    "install": ["install"],
    "prepare-commit-msg": ["hook", "prepare-commit-msg", "message"],
    "commit-msg": ["hook", "commit-msg", "message"],
    "doctor": ["doctor"],
    "config": ["config", "list"],
}


@pytest.fixture
def watched(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository to work in, and a Python that uses no socket but notes who wanted to."""
    folder = tmp_path / "watch"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(WATCH)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setenv("SOCKETS_USED", str(tmp_path / "used"))
    monkeypatch.setenv("GITNOTES_CACHE", str(tmp_path / "cache"))
    repo.commit("Add a client", {"client.py": "def fetch(url):\n    return get(url)\n"})
    repo.tag("v1")
    repo.commit("Add a cache", {"cache.py": "CACHE = {}\n"})
    repo.commit("fix", {"client.py": "def fetch(url, retries=3):\n    return get(url)\n"})
    repo.write("client.py", "def fetch(url, retries=5):\n    return get(url)\n")
    (repo.path / "message").write_text("\n# Please enter the commit message\n")
    (repo.path / "pairs.jsonl").write_text('{"reference": "Add a client", "hypothesis": "Add the client"}\n')
    return repo


@pytest.mark.parametrize("name", VERBS)
def test_no_socket_is_wanted(watched: Repo, tmp_path: Path, name: str) -> None:
    done = watched.run(sys.executable, "-m", "gitnotes", *VERBS[name])
    assert done.returncode in (0, 1), done.stderr
    assert not (tmp_path / "used").exists(), done.stderr


def test_only_what_asks_a_server_wants_one(watched: Repo, tmp_path: Path) -> None:
    pytest.importorskip("openai")
    pytest.importorskip("detect_secrets")
    done = watched.run(
        sys.executable, "-m", "gitnotes", "suggest", "--model", "openai:none",
        OPENAI_BASE_URL="http://127.0.0.1:9/v1",
    )  # fmt: skip
    assert (tmp_path / "used").exists()
    assert done.returncode == 0 and b"fetch" in done.stdout and b"left out" in done.stderr
