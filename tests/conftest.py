"""Fixtures: real git repositories with a moving clock, cut off from the user's configuration."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

START = 1_700_000_000

# What a shell starts in the background ignores Ctrl-C and hands that on; some tests press it.
with suppress(ValueError):  # not in the main thread
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class Repo:
    """A repository in a temporary folder; every commit is one minute after the one before."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = START

    def git(self, *arguments: str, check: bool = True, **variables: str) -> str:
        """What `git ARGUMENTS` prints, stripped."""
        done = self.run("git", *arguments, **variables)
        if check and done.returncode != 0:
            raise AssertionError(f"git {arguments}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode("utf-8", "replace").strip()

    def run(
        self, *command: str, input: bytes | None = None, **variables: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs any command inside the repository with the clock in its environment."""
        date = f"{self.clock} +0000"
        environment = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, **variables}
        return subprocess.run(
            list(command),
            cwd=self.path,
            env=environment,
            capture_output=True,
            timeout=120,
            **({"input": input} if input is not None else {"stdin": subprocess.DEVNULL}),  # type: ignore[arg-type]
        )

    def write(self, name: str, content: str | bytes) -> Path:
        """Writes a file of the work tree and stages it."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content)
        self.git("add", "--", name)
        return path

    def commit(self, message: str, files: dict[str, str | bytes] | None = None, *options: str) -> str:
        """Commits what is staged plus `files`; the id of the commit."""
        for name, content in (files or {}).items():
            self.write(name, content)
        self.clock += 60
        self.git("commit", "--quiet", "--allow-empty", "--no-verify", "-m", message, *options)
        return self.git("rev-parse", "HEAD")

    def tag(self, name: str, *options: str) -> None:
        self.git("tag", *options, name)

    def branch(self, name: str) -> None:
        self.git("checkout", "--quiet", "-b", name)

    def switch(self, name: str) -> None:
        self.git("checkout", "--quiet", name)

    def merge(self, name: str, message: str) -> str:
        self.clock += 60
        self.git("merge", "--quiet", "--no-ff", "--no-verify", "-m", message, name)
        return self.git("rev-parse", "HEAD")


@pytest.fixture(autouse=True)
def isolated(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test sees the user's git or gitnotes settings, or the repository the tests are in."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("GIT_", "GITNOTES_", "PRE_COMMIT")) or name in (
            "SKIP",
            "NO_COLOR",
            "FORCE_COLOR",
        ):
            monkeypatch.delenv(name)
    for name, value in {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_TEMPLATE_DIR": str(home),
        "GIT_CEILING_DIRECTORIES": str(home.parent),
        "GIT_AUTHOR_NAME": "Ada Example",
        "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": "Ada Example",
        "GIT_COMMITTER_EMAIL": "ada@example.org",
        "GIT_EDITOR": "true",
        "COLUMNS": "100",
    }.items():
        monkeypatch.setenv(name, value)
    yield


@pytest.fixture
def make_repo(tmp_path: Path) -> Callable[..., Repo]:
    """Makes repositories: `make_repo("name", "--bare")`."""

    def make(name: str = "repo", *options: str) -> Repo:
        path = tmp_path / name
        path.mkdir(parents=True)
        repo = Repo(path)
        repo.git("init", "--quiet", "--initial-branch=main", *options)
        return repo

    return make


@pytest.fixture
def repo(make_repo: Callable[..., Repo], monkeypatch: pytest.MonkeyPatch) -> Repo:
    """An empty repository, which is also the current folder."""
    made = make_repo()
    monkeypatch.chdir(made.path)
    return made
