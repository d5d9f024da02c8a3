"""Does `gitnotes correlate` use the rows that it can, say what it left out, and fail in sentences?"""

from __future__ import annotations

import csv
import gzip
import json
import random
from pathlib import Path

import pytest

from gitnotes.errors import GitnotesError, InputError, UsageError
from gitnotes.grade.correlation import spearman
from gitnotes.grade.log_mnext import log_mnext
from gitnotes.read.pairs import Layout
from gitnotes.scoring.correlating import correlate_file
from tests.test_cli import run

LAYOUT = Layout(("ref",), "pred")
WORDS = ("fix", "the", "parser", "of", "long", "options", "remove", "old", "test")


def table(path: Path, rows: list[list[str]], header: str = "ref,pred,a,b,project") -> Path:
    with path.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines)
        writer.writerow(header.split(","))
        writer.writerows(rows)
    return path


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    choose = random.Random(1)
    rows = []
    for number in range(40):
        reference = choose.sample(WORDS, 5)
        kept = choose.randrange(6)
        prediction = reference[:kept] + choose.sample(["zzz", "yyy", "xxx", "www", "vvv"], 5 - kept)
        a, b = kept + choose.choice([0, 1]), kept + choose.choice([-1, 0, 1])
        rows.append([" ".join(reference), " ".join(prediction), str(a), str(b), f"p{number // 4}"])
    return table(tmp_path / "rated.csv", rows)


def test_it_correlates_the_scores(rated: Path) -> None:
    found = correlate_file(str(rated), LAYOUT, ["log-mnext", "mnext-f1"], ["a", "b"], resamples=20)
    assert [(item.metric, item.human) for item in found.correlations] == [
        (metric, human) for human in ("a", "b", "mean") for metric in ("log-mnext", "mnext-f1")
    ]
    with rated.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    scores = [log_mnext(row["pred"], row["ref"]).value for row in rows]
    means = [(float(row["a"]) + float(row["b"])) / 2 for row in rows]
    assert found.correlations[0].spearman.value == spearman(scores, [float(row["a"]) for row in rows])
    assert found.correlations[4].spearman.value == spearman(scores, means)
    assert found.unscored == {}
    assert found.settings["seed"] == "12345"


def test_what_cannot_be_used_is_counted(rated: Path) -> None:
    with rated.open("a", encoding="utf-8") as lines:
        lines.write("fix it,,3,3,p\nfix it,fix it,,,p\nfix it,fix it,nan,many,p\nfix it\nfix it,fix,3,,p\n")
    found = correlate_file(str(rated), LAYOUT, ["log-mnext"], ["a", "b"], resamples=0)
    assert found.rows == 45
    assert found.unscored == {"empty-prediction": 1, "no-human-value": 2, "ragged": 1}
    assert {item.human: item.rows for item in found.correlations} == {"a": 41, "b": 40, "mean": 40}


def test_clusters(rated: Path) -> None:
    found = correlate_file(str(rated), LAYOUT, ["log-mnext"], ["a"], cluster="project", resamples=20)
    assert found.correlations[0].clusters == 10
    assert found.settings["unit"] == "cluster project"


@pytest.mark.parametrize(
    ("metrics", "humans", "cluster", "kind"),
    [
        (["nothing"], ["a"], None, UsageError),
        (["log-mnext"], ["nobody"], None, UsageError),
        (["log-mnext"], ["a", "a"], None, UsageError),
        (["log-mnext"], [], None, UsageError),
        (["log-mnext"], ["a"], "nowhere", UsageError),
        (["log-mnext"], ["project"], None, InputError),
    ],
)
def test_failures_are_sentences(
    rated: Path, metrics: list[str], humans: list[str], cluster: str | None, kind: type[GitnotesError]
) -> None:
    with pytest.raises(kind) as caught:
        correlate_file(str(rated), LAYOUT, metrics, humans, cluster=cluster, resamples=0)
    assert caught.value.hint


