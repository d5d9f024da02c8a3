"""Is every row scored once, whatever the processes, the kills and the damage?"""

from __future__ import annotations

import csv
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from gitnotes.errors import InputError, UsageError
from gitnotes.grade.log_mnext import log_mnext
from gitnotes.read.pairs import Layout
from gitnotes.scoring.pool import Pool, Task
from gitnotes.scoring.results import Summary
from gitnotes.scoring.run import Plan, score_aligned, score_files

WORDS = [
    "add",
    "adds",
    "added",
    "fix",
    "fixed",
    "parser",
    "test",
    "remove",
    "delete",
    "the",
    "a",
    "of",
    "to",
    "cache",
    "user",
    "error",
    "handle",
    "日本",
]


def make_pairs(count: int, seed: int = 1) -> list[tuple[str, str, str, str]]:
    """Reference, prediction, language and system; every twentieth row has something missing."""
    generator = random.Random(seed)

    def text() -> str:
        return " ".join(generator.choices(WORDS, k=generator.randint(1, 9)))

    rows = [(text(), text(), generator.choice(["java", "c,\n++", "=1+1"]), "s") for _ in range(count)]
    for place in range(0, count, 20):
        side = place // 20 % 3
        reference, prediction, *rest = rows[place]
        reference, prediction = ("", "") if side == 2 else ("", prediction) if side else (reference, "")
        rows[place] = (reference, prediction, rest[0], rest[1])
    return rows


