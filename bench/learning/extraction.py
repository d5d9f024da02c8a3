"""How much longer than `git log -p` does a data set take?

python -m bench.learning.extraction --repo FOLDER --last 5000
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from gitnotes.read.git import open_git
from gitnotes.recipes.collecting import Wanted
from gitnotes.recipes.learning import make_dataset


def measure(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock and of the processors, children with it."""
    before, started = os.times(), time.perf_counter()
    work()
    after, ended = os.times(), time.perf_counter()
    return ended - started, sum(after[:4]) - sum(before[:4])


def log_patches(folder: str, last: int) -> None:
    """Lets git write all patches, and throws them away."""
    subprocess.run(
        ["git", "-C", folder, "--no-pager", "log", "-p", "--no-merges", f"--max-count={last}"],
        stdout=subprocess.DEVNULL,
        check=True,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the best of the runs of both, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", required=True)
    parser.add_argument("--last", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--processes", type=int, default=0)
    chosen = parser.parse_args(arguments)
    folder = str(open_git(chosen.repo).common_folder())
    wanted = Wanted(last=chosen.last)
    plain = [measure(lambda: log_patches(folder, chosen.last)) for _ in range(chosen.runs)]
    ours = [
        measure(lambda: make_dataset([folder], [], wanted, processes=chosen.processes))
        for _ in range(chosen.runs)
    ]
    for name, rows in (("git log -p", plain), ("data set", ours)):
        print(f"{name:12} {min(row[0] for row in rows):7.2f} s  {min(row[1] for row in rows):7.2f} CPU-s")
    for place, unit in enumerate(("clock", "CPU")):
        ratio = min(row[place] for row in ours) / min(row[place] for row in plain)
        print(f"ratio by {unit}: {ratio:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
