"""How long does a release note take, as a whole process, beside git-cliff and a bare `git log`?

`python -m bench.release.speed REPO A..B` times one range, and `--all` the whole changelog as well. Every
program runs in the same clone, in turns, after one run that warms the cache; printed are the median and the
least wall time, the median of what the processors worked for it and for the git that it starts, which other
work on the machine changes least, and the peak memory of the largest process (`wait4`).
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

_FORMAT = "%H%x1f%P%x1f%an%x1f%ae%x1f%at%x1f%B%x1e"
_SECONDS = 300.0
"""After which a program is stopped."""


@dataclass(frozen=True, slots=True)
class Timing:
    """What one program took."""

    name: str
    seconds: tuple[float, ...]
    worked: tuple[float, ...]
    """Seconds of processor time, those of its own children included."""
    megabytes: float
    failed: bool = False


def commands(versions: str, whole: bool) -> dict[str, list[str]]:
    """The programs that are here, by name, with what they are asked."""
    ours = [sys.executable, "-m", "gitnotes", "release"]
    log = ["git", "log", "--topo-order", f"--format={_FORMAT}"]
    found = {
        "git log": [*log, *(["HEAD", "--tags"] if whole else [versions])],
        "gitnotes": [*ours, *(["--all"] if whole else [versions])],
    }
    if shutil.which("git-cliff"):
        cliff = ["git-cliff", "--offline", "--no-exec"]
        found["git-cliff"] = [*cliff, *([] if whole else [versions])]
    return found


def measure(folder: Path, versions: str, *, whole: bool = False, runs: int = 5) -> list[Timing]:
    """Times every program `runs` times, in turns, so that a busy machine slows them all."""
    asked = commands(versions, whole)
    took: dict[str, list[float]] = {name: [] for name in asked}
    worked: dict[str, list[float]] = {name: [] for name in asked}
    peak = dict.fromkeys(asked, 0.0)
    failed = {name: _spend(command, folder)[3] for name, command in asked.items()}
    for _ in range(runs):
        for name, command in asked.items():
            if failed[name]:
                continue
            seconds, processor, megabytes, failed[name] = _spend(command, folder)
            took[name].append(seconds)
            worked[name].append(processor)
            peak[name] = max(peak[name], megabytes)
    return [Timing(name, tuple(took[name]), tuple(worked[name]), peak[name], failed[name]) for name in asked]


def _spend(command: Sequence[str], folder: Path) -> tuple[float, float, float, bool]:
    """Seconds, those of the processors, megabytes, and whether it failed or was stopped."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    timer = _stop_after(process)
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    worked = usage.ru_utime + usage.ru_stime
    return time.perf_counter() - started, worked, usage.ru_maxrss / 1024, process.returncode != 0


def _stop_after(process: subprocess.Popen[bytes]) -> Timer:
    timer = Timer(_SECONDS, process.kill)
    timer.daemon = True
    timer.start()
    return timer


def table(timings: Sequence[Timing]) -> str:
    lines = [f"{'':12}{'median s':>10}{'least s':>10}{'worked s':>10}{'MB':>8}"]
    for one in timings:
        if one.failed or not one.seconds:
            lines.append(f"{one.name:12}{'failed or longer than 300 s':>28}")
            continue
        median = statistics.median(one.seconds)
        worked = statistics.median(one.worked)
        lines.append(f"{one.name:12}{median:10.2f}{min(one.seconds):10.2f}{worked:10.2f}{one.megabytes:8.0f}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.release.speed", description=__doc__)
    parser.add_argument("repository", type=Path, metavar="REPO")
    parser.add_argument("versions", metavar="A..B")
    parser.add_argument("--all", action="store_true", help="also the whole changelog")
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "clone"
        clone = ("git", "clone", "--quiet", "--shared", "--no-checkout")
        subprocess.run([*clone, str(chosen.repository), str(folder)], check=True)
        print(table(measure(folder, chosen.versions, runs=chosen.runs)))
        if chosen.all:
            print(table(measure(folder, chosen.versions, whole=True, runs=chosen.runs)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
