"""Does `release --check` tell what a changelog forgot, and with which exit code?"""

from __future__ import annotations

import json

import pytest

from tests.conftest import Repo
from tests.test_cli import assert_sentence, run


@pytest.fixture
def project(repo: Repo) -> Repo:
    repo.commit("Begin", {"a.py": "x = 1\n"})
    repo.tag("v1.0.0")
    repo.commit("feat: add a parser for commas (#2)", {"b.py": "1\n"})
    repo.commit("fix: close idle connections (#3)", {"c.py": "1\n"})
    repo.commit("ci: run on arm", {".github/workflows/ci.yml": "1\n"})
    repo.tag("v1.1.0")
    return repo


def test_a_note_that_tells_all_passes(project: Repo) -> None:
    assert run("release", "v1.1.0", "--write", "CHANGELOG.md").code == 0
    done = run("release", "v1.0.0..v1.1.0", "--check", "CHANGELOG.md")
    assert done.code == 0, done.out
    assert "completeness  5.00 of 5" in done.out and "2 of 2 changes are told" in done.out


def test_what_was_forgotten_or_invented_fails(project: Repo) -> None:
    (project.path / "NEWS.rst").write_text(
        "News\n====\n\n1.1.0\n-----\n\n* Parse commas (#2)\n* Fly to the moon\n\n1.0.0\n-----\n\n* First\n"
    )
    done = run("release", "v1.1.0", "--check", "NEWS.rst")
    assert done.code == 1
    assert "forgotten: Close idle connections [Fixes, " in done.out or "forgotten: close idle" in done.out
    assert "nothing bears out: Fly to the moon (line 5)" in done.out
    assert run("release", "v1.1.0", "--check", "NEWS.rst", "--min", "3").code == 0
    found = json.loads(run("release", "v1.1.0", "--check", "NEWS.rst", "--json").out)
    assert (found["kind"], found["passes"], found["min"]) == ("note-grade", False, 5.0)
    assert found["scores"]["completeness"] == 3.0
    assert [item["numbers"] for item in found["missing"]] == [["3"]]


def test_a_version_without_a_section_cannot_be_judged(project: Repo) -> None:
    (project.path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.0.0\n\n- First\n")
    assert_sentence(run("release", "v1.1.0", "--check", "CHANGELOG.md"), 3)
    assert_sentence(run("release", "v1.1.0", "--check", "MISSING.md"), 3)


def test_a_draft_is_graded_beside_the_note(project: Repo) -> None:
    done = run("release", "v1.1.0", "--grade")
    assert done.out.startswith("## [1.1.0]") and "overall" in done.err and "accuracy      5.00" in done.err
    found = json.loads(run("release", "v1.1.0", "--grade", "--json").out)
    assert found["grade"]["scores"]["completeness"] == 5.0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--check", "NEWS.md", "--bump"],
        ["--all", "--bump"],
        ["--check", "NEWS.md", "--write", "CHANGELOG.md"],
        ["--bump", "--tag", "v2.0.0"],
        ["--check", "NEWS.md", "--min", "6"],
    ],
)
def test_questions_that_exclude_each_other_are_refused(project: Repo, arguments: list[str]) -> None:
    assert_sentence(run("release", *arguments), 2)