def write_csv(path: Path, rows: list[tuple[str, str, str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["ref", "pred", "lang", "system"])
        writer.writerows(rows)
    return path


def run(path: Path, layout: Layout | None = None, **settings: object) -> Summary:
    plan = replace(Plan(resamples=100), **settings)  # type: ignore[arg-type]
    layout = replace(layout or Layout(), extras=plan.columns())
    return score_files([str(path)], layout, plan)


def test_means_with_and_without_empty_sides(tmp_path: Path) -> None:
    rows = make_pairs(1000)
    found = run(write_csv(tmp_path / "a.csv", rows)).systems[0]
    scores = [log_mnext(row[1], row[0]).value for row in rows if row[0] and row[1]]
    (metric,) = found.metrics
    assert (found.rows, metric.scored) == (1000, 950)
    assert (
        found.empty == {"empty-reference": 17, "empty-prediction": 17, "empty-both": 16}
        or sum(found.empty.values()) == 50
    )
    assert found.unscored == {}
    assert metric.mean == pytest.approx(math.fsum(scores) / 950, abs=1e-15)
    assert metric.mean_with_empty == pytest.approx(math.fsum(scores) / 1000, abs=1e-15)
    assert metric.low is not None and metric.high is not None and metric.mean is not None
    assert metric.low < metric.mean < metric.high


def test_processes_change_nothing(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", make_pairs(3000))
    one = run(path, by="lang", rows=tmp_path / "one.csv")
    three = run(path, by="lang", rows=tmp_path / "three.csv", processes=3)
    assert one == three
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "three.csv").read_bytes()


def test_groups_add_up(tmp_path: Path) -> None:
    rows = make_pairs(1000)
    found = run(write_csv(tmp_path / "a.csv", rows), by="lang").systems[0]
    assert [group.value for group in found.groups] == ["=1+1", "c,\n++", "java"]
    for group in found.groups:
        mine = [row for row in rows if row[2] == group.value]
        scores = [log_mnext(row[1], row[0]).value for row in mine if row[0] and row[1]]
        assert (group.rows, group.scored["log-mnext"]) == (len(mine), len(scores))
        assert group.means["log-mnext"] == pytest.approx(math.fsum(scores) / len(scores))


def test_rows_hold_each_score_and_no_formula(tmp_path: Path) -> None:
    rows = make_pairs(500)
    path = write_csv(tmp_path / "a.csv", rows)
    run(path, by="lang", keep=("system",), rows=tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert list(table[0]) == ["row", "system", "lang", "input system", "log-mnext", "unscored", "check"]
    assert [int(line["row"]) for line in table] == list(range(1, 501))
    assert {line["lang"] for line in table} == {"java", "c,\n++", "'=1+1"}
    for line, (reference, prediction, _, _) in zip(table, rows, strict=True):
        if reference and prediction:
            assert float(line["log-mnext"]) == log_mnext(prediction, reference).value
            assert line["unscored"] == ""
        else:
            assert line["log-mnext"] == "" and line["unscored"].startswith("empty")
    run(path, by="lang", rows=tmp_path / "rows.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [line["row"] for line in lines] == list(range(1, 501))
    assert [line["scores"]["log-mnext"] for line in lines] == [
        float(line["log-mnext"]) if line["log-mnext"] else None for line in table
    ]
    assert {line["columns"]["lang"] for line in lines} == {"java", "c,\n++", "=1+1"}


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_resume_from_every_kind_of_tear(tmp_path: Path, suffix: str) -> None:
    path = write_csv(tmp_path / "a.csv", make_pairs(700))
    rows = tmp_path / f"rows.{suffix}"
    whole = run(path, by="lang", rows=rows)
    data = rows.read_bytes()
    generator = random.Random(3)
    cuts = [0, 1, 30, data.index(b"\n"), data.index(b"\n") + 1, len(data) - 1, len(data)]
    cuts += [generator.randrange(len(data)) for _ in range(12)]
    # Inside a quoted cell that has a newline, and right after that newline.
    if suffix == "csv":
        cuts += [data.index(b'"c,\n++"') + offset for offset in range(8)]
    for cut in cuts:
        rows.write_bytes(data[:cut])
        again = run(path, by="lang", rows=rows, resume=True)
        assert rows.read_bytes() == data, cut
        assert replace(again, resumed=0) == whole, cut
        whole_lines = data[:cut].count(b"\n") - (suffix == "csv")
        assert again.resumed <= max(whole_lines, 0)
        assert again.resumed > 0 or cut < 2000
    rows.unlink()
    assert replace(run(path, by="lang", rows=rows, resume=True), resumed=0) == whole


def test_resume_refuses_what_is_not_its_own(tmp_path: Path) -> None:
    pairs = make_pairs(100)
    path = write_csv(tmp_path / "a.csv", pairs)
    rows = tmp_path / "rows.csv"
    run(path, rows=rows)
    data = rows.read_bytes()
    with pytest.raises(UsageError, match="is there already"):
        run(path, rows=rows)
    with pytest.raises(InputError, match="other metrics or columns"):
        run(path, rows=rows, by="lang", resume=True)
    changed = list(pairs)
    changed[50] = ("another", "text", *changed[50][2:])
    with pytest.raises(InputError, match=r"Row 51 of a\.csv is not the row 51"):
        run(write_csv(path, changed), rows=rows, resume=True)
    with pytest.raises(InputError, match="more rows than the input"):
        run(write_csv(path, pairs[:40]), rows=rows, resume=True)
    write_csv(path, pairs)
    lines = data.split(b"\n")
    cells = lines[2].split(b",")
    lines[2] = b",".join([cells[0], cells[1], b"0.123", *cells[3:]])
    rows.write_bytes(b"\n".join(lines))
    with pytest.raises(InputError, match=r"Row 2 of .* is not what this run would have written"):
        run(path, rows=rows, resume=True)
    for name, content in (
        ("mine.csv", b"a,b\n1,2\n"),
        ("mine.jsonl", b'{"a": 1}\n'),
        ("x.csv", b"dear diary"),
    ):
        mine = tmp_path / name
        mine.write_bytes(content)
        with pytest.raises(InputError, match="other metrics or columns"):
            run(path, rows=mine, resume=True)
        assert mine.read_bytes() == content
    with pytest.raises(UsageError, match=r"End it in \.csv"):
        run(path, rows=tmp_path / "rows.txt")


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_resume_notices_every_change(tmp_path: Path, suffix: str) -> None:
    pairs = make_pairs(600)
    path = write_csv(tmp_path / "a.csv", pairs)
    rows = tmp_path / f"rows.{suffix}"
    run(path, rows=rows, by="lang")
    data = rows.read_bytes()
    again = partial(run, by="lang", rows=rows, resume=True)
    assert again(path).resumed == 600
    changed = list(pairs)
    changed[400] = (*pairs[400][:2], "rust", "s")
    with pytest.raises(InputError, match=r"Row 401 has another value in the column 'lang'"):
        again(write_csv(path, changed))
    write_csv(path, pairs)
    place = data.rindex(b"0.", 0, len(data) * 3 // 4)
    digit = b"7" if data[place + 2 : place + 3] != b"7" else b"3"
    forged = data[: place + 2] + digit + data[place + 3 :]
    rows.write_bytes(forged)
    with pytest.raises(InputError, match=r"Row \d+ of .* is not what this run would have written"):
        again(path)
    assert rows.read_bytes() == forged
    rows.write_bytes(data)
    with pytest.raises(InputError, match="other metrics or columns"):
        again(path, metrics=("mnext-f1",))
    with pytest.raises(InputError, match="other metrics or columns"):
        again(path, keep=("system",))


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_another_version_does_not_go_on(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitnotes.scoring.pool.make_metric", lambda name: _Odd())
    path = write_csv(tmp_path / "a.csv", make_pairs(30))
    rows = tmp_path / f"rows.{suffix}"
    run(path, rows=rows, metrics=("odd",))
    monkeypatch.setattr(_Odd, "signature", "odd|version:2")
    with pytest.raises(InputError, match=r"Row 1 of .* another version or other settings"):
        run(path, rows=rows, metrics=("odd",), resume=True)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_resume_cuts_off_nothing_but_a_torn_row(tmp_path: Path, suffix: str) -> None:
    path = write_csv(tmp_path / "a.csv", make_pairs(300))
    rows = tmp_path / f"rows.{suffix}"
    whole = run(path, rows=rows, by="lang")
    data = rows.read_bytes()
    middle = data.index(b"\n", len(data) // 2) + 1
    torn = data[:middle] + data[middle : middle + 9] + b"\0" * 4096
    rows.write_bytes(torn)
    assert replace(run(path, rows=rows, by="lang", resume=True), resumed=0) == whole
    assert rows.read_bytes() == data
    for foreign in (
        data[:middle] + b"my own notes\n",
        data[:middle] + b"my own notes",
        data[:middle] + b"1,2\n" + data[middle:],
        data[:middle] + b'1,"' + data[middle:],
        b"notes\n" + data,
        data.replace(b"\n", b" "),
    ):
        rows.write_bytes(foreign)
        with pytest.raises(InputError):
            run(path, rows=rows, by="lang", resume=True)
        assert rows.read_bytes() == foreign


def test_rows_go_to_ordinary_files_only(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", make_pairs(3))
    (tmp_path / "folder.csv").mkdir()
    names = ["folder.csv"]
    if Path("/dev/full").exists():
        (tmp_path / "full.csv").symlink_to("/dev/full")
        os.mkfifo(tmp_path / "pipe.jsonl")
        names += ["full.csv", "pipe.jsonl"]
    for name in names:
        for resume in (True, False):
            with pytest.raises(InputError, match="Cannot write"):
                run(path, rows=tmp_path / name, resume=resume)
    with pytest.raises(UsageError, match="the input itself"):
        run(path, rows=path, resume=True)


def test_two_runs_do_not_write_the_same_rows(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", make_pairs(20_000))
    command = [sys.executable, "-m", "gitnotes", "score", str(path), "--rows", str(tmp_path / "rows.csv")]
    for resume in ([], ["--resume"]):
        runs = [
            subprocess.Popen([*command, *resume], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            for _ in range(3)
        ]
        said = [process.communicate(timeout=120)[1].decode() for process in runs]
        codes = [process.returncode for process in runs]
        assert resume or codes.count(0) == 1, said
        for code, text in zip(codes, said, strict=True):
            assert code in (0, 2, 3)
            assert not code or "Another gitnotes run is writing" in text or "is there already" in text
        lines = (tmp_path / "rows.csv").read_text().count("\n")
        assert lines > 20_000
        with (tmp_path / "rows.csv").open(newline="", encoding="utf-8") as file:
            assert [int(row["row"]) for row in csv.DictReader(file)] == list(range(1, 20_001))


def test_helpers_that_are_spawned_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_csv(tmp_path / "a.csv", make_pairs(1500))
    forked = run(path, by="lang", processes=2)
    monkeypatch.setattr("multiprocessing.get_all_start_methods", lambda: ["spawn"])
    assert run(path, by="lang", processes=2) == forked


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9 here")
@pytest.mark.parametrize("processes", ["1", "2"])
def test_no_row_is_lost_or_counted_twice_by_kills(tmp_path: Path, processes: str) -> None:
    path = write_csv(tmp_path / "a.csv", make_pairs(40_000))
    rows = tmp_path / "rows.csv"
    command = [sys.executable, "-m", "gitnotes", "score", str(path), "--rows", str(rows)]
    command += ["--resume", "--processes", processes, "--by", "lang", "--json"]
    generator = random.Random(int(processes))
    killed = 0
    size = 0
    for _ in range(6):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        # Not before it has written something new, so that the kills meet different places.
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if rows.exists() and rows.stat().st_size > size:
                break
            time.sleep(0.001)
        time.sleep(generator.random() * 0.05)
        os.kill(process.pid, signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        assert process.stderr is not None
        process.stderr.close()
        size = rows.stat().st_size
    assert killed >= 3
    done = subprocess.run(command, capture_output=True, check=True)
    found = json.loads(done.stdout)
    assert found["resumed"] > 0
    fresh = run(path, by="lang", rows=tmp_path / "fresh.csv", resamples=1000)
    assert rows.read_bytes() == (tmp_path / "fresh.csv").read_bytes()
    assert found["systems"][0]["metrics"][0]["mean"] == fresh.systems[0].metrics[0].mean
    assert found["systems"][0]["rows"] == 40_000


def test_systems_in_files_are_compared(tmp_path: Path) -> None:
    pairs = make_pairs(600)
    one = write_csv(tmp_path / "one.csv", pairs)
    better = [(row[0], row[0] if place % 3 else row[1], *row[2:]) for place, row in enumerate(pairs)]
    two = write_csv(tmp_path / "two.csv", better)
    found = score_files([str(one), str(two)], Layout(), Plan(resamples=200))
    (compared,) = found.comparisons
    assert (compared.baseline, compared.system) == ("one.csv", "two.csv")
    assert compared.result.rows == 570
    assert compared.result.p == pytest.approx(1 / 201)
    assert compared.result.low > 0.2
    assert found.systems[1].metrics[0].mean == pytest.approx(compared.result.system, abs=0.05)
    # The same in one file, with the rows of the systems in turn.
    long = [
        (*row[:3], name)
        for both in zip(pairs, better, strict=True)
        for row, name in zip(both, "ab", strict=True)
    ]
    table = run(write_csv(tmp_path / "long.csv", long), system="system", resamples=200)
    assert [system.system for system in table.systems] == ["a", "b"]
    assert table.comparisons[0].result == compared.result
    assert [system.metrics for system in table.systems] == [system.metrics for system in found.systems]


def test_systems_that_do_not_belong_together_are_not_compared(tmp_path: Path) -> None:
    pairs = make_pairs(60)
    one = write_csv(tmp_path / "one.csv", pairs)
    two = write_csv(tmp_path / "two.csv", [*pairs[:30], ("x", "y", "", ""), *pairs[31:]])
    three = write_csv(tmp_path / "three.csv", pairs[:59])
    found = score_files([str(one), str(two), str(three)], Layout(), Plan(resamples=100))
    assert not found.comparisons
    assert "differ in the reference of row 31" in found.notes[0]
    assert "60 and 59 rows" in found.notes[1]
    assert len(found.systems) == 3
    with pytest.raises(UsageError, match="named twice"):
        score_files([str(one), str(one)], Layout(), Plan())


def test_too_many_systems_is_another_column(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", make_pairs(200))
    with pytest.raises(UsageError, match="more than 100 values"):
        run(path, system="ref")


def test_lines(tmp_path: Path) -> None:
    (tmp_path / "refs").write_text("Add the parser\nFix it\n")
    (tmp_path / "a").write_text("Add the parser\nFix that\n")
    (tmp_path / "b").write_text("Remove it\nFix it\n")
    paths = [str(tmp_path / name) for name in ("refs", "a", "b")]
    found = score_aligned(paths[:1], paths[1:], Layout(), Plan(resamples=100))
    assert [system.system for system in found.systems] == ["a", "b"]
    assert found.comparisons[0].result.rows == 2
    with pytest.raises(UsageError, match="no columns"):
        score_aligned(paths[:1], paths[1:], Layout(), Plan(by="lang"))


class _Odd:
    """A metric that has no score for some texts and fails for others."""

    name = "odd"
    signature = "odd"

    def score(self, prediction: str, references: object) -> float | None:
        if prediction == "raise":
            raise ZeroDivisionError
        return None if prediction == "none" else 0.5


def test_a_metric_that_fails_costs_its_row_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitnotes.scoring.pool.make_metric", lambda name: _Odd())
    path = tmp_path / "a.csv"
    path.write_text("ref,pred\na,b\na,raise\na,none\na,\n")
    found = run(path, metrics=("odd",), rows=tmp_path / "rows.csv").systems[0]
    (metric,) = found.metrics
    assert (metric.scored, metric.no_score, metric.mean) == (1, 2, 0.5)
    assert (found.rows, found.empty, found.unscored) == (4, {"empty-prediction": 1}, {})
    assert metric.mean_with_empty == 0.25
    assert (tmp_path / "rows.csv").read_text().count("no-score") == 2


def test_the_order_of_chunks_is_kept_whoever_scores_them() -> None:
    generator = random.Random(5)
    tasks = [
        Task(number, [(f"word{number} x", ("word1 x",))] * generator.choice([0, 1, 2, 300]))
        for number in range(200)
    ]
    with Pool(["log-mnext"]) as one, Pool(["log-mnext"], 3) as three:
        assert list(one.map(tasks)) == list(three.map(tasks))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9 here")
def test_a_helper_that_is_killed_is_said() -> None:
    with Pool(["log-mnext"], 2) as pool:
        os.kill(pool._helpers[0].process.pid, signal.SIGKILL)
        with pytest.raises(InputError, match="A process that scored has ended"):
            list(pool.map(Task(number, [("a", ("a",))] * 500) for number in range(50)))


def test_helpers_end_with_the_process_that_reads(tmp_path: Path) -> None:
    if not Path("/proc/self/task").exists():
        pytest.skip("needs /proc")
    path = write_csv(tmp_path / "a.csv", make_pairs(40_000))
    command = [sys.executable, "-m", "gitnotes", "score", str(path), "--processes", "3"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    children: list[str] = []
    deadline = time.monotonic() + 30
    while len(children) < 2 and time.monotonic() < deadline:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) == 2
    process.kill()
    process.wait()
    while any(_runs(child) for child in children):
        assert time.monotonic() < deadline, "a helper goes on without the process that reads"
        time.sleep(0.01)


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_carriage_returns_in_kept_values_are_quoted_and_defused(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    kept = ["a\r=1+1", "\u00a0\n=1+1", "b"]
    source.write_text("".join(json.dumps({"ref": "x", "pred": "x", "k": cell}) + "\n" for cell in kept))
    target = tmp_path / "rows.csv"
    run(source, keep=("k",), rows=target)
    with target.open(newline="", encoding="utf-8") as file:
        found = [row["k"] for row in csv.DictReader(file)]
    assert found == ["a\r=1+1", "'\u00a0\n=1+1", "b"]
    run(source, keep=("k",), rows=target, resume=True)
