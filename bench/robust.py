"""Is every file whole after `kill -9` at any moment, and after many hooks at once?

    python -m bench.robust [--kills N] [--calls N] [--seed N] [--json FILE]

Starts each command in turn in a repository of its own, kills it after a random part of the time that
it takes, and looks at what it was writing: a file is as it was or as it was to be, a hook that was
there before is still run, an index passes SQLite's own check. Then that many hooks run at once in one
repository. Prints one line for each and exits with 1 when anything is broken.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from gitnotes.write.installer import HOOKS, is_installed

ROOT = Path(__file__).resolve().parents[1]
TOOL = [sys.executable, "-m", "gitnotes"]
OLDER_HOOK = b"#!/bin/sh\n# somebody's own\nexit 0\n"
GIVEN = b"\n# Please enter the commit message for your changes.\n# On branch main\n"
CHANGELOG = b"# Changelog\n\n## 0.9.0\n\n- It began.\n"
INDEX = Path(".git") / "gitnotes" / "history.sqlite"


@dataclass(slots=True)
class Row:
    """What became of one kind of command."""

    what: str
    runs: int = 0
    killed: int = 0
    """The others had ended before."""
    before: int = 0
    after: int = 0
    """How often the file was as before, or as it was to be."""
    broken: list[str] = field(default_factory=list)


class Place:
    """A repository with a history, a staged change and other people's hooks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "GITNOTES_"))},
            "HOME": str(folder.parent),
            "XDG_CONFIG_HOME": str(folder.parent),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "A",
            "GIT_COMMITTER_EMAIL": "a@example.org",
            "GITNOTES_TIMEOUT": "0",
            "PYTHONPATH": str(ROOT),
        }
        folder.mkdir(parents=True)
        self.run("git", "init", "-q", "-b", "main")
        for number in range(40):
            (folder / f"part_{number % 8}.py").write_text(f"def check_{number}(text):\n    return text\n")
            self.run("git", "add", "-A")
            self.run("git", "commit", "-q", "--no-verify", "-m", f"Add check {number} to the parser")
        self.run("git", "tag", "v0.9.0", "HEAD~20")
        self.run("git", "tag", "v1.0.0")
        (folder / "client.py").write_text("def fetch_with_retry(url):\n    return url\n")
        self.run("git", "add", "client.py")

    def run(self, *command: str) -> None:
        subprocess.run(command, cwd=self.folder, env=self.environment, check=True, capture_output=True)

    def start(self, command: list[str]) -> subprocess.Popen[bytes]:
        """The command in a group of its own, so that all of it can be killed."""
        nowhere = subprocess.DEVNULL
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            start_new_session=True,
            stdin=nowhere,
            stdout=nowhere,
            stderr=nowhere,
        )


@dataclass(frozen=True, slots=True)
class Case:
    """A command, what puts its files back to the start, and what is wrong with them now."""

    what: str
    command: list[str]
    reset: Callable[[], None]
    state: Callable[[], str]
    """'before' or 'after'; anything else says what is broken."""


def cases(place: Place) -> list[Case]:
    """What writes files: the suggesting hook, install, uninstall, release --write and the index."""
    message = place.folder / ".git" / "COMMIT_EDITMSG"
    changelog = place.folder / "CHANGELOG.md"
    hooks = place.folder / ".git" / "hooks"

    def clear_hooks() -> None:
        for file in hooks.iterdir():
            file.unlink()
        for name in HOOKS:
            (hooks / name).write_bytes(OLDER_HOOK)
            (hooks / name).chmod(0o755)

    def put_hooks() -> None:
        clear_hooks()
        place.run(*TOOL, "install")

    def hooks_state(start: str, end: str) -> Callable[[], str]:
        def look() -> str:
            found = {_hook_state(hooks, name) for name in HOOKS}
            broken = found - {"older", "ours"}
            if broken:
                return ", ".join(sorted(broken))
            return "before" if found == {start} else "after" if found == {end} else "between, each whole"

        return look

    def drop_index() -> None:
        for file in (place.folder / INDEX).parent.glob("history.sqlite*"):
            file.unlink()

    hook = [*TOOL, "hook", "prepare-commit-msg", str(message)]
    write = [*TOOL, "release", "v0.9.0..v1.0.0", "--write", str(changelog)]
    return [
        Case("hook that suggests", hook, lambda: _put(message, GIVEN), _either(place, message, GIVEN, hook)),
        Case("install", [*TOOL, "install"], clear_hooks, hooks_state("older", "ours")),
        Case("uninstall", [*TOOL, "uninstall"], put_hooks, hooks_state("ours", "older")),
        Case(
            "release --write",
            write,
            lambda: _put(changelog, CHANGELOG),
            _either(place, changelog, CHANGELOG, write),
        ),
        Case("index building", [*TOOL, "suggest"], drop_index, lambda: _index_state(place.folder / INDEX)),
    ]


