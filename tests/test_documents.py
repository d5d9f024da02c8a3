"""Are the documents true: do their commands run, and do their generated parts agree with the code?"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from bench.documents import ROOT, documents, fill_in
from gitnotes.config import load_settings
from tests.conftest import Repo
from tests.test_cli import PARSER, RETRY, run

ELSEWHERE = {"ci.md", "learning.md", "release.md"}
"""Documents whose commands have tests of their own."""
PAGES = sorted(path for path in (ROOT / "docs").glob("*.md") if path.name not in ELSEWHERE)


def commands(path: Path) -> list[str]:
    blocks = re.findall(r"^```console\n(.*?)^```", path.read_text("utf-8"), re.M | re.S)
    lines = [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [line for line in lines if line.startswith("gitnotes ")]


@pytest.fixture
def project(repo: Repo) -> Repo:
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


@pytest.mark.parametrize("path", [page for page in PAGES if commands(page)], ids=lambda path: path.name)
def test_commands_of_a_page_run_in_order(project: Repo, path: Path) -> None:
    for command in commands(path):
        result = run(*shlex.split(command)[1:])
        assert result.code == 0, (command, result.err)
        assert result.out or result.err, command


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.name)
def test_generated_parts_are_current(path: Path) -> None:
    assert path.read_text("utf-8") == documents()[path], "run: python -m bench.documents --write"


def test_a_part_that_is_out_of_date_is_seen() -> None:
    text = "<!-- generated: rules -->\nold\n<!-- end -->\n"
    assert fill_in(text) != text
    with pytest.raises(KeyError):
        fill_in(text.replace("rules", "nothing"))


def test_settings_that_are_shown_are_settings(tmp_path: Path) -> None:
    (block,) = re.findall(r"^```toml\n(.*?)^```", (ROOT / "docs/configuration.md").read_text(), re.M | re.S)
    (tmp_path / "pyproject.toml").write_text(block)
    settings = load_settings(tmp_path)
    assert settings.rules and len(settings.overrides) == 2
