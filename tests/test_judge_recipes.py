"""Do a repository's notes and messages come before a judge as they should, and with time enough?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gitnotes.errors import UsageError
from gitnotes.generation import Request
from gitnotes.grade.judging.asking import Plan
from gitnotes.grade.judging.rubric import find_profile
from gitnotes.read.git import open_git
from gitnotes.read.history import read_range
from gitnotes.recipes.judging import (
    doubt_own,
    fit_plan,
    judge_note,
    judge_salt,
    note_changes,
)
from gitnotes.records import CommitTree, Judgement, Signature
from tests.conftest import Repo
from tests.grade.judging.test_judge import Model

pytest.importorskip("detect_secrets")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITNOTES_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def tree(repo: Repo) -> CommitTree:
    start = repo.commit("Begin", {"a.py": "x = 1\n"})
    repo.commit("Add a cache for pages", {"cache.py": "CACHE = {}\n"})
    repo.commit("Fix the timeout of the proxy", {"proxy.py": "TIMEOUT = 5\n"})
    end = repo.commit("ci: run on Python 3.13", {".github/workflows/ci.yml": "on: push\n"})
    return read_range(open_git(repo.path), start, end, files=True)


def answer(request: Request) -> str:
    asked = request.turns[1].text
    return json.dumps({"1": "yes", "2": "no"}) if "Say of each change" in asked else '{"score": 4}'


def test_a_note_is_held_against_what_users_see(tree: CommitTree) -> None:
    assert len(note_changes(tree)) == 2 and not any("3.13" in entry for entry in note_changes(tree))
    model = Model(answer)
    found = judge_note(tree, "- A cache for pages\n", model)
    assert found.scores["completeness"] == 3 and found.scores["clarity"] == 4
    assert len([text for text in found.explanations if text.startswith("not covered: ")]) == 1
    assert "profile:release" in str(found.signature)
    assert all("author@" not in turn.text for request in model.requests for turn in request.turns)


def test_secrets_of_subjects_and_notes_are_masked(repo: Repo) -> None:
    token = "gh" + "p_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z"
    start = repo.commit("Begin", {"a.py": "x = 1\n"})
    end = repo.commit(f"Accept the token {token}", {"a.py": "x = 2\n"})
    model = Model(lambda request: '{"1": "yes", "score": 4}')
    judge_note(read_range(open_git(repo.path), start, end, files=True), f"- The token {token}", model)
    assert model.requests and token not in json.dumps(
        [turn.text for request in model.requests for turn in request.turns]
    )


def test_only_the_profile_of_notes_and_only_a_range_with_commits(tree: CommitTree) -> None:
    with pytest.raises(UsageError, match="profile release"):
        judge_note(tree, "- x", Model(answer), plan=Plan(find_profile("commit")))
    with pytest.raises(UsageError, match="no change"):
        judge_note(replace(tree, commits=()), "- x", Model(answer))


def test_a_model_that_wrote_the_note_is_doubted(tree: CommitTree) -> None:
    found = judge_note(tree, "- A cache", Model(answer), drafter="endpoint|model:m-0|host:x")
    assert any("self-preference: m-0" in flag for flag in found.flags)
    assert not judge_note(tree, "- A cache", Model(answer), drafter="draft|drafter:best").flags


def test_doubt_needs_a_name() -> None:
    plain = Judgement({}, None, Signature("judge", "1", {"model": "", "answered-by": "none"}))
    assert doubt_own(plain, ["", "anybody"]) is plain


def test_a_model_on_this_machine_has_time_and_no_rival() -> None:
    class Here(Model):
        def __init__(self, signature: Signature) -> None:
            super().__init__(answer)
            self.signature = signature

    plan = Plan(find_profile("commit"), workers=4, call_seconds=60)
    inside = fit_plan(plan, Here(Signature("local", "1", {"model": "x"})))
    assert (inside.workers, inside.call_seconds) == (1, 300)
    for host in ("127.0.0.1:8080", "localhost", "[::1]:1"):
        server = fit_plan(plan, Here(Signature("endpoint", "1", {"host": host})))
        assert (server.workers, server.call_seconds) == (4, 300)
    assert fit_plan(plan, Here(Signature("endpoint", "1", {"host": "judge.example.com"}))) is plan
    assert fit_plan(plan, Here(Signature("endpoint", "1"))) is plan
    patient = replace(plan, call_seconds=900)
    assert fit_plan(patient, Here(Signature("local", "1"))).call_seconds == 900


def test_a_salt_that_was_left_half_written_is_made_anew(tmp_path: Path) -> None:
    """Else no answer would ever be found again."""
    place = tmp_path / "cache" / "judge.salt"
    place.parent.mkdir()
    place.write_bytes(b"")
    salt = judge_salt()
    assert len(salt) == 32 and judge_salt() == salt and place.stat().st_mode & 0o77 == 0
    place.write_bytes(b"short")
    assert judge_salt() not in (salt, b"short")
