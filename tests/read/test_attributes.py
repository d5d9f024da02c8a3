"""Do hunks get the heading of their language, whatever the user's attributes say?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gitnotes.read.attributes import attributes_file
from gitnotes.read.diff import read_commit, read_staged, read_work_tree
from gitnotes.read.git import open_git
from tests.conftest import Repo

BODY = "".join(f"        step({number})\n" for number in range(20))
CLASS = f"class Shop:\n    def open(self):\n{BODY}"
CHANGED = CLASS.replace("step(15)", "step(99)")


def heading(repo: Repo) -> str:
    change = read_staged(open_git())
    assert [file.added for file in change.files] == [1]
    return change.hunks[0].heading


def test_heading_is_the_method_not_the_line_that_is_not_indented(repo: Repo) -> None:
    repo.commit("First", {"shop.py": CLASS})
    repo.write("shop.py", CHANGED)
    assert repo.git("diff", "--cached", "-U3").count("@@ class Shop:") == 1
    assert heading(repo) == "def open(self):"
    sha = repo.commit("Second")
    assert read_commit(open_git(), sha).hunks[0].heading == "def open(self):"


@pytest.mark.parametrize("line", ["* -diff", "* binary", "*.py diff=tex"])
def test_the_attributes_of_the_user_do_not_count(repo: Repo, tmp_path: Path, line: str) -> None:
    repo.commit("First", {"shop.py": CLASS})
    repo.write("shop.py", CHANGED)
    own = tmp_path / "own-attributes"
    own.write_text(line + "\n")
    repo.git("config", "core.attributesFile", str(own))
    plain = repo.git("diff", "--cached")
    assert "Binary" in plain or "@@ def" not in plain
    assert heading(repo) == "def open(self):"


def test_the_attributes_of_the_repository_win(repo: Repo) -> None:
    repo.commit("First", {"shop.py": CLASS, ".gitattributes": "*.py -diff\n"})
    repo.write("shop.py", CHANGED)
    assert read_staged(open_git()).files[0].added is None
    repo.commit("Second", {".gitattributes": "*.py diff=own\n"})
    repo.git("config", "diff.own.xfuncname", "^(class .*)$")
    repo.write("shop.py", CLASS)
    assert heading(repo) == "class Shop:"


def test_the_work_tree_is_read_as_the_user_says(repo: Repo, tmp_path: Path) -> None:
    repo.commit("First", {"a.txt": "one\ntwo\n"})
    own = tmp_path / "own-attributes"
    own.write_text("*.txt text eol=crlf\n")
    repo.git("config", "core.attributesFile", str(own))
    (repo.path / "a.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    assert [(file.added, file.removed) for file in read_work_tree(open_git()).files] == [(1, 0)]


def test_every_driver_is_known_to_git_or_harmless(repo: Repo) -> None:
    text = Path(attributes_file()).read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines[0] == "* !diff"
    assert all(re.fullmatch(r"[\w.+*]+ diff=[a-z]+", line) for line in lines[1:])
    assert len({line.split()[0] for line in lines}) == len(lines)
    names = {f"file{line.split()[0][1:]}" for line in lines[1:] if line.startswith("*.")}
    repo.commit("First", dict.fromkeys(names, "a\n" * 20))
    for name in names:
        repo.write(name, "a\n" * 19 + "b\n")
    assert {file.path: file.added for file in read_staged(open_git()).files} == dict.fromkeys(names, 1)
