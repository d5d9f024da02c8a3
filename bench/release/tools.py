"""What do other tools write for the same range, where their programs and the repository are here?

git-cliff is asked twice: with its defaults, and with a template that shows every subject. Neither of
auto-changelog and conventional-changelog takes a range: the one is given the two tags, the other writes
the section of the version as if it had just been tagged, from a clone that ends there.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_SECONDS = 120
_ALL_SUBJECTS = """
[changelog]
header = ""
footer = ""
body = "{% for commit in commits %}- {{ commit.message | split(pat='\\n') | first }}\\n{% endfor %}"
trim = true
[git]
conventional_commits = false
filter_unconventional = false
commit_parsers = [{ message = ".*", group = "All" }]
filter_commits = false
"""


@dataclass(frozen=True, slots=True)
class Tool:
    """A program and how it is called: with a clone of the repository and both ends of the range."""

    program: str
    write: Callable[[Path, str, str], str | None]
    """The note; None when the program failed."""


def _run(folder: Path, *command: str) -> str | None:
    """What the program prints; None when it fails or takes too long."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=_SECONDS, stdin=subprocess.DEVNULL, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def _cliff(folder: Path, start: str, end: str) -> str | None:
    return _run(folder, "git-cliff", "--offline", "--no-exec", f"{start}..{end}")


def _cliff_all(folder: Path, start: str, end: str) -> str | None:
    config = folder / ".git" / "all-subjects.toml"
    config.write_text(_ALL_SUBJECTS, "utf-8")
    return _run(folder, "git-cliff", "-c", str(config), "--offline", "--no-exec", f"{start}..{end}")


def _auto_changelog(folder: Path, start: str, end: str) -> str | None:
    return _run(
        folder,
        "auto-changelog",
        "--stdout",
        "--starting-version",
        end,
        "--ending-version",
        end,
        "--commit-limit",
        "false",
    )


def _conventional(folder: Path, start: str, end: str) -> str | None:
    _run(folder, "git", "checkout", "--quiet", "--force", end)
    text = _run(folder, "conventional-changelog", "-p", "angular", "-r", "2", "--stdout")
    return None if text is None else section_of(text, end)


def section_of(changelog: str, version: str) -> str:
    """The part of a changelog below the heading that has the version; all of it when none has."""
    heading = re.compile(
        rf"^#+ .*?(?<![\w.]){re.escape(version.removeprefix('v'))}(?![\w.]).*$", re.MULTILINE
    )
    start = heading.search(changelog)
    if start is None:
        return changelog
    after = re.compile(r"^#+ \[?v?\d+\.\d+", re.MULTILINE).search(changelog, start.end())
    return changelog[start.start() : after.start() if after else None]


TOOLS: dict[str, Tool] = {
    "git-cliff": Tool("git-cliff", _cliff),
    "git-cliff-all": Tool("git-cliff", _cliff_all),
    "auto-changelog": Tool("auto-changelog", _auto_changelog),
    "conventional-changelog": Tool("conventional-changelog", _conventional),
}


def missing() -> list[str]:
    """A line for each tool whose program is not here."""
    return [
        f"{name}: there is no program {tool.program}"
        for name, tool in TOOLS.items()
        if not shutil.which(tool.program)
    ]


def find_repository(folder: Path, repo: str) -> Path | None:
    """The git directory of `OWNER/NAME` below `folder`: OWNER+NAME/repo, OWNER/NAME or NAME."""
    owner, _, name = repo.partition("/")
    for place in (folder / f"{owner}+{name}" / "repo", folder / owner / name, folder / name):
        if place.is_dir():
            return place
    return None


@contextmanager
def clone(source: Path, start: str, end: str) -> Iterator[Path | None]:
    """A clone to work in, which shares the objects; None when a tag is missing."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "clone"
        command = ("git", "clone", "--quiet", "--shared", "--no-checkout", str(source), str(folder))
        done = subprocess.run(command, capture_output=True, check=False)
        known = done.returncode == 0 and all(
            _run(folder, "git", "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
            for name in (start, end)
        )
        yield folder if known else None
