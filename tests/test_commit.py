"""Does `gitnotes commit` make the commit that its keys ask for, and lose no text?"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from tests.conftest import Repo

pty = pytest.importorskip("pty")

SLOW_MACHINE = 60.0
START = "import sys; sys.path.remove(''); from gitnotes.__main__ import main; main()"
CTRL_C = "what a terminal makes of Ctrl-C when no program reads it as a key"


def commit(repo: Repo, keys: list[tuple[str, str]], *arguments: str, **variables: str) -> tuple[int, str]:
    """Runs `gitnotes commit` on a terminal; each key is pressed once its text has been shown anew."""
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "NO_COLOR": "1", "EDITOR": "true", "VISUAL": "", **variables}
    environment.pop("GIT_EDITOR", None)
    process = subprocess.Popen(
        [sys.executable, "-c", START, "commit", *arguments],
        cwd=repo.path, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    shown = ""
    waiting = list(keys)
    from_here = 0
    deadline = time.monotonic() + SLOW_MACHINE
    while time.monotonic() < deadline:
        if select.select([master], [], [], 0.1)[0]:
            try:
                block = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not block:
                break
            shown += block.decode("utf-8", "replace")
        if waiting and waiting[0][0] in shown[from_here:]:
            # What is typed before the program listens is lost, as it is for a person.
            time.sleep(0.5)
            from_here = len(shown)
            key = waiting.pop(0)[1]
            if key == CTRL_C:
                os.killpg(process.pid, signal.SIGINT)
            else:
                os.write(master, key.encode())
    os.close(master)
    code = process.wait(10)
    assert not waiting, shown
    return code, shown


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.write("client.py", "def fetch(url):\n    return get(url)\n")
    repo.commit("Add a client")
    repo.write("client.py", "def fetch(url, retries=3):\n    return get(url, retries)\n")
    return repo


def message(repo: Repo) -> str:
    return repo.git("log", "-1", "--format=%B").strip()


def test_enter_accepts_the_draft(changed: Repo) -> None:
    code, shown = commit(changed, [("[q] quit", "\r")], "-a")
    assert code == 0
    assert "of 100" in shown and "retries" in message(changed)
    assert changed.git("status", "--porcelain") == ""


def test_quitting_commits_nothing_and_says_it_in_one_line(changed: Repo) -> None:
    for options in ("-a",), ("-a", "--amend"), ("-a", "--allow-empty-message"):
        code, shown = commit(changed, [("[q] quit", "q")], *options)
        assert code == 1
        said = shown.split("[q] quit")[-1].split("\n")
        assert [line.strip() for line in said if line.strip()] == ["gitnotes: nothing was committed"]
        assert message(changed) == "Add a client"
        assert not (changed.path / ".git" / "index.lock").exists()
    assert not list((changed.path / ".git" / "gitnotes").glob("quit*"))


def test_a_commit_without_a_change_is_written_in_the_editor(changed: Repo) -> None:
    changed.git("reset", "-q", "--hard")
    editor = "sed -i.bak '1s/.*/Start the build again/'"
    code, shown = commit(changed, [], "--allow-empty", EDITOR=editor)
    assert code == 0 and "no change to draft from" in shown
    assert message(changed) == "Start the build again"
    code, _ = commit(changed, [], "--allow-empty", EDITOR="true")
    assert code == 1 and message(changed) == "Start the build again"
    code, shown = commit(changed, [("[q] quit", "\r")], "--amend", "--allow-empty")
    assert code == 0 and "your text" in shown


def test_amend_with_nothing_staged_describes_the_commit(changed: Repo) -> None:
    changed.git("commit", "-q", "-a", "-m", "Work in progress")
    code, shown = commit(changed, [("[q] quit", "n"), ("[q] quit", "n"), ("[q] quit", "\r")], "--amend")
    assert code == 0 and "draft" in shown
    assert "fetch" in message(changed)
    assert changed.git("rev-list", "--count", "HEAD").strip() == "2"


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["-m", "Retry thrice"], "Retry thrice"),
        (["-qmRetry thrice"], "Retry thrice"),
        (["-C", "HEAD"], "Add a client"),
        (["--reuse-mess=HEAD"], "Add a client"),
        (["--fixup", "HEAD"], "fixup! Add a client"),
        (["--squash", "HEAD", "-m", "More"], "squash! Add a client"),
        (["--amend", "--no-edit"], "Add a client"),
        (["--allow-empty", "-m", "Start again"], "Start again"),
    ],
)
def test_what_brings_its_message_is_gits_alone(changed: Repo, options: list[str], wanted: str) -> None:
    changed.git("add", ".")
    done = changed.run(sys.executable, "-m", "gitnotes", "commit", *options)  # without a terminal
    assert done.returncode == 0, done.stderr
    assert message(changed).partition("\n")[0] == wanted


def test_our_options_are_not_lost_on_a_message_that_is_given(changed: Repo) -> None:
    done = changed.run(sys.executable, "-m", "gitnotes", "commit", "--why", "It broke.", "-am", "Retry")
    assert done.returncode == 2 and b"no message to choose" in done.stderr
    assert message(changed) == "Add a client"


def test_next_takes_another_draft(changed: Repo) -> None:
    code, shown = commit(changed, [("[q] quit", "n"), ("[q] quit", "\r")], "-a")
    assert code == 0
    first, second = (part.split("\n")[2].strip() for part in shown.split(" of 100")[1:3])
    assert first != second and message(changed).startswith(second)


def test_a_reason_and_a_sign_off_are_kept_once(changed: Repo) -> None:
    keys = [
        ("[q] quit", "w"),
        ("changed?", "The proxy closes idle connections.\r"),
        ("[q] quit", "e"),
        ("[q] quit", "\r"),
    ]
    code, _ = commit(changed, keys, "-a", "-s", EDITOR="sed -i.bak s/proxy/PROXY/")
    assert code == 0
    assert "The PROXY closes idle connections." in message(changed)
    assert message(changed).count("Signed-off-by: ") == 1


def test_why_on_the_command_line(changed: Repo) -> None:
    code, _ = commit(changed, [("[q] quit", "\r")], "-a", "--why", "Proxies close idle connections.")
    assert code == 0
    assert "\n\nProxies close idle connections." in message(changed)


def test_amend_offers_the_old_text_first(changed: Repo) -> None:
    code, shown = commit(changed, [("[q] quit", "\r")], "-a", "--amend")
    assert code == 0
    assert "your text 1" in shown and message(changed) == "Add a client"


@pytest.mark.parametrize("model", ["nothing", "local:/nowhere/model", "openai:"])
def test_a_model_that_cannot_be_asked_is_left_out(changed: Repo, model: str) -> None:
    code, shown = commit(changed, [("[q] quit", "\r")], "-a", GITNOTES_MODEL=model)
    assert code == 0 and "the model was left out" in shown
    assert "retries" in message(changed)


def test_a_poor_text_of_ones_own_is_offered_improved(changed: Repo) -> None:
    changed.git("commit", "-q", "-a", "-m", "fixed fetch retries.")
    code, shown = commit(changed, [("[q] quit", "n"), ("[q] quit", "\r")], "--amend")
    assert code == 0 and "your text, improved" in shown
    assert message(changed).startswith("Fix fetch retries")


def test_what_was_suggested_is_remembered_where_that_is_wanted(changed: Repo) -> None:
    kept = changed.path / ".git" / "gitnotes" / "feedback.jsonl"
    changed.git("config", "gitnotes.feedback", "true")
    code, _ = commit(changed, [("[q] quit", "\r")], "-a")
    assert code == 0
    (line,) = kept.read_text().splitlines()
    assert json.loads(line)["text"] == message(changed) and json.loads(line)["drafter"] == "best"


def test_the_draft_that_was_taken_is_remembered_with_who_wrote_it(changed: Repo) -> None:
    pytest.importorskip("openai")
    pytest.importorskip("detect_secrets")
    from tests.stub_server import Answer, serve

    kept = changed.path / ".git" / "gitnotes" / "feedback.jsonl"
    changed.git("config", "gitnotes.feedback", "true")
    with serve(Answer("Retry fetch three times when get fails with url")) as stub:
        variables = {
            "OPENAI_BASE_URL": stub.url,
            "GITNOTES_MODEL": "openai:stub",
            "GITNOTES_CACHE": str(changed.path.parent / "cache"),
        }
        code, shown = commit(changed, [("[q] quit", "n"), ("[q] quit", "\r")], "-a", **variables)
    assert code == 0, shown
    (line,) = kept.read_text().splitlines()
    told = json.loads(line)
    assert told["text"] == message(changed)
    by_model = told["text"] == "Retry fetch three times when get fails with url"
    assert ("stub" in told["drafter"]) is by_model and (by_model or told["drafter"] == "best")
    changed.write("client.py", "def fetch(url, retries=3):\n    return get(url, retries, retries)\n")
    keys = [("[q] quit", "e"), ("[q] quit", "\r")]
    code, _ = commit(changed, keys, "-a", EDITOR="sed -i.bak '1s/.*/Try_again/'")
    told = json.loads(kept.read_text().splitlines()[1])
    assert code == 0 and message(changed).startswith("Try_again")
    assert told["text"].partition("\n")[0] != "Try_again"  # what was suggested, not what became of it


def test_amend_cut_short_is_amend(changed: Repo) -> None:
    code, shown = commit(changed, [("[q] quit", "\r")], "-a", "--amen")
    assert code == 0 and "your text 1" in shown


def test_squashed_commits_get_one_message(changed: Repo) -> None:
    changed.git("commit", "-q", "-a", "-m", "Retry broken connections")
    changed.git("checkout", "-q", "-b", "topic", "HEAD~1")
    changed.commit(
        "Cache what lookup finds\n\nThe same key is asked for often.", {"cache.py": "CACHE = {}\n"}
    )
    changed.commit("fixup! Cache what lookup finds", {"cache.py": "CACHE = {}\nSIZE = 9\n"})
    changed.commit(
        "Document the cache\n\nCo-authored-by: A B <a@example.org>", {"README.md": "# Cache\n\nOf lookup.\n"}
    )
    changed.git("checkout", "-q", "-")
    changed.git("merge", "-q", "--squash", "topic")
    code, shown = commit(changed, [("[q] quit", "\r")])
    assert code == 0 and "your text" not in shown
    subject, _, body = message(changed).partition("\n")
    assert subject in ("Cache what lookup finds", "Document the cache")
    assert ("- Document the cache" in body) is not ("- Cache what lookup finds" in body)
    assert "The same key is asked for often." in body
    assert body.endswith("\n\nCo-authored-by: A B <a@example.org>") and "fixup" not in body


@pytest.mark.parametrize("how", ["option", "short", "configuration"])
def test_a_template_stays_below_the_draft(changed: Repo, how: str) -> None:
    changed.write("template.txt", "# Say why.\n\nTicket:\n")
    changed.write("folder/template.txt", "Ticket:\n")
    if how == "configuration":
        changed.git("config", "commit.template", "template.txt")
    arguments = {"option": ["--templ=folder/template.txt"], "short": ["-t", "template.txt"]}.get(how, [])
    code, shown = commit(changed, [("[q] quit", "\r")], "-a", *arguments)
    assert code == 0 and "your text" not in shown
    assert "retries" in message(changed).partition("\n")[0]
    assert message(changed).endswith("\n\nTicket:")


def test_our_own_hooks_do_not_answer_first(changed: Repo) -> None:
    subprocess.run([sys.executable, "-m", "gitnotes", "install"], cwd=changed.path, check=True)
    code, shown = commit(changed, [("[q] quit", "\r")], "-a")
    assert code == 0 and "your text" not in shown
    assert "retries" in message(changed)


def test_a_model_is_asked_again_after_a_hint(changed: Repo) -> None:
    pytest.importorskip("openai")
    pytest.importorskip("detect_secrets")
    from tests.stub_server import Answer, serve

    def answer(question: dict[str, Any], _: int) -> Answer:
        hinted = "the number of attempts" in json.dumps(question["messages"])
        return Answer("Let fetch retry three times" if hinted else "Add retries to fetch")

    keys = [("[r] ask again", "r"), ("be like?", "Say the number of attempts\r"), ("[q] quit", "\r")]
    cache = str(changed.path.parent / "cache")
    with serve(answer) as stub:
        code, _ = commit(
            changed, keys, "-a", "--model", "openai:stub",
            OPENAI_BASE_URL=stub.url, OPENAI_API_KEY="none", GITNOTES_CACHE=cache,
        )  # fmt: skip
    assert code == 0 and message(changed).startswith("Let fetch retry three times")


def test_a_text_that_a_hook_stops_is_kept(changed: Repo) -> None:
    hook = changed.path / ".git" / "hooks" / "commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    code, shown = commit(changed, [("[q] quit", "n"), ("[q] quit", "\r")], "-a")
    assert code == 1 and "gitnotes commit --resume" in shown
    wanted = (changed.path / ".git" / "gitnotes" / "message").read_text()
    hook.unlink()
    code, shown = commit(changed, [("[q] quit", "\r")], "-a", "--resume")
    assert code == 0 and "the text that was kept" in shown
    assert message(changed) == wanted.strip()
    assert not (changed.path / ".git" / "gitnotes" / "message").exists()


def test_paths_and_their_names_are_gits_business(changed: Repo) -> None:
    changed.write("other file.py", "x = 1\n")
    changed.git("add", "other file.py")
    code, _ = commit(changed, [("[q] quit", "\r")], "client.py")
    assert code == 0
    assert changed.git("show", "--name-only", "--format=").split("\n")[0] == "client.py"


@pytest.mark.parametrize(("key", "code"), [("q", 1), ("\x03", 130)], ids=["quit", "interrupt"])
def test_an_edited_text_outlives_second_thoughts(changed: Repo, key: str, code: int) -> None:
    done, shown = commit(
        changed, [("[q] quit", "e"), ("[q] quit", key)], "-a", EDITOR="sed -i.bak 1s/.*/Try_three_times/"
    )
    assert done == code and "gitnotes commit --resume" in shown
    commit(changed, [("[q] quit", "\r")], "-a", "--resume")
    assert message(changed).startswith("Try_three_times")


def test_a_reason_outlives_second_thoughts(changed: Repo) -> None:
    keys = [("[q] quit", "w"), ("changed?", "The proxy closes idle connections.\r"), ("[q] quit", "q")]
    _, shown = commit(changed, keys, "-a")
    assert "gitnotes commit --resume" in shown
    commit(changed, [("[q] quit", "\r")], "-a", "--resume")
    assert "The proxy closes idle connections." in message(changed)


def test_a_kept_text_can_still_be_chosen_when_nobody_asks_for_it(changed: Repo) -> None:
    kept = changed.path / ".git" / "gitnotes" / "message"
    kept.parent.mkdir(exist_ok=True)
    kept.write_text("Try three times")
    _, shown = commit(changed, [("[q] quit", "q")], "-a")
    assert "a text of yours is kept" in shown and kept.read_text() == "Try three times"
    total = int(shown.split("draft 1 of ")[1].split(",")[0])
    code, shown = commit(changed, [*[("[q] quit", "n")] * (total - 1), ("[q] quit", "\r")], "-a")
    assert code == 0 and message(changed) == "Try three times"
    assert not kept.exists()


def test_a_place_that_keeps_nothing_stops_no_commit(changed: Repo) -> None:
    place = changed.path / ".git" / "gitnotes"
    shutil.rmtree(place, ignore_errors=True)
    place.write_text("a file where the folder should be")
    keys = [("[q] quit", "e"), ("[q] quit", "\r")]
    code, shown = commit(changed, keys, "-a", EDITOR="sed -i.bak 1s/.*/Try_again/")
    assert code == 0, shown
    assert message(changed).startswith("Try_again")


def test_a_path_that_looks_like_an_option_is_a_path(changed: Repo) -> None:
    changed.write("--amend", "one\n")
    changed.git("add", "--", "--amend")
    code, shown = commit(changed, [("[q] quit", "\r")], "--", "--amend")
    assert code == 0 and "your text" not in shown
    assert changed.git("show", "--format=", "--name-only", "HEAD").split() == ["--amend"]
    assert changed.git("rev-list", "--count", "HEAD").strip() == "2"


def test_ctrl_c_is_the_editors_business(changed: Repo) -> None:
    editor = changed.path.parent / "editor"
    editor.write_text(
        "#!/bin/sh\ntrap 'echo heard' INT\necho ready; sleep 3\nsed -i.bak '1s/.*/Try_again/' \"$1\"\n"
    )
    editor.chmod(0o755)
    keys = [("[q] quit", "e"), ("ready", CTRL_C), ("[q] quit", "\r")]
    code, shown = commit(changed, keys, "-a", EDITOR=str(editor))
    assert code == 0 and "heard" in shown
    assert message(changed).startswith("Try_again")


def test_an_interrupted_question_ends_all(changed: Repo) -> None:
    code, shown = commit(changed, [("[q] quit", "w"), ("changed?", CTRL_C)], "-a")
    assert code == 130 and "Traceback" not in shown
    assert not (changed.path / ".git" / "index.lock").exists()


def test_what_makes_no_commit_uses_up_no_text(changed: Repo) -> None:
    kept = changed.path / ".git" / "gitnotes" / "message"
    kept.parent.mkdir(exist_ok=True)
    kept.write_text("Try three times")
    code, _ = commit(changed, [], "-a", "--dry-run")
    assert code == 0 and kept.read_text() == "Try three times"


@pytest.mark.parametrize("name", ["json.py", "gitnotes/__init__.py"])
def test_nothing_is_imported_from_the_work_tree(changed: Repo, name: str) -> None:
    changed.write(name, "raise SystemExit('this came with the clone')\n")
    code, shown = commit(changed, [("[q] quit", "\r")], "-a")
    assert code == 0 and "came with the clone" not in shown


def test_what_was_told_stands_on_its_own_line(changed: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """A draft without a reason has a finding, which is shown before."""
    from gitnotes.changes import read_staged_change
    from gitnotes.customs import repository_settings
    from gitnotes.read.git import open_git
    from gitnotes.recipes.committing import Candidate
    from gitnotes.recipes.grading import grade_text
    from gitnotes.show.choosing import show_candidate

    git = open_git(changed.path)
    changed.git("add", ".")
    graded = grade_text(git, repository_settings(git), "Update the client", change=read_staged_change(git))
    assert graded.grade.findings
    show_candidate(Candidate("Update the client", "draft", graded), 0, 1, told=["the model was left out"])
    lines = capsys.readouterr().err.split("\n")
    assert "the model was left out" in lines and "t" not in lines


def test_a_long_line_is_broken_between_words(
    changed: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from gitnotes.changes import read_staged_change
    from gitnotes.customs import repository_settings
    from gitnotes.read.git import open_git
    from gitnotes.recipes.committing import Candidate
    from gitnotes.recipes.grading import grade_text
    from gitnotes.show.choosing import show_candidate

    monkeypatch.setenv("COLUMNS", "40")
    git = open_git(changed.path)
    changed.git("add", ".")
    text = "Expose the client's timeout from the public API\n\n  - Close what a caller has left open again"
    graded = grade_text(git, repository_settings(git), text, change=read_staged_change(git))
    show_candidate(Candidate(text, "draft", graded), 0, 1)
    lines = capsys.readouterr().err.split("\n")
    assert "    Expose the client's timeout from the" in lines and "      public API" in lines
    assert "      - Close what a caller has left" in lines and "        open again" in lines


@pytest.mark.parametrize("option", ["-mfix", "-am", "-qsmfix", "--mess=fix", "-F", "--no-e", "--fixup=HEAD"])
def test_a_given_message_leaves_nothing_to_resume(changed: Repo, option: str) -> None:
    code, shown = commit(changed, [], "-a", option, "--resume")
    assert code == 2 and "no message to choose" in shown
    assert message(changed) == "Add a client"


def test_help_is_ours(changed: Repo) -> None:
    for option in ("-h", "--help"):
        done = changed.run(sys.executable, "-m", "gitnotes", "commit", option)
        assert done.returncode == 0 and b"Exit codes" in done.stdout


def test_without_a_terminal(changed: Repo) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gitnotes", "commit", "-a"],
        cwd=changed.path, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and "gitnotes suggest" in done.stderr


def test_ctrl_d_quits(changed: Repo) -> None:
    code, shown = commit(changed, [("[q] quit", "\x04")], "-a")
    assert code == 1 and "nothing was committed" in shown and "interrupted" not in shown


@pytest.mark.parametrize(
    ("editor", "told"),
    [
        ("printf 'Fix\\0it' >", "NUL byte"),
        ("head -c 3000000 /dev/zero >", "larger than"),
        ("rm", ""),
    ],
)
def test_what_an_editor_spoils_ends_nothing(changed: Repo, editor: str, told: str) -> None:
    place = changed.path / "editor.sh"
    place.write_text(f'{editor} "$1"\n')
    keys = [("[q] quit", "e"), ("[q] quit", "\r")]
    code, shown = commit(changed, keys, "-a", EDITOR=f"sh {place}")
    assert code == 0 and told in shown and "problem with the editor" not in shown
    assert "retries" in message(changed).partition("\n")[0]


def test_what_cannot_be_drafted_is_said_in_one_line(changed: Repo) -> None:
    changed.write(".gitnotes.toml", 'drafter = "nobody"\n')
    code, shown = commit(changed, [], "-a")
    assert code == 1
    assert [line for line in shown.split("\n") if line.strip()] == [
        "gitnotes: There is no drafter called 'nobody'. Choose one of: best, history, structure.\r"
    ]
