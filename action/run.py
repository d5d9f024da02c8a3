"""Which commits does this event of GitHub bring, and are their messages good enough?

Run by action.yml, with its inputs as GITNOTES_INPUT_* in the environment, by the Python that gitnotes
is installed for. What an event or a pull request says is data: it is checked, and never reaches a shell.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

BELOW, USAGE, CANNOT_JUDGE = 1, 2, 3
"""Exit codes of gitnotes; 0 is good enough."""
FETCHES = ("no", "deepen", "unshallow")
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_STEPS = (50, 200, 1000, 5000)
"""Commits by which the history is deepened, one step after the other."""


@dataclass(frozen=True)
class Wanted:
    """The commits to grade; without a start it is one commit, without an end there is none."""

    start: str = ""
    end: str = ""
    note: str = ""
    """What a person should know about the choice."""


class Stop(Exception):
    """The sentence to end with, and the exit code."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def main() -> int:
    """Grades what the event brings; the exit code of gitnotes."""
    try:
        return _grade(os.environ)
    except Stop as stop:
        _say("notice" if stop.code == 0 else "error", str(stop))
        _put_out("", failed=stop.code != 0)
        return stop.code


def _grade(environment: Mapping[str, str]) -> int:
    inputs = {
        name.removeprefix("GITNOTES_INPUT_").lower(): value.strip()
        for name, value in environment.items()
        if name.startswith("GITNOTES_INPUT_")
    }
    options = read_options(inputs)
    fetch = inputs.get("fetch") or "no"
    if fetch not in FETCHES:
        raise Stop(USAGE, f"The input `fetch` is one of {', '.join(FETCHES)}.")
    target = inputs.get("range", "")
    if not target:
        wanted = find_commits(environment.get("GITHUB_EVENT_NAME", ""), _read_event(environment))
        if wanted.note:
            _say("notice", wanted.note)
        target = _make_whole(wanted, fetch)
    elif fetch != "no" and _is_shallow():  # how deep a name leads cannot be told
        _run_git("fetch", "--quiet", "--unshallow", "--tags", "origin")
    shown = [*options, "--format", inputs.get("format") or "github"]
    code = _run_gitnotes([*shown, "--", target]).returncode
    report = _run_gitnotes(["--json", "--", target], capture=True)
    _put_out(_read_score(report.stdout), failed=code != 0)
    if code == CANNOT_JUDGE:
        _say(
            "error", "Not every commit could be judged; with `fetch-depth: 0` actions/checkout has them all."
        )
    return code


def read_options(inputs: Mapping[str, str]) -> list[str]:
    """The options of `gitnotes grade` that the inputs stand for."""
    options = [f"--min={inputs['min']}"] if inputs.get("min") else []
    options += [
        f"--fail-on={name.strip()}" for name in re.split(r"[,\s]+", inputs.get("fail_on", "")) if name
    ]
    if inputs.get("strict", "").lower() == "true":
        options.append("--strict")
    if inputs.get("baseline"):
        options.append(f"--baseline={inputs['baseline']}")
    return options


def find_commits(name: str, event: Mapping[str, Any]) -> Wanted:
    """The commits that an event brings, by object id; raises Stop when it brings none, or names none."""
    if name in ("pull_request", "pull_request_target"):
        pull = event.get("pull_request") or {}
        return Wanted(_id(pull, "base", "sha"), _id(pull, "head", "sha"))
    if name == "merge_group":
        group = event.get("merge_group") or {}
        return Wanted(_id(group, "base_sha"), _id(group, "head_sha"))
    if name != "push":
        raise Stop(USAGE, f"The event `{name}` names no range of commits; give the input `range`.")
    before, after = _id(event, "before"), _id(event, "after")
    if not after.strip("0"):
        raise Stop(0, "A branch or tag was deleted; there is nothing to grade.")
    branch = str((event.get("repository") or {}).get("default_branch") or "")
    if before.strip("0") and not (event.get("forced") and not _has(before)):
        return Wanted(before, after)
    # Of a new branch, and of one whose old commits are gone, what the default branch lacks is new.
    if event.get("ref") == f"refs/heads/{branch}":
        return Wanted("", after, "This push has no commit to compare with; only the newest is graded.")
    return Wanted(f"refs/remotes/origin/{branch}", after)


def _id(event: Mapping[str, Any], *keys: str) -> str:
    value: Any = event
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise Stop(USAGE, f"The event has no commit at `{'.'.join(keys)}`; give the input `range`.")
    return value


