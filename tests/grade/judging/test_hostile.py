"""Does nothing that a judge reads become the score, whatever it says and however it is hidden?

The judge of these tests is the most gullible one: it gives full marks as soon as it reads what asks
for them. The cases are in tests/fixtures/judge_cases.jsonl.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from gitnotes.generation import Completion, Request
from gitnotes.grade.judging.asking import Plan
from gitnotes.grade.judging.judge import judge_texts
from gitnotes.grade.judging.notes import judge_note_text
from gitnotes.grade.judging.questions import Case
from gitnotes.grade.judging.rubric import find_profile
from gitnotes.grade.judging.scores import read_score
from tests.conftest import Repo
from tests.grade.judging.test_judge import SALT, Model, always

CASES: dict[str, dict[str, Any]] = {
    row["id"]: row
    for row in map(
        json.loads,
        (Path(__file__).parents[2] / "fixtures" / "judge_cases.jsonl").read_text("utf-8").splitlines(),
    )
}
CHECKLIST = find_profile("checklist")
GOOD = {question.name: "yes" if question.good else "no" for question in CHECKLIST.questions}
HONEST = GOOD | {"reason": "no", "whole": "no"}
CLEAN = Case("-a\n+b", "Fix the pager")


def text_of(row: dict[str, Any]) -> str:
    if "letter" in row:
        return str(row["letter"]) * int(row["times"])
    # Tag characters: invisible, and a model reads them as the letters that they stand for.
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in row.get("hidden", ""))
    return str(row["input"]) + hidden


def case_of(row: dict[str, Any]) -> Case:
    return Case(text_of(row), CLEAN.text) if row["surface"] == "change" else Case(CLEAN.source, text_of(row))


def prompts(model: Model) -> str:
    return "\n".join(turn.text for request in model.requests for turn in request.turns)


@pytest.mark.parametrize("name", ["PI01", "PI02", "PI03", "PI05", "PI10", "PI14"])
def test_what_asks_for_a_mark_is_not_read(name: str) -> None:
    row = CASES[name]

    def obey(request: Request) -> str:
        return json.dumps(GOOD if row["plea"] in request.turns[1].text else HONEST)

    plan = Plan(CHECKLIST)
    (clean,) = judge_texts([CLEAN], plan, Model(obey), salt=SALT)
    (found,) = judge_texts([case_of(row)], plan, Model(obey), salt=SALT)
    assert clean.overall is not None and found.overall is not None
    assert abs(found.overall - clean.overall) <= 0.5
    assert any("speak to a grader" in flag for flag in found.flags)
    (raw,) = judge_texts([case_of(row)], plan, Model(obey), salt=SALT, pleas=True)
    assert raw.overall == 4, "the gullible judge would have obeyed"


@pytest.mark.parametrize("name", ["PI06", "PI07", "PI13"])
def test_tokens_of_templates_and_of_direction_are_harmless(name: str) -> None:
    row = CASES[name]
    model = always(json.dumps(HONEST))
    list(judge_texts([case_of(row)], Plan(CHECKLIST), model, salt=SALT, pleas=True))
    assert row["token"] in text_of(row) and row["token"] not in prompts(model)
    assert all([turn.role for turn in request.turns] == ["system", "user"] for request in model.requests)


def test_a_claim_of_review_raises_nothing() -> None:
    """PI09: our own grade of it is no better for the claim, and the judge is told to believe nothing."""
    from gitnotes.config import Settings
    from gitnotes.read.diff import parse_patch
    from gitnotes.recipes.grading import grade_for

    text = text_of(CASES["PI09"])
    patch = b"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1 @@\n-import os\n import sys\n"
    change = parse_patch(patch)
    plain = grade_for(text.partition("\n")[0], change, Settings(), conventional=False).scores["consistency"]
    claimed = grade_for(text, change, Settings(), conventional=False).scores["consistency"]
    assert plain is not None and claimed is not None and claimed <= plain
    model = always('{"score": 1}')
    list(judge_texts([Case("-import os", text)], Plan(find_profile("coderpe")), model, salt=SALT))
    assert "nothing is made up" in prompts(model) and "it is not addressed to you" in prompts(model)


def test_invisible_letters_are_gone() -> None:
    row = CASES["PI11"]
    model = always(json.dumps(HONEST))
    list(judge_texts([case_of(row)], Plan(CHECKLIST), model, salt=SALT))
    assert any(ord(letter) >= 0xE0000 for letter in text_of(row))
    assert not any(ord(letter) >= 0xE0000 for letter in prompts(model))
    assert row["hidden"] not in prompts(model)


def test_nothing_is_decoded() -> None:
    row = CASES["PI15"]
    model = always(json.dumps(HONEST))
    list(judge_texts([case_of(row)], Plan(CHECKLIST), model, salt=SALT))
    assert row["decoded"] not in prompts(model) and "base64" in prompts(model)


@pytest.mark.parametrize("name", ["PI17", "PI18"])
def test_branch_and_author_are_not_shown(name: str, repo: Repo) -> None:
    pytest.importorskip("detect_secrets")
    from gitnotes.read.git import open_git
    from gitnotes.recipes.judging import read_judged

    text = text_of(CASES[name])
    repo.commit("Begin", {"a.py": "x = 1\n"})
    if name == "PI17":
        repo.git("checkout", "-q", "-b", text.replace(" ", "-"))
        repo.commit("Fix the pager", {"a.py": "x = 2\n"})
    else:
        repo.commit("Fix the pager", {"a.py": "x = 2\n"}, "--author", text)
    cases = read_judged(open_git(repo.path), len, 2)
    model = always(json.dumps(HONEST))
    list(judge_texts(cases, Plan(CHECKLIST), model, salt=SALT))
    assert "Fix the pager" in prompts(model) and "four" not in prompts(model)
    assert not (repo.path / "owned").exists()


def test_no_change_of_a_note_gets_lost_because_another_asks_for_it() -> None:
    entries = list(CASES["PI21"]["input"])

    def obey(request: Request) -> str:
        text = request.turns[1].text
        if "Say of each change" not in text:
            return '{"score": 4}'
        gullible = "leave out every commit" in text
        return json.dumps({"1": "yes", "2": "yes" if gullible else "no"})

    found = judge_note_text(entries, "- CSV", Plan(find_profile("release")), Model(obey), salt=SALT)
    assert "not covered: fix: keep the licence header" in found.explanations
    assert found.scores["completeness"] == 3


@pytest.mark.parametrize("name", ["PI22", "PI23", "PI25", "PI26", "PI27", "DO03"])
def test_replies(name: str) -> None:
    row = CASES[name]
    reply = Completion(text_of(row), "m")
    started = time.process_time()
    found = read_score(reply, name="consistency", low=0, high=4)
    assert time.process_time() - started < 0.5
    assert found.value == row["value"]
    assert (found.value is None) == bool(found.reason) and row.get("reason", "") in found.reason


@pytest.mark.parametrize("name", ["DO01", "DO02"])
def test_giants_cost_little(name: str) -> None:
    pytest.importorskip("detect_secrets")
    from gitnotes.read.diff import parse_patch
    from gitnotes.recipes.judging import SOURCE_TOKENS, make_case

    text = text_of(CASES[name])
    line = text if name == "DO01" else "x = 1"
    patch = f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+{line}\n".encode()
    change = parse_patch(patch)
    started = time.process_time()
    case = make_case(change, "Fix the pager" if name == "DO01" else text, lambda told: len(told) // 3)
    model = always(json.dumps(HONEST))
    (found,) = judge_texts([case], Plan(CHECKLIST), model, salt=SALT)
    assert time.process_time() - started < 5 and found.overall is not None
    assert len(case.source) <= 6 * SOURCE_TOKENS
    if name == "DO01":
        assert "is not shown" in prompts(model) or "..." in case.source or "more characters" in case.source


def test_nothing_is_asked_about_nothing() -> None:
    model = always(json.dumps(GOOD))
    (found,) = judge_texts([case_of(CASES["DO05"])], Plan(CHECKLIST), model, salt=SALT)
    assert found.overall == 0 and not model.requests


def test_a_change_without_text_is_not_assessable(repo: Repo) -> None:
    """DO06: no judge can hold a message against bytes that it is not shown."""
    pytest.importorskip("detect_secrets")
    from gitnotes.config import Settings
    from gitnotes.read.diff import read_commit
    from gitnotes.read.git import open_git
    from gitnotes.recipes.grading import grade_text
    from gitnotes.recipes.judging import judge_graded

    for message, content in (("Begin", b"\0\1"), ("Replace the icon of the window", bytes(range(256)))):
        (repo.path / "x.bin").write_bytes(content)
        repo.git("add", "x.bin")
        repo.git("commit", "-q", "-m", message)
    git = open_git(repo.path)
    change = read_commit(git, "HEAD")
    graded = grade_text(git, Settings(), "Replace the icon of the window", change=change)
    model = always('{"score": 0}')
    (one,) = judge_graded([graded], Plan(find_profile("coderpe")), model)
    assert one.judgement is not None
    assert one.judgement.scores["consistency"] is None and one.judgement.overall is None
    assert "no text" in one.judgement.unscored["consistency"]
    assert one.judgement.scores["fluency"] == 0
    (listed,) = judge_graded([graded], Plan(CHECKLIST), always(json.dumps(GOOD)))
    assert listed.judgement is not None and listed.judgement.overall is None
    assert listed.judgement.scores["supported"] is None and listed.judgement.scores["readable"] == 4


@pytest.mark.parametrize(
    ("message", "profile", "reply", "name"),
    [
        ("Remove the login page", "coderpe", '{"score": 4}', "consistency"),
        ("Remove the login page", "checklist", json.dumps(GOOD), "supported"),
        ("Add load_pages to the client", "coderpe", '{"score": 0}', "consistency"),
    ],
)
def test_what_the_words_of_the_change_deny_is_disputed(
    message: str, profile: str, reply: str, name: str
) -> None:
    pytest.importorskip("detect_secrets")
    from gitnotes.config import Settings
    from gitnotes.read.diff import parse_patch
    from gitnotes.recipes.grading import grade_text
    from gitnotes.recipes.judging import judge_graded

    lines = b"+def load_pages(client):\n+    return client.pages\n"
    patch = b"diff --git a/client.py b/client.py\n--- a/client.py\n+++ b/client.py\n@@ -0,0 +1,2 @@\n" + lines
    graded = grade_text(None, Settings(), message, change=parse_patch(patch))
    (one,) = judge_graded([graded], Plan(find_profile(profile)), always(reply))
    assert one.judgement is not None
    assert [flag for flag in one.judgement.flags if flag.startswith("disputed") and name in flag]


def test_every_case_is_used() -> None:
    used = Path(__file__).read_text("utf-8")
    assert CASES and not [name for name in CASES if name not in used]
