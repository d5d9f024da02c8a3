"""Do the programs that fit and measure the grade say what they did, on data made here?"""

import csv
import json

import pytest

from bench.grading.__main__ import main as measure
from bench.grading.ratings import read_omg, read_tian

PATCH = (
    "\ndiff --git a/app/{0}.py b/app/{0}.py\n--- a/app/{0}.py\n+++ b/app/{0}.py\n"
    "@@ -1,2 +1,2 @@\n-old_{0} = 1\n+new_{0} = 2\n"
)
THINGS = ["parser", "reader", "cache", "session", "queue", "router", "codec", "timer"]


@pytest.fixture
def data(tmp_path):
    """Made-up ratings: a reason makes a why, a verb with an object makes a what."""
    folder = tmp_path / "judge"
    folder.mkdir()
    texts = {
        "0": "Rename the {0} <enter> <enter> The old {0} name broke callers, because it was wrong. Fixes #1",
        "1": "misc {0}",
        "2": "stuff, because the {0} was wrong",
        "3": "Rename the {0} module",
    }
    with (folder / "tian_what_why.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "repo_id", "label", "url", "message"])
        for project in "123":
            for thing in THINGS:
                for label, text in texts.items():
                    rows.writerow([thing, project, label, "", text.format(thing)])
    with (folder / "omg_ratings.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["commit", "project", "source", "message", "rationality", "comprehensiveness",
                       "conciseness", "expressiveness", "diff"])  # fmt: skip
        for number, thing in enumerate(THINGS):
            for source, text in (
                ("human", f"Rename new_{thing} because old_{thing} was wrong"),
                ("human", f"Polish {number}"),
                ("fira", f"fix {thing}"),
            ):
                good = 4 if "because" in text else number % 3
                rows.writerow(["c", f"p{number % 4}", source, text, good, good, 4, 4, PATCH.format(thing)])
    return tmp_path


def test_ratings_are_read_as_they_are(data):
    tian, omg = read_tian(data), read_omg(data)
    assert len(tian) == 3 * 8 * 4 and len(omg) == 24
    assert tian[0].ratings == {"what": 1, "why": 1, "good": 1} and tian[0].message.count("\n") == 2
    assert [row.ratings["why"] for row in tian[:4]] == [1, 0, 1, 0]
    assert omg[0].change.files[0].path == "app/parser.py"


def test_without_data_both_say_so(tmp_path, capsys):
    pytest.importorskip("sklearn")
    assert measure(["--data", str(tmp_path)]) == 0
    assert "Skipped" in capsys.readouterr().err
    from bench.grading.fit import main as fit

    assert fit(["--data", str(tmp_path)]) == 2
    assert "tian_what_why.csv" in capsys.readouterr().err


def test_quick_mode_measures_the_shipped_numbers(data, capsys):
    assert measure(["--data", str(data), "--quick", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    why = next(line for line in table if line["rating"] == "why")
    assert why["n"] == 96 and why["gitnotes"][0] > 0.9
    assert why["gitnotes"][1] <= why["gitnotes"][0] <= why["gitnotes"][2]
    assert why["length"] is not None


@pytest.mark.slow
def test_the_fit_is_the_same_twice_and_finds_the_rule(data, monkeypatch):
    pytest.importorskip("sklearn")
    from bench.grading import fit

    monkeypatch.setattr(fit, "GRID", [(0.1, 0.5)])
    hand = json.loads(fit.SHIPPED.read_text(encoding="utf-8"))["hand"]
    content = json.loads(fit.fit_file(data, hand))
    again = fit.fit_scale(read_tian(data), read_omg(data), hand)
    assert json.loads(fit.render(again))["fitted"]["heads"] == content["fitted"]["heads"]
    why, told = content["fitted"]["heads"]["why"], content["fitted"]["heads"]["told"]
    assert why["signals"]["cause"] > 0
    assert all(value * fit.TOLD[name] >= 0 for name, value in told["signals"].items())
    assert set(content["fitted"]["projects"]) == {"1", "2", "3", "p0", "p1", "p2", "p3"}
    # A stem of one project alone, such as its name, is never weighed.
    assert "parser" not in fit._choose_stems(
        [fit.Row({}, frozenset(["parser"]), 1.0, "1")] * 5 + [fit.Row({}, frozenset(["x"]), 1.0, "2")]
    )


def test_the_shipped_scale_is_named_after_all_its_numbers():
    pytest.importorskip("sklearn")
    from bench.grading.fit import SHIPPED, name_of

    shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))
    assert shipped["fitted"]["version"] == name_of(shipped)
    shipped["hand"]["floor"] += 0.01
    assert shipped["fitted"]["version"] != name_of(shipped)


def test_the_middle_of_two_heads_lies_between_them():
    pytest.importorskip("sklearn")
    from bench.grading.fit import Row, mean_of, value_of
    from gitnotes.grade.fitted import Head

    rows = [Row({"cause": 1.0, "body": 0.5}, frozenset({"becaus"}), 1.0, "a")]
    one = Head(1.0, {"cause": 2.0}, {"becaus": 0.4}, {"cause": 0.0, "words": 0.0})
    other = Head(-2.0, {"body": 1.0}, {}, {"body": 0.0, "words": 0.0})
    both = value_of(one, rows[0]) + value_of(other, rows[0])
    assert value_of(mean_of(one, other, rows), rows[0]) == pytest.approx(both / 2)