def test_the_command(rated: Path) -> None:
    options = ("--prediction", "pred", "--reference", "ref", "--human", "a,b", "--resamples", "20")
    done = run("correlate", str(rated), *options, "--metric", "log-mnext,mnext-f1", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["schema"], found["kind"], found["rows"]) == (1, "correlations", 40)
    first = found["correlations"][0]
    assert first["spearman"]["low"] <= first["spearman"]["value"] <= first["spearman"]["high"]
    assert found["signatures"]["mnext-f1"].startswith("mnext-f1|")

    done = run("correlate", str(rated), *options, "--cluster", "project")
    assert done.code == 0
    assert "40 rows in 10 clusters" in done.out
    assert "seed:12345" in done.out

    done = run("correlate", str(rated), "--human", "a,b", "--metric", "log-mnex")
    assert done.code == 2
    assert "log-mnext" in done.err and "Traceback" not in done.err
    assert run("correlate", "nowhere.csv", "--human", "a").code == 3


def test_the_mean_of_huge_human_values_is_no_failure(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [
        "Add parser,Add parser,1.5e308,1.7e308",
        "Add parser,Add cache,1e308,1.2e308",
        "Fix x,Drop y,1e307,1e308",
    ]
    path.write_text("\n".join(["ref,pred,x,y", *rows]) + "\n")
    found = correlate_file(str(path), Layout(), ["log-mnext"], ["x", "y"], resamples=20)
    assert {item.human for item in found.correlations} == {"x", "y", "mean"}
    assert all(item.spearman.value == pytest.approx(1.0) for item in found.correlations)


def test_a_name_with_a_comma_stands_in_quotes(rated: Path) -> None:
    text = rated.read_text().replace("ref,pred,a,b", 'ref,pred,"clear, 1 to 5",b', 1)
    rated.write_text(text)
    options = ("--prediction", "pred", "--reference", "ref", "--resamples", "0", "--json")
    done = run("correlate", str(rated), "--human", 'b,"clear, 1 to 5"', *options)
    assert {item["human"] for item in done.json()["correlations"]} == {"b", "clear, 1 to 5", "mean"}
    done = run("correlate", str(rated), "--human", "clear, 1 to 5", *options)
    assert done.code == 2 and "double quotes" in done.err
    done = run("correlate", str(rated), "--human", '"clear', *options)
    assert done.code == 2 and "quote" in done.err


def test_rows_of_a_damaged_file_count(rated: Path) -> None:
    packed = rated.with_suffix(".csv.gz")
    packed.write_bytes(gzip.compress(rated.read_bytes()) + b"garbage")
    done = run("correlate", str(packed), "--human", "a", "--resamples", "0")
    assert done.code == 3
    assert done.out.startswith("40 rows, 40 with scores")
    assert "what follows its gzip data is no gzip data" in done.err


def test_only_what_people_write_is_a_number(rated: Path) -> None:
    with rated.open("a", encoding="utf-8") as lines:
        lines.write("fix it,fix it,1_0,2,p\nfix it,fix it,,3,p\nfix it,fix it,1e1, 3 ,p\n")
    found = correlate_file(str(rated), LAYOUT, ["log-mnext"], ["a", "b"], resamples=0)
    assert {item.human: item.rows for item in found.correlations} == {"a": 41, "b": 43, "mean": 41}


def test_progress_counts_rows_and_then_resamples(rated: Path) -> None:
    told: list[tuple[str, int, float | None]] = []
    text = rated.read_text().split("\n", 1)
    rated.write_text(f"{text[0]}\n{text[1] * 5}")
    correlate_file(
        str(rated),
        LAYOUT,
        ["log-mnext"],
        ["a", "b"],
        resamples=3,
        progress=lambda unit, done, share: told.append((unit, done, share)),
    )
    assert [(unit, done) for unit, done, _ in told if unit == "rows"] == [("rows", 100), ("rows", 200)]
    assert [item for item in told if item[0] != "rows"] == [
        ("resamples", number, number / 9) for number in range(1, 10)
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--human", "a,a"), "'a' is named twice"),
        (("--human", "a", "--human", "a"), "'a' is named twice"),
        (("--human", "a", "--seed", "1", "--seed", "2"), "--seed is given 2 times"),
        (("--human", "a", "--cluster", "a", "--cluster", "b"), "--cluster is given 2 times"),
        (("--human", "a", "--metric", "bleu,bleu"), "'bleu' is named twice"),
        (("--human", "a", "--metric", "log-mnext+keep-case+keep-case"), "has a switch twice"),
        (("--human", "a", "--metric", "log-mnext+alpha=0.5+rank"), "alpha=0.5 is undone"),
        (("--human", "a", "--metric", "log-mnext+strict-identity+no-identity"), "is undone"),
        (("--human", "a", "--delimiter", ";;"), "no delimiter"),
    ],
)
def test_what_contradicts_itself_is_one_sentence(rated: Path, options: tuple[str, ...], words: str) -> None:
    done = run("correlate", str(rated), *options)
    assert done.code == 2 and words in done.err
    assert done.err.count("\n") == 1


