"""How long do whole processes take, beside their peers, in one run?

Builds its own repository, runs each pair of commands in turn (A B A B ...) and prints medians and
ratios. Absolute times belong to the machine; the ratios are the result.

    python -m bench.speed [--runs N] [--commits N] [--repo DIR] [--json FILE]

`--repo` is a repository with a history, of flask for example, whose median commit is drafted for.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from gitnotes.read.git import open_git
from gitnotes.recipes.hooking import install_hooks, uninstall_hooks

GOOD = "Add retry to the client\n\nThe server drops idle connections, so the first request fails.\n"


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison; times are medians in milliseconds."""

    what: str
    ours_ms: float
    peer: str
    peer_ms: float | None
    bar: str
    passed: bool | None
    """None when nothing was compared."""
    skipped: str = "peer is not installed"
    """Why nothing was compared, then."""


class Bench:
    """A repository to measure in, and the ways to measure."""

    def __init__(self, folder: Path, runs: int) -> None:
        self.folder = folder
        self.runs = runs
        self.env = {
            **{
                key: value
                for key, value in os.environ.items()
                # Nobody who uses either tool compiles its modules anew at each start.
                if not key.startswith(("GIT_", "GITNOTES_")) and key != "PYTHONDONTWRITEBYTECODE"
            },
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "A",
            "GIT_COMMITTER_EMAIL": "a@example.org",
            "HOME": str(folder.parent),
        }

    def run(self, command: list[str], *, ok: tuple[int, ...] = (0,), data: bytes | None = None) -> float:
        """Runs a command; wall time in milliseconds."""
        started = time.perf_counter()
        done = subprocess.run(command, cwd=self.folder, env=self.env, capture_output=True, input=data or b"")
        elapsed = (time.perf_counter() - started) * 1000
        if done.returncode not in ok:
            raise SystemExit(f"{command} exited with {done.returncode}: {done.stderr[-500:]!r}")
        return elapsed

    def pair(
        self, ours: list[str], peer: list[str], peer_ok: tuple[int, ...] = (0,), runs: int = 0
    ) -> tuple[float, float]:
        """Medians of two commands run in turn, after one warm-up of each."""
        self.run(ours, ok=(0, 1))
        self.run(peer, ok=peer_ok)
        times = [(self.run(ours, ok=(0, 1)), self.run(peer, ok=peer_ok)) for _ in range(runs or self.runs)]
        return median(one for one, _ in times), median(other for _, other in times)

    def build(self, commits: int) -> None:
        """A linear history; one message in ten is bad, most have a body."""
        self.run(["git", "init", "-q", "-b", "main"])
        # gitlint --staged asks the configuration, not the environment, who commits.
        self.run(["git", "config", "user.name", "A"])
        self.run(["git", "config", "user.email", "a@example.org"])
        stream: list[str] = []
        for number in range(commits + 1):
            subject = "stuff" if number % 10 == 3 else f"Add check number {number} to the parser"
            body = "" if number % 4 == 0 else "\n\nThe input may be cut anywhere, so each part is checked.\n"
            text = subject + body
            content = f"def check_{number}(text):\n    return text.count('{number}')\n"
            stream += [
                "commit refs/heads/main",
                f"committer A <a@example.org> {1_700_000_000 + number * 60} +0000",
                f"data {len(text)}",
                text,
                f"M 100644 inline src/part_{number % 40}.py",
                f"data {len(content)}",
                content,
            ]
        self.run(["git", "fast-import", "--quiet"], data="\n".join(stream).encode())
        self.run(["git", "reset", "-q", "--hard", "main"])
        self.run(["git", "tag", "base", f"main~{commits}"])
        self.run(["git", "tag", "tip", "main"])
        (self.folder.parent / "message.txt").write_text(GOOD)

    def stage(self) -> None:
        """Stages a file of 402 lines."""
        lines = "".join(
            f"def step_{number}(value):\n    return value + {number}\n\n" for number in range(134)
        )
        (self.folder / "src" / "steps.py").write_text(lines)
        self.run(["git", "add", "-A"])


