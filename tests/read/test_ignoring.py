"""Is what .gitnotesignore names left out everywhere, and nothing else?"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitnotes.errors import InputError
from gitnotes.globs import is_ignored, parse_ignore_file
from gitnotes.read.ignoring import REASON, read_patterns
from tests.conftest import Repo
from tests.test_cli import PARSER, RETRY, run

PARTS = ["a", "b", "ab", "*", "**", "?", "a*", "*b", "\\a"]
TREE = ["a", "b", "ab", "a/b", "b/a/b", "a/ab/b", "a!/b", "a#", "ba /x", "b/ab/a/ab"]


def git_says(repo: Repo, text: str, paths: list[str]) -> list[str]:
    (repo.path / ".gitignore").write_text(text)
    done = repo.run("git", "check-ignore", "--no-index", "-z", "--stdin", input="\0".join(paths).encode())
    return done.stdout.decode().split("\0")[:-1]


@pytest.mark.parametrize(
    "text",
    [
        "# a\n\na\n", "\\#*\n", "a\\#\n", "a*\n!a/b\n", "a/\n!a/ab/\n", "/a\n", "a/b\n", "**/ab\n",
        "b/**\n!b/a/b\n",
        "b/**/ab\n", "a?\n", "[a-b]b\n", "[!b]b\n", "[^b]b\n", "ba\\ \n", "ba \n", "a\r\nb\r\n", "\ufeffab\n",
        "!a\na\n", "a\n!a\n", "\\a\n", "a\\!\n", "*\n!*/\n!b\n", "\\*\n", "**\n", "a/**/b\n",
        "a\na/**\n!*/\n", "b/**\n!*/\n",
    ],
)  # fmt: skip
def test_as_git_does(repo: Repo, text: str) -> None:
    patterns = parse_ignore_file(text)
    assert [path for path in TREE if is_ignored(path, patterns)] == git_says(repo, text, TREE)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.builds(
            lambda sign, parts, end: sign + "/".join(parts) + end,
            st.sampled_from(["", "!", "/"]),
            st.lists(st.sampled_from(PARTS), min_size=1, max_size=3),
            st.sampled_from(["", "/"]),
        ),
        min_size=1, max_size=4,
    )
)  # fmt: skip
def test_as_git_does_whatever_the_patterns(repo: Repo, lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    patterns = parse_ignore_file(text)
    assert [path for path in TREE if is_ignored(path, patterns)] == git_says(repo, text, TREE), text


def test_hostile_patterns_stay_fast() -> None:
    start = time.process_time()
    is_ignored("a/" * 2000 + "a", ["**/a/" * 100 + "b", "*a" * 100 + "b"])
    assert time.process_time() - start < 1


@pytest.fixture
def project(repo: Repo) -> Repo:
    repo.commit("Begin", {"readme.txt": "x\n"})
    (repo.path / ".gitnotesignore").write_text("generated/\n*.min.js\n!keep.min.js\n")
    repo.write("generated/parser.py", PARSER)
    repo.write("x.min.js", "function zebra() {}\n")
    return repo


def test_drafts(project: Repo) -> None:
    project.write("src/client.py", RETRY)
    result = run("suggest", "--json")
    draft = json.loads(result.out)
    left = {item["path"] for item in draft["omitted"] if item["reason"] == REASON}
    assert left == {"generated/parser.py", "x.min.js"}
    for word in ("zebra", "generated", "pars"):
        assert word not in draft["text"]
    assert "left out: generated/parser.py (left out by .gitnotesignore)" in run("suggest").err


def test_evidence(project: Repo) -> None:
    project.write("src/client.py", RETRY)
    change = json.loads(run("show-change", "--json").out)
    assert [item["path"] for item in change["files"]] == ["src/client.py"]
    assert {item["path"] for item in change["hunks"]} == {"src/client.py"}
    assert not any("generated" in item["path"] for item in change["definitions"])


def test_a_commit_alone_and_in_a_range(project: Repo) -> None:
    project.commit("Add the client with its retry", {"src/client.py": RETRY})
    with_file = [run("grade", words, "--json").out for words in ("HEAD", "HEAD~1..HEAD")]
    (project.path / ".gitnotesignore").unlink()
    without = [run("grade", words, "--json").out for words in ("HEAD", "HEAD~1..HEAD")]
    alone, ranged = json.loads(with_file[0]), json.loads(with_file[1])["commits"][0]
    assert alone["overall"] == ranged["overall"]
    assert alone["overall"] != json.loads(without[0])["overall"]


def test_the_names_stay_where_nothing_else_is_left(project: Repo) -> None:
    result = run("suggest")
    assert result.code == 0 and result.out.strip()
    assert "zebra" not in result.out


def test_too_much_to_be_meant(tmp_path: Path) -> None:
    path = tmp_path / ".gitnotesignore"
    assert read_patterns(path) == ()
    path.write_text("a\n" * 2001)
    with pytest.raises(InputError, match="2000 patterns"):
        read_patterns(path)
