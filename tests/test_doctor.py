"""Does `gitnotes doctor` see what is wrong, and call nothing fine that git will not run?"""

from __future__ import annotations

import http.server
import json
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gitnotes.write.installer import install
from tests.conftest import Repo
from tests.test_cli import run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the hooks here are shell scripts")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("GITNOTES_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def examine(*options: str) -> tuple[dict[str, list[tuple[str, str, str]]], int]:
    """Area to its checks (status, sentence, remedy), and the exit code."""
    result = run(*options, "doctor", "--json")
    found: dict[str, list[tuple[str, str, str]]] = {}
    said = json.loads(result.out)
    for check in said["checks"]:
        found.setdefault(check["area"], []).append((check["status"], check["sentence"], check["remedy"]))
    problems = sum(status == "problem" for checks in found.values() for status, _, _ in checks)
    assert said["problems"] == problems and result.code == (1 if problems else 0)
    return found, result.code


def hooks_of(checks: dict[str, list[tuple[str, str, str]]], name: str) -> tuple[str, str, str]:
    (found,) = [item for item in checks["hooks"] if item[1].startswith(name)]
    return found


def write_hook(repo: Repo, name: str, text: str, folder: str = ".git/hooks") -> Path:
    path = repo.path / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_everything_is_well(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "x = 1\n"})
    run("install")
    checks, code = examine()
    assert code == 0
    assert hooks_of(checks, "commit-msg")[:2] == ("ok", "commit-msg is that of gitnotes.")
    assert checks["history"][0][:2] == ("ok", "1 commit is indexed, and HEAD is one of them.")
    assert checks["repository"][0][1] == f"{repo.path}."
    text = run("doctor").out
    assert text.endswith("No problem.\n") and "PROBLEM" not in text


def test_nothing_is_set_up(repo: Repo) -> None:
    checks, code = examine()
    assert code == 0
    assert hooks_of(checks, "commit-msg") == (
        "note", "commit-msg is not there, so git does nothing for it.", "Run: gitnotes install",
    )  # fmt: skip
    assert checks["history"][0][0] == "note"
    assert not (repo.path / ".git" / "gitnotes").exists(), "a check-up changes nothing"


def test_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    checks, code = examine()
    assert code == 0 and checks["repository"][0][0] == "note" and "hooks" not in checks


def test_bare_repository(make_repo: Callable[..., Repo], monkeypatch: pytest.MonkeyPatch) -> None:
    bare = make_repo("bare", "--bare")
    checks, _ = examine("-C", str(bare.path))
    assert "no work tree" in checks["repository"][0][1]


def test_hooks_path_set_to_nothing(repo: Repo) -> None:
    install(repo.path / ".git" / "hooks")
    repo.git("config", "core.hooksPath", "")
    checks, code = examine()
    assert code == 1
    status, sentence, remedy = checks["hooks"][0]
    assert status == "problem" and "git runs no hooks" in sentence
    assert repo.run("sh", "-c", remedy.removeprefix("Run: ")).returncode == 0
    assert examine()[1] == 0


def test_hooks_where_git_does_not_look(repo: Repo) -> None:
    install(repo.path / ".git" / "hooks")
    repo.git("config", "core.hooksPath", "elsewhere")
    checks, code = examine()
    assert code == 1
    assert any("where git does not look" in sentence for _, sentence, _ in checks["hooks"])
    # The sentence is true: git runs none of them.
    repo.write("a.py", "x = 1\n")
    assert b"gitnotes" not in repo.run("git", "commit", "-m", "wip").stderr


def test_hooks_path_that_is_a_file(repo: Repo) -> None:
    repo.write("hooks", "x")
    repo.git("config", "core.hooksPath", "hooks")
    checks, code = examine()
    assert code == 1 and "not a folder" in checks["hooks"][0][1]


def test_hook_that_is_not_executable(repo: Repo) -> None:
    install(repo.path / ".git" / "hooks")
    (repo.path / ".git" / "hooks" / "commit-msg").chmod(0o644)
    checks, code = examine()
    status, sentence, remedy = hooks_of(checks, "commit-msg")
    assert (code, status) == (1, "problem") and "git does not run it" in sentence
    assert repo.run("sh", "-c", remedy.removeprefix("Run: ")).returncode == 0
    assert examine()[1] == 0