def kill_at_random(place: Place, kills: int, chance: random.Random) -> list[Row]:
    """Each case `kills / number of cases` times; what was found after each kill."""
    rows = []
    found = cases(place)
    for case in found:
        row = Row(f"kill -9: {case.what}")
        took = min(_time(place, case) for _ in range(3))
        case.reset()
        for _ in range(max(kills // len(found), 1)):
            case.reset()
            process = place.start(case.command)
            # From the moment in which Python has hardly begun to a little after the usual end.
            time.sleep(chance.uniform(0.2, 1.1) * took)
            row.runs += 1
            row.killed += process.poll() is None
            _kill(process)
            state = case.state()
            row.before += state == "before"
            row.after += state == "after" or state.endswith("each whole")
            if state not in ("before", "after") and not state.endswith("each whole"):
                row.broken.append(state)
        # Whatever the last kill left, the next run finishes the job.
        if subprocess.call(
            case.command, cwd=place.folder, env=place.environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) != 0 or case.state() != "after":  # fmt: skip
            row.broken.append("the run after the kills did not finish the job")
        rows.append(row)
    return rows


def call_at_once(place: Place, calls: int) -> Row:
    """That many hooks at the same time, each on a message file of its own, all on one index."""
    row = Row("hooks at once", runs=calls)
    files = [place.folder / ".git" / f"MESSAGE_{number}" for number in range(calls)]
    for file in files:
        file.write_bytes(GIVEN)
    processes = [place.start([*TOOL, "hook", "prepare-commit-msg", str(file)]) for file in files]
    codes = [process.wait() for process in processes]
    texts = {file.read_bytes() for file in files}
    row.after = sum(file.read_bytes() != GIVEN for file in files)
    if any(codes):
        row.broken.append(f"{sum(map(bool, codes))} ended with another exit code than 0")
    if not all(text.endswith(GIVEN) and text.count(GIVEN) == 1 for text in texts):
        row.broken.append("a message file lost what git wrote")
    if len(texts) != 1 or row.after != calls:
        row.broken.append(f"{len(texts)} different texts came out, {calls - row.after} files have none")
    state = _index_state(place.folder / INDEX)
    if state != "after":
        row.broken.append(f"the index: {state}")
    left = [file.name for file in (place.folder / ".git").iterdir() if file.name.startswith(".gitnotes-")]
    if left:
        row.broken.append(f"{len(left)} temporary files were left")
    return row


def _put(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _either(place: Place, path: Path, start: bytes, command: list[str]) -> Callable[[], str]:
    """Whether the file is as at the start, or as an undisturbed run makes it."""
    wanted: list[bytes] = []

    def look() -> str:
        found = path.read_bytes() if path.exists() else b""
        if not wanted:
            path.write_bytes(start)
            place.run(*command)
            wanted.append(path.read_bytes())
            path.write_bytes(found)
        if found == start:
            return "before"
        return "after" if found == wanted[0] else f"{path.name} has {len(found)} bytes of neither"

    return look


def _hook_state(hooks: Path, name: str) -> str:
    hook, aside = hooks / name, hooks / f"{name}.gitnotes-chained"
    if not hook.exists():
        return f"{name} is gone"
    if not os.access(hook, os.X_OK):
        return f"{name} is not executable"
    if hook.read_bytes() == OLDER_HOOK:
        return "older"
    if not is_installed(hooks, name):
        return f"{name} is neither hook"
    if not aside.exists() or aside.read_bytes() != OLDER_HOOK:
        return f"{name} has lost the older hook"
    return "ours"


def _index_state(path: Path) -> str:
    if not path.exists():
        return "before"
    try:
        base = sqlite3.connect(path)
        try:
            (verdict,) = base.execute("PRAGMA integrity_check").fetchone()
            (version,) = base.execute("PRAGMA user_version").fetchone()
            count = base.execute("SELECT count(*) FROM commits").fetchone()[0] if version else 0
        finally:
            base.close()
    except sqlite3.Error as problem:
        return f"the index is damaged: {problem}"
    if verdict != "ok":
        return f"the index is damaged: {verdict}"
    return "after" if count == 40 else "before" if count == 0 else f"the index has {count} of 40 commits"


def _time(place: Place, case: Case) -> float:
    case.reset()
    started = time.perf_counter()
    place.run(*case.command)
    return time.perf_counter() - started


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def measure(folder: Path, kills: int, calls: int, seed: int) -> list[Row]:
    """All rows, in a repository that is made in `folder`."""
    place = Place(folder / "repo")
    return [*kill_at_random(place, kills, random.Random(seed)), call_at_once(place, calls)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(Path(folder), options.kills, options.calls, options.seed)
    print(f"{'what':30} {'runs':>5} {'killed':>6} {'before':>6} {'after':>6} {'broken':>6}")
    for row in rows:
        print(
            f"{row.what:30} {row.runs:5} {row.killed:6} {row.before:6} {row.after:6} {len(row.broken):6}"
            f"  {'; '.join(sorted(set(row.broken)))}"
        )
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=2))
    return 1 if any(row.broken for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
