"""How fast is `gitnotes score PAIRS`, in how much memory, and does a row cost the same in a large file?

Repeats a sample of pairs with shuffled words, so that no row repeats another one, and scores the file
with the command line in processes of their own. The memory is the peak of the largest process.

    python -m bench.score_pairs --data FOLDER [--pairs 3600000] [--quick] [--json FILE]

FOLDER holds CSV files with the columns ref and pred, for instance the first rows of the predictions
for MCMD (Tao et al., ICSME 2021).
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement against its bar."""

    what: str
    value: float
    unit: str
    bar: str
    passed: bool


@dataclass(frozen=True, slots=True)
class Run:
    """One process: wall time, processor time of its busiest process, megabytes of its largest one."""

    seconds: float
    busiest: float
    """Seconds; the wall time that a machine with nothing else to do would need at least."""
    megabytes: float
    out: str


def read_sample(folder: Path) -> list[tuple[str, str]]:
    """Reference and prediction of every row of every CSV file in `folder`."""
    pairs = []
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            pairs += [(row["ref"], row["pred"]) for row in csv.DictReader(file)]
    if not pairs:
        raise SystemExit(f"There are no CSV files in {folder}.")
    return pairs


def write_pairs(path: Path, sample: list[tuple[str, str]], count: int) -> None:
    """A CSV file of `count` pairs: the sample over and over, with the words of both sides shuffled."""
    generator = random.Random(1)
    words = [(reference.split(), prediction.split()) for reference, prediction in sample]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["ref", "pred"])
        for number in range(count):
            reference, prediction = words[number % len(words)]
            generator.shuffle(reference)
            generator.shuffle(prediction)
            writer.writerow([" ".join(reference), " ".join(prediction)])


def score(*arguments: str) -> Run:
    """Runs `gitnotes score` and watches the memory of it and of the processes that it starts."""
    command = [sys.executable, "-m", "gitnotes", "score", *arguments]
    started = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out)
        peak = [0.0]
        busy: dict[int, float] = {}
        done = threading.Event()
        watcher = threading.Thread(target=_watch, args=(process.pid, peak, busy, done))
        watcher.start()
        _, status, usage = os.wait4(process.pid, 0)
        code = process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - started
        done.set()
        watcher.join()
        out.seek(0)
        text = out.read().decode()
    if code:
        raise SystemExit(f"{' '.join(command)} ended with {code}.")
    # What wait4 gives includes the helpers, which the process has waited for.
    helpers = [spent for child, spent in busy.items() if child != process.pid]
    alone = usage.ru_utime + usage.ru_stime - sum(helpers)
    return Run(seconds, max([alone, *helpers]), peak[0], text)


def _watch(pid: int, peak: list[float], busy: dict[int, float], done: threading.Event) -> None:
    """Keeps the peak of the largest process in megabytes, and the processor time of each in seconds.

    Where there is no /proc, it finds nothing.
    """
    tick = os.sysconf("SC_CLK_TCK")
    while not done.wait(0.02):
        for process in [pid, *_children(pid)]:
            try:
                status = Path(f"/proc/{process}/status").read_text()
                fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            busy[process] = (int(fields[11]) + int(fields[12])) / tick
            for line in status.splitlines():
                if line.startswith("VmHWM:"):
                    peak[0] = max(peak[0], int(line.split()[1]) / 1024)


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def measure(folder: Path, sample: list[tuple[str, str]], pairs: int, runs: int, quick: bool) -> list[Row]:
    rows = []
    one = median(score("--reference", "Add it", "--prediction", "Add that").seconds for _ in range(5 * runs))
    rows.append(Row("process start to the score of one pair", one * 1000, "ms", "at most 120", one <= 0.12))
    tiny = folder / "tiny.csv"
    write_pairs(tiny, sample, 1)
    began = [score(str(tiny)) for _ in range(5 * runs)]
    began_ms = median(run.seconds for run in began) * 1000
    start = median(run.busiest for run in began)
    rows.append(Row("process start to the score of a file of one", began_ms, "ms", "", True))
    small, large = folder / "small.csv", folder / "large.csv"
    write_pairs(small, sample, 10_000)
    write_pairs(large, sample, 100_000 if quick else 1_000_000)
    # The interval costs the same for any number of rows above a few thousand, so it is left out.
    fixed = ("--resamples", "100")
    # Processor time, which other work on the machine does not lengthen as much.
    per_small = (median(score(str(small), *fixed).busiest for _ in range(runs)) - start) / 10_000 * 1e6
    count = 100_000 if quick else 1_000_000
    alone = [score(str(large), *fixed) for _ in range(runs)]
    both = [score(str(large), *fixed, "--processes", "2") for _ in range(runs)]
    per_large = (median(run.busiest for run in alone) - start) / count * 1e6
    rows.append(Row("processor time per row of 10,000", per_small, "us", "", True))
    same = per_large <= 1.1 * per_small
    rows.append(Row(f"processor time per row of {count:,}", per_large, "us", "at most 1.1x of that", same))
    ratio = median(run.seconds for run in alone) / median(run.seconds for run in both)
    rows.append(Row("two processes against one, wall time", ratio, "x", "at least 1.8", ratio >= 1.8))
    ratio = median(run.busiest for run in alone) / median(run.busiest for run in both)
    rows.append(Row("the same, processor time of the busier one", ratio, "x", "", True))
    if quick:
        return rows
    large.unlink()
    huge = folder / "huge.csv"
    write_pairs(huge, sample, pairs)
    for processes in (1, 2):
        found = score(str(huge), "--processes", str(processes), "--json")
        system = json.loads(found.out)["systems"][0]
        counted = system["metrics"][0]["scored"] + sum(system["empty"].values())
        if not counted == system["rows"] == pairs:
            raise SystemExit(f"{counted} rows were scored or found empty instead of {pairs}.")
        name = f"{pairs:,} pairs, {processes} {'process' if processes == 1 else 'processes'}"
        rows.append(Row(name, found.seconds, "s", "", True))
        rows.append(Row(f"{name}: peak memory", found.megabytes, "MB", "below 250", found.megabytes < 250))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=3_600_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="100,000 rows instead of millions")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    sample = read_sample(options.data)
    with tempfile.TemporaryDirectory() as place:
        rows = measure(Path(place), sample, options.pairs, options.runs, options.quick)
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {len(sample):,} pairs in the sample")
    for row in rows:
        verdict = ("met" if row.passed else "MISSED") if row.bar else ""
        print(f"{row.what:46} {row.value:10.2f} {row.unit:3} {row.bar:20} {verdict}")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=2))
    return 1 if any(not row.passed for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
