"""Are the documents true: do their commands run, and do their generated parts agree with the code?"""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench.documents import ROOT, documents, fill_in
from bench.terminal import COMMANDS, PICTURE, draw
from gitnotes.config import load_settings
from tests.conftest import Repo
from tests.documented import commands, fill_project
from tests.test_cli import PARSER, run

ELSEWHERE = {"ci.md", "learning.md", "release.md"}
"""Documents whose commands have tests of their own."""
PAGES = sorted(path for path in (ROOT / "docs").glob("*.md") if path.name not in ELSEWHERE)


@pytest.fixture
def project(repo: Repo) -> Repo:
    return fill_project(repo)


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


def test_picture_shows_the_commands_of_its_script() -> None:
    text = re.sub(r"<[^>]*>", "", PICTURE.read_text("utf-8")).replace("&#160;", " ")
    for words in COMMANDS:
        assert f"gitnotes {words[0]}" in text
    assert "font-face" not in PICTURE.read_text("utf-8"), "a reader would fetch a font"


def test_picture_is_drawn_without_the_escapes(tmp_path: Path) -> None:
    svg = draw([("gitnotes suggest", "\x1b[31mAdd\x1b[0m <a & b>\n")])
    assert svg.startswith("<svg") and "\x1b" not in svg and "&lt;a" in svg


def test_every_page_is_in_the_site() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    entries = [entry for part in site["nav"] for entry in part.values()]
    named = [name for entry in entries for name in ([entry] if isinstance(entry, str) else map(_only, entry))]
    assert sorted(named) == sorted(path.name for path in (ROOT / "docs").glob("*.md"))
    assert site["strict"] is True


def _only(entry: dict[str, str]) -> str:
    (name,) = entry.values()
    return name


def recipe(marker: str) -> Any:
    """The YAML block of hooks.md that has `marker` at its top."""
    blocks = re.findall(r"^```yaml\n(.*?)^```", (ROOT / "docs/hooks.md").read_text("utf-8"), re.M | re.S)
    (found,) = [block for text in blocks if marker in (block := yaml.safe_load(text))]
    return found


def run_of_manager(manager: str, name: str) -> str:
    """The shell line by which a manager calls the hook `name` with git's arguments, as it documents it."""
    if manager == "lefthook":
        line = recipe("prepare-commit-msg")[name]["commands"]["gitnotes"]["run"]
        return str(line).replace("{0}", '"$@"')
    if manager == "overcommit":
        section = "".join(part.title() for part in name.split("-"))
        return shlex.join(recipe("CommitMsg")[section]["Gitnotes"]["command"]) + ' "$@"'
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "docs/hooks.md").read_text("utf-8"), re.M | re.S)
    (found,) = [block for block in blocks if block.startswith(f"# .husky/{name}\n")]
    return str(found)


@pytest.mark.skipif(os.name != "posix", reason="the hooks here are shell scripts")
@pytest.mark.parametrize("manager", ["husky", "lefthook", "overcommit"])
def test_recipes_for_hook_managers(
    project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manager: str
) -> None:
    scripts = tmp_path / "bin"
    scripts.mkdir()
    (scripts / "gitnotes").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m gitnotes "$@"\n')
    (scripts / "gitnotes").chmod(0o755)
    monkeypatch.setenv("PATH", f"{scripts}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("GITNOTES_TIMEOUT", "60")
    for name in ("prepare-commit-msg", "commit-msg"):
        hook = project.path / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\nset -e\n{run_of_manager(manager, name)}\n")
        hook.chmod(0o755)
    assert project.run("git", "commit", "-q", GIT_EDITOR="true").returncode == 0
    assert "fetch" in project.git("log", "-1", "--format=%B")
    assert project.run("git", "commit", "-q", "--amend", "--no-edit").returncode == 0
    project.write("b.py", PARSER)
    done = project.run("git", "commit", "-q", "-m", "fix: fix bug")
    assert done.returncode == 0 and b"this message scores" in done.stderr
    assert project.git("log", "-1", "--format=%B") == "fix: fix bug"
    project.write("c.py", PARSER)
    assert project.run("git", "commit", "-q", "-m", "wip", GITNOTES_STRICT="1").returncode == 1
