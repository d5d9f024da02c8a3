"""Do the recipes of docs/ci.md work as they stand there?"""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Repo
from tests.test_cli import PARSER, RETRY, run

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")
GOOD = "Add a parser for comma separated text\n\nCallers split by hand and forgot the blanks."


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)


def recipe(key: str) -> dict[str, Any]:
    """The YAML block that has `key` at its top."""
    (found,) = [block for text in blocks("yaml") if key in (block := yaml.safe_load(text))]
    assert isinstance(found, dict)
    return found


def commands() -> list[str]:
    lines = "".join(blocks("console")).splitlines()
    assert all(line.startswith("$ gitnotes ") for line in lines)
    return [line[2:] for line in lines]


@pytest.fixture
def project(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A branch with a good and a poor message ahead of origin/main, gitnotes on PATH, something staged."""
    scripts = tmp_path / "bin"
    scripts.mkdir()
    for name, module in (("gitnotes", "gitnotes"), ("pre-commit", "pre_commit")):
        script = scripts / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m {module} "$@"\n')
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{scripts}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    repo.commit("Start the project", {"README.md": "# Project\n"})
    repo.git("clone", "-q", "--bare", ".", "../remote.git")
    repo.git("remote", "add", "origin", "../remote.git")
    repo.git("fetch", "-q", "origin")
    repo.commit(GOOD, {"src/parser.py": PARSER})
    repo.commit("wip", {"src/more.py": PARSER})
    repo.write("src/client.py", RETRY)
    return repo


def test_commands_of_the_page_run_in_order(project: Repo) -> None:
    found = [(command, run(*shlex.split(command)[1:])) for command in commands()]
    assert len(found) >= 7
    for command, result in found:
        gates = " grade " in command and "baseline" not in command
        assert result.code == (1 if gates else 0), (command, result.err)
        assert result.out or result.err
    assert (project.path / "../better-messages/todo").exists()


def test_github() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    workflow: dict[Any, Any] = recipe("jobs")
    checkout, step = workflow["jobs"]["grade"]["steps"]
    assert checkout["with"]["fetch-depth"] == 0
    assert set(step["with"]) <= set(action["inputs"])
    # YAML 1.1 reads the key `on` as true.
    assert set(workflow[True]) == {"pull_request", "merge_group", "push"}
    for name, entry in action["inputs"].items():
        default = f"`{entry['default']}`" if entry["default"] else ""
        assert re.search(rf"^\| `{name}` \| {re.escape(default)} ?\|", PAGE, re.M), name
    for rule in step["with"]["fail-on"].split(", "):
        assert run("grade", "--rules", "-m", "Add x", "--fail-on", rule).code == 0


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize(("newest", "code"), [("HEAD~1", 0), ("HEAD", 1)])
def test_gitlab(project: Repo, monkeypatch: pytest.MonkeyPatch, newest: str, code: int, merged: bool) -> None:
    job = recipe("commit-messages")["commit-messages"]
    assert job["variables"]["GIT_DEPTH"] == "0"
    install, *script = job["script"]
    assert install.startswith("pip install git+https://")
    tip = project.git("rev-parse", newest)
    variables = {
        "CI_COMMIT_SHA": tip,
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": project.git("rev-parse", "origin/main"),
    }
    if merged:
        tree = project.git(
            "commit-tree", "-m", "made for the test", "-p", "origin/main", "-p", tip, f"{tip}^{{tree}}"
        )
        variables |= {"CI_COMMIT_SHA": tree, "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": tip}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    done = project.run("sh", "-ec", "\n".join(script))
    assert done.returncode == code, done.stderr
    report = (project.path / job["artifacts"]["reports"]["junit"]).read_text("utf-8")
    assert report.count("<testcase") == 1 + code


def test_gitlab_with_a_shallow_clone(project: Repo, tmp_path: Path) -> None:
    base = project.git("rev-parse", "origin/main")
    project.git("clone", "-q", "--depth=2", project.path.as_uri(), str(tmp_path / "clone"))
    script = recipe("commit-messages")["commit-messages"]["script"][1:]
    clone = Repo(tmp_path / "clone")
    done = clone.run(
        "sh", "-ec", "\n".join(script), CI_MERGE_REQUEST_DIFF_BASE_SHA=base, CI_COMMIT_SHA="HEAD"
    )
    assert done.returncode == 3 and b"shallow" in done.stderr


@pytest.fixture
def framework(project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """pre-commit with the configuration of the page; the published hooks run without an environment."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "pre-commit home"))
    project.git("reset", "-q", "--hard")
    published = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    by_id = {item["id"]: {**item, "language": "system"} for item in published}
    config = recipe("repos")
    (source,) = config["repos"]
    wanted = [by_id[hook["id"]] for hook in source["hooks"]]
    config["repos"] = [{"repo": "local", "hooks": [*wanted, by_id["gitnotes-ci"]]}]
    project.write(".pre-commit-config.yaml", yaml.safe_dump(config))
    project.commit("Run the hooks of gitnotes in pre-commit\n\nPoor messages reached the main branch.")
    return project


def test_pre_commit_in_ci(framework: Repo) -> None:
    (text,) = blocks("sh")
    (command,) = text.splitlines()
    done = framework.run("sh", "-c", command)
    assert done.returncode == 1 and b"wip" in done.stdout
    framework.git("reset", "-q", "--hard", "HEAD~2")
    framework.git("checkout", "-q", "HEAD@{1}", "--", ".pre-commit-config.yaml")
    framework.commit("Run the hooks of gitnotes in pre-commit\n\nPoor messages reached the main branch.")
    done = framework.run("sh", "-c", command)
    assert done.returncode == 0, done.stdout


def test_pre_commit_as_git_hooks(framework: Repo) -> None:
    types = recipe("repos")["default_install_hook_types"]
    done = framework.run("pre-commit", "install")
    assert done.returncode == 0 and all(name.encode() in done.stdout for name in types)
    framework.write("new.py", PARSER)
    done = framework.run("git", "commit", "-m", "wip")
    assert done.returncode == 0 and b"this message scores" in done.stdout + done.stderr
    done = framework.run("git", "push", "-q", "origin", "HEAD:refs/heads/topic")
    assert done.returncode != 0 and b"wip" in done.stdout + done.stderr
    assert not framework.git("ls-remote", "origin", "refs/heads/topic")


def test_pre_commit_ci_skips_what_it_cannot_run() -> None:
    used = {hook["id"] for hook in recipe("repos")["repos"][0]["hooks"]}
    assert set(recipe("ci")["ci"]["skip"]) == used
    published = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert used <= {item["id"] for item in published}
    assert all("pre-commit" not in item["stages"] for item in published)
