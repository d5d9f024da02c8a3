"""Does the hook act only when it is wanted, and does a commit survive every failure of it?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path

import pytest

import gitnotes.recipes
from gitnotes import hook
from gitnotes.errors import GitError, InputError, ModelError

ROOT = Path(__file__).resolve().parents[1]


class Verdict:
    def __init__(self, *lines: str, passed: bool, strict: bool = False) -> None:
        self.lines = lines
        self.passed = passed
        self.strict = strict


class Calls:
    """Stands for gitnotes.recipes.hooking, and remembers what it was asked."""

    def __init__(self) -> None:
        self.files: list[tuple[str, Path]] = []
        self.answer: Callable[[], object] = lambda: None

    def fill_message_file(self, path: Path, seconds: float) -> object:
        assert seconds > 0
        self.files.append(("fill", path))
        return self.answer()

    def check_message_file(self, path: Path) -> object:
        self.files.append(("check", path))
        return self.answer()


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    made = Calls()
    module = types.ModuleType("gitnotes.recipes.hooking")
    module.__dict__.update(
        fill_message_file=made.fill_message_file, check_message_file=made.check_message_file
    )
    monkeypatch.setitem(sys.modules, "gitnotes.recipes.hooking", module)
    monkeypatch.setattr(gitnotes.recipes, "hooking", module, raising=False)
    # The tests' own editor is not git's word that none will open.
    monkeypatch.delenv("GIT_EDITOR", raising=False)
    return made


@pytest.mark.parametrize(
    ("arguments", "variables", "acts"),
    [
        ([], {}, True),
        ([""], {}, True),
        (["template"], {}, True),
        (["message"], {}, False),
        (["message", ""], {}, False),
        (["commit", "HEAD"], {}, False),
        (["merge"], {}, False),
        (["squash"], {}, True),
        (["something-new"], {}, False),
        ([], {"GIT_EDITOR": ":"}, False),
        ([], {"GIT_EDITOR": "vi"}, True),
        ([], {"GITNOTES_SKIP": "1"}, False),
        ([], {"GITNOTES_SKIP": "0"}, True),
        ([], {"GITNOTES_SKIP": ""}, True),
        ([], {"SKIP": "flake8, gitnotes-draft"}, False),
        ([], {"SKIP": "gitnotes-grade,gitnotes"}, True),
        ([], {"PRE_COMMIT": "1", "PRE_COMMIT_COMMIT_MSG_SOURCE": "message"}, False),
        ([], {"PRE_COMMIT_COMMIT_MSG_SOURCE": "commit", "PRE_COMMIT_COMMIT_OBJECT_NAME": "HEAD"}, False),
        ([], {"PRE_COMMIT_COMMIT_MSG_SOURCE": "template"}, True),
        (["template"], {"PRE_COMMIT_COMMIT_MSG_SOURCE": "merge"}, True),
        ([], {"GITNOTES_HOOK": "prepare-commit-msg:{here}/FILE"}, False),
        ([], {"GITNOTES_HOOK": "prepare-commit-msg:/elsewhere/FILE"}, True),
        ([], {"GITNOTES_HOOK": "commit-msg:{here}/FILE"}, True),
    ],
)
def test_when_a_message_is_prepared(
    calls: Calls, monkeypatch: pytest.MonkeyPatch, arguments: list[str], variables: dict[str, str], acts: bool
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(here=Path.cwd()))
    assert hook.main(["prepare-commit-msg", "FILE", *arguments]) == 0
    assert calls.files == ([("fill", Path("FILE"))] if acts else [])


@pytest.mark.parametrize(
    ("variables", "acts"),
    [
        ({}, True),
        ({"GIT_EDITOR": ":"}, True),
        ({"GITNOTES_SKIP": "1"}, False),
        ({"SKIP": "gitnotes-grade"}, False),
        ({"SKIP": "gitnotes-draft"}, True),
        ({"PRE_COMMIT_COMMIT_MSG_SOURCE": "message"}, True),
    ],
)
def test_when_a_message_is_checked(
    calls: Calls, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], acts: bool
) -> None:
    calls.answer = lambda: Verdict(passed=True)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert hook.main(["commit-msg", "FILE"]) == 0
    assert calls.files == ([("check", Path("FILE"))] if acts else [])


def test_settings_may_ask_to_block(calls: Calls) -> None:
    calls.answer = lambda: Verdict("poor", passed=False, strict=True)
    assert hook.main(["commit-msg", "FILE"]) == 1


def test_note_and_findings_go_to_stderr(calls: Calls, capfd: pytest.CaptureFixture[str]) -> None:
    calls.answer = lambda: "a note"
    assert hook.main(["prepare-commit-msg", "FILE"]) == 0
    calls.answer = lambda: Verdict("first", "second", passed=False)
    assert hook.main(["commit-msg", "FILE"]) == 0
    assert capfd.readouterr() == (
        "",
        "a note\nfirst\nsecond\ngitnotes: to mend it now: git commit --amend\n",
    )


@pytest.mark.parametrize("how", ["option", "variable"])
def test_strict_blocks_a_poor_message_and_says_how_to_go_on(
    calls: Calls, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], how: str
) -> None:
    options = ["--strict"] if how == "option" else []
    if how == "variable":
        monkeypatch.setenv("GITNOTES_STRICT", "1")
    calls.answer = lambda: Verdict("poor", passed=False)
    assert hook.main(["commit-msg", *options, "a b/MSG"]) == 1
    assert capfd.readouterr().err.endswith("git commit -e -F 'a b/MSG'\n")
    monkeypatch.setenv("GIT_PREFIX", "sub/")
    assert hook.main(["commit-msg", *options, "MSG"]) == 1
    assert capfd.readouterr().err.endswith(f"git commit -e -F {Path.cwd() / 'MSG'}\n")
    calls.answer = lambda: Verdict(passed=True)
    assert hook.main(["commit-msg", *options, "MSG"]) == 0


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


def exhaust() -> None:
    exhaust()


def leave() -> None:
    raise SystemExit(7)


@pytest.mark.parametrize(
    ("problem", "code", "line"),
    [
        (InputError("No such file.", "Name one."), 3, "gitnotes: No such file. Name one."),
        (GitError("git\nis \x1b[31mred\u202e"), 3, "gitnotes: git is ?[31mred?"),
        (ModelError("silent"), 4, "gitnotes: silent"),
        (ValueError("odd"), 3, "gitnotes: ValueError: odd"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), 3, "gitnotes: UnicodeDecodeError: "),
        (OSError(28, "No space left on device", "f\udcff"), 3, "gitnotes: OSError: [Errno 28] No space left"),
        (MemoryError(), 3, "gitnotes: MemoryError"),
        (Unprintable(), 3, "gitnotes: Unprintable"),
        (SystemExit(9), 3, "gitnotes: SystemExit: 9"),
        (GeneratorExit(), 3, "gitnotes: GeneratorExit"),
    ],
)
@pytest.mark.parametrize("name", ["prepare-commit-msg", "commit-msg"])
def test_any_failure_is_one_line(
    calls: Calls,
    capfd: pytest.CaptureFixture[str],
    name: str,
    problem: BaseException,
    code: int,
    line: str,
) -> None:
    def fail() -> None:
        raise problem

    calls.answer = fail
    assert hook.main([name, "FILE"]) == 0
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(line) and err.count("\n") == 1
    assert hook.main([name, "--strict", "FILE"]) == code


def test_endless_recursion(calls: Calls, capfd: pytest.CaptureFixture[str]) -> None:
    calls.answer = exhaust
    assert hook.main(["commit-msg", "FILE"]) == 0
    assert capfd.readouterr().err.startswith("gitnotes: RecursionError: ")


def test_broken_installation(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "gitnotes.recipes.hooking", None)
    monkeypatch.delattr(gitnotes.recipes, "hooking", raising=False)
    assert hook.main(["commit-msg", "FILE"]) == 0
    err = capfd.readouterr().err
    assert err.startswith(("gitnotes: ImportError: ", "gitnotes: ModuleNotFoundError: "))
    assert hook.main(["commit-msg", "--strict", "FILE"]) == 3


@pytest.mark.parametrize("strict", [[], ["--strict"]])
def test_interrupt(calls: Calls, strict: list[str]) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    calls.answer = interrupt
    assert hook.main(["prepare-commit-msg", *strict, "FILE"]) == 130


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["commit-msg", "--help"]])
def test_help_is_a_result(capfd: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert hook.main(arguments) == 0
    out, err = capfd.readouterr()
    assert (out.startswith("usage: gitnotes hook"), err) == (True, "")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 2),
        (["pre-push", "FILE"], 2),
        (["nonsense\x1b[31m"], 2),
        (["commit-msg"], 0),
        (["commit-msg", "--strict"], 2),
        (["prepare-commit-msg", "--loud", "FILE"], 0),
        (["prepare-commit-msg", "--strict", "--loud", "FILE"], 2),
    ],
)
def test_usage(calls: Calls, capfd: pytest.CaptureFixture[str], arguments: list[str], code: int) -> None:
    assert hook.main(arguments) == code
    err = capfd.readouterr().err
    assert err.count("\n") == 1
    assert "usage: gitnotes hook" in err
    assert "\x1b" not in err
    assert calls.files == []


def test_name_of_a_file_may_look_like_an_option(calls: Calls) -> None:
    assert hook.main(["prepare-commit-msg", "--", "--strict"]) == 0
    assert calls.files == [("fill", Path("--strict"))]


def test_wrapper_gets_codes_that_no_broken_python_gives(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITNOTES_WRAPPED", "1")
    calls.answer = lambda: Verdict(passed=False)
    assert hook.main(["commit-msg", "--strict", "FILE"]) == 65
    assert hook.main(["commit-msg", "FILE"]) == 0
    calls.answer = lambda: Verdict(passed=True)
    assert hook.main(["commit-msg", "--strict", "FILE"]) == 0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, 5),
        ("", 5),
        ("0.5", 0.5),
        ("0", 0),
        ("-3", -3),
        ("soon", 5),
        ("nan", 5),
        ("inf", 86400),
        ("1e99", 86400),
    ],
)
def test_time_box(monkeypatch: pytest.MonkeyPatch, value: str | None, seconds: float) -> None:
    if value is not None:
        monkeypatch.setenv("GITNOTES_TIMEOUT", value)
    assert hook._time_box() == seconds


PROCESS = """
import sys, types
module = types.ModuleType("gitnotes.recipes.hooking")
exec({body!r}, module.__dict__)
import gitnotes.recipes
sys.modules["gitnotes.recipes.hooking"] = gitnotes.recipes.hooking = module
from gitnotes.hook import main
sys.exit(main(sys.argv[1:]))
"""


def command(body: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", PROCESS.format(body=body), *arguments]


SLOW = (
    "import time\ndef fill_message_file(path, seconds=0):\n    time.sleep(60)\n"
    "def check_message_file(path):\n    time.sleep(60)\n"
)


@pytest.mark.parametrize(("options", "code"), [([], 0), (["--strict"], 3)])
def test_time_is_up(monkeypatch: pytest.MonkeyPatch, options: list[str], code: int) -> None:
    monkeypatch.setenv("GITNOTES_TIMEOUT", "0.3")
    begin = time.monotonic()
    done = subprocess.run(
        command(SLOW, "commit-msg", *options, "FILE"), cwd=ROOT, capture_output=True, text=True
    )
    assert time.monotonic() - begin < 20
    assert done.returncode == code
    assert done.stderr.startswith("gitnotes: commit-msg took longer than 0.3 s")
    # A refused commit needs the way back to its message, too.
    assert done.stderr.count("\n") == (2 if options else 1)
    assert ("git commit -e -F FILE" in done.stderr) == bool(options)


@pytest.mark.skipif(os.name != "posix", reason="signals and /dev/full are POSIX's")
def test_interrupt_of_the_process() -> None:
    body = SLOW.replace("    time.sleep", "    print('go', flush=True)\n    time.sleep")
    with subprocess.Popen(
        command(body, "commit-msg", "FILE"),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err == "gitnotes: interrupted.\n"


LOUD = "def check_message_file(path):\n    raise ValueError('x' * 10000)\n"


@pytest.mark.skipif(os.name != "posix", reason="signals and /dev/full are POSIX's")
@pytest.mark.parametrize(
    "ending", ["2>&-", "2>/dev/full", ">&- 2>&-", ">/dev/full 2>/dev/full", "<&- >&- 2>&-"]
)
def test_closed_and_full_outputs(tmp_path: Path, ending: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$@" {ending}', "sh", *command(LOUD, "commit-msg", "FILE")], cwd=ROOT, timeout=60
    )
    assert done.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="descriptors are POSIX's")
def test_no_file_becomes_the_error_output(tmp_path: Path) -> None:
    target = tmp_path / "file"
    body = (
        "import os\ndef check_message_file(path):\n"
        f"    number = os.open({os.fspath(target)!r}, os.O_CREAT | os.O_WRONLY)\n"
        "    os.write(number, b'%d' % (number > 2))\n    os._exit(0)\n"
    )
    subprocess.run(
        ["sh", "-c", '"$@" <&- >&- 2>&-', "sh", *command(body, "commit-msg", "FILE")], cwd=ROOT, check=True
    )
    assert target.read_bytes() == b"1"


@pytest.mark.parametrize("arguments", [["prepare-commit-msg", "FILE", "message"], ["pre-push"]])
def test_decision_loads_nothing(arguments: list[str]) -> None:
    code = (
        f"import sys; sys.path.append({str(ROOT)!r}); import gitnotes; before = set(sys.modules)\n"
        "from gitnotes.hook import main; main(sys.argv[1:]); print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) <= {"gitnotes.hook", "__future__"}
