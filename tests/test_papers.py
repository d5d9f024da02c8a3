"""Do the tables of the papers come out of data that lie where the scripts look for them?"""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from bench.papers import improve, table1, table2, table3
from bench.papers.__main__ import main
from bench.papers.data import LABELS, Rated, read_labelled, read_rated
from gitnotes.grade.correlation import spearman
from gitnotes.grade.metric import make_metric
from tests.grade.test_alignment import texts

PAIRS = [
    ("Fix the parser", "fix the parser", "4", "4", "4"),
    ("Remove the old test", "delete old tests", "3", "3", "4"),
    ("Update version to 2.0", "Bump version : 2.1", "2", "3", "2"),
    ("Add a check for null values", "fix null check", "2", "1", "2"),
    ("Add the long options", "Rename the build file", "0", "1", "0"),
    ("Polish the javadoc", "Polishing", "2", "2", "1"),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "Evaluating-CMG" / "Dataset"
    folder.mkdir(parents=True)
    with (folder / "human_annotations.csv").open("w", newline="", encoding="cp1252") as lines:
        csv.writer(lines).writerows(PAIRS)
    with (folder / "NMT_MCMD1.csv").open("w", newline="", encoding="cp1252") as lines:
        csv.writer(lines).writerows([("fix it", "fix it"), ("café", ""), ("a", "b"), ("x y", "x y")])
    place = tmp_path / "CommitMsgEmpirical/experiment_results/model_NMT/data_MCMD/cpp/split_random"
    place.mkdir(parents=True)
    (place / "ref.msg").write_text("fix it\nx y\n", encoding="utf-8")
    (place / "gen.msg").write_text("fix it\nz\n", encoding="utf-8")
    return tmp_path


def test_table_3_names_the_swapped_file_and_the_empty_rows(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["table3", "--data", str(data), "--json", str(data / "out")]) == 1
    found = json.loads((data / "out" / "table3.json").read_text(encoding="utf-8"))
    cell = found["table3"][0]
    assert (cell["name"], cell["published"], cell["measured"]) == ("CommitGen C++", 11.94, 50.0)
    assert cell["note"] == "NMT_MCMD1.csv, 4 rows, 1 with an empty side"
    assert sum(cell["measured"] is not None for cell in found["table3"]) == 1
    assert found["intact"][0]["name"] == "NMT C++"
    assert found["intact"][0]["measured"] == 50.0
    assert "swapped" in capsys.readouterr().out


def test_table_2_has_a_row_for_each_switch(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table2", "--data", str(data)]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in table2.SWITCHES)


def test_without_data_each_says_what_it_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for table in ("table1", "table2", "table3"):
        assert main([table, "--data", str(tmp_path)]) == 3
        assert "CMGeval/Evaluating-CMG" in capsys.readouterr().err


def test_table_1_has_117_cells(data: Path) -> None:
    found = {(name, "clean"): (value,) for name, value in table1.CLEAN.items()} | table1.COMPUTED
    cells = table1.make_cells(found)
    assert len(cells) == 117
    assert {cell.difference for cell in cells} == {0}
    found["TER", "case"] = (0.568, 0.5)
    assert [cell.name for cell in table1.make_cells(found) if cell.difference] == ["TER with case"]
    # The clean value of each metric is also one of its computed pairs.
    for (name, _), values in table1.COMPUTED.items():
        assert table1.CLEAN[name] in values


def test_table_1_of_other_pairs_is_not_that_of_the_paper(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("rouge")
    assert main(["table1", "--data", str(data)]) == 1
    assert "of 117 cells within 0.01" in capsys.readouterr().out


def test_word_errors_leave_out_the_first_words() -> None:
    assert table1.word_errors("a b c", "x b c") == 0
    assert table1.word_errors("a b c", "a x c") == 1 / 3
    assert table1.word_errors("a", "a b c") == 2 / 3


def test_case_matters_only_where_it_is_kept() -> None:
    pairs = [Rated("Add it", "add it", (4, 4, 4)), Rated("x", "y", (0, 0, 0)), Rated("b c", "b d", (2, 1, 2))]
    assert table1.rho(pairs, table1.plain_meteor) == pytest.approx(1)
    assert table1.plain_meteor("Zzqx IT", "zzqx it") > table1.cased_meteor("Zzqx IT", "zzqx no")
    unordered = table1.make_unordered(next_=True)
    assert unordered("the gunman killed", "killed the gunman") > 0


def test_ratings_and_labels_are_read(data: Path) -> None:
    rated = read_rated(data)
    assert len(rated) == len(PAIRS)
    assert rated[1] == Rated("Remove the old test", "delete old tests", (3, 3, 4))
    assert rated[1].mean == pytest.approx(10 / 3)
    assert read_labelled(data) == ([], {})
    assert table3.read_intact(data, "NMT", "cpp") == [("fix it", "fix it"), ("x y", "z")]
    assert table3.read_damaged(data, "NMT", 2) is None


def rate(prediction: str, reference: str, **settings: float) -> float:
    return improve.rate(improve.Pair(Rated(prediction, reference, (0,))), improve.Idea(**settings))


def test_the_family_begins_with_mnext_f1() -> None:
    metric = make_metric("mnext-f1")
    for pair in texts(8, 500):
        assert rate(*pair) == pytest.approx(metric.score(pair[0], [pair[1]]))


def test_each_idea_does_what_it_says() -> None:
    assert rate("fix parseHttpHeader", "fix header parsing") == pytest.approx(0.4)
    assert rate("fix parseHttpHeader", "fix header parsing", parts=1) > 0.5
    assert rate("fix parser", "fix parser", parts=1) == 1
    assert rate("add the flag", "remove the flag", opposites=0.5) == pytest.approx(
        rate("add the flag", "remove the flag") / 2
    )
    assert rate("add the flag", "added a flag", opposites=0.5) == rate("add the flag", "added a flag")
    assert rate("do not fix", "fix", negation=0.5) == pytest.approx(rate("do not fix", "fix") / 2)
    assert rate("a b c", "c a b", gamma=0.4) == 1
    assert rate("a b c x", "c a b", gamma=0.4, stop=1) < rate("a b c x", "c a b", stop=1)


def test_what_is_tuned_is_tuned_on_other_rows() -> None:
    choose = random.Random(1)
    people = [choose.random() for _ in range(40)]
    # Pure chance: the best of many looks good on all rows, and not on rows that it was not chosen on.
    columns = {improve.Idea(stop=number / 100): [choose.random() for _ in people] for number in range(60)}
    inside = max(spearman(values, people) or 0 for values in columns.values())
    assert inside > 0.3
    assert improve.nested(columns, people, 2) < 0.2
    assert improve.by_project(columns, people, [str(row // 4) for row in range(40)]) < 0.2
    columns[improve.Idea()] = [value + 1 for value in people]
    assert improve.nested(columns, people, 1) == pytest.approx(1)
    assert improve.by_project(columns, people, [str(row // 4) for row in range(40)]) == pytest.approx(1)


def test_improve_runs_on_labelled_pairs(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = data / "CommitMsgEmpirical" / "human_evaluation"
    folder.mkdir(parents=True)
    labels = [f"{label} #{number}" for label in LABELS for number in (1, 2, 3)]
    with (folder / "human_annotation.csv").open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines)
        writer.writerow(["url", "Generation", "Reference", "Author1", "Author2", "Author3"])
        writer.writerows(
            (f"https://example.org/p{number % 3}/x/commit/1", *pair) for number, pair in enumerate(PAIRS)
        )
    with (folder / "human_annotation_emse_enhanced.csv").open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines)
        writer.writerow(["url", *labels])
        writer.writerows(["u", *([pair[2]] * len(labels))] for pair in PAIRS)
    monkeypatch.setattr(improve, "FAMILIES", {"nothing": (), "stop": ("stop",)})
    assert improve.run(data, data / "out.json", repeats=1) == 0
    assert "6 pairs of 3 projects" in capsys.readouterr().out
    found = json.loads((data / "out.json").read_text(encoding="utf-8"))["improve"]
    assert {row["label"] for row in found} == {"overall", *LABELS}
    assert all(-1 <= row["nested"] <= row["in_sample"] + 0.5 <= 1.5 for row in found)
