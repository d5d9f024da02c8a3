"""Are drafters compared commit by commit, from what came before alone, and recommended only if sure?"""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("detect_secrets")

from gitnotes.__main__ import run
from gitnotes.config import Settings, load_settings
from gitnotes.errors import CannotJudge, InputError, UsageError
from gitnotes.generation import Completion, Request, Tuning
from gitnotes.learn.evaluate import Measured, System, compare_all, recommend, score_draft
from gitnotes.read.git import open_git
from gitnotes.recipes.cases import read_cases
from gitnotes.recipes.evaluating import draft_by_model, evaluate_drafters, set_drafter
from gitnotes.records import Signature
from gitnotes.show.evaluations import evaluation_json, evaluation_text
from tests.conftest import Repo
from tests.learn.test_dataset import grow


def system(name: str, values: list[float], *, model: bool = False, invented: int = 0) -> System:
    rows = [
        Measured(str(at), "r", "t", dict.fromkeys(("log-mnext", "mnext-f1", "rouge-l", "edit"), value), 50.0,
                 at < invented, 0.1)
        for at, value in enumerate(values)
    ]  # fmt: skip
    return System(name, tuple(rows), 0, model)


def test_scores_of_a_subject() -> None:
    assert score_draft("Add the parser", "Add the parser") == dict.fromkeys(
        ("log-mnext", "mnext-f1", "rouge-l", "edit"), 1.0
    )
    assert set(score_draft("", "Add the parser").values()) == {0.0}
    found = score_draft("Add a parser", "Add the parser")
    assert found["rouge-l"] == pytest.approx(2 / 3) and found["edit"] == pytest.approx(2 / 3)
    assert 0 < found["log-mnext"] < 1


def test_a_sure_difference_has_an_interval_above_nothing() -> None:
    low, high = [0.1, 0.2] * 30, [0.5, 0.6] * 30
    (duel, _) = compare_all([system("a", low), system("b", high)])
    assert (duel.system, duel.baseline, duel.metric) == ("b", "a", "log-mnext")
    assert duel.difference == pytest.approx(0.4) and duel.low > 0 and duel.p < 0.01
    (same, _) = compare_all([system("a", low), system("b", low[::-1])])
    assert same.low < 0 < same.high and same.p > 0.5


def test_a_model_is_recommended_only_when_it_is_surely_better_and_invents_no_more() -> None:
    low, high = [0.1, 0.2] * 30, [0.5, 0.6] * 30
    plain = [system("structure", [0.1] * 60), system("best", low)]
    assert recommend(plain)[0] == "best"
    assert recommend([*plain, system("local:m", high, model=True)])[0] == "local:m"
    name, reason = recommend([*plain, system("local:m", high, model=True, invented=30)])
    assert name == "best" and "not in the change" in reason
    hardly = [value + (0.02 if at % 2 else -0.018) for at, value in enumerate(low)]
    name, reason = recommend([*plain, system("local:m", hardly, model=True)])
    assert name == "best" and "no model surely beats it" in reason
    name, reason = recommend([system("best", low[:10]), system("local:m", high[:10], model=True)])
    assert name == "best" and "too few" in reason
    yardstick = dataclasses.replace(system("nearest", high), choice=False)
    assert recommend([yardstick, *plain])[0] == "best"
    assert recommend([yardstick])[0] == ""


def test_commits_are_drafted_from_what_came_before(repo: Repo) -> None:
    grow(repo, 30)
    repo.commit("Bump six", {"r.txt": "six==2\n"}, "--author", "dependabot[bot] <b@example.org>")
    git = open_git(repo.path)
    cases = list(read_cases(git, Settings(), 10))
    assert len(cases) == 10 and cases[0].sha == repo.git("rev-parse", "HEAD^")
    subjects = repo.git("log", "--format=%s").split("\n")[::-1]
    for case in cases:
        mine = subjects.index(case.reference)
        assert case.neighbours
        assert all(subjects.index(item.subject) < mine for item in case.neighbours)
    assert not list((repo.path / ".git").glob("gitnotes/history.sqlite"))