def test_a_later_switch_may_change_a_part(rated: Path) -> None:
    done = run(
        "correlate", str(rated), "--human", "a", "--metric", "log-mnext+rank+alpha=0.5", "--resamples=0"
    )
    assert done.code == 0 and "alpha:0.5" in done.out


def test_the_tables_fit_a_terminal_and_stay_in_line(rated: Path) -> None:
    options = ("--human", "a,b", "--metric", "log-mnext,mnext-f1,edit", "--resamples", "50")
    done = run("correlate", str(rated), *options)
    lines = [line for line in done.out.splitlines() if "|" not in line]
    assert max(map(len, lines)) <= 80
    head = next(number for number, line in enumerate(lines) if line.startswith("metric"))
    starts = [lines[head].index(name) for name in ("Spearman", "Kendall", "Pearson")]
    for line in lines[head + 1 : head + 4]:
        assert all(line[start - 1] == " " and line[start] != " " for start in starts)
    assert "minus log-mnext" in lines[head + 4]


def test_a_coefficient_that_is_not_defined_has_a_reason(tmp_path: Path) -> None:
    rows = [["a b", f"a b {number}", "3", "", f"p{number % 2}"] for number in range(9)]
    path = table(tmp_path / "constant.csv", rows)
    found = correlate_file(str(path), LAYOUT, ["edit"], ["a", "b"], resamples=20)
    assert found.notes == (
        "'a' has one and the same number in all its rows, so nothing goes along with it",
        "'b' has no number in any row",
        "'mean' has no number in any row",
    )
    rows = [["a b", "a b", str(number), "", "p"] for number in range(9)]
    path = table(tmp_path / "same.csv", rows)
    found = correlate_file(str(path), LAYOUT, ["edit"], ["a"], resamples=20)
    assert found.notes == ("edit has one and the same score in all rows of 'a'",)


def test_an_interval_that_is_missing_has_a_reason(rated: Path, tmp_path: Path) -> None:
    found = correlate_file(str(rated), LAYOUT, ["edit"], ["a"], cluster="ref", resamples=0)
    assert found.notes == ()
    rows = [["a b", "a b c d"[: number % 8], str(number), "", "p"] for number in range(1, 9)]
    path = table(tmp_path / "one.csv", rows)
    found = correlate_file(str(path), LAYOUT, ["edit"], ["a"], cluster="project", resamples=20)
    assert found.notes == ("the rows of 'a' are one cluster, so there is no interval",)
    done = run("correlate", str(path), "--human", "a", "--cluster", "project", "--resamples", "20")
    assert "in 1 cluster)" in done.out


def test_rows_without_a_cluster_are_told(rated: Path) -> None:
    with rated.open("a", encoding="utf-8") as lines:
        lines.write("fix it,fix it,1,2,\nfix it,fix,1,2,\n")
    found = correlate_file(str(rated), LAYOUT, ["edit"], ["a"], cluster="project", resamples=20)
    assert found.notes == ("2 of the rows have no value of 'project' and are one cluster",)


def test_values_that_are_no_numbers_are_told(rated: Path) -> None:
    with rated.open("a", encoding="utf-8") as lines:
        lines.write(
            'fix it,fix it,"4,5",2,p\nfix it,fix it,NaN,2,p\nfix it,fix it,N/A,inf,p\nfix,fix,5/5,1,p\n'
        )
    found = correlate_file(str(rated), LAYOUT, ["log-mnext"], ["a", "b"], resamples=0)
    assert found.notes == (
        "'a' has 2 values that are no numbers, the first '4,5' in line 42",
        "'b' has 1 value that is no number, 'inf' in line 44",
    )


def test_too_few_rows_say_what_was_left_out(tmp_path: Path) -> None:
    path = table(
        tmp_path / "few.csv", [["a", "b", "1", "", "p"], ["a", "", "2", "", "p"], ["a", "c", "x", "", "p"]]
    )
    with pytest.raises(InputError, match="has 1 row with a score") as caught:
        correlate_file(str(path), LAYOUT, ["log-mnext"], ["a"])
    assert "1 left out: empty-prediction" in caught.value.hint
    assert "'x' in line 4" in caught.value.hint
