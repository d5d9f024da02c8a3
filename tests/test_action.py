"""Does the GitHub Action grade what an event brings, and never call a shallow clone good?"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Repo

ROOT = Path(__file__).parent.parent
ZERO = "0" * 40
GOOD = "Add a parser for comma separated text\n\nCallers split by hand and forgot the blanks."
PARSER = "def parse(text):\n    return text.split(',')\n"


class Runner:
    """A job of GitHub Actions: a clone of a remote, and the files that the runner reads and writes."""

    def __init__(self, folder: Path, remote: Repo) -> None:
        self.folder = folder
        self.remote = remote
        self.clone = folder / "work place"

    def check_out(self, *options: str, branch: str = "main") -> None:
        """What actions/checkout does: one commit deep, unless the options say more."""
        url = self.remote.path.as_uri()
        self.remote.git("clone", "--quiet", *options, "--branch", branch, url, str(self.clone))

    def run(self, name: str, event: Any, **inputs: str) -> tuple[int, str, dict[str, str]]:
        """Exit code, what is printed, and the outputs."""
        place = self.folder / "event.json"
        place.write_text(event if isinstance(event, str) else json.dumps(event))
        (self.folder / "output").write_text("")
        environment = {
            **os.environ,
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(place),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            **{f"GITNOTES_INPUT_{key.upper()}": value for key, value in inputs.items()},
        }
        done = subprocess.run(
            [sys.executable, "-I", str(ROOT / "action" / "run.py")],
            cwd=self.clone,
            env=environment,
            capture_output=True,
            timeout=120,
        )
        rows = (self.folder / "output").read_text().splitlines()
        outputs = dict(row.split("=", 1) for row in rows)
        return done.returncode, (done.stdout + done.stderr).decode(), outputs


@pytest.fixture
def remote(make_repo: Callable[..., Repo]) -> Repo:
    """main with two commits, and two branches that left it: one with a good message, one with a poor."""
    repo = make_repo("remote")
    repo.commit("Start the project", {"README.md": "# Project\n"})
    repo.commit("Describe the project", {"README.md": "# Project\n\nParses text.\n"})
    repo.branch("good")
    repo.commit(GOOD, {"src/parser.py": PARSER})
    repo.git("checkout", "--quiet", "-b", "poor", "main")
    for number in range(3):
        repo.commit(f"wip {number}", {"src/parser.py": PARSER * (number + 1)})
    repo.switch("main")
    return repo


@pytest.fixture
def runner(remote: Repo, tmp_path: Path) -> Runner:
    return Runner(tmp_path, remote)


def push(repo: Repo, before: str, after: str, ref: str = "refs/heads/x", **more: Any) -> dict[str, Any]:
    ids = {name: repo.git("rev-parse", sha) if sha != ZERO else ZERO for name, sha in
           (("before", before), ("after", after))}  # fmt: skip
    return {**ids, "ref": ref, "repository": {"default_branch": "main"}, **more}


def pull(repo: Repo, base: str, head: str) -> dict[str, Any]:
    title = "$(touch pwned) `touch pwned` ${{ github.token }}"
    ends = {
        "base": {"sha": repo.git("rev-parse", base)},
        "head": {"sha": repo.git("rev-parse", head), "ref": title},
    }
    return {"pull_request": {"title": title, **ends}}


def test_pull_request(runner: Runner) -> None:
    runner.check_out()
    code, text, outputs = runner.run("pull_request", pull(runner.remote, "main", "good"), min="40")
    assert (code, outputs["failed"]) == (0, "false"), text
    assert float(outputs["score"]) >= 40
    code, text, outputs = runner.run("pull_request", pull(runner.remote, "main", "poor"), min="40")
    assert (code, outputs["failed"]) == (1, "true"), text
    assert float(outputs["score"]) < 40
    assert len(re.findall("^::error ", text, re.M)) == 3
    assert "wip" in (runner.folder / "summary.md").read_text()
    assert not list(runner.folder.rglob("pwned"))


def test_push_and_merge_group(runner: Runner) -> None:
    runner.check_out(branch="poor")
    repo = runner.remote
    assert runner.run("push", push(repo, "poor~1", "poor"), min="40")[0] == 1
    assert runner.run("push", push(repo, "main~1", "main"), min="20")[0] == 0
    group = {"base_sha": repo.git("rev-parse", "main"), "head_sha": repo.git("rev-parse", "good")}
    assert runner.run("merge_group", {"merge_group": group}, min="40")[0] == 0


def test_new_branch_is_compared_with_the_default_branch(runner: Runner) -> None:
    runner.check_out(branch="poor")
    code, text, _ = runner.run("push", push(runner.remote, ZERO, "poor", created=True), min="40")
    assert code == 1 and len(re.findall("^::error ", text, re.M)) == 3
    assert runner.run("push", push(runner.remote, ZERO, "good", "refs/tags/v1"), min="40")[0] == 0


def test_forced_push_of_commits_that_are_gone(runner: Runner) -> None:
    runner.check_out(branch="poor")
    event = push(runner.remote, ZERO, "poor") | {"before": "1" * 40, "forced": True}
    code, text, _ = runner.run("push", event, min="40")
    assert code == 1 and len(re.findall("^::error ", text, re.M)) == 3


def test_first_push_of_the_default_branch(runner: Runner) -> None:
    runner.check_out()
    code, text, outputs = runner.run("push", push(runner.remote, ZERO, "main", "refs/heads/main"), min="10")
    assert code == 0 and "only the newest" in text and outputs["score"]


@pytest.mark.parametrize("event", ["deleted", "same", "moved back"])
def test_nothing_to_grade_is_no_failure(runner: Runner, event: str) -> None:
    runner.check_out(branch="poor")
    ends = {"deleted": ("main", ZERO), "same": ("main", "main"), "moved back": ("poor", "main")}[event]
    code, text, outputs = runner.run("push", push(runner.remote, *ends), min="99")
    assert (code, outputs) == (0, {"score": "", "failed": "false"})
    assert text.startswith("::notice ")


@pytest.mark.parametrize("head", ["good", "poor"])
def test_shallow_cannot_be_judged(runner: Runner, head: str) -> None:
    runner.check_out("--depth=1", branch=head)
    code, text, outputs = runner.run("pull_request", pull(runner.remote, "main", head), min="1")
    assert (code, outputs) == (3, {"score": "", "failed": "true"})
    assert text.startswith("::error ") and "fetch-depth: 0" in text
    assert runner.run("push", push(runner.remote, ZERO, head), min="1")[0] == 3
    assert runner.run("pull_request", {}, range="main..HEAD", min="1")[0] == 3


def test_two_deep_is_not_enough_for_three(runner: Runner) -> None:
    runner.check_out("--depth=2", "--no-single-branch", branch="poor")
    assert runner.run("pull_request", pull(runner.remote, "main", "poor"), min="1")[0] == 3


@pytest.mark.parametrize(("fetch", "head"), [("deepen", "good"), ("deepen", "poor"), ("unshallow", "poor")])
def test_shallow_is_fetched_where_wanted(runner: Runner, fetch: str, head: str) -> None:
    runner.check_out("--depth=1", branch=head)
    event = pull(runner.remote, "main", head)
    code, text, outputs = runner.run("pull_request", event, min="40", fetch=fetch)
    assert code == (0 if head == "good" else 1), text
    assert outputs["score"]


def test_new_branch_in_a_shallow_clone_is_fetched(runner: Runner) -> None:
    runner.check_out("--depth=1", branch="poor")
    code, text, _ = runner.run("push", push(runner.remote, ZERO, "poor"), min="40", fetch="deepen")
    assert code == 1 and len(re.findall("^::error ", text, re.M)) == 3


def test_inputs(runner: Runner) -> None:
    runner.check_out(branch="poor")
    event = pull(runner.remote, "main", "poor")
    assert runner.run("pull_request", event)[0] == 0
    assert runner.run("pull_request", event, fail_on="wip, vague")[0] == 1
    assert runner.run("pull_request", event, strict="true")[0] == 1
    assert runner.run("pull_request", event, strict="false", fail_on="")[0] == 0
    assert runner.run("schedule", {}, range="HEAD~1..HEAD", min="40")[0] == 1
    baseline = runner.folder / "known.json"
    command = [sys.executable, "-m", "gitnotes", "grade", "HEAD~3..HEAD", "--min", "40"]
    subprocess.run([*command, "--write-baseline", str(baseline)], cwd=runner.clone, check=True)
    assert runner.run("pull_request", event, min="40", baseline=str(baseline))[0] == 0
    assert '"grades"' in runner.run("pull_request", event, format="json")[1]


@pytest.mark.parametrize(
    ("name", "event", "inputs"),
    [
        ("schedule", {}, {}),
        ("push", "{", {}),
        ("push", [], {}),
        ("push", {"before": "main; touch pwned", "after": "HEAD"}, {}),
        ("pull_request", {"pull_request": {"base": {"sha": "--output=pwned"}, "head": {"sha": "x"}}}, {}),
        ("push", {}, {"range": "HEAD~1..HEAD", "fetch": "all"}),
        ("push", {}, {"range": "HEAD~1..HEAD", "min": "many"}),
        ("push", {}, {"range": "HEAD~1..HEAD", "fail_on": "nonsense"}),
        ("push", {}, {"range": "HEAD~1..HEAD", "format": "--help"}),
    ],
)
def test_what_makes_no_sense(runner: Runner, name: str, event: Any, inputs: dict[str, str]) -> None:
    runner.check_out(branch="poor")
    code, text, outputs = runner.run(name, event, **inputs)
    assert (code, outputs["failed"]) == (2, "true"), text
    assert "Traceback" not in text
    assert not list(runner.folder.rglob("pwned"))


def test_range_is_never_an_option(runner: Runner) -> None:
    runner.check_out()
    code, text, _ = runner.run("push", {}, range="--help")
    assert code == 3 and "Usage" not in text


def test_checkout_is_not_imported(runner: Runner) -> None:
    runner.check_out(branch="good")
    for name in ("gitnotes", "json", "subprocess"):
        (runner.clone / f"{name}.py").write_text("open('pwned', 'w')\nraise SystemExit(0)\n")
    assert runner.run("pull_request", pull(runner.remote, "main", "poor"), min="40")[0] == 1
    assert not (runner.clone / "pwned").exists()


def action() -> dict[str, Any]:
    loaded = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_scripts_of_the_action_hold_no_expressions() -> None:
    steps = action()["runs"]["steps"]
    assert len(steps) == 2
    for step in steps:
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"


def test_every_input_reaches_the_script_and_every_input_that_it_reads_exists() -> None:
    given = {name for step in action()["runs"]["steps"] for name in step["env"] if "INPUT" in name}
    wanted = {f"GITNOTES_INPUT_{name.upper().replace('-', '_')}" for name in action()["inputs"]}
    assert given == wanted
    script = (ROOT / "action" / "run.py").read_text("utf-8")
    read = set(re.findall(r'inputs(?:\.get\(|\[)"(\w+)"', script)) | {"version"}
    assert {f"GITNOTES_INPUT_{name.upper()}" for name in read} == wanted


def test_outputs_exist() -> None:
    script = (ROOT / "action" / "run.py").read_text("utf-8")
    for name, output in action()["outputs"].items():
        assert output["value"] == f"${{{{ steps.grade.outputs.{name} }}}}"
        assert f"{name}=" in script


@pytest.mark.parametrize("version", ["0.1.0; touch pwned", "$(touch pwned)", "-r x", "../evil", "0.1 --pre"])
def test_version_is_only_a_version(tmp_path: Path, version: str) -> None:
    environment = {**os.environ, "GITNOTES_INPUT_VERSION": version, "GITNOTES_HOME": str(ROOT)}
    done = subprocess.run(
        ["sh", str(ROOT / "action" / "install.sh")],
        env={**environment, "RUNNER_TEMP": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
    )
    assert done.returncode == 2 and done.stdout.startswith(b"::error")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("version", "wanted"), [("", str(ROOT)), ("0.1.0rc1", "gitnotes==0.1.0rc1")])
def test_what_is_installed(tmp_path: Path, version: str, wanted: str) -> None:
    """With a stand-in for Python that writes down how it is called: the real one needs the network."""
    stub = tmp_path / "path" / "python3"
    stub.parent.mkdir()
    stub.write_text(
        '#!/bin/sh\nprintf "%s\\n" "$PWD" "$@" >>"$LOG"\n'
        'if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; fi\n'
    )
    stub.chmod(0o755)
    runner = tmp_path / "runner temp"
    runner.mkdir()
    environment = {
        **os.environ,
        "PATH": f"{stub.parent}{os.pathsep}{os.environ['PATH']}",
        "LOG": str(tmp_path / "log"),
        "GITNOTES_INPUT_VERSION": version,
        "GITNOTES_HOME": str(ROOT),
        "RUNNER_TEMP": str(runner),
    }
    subprocess.run(["sh", str(ROOT / "action" / "install.sh")], env=environment, cwd=ROOT, check=True)
    made, installed = (tmp_path / "log").read_text().split(f"{runner}\n")[1:]
    assert made.split("\n")[:3] == ["-m", "venv", "gitnotes"]
    assert installed.split("\n")[:4] == ["-I", "-m", "pip", "install"]
    assert installed.split("\n")[-2] == wanted
