"""How long does git's history take to become records, beside git itself, and do the two agree?

Each pair of measurements is made in turn (A B A B ...) in one run: what gitnotes needs inside a
running process, git and its pipe included, and `git log` with the same format and no reader. Bars:
1.6 times git's time, with and without file names; 300 bytes a commit over git's text; no difference
between the counts of files, renames and lines, the trailers and the drawn tree and those of git.

    python -m bench.read_history --repo DIR [--commits N] [--runs N] [--compare N] [--json FILE]
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from gitnotes.read.git import Git, open_git
from gitnotes.read.history import read_range
from gitnotes.read.tree_text import tree_lines

FORMAT = "--format=%H%x00%P%x00%an%x00%ae%x00%at%x00%B"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure; `git` is that of git itself where there is one."""

    what: str
    ours: float
    git: float | None
    unit: str
    bar: str = ""
    passed: bool | None = None
    """None where there is no bar."""


class Bench:
    """A repository, and the ways to measure in it."""

    def __init__(self, folder: Path, runs: int) -> None:
        self.folder = folder
        self.runs = runs
        self.git: Git = open_git(folder)

    def ask(self, *arguments: str, data: bytes | None = None) -> bytes:
        """What git prints, asked without any code of gitnotes."""
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout

    def log(self, *options: str) -> float:
        """Seconds that `git log -z` needs when nobody reads what it prints."""
        command = ["git", "-C", str(self.folder), "log", "-z", "--topo-order", FORMAT, *options]
        started = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - started

    def read(self, commits: int | None, *, files: bool = False) -> float:
        """Seconds until the CommitTree is there."""
        started = time.perf_counter()
        tree = read_range(self.git, None, "HEAD", limit=commits, files=files)
        elapsed = time.perf_counter() - started
        del tree
        return elapsed

    def pair(self, ours: Callable[[], float], git: Callable[[], float]) -> tuple[float, float]:
        """Medians of two measurements made in turn, after one warm-up of each."""
        ours()
        git()
        times = [(ours(), git()) for _ in range(self.runs)]
        return median(one for one, _ in times), median(other for _, other in times)


def measure_time(bench: Bench, commits: int) -> list[Row]:
    """The two bars, and how the time grows with the number of commits."""
    rows: list[Row] = []
    limit = f"--max-count={commits}"
    for what, files, options in (
        (f"{commits:,} commits to a CommitTree", False, [limit]),
        ("the same with names and renames", True, [limit, "--name-status", "-M"]),
    ):
        ours, git = bench.pair(
            lambda files=files: bench.read(commits, files=files),  # type: ignore[misc]
            lambda options=options: bench.log(*options),  # type: ignore[misc]
        )
        rows.append(Row(what, ours * 1000, git * 1000, "ms", "at most 1.6x", ours <= 1.6 * git))
        # What a machine with other work to do cannot distort as much.
        ours = spend(lambda files=files: bench.read(commits, files=files))  # type: ignore[misc]
        git = spend(lambda options=options: bench.log(*options))  # type: ignore[misc]
        rows.append(Row("  processor time of both sides", ours * 1000, git * 1000, "ms"))
    every = int(bench.ask("rev-list", "--count", "HEAD"))
    for count in sorted({min(number, every) for number in (1000, 10_000, every)}):
        ours, git = bench.pair(
            lambda count=count: bench.read(count),  # type: ignore[misc]
            lambda count=count: bench.log(f"--max-count={count}"),  # type: ignore[misc]
        )
        rows.append(Row(f"time a commit, {count:,} of them", ours / count * 1e6, git / count * 1e6, "us"))
    return rows


def spend(work: Callable[[], float]) -> float:
    """Seconds of processor time that this process and git spend on the work, at the least of five."""
    spent: list[float] = []
    for _ in range(5):
        before = sum(os.times()[:4])
        work()
        spent.append(sum(os.times()[:4]) - before)
    return min(spent)


def measure_memory(bench: Bench, commits: int) -> list[Row]:
    """Bytes that Python holds for a tree, less those of the text that git prints for it."""
    text = len(bench.ask("log", "-z", "--topo-order", FORMAT, f"--max-count={commits}"))
    bench.read(10)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tree = read_range(bench.git, None, "HEAD", limit=commits)
    gc.collect()
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    count = len(tree.commits)
    held, most = ((size - before - text) / count for size in (after, peak))
    return [
        Row("memory a commit over the text", held, None, "bytes", "at most 300", held <= 300),
        Row("the same at the peak", most, None, "bytes"),
    ]


