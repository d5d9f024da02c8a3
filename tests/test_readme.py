"""Does the README tell the truth: do its commands run, and do its names exist?"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from gitnotes.config import load_settings
from tests.conftest import Repo
from tests.test_cli import PARSER, RETRY, run

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCUMENTS = [README, *sorted((ROOT / "docs").glob("*.md"))]


def _commands() -> list[str]:
    blocks = re.findall(r"^```console\n(.*?)^```", README.read_text("utf-8"), re.M | re.S)
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


def test_there_are_examples() -> None:
    assert len(_commands()) >= 6


@pytest.mark.parametrize("command", _commands())
def test_commands_of_the_readme_run(project: Repo, command: str) -> None:
    result = run(*shlex.split(command)[1:])
    assert result.code == 0, result.err
    assert result.out or result.err


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text("utf-8")):
        if not target.startswith("http"):
            assert (path.parent / target).exists(), target


def test_the_settings_that_are_shown_are_settings(tmp_path: Path) -> None:
    blocks = re.findall(r"^```toml\n(.*?)^```", README.read_text("utf-8"), re.M | re.S)
    (tmp_path / "pyproject.toml").write_text("\n".join(blocks))
    settings = load_settings(tmp_path)
    assert settings.rules and settings.overrides
