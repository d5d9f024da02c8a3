"""What documents are tested with: the commands that they show, and a project to run them in."""

from __future__ import annotations

import re
from pathlib import Path

from tests.conftest import Repo
from tests.test_cli import PARSER, RETRY


def commands(path: Path) -> list[str]:
    """The `gitnotes` commands of the console blocks of a page, in order."""
    blocks = re.findall(r"^```console\n(.*?)^```", path.read_text("utf-8"), re.M | re.S)
    lines = [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [line for line in lines if line.startswith("gitnotes ")]


def fill_project(repo: Repo) -> Repo:
    """Two versions, a remote and a staged change."""
    repo.commit("Start the project", {"README.md": "# Project\n"})
    repo.git("clone", "-q", "--bare", ".", "../remote.git")
    repo.git("remote", "add", "origin", "../remote.git")
    repo.git("fetch", "-q", "origin")
    repo.tag("v1.0")
    repo.commit(
        "Add a parser for comma separated text\n\nCallers split by hand and forgot the blanks.",
        {"src/parser.py": PARSER},
    )
    repo.tag("v1.1")
    repo.write("src/client.py", RETRY)
    return repo
