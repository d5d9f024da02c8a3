"""`gitnotes score` as a person or a script meets it: tables, notes, exit codes, one sentence of error."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_cli import assert_sentence, run

PAIRS = "ref,pred,lang\nAdd the parser,Add a parser,java\nFix it,,java\nFix the cache,Fix the cache,c\nx,y\n"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS)
    return path


def test_tables_and_what_must_be_known(pairs: Path) -> None:
    done = run("score", "pairs.csv", "--by", "lang", cwd=pairs.parent)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "pairs.csv: 4 rows, 2 with both sides, 1 with an empty side, 1 unscored"
    assert lines[3].split() == ["log-mnext", "0.68333", "0.36667", "to", "1.00000", "2", "0.45556"]
    assert "1 row: the prediction is empty (row 2, line 3)" in lines
    assert "1 row: another number of fields than the header (row 4, line 5: 2 fields instead of 3)" in lines
    assert ["c", "1", "1.00000"] in [line.split() for line in lines]
    assert re.search(r"^log-mnext\|.*version:", done.out, re.M)
    assert "seed:12345" in done.out


def test_json_is_one_object(pairs: Path) -> None:
    found = run("score", str(pairs), "--json", "--seed", "7").json()
    assert found["kind"] == "scores"
    (system,) = found["systems"]
    assert system["rows"] == 4
    assert system["empty"] == {"empty-prediction": 1}
    assert system["unscored"] == {"ragged": 1}
    assert system["metrics"][0]["mean"] == pytest.approx((0.3666666666666667 + 1) / 2)
    assert system["metrics"][0]["mean_with_empty"] == pytest.approx((0.3666666666666667 + 1) / 3)
    assert found["settings"]["seed"] == "7"
    assert found["signatures"]["log-mnext"].startswith("log-mnext|")


def test_one_pair_keeps_its_contract() -> None:
    done = run("score", "--reference", "Add the parser", "--prediction", "Add a parser")
    assert done.out.startswith("Log-MNEXT 0.3666666666666667\nlog-mnext|")
    found = run("score", "--reference", "x", "--reference", "a b", "--prediction", "a b", "--json").json()
    assert found["kind"] == "score" and found["log-mnext"] == found["value"] == 1.0


def test_explain_shows_matched_words_side_by_side() -> None:
    arguments = ["--reference", "Erase the old parsers", "--prediction", "Delete a parser \x1b[31m"]
    done = run("score", *arguments, "--explain")
    lines = [line.split() for line in done.out.splitlines()]
    assert ["parser", "parsers", "stem"] in lines
    assert ["delete", "erase", "synonym"] in lines
    assert ["a", "-", "-"] in lines and ["-", "old", "-"] in lines
    assert "\x1b" not in done.out and "^[" in done.out
    assert "Log-MNEXT" in done.out and "chunks" in done.out
    colour = run("score", *arguments, "--explain", FORCE_COLOR="1", NO_COLOR="")
    assert "\x1b[33mparser" in colour.out
    plain = re.sub(r"\x1b\[[0-9;]*m", "", colour.out)
    assert [line.split() for line in plain.splitlines()] == lines


def test_standard_input_and_lines(pairs: Path) -> None:
    one = run("score", "-", "--json", data=gzip.compress(PAIRS.encode())).json()
    assert one["systems"][0]["system"] == "standard input"
    assert one["systems"][0]["rows"] == 4
    folder = pairs.parent
    (folder / "refs").write_text("Add it\nFix it\n")
    (folder / "preds.gz").write_bytes(gzip.compress(b"Add it\n\nmore\n"))
    done = run("score", "--references", "refs", "--predictions", "preds.gz", cwd=folder)
    assert "preds.gz: 3 rows, 1 with both sides, 1 with an empty side, 1 unscored" in done.out
    assert "a line without a partner in the other file (row 3, line 3" in done.out


def test_systems_side_by_side(pairs: Path) -> None:
    folder = pairs.parent
    (folder / "other.csv").write_text(PAIRS.replace("Add a parser", "Drop it"))
    done = run("score", "pairs.csv", "other.csv", "--test", "randomization", cwd=folder)
    lines = done.out.splitlines()
    start = lines.index("other.csv against the baseline pairs.csv")
    assert lines[start + 2].split()[:4] == ["log-mnext", "0.68333", "0.50000", "-0.18333"]
    assert max(map(len, lines[start : start + 3])) <= 80
    assert "test:paired randomization" in done.out


def test_bad_encoding_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"ref,pred\r\nFix it,Fix it\r\nFix \x96 it,Fix it\r\n")
    done = run("score", str(path))
    assert "the byte 0x96 does not belong to the encoding" in done.out and "row 2, line 3" in done.out
    assert "--encoding" in done.out
    assert "2 with both sides" in run("score", str(path), "--encoding", "cp1252").out


def test_file_that_breaks_off_gives_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    body = "".join(f"{os.urandom(8).hex()},b\n" for _ in range(20_000))
    data = gzip.compress(f"ref,pred\n{body}".encode())
    path.write_bytes(data[: len(data) // 2])
    rows = tmp_path / "rows.csv"
    done = run("score", str(path), "--rows", str(rows))
    assert done.code == 3
    assert "with both sides" in done.out
    assert "breaks off" in done.err and done.err.count("\n") == 1
    scored = int(done.out.split(" rows")[0].split()[-1].replace(",", ""))
    assert rows.read_text().count("\n") == scored + 1


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "nothing to score"),
        (["pairs.csv", "--reference", "a"], 2, "Give one pair"),
        (["--references", "pairs.csv"], 2, "both --references and --predictions"),
        (["pairs.csv", "--resume"], 2, "--rows FILE"),
        (["--references", "-", "--predictions", "-"], 2, "read once"),
        (["pairs.csv", "--explain"], 2, "one pair"),
        (["pairs.csv", "--metric", "log-mnex"], 2, "Did you mean 'log-mnext'"),
        (["pairs.csv", "--metric", ","], 2, "no metric"),
        (["pairs.csv", "--format", "xls"], 2, "csv, tsv, jsonl"),
        (["pairs.csv", "--test", "t"], 2, "bootstrap and randomization"),
        (["pairs.csv", "--by", "langs"], 2, "Did you mean 'lang'"),
        (["pairs.csv", "--encoding", "klingon"], 2, "klingon"),
        (["pairs.csv", "--rows", "rows.xls"], 2, ".csv or .jsonl"),
        (["pairs.csv", "--rows", "no/such/rows.csv"], 3, "folder does not exist"),
        (["pairs.csv", "--rows", "pairs.csv"], 2, "the input itself"),
        (["none.csv"], 3, "cannot be read"),
        (["binary.csv"], 3, "binary file"),
        (["broken.parquet"], 3, "Parquet"),
        (["empty.csv"], 3, "is empty"),
        (["pairs.csv", "pairs.csv"], 2, "named twice"),
        (["pairs.csv", "--system", "lang", "--by", "x"], 2, "no column 'x'"),
        (["pairs.csv", "--keep", "lang"], 2, "--rows FILE"),
        (["pairs.csv", "--keep", "lang", "--keep", "lang", "--rows", "x.csv"], 2, "a column twice"),
        (["--references", "pairs.csv", "--predictions", "pairs.csv"], 2, "named for two sides"),
        (["--references", "pairs.csv", "--references", "pairs.csv", "--predictions", "a"], 2, "two sides"),
        (["pairs.csv", "--by", "lang", "--by", "ref"], 2, "--by is given 2 times"),
        (["pairs.csv", "--seed", "1", "--seed", "1"], 2, "--seed is given 2 times"),
        (["pairs.csv", "--metric", "bleu,bleu"], 2, "'bleu' is named twice"),
        (["pairs.csv", "--metric", "bleu+lower+lower"], 2, "a switch twice"),
        (["pairs.csv", "--metric", "log-mnext+rank+adq"], 2, "rank is undone"),
        (["pairs.csv", "--reference-column", "pred"], 2, "named for both sides"),
        (["pairs.csv", "--reference-column", "ref", "--reference-column", "ref"], 2, "twice as a reference"),
        (["pairs.csv", "--delimiter", "::"], 2, "is no delimiter"),
        (["pairs.csv", "--delimiter", ";"], 2, "one column only"),
        (["pairs.csv", "--format", "jsonl", "--delimiter", ";"], 2, "JSON lines has no delimiter"),
        (["-", "-"], 2, "read once"),
        (["--reference", "a", "--prediction", "b", "--prediction", "c"], 2, "--prediction is given 2"),
        (["--reference", "a", "--prediction", "b", "--by", "x"], 2, "no use for --by"),
        (["--reference", "a", "--prediction", "b", "--rows", "x.csv"], 2, "no use for --rows"),
        (["--reference", "a", "--prediction", "b", "--explain", "--json"], 2, "--explain is a table"),
        (["--references", "pairs.csv", "--predictions", "pairs.csv", "--format", "csv"], 2, "for --format"),
    ],
)
def test_one_sentence(pairs: Path, arguments: list[str], code: int, words: str) -> None:
    folder = pairs.parent
    (folder / "binary.csv").write_bytes(bytes(range(256)) * 10)
    (folder / "broken.parquet").write_bytes(b"PAR1" + b"\0" * 50 + b"PAR1")
    (folder / "empty.csv").write_bytes(b"")
    if "broken.parquet" in arguments:
        pytest.importorskip("pyarrow")
    done = run("score", *arguments, cwd=folder)
    assert_sentence(done, code)
    assert words in done.err
    assert pairs.read_text() == PAIRS


def test_hostile_cells_do_not_act_on_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("ref,pred,\x1b]0;x\x07by\na,b,\x1b[31mred\na,b,\u202eevil\n")
    done = run("score", str(path), "--by", "\x1b]0;x\x07by")
    assert done.code == 0
    assert "\x1b" not in done.out and "\u202e" not in done.out and "\x07" not in done.out
    named = run("score", str(path), "--by", "\x1b[31m")
    assert_sentence(named, 2)
    assert "\x1b" not in named.err


def test_progress_is_on_stderr_of_a_terminal_only(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    path = tmp_path / "a.csv"
    with path.open("w") as file:
        file.write("ref,pred\n")
        for number in range(150_000):
            file.write(f"add the parser {number} of it,fix a{number} parser for users\n")
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "gitnotes", "score", str(path), "--json", "--resamples", "100"]
    environment = {**os.environ, "TERM": "xterm"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave, env=environment)
    os.close(slave)
    shown = b""
    try:
        while chunk := os.read(master, 1 << 16):
            shown += chunk
    except OSError:
        pass  # how the end of a terminal looks
    out, _ = process.communicate(timeout=60)
    os.close(master)
    assert json.loads(out)["systems"][0]["rows"] == 150_000
    assert b"Scoring" in shown and b"rows" in shown


def test_delimiters_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("sep=;\nref;pred\nFix a, b;Fix a, b\n")
    (tmp_path / "b.csv").write_text("Fix a, b|Fix a, b\nx|y\n")
    (tmp_path / "c.csv").write_text("ref\tpred\nFix a, b\tFix a, b\n")
    assert "1 with both sides" in run("score", "a.csv", cwd=tmp_path).out
    assert "2 with both sides" in run("score", "b.csv", "--no-header", cwd=tmp_path).out
    assert "2 with both sides" in run("score", "b.csv", "--no-header", "--delimiter", "|", cwd=tmp_path).out
    done = run("score", "c.csv", "--delimiter", "tab", cwd=tmp_path)
    assert "1 with both sides" in done.out and "1.00000" in done.out


def test_a_pair_that_a_metric_cannot_score_says_why() -> None:
    pytest.importorskip("sacrebleu")
    long = "word " * 201
    found = run("score", "--reference", long, "--prediction", "word", "--metric", "ter,bleu", "--json").json()
    assert found["values"]["ter"] is None and found["values"]["bleu"] is not None
    assert found["unscored"] == {"ter": "a text has more than 200 words"}
    assert "|most-words:200|" in found["signatures"]["ter"]
    assert "most-words" not in found["signatures"]["bleu"]
    done = run("score", "--reference", long, "--prediction", "word", "--metric", "ter")
    assert "unscored: a text has more than 200 words" in done.out


@pytest.mark.skipif(sys.platform == "win32", reason="arguments are bytes elsewhere only")
def test_bytes_that_are_no_text_in_an_argument() -> None:
    done = run("score", "--reference", "a", "--prediction", "Fix \udcff")
    assert_sentence(done, 2)
    assert "--prediction has a byte that is no character, 0xff" in done.err


def test_parquet_on_standard_input_is_explained() -> None:
    done = run("score", "-", data=b"PAR1" + b"\0" * 40)
    assert_sentence(done, 3)
    assert "Parquet" in done.err and "Save it" in done.err


@pytest.mark.parametrize(
    ("reference", "prediction", "reason"),
    [("", " ", "reference and prediction are empty"), ("a", "\n", "the prediction is empty")],
)
def test_a_side_without_a_text_is_unscored(reference: str, prediction: str, reason: str) -> None:
    pair = ("score", "--reference", reference, "--prediction", prediction)
    found = run(*pair, "--json").json()
    assert found["values"] == {"log-mnext": None} and found["unscored"] == {"log-mnext": reason}
    assert f"unscored: {reason}" in run(*pair, "--explain").out
    found = run(*pair, "--metric", "mnext-f1,log-mnext", "--json").json()
    assert set(found["values"].values()) == {None}


def test_json_lines_on_standard_input_need_no_name(pairs: Path) -> None:
    lines = b'{"ref": "Add a", "pred": "Add a"}\n{"ref": "Add", "pred": "Fix"}\n'
    assert "2 rows, 2 with both sides" in run("score", "-", data=b"\xef\xbb\xbf" + lines).out
    done = run("score", "-", data=b"[" + lines.splitlines()[0] + b"]")
    assert_sentence(done, 3)
    assert "jq -c" in done.err
    assert_sentence(run("score", "-", "--format", "csv", data=lines), 2)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_one_file_by_two_names_is_one_file(pairs: Path) -> None:
    (pairs.parent / "link.csv").symlink_to("pairs.csv")
    done = run("score", "pairs.csv", "link.csv", cwd=pairs.parent)
    assert_sentence(done, 2)
    assert "link.csv is named twice" in done.err
    done = run("score", "--references", "pairs.csv", "--predictions", "./pairs.csv", cwd=pairs.parent)
    assert_sentence(done, 2)
    assert "named for two sides" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="limits on file sizes are of Unix")
def test_a_full_disk_names_the_file_and_loses_no_row(tmp_path: Path) -> None:
    import resource

    path, rows = tmp_path / "p.csv", tmp_path / "rows.csv"
    path.write_text("ref,pred\n" + "".join(f"Add parser {n},Add a parser {n}\n" for n in range(3000)))
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, old[1]))
    try:
        done = run("score", str(path), "--rows", str(rows))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert_sentence(done, 3)
    assert "rows.csv" in done.err and "--resume" in done.err and rows.stat().st_size == 50_000
    assert run("score", str(path), "--rows", str(rows), "--resume").code == 0
    whole = tmp_path / "whole.csv"
    run("score", str(path), "--rows", str(whole))
    assert rows.read_bytes() == whole.read_bytes()


def test_the_name_of_a_metric_in_capitals_is_recognised() -> None:
    done = run("score", "--reference", "a", "--prediction", "a", "--metric", "MNEXT-F1")
    assert "Did you mean 'mnext-f1'?" in done.err