def test_drafters_side_by_side(repo: Repo, tmp_path: Path) -> None:
    grow(repo, 45)
    git = open_git(repo.path)
    shas = repo.git("rev-list", "HEAD").split()[:35]
    rows = [{"sha": sha[:12], "message": repo.git("log", "-1", "--format=%s", sha)} for sha in shas[:34]]
    (tmp_path / "peer.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = evaluate_drafters(
        git, Settings(), ["structure", "nearest"], last=35, against=[tmp_path / "peer.jsonl"], name="r"
    )
    structure, nearest, peer = found.systems
    assert found.commits == 35 and peer.mean("log-mnext") == pytest.approx(34 / 35)
    assert peer.share("empty") == pytest.approx(1 / 35) and peer.share("kept") == pytest.approx(34 / 35)
    assert structure.rows[0].text and nearest.rows[0].text in repo.git("log", "--format=%s").split("\n")
    assert structure.share("invented") == 0.0
    assert "no draft for 1 of 35" in found.notes[0]
    assert {(duel.system, duel.baseline) for duel in found.duels} == {
        ("nearest", "structure"),
        ("peer", "structure"),
    }
    text = evaluation_text(found)
    assert "35 commits of r" in text and "structure" in text and max(map(len, text.split("\n"))) < 110
    told = json.loads(evaluation_json(found, rows=True))
    assert told["kind"] == "evaluation" and len(told["systems"][0]["rows"]) == 35
    assert told["recommended"] == found.recommended


def test_rows_of_another_tool_that_are_none(repo: Repo, tmp_path: Path) -> None:
    grow(repo, 4)
    head, before = repo.git("rev-list", "HEAD").split()[:2]
    rows = [{"sha": head, "message": "Add \ud800 it"}, {"sha": 1, "message": "x"}, {"sha": before}]
    rows.append({"sha": before, "message": {"a": 1}})
    lines = [*map(json.dumps, rows), "no json"]
    (tmp_path / "peer.jsonl").write_text("\n".join(lines) + "\n")
    found = evaluate_drafters(
        open_git(repo.path), Settings(), ["structure"], last=2, against=[tmp_path / "peer.jsonl"]
    )
    assert found.notes == ("peer: no draft for 1 of 2 commits; 4 of its rows cannot be read",)
    assert "4 of its rows" in evaluation_text(found)
    (tmp_path / "peer.jsonl").write_text("\n".join(lines[1:]) + "\n")
    with pytest.raises(InputError, match="None of the commits is in 'peer'; 4 of its rows cannot be read"):
        evaluate_drafters(
            open_git(repo.path), Settings(), ["structure"], last=2, against=[tmp_path / "peer.jsonl"]
        )
    (tmp_path / "peer.bin").write_text("x")
    with pytest.raises(UsageError) as problem:
        evaluate_drafters(open_git(repo.path), Settings(), [], against=[tmp_path / "peer.bin"])
    assert "--format" not in problem.value.hint  # which evaluate does not have


def test_a_draft_without_end_takes_no_longer_than_its_length(repo: Repo, tmp_path: Path) -> None:
    grow(repo, 3)
    row = {"sha": repo.git("rev-parse", "HEAD"), "message": "a" * 1_000_000}
    (tmp_path / "peer.jsonl").write_text(json.dumps(row) + "\n")
    started = time.monotonic()
    evaluate_drafters(open_git(repo.path), Settings(), [], last=1, against=[tmp_path / "peer.jsonl"])
    assert time.monotonic() - started < 20


