"""Do the cases in which other tools fail give the right note? Each folder of `fixtures/release` is one.

`make.sh` builds a repository, `case.json` says what to run (with the exit code, a part of what stderr says,
and a command of the shell that runs after), and `expected.md` is all that was printed.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.test_cli import run

CASES = Path(__file__).parent / "fixtures" / "release"
NAMES = sorted(path.parent.name for path in CASES.glob("*/case.json"))


def play(repo: Repo, name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the runs of a case print, one after the other; their exit codes are checked."""
    case = json.loads((CASES / name / "case.json").read_text("utf-8"))
    monkeypatch.chdir(repo.path.parent)
    made = repo.run("sh", str(CASES / name / "make.sh"), CASES=str(CASES))
    assert made.returncode == 0, made.stderr.decode()
    monkeypatch.setenv("GIT_COMMITTER_DATE", "1700006400 +0000")
    printed: list[str] = []
    for one in case["runs"]:
        monkeypatch.chdir(repo.path)
        done = run(*one["command"])
        assert done.code == one.get("code", 0), done.err
        assert one.get("err", "") in done.err, done.err
        printed.append(done.out)
    if "after" in case:
        printed.append(repo.run("sh", "-c", case["after"]).stdout.decode("utf-8"))
    return "\n".join(part for part in printed if part)


def test_there_are_cases() -> None:
    assert len(NAMES) >= 30


@pytest.mark.parametrize("name", NAMES)
def test_case(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "repo"
    path.mkdir()
    expected = CASES / name / "expected.md"
    assert play(Repo(path), name, monkeypatch) == expected.read_text("utf-8")
