"""Does a model word entries without adding anything of its own, and does the plain entry stand otherwise?"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from gitnotes.draft.models.note_words import check_words
from tests.conftest import Repo
from tests.stub_server import Answer, serve

pytest.importorskip("openai")
pytest.importorskip("detect_secrets")


@pytest.fixture
def project(repo: Repo) -> Repo:
    repo.commit("Begin", {"a.py": "x = 1\n"})
    repo.tag("v1.0.0")
    repo.commit("feat: add retries to fetch_page (#7)\n\nProxies close idle connections.", {"b.py": "1\n"})
    repo.commit("fix: repair the lock of 12 readers", {"c.py": "1\n"})
    repo.commit("build(deps): bump foo from 1.0 to 1.1", {"d.py": "1\n"})
    return repo


def release(repo: Repo, folder: Path, url: str, *arguments: str) -> tuple[int, str, str]:
    done = repo.run(
        sys.executable, "-m", "gitnotes", "release", "--model", "openai:stub", *arguments,
        OPENAI_BASE_URL=url, OPENAI_API_KEY="key-of-the-test", GITNOTES_CACHE=str(folder),
    )  # fmt: skip
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def answers(**texts: str) -> Any:
    """The text whose key stands in the question."""

    def respond(question: dict[str, Any], _: int) -> Answer:
        asked = question["messages"][-1]["content"]
        return Answer(next((text for key, text in texts.items() if key in asked), "Summary of the entries"))

    return respond


def test_an_entry_is_worded_and_links_and_bumps_stay_ours(project: Repo, tmp_path: Path) -> None:
    words = answers(
        retries="Try fetch_page again when a proxy closes an idle connection", lock="Repair the lock"
    )
    with serve(words) as stub:
        code, out, err = release(project, tmp_path, stub.url)
        assert code == 0, err
        assert "- Try fetch_page again when a proxy closes an idle connection (#7)" in out
        assert "- Repair the lock\n" in out and "- foo 1.0 -> 1.1" in out
        assert len(stub.calls) == 2  # dependency updates say all there is
        release(project, tmp_path, stub.url)
        assert len(stub.calls) == 2  # a second run is free
        found = json.loads(release(project, tmp_path, stub.url, "--json")[1])
        assert "model:stub" in found["signature"]


@pytest.mark.parametrize(
    "answer",
    [
        "Add retries to fetch_everything",
        "Add 5 retries to fetch_page",
        "Add five retries to fetch_page",
        "Add retries, see https://evil.example",
        "Add retries, thanks to @mallory",
        "Add retries to fetch_page (#99)",
        "Celebrate world peace",
        "",
    ],
)
def test_what_the_commits_do_not_say_is_refused(project: Repo, tmp_path: Path, answer: str) -> None:
    with serve(answers(retries=answer, lock="Repair the lock of 12 readers")) as stub:
        code, out, err = release(project, tmp_path, stub.url)
    assert code == 0
    assert "- Add retries to fetch_page (#7)" in out
    assert "kept as it is" in err and "evil" not in out and "mallory" not in out


def test_highlights_are_checked_as_well(project: Repo, tmp_path: Path) -> None:
    words = answers(Summarise="Connections are retried. The lock holds.", retries="Retries", lock="The lock")
    with serve(words) as stub:
        out = release(project, tmp_path, stub.url, "--highlights")[1]
    assert "## [Unreleased]\n\nConnections are retried. The lock holds.\n" in out
    with serve(answers(Summarise="It is 99 times faster.", retries="Retries", lock="The lock")) as stub:
        out = release(project, tmp_path / "other", stub.url, "--highlights")[1]
    assert "99" not in out and "1 feature and 1 fix." in out


def test_a_server_that_fails_ends_it_before_anything_is_written(project: Repo, tmp_path: Path) -> None:
    with serve(Answer(status=500)) as stub:
        code, out, _ = release(project, tmp_path, stub.url, "--write", "CHANGELOG.md")
    assert (code, out) == (4, "")
    assert not (project.path / "CHANGELOG.md").exists()


def test_nothing_leaves_without_consent(project: Repo, tmp_path: Path) -> None:
    code, _, err = release(project, tmp_path, "https://models.example.org/v1")
    assert code == 2 and "consent" in err


def test_a_judge_speaks_beside_the_grade(project: Repo, tmp_path: Path) -> None:
    scores = '{"clarity": 4, "conciseness": 4, "organisation": 3, "1": true, "2": false, "3": true}'
    with serve(Answer(scores)) as stub:
        code, out, err = release(project, tmp_path, stub.url, "--grade", "--judge")
        found = json.loads(release(project, tmp_path, stub.url, "--grade", "--judge", "--json")[1])
    assert code == 0, err
    assert "Add retries to fetch_page" in out and "completeness  5.00" in err
    assert {"clarity", "completeness"} <= set(found["judgement"]["scores"])
    assert found["grade"]["scores"]["completeness"] == 5
    assert "judge clarity" in err and "judge completeness" in err
    assert release(project, tmp_path, "http://127.0.0.1:1", "--judge")[0] == 2


def test_numbers_and_names_must_be_in_what_was_shown() -> None:
    shown = "Read 3 files with `load_all`"
    assert check_words("Read 3 files at once", shown, 100).text == "Read 3 files at once"
    assert check_words("Read 30 files", shown, 100).refused
    assert check_words("Read files with load_none", shown, 100).refused
    assert (
        check_words("word " * 60, shown, 100).refused
        or len(check_words("word " * 60, shown, 100).text) <= 100
    )