def compare(bench: Bench, commits: int) -> list[Row]:
    """In how many of the newest commits the records say something else than git."""
    tree = read_range(bench.git, None, "HEAD", counts=True, limit=commits)
    stats = git_stats(bench, commits)
    files = renames = lines = 0
    for commit in tree.commits:
        count, moved, changed = stats[commit.sha]
        changes = commit.files or ()
        files += count != len(changes)
        renames += moved != sum(change.status == "R" for change in changes)
        sums = sum(change.added or 0 for change in changes), sum(change.removed or 0 for change in changes)
        lines += changed != sums
    names = (("files", files), ("renames", renames), ("lines", lines))
    total = f"of {len(tree.commits):,} commits"
    rows = [
        Row(f"other counts of {name}, {total}", wrong, None, "", "0", wrong == 0) for name, wrong in names
    ]
    wrong = sum(
        git_trailers(bench, commit.sha) != [f"{key}: {value}".rstrip() for key, value in commit.trailers]
        for commit in tree.commits
    )
    rows.append(Row(f"other trailers, {total}", wrong, None, "", "0", wrong == 0))
    wrong = count_other_lines(bench)
    return [*rows, Row("other lines of the drawn tree, all commits", wrong, None, "", "0", wrong == 0)]


def git_stats(bench: Bench, commits: int) -> dict[str, tuple[int, int, tuple[int, int]]]:
    """Files, renames and changed lines of each commit, from the text that git writes for people."""
    shown = ["log", "--topo-order", "-M", "--diff-merges=off", "--format=%x01%H", f"--max-count={commits}"]
    short = bench.ask(*shown, "--shortstat").decode("ascii").split("\x01")[1:]
    named = bench.ask(*shown, "--name-status").decode("ascii").split("\x01")[1:]
    found = {}
    for stat, names in zip(short, named, strict=True):
        sha = stat[: stat.index("\n")]
        counts = [
            int(match[1]) if (match := re.search(rf"(\d+) {word}", stat)) else 0
            for word in ("file", "insertion", "deletion")
        ]
        renames = sum(line.startswith("R") for line in names.split("\n"))
        found[sha] = (counts[0], renames, (counts[1], counts[2]))
    return found


def git_trailers(bench: Bench, sha: str) -> list[str]:
    """What `git interpret-trailers` finds in the message of a commit."""
    message = bench.ask("log", "-1", "--encoding=UTF-8", "--format=%B", sha)
    answer = bench.ask("interpret-trailers", "--parse", "--no-divider", data=message)
    return [line.rstrip() for line in answer.decode("utf-8", "replace").split("\n") if line]


def count_other_lines(bench: Bench) -> int:
    """The lines of the whole tree that differ from those of `git log --graph`."""
    shown = bench.ask("log", "--graph", "--no-color", "--no-decorate", "--format=%h", "--abbrev=40")
    theirs = shown.decode("ascii").removesuffix("\n").split("\n")
    tree = read_range(bench.git, None, "HEAD")
    # A subject may hold a line end that only git counts as one.
    ours = [re.sub(r"(?<=[0-9a-f]{40}) .*", "", line, flags=re.S) for line in tree_lines(tree, abbreviate=40)]
    pairs = sum(one != other for one, other in zip(ours, theirs, strict=False))
    return pairs + abs(len(ours) - len(theirs))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--compare", type=int, default=2000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]
    os.environ["GIT_CONFIG_GLOBAL"] = os.environ["GIT_CONFIG_SYSTEM"] = os.devnull
    bench = Bench(options.repo, options.runs)
    rows = [
        *measure_time(bench, options.commits),
        *measure_memory(bench, options.commits),
        *compare(bench, options.compare),
    ]
    print(f"{'what':46} {'ours':>9} {'git':>9} {'ratio':>6}  bar")
    for row in rows:
        git = f"{row.git:9.1f}" if row.git else "        -"
        ratio = f"{row.ours / row.git:6.2f}" if row.git else "     -"
        verdict = {True: "met", False: "MISSED", None: ""}[row.passed]
        print(f"{row.what:46} {row.ours:9.1f} {git} {ratio}  {row.bar:13} {verdict} {row.unit}".rstrip())
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=2))
    return 1 if any(row.passed is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
