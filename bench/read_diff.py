"""Does reading changes keep up with git, and does it count what git counts?

`python -m bench.read_diff --repo DIR` compares files, renames and lines of the newest commits of DIR
with what git itself prints for them, and measures staged changes of 120 MB. git is asked for the
same algorithm and the same limits, since another one counts other lines.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gitnotes.read.diff import BIG_FILE, RENAME_LIMIT, read_commit, read_staged
from gitnotes.read.git import open_git
from gitnotes.records import Change

COMMITS = 2000


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.read_diff", description=__doc__)
    parser.add_argument("--repo", type=Path, action="append", default=[], help="a repository, bare or not")
    parser.add_argument("--commits", type=int, default=COMMITS)
    parser.add_argument("--json", type=Path, help="also write the figures here")
    parser.add_argument("--staged", metavar="DIR", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.staged:
        print(json.dumps(_measure_staged(chosen.staged)))
        return 0
    result: dict[str, Any] = {"repositories": {}, "staged": {}}
    for place in chosen.repo:
        found = compare(place, chosen.commits)
        result["repositories"][place.parent.name if place.name == "repo" else place.name] = found
        print(
            f"{place}: {found['commits']} commits, {found['files']} files, {found['renames']} renames, "
            f"+{found['added']} -{found['removed']} lines; {found['differences']} differences; "
            f"{found['ms_per_commit']:.1f} ms a commit"
        )
        for line in found["examples"]:
            print(f"  {line}")
    for name, count, size in (("2 files of 60 MB", 2, 60_000_000), ("3,000 files of 40 kB", 3000, 40_000)):
        found = measure(count, size)
        result["staged"][name] = found
        print(
            f"{name} staged: {found['seconds']:.3f} s, {found['megabytes']:.0f} MB over the start; "
            f"{found['files']} files, {found['hunks']} with lines, {found['omitted']} left out "
            f"(git diff-index --numstat: {found['numstat_seconds']:.3f} s)"
        )
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    return int(any(found["differences"] for found in result["repositories"].values()))


def compare(place: Path, limit: int) -> dict[str, Any]:
    """The totals of both sides over the newest commits without merges, and where they differ."""
    git = open_git(place)
    commits = git.text("rev-list", "--no-merges", f"--max-count={limit}", "HEAD", "--").split()
    totals = {"files": 0, "renames": 0, "added": 0, "removed": 0}
    examples: list[str] = []
    differences = 0
    spent = 0.0
    for commit in commits:
        started = time.perf_counter()
        change = read_commit(git, commit)
        spent += time.perf_counter() - started
        ours, theirs = set(_rows(change)), set(_git_rows(place, commit))
        for row in change.files:
            totals["files"] += 1
            totals["renames"] += row.status == "R"
            totals["added"] += row.added or 0
            totals["removed"] += row.removed or 0
        if ours != theirs:
            differences += len(ours ^ theirs)
            examples.append(f"{commit}: {sorted(ours ^ theirs, key=repr)[:2]!r}")
    return {
        "commits": len(commits),
        **totals,
        "differences": differences,
        "ms_per_commit": 1000 * spent / max(len(commits), 1),
        "examples": examples[:10],
    }


def _rows(change: Change) -> Iterator[tuple[Any, ...]]:
    for file in change.files:
        yield (
            file.status,
            os.fsencode(file.old_path or ""),
            os.fsencode(file.path),
            file.added,
            file.removed,
            file.old_mode or "000000",
            file.new_mode or "000000",
            file.old_id,
            file.new_id,
            file.similarity,
        )


def _git_rows(place: Path, commit: str) -> Iterator[tuple[Any, ...]]:
    """The same from `git diff-tree --raw --numstat -z`, read the plain way."""
    output = subprocess.run(
        [
            *("git", f"--git-dir={place}", "-c", f"core.bigFileThreshold={BIG_FILE}", "diff-tree"),
            *("-r", "--root", "--no-commit-id", "--raw", "--numstat", "-z", "--no-abbrev", "-M"),
            *(f"-l{RENAME_LIMIT}", "--diff-algorithm=histogram", commit, "--"),
        ],
        capture_output=True,
        check=True,
    ).stdout
    fields = output.split(b"\0")
    rows: dict[bytes, list[Any]] = {}
    position = 0
    while position < len(fields):
        field = fields[position]
        position += 1
        if field.startswith(b":"):
            old_mode, new_mode, old_id, new_id, status = field[1:].decode().split(" ")
            old = b""
            if status[0] in "RC":
                old = fields[position]
                position += 1
            path = fields[position]
            position += 1
            score = int(status[1:]) if status[0] in "RC" else None
            ids = (name if name.strip("0") else "" for name in (old_id, new_id))
            rows[path] = [status[0], old, path, None, None, old_mode, new_mode, *ids, score]
        elif field:
            added, removed, path = field.split(b"\t", 2)
            if not path:
                path = fields[position + 1]
                position += 2
            if added == b"-" and rows[path][7] == rows[path][8]:
                added = removed = b"0"  # git prints no numbers for a binary file that only moved
            if b"160000" not in (rows[path][5].encode(), rows[path][6].encode()) and added != b"-":
                rows[path][3], rows[path][4] = int(added), int(removed)
    return (tuple(row) for row in rows.values())


def measure(count: int, size: int) -> dict[str, Any]:
    """Time and memory of a fresh process that reads `count` new staged files of `size` bytes."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "--quiet", folder], check=True)
        line = b"a line of text that is neither short nor very long, %07d\n"
        text = b"".join(line % number for number in range(size // 57))
        for number in range(count):
            Path(folder, f"file{number}.txt").write_bytes(b"%d\n" % number + text)
        subprocess.run(["git", "-C", folder, "add", "--all"], check=True)
        command = [sys.executable, "-m", "bench.read_diff", "--staged", folder]
        runs = [json.loads(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(5)]
        best: dict[str, Any] = min(runs, key=lambda run: float(run["seconds"]))
        tree = open_git(folder).empty_tree()
        started = time.perf_counter()
        subprocess.run(
            ["git", "-C", folder, "diff-index", "--cached", "--numstat", "-M", tree, "--"],
            capture_output=True,
            check=True,
        )
        return {**best, "numstat_seconds": time.perf_counter() - started}


def _measure_staged(folder: str) -> dict[str, Any]:
    git = open_git(folder, light=True)
    before = _peak()
    started = time.perf_counter()
    change = read_staged(git)
    seconds = time.perf_counter() - started
    ours = _peak() - before
    return {
        "seconds": seconds,
        "megabytes": ours / 1024,
        "files": len(change.files),
        "hunks": len({hunk.path for hunk in change.hunks}),
        "omitted": len(change.omitted),
    }


def _peak() -> int:
    """The most memory that this process had, in kB; getrusage would count its parent's too."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM:")).split()[1])


if __name__ == "__main__":
    sys.exit(main())
