"""Does the README tell the truth: do its commands run, and do its names exist?"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from gitnotes.config import load_settings
from tests.conftest import Repo
from tests.documented import commands, fill_project
from tests.test_cli import run

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCUMENTS = [README, *sorted((ROOT / "docs").glob("*.md"))]


@pytest.fixture
def project(repo: Repo) -> Repo:
    return fill_project(repo)


def test_there_are_examples() -> None:
    assert len(commands(README)) >= 6


@pytest.mark.parametrize("command", commands(README))
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
