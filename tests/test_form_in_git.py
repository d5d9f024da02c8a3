"""Do settings, other tools and habits reach every way in which a message is graded?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitnotes.recipes.hooking import check_message_file
from tests.conftest import Repo
from tests.test_cli import run


@pytest.fixture
def history(repo: Repo) -> Repo:
    """A repository whose twelve subjects have capitals and no types."""
    for number in range(12):
        repo.commit(f"Add part {number} of the parser", {f"src/part{number}.py": f"x = {number}\n"})
    return repo


def rules(*arguments: str, **variables: str) -> list[set[str]]:
    """The rules that `grade` reports, for each message."""
    result = run("grade", *arguments, "--json", **variables)  # type: ignore[arg-type]
    found = json.loads(result.out)
    return [{finding["rule"] for finding in item["findings"]} for item in found.get("commits", [found])]


def every_way(repo: Repo, message: str) -> list[set[str]]:
    """What the last commit is told on its own and in a range, and its message before the commit."""
    return [*rules("HEAD"), *rules("HEAD~1..HEAD"), *rules("-m", message, "HEAD~1")]


def test_habits_of_the_history(history: Repo) -> None:
    message = "keep the order of the parser"
    history.commit(message, {"src/order.py": "y = 1\n"})
    assert all("capital" in found for found in every_way(history, message))
    (history.path / ".gitnotes.toml").write_text("capital = 'any'\n")
    assert not any("capital" in found for found in every_way(history, message))


def test_a_habit_counts_from_the_commits_before(history: Repo) -> None:
    for number in range(30):
        history.commit(f"drop part {number} of the lexer", {"src/lexer.py": f"x = {number}\n"})
    found = rules("HEAD~31..HEAD")
    assert "capital" in found[29] and "capital" not in found[0]
    assert rules("HEAD") == found[:1] and rules("HEAD~29") == found[29:30]


def test_what_commitlint_is_told(history: Repo) -> None:
    config = "export default {extends: ['@commitlint/config-conventional'],"
    config += " rules: {'type-enum': [2, 'always', ['feat', 'fix']], 'header-max-length': [2, 'always', 60]}}"
    message = "chore: keep the order of the parser\n\nIt was lost when two parts were read at a time."
    history.commit(message, {"commitlint.config.js": config, "src/order.py": "y = 1\n"})
    assert all("type-unknown" in found for found in every_way(history, message))
    assert "subject-length" in rules("-m", "fix: " + "keep the order " * 4 + "of it", "HEAD")[0]
    (history.path / ".gitnotes.toml").write_text("types = ['chore']\n")
    assert not any("type-unknown" in found for found in every_way(history, message))
    (history.path / ".gitnotes.toml").write_text("conventions = false\n")
    assert not any(name.startswith("type-") for found in every_way(history, message) for name in found)


OVERRIDES = """
ticket = "any"
[[overrides]]
paths = ["docs/"]
ticket = ""
[[overrides]]
authors = ["*@example.org>"]
rules = { ticket-missing = "info" }
"""


def test_overrides_by_path_and_author(history: Repo) -> None:
    history.commit("Explain the order of the parser", {"docs/order.md": "Order.\n"})
    history.commit("Explain and keep the order", {"docs/order.md": "Order!\n", "src/order.py": "y = 1\n"})
    (history.path / ".gitnotes.toml").write_text(OVERRIDES)
    both, docs = rules("HEAD~2..HEAD")
    assert "ticket-missing" in both and "ticket-missing" not in docs
    result = json.loads(run("grade", "--json").out)
    (finding,) = [item for item in result["findings"] if item["rule"] == "ticket-missing"]
    assert finding["severity"] == "info"


def test_the_author_of_a_message_is_who_commits_it(history: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    (history.path / ".gitnotes.toml").write_text(
        "[[overrides]]\nauthors = ['*@example.org>']\nsign_off = true"
    )
    assert "sign-off-missing" in rules("-m", "Keep the order", "HEAD")[0]
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "ada@other.org")
    assert "sign-off-missing" not in rules("-m", "Keep the order", "HEAD")[0]


def test_the_hook_asks_for_the_same(history: Repo) -> None:
    history.write("src/order.py", "y = 1\n")
    path = history.path / ".git" / "COMMIT_EDITMSG"
    path.write_text("stuff\n")
    (history.path / ".gitlint").write_text("[general]\ncontrib=contrib-title-conventional-commits\n")
    assert any("no type" in line for line in check_message_file(path).lines)
    (history.path / ".gitlint").unlink()
    assert not any("no type" in line for line in check_message_file(path).lines)


def test_levels_from_the_environment(history: Repo) -> None:
    assert "trailing-stop" in rules("-m", "Keep the order.", "HEAD")[0]
    assert (
        "trailing-stop" not in rules("-m", "Keep the order.", "HEAD", GITNOTES_RULES="trailing-stop=off")[0]
    )


def test_a_mistake_is_one_sentence(history: Repo) -> None:
    (Path(history.path) / ".gitnotes.toml").write_text("[rules]\ntrailing-stops = 'off'\n")
    result = run("grade")
    assert result.code == 2
    assert "trailing-stop" in result.err and "Traceback" not in result.err