def _read_event(environment: Mapping[str, str]) -> Mapping[str, Any]:
    try:
        event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_bytes())
    except (KeyError, OSError, ValueError) as problem:
        raise Stop(USAGE, "The event cannot be read; give the input `range`.") from problem
    if not isinstance(event, dict):
        raise Stop(USAGE, "The event is no object; give the input `range`.")
    return event


def _make_whole(wanted: Wanted, fetch: str) -> str:
    """The commits as an argument of `gitnotes grade`, fetched if that is wanted."""
    needed = [name for name in (wanted.start, wanted.end) if name]
    for options in _fetches(fetch):
        if options is not None:
            _run_git("fetch", "--quiet", "--no-tags", *options, "origin", *map(_as_source, needed))
        if _is_whole(wanted):
            break
    else:
        raise Stop(
            CANNOT_JUDGE,
            "This clone lacks commits of the range, so it cannot be judged. "
            "Give actions/checkout `fetch-depth: 0`, or this action `fetch: deepen`.",
        )
    if not wanted.start:
        return wanted.end
    start, end = (_run_git("rev-parse", "--verify", f"{name}^{{commit}}") for name in needed)
    if not _run_git("rev-list", "--max-count=1", end, f"^{start}", "--"):
        raise Stop(0, "There are no new commits to grade.")
    return f"{start}..{end}"


def _fetches(fetch: str) -> list[tuple[str, ...] | None]:
    """What is tried until the range is whole; None tries nothing."""
    if fetch == "deepen":
        return [None, (), *((f"--deepen={count}",) for count in _STEPS)]
    return [None, ("--unshallow",) if _is_shallow() else ()] if fetch == "unshallow" else [None]


def _as_source(name: str) -> str:
    """What is fetched for a commit, or for a branch of origin."""
    branch = name.removeprefix("refs/remotes/origin/")
    return name if branch == name else f"+refs/heads/{branch}:{name}"


def _is_whole(wanted: Wanted) -> bool:
    """Whether all commits of the range are here, with the one before the first."""
    if not all(_has(name) for name in (wanted.start, wanted.end) if name):
        return False
    limits = [f"^{wanted.start}"] if wanted.start else ["--max-count=1"]
    edge = Path(_run_git("rev-parse", "--git-path", "shallow"))
    if not _is_shallow() or not edge.exists():
        return True
    return not set(edge.read_text("ascii").split()) & set(
        _run_git("rev-list", wanted.end, *limits, "--").split()
    )


def _has(name: str) -> bool:
    question = ["git", "rev-parse", "--quiet", "--verify", "--end-of-options", f"{name}^{{commit}}"]
    return subprocess.run(question, capture_output=True, check=False).returncode == 0


def _is_shallow() -> bool:
    return _run_git("rev-parse", "--is-shallow-repository") == "true"


def _run_git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, check=False)
    if done.returncode and arguments[0] != "fetch":
        _fail(done.stderr)
    if done.returncode:
        sys.stderr.write(done.stderr.decode("utf-8", "replace"))
    return done.stdout.decode("utf-8", "replace").strip()


def _fail(error: bytes) -> NoReturn:
    raise Stop(CANNOT_JUDGE, f"git cannot answer: {error.decode('utf-8', 'replace').strip()[:300]}")


def _run_gitnotes(arguments: list[str], *, capture: bool = False) -> subprocess.CompletedProcess[bytes]:
    # Isolated: the current folder is somebody's pull request, and no place to import from.
    command = [sys.executable, "-I", "-m", "gitnotes", "grade", *arguments]
    sys.stdout.flush()
    return subprocess.run(command, capture_output=capture, check=False)


def _read_score(report: bytes) -> str:
    """The lowest score of a JSON report; empty when there is none."""
    try:
        found = json.loads(report)
    except ValueError:
        return ""
    score = found["summary"]["lowest"] if "summary" in found else found.get("overall")
    return "" if score is None else f"{score:g}"


def _put_out(score: str, *, failed: bool) -> None:
    place = os.environ.get("GITHUB_OUTPUT")
    if place:
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(f"score={score}\nfailed={'true' if failed else 'false'}\n")


def _say(level: str, sentence: str) -> None:
    escaped = sentence.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    sys.stdout.write(f"::{level} title=gitnotes::{escaped}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
