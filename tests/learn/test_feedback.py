"""Is it remembered what became of suggestions, only when asked, and only here?"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gitnotes.__main__ import run
from gitnotes.errors import CannotJudge
from gitnotes.learn.feedback import Suggestion, by_month, edit_similarity, judge, read_lines
from gitnotes.read.git import open_git
from gitnotes.recipes.feedback import (
    is_wanted,
    read_months,
    read_verdicts,
    remember_suggestion,
    suggested_commits,
)
from tests.conftest import Repo


def place_of(repo: Repo) -> Path:
    return repo.path / ".git" / "gitnotes" / "feedback.jsonl"


def test_nothing_is_written_unless_asked_for(repo: Repo) -> None:
    repo.commit("First of all", {"a.py": "a = 1\n"})
    git = open_git(repo.path)
    assert not is_wanted(git) and not remember_suggestion(git, "Add it", "best")
    assert not place_of(repo).exists()
    with pytest.raises(CannotJudge, match=r"git config gitnotes\.feedback true"):
        read_verdicts(git)
    repo.git("config", "gitnotes.feedback", "true")
    with pytest.raises(CannotJudge, match="from now on"):
        read_verdicts(open_git(repo.path))


def test_a_setting_for_all_repositories_does_not_count(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "gitnotes.feedback")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    assert not is_wanted(open_git(repo.path))


def test_what_became_of_suggestions(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.git("config", "gitnotes.feedback", "true")
    git = open_git(repo.path)
    told = [
        ("Add the reader of files", "Add the reader of files", "kept"),
        ("Add the writer of files", "Add the writer of big files", "edited"),
        ("Update cache", "Let two processes share one cache", "replaced"),
    ]
    shas = []
    for number, (suggested, written, _) in enumerate(told):
        monkeypatch.setattr("time.time", lambda: float(repo.clock + 30))
        assert remember_suggestion(git, "Something earlier", "best")
        assert remember_suggestion(git, suggested, "best")
        shas.append(repo.commit(written, {f"{number}.py": "x = 1\n"}))
    verdicts = read_verdicts(git)
    assert [item.fate for item in verdicts] == [fate for _, _, fate in told]
    assert suggested_commits(git) == shas
    (month,) = read_months(git)
    assert month.suggestions == 3 and month.kept == month.edited == pytest.approx(1 / 3)


def test_a_suggestion_that_nobody_took_has_no_verdict() -> None:
    suggestions = [Suggestion(100, "a", "Add it", "best"), Suggestion(100, "b", "Add it", "best")]
    found = judge(suggestions, {"a": [("c1", 130, "Add it")], "b": [("c0", 10, "Add it")]})
    assert [(item.sha, item.fate) for item in found] == [("c1", "kept")]


def test_torn_lines_are_left_out() -> None:
    good = json.dumps({"time": 1, "base": "a", "text": "Add", "drafter": "best"})
    assert read_lines(f"{good}\n{good[:20]}\n[]\n3\n{good}") == [Suggestion(1, "a", "Add", "best")] * 2


@pytest.mark.parametrize("time", ["Infinity", "NaN", "-1", "1e300", "9" * 30, "9" * 5000, "[" * 100_000])
def test_times_that_cannot_be_are_left_out(time: str) -> None:
    assert read_lines(f'{{"time": {time}, "base": "a", "text": "Add", "drafter": "best"}}') == []


def test_a_folder_that_cannot_be_written_stops_nobody(repo: Repo) -> None:
    repo.git("config", "gitnotes.feedback", "true")
    (repo.path / ".git" / "gitnotes").write_text("in the way")
    assert not remember_suggestion(open_git(repo.path), "Add it", "best")


def test_months() -> None:
    suggestions = [Suggestion(time, str(time), "Add it", "best") for time in (0, 40 * 86400)]
    children = {str(item.time): [(f"c{item.time}", item.time, "Add it")] for item in suggestions}
    assert [(item.month, item.kept) for item in by_month(judge(suggestions, children))] == [
        ("1970-01", 1.0),
        ("1970-02", 1.0),
    ]


def test_similarity_of_words() -> None:
    assert edit_similarity([], []) == 1.0
    assert edit_similarity(["a", "b"], ["a", "c"]) == 0.5
    assert edit_similarity([], ["a"]) == 0.0


def test_the_hook_remembers_what_it_suggests(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit("First of all", {"a.py": "a = 1\n"})
    message = repo.path / "MESSAGE"
    for wanted in (False, True):
        if wanted:
            repo.git("config", "gitnotes.feedback", "true")
        repo.write("b.py", "def read(text):\n    return text\n")
        message.write_text("\n# comment\n")
        assert run(["hook", "prepare-commit-msg", str(message)]) == 0
        assert place_of(repo).exists() is wanted
    (found,) = read_lines(place_of(repo).read_text())
    assert message.read_text().startswith(found.text) and found.base == repo.git("rev-parse", "HEAD")


def test_the_verb(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.git("config", "gitnotes.feedback", "true")
    remember_suggestion(open_git(repo.path), "Add the reader", "best")
    repo.clock += 10**9
    repo.commit("Add the reader", {"a.py": "a = 1\n"})
    assert run(["evaluate", "--feedback"]) == 0
    assert "100 %" in capsys.readouterr().out
    assert run(["evaluate", "--feedback", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["months"][0]["kept"] == 1.0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of Unix")
def test_what_is_no_file_is_left_alone(repo: Repo) -> None:
    repo.commit("First of all", {"a.py": "a = 1\n"})
    repo.git("config", "gitnotes.feedback", "true")
    place = place_of(repo)
    place.parent.mkdir()
    os.mkfifo(place)
    assert not remember_suggestion(open_git(repo.path), "Add it", "best")
    with pytest.raises(CannotJudge):
        read_verdicts(open_git(repo.path))