def measure(bench: Bench, commits: int, repo: Path | None = None) -> list[Row]:
    """All comparisons, in the order of the issue that asks for them."""
    # As people start it, and as the peer is started: by the script beside the interpreter.
    script = shutil.which("gitnotes", path=str(Path(sys.executable).parent))
    tool = [script] if script else [sys.executable, "-m", "gitnotes"]
    message = str(bench.folder.parent / "message.txt")
    rows = [_measure_hook(bench)]
    bench.stage()
    ours, peer = bench.pair([*tool, "--help"], [sys.executable, "-c", "import typer"])
    rows.append(_row("gitnotes --help", ours, "import typer", peer, 2.5))
    gitlint = shutil.which("gitlint", path=str(Path(sys.executable).parent)) or shutil.which("gitlint")
    one = [*tool, "grade", "--message-file", message]
    many = [*tool, "grade", "base..tip", "--rules"]
    full = [*tool, "grade", "base..tip"]
    if gitlint is None:
        for name, command in (("grade one message", one), (f"grade {commits} commits by rules", many)):
            rows.append(Row(name, bench.run(command), "gitlint", None, "", None))
    else:
        any_code = tuple(range(254))
        lint = [gitlint, "--staged", "--msg-filename", message]
        ours, peer = bench.pair(one, lint, any_code)
        rows.append(_row("grade one message against the change", ours, "gitlint", peer, 1.5))
        lint = [gitlint, "--commits", "base..tip"]
        runs = max(bench.runs // 3, 2)
        ours, peer = bench.pair(many, lint, any_code, runs)
        rows.append(_row(f"grade {commits} commits by rules", ours, "gitlint", peer, 0.1))
        ours, peer = bench.pair(full, lint, any_code, runs)
        rows.append(_row(f"grade {commits} commits against their changes", ours, "gitlint", peer, 0.2))
    rows.append(_measure_commit_msg(bench, tool))
    times = [bench.run([*tool, "suggest"]) for _ in range(bench.runs)]
    took = median(times)
    rows.append(Row("suggest on a 402-line diff", took, "", None, "at most 500 ms", took <= 500))
    rows.append(_measure_median(bench, tool, repo))
    return rows


def _measure_median(bench: Bench, tool: list[str], repo: Path | None) -> Row:
    """A draft for the commit of `repo` with the median number of changed lines, knowing its history."""
    name, bar = "suggest of a median commit, warm index", "at most 150 ms"
    if repo is None:
        return Row(name, 0.0, "", None, bar, None, "no --repo")
    copy = Bench(bench.folder.parent / "history", bench.runs)
    # The index of earlier commits is written beside the history, which may not be ours to write to.
    bench.run(["git", "clone", "-q", "--shared", "--no-checkout", str(repo.absolute()), str(copy.folder)])
    commit = find_median(copy.folder)
    copy.run([*tool, "suggest", "--commit", commit])
    took = median(copy.run([*tool, "suggest", "--commit", commit]) for _ in range(bench.runs))
    return Row(name, took, "", None, bar, took <= 150)


def find_median(folder: Path, newest: int = 200) -> str:
    """Of the newest commits, merges left out, the one with the median number of changed lines."""
    log = ("log", f"--max-count={newest}", "--no-merges", "--format=@%H", "--numstat")
    lines = subprocess.run(
        ["git", "-C", str(folder), *log], capture_output=True, text=True, check=True
    ).stdout
    sizes: dict[str, int] = {}
    for line in lines.splitlines():
        if line.startswith("@"):
            commit = line[1:]
            sizes[commit] = 0
        elif line:
            sizes[commit] += sum(int(count) for count in line.split("\t")[:2] if count != "-")
    return sorted(sizes, key=lambda name: sizes[name])[len(sizes) // 2]


def _row(what: str, ours: float, peer: str, peer_ms: float, ratio: float) -> Row:
    return Row(what, ours, peer, peer_ms, f"at most {ratio:g}x", ours <= ratio * peer_ms)


def _measure_commit_msg(bench: Bench, tool: list[str]) -> Row:
    """The rules of form on one message, as a commit-msg hook is called."""
    name = "commit-msg by rules"
    message = bench.folder.parent / "conventional.txt"
    message.write_text(f"feat(client): {GOOD[0].lower()}{GOOD[1:]}")
    ours = [*tool, "hook", "commit-msg", "--rules", str(message)]
    peer = shutil.which("conventional-pre-commit", path=str(Path(sys.executable).parent))
    peer = peer or shutil.which("conventional-pre-commit")
    if peer is None:
        return Row(name, bench.run(ours), "conventional-pre-commit", None, "", None)
    mine, other = bench.pair(ours, [peer, str(message)])
    return _row(name, mine, "conventional-pre-commit", other, 1.5)


def _measure_hook(bench: Bench) -> Row:
    """What the installed hooks add to a commit that has its message already."""
    git = open_git(bench.folder, light=True)
    commit = ["git", "commit", "-q", "--allow-empty", "--no-verify", "-m", "Message that is given"]
    pairs: list[tuple[float, float]] = []
    for _ in range(max(bench.runs * 4, 30)):
        install_hooks(git)
        with_hook = bench.run(commit)
        uninstall_hooks(git)
        pairs.append((with_hook, bench.run(commit)))
    with_hook, without = median(one for one, _ in pairs), median(other for _, other in pairs)
    added = median(one - other for one, other in pairs)
    return Row(
        "git commit -m with the hooks installed",
        with_hook,
        "without hooks",
        without,
        "at most 5 ms more",
        added <= 5,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--commits", type=int, default=500)
    parser.add_argument("--repo", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "repo"
        folder.mkdir()
        bench = Bench(folder, options.runs)
        bench.build(options.commits)
        rows = measure(bench, options.commits, options.repo)
    print(f"{'what':46} {'ours ms':>8} {'peer ms':>8} {'ratio':>6}  {'bar':18} peer")
    for row in rows:
        ratio = f"{row.ours_ms / row.peer_ms:6.2f}" if row.peer_ms else "     -"
        peer = f"{row.peer_ms:8.1f}" if row.peer_ms else "       -"
        verdict = {True: "met", False: "MISSED", None: f"skipped: {row.skipped}"}[row.passed]
        print(f"{row.what:46} {row.ours_ms:8.1f} {peer} {ratio}  {row.bar:18} {row.peer} {verdict}")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=2))
    return 1 if any(row.passed is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