def test_no_room_for_an_index(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> int:
        raise sqlite3.OperationalError("database or disk is full")

    grow(repo, 3)
    monkeypatch.setattr("gitnotes.index.Index.update", full)
    with pytest.raises(InputError, match=r"no room for an index .*: database or disk is full") as problem:
        evaluate_drafters(open_git(repo.path), Settings(), ["best"], last=1)
    assert "TMPDIR" in problem.value.hint


class Model:
    """Answers what it was told to, and remembers the question."""

    signature = Signature("local", "1", {})
    context = 2048

    def __init__(self, answer: str, tuning: Tuning | None = None) -> None:
        self.answer, self.tuning = answer, tuning
        self.asked: list[Request] = []

    def complete(self, request: Request, watch: Callable[[str], None] | None = None) -> list[Completion]:
        self.asked.append(request)
        return [Completion(self.answer, "m")]

    def count_tokens(self, text: str) -> int:
        return len(text) // 3


def test_what_a_model_says_is_taken_as_it_is(repo: Repo) -> None:
    grow(repo, 6)
    (case,) = read_cases(open_git(repo.path), Settings(), 1)
    tuned = Model("Fix FooBar_9 in the reader", Tuning("b", "0", 64, 32))
    assert draft_by_model(tuned, case) == "Fix FooBar_9 in the reader"
    assert tuned.asked[0].max_tokens == 32 and "Earlier subjects:" in tuned.asked[0].turns[1].text
    plain = Model("I cannot do that.")
    assert draft_by_model(plain, case)
    assert "boundary lines" in plain.asked[0].turns[0].text


@pytest.mark.parametrize(
    ("names", "words"),
    [(["nobody"], "no drafter called 'nobody'"), (["structure", "x\x1b[31m"], "no drafter")],
)
def test_unknown_drafters(names: list[str], words: str, repo: Repo) -> None:
    grow(repo, 3)
    with pytest.raises(UsageError, match=words):
        evaluate_drafters(open_git(repo.path), Settings(), names)


def test_a_history_of_bots(repo: Repo) -> None:
    repo.commit("Bump six up", {"r.txt": "1\n"}, "--author", "renovate[bot] <b@example.org>")
    with pytest.raises(CannotJudge, match="no commit of a person"):
        evaluate_drafters(open_git(repo.path), Settings(), ["structure"])


@pytest.mark.parametrize("content", ["a,b\n1,2\n", "sha,message\n0123456789ab,Add it\n"])
def test_outputs_of_something_else(content: str, repo: Repo, tmp_path: Path) -> None:
    grow(repo, 3)
    (tmp_path / "peer.csv").write_text(content)
    with pytest.raises(InputError):
        evaluate_drafters(open_git(repo.path), Settings(), ["structure"], against=[tmp_path / "peer.csv"])


def test_a_drafter_is_set_and_the_rest_of_the_file_stays(repo: Repo) -> None:
    repo.commit("First of all", {"a.py": "a = 1\n"})
    git = open_git(repo.path)
    (repo.path / ".gitnotes.toml").write_text(
        'min-score = 40.0\ndrafter = "structure"\n\n[rules]\nvague = "off"\n'
    )
    set_drafter(git, "history")
    settings = load_settings(repo.path)
    assert (settings.drafter, settings.min_score, settings.rules) == ("history", 40.0, {"vague": "off"})
    (repo.path / ".gitnotes.toml").write_text('[rules]\ndrafter-note = "off"\n')
    with pytest.raises(UsageError):  # what else stands there must make sense as well
        set_drafter(git, "history")
    (repo.path / ".gitnotes.toml").unlink()
    set_drafter(git, "structure")
    assert load_settings(repo.path).drafter == "structure"
    with pytest.raises(UsageError, match="--model"):
        set_drafter(git, "local:m")


def test_the_verb(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    grow(repo, 12)
    assert run(["evaluate", "--last", "5", "--drafters", "structure,nearest", "--set"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("5 commits") and ".gitnotes.toml" in err


def test_a_model_that_is_recommended_is_not_set(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(repo, 3)
    found = dataclasses.replace(
        evaluate_drafters(open_git(repo.path), Settings(), ["structure"]), recommended="local:m"
    )
    monkeypatch.setattr("gitnotes.recipes.evaluating.evaluate_drafters", lambda *_, **__: found)
    assert run(["evaluate", "--set"]) == 0
    assert "use it with --model local:m; nothing was set" in capsys.readouterr().err
    assert not (repo.path / ".gitnotes.toml").exists()


def test_odd_options_of_the_verb(repo: Repo) -> None:
    assert run(["evaluate", "--rows"]) == 2
    for other in (["--set"], ["--drafters", "best"], ["--against", "peer.jsonl"]):
        assert run(["evaluate", "--feedback", *other]) == 2
