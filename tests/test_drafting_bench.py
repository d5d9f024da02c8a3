"""Does the drafting benchmark know only what came before, and do its baselines do what they are named for?"""

from __future__ import annotations

import json

import pytest

from bench.drafting.__main__ import main
from bench.drafting.baselines import Cosines, bleu, majority, nearest_by_files, nngen, update_file
from bench.drafting.measures import measure, style_faults, unknown_names
from bench.drafting.past import History, without_reference
from gitnotes.draft.style import Style
from gitnotes.read.git import open_git
from tests.conftest import Repo


def build(repo: Repo) -> History:
    repo.commit("Add the parser", {"parser.py": "def parse(text):\n    return text\n"})
    repo.commit("Add the writer", {"writer.py": "def write(record):\n    return record\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Strip the text in the parser", {"parser.py": "def parse(text):\n    return text.strip()\n"})
    repo.git("checkout", "-q", "-")
    repo.commit("Lower the text in the parser", {"parser.py": "def parse(text):\n    return text.lower()\n"})
    repo.git("merge", "-q", "-s", "ours", "--no-edit", "side")
    return History(open_git(repo.path))


def test_only_ancestors_are_known(repo: Repo) -> None:
    history = build(repo)
    by_subject = {item.subject: item for item in history.people}
    assert len(by_subject) == 4
    known, recent = history.before(by_subject["Lower the text in the parser"], 300)
    assert [item.subject for item in known] == ["Add the writer", "Add the parser"]
    assert [item.subject for item in recent] == ["Add the writer", "Add the parser"]
    assert history.before(by_subject["Add the parser"], 300) == ([], [])


def test_baselines_take_the_nearest(repo: Repo) -> None:
    history = build(repo)
    item = next(past for past in history.people if past.subject == "Lower the text in the parser")
    known, _ = history.before(item, 300)
    nearest = Cosines(history.people).nearest(item, known)
    assert [past.subject for past in nearest] == ["Add the parser", "Add the writer"]
    assert nngen(item, nearest) == "Add the parser"
    assert nearest_by_files(item, known) == "Add the parser"
    assert update_file(item) == "Update parser.py"
    assert majority(known) in {"Add the writer", "Add the parser"}
    assert nngen(item, []) == nearest_by_files(item, []) == majority([]) == ""


def test_bleu_of_equal_and_of_other_texts() -> None:
    text = ["a", "change", "of", "the", "parser"]
    assert bleu(text, text) == pytest.approx(1.0)
    assert bleu(text, ["nothing", "in", "common", "here"]) < bleu(text, [*text, "more"]) < 1
    assert bleu([], text) == 0.0


def test_a_draft_is_measured_against_reference_change_and_style() -> None:
    style = Style(case="upper")
    shown = "src/parser.py\n    return parse_all(text)"
    row = measure("Add parse_all to parser.py", "Add parse_all to parser.py", shown, style, 0.1)
    assert (row.edit, row.rouge_l, row.accepted, row.hallucinated, row.style_right) == (1, 1, 1, 0, 1)
    assert row.log_mnext == row.mnext_f1 == 1
    assert row.type_right is None
    assert measure("fix: add x", "fix: add y", shown, style, 0.1).type_right is None
    typed = Style(conventional=True)
    assert measure("tests: add x", "test: add y", shown, typed, 0.1).type_right == 1
    assert measure("add x", "fix: add y", shown, typed, 0.1).type_right == 0


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("Use parse_all", []),
        ("Use `parse_none`", ["parse_none"]),
        ("Use parse_all\n\n- Call other.thing", ["other.thing"]),
        ("Release 3.1", ["3.1"]),
        ("fix(core.io): use parse_all", ["core.io"]),
        ("fix: call parse_all", []),
    ],
)
def test_names_that_the_change_lacks(text: str, unknown: list[str]) -> None:
    assert unknown_names(text, "src/parser.py\nreturn parse_all(text)") == unknown


@pytest.mark.parametrize(
    ("subject", "faults"),
    [
        ("Add the parser", []),
        ("add the parser", ["case"]),
        ("Added the parser", ["tense"]),
        ("Add the parser.", ["stop"]),
        ("fix: add the parser", ["prefix"]),
        ("x" * 73, ["length"]),
    ],
)
def test_style_faults(subject: str, faults: list[str]) -> None:
    assert style_faults(subject, Style(case="upper")) == faults


def test_numbers_of_pull_requests_do_not_count() -> None:
    assert without_reference("Add the parser (#12)") == "Add the parser"
    assert without_reference("Add the parser of #12") == "Add the parser of #12"


def test_main_prints_the_drafters_as_json(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    build(repo)
    assert main(["--repo", str(repo.path), "--last", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["commits"] == 2
    assert {"default", "nngen", "structure", "nearest-files", "update-file", "majority"} <= set(
        found["drafters"]
    )
    for figures in found["drafters"].values():
        assert 0 <= figures["log-mnext"] <= 1 and 0 <= figures["mnext-f1"] <= 1
        assert {"rouge-l", "edit", "hallucinated", "accepted", "style-right", "seconds"} <= set(figures)
    assert found["drafters"]["structure"]["hallucinated"] == 0


def test_fitted_weights_prefer_what_is_worth_more() -> None:
    pytest.importorskip("numpy")
    from bench.drafting.fit import Choice, fit, worth

    choices = [
        Choice([{"good": 1.0, "noise": float(at % 3)}, {"noise": float(at % 2)}], [0.9, 0.1])
        for at in range(20)
    ]
    weights = fit(choices)
    assert weights["good"] > 1 and weights["good"] > 3 * abs(weights["noise"])
    assert worth(choices, weights) == pytest.approx(0.9)
    assert worth(choices, {"good": -1.0}) == pytest.approx(0.1)
