"""Fixtures: a repository with good and poor messages, and the command line in this process."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from gitnotes.__main__ import run
from tests.conftest import Repo
from tests.test_cli import PARSER, RETRY

GOOD = "Retry failed fetches\n\nThe server drops idle connections, so the first request after a pause fails."
HOSTILE = (
    "::error::x \x1b[31mred\x1b]0;t\x07 | <b>@you</b> `code` [a](http://b) ##[set-output name=a]b"
    " %0A & ' \" \x0b\ufffe\u202e 50% done, now: ok"
)


class Answer(NamedTuple):
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str

    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found


Grade = Callable[..., Answer]


@pytest.fixture
def grade(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Grade:
    """Runs `gitnotes grade ARGUMENTS` in the current folder."""

    def call(*arguments: str, data: bytes = b"") -> Answer:
        capfd.readouterr()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        code = run(["grade", *arguments])
        sys.stdout.flush()
        out, err = capfd.readouterr()
        return Answer(code, out, err)

    return call


@pytest.fixture
def history(repo: Repo) -> Repo:
    """Start, a parser with a fair message, a retry that is called `stuff`."""
    repo.commit("Start the project", {"README.md": "# Project\n"})
    repo.commit("Add a parser for comma separated text", {"src/parser.py": PARSER})
    repo.commit("stuff", {"src/client.py": RETRY})
    return repo
