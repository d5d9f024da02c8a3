"""The command line as a person or a script meets it: results, exit codes, one sentence of error."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from gitnotes.codec import from_json
from gitnotes.records import Draft
from tests.conftest import Repo

PARSER = "def parse(text):\n    return text.split(',')\n"
RETRY = (
    "import time\n\n\ndef fetch_with_retry(client, url, attempts=3):\n"
    "    for attempt in range(attempts):\n        try:\n            return client.get(url)\n"
    "        except ConnectionError:\n            time.sleep(2**attempt)\n"
    "    raise ConnectionError(url)\n"
)


class Result:
    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        self.code = done.returncode
        self.out = done.stdout.decode("utf-8", "replace")
        self.err = done.stderr.decode("utf-8", "replace")

    def json(self) -> dict[str, Any]:
        found = json.loads(self.out)
        assert found["schema"] == 1
        return dict(found)


def run(*arguments: str, cwd: Path | None = None, data: bytes = b"", **variables: str) -> Result:
    done = subprocess.run(
        [sys.executable, "-m", "gitnotes", *arguments],
        cwd=cwd,
        input=data,
        capture_output=True,
        timeout=120,
        env={**os.environ, **variables},
    )
    return Result(done)


def assert_sentence(result: Result, code: int) -> None:
    """Exactly one line on stderr, nothing on stdout, the documented exit code."""
    assert (result.code, result.out) == (code, ""), result.err
    assert result.err.startswith("gitnotes: ")
    assert result.err.count("\n") == 1
    assert "Traceback" not in result.err and "this should not happen" not in result.err


@pytest.fixture
def history(repo: Repo) -> Repo:
    repo.commit("Start the project", {"README.md": "# Project\n"})
    repo.commit("Add a parser for comma separated text", {"src/parser.py": PARSER})
    return repo


# suggest


def test_suggest_says_what_is_staged(history: Repo) -> None:
    history.write("src/client.py", RETRY)
    result = run("suggest")
    assert result.code == 0
    assert "client" in result.out
    assert len(result.out.splitlines()[0]) <= 72


def test_suggest_json_is_the_draft_record(history: Repo) -> None:
    history.write("src/client.py", RETRY)
    found = run("suggest", "-n", "3", "--json").json()
    assert found["kind"] == "draft"
    assert found["text"] == found["candidates"][0]
    assert 1 <= len(found["candidates"]) <= 3
    record = {key: found[key] for key in ("text", "candidates", "omitted")}
    signature = {"name": "draft", "version": "0", "settings": {}}
    assert from_json(Draft, {**record, "kind": "message", "signature": signature}).text == found["text"]


def test_suggest_for_a_commit_and_the_first_one(history: Repo) -> None:
    assert "parse" in run("suggest", "--commit", "HEAD").out
    assert "readme" in run("suggest", "--commit", "HEAD~1").out.lower()


def test_suggest_for_the_first_commit(repo: Repo) -> None:
    repo.write("src/parser.py", PARSER)
    assert run("suggest").code == 0


def test_suggest_amend_sees_the_whole_commit(history: Repo) -> None:
    assert "parse" in run("suggest", "--amend").out


def test_suggest_in_a_conventional_repository(repo: Repo) -> None:
    for number in range(6):
        repo.commit(f"feat: add part {number}", {f"part{number}.py": f"x = {number}\n"})
    repo.write("docs/guide.md", "# Guide\n\nHow to use it.\n")
    assert run("suggest").out.startswith("docs")


def test_hostile_names_do_not_reach_the_terminal(history: Repo) -> None:
    history.write("a\x1b[31mb.txt", "$(touch pwned)\x1b]0;title\x07\n")
    result = run("suggest", "--json")
    assert "\x1b" not in result.out
    assert "\x1b" not in run("suggest").out
    assert not (history.path / "pwned").exists()


# grade


@pytest.mark.parametrize("message", ["fix: fix bug", "feat: update code", "chore: stuff"])
def test_generic_messages_are_low_with_a_reason(history: Repo, message: str) -> None:
    history.write("src/client.py", RETRY)
    found = run("grade", "--staged", "-m", message, "--json").json()
    assert found["overall"] <= 30
    assert any(item["remedy"] for item in found["findings"])


def test_good_message_is_high(history: Repo) -> None:
    history.write("src/client.py", RETRY)
    good = (
        "Retry failed fetches\n\nThe server drops idle connections, so the first request after a pause fails."
    )
    found = run("grade", "-m", good, "--json").json()
    assert found["overall"] >= 70


def test_min_decides_the_exit_code(history: Repo) -> None:
    assert run("grade", "HEAD", "-m", "stuff", "--min", "50").code == 1
    assert run("grade", "HEAD", "-m", "stuff").code == 0
    assert run("grade", "HEAD", "--min", "1").code == 0


def test_grade_a_range(history: Repo) -> None:
    history.commit("stuff", {"src/client.py": RETRY})
    found = run("grade", "HEAD~2..HEAD", "--json").json()
    assert found["commits"][0]["subject"] == "stuff"
    assert found["summary"]["commits"] == 2
    assert found["commits"][0]["overall"] < found["commits"][1]["overall"]
    text = run("grade", "HEAD~2..HEAD", "--min", "40")
    assert text.code == 1
    assert "1 below 40" in text.out
    assert run("grade", "HEAD~2..HEAD", "--rules").code == 0


def test_fixup_that_was_never_squashed_misses_any_bar(history: Repo) -> None:
    history.commit("fixup! Add a parser for comma separated text", {"src/client.py": RETRY})
    found = run("grade", "HEAD~1..HEAD", "--min", "10")
    assert (found.code, "1 below 10" in found.out) == (1, True)
    assert run("grade", "HEAD~1..HEAD").code == 0


def test_reference_adds_log_mnext(history: Repo) -> None:
    found = run("grade", "-m", "Add the parser", "--reference", "Add the parser", "--json").json()
    assert found["scores"]["log-mnext"] == 1.0


def test_message_from_stdin_and_file(history: Repo) -> None:
    assert run("grade", "--stdin", "--json", data=b"Add the parser\n").json()["subject"] == "Add the parser"
    (history.path / "M").write_text("Add the parser\n# a comment\n")
    assert run("grade", "--message-file", "M", "--json").json()["subject"] == "Add the parser"


def test_grade_against_a_patch_outside_any_repository(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("--- a/x.py\n+++ b/x.py\n@@ -0,0 +1 @@\n+def parse(text): ...\n")
    found = run("grade", "-m", "Add parse", "--diff", "p", "--json", cwd=tmp_path).json()
    assert found["overall"] is not None


def test_score(repo: Repo) -> None:
    found = run("score", "--reference", "a b", "--prediction", "a b", "--json").json()
    assert found["log-mnext"] == 1.0


def test_merge_is_unscored_and_says_so(history: Repo) -> None:
    history.branch("topic")
    history.commit("Add a client", {"src/client.py": RETRY})
    history.switch("main")
    history.commit("Add a licence", {"LICENSE": "free\n"})
    history.merge("topic", "Merge branch 'topic'")
    found = run("grade", "HEAD", "--json").json()
    assert found["overall"] is None
    assert found["unscored"]["overall"]


# release


def test_release_note_and_changelog(history: Repo) -> None:
    history.tag("v1.0.0")
    history.commit("Add a retry to the client", {"src/client.py": RETRY})
    history.tag("v1.1.0")
    assert "retry" in run("release", "v1.0.0..v1.1.0").out
    first = run("release", "v1.0.0..v1.1.0", "--write", "CHANGELOG.md")
    assert first.code == 0
    written = (history.path / "CHANGELOG.md").read_bytes()
    assert b"1.1.0" in written
    second = run("release", "v1.0.0..v1.1.0", "--write", "CHANGELOG.md")
    assert "nothing changed" in second.err
    assert (history.path / "CHANGELOG.md").read_bytes() == written
    assert run("release", "v1.1.0", "--json").json()["range"]["start"] == "v1.0.0"


def test_two_releases_at_once_lose_nothing(history: Repo) -> None:
    for number in range(1, 4):
        history.tag(f"v1.{number - 1}.0")
        history.commit(f"Add part {number}", {f"part{number}.py": PARSER})
    history.tag("v1.3.0")
    ranges = [f"v1.{number}.0..v1.{number + 1}.0" for number in range(3)] * 2
    codes: list[int] = []
    threads = [
        threading.Thread(
            target=lambda text=text: codes.append(run("release", text, "--write", "CHANGELOG.md").code)
        )
        for text in ranges
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    text = (history.path / "CHANGELOG.md").read_text()
    assert codes == [0] * 6
    assert [text.count(f"[1.{number}.0]") + text.count(f"## 1.{number}.0") for number in (1, 2, 3)] == [1] * 3


# bad input


def test_outside_a_repository(tmp_path: Path) -> None:
    for command in (["suggest"], ["grade"], ["grade", "-m", "x"], ["release", "a..b"], ["install"]):
        assert_sentence(run(*command, cwd=tmp_path), 3)


def test_empty_repository(repo: Repo) -> None:
    for command in (["suggest"], ["grade"], ["release", "HEAD"], ["grade", "a..b"]):
        assert_sentence(run(*command), 3)


def test_nothing_staged(history: Repo) -> None:
    assert_sentence(run("suggest"), 3)


@pytest.mark.parametrize("name", ["nothing", "--all", "-p", "HEAD\x1b[31m", ""])
def test_unknown_revision(history: Repo, name: str) -> None:
    for command in (
        ["suggest", f"--commit={name}"],
        ["grade", "--", name or "x"],
        ["release", "--", f"{name}..HEAD~9"],
    ):
        result = run(*command)
        assert result.code in (2, 3)
        assert_sentence(result, result.code)
        assert "\x1b" not in result.err


def test_range_without_commits(history: Repo) -> None:
    for verb in ("grade", "release"):
        assert_sentence(run(verb, "HEAD..HEAD"), 3)
        assert_sentence(run(verb, "HEAD..HEAD~1"), 3)


def test_shallow_clone_cannot_judge(history: Repo) -> None:
    history.commit("stuff", {"a": "1\n"})
    history.tag("v1")
    history.git("clone", "-q", "--depth=1", f"file://{history.path}", "../shallow")
    shallow = history.path.parent / "shallow"
    for command in (["grade", "HEAD~2..HEAD"], ["release", "v1"], ["grade", "HEAD"]):
        result = run(*command, cwd=shallow)
        assert_sentence(result, 3)
        assert "unshallow" in result.err


def test_the_error_says_what_to_do_about_a_misplaced_folder_and_a_short_history(history: Repo) -> None:
    late = run("grade", "-C", ".", "HEAD")
    assert_sentence(late, 2)
    assert "-C FOLDER stands before the command." in late.err
    far = run("grade", "HEAD~999")
    assert_sentence(far, 3)
    assert "'HEAD' is there, but has no such ancestor." in far.err


def test_no_summary_of_a_command_is_cut_off_in_eighty_columns() -> None:
    lines = run("--help", COLUMNS="80").out.splitlines()
    assert "  grade        Grade commit messages against their changes." in lines
    assert not [line for line in lines[lines.index("Commands:") :] if line.endswith("...")]
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("content", [None, b"", b"# only\n# comments\n", b"caf\xe9\n", b"nul\0byte\n"])
def test_odd_message_files(history: Repo, content: bytes | None) -> None:
    path = history.path / "MESSAGE"
    if content is not None:
        path.write_bytes(content)
    result = run("grade", "--message-file", "MESSAGE")
    if content is None or b"\0" in content:
        assert_sentence(result, 3)
    else:
        assert result.code == 0
        assert result.err.startswith("gitnotes: nothing is staged") and result.err.count("\n") == 1
    if content is not None:
        assert path.read_bytes() == content
    hook = run("hook", "commit-msg", "MESSAGE")
    assert (hook.code, hook.out) == (0, "")


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_no_write_permission(history: Repo) -> None:
    history.tag("v1")
    history.path.chmod(0o555)
    try:
        assert_sentence(run("release", "v1", "--write", "CHANGELOG.md"), 3)
    finally:
        history.path.chmod(0o755)


def test_changelog_that_cannot_be_written(history: Repo) -> None:
    history.tag("v1")
    (history.path / "folder").mkdir()
    assert_sentence(run("release", "v1", "--write", "folder"), 3)
    assert_sentence(run("release", "v1", "--write", "no/such/folder/CHANGELOG.md"), 3)


@pytest.mark.parametrize(
    "arguments",
    [
        ["sugest"],
        ["grade", "--min", "x"],
        ["grade", "--min", "101"],
        ["grade", "--min", "nan", "-m", "x"],
        ["grade", "--nope"],
        ["grade", "-m", "x", "--stdin"],
        ["grade", "--staged"],
        ["grade", "HEAD", "--staged", "-m", "x"],
        ["grade", "HEAD~1..HEAD", "-m", "x"],
        ["suggest", "-n", "0"],
        ["release", "v1.0", "--unreleased"],
        ["release", "HEAD", "--replace"],
        ["score", "--reference", "a"],
        ["-C", "no/such/folder", "suggest"],
    ],
)
def test_usage(history: Repo, arguments: list[str]) -> None:
    assert_sentence(run(*arguments), 2)


@pytest.mark.parametrize(
    "text",
    ["[broken", "subject_limt = 3", "subject_limit = 'x'", "conventional = 'maybe'", "min_score = 900"],
)
def test_configuration_that_makes_no_sense(history: Repo, text: str) -> None:
    (history.path / ".gitnotes.toml").write_text(text)
    assert_sentence(run("grade"), 2)


def test_settings_are_taken_in_their_order(history: Repo) -> None:
    (history.path / "pyproject.toml").write_text("[tool.gitnotes]\nsubject_limit = 20\n")
    assert "subject-length" in run("grade").out
    assert "subject-length" not in run("grade", GITNOTES_SUBJECT_LIMIT="100").out
    (history.path / ".gitnotes.toml").write_text("subject-limit = 100\n")
    assert "subject-length" not in run("grade").out


def test_version_and_help() -> None:
    assert run("--version").out.startswith("gitnotes ")
    assert "suggest" in run().out
    assert run("grade", "--help").code == 0


def test_reader_that_leaves_early(history: Repo) -> None:
    for number in range(200):
        history.commit(f"Add number {number} " + "x" * 300)
    process = subprocess.Popen(
        [sys.executable, "-m", "gitnotes", "grade", "HEAD~200..HEAD"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    error = process.stderr.read()
    process.stderr.close()
    assert (process.wait(60), error) == (0, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ on Windows")
def test_interrupt(history: Repo) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "gitnotes", "grade", "--stdin"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err


def test_pre_push_grades_what_pre_commit_names(history: Repo) -> None:
    first = history.git("rev-parse", "HEAD")
    history.commit("stuff", {"src/client.py": RETRY})
    names = {"PRE_COMMIT_FROM_REF": first, "PRE_COMMIT_TO_REF": "HEAD"}
    result = run("grade", "--pre-push", **names)
    assert result.code == 1
    assert "1 commit;" in result.out and "stuff" in result.out
    assert run("grade", "--pre-push", "--min", "0", **names).code == 0
    new_branch = {"PRE_COMMIT_FROM_REF": "0" * 40, "PRE_COMMIT_TO_REF": "HEAD"}
    assert run("grade", "--pre-push", "--json", **new_branch).json()["summary"]["commits"] == 3


def test_pre_push_knows_what_the_remote_has(history: Repo) -> None:
    history.git("clone", "-q", "--bare", ".", "../remote.git")
    history.git("remote", "add", "origin", "../remote.git")
    history.git("fetch", "-q", "origin")
    assert "nothing to grade" in run("grade", "--pre-push").out
    history.commit("stuff", {"src/client.py": RETRY})
    assert run("grade", "--pre-push", "--json").json()["summary"]["commits"] == 1


# what surrounds the process


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written(history: Repo) -> None:
    for command in (["score", "--reference", "a", "--prediction", "a"], ["grade", "HEAD"], ["--help"]):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [sys.executable, "-m", "gitnotes", *command], stdout=full, stderr=subprocess.PIPE, timeout=60
            )
        assert done.returncode == 3
        assert done.stderr.count(b"\n") == 1 and b"cannot be written" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams(history: Repo, closed: str) -> None:
    history.tag("v1")
    command = f"exec '{sys.executable}' -m gitnotes release v1 --write CHANGELOG.md {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60)
    assert b"Traceback" not in done.stderr
    assert done.returncode == (0 if closed == "2>&-" else 3)
    assert (history.path / "CHANGELOG.md").exists() == (closed == "2>&-")


def test_bare_repository_has_nothing_staged(history: Repo) -> None:
    history.git("clone", "-q", "--bare", ".", "../bare.git")
    bare = history.path.parent / "bare.git"
    for command in (["suggest"], ["grade", "-m", "x"], ["grade", "--staged", "-m", "x"]):
        result = run(*command, cwd=bare)
        assert_sentence(result, 3)
        assert "bare" in result.err
    assert run("suggest", "--commit", "HEAD", cwd=bare).code == 0
    assert run("grade", "HEAD~1..HEAD", cwd=bare).code == 0


@pytest.mark.parametrize("name", ["/dev/zero", "folder"])
def test_input_that_is_no_text(history: Repo, name: str) -> None:
    (history.path / "folder").mkdir()
    if not Path(name).exists():
        pytest.skip("there is no such device here")
    assert_sentence(run("grade", "--message-file", name), 3)
    assert_sentence(run("grade", "-m", "x", "--diff", name), 3)


def test_hooks_path_that_is_empty(history: Repo) -> None:
    history.git("config", "core.hooksPath", "")
    assert_sentence(run("install"), 3)
    assert not (history.path / "commit-msg").exists()


@pytest.mark.parametrize(
    "text", ["tool = 1 # gitnotes", "[[tool]]\n# gitnotes", "[project]\nname = 'gitnotes'"]
)
def test_pyproject_of_another_shape(history: Repo, text: str) -> None:
    (history.path / "pyproject.toml").write_text(text)
    assert run("grade").code == 0


def test_settings_in_every_spelling_of_toml(history: Repo) -> None:
    for text in ("[ tool . gitnotes ]\nsubject_limit = 20", "tool.gitnotes.subject_limit = 20"):
        (history.path / "pyproject.toml").write_text(text)
        assert "subject-length" in run("grade").out
    (history.path / ".gitnotes.toml").write_bytes(b"\xef\xbb\xbfsubject_limit = 100\n")
    assert "subject-length" not in run("grade").out
    (history.path / ".gitnotes.toml").write_text("subject_limit = " + "9" * 5000)
    assert_sentence(run("grade"), 2)
    (history.path / ".gitnotes.toml").unlink()
    (history.path / ".gitnotes.toml").mkdir()
    assert_sentence(run("grade"), 2)
