"""Is what breaks found in the code, and nothing that does not?"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from gitnotes.read.git import open_git
from gitnotes.recipes.release_bump import propose_bump
from gitnotes.recipes.releasing import NoteOptions, Release, draft_release
from tests.conftest import Repo

INIT = "from .core import App, build_thing, load_thing, moved_thing, named_thing\n"
CORE = """\
import warnings


class App:
    def start_engine(self):
        return 1

    def stop_engine(self, force, quickly):
        return 2


def build_thing():
    warnings.warn(
        "'build_thing' is deprecated. Use 'make_thing'"
        " instead.",
        DeprecationWarning,
    )


def load_thing():
    return 3


def moved_thing():
    return [4, 4, 4]


def named_thing():
    return {5: 5}


def inner_thing():
    return 6


def _private_thing():
    return 7
"""
LATER = """\
class App:
    def stop_engine(self, force):
        return 2


def make_thing():
    return {1, 2}


fresh_thing = 5
named_thing = fresh_thing
"""


@pytest.fixture
def library(repo: Repo) -> Repo:
    repo.commit(
        "Begin",
        {
            "src/lib/__init__.py": INIT,
            "src/lib/core.py": CORE,
            "src/lib/cli.py": 'parser.add_argument("--very-fast")\n',
            "tests/test_core.py": "def helper_thing():\n    load_thing()\n",
            "docs/conf.py": "def setup_thing():\n    pass\n",
        },
    )
    repo.tag("v1.0.0")
    gone = CORE.replace("def load_thing():\n    return 3\n\n\n", "")
    repo.commit("Tidy the core (#7)", {"src/lib/core.py": gone, "tests/test_core.py": "load_thing()\n"})
    repo.commit(
        "Rework the app (#8)",
        {
            "src/lib/__init__.py": "from .core import App, named_thing\nfrom .other import moved_thing\n",
            "src/lib/core.py": LATER,
            "src/lib/other.py": "def moved_thing():\n    return [4, 4, 4]\n",
            "docs/conf.py": "",
        },
    )
    repo.commit("Drop the switch\n\nUse --speed instead.", {"src/lib/cli.py": "parser.parse_args()\n"})
    repo.tag("v1.1.0")
    return repo


def draft(repo: Repo, **options: object) -> Release:
    return draft_release(open_git(repo.path), "v1.0.0..v1.1.0", NoteOptions(**options))  # type: ignore[arg-type]


def test_what_is_gone_for_certain_breaks(library: Repo) -> None:
    release = draft(library, breaking=True)
    assert {entry.text: entry.breaking for entry in release.material.selection.entries} == {
        "Tidy the core": ("`load_thing` is gone",),
        "Rework the app": (
            "`build_thing` is gone; use `make_thing` instead",
            "`App.start_engine` is gone",
        ),
        "Drop the switch": ("`--very-fast` is gone; use `--speed` instead",),
    }
    assert "### Breaking\n\n- Tidy the core (#7)\n  - `load_thing` is gone\n" in release.note.text
    for name in ("moved_thing", "named_thing", "_private_thing", "helper_thing", "setup_thing"):
        assert name not in release.note.text
    assert release.material.possible == (
        "`inner_thing` is gone (src/lib/core.py).",
        "`App.stop_engine` lost `quickly` (src/lib/core.py).",
    )


def test_without_being_asked_no_code_is_read(library: Repo) -> None:
    release = draft(library)
    assert not any(entry.breaking for entry in release.material.selection.entries)
    assert release.material.possible == ()
    assert any(entry.breaking for entry in draft(library, source="diffs").material.selection.entries)


def test_what_is_gone_raises_the_first_number(library: Repo) -> None:
    git = open_git(library.path)
    assert propose_bump(git, "v1.0.0..v1.1.0", NoteOptions(breaking=True)).proposal.part == "major"
    assert propose_bump(git, "v1.0.0..v1.1.0").proposal.part != "major"


def test_it_is_told_on_the_command_line(library: Repo) -> None:
    command = [sys.executable, "-m", "gitnotes", "release", "v1.1.0", "--breaking"]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, timeout=60)
    assert len(json.loads(done.stdout)["possibly_breaking"]) == 2
    assert "possibly breaking: `inner_thing` is gone" in done.stderr


def test_a_first_release_takes_nothing_away(repo: Repo) -> None:
    repo.commit("Begin", {"src/lib/__init__.py": INIT, "src/lib/core.py": CORE})
    repo.tag("v1.0.0")
    release = draft_release(open_git(repo.path), "v1.0.0", NoteOptions(breaking=True))
    assert release.material.possible == ()


def test_a_start_on_another_branch_is_no_removal(library: Repo) -> None:
    library.git("checkout", "-q", "-b", "stable", "v1.0.0")
    library.commit("Add a thing", {"src/lib/__init__.py": INIT + "def branch_thing():\n    pass\n"})
    library.tag("v1.0.1")
    library.switch("main")
    release = draft_release(open_git(library.path), "v1.0.1..v1.1.0", NoteOptions(breaking=True))
    assert "load_thing" in release.note.text and "branch_thing" not in release.note.text
