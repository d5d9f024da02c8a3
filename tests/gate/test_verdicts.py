"""Which messages fail, which are known, and what does the exit code say?"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.gate.conftest import GOOD, Grade
from tests.test_cli import PARSER, RETRY


def test_nothing_fails_unasked(history: Repo, grade: Grade) -> None:
    found = grade("HEAD~2..HEAD")
    assert (found.code, found.err) == (0, "")
    assert "failed" not in found.out


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--fail-on", "vague"], 1),
        (["--fail-on", "VAGUE"], 1),
        (["--fail-on", "error"], 1),
        (["--fail-on", "info"], 1),
        (["--fail-on", "wip"], 0),
        (["--fail-on", "wip", "--fail-on", "vague"], 1),
        (["--strict"], 1),
        (["--min", "40"], 1),
        (["--min", "0"], 0),
        ([], 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_what_fails(history: Repo, grade: Grade, options: list[str], code: int) -> None:
    assert grade("HEAD~1..HEAD", *options).code == code
    assert grade("HEAD", *options).code == code


def test_severity_takes_in_the_worse_ones_alone(history: Repo, grade: Grade) -> None:
    history.commit("Retried the fetches of a client.", {"src/client.py": RETRY + "\n\nX = 1\n"})
    rules = {item["rule"]: item["severity"] for item in grade("HEAD", "--json").json()["findings"]}
    assert rules["imperative"] == "warning"
    assert grade("HEAD", "--fail-on", "warning").code == 1
    assert grade("HEAD", "--fail-on", "error").code == ("error" in rules.values())


def test_a_merge_passes_a_strict_gate(history: Repo, grade: Grade) -> None:
    history.branch("topic")
    history.commit("Add a second parser", {"src/second.py": PARSER})
    history.switch("main")
    history.commit("Say in the readme how to start", {"README.md": "# Project\n\nRun it.\n"})
    history.merge("topic", "Merge branch 'topic'")
    assert grade("HEAD", "--strict", "--min", "100").code == 0


@pytest.mark.parametrize(
    ("name", "hint"),
    [("vage", "vague"), ("eror", "error"), ("imperativ", "imperative"), ("zzz", "Known are")],
)
def test_rule_that_does_not_exist(history: Repo, grade: Grade, name: str, hint: str) -> None:
    found = grade("--fail-on", name)
    assert (found.code, found.out) == (2, "")
    assert hint in found.err


def test_format_that_does_not_exist(history: Repo, grade: Grade) -> None:
    found = grade("--format", "sariff")
    assert found.code == 2
    assert "sarif?" in found.err
    assert grade("--format", "text", "--json").code == 2
    assert grade("--format", "json", "--json").code == 0


# baseline


def test_only_new_faults_fail(history: Repo, grade: Grade, tmp_path: Path) -> None:
    place = str(tmp_path / "known.json")
    made = grade("HEAD~2..HEAD", "--min", "40", "--strict", "--write-baseline", place)
    assert made.code == 0
    assert json.loads(Path(place).read_text())["kind"] == "baseline"
    again = grade("HEAD~2..HEAD", "--min", "40", "--strict", "--baseline", place)
    assert again.code == 0
    assert "in the baseline" in again.out
    history.commit("stuff", {"src/other.py": PARSER})
    new = grade("HEAD~3..HEAD", "--min", "40", "--strict", "--baseline", place, "--json").json()
    assert [bool(item["faults"]) for item in new["commits"]] == [True, False, False]
    assert new["summary"]["failed"] == 1


def test_a_fault_is_known_after_a_rebase(history: Repo, grade: Grade, tmp_path: Path) -> None:
    place = str(tmp_path / "known.json")
    grade("HEAD~1..HEAD", "--min", "40", "--write-baseline", place)
    before = history.git("rev-parse", "HEAD")
    history.git("checkout", "-q", "-b", "base", "HEAD~2")
    history.commit("Say what the project is for", {"README.md": "# Project\n\nIt reads text.\n"})
    history.switch("main")
    history.clock += 3600
    history.git("rebase", "-q", "base")
    assert history.git("rev-parse", "HEAD") != before
    assert grade("HEAD~1..HEAD", "--min", "40", "--baseline", place).code == 0
    # A reworded message is judged anew.
    history.git("commit", "-q", "--amend", "--no-verify", "-m", "things")
    assert grade("HEAD~1..HEAD", "--min", "40", "--baseline", place).code == 1


def test_another_rule_of_a_known_message_fails(history: Repo, grade: Grade, tmp_path: Path) -> None:
    place = str(tmp_path / "known.json")
    grade("HEAD~1..HEAD", "--fail-on", "vague", "--write-baseline", place)
    assert grade("HEAD~1..HEAD", "--fail-on", "vague", "--baseline", place).code == 0
    assert grade("HEAD~1..HEAD", "--fail-on", "vague", "--min", "90", "--baseline", place).code == 1


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"schema": 1, "kind": "grade"}', '{"schema": 1, "kind": "baseline"}', "[" * 99_999],
)
def test_a_file_that_is_no_baseline(history: Repo, grade: Grade, tmp_path: Path, content: str) -> None:
    place = tmp_path / "known.json"
    place.write_text(content)
    found = grade("--min", "1", "--baseline", str(place))
    assert found.code == 3
    assert found.err.count("\n") == 1 and "--write-baseline" in found.err


def test_baseline_options_that_make_no_sense(history: Repo, grade: Grade, tmp_path: Path) -> None:
    place = str(tmp_path / "known.json")
    assert grade("--write-baseline", place).code == 2
    assert grade("--min", "1", "--write-baseline", place, "--baseline", place).code == 2
    assert not Path(place).exists()


# what cannot be read


def break_object(repo: Repo, name: str) -> None:
    sha = repo.git("rev-parse", name)
    place = repo.path / ".git" / "objects" / sha[:2] / sha[2:]
    place.chmod(0o644)
    place.unlink()


def test_a_range_partly_unreadable_grades_the_rest(history: Repo, grade: Grade) -> None:
    history.commit("Name the parts of the project", {"README.md": "# Project\n\nA parser.\n"})
    break_object(history, "HEAD~1:src/client.py")
    history.commit("Describe the client", {"docs/client.md": "The client retries.\n"})
    found = grade("HEAD~4..HEAD", "--min", "1")
    assert found.code == 3
    assert "cannot judge" in found.out and "missing" in found.err
    whole = grade("HEAD~4..HEAD", "--json")
    answer = whole.json()
    assert whole.code == 3
    assert [bool(item["unreadable"]) for item in answer["commits"]] == [False, False, True, False]
    assert [item["overall"] is None for item in answer["commits"]] == [False, False, True, False]
    assert answer["summary"]["unreadable"] == 1
    # 3 also where something fails by itself, and no change is needed to judge the text alone.
    assert grade("HEAD~4..HEAD", "--min", "100").code == 3
    assert grade("HEAD~4..HEAD", "--rules").code == 0


def test_many_that_cannot_be_read(repo: Repo, grade: Grade) -> None:
    for number in range(30):
        repo.commit(f"Add part {number} of the parser", {f"part{number}.py": f"x{number} = {number}\n"})
    # git takes a file of the work tree in place of an object that it lacks.
    repo.git("checkout", "-q", "--detach", "main~29")
    for number in range(1, 30):
        break_object(repo, f"main:part{number}.py")
    found = grade("main~29..main", "--json")
    assert found.code == 3
    assert found.json()["summary"]["unreadable"] == 29
    assert len({item["sha"] for item in found.json()["commits"]}) == 29


def test_shallow_clones_cannot_judge(history: Repo, grade: Grade, monkeypatch: pytest.MonkeyPatch) -> None:
    history.git("clone", "-q", "--depth=2", f"file://{history.path}", "../shallow")
    monkeypatch.chdir(history.path.parent / "shallow")
    assert grade("HEAD~1..HEAD").code == 0
    for arguments in (["HEAD~2..HEAD"], ["HEAD~1"], ["HEAD"], ["--squash", "HEAD"]):
        found = grade(*arguments)
        expected = 0 if arguments == ["HEAD"] else 3
        assert found.code == expected, arguments
        assert ("unshallow" in found.err) == (expected == 3)
    # Without a remote everything is to be pushed, and the oldest commit has no parent here.
    Repo(Path.cwd()).git("remote", "remove", "origin")
    pushed = grade("--pre-push", "--json")
    assert pushed.code == 3
    assert [bool(item["unreadable"]) for item in pushed.json()["commits"]] == [False, True]


def test_a_blobless_clone_without_its_remote(
    history: Repo, grade: Grade, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.git("config", "uploadpack.allowFilter", "true")
    history.git("clone", "-q", "--bare", "--filter=blob:none", f"file://{history.path}", "../partial.git")
    monkeypatch.chdir(history.path.parent / "partial.git")
    found = grade("HEAD~2..HEAD", "--json")
    assert found.code == 3
    assert [bool(item["unreadable"]) for item in found.json()["commits"]] == [True, True]
    assert "partial clone" in found.err


# the same text


def test_the_same_text_as_another_commit(history: Repo, grade: Grade) -> None:
    first = history.commit("Update the parser of text\n\nRefs: 1", {"src/parser.py": PARSER + "\nX = 1\n"})
    history.commit("Describe the client", {"docs/client.md": "The client retries.\n"})
    history.commit("Update the  Parser of text\n\nRefs: 2", {"src/parser.py": PARSER + "\nX = 2\n"})
    for arguments in (["HEAD"], ["HEAD~1..HEAD"], ["HEAD~3..HEAD"]):
        answer = grade(*arguments, "--json").json()
        newest = answer["commits"][0] if "commits" in answer else answer
        repeated = [item for item in newest["findings"] if item["rule"] == "repeated-text"]
        assert [item["severity"] for item in repeated] == ["warning"]
        assert first[:9] in repeated[0]["message"]
    assert "repeated-text" not in grade("HEAD~2").out
    assert grade("HEAD", "--fail-on", "repeated-text").code == 1


def test_texts_that_may_be_the_same(history: Repo, grade: Grade) -> None:
    history.branch("release")
    history.commit("Add a licence", {"LICENSE": "free\n"})
    for _ in range(4):
        history.clock += 60
        history.git("revert", "--no-edit", "HEAD")
    bot = "dependabot[bot] <support@github.com>"
    for number in (1, 2):
        history.commit("Bump the actions group", {"ci.yml": f"uses: a@v{number}\n"}, f"--author={bot}")
    history.switch("main")
    history.commit("Describe the client", {"docs/client.md": "The client retries.\n"})
    history.git("cherry-pick", "release~6")
    history.merge("release", "Merge branch 'release'")
    assert "repeated-text" not in grade("HEAD~3..HEAD").out


# title, squash


def test_title_is_graded_against_the_whole_change(history: Repo, grade: Grade) -> None:
    history.branch("topic")
    history.commit(
        "Add a second parser", {"src/second.py": "def parse_lines(text):\n    return text.split()\n"}
    )
    history.commit("Drop the licence header", {"src/header.py": "def licence_header():\n    return ''\n"})
    both = "Parse lines and write a licence header"
    title = grade("main..topic", "--title", both, "--json").json()
    assert title["kind"] == "grade" and title["sha"] is None
    one = grade("topic", "-m", both, "--json").json()
    assert title["scores"]["what"] > one["scores"]["what"]
    # What happened on main meanwhile is no part of the pull request.
    history.switch("main")
    history.commit("Describe the client", {"docs/client.md": "The client retries.\n"})
    assert grade("main..topic", "--title", both, "--json").json()["scores"] == title["scores"]
    wrong = grade("main..topic", "--title", "Describe the client in docs/client.md", "--json").json()
    assert wrong["overall"] < title["overall"]


def test_squash_of_one_commit_keeps_its_message(history: Repo, grade: Grade) -> None:
    history.commit(GOOD, {"src/retry.py": RETRY})
    found = grade("--squash", "HEAD~1..HEAD", "--title", "Something else", "--pull", "7", "--json").json()
    assert found["subject"] == "Retry failed fetches (#7)"
    assert found["scores"]["why"] >= 2


def test_squash_of_several_takes_title_and_list(history: Repo, grade: Grade) -> None:
    history.branch("topic")
    history.commit("Add a second parser", {"src/second.py": PARSER})
    history.commit("Describe the second parser", {"docs/second.md": "It parses.\n"})
    found = grade("--squash", "main..HEAD", "--title", "Parse twice", "--json").json()
    assert found["subject"] == "Parse twice"
    missing = grade("--squash", "main..HEAD")
    assert missing.code == 2 and "--title" in missing.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--title", "x"],
        ["HEAD", "--title", "x"],
        ["HEAD~1..HEAD", "--title", "x", "-m", "y"],
        ["HEAD~1..HEAD", "--squash", "HEAD~1..HEAD"],
        ["HEAD~1..HEAD", "--pull", "3"],
        ["--squash", "HEAD~1..HEAD", "--pre-push"],
        ["--squash", "HEAD~1..HEAD", "--suggest"],
        ["-m", "x", "--save-notes"],
        ["--squash", "HEAD~1..HEAD", "--save-notes"],
    ],
    ids=" ".join,
)
def test_combinations_that_make_no_sense(history: Repo, grade: Grade, arguments: list[str]) -> None:
    found = grade(*arguments)
    assert (found.code, found.out) == (2, "")
    assert found.err.count("\n") == 1


# what is pushed


def test_pre_push_takes_exactly_what_no_remote_has(history: Repo, grade: Grade) -> None:
    history.branch("topic")
    history.commit("Add a second parser", {"src/second.py": PARSER})
    history.switch("main")
    history.commit("Describe the client", {"docs/client.md": "The client retries.\n"})
    history.git("clone", "-q", "--bare", ".", "../remote.git")
    history.git("remote", "add", "origin", "../remote.git")
    history.git("push", "-q", "origin", "main")
    history.git("update-ref", "-d", "refs/remotes/origin/topic")
    merge = history.merge("topic", "Merge branch 'topic'")
    newest = history.commit("Say what the parsers share", {"docs/parsers.md": "Both split.\n"})
    topic = history.git("rev-parse", "topic")
    found = grade("--pre-push", "--json").json()
    assert {item["sha"] for item in found["commits"]} == {newest, merge, topic}
    listed = history.git("rev-list", "HEAD", "--not", "--remotes").split()
    assert {item["sha"] for item in found["commits"]} == set(listed)


# suggestions, reasons


def test_suggestion_is_better_and_only_for_the_poor(history: Repo, grade: Grade) -> None:
    found = grade("HEAD~2..HEAD", "--suggest", "--min", "40", "--json").json()
    poor, fair = found["commits"]
    assert poor["suggestion"]["overall"] > poor["overall"]
    assert "client" in poor["suggestion"]["text"]
    assert "suggestion" not in fair
    text = grade("HEAD", "-m", "stuff", "--suggest")
    assert "better (" in text.out and "client" in text.out
    history.write("src/other.py", PARSER)
    assert "other" in grade("-m", "stuff", "--suggest").out


def test_a_suggestion_that_was_not_found_is_said(history: Repo, grade: Grade) -> None:
    good = "Fetch once more after the first failure of the client\n\nA single lost packet ended the run."
    assert "better: none; the message reaches the bar of" in grade("HEAD", "-m", good, "--suggest").out
    revert = 'Revert "Update stuff"\n\nThis reverts commit 0123456789012345678901234567890123456789.'
    found = grade("HEAD", "-m", revert, "--suggest", "--fail-on", "info")
    assert "better: none; only a person knows why the commit was undone." in found.out
    told = grade("HEAD", "-m", revert, "--suggest", "--fail-on", "info", "--json").json()
    assert told["suggestion"] == {"text": None, "reason": "only a person knows why the commit was undone"}


def test_what_is_written_to_a_file_is_80_columns_wide(history: Repo, grade: Grade) -> None:
    text = f"fixed {'the client and its many parts ' * 4}\n\n{'word ' * 40}"
    found = grade("HEAD", "-m", text, "--explain")
    assert len(found.out.splitlines()) > 5
    assert max(map(len, found.out.splitlines())) <= 80


def test_explain_tells_what_was_found_and_missed(history: Repo, grade: Grade) -> None:
    found = grade("HEAD", "-m", "Rename fetch_with_retry and parse_all_lines", "--explain")
    assert "in the change: fetch_with_retry" in found.out
    assert "not in the change: parse_all_lines" in found.out
    signals = [line for line in found.out.splitlines() if re.match(r" +[+-]\d+\.\d [a-z]", line)]
    assert len(signals) >= 3
    answer = grade("HEAD", "-m", "Rename fetch_with_retry", "--explain", "--json").json()
    assert answer["evidence"]["in the change"] == "fetch_with_retry"


def test_a_text_on_standard_input_is_whole_or_refused(repo: Repo, grade: Grade) -> None:
    found = grade("--stdin", "--rules", data=b"Add it\n" * 200_000)
    assert (found.code, found.out) == (3, "")
    assert "larger than 1 MB" in found.err


@pytest.mark.parametrize("command", ["grade", "improve"])
@pytest.mark.skipif(os.name != "posix", reason="a shell closes the stream")
def test_a_closed_standard_input_is_said_so(repo: Repo, command: str) -> None:
    repo.write("a", "1\n")
    call = f"{shlex.quote(sys.executable)} -m gitnotes {command} --stdin <&-"
    found = repo.run("sh", "-c", call, PYTHONPATH=str(Path(__file__).parents[2]))
    assert found.returncode == 3
    assert b"Standard input is closed." in found.stderr


def test_a_title_is_never_that_of_a_merge(history: Repo, grade: Grade) -> None:
    assert grade("HEAD~2..HEAD", "--title", "Merge branch 'topic'", "--min", "60").code == 1


@pytest.mark.parametrize("rules", ["fixup-left", "all"])
def test_a_fixup_cannot_let_itself_through(history: Repo, grade: Grade, rules: str) -> None:
    history.commit(f"fixup! stuff\n\n# gitnotes: disable={rules}", {"a": "1\n"})
    assert grade("HEAD~1..HEAD", "--min", "1").code == 1
    history.write(".gitnotes.toml", '[rules]\nfixup-left = "off"\n')
    history.commit("fixup! stuff", {"a": "2\n"})
    assert grade("HEAD~1..HEAD", "--min", "1").code == 0
