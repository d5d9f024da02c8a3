"""Does output fit the terminal that there is: narrow, dumb, without colour, quiet, or none at all?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitnotes.cli.app import VERBS
from gitnotes.guard.width import columns
from tests.conftest import Repo
from tests.test_cli import PARSER, RETRY, assert_sentence, run

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def project(repo: Repo) -> Repo:
    repo.commit("Start the project", {"README.md": "# Project\n"})
    repo.tag("v1.0")
    repo.commit(
        "Add a parser for comma separated text\n\nCallers split by hand and forgot the blanks.",
        {"src/parser.py": PARSER},
    )
    repo.commit("wip", {"名前.py": PARSER})
    repo.tag("v1.1")
    repo.write("src/client.py", RETRY)
    return repo


def on_terminal(width: int, *arguments: str, **variables: str) -> str:
    """What a terminal of that width is sent."""
    code = (
        "import fcntl, os, pty, struct, sys, termios\n"
        "def start():\n"
        "    pid, fd = pty.fork()\n"
        "    if pid == 0:\n"
        f"        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 50, {width}, 0, 0))\n"
        "        os.execv(sys.executable, [sys.executable, '-m', 'gitnotes', *sys.argv[1:]])\n"
        "    return fd\n"
        "fd = start()\n"
        "try:\n"
        "    while data := os.read(fd, 4096):\n"
        "        os.write(1, data)\n"
        "except OSError:\n"
        "    pass\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **variables}
    environment.pop("COLUMNS", None)
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment,
        capture_output=True,
        check=True,
        timeout=120,
    )
    return done.stdout.decode("utf-8").replace("\r\n", "\n")


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals")
@pytest.mark.parametrize(
    "arguments",
    [
        ("grade", "v1.0..v1.1", "--explain"), ("improve", "v1.0..v1.1", "--min", "50"), ("suggest",),
        ("doctor",), ("config", "explain", "ticket"), ("consent",),
    ],
    ids=lambda arguments: arguments[0],
)  # fmt: skip
def test_forty_columns(project: Repo, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    monkeypatch.setenv("GITNOTES_CACHE", "/c")
    lines = on_terminal(40, *arguments, NO_COLOR="1").splitlines()
    assert lines
    for line in lines:
        assert columns(line) <= 40 or str(project.path) in line, line


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("hook", "choose-message")])
def test_help_fits_eighty_columns(verb: str) -> None:
    lines = run(verb, "--help", COLUMNS="80").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any("Example" in line for line in lines) or verb in ("install", "uninstall"), "no example"


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals")
@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"NO_COLOR": ""}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)  # fmt: skip
def test_colour_on_a_terminal(project: Repo, variables: dict[str, str], coloured: bool) -> None:
    assert ("\x1b[" in on_terminal(80, "grade", "HEAD", **variables)) is coloured


def test_colour_in_a_pipe(project: Repo) -> None:
    assert "\x1b" not in run("grade", "HEAD").out
    assert "\x1b[" in run("grade", "HEAD", FORCE_COLOR="1").out
    assert "\x1b" not in run("grade", "HEAD", FORCE_COLOR="1", NO_COLOR="1").out
    assert "\x1b" not in run("grade", "HEAD", "--json", FORCE_COLOR="1").out


def test_quiet_leaves_results_and_errors(project: Repo) -> None:
    (project.path / ".gitnotesignore").write_text("*.md\n")
    project.write("notes.md", "x\n")
    loud, quiet = run("suggest"), run("--quiet", "suggest")
    assert "left out: notes.md" in loud.err
    assert (quiet.code, quiet.out, quiet.err) == (0, loud.out, "")
    assert_sentence(run("--quiet", "grade", "nothing"), 3)


def test_verbose_says_what_is_run(project: Repo) -> None:
    loud = run("--verbose", "suggest")
    assert loud.out == run("suggest").out
    assert " s: git " in loud.err and "diff-index" in loud.err


def test_they_stand_before_the_command(project: Repo) -> None:
    for option in ("--quiet", "--verbose"):
        late = run("suggest", option)
        assert_sentence(late, 2)
        assert f"{option} stands before the command" in late.err
    assert_sentence(run("--quiet", "--verbose", "suggest"), 2)


def test_in_another_folder_too(project: Repo, tmp_path: Path) -> None:
    result = run("--quiet", "-C", str(project.path), "suggest", cwd=tmp_path)
    assert (result.code, result.err) == (0, "") and result.out
