"""Do the commands of docs/release.md run, and is its template one?"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.test_cli import PARSER, run

PAGE = Path(__file__).parent.parent / "docs" / "release.md"
COMMANDS = re.findall(r"^\$ (gitnotes .+)$", PAGE.read_text("utf-8"), re.M)
NEWS = "# News\n\n## 1.1\n\n- Commas are parsed (#7)\n\n## 1.0\n\n- Begin\n"


@pytest.fixture
def project(repo: Repo) -> Repo:
    template = re.findall(r"^```jinja\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)[0]
    repo.commit("Begin", {"README.md": "# Project\n", "docs/note.j2": template})
    repo.tag("v1.0")
    repo.commit("Add a parser for commas (#7)", {"src/parser.py": PARSER, "NEWS.md": NEWS})
    repo.tag("v1.1")
    repo.commit("Fix the parser of empty lines (#8)", {"src/parser.py": PARSER + "\nLIMIT = 1\n"})
    return repo


def test_there_are_commands() -> None:
    assert len(COMMANDS) >= 12


@pytest.mark.parametrize("command", COMMANDS)
def test_command(project: Repo, command: str) -> None:
    done = run(*shlex.split(command)[1:])
    assert done.code == 0, done.err
    assert done.out or done.err


def test_the_template_of_the_page_gives_a_note(project: Repo) -> None:
    out = run("release", "v1.0..v1.1", "--template", "docs/note.j2").out
    assert re.fullmatch(
        r"## 1\.1 \(\d{4}-\d\d-\d\d\)\n\n### Features\n- Add a parser for commas \(#7\)\n", out
    )


def test_every_option_is_told() -> None:
    text = PAGE.read_text("utf-8")
    found = run("release", "--help").out
    for option in set(re.findall(r"--[a-z][a-z-]+", found)) - {"--help", "--json"}:
        assert re.search(rf"[` ]{option}\b", text), option