def test_interpreter_that_is_gone(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    install(repo.path / ".git" / "hooks", python="/no/such/python")
    checks, code = examine()
    assert code == 1 and "/no/such/python, which is gone" in hooks_of(checks, "commit-msg")[1]


def test_older_hook_is_named(repo: Repo) -> None:
    older = write_hook(repo, "commit-msg", "#!/bin/sh\nexit 0\n")
    assert "does not mention gitnotes" in hooks_of(examine()[0], "commit-msg")[1]
    install(older.parent)
    assert "commit-msg.gitnotes-chained, from before, runs first" in hooks_of(examine()[0], "commit-msg")[1]


def test_linked_work_tree(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit("Begin")
    repo.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    install(repo.path / ".git" / "hooks")
    monkeypatch.chdir(tmp_path / "linked")
    checks, code = examine()
    assert code == 0 and "linked work tree" in checks["repository"][0][1]
    assert str(repo.path / ".git" / "hooks") in checks["hooks"][0][1]
    assert hooks_of(checks, "commit-msg")[0] == "ok"


def test_pre_commit(repo: Repo) -> None:
    repo.write(".pre-commit-config.yaml", "repos: []\n")
    subprocess.run(
        [sys.executable, "-m", "pre_commit", "install", "-t", "commit-msg"], check=True, capture_output=True
    )
    status, sentence, remedy = hooks_of(examine()[0], "commit-msg")
    assert status == "note" and "that of pre-commit" in sentence and ".pre-commit-config.yaml" in remedy
    repo.write(".pre-commit-config.yaml", "repos:\n- repo: x\n  hooks:\n  # - id: gitnotes-grade\n")
    assert hooks_of(examine()[0], "commit-msg")[0] == "note"
    repo.write(".pre-commit-config.yaml", "repos:\n- repo: x\n  hooks:\n  - id: gitnotes-grade\n")
    assert hooks_of(examine()[0], "commit-msg")[0] == "ok"


def test_pre_commit_that_runs_ours(repo: Repo) -> None:
    install(repo.path / ".git" / "hooks")
    repo.write(".pre-commit-config.yaml", "repos: []\n")
    subprocess.run(
        [sys.executable, "-m", "pre_commit", "install", "-t", "commit-msg"], check=True, capture_output=True
    )
    status, sentence, _ = hooks_of(examine()[0], "commit-msg")
    assert status == "ok" and "runs gitnotes as commit-msg.legacy" in sentence


LEFTHOOK = '#!/bin/sh\nif [ "$LEFTHOOK" = "0" ]; then exit 0; fi\ncall_lefthook run "commit-msg" "$@"\n'


def test_lefthook_does_not_run_what_it_moved_aside(repo: Repo) -> None:
    install(repo.path / ".git" / "hooks")
    hook = repo.path / ".git" / "hooks" / "commit-msg"
    hook.rename(hook.with_name("commit-msg.old"))
    write_hook(repo, "commit-msg", LEFTHOOK)
    checks, code = examine()
    assert code == 1 and "does not run it" in hooks_of(checks, "commit-msg")[1]
    repo.write(
        "lefthook.yml", "commit-msg:\n  commands:\n    grade:\n      run: gitnotes hook commit-msg {1}\n"
    )
    assert hooks_of(examine()[0], "commit-msg")[0] == "ok"


@pytest.mark.parametrize(
    ("text", "file", "line"),
    [
        ('#!/usr/bin/env sh\n. "$(dirname "$0")/h"', ".husky/commit-msg", 'gitnotes hook commit-msg "$1"\n'),
        ("#!/usr/bin/env ruby\n# Entrypoint for Overcommit\n# overcommit\n", ".overcommit.yml",
         "CommitMsg:\n  Gitnotes:\n    command: ['gitnotes', 'hook', 'commit-msg']\n"),
    ],
    ids=["husky", "overcommit"],
)  # fmt: skip
def test_other_managers(repo: Repo, text: str, file: str, line: str) -> None:
    write_hook(repo, "commit-msg", text, ".husky/_" if "husky" in file else ".git/hooks")
    if "husky" in file:
        repo.git("config", "core.hooksPath", ".husky/_")
    status, _, remedy = hooks_of(examine()[0], "commit-msg")
    assert status == "note" and file in remedy
    repo.write(file, "".join(f"# {part}\n" for part in line.splitlines()))
    assert hooks_of(examine()[0], "commit-msg")[0] == "note", "a comment calls nothing"
    repo.write(file, line)
    assert hooks_of(examine()[0], "commit-msg")[0] == "ok"


def test_settings_and_those_of_other_tools(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write(
        ".commitlintrc.json", '{"extends": ["./mine"], "rules": {"header-max-length": [2, "always", 60]}}'
    )
    repo.write(".gitnotes.toml", "trust_repository = true\n")
    monkeypatch.setenv("GITNOTES_SKIP", "1")
    checks, code = examine()
    sentences = [sentence for _, sentence, _ in checks["settings"]]
    assert code == 0 and any(".commitlintrc.json counts" in sentence for sentence in sentences)
    assert any("./mine" in sentence for sentence in sentences), "what could not be taken over is said"
    assert any("does not count" in sentence for sentence in sentences)
    assert any(sentence.startswith("GITNOTES_SKIP=1") for sentence in sentences)


def test_setting_that_makes_no_sense(repo: Repo) -> None:
    repo.write(".gitnotes.toml", "strictt = true\n")
    checks, code = examine()
    assert code == 1 and checks["settings"][0][2] == "Did you mean 'strict'?"


def test_damaged_index(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "x = 1\n"})
    run("install")
    place = repo.path / ".git" / "gitnotes" / "history.sqlite"
    place.write_bytes(b"not a database, but long enough to be looked at" * 100)
    checks, code = examine()
    assert code == 1 and checks["history"][0][0] == "problem"
    assert place.read_bytes().startswith(b"not a database")


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{made.server_port}/v1"
        made.shutdown()


def test_server_on_this_machine(repo: Repo, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_BASE_URL", server)
    assert examine()[0]["server"][1][:2] == ("ok", f"{server.split('/')[2]} answers.")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    checks, code = examine()
    assert code == 1 and "does not answer" in checks["server"][1][1]


def test_server_elsewhere_is_never_asked(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    import socket

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/v1")
    assert examine()[0]["server"][1][2].endswith("gitnotes consent models.example")
    run("consent", "models.example")
    assert examine()[0]["server"][1][:2] == ("ok", "models.example is the server; it was not asked.")


def test_model_of_the_settings(repo: Repo, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    repo.git("config", "gitnotes.model", "openai:small")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/v1")
    checks, code = examine()
    named = [item for item in checks["models"] if "openai:small" in item[1]]
    assert code == 1 and named[0][0] == "problem" and named[0][2].endswith("consent models.example")
    monkeypatch.setenv("OPENAI_BASE_URL", server)
    checks, code = examine()
    named = [item for item in checks["models"] if "openai:small" in item[1]]
    assert (code, named[0][0]) == (0, "ok") and "gitnotes.model" in named[0][1]
    repo.git("config", "gitnotes.model", "small")
    assert examine()[1] == 1


def test_hostile_names_do_nothing_to_a_terminal(
    make_repo: Callable[..., Repo], monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = make_repo("odd \x1b[31m name")
    odd.git("config", "core.hooksPath", "hooks\x1b[31m")
    for arguments in (("doctor",), ("doctor", "--json")):
        assert "\x1b" not in run("-C", str(odd.path), *arguments).out


def test_narrow_terminals(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("GITNOTES_CACHE", "/c")
    lines = run("doctor").out.splitlines()
    assert all(len(line) <= 40 or str(repo.path) in line for line in lines), lines


def test_a_wheel_of_a_repository_knows_its_commit(tmp_path: Path) -> None:
    """pip writes direct_url.json (PEP 610) when it installs from a repository."""
    place = tmp_path / "site"
    info = place / "gitnotes-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gitnotes\nVersion: 0.1.0\n")
    commit = "1234567890abcdef1234567890abcdef12345678"
    code = "from gitnotes.recipes.build import _from_installation as f; print(f())"
    for content, said in (
        ({"url": "x", "vcs_info": {"vcs": "git", "commit_id": commit}}, commit[:12]),
        ({"url": "x", "dir_info": {}}, ""),
        ({"url": "x", "vcs_info": {"commit_id": "\x1b[31m"}}, ""),
    ):
        (info / "direct_url.json").write_text(json.dumps(content))
        paths = os.pathsep.join([str(place), str(Path(__file__).parents[1])])
        done = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": paths}, capture_output=True,
            text=True, check=True, cwd=tmp_path,
        )  # fmt: skip
        assert done.stdout.strip() == said, shlex.quote(str(content))


@pytest.mark.parametrize("works", [True, False])
def test_whether_gitleaks_helps(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, works: bool
) -> None:
    pytest.importorskip("detect_secrets")
    monkeypatch.setenv("PATH", os.pathsep.join(["/usr/bin", "/bin"]))
    if not os.access("/usr/bin/gitleaks", os.X_OK):
        ((status, sentence, _),) = examine()[0]["secrets"]
        assert status == "ok" and "no gitleaks" in sentence
    folder = tmp_path / "programs"
    folder.mkdir()
    program = folder / "gitleaks"
    program.write_text("#!/bin/sh\necho '[]' > report.json\n" if works else "#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), "/usr/bin", "/bin"]))
    ((status, sentence, remedy),) = examine()[0]["secrets"]
    assert status == ("ok" if works else "note") and str(program) in sentence and bool(remedy) is not works
