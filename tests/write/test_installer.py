"""Do hooks come and go without harm to anybody else's, even when the run is killed half-way?"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gitnotes.errors import InputError
from gitnotes.write import installer
from gitnotes.write.installer import HOOKS, install, is_installed, shipped_hook, uninstall

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permission bits and links are POSIX's")
ROOT = Path(__file__).resolve().parents[2]
OLD = b'#!/bin/sh\necho old "$@"\r\n\xff'


@pytest.fixture
def hooks(tmp_path: Path) -> Path:
    folder = tmp_path / "a 'quoted' folder" / "hooks"
    folder.mkdir(parents=True)
    return folder


def state(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """Everything in `folder`: mode and content, or where a link points."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(folder.iterdir()):
        content = os.readlink(path) if path.is_symlink() else path.read_bytes()  # noqa: PTH115
        found[path.name] = (stat.S_IMODE(path.lstat().st_mode), content)
    return found


def put(path: Path, content: bytes = OLD, mode: int = 0o755) -> None:
    path.write_bytes(content)
    path.chmod(mode)


def fresh(folder: Path) -> None:
    pass


def plain(folder: Path) -> None:
    put(folder / "commit-msg")


def odd_mode(folder: Path) -> None:
    put(folder / "commit-msg", mode=0o711)


def not_executable(folder: Path) -> None:
    put(folder / "commit-msg", mode=0o644)


def empty(folder: Path) -> None:
    put(folder / "commit-msg", b"", 0o600)


def link(folder: Path) -> None:
    put(folder.parent / "shared hook")
    (folder / "commit-msg").symlink_to(Path("..") / "shared hook")


def dangling(folder: Path) -> None:
    (folder / "commit-msg").symlink_to("nowhere")


def by_hand(folder: Path) -> None:
    put(folder / "commit-msg", shipped_hook("commit-msg"))


def orphan(folder: Path) -> None:
    put(folder / "commit-msg")
    put(folder / "commit-msg.gitnotes-chained", b"#!/bin/sh\necho older\n")


def edited(folder: Path) -> None:
    install(folder, ["commit-msg"])
    put(folder / "commit-msg", (folder / "commit-msg").read_bytes().replace(b"exit 0\n", b"exit 1\n"))


CASES = [fresh, plain, odd_mode, not_executable, empty, link, dangling, by_hand, orphan, edited]


@pytest.mark.parametrize("case", CASES)
def test_uninstall_puts_everything_back(hooks: Path, case: object) -> None:
    case(hooks)  # type: ignore[operator]
    before = state(hooks)
    assert [action.outcome for action in install(hooks)] == ["installed", "installed"]
    assert is_installed(hooks, "commit-msg")
    installed = state(hooks)
    assert [action.outcome for action in install(hooks)] == ["unchanged", "unchanged"]
    assert state(hooks) == installed
    uninstall(hooks)
    assert state(hooks) == before
    again = [action.outcome for action in uninstall(hooks)]
    assert set(again) <= {"absent", "left"}
    assert state(hooks) == before


def test_actions_are_told(hooks: Path) -> None:
    plain(hooks)
    first, second = install(hooks)
    assert (first.hook, first.outcome) == ("prepare-commit-msg", "installed")
    assert "commit-msg.gitnotes-chained and runs first" in str(second)
    assert [action.outcome for action in uninstall(hooks)] == ["removed", "restored"]
    not_executable(hooks)
    assert "not executable" in install(hooks)[1].detail
    (hooks / "commit-msg").unlink()
    put(hooks / "commit-msg", b"another tool's")
    assert [action.outcome for action in uninstall(hooks)] == ["removed", "left"]


def test_folder_that_does_not_exist_yet(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "hooks"
    assert [action.outcome for action in uninstall(folder)] == ["absent", "absent"]
    install(folder, ["commit-msg"])
    assert [path.name for path in folder.iterdir()] == ["commit-msg"]
    assert stat.S_IMODE((folder / "commit-msg").stat().st_mode) == 0o755


def test_places_that_cannot_hold_hooks(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a folder"):
        install(Path(os.devnull))
    (tmp_path / "commit-msg").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        install(tmp_path, ["commit-msg"])
    assert list(tmp_path.iterdir()) == [tmp_path / "commit-msg"]


def test_new_interpreter_updates_the_hook(hooks: Path) -> None:
    plain(hooks)
    before = state(hooks)
    install(hooks, python="/old/python")
    assert [action.outcome for action in install(hooks, python="/new/python")] == ["updated", "updated"]
    assert b"python=/new/python\n" in (hooks / "commit-msg").read_bytes()
    (hooks / "commit-msg").chmod(0o644)
    assert install(hooks, ["commit-msg"], python="/new/python")[0].outcome == "updated"
    uninstall(hooks)
    assert state(hooks) == before


def test_file_systems_without_second_names(hooks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refuse)
    plain(hooks)
    before = state(hooks)
    install(hooks)
    uninstall(hooks)
    assert state(hooks) == before


KILLED = """
import os, pathlib, sys
from gitnotes.write import installer
steps = int(sys.argv[3])
def counted(function):
    def call(*arguments, **options):
        global steps
        if steps == 0:
            os._exit(9)
        steps -= 1
        return function(*arguments, **options)
    return call
for name in ("link", "fsync", "open"):
    setattr(os, name, counted(getattr(os, name)))
for name in ("replace", "rename", "unlink", "chmod", "mkdir"):
    setattr(pathlib.Path, name, counted(getattr(pathlib.Path, name)))
if sys.argv[4] == "no links":
    def refuse(*_, **__):
        raise OSError(95, "no")
    os.link = counted(refuse)
getattr(installer, sys.argv[1])(pathlib.Path(sys.argv[2]), ["commit-msg"])
"""


@pytest.mark.parametrize("links", ["links", "no links"])
@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_killed_between_any_two_steps(tmp_path: Path, verb: str, links: str) -> None:
    for steps in range(100):
        hooks = tmp_path / str(steps)
        hooks.mkdir()
        plain(hooks)
        before = state(hooks)
        if verb == "uninstall":
            install(hooks, ["commit-msg"])
        done = subprocess.run(
            [sys.executable, "-c", KILLED, verb, str(hooks), str(steps), links], cwd=ROOT, check=False
        )
        assert done.returncode in (0, 9)
        if links == "links":
            # git must find a hook at every moment, the old one or one that runs it.
            assert b"old" in (hooks / "commit-msg").read_bytes() or is_installed(hooks, "commit-msg")
            assert any(content == OLD for _, content in state(hooks).values())
        mended = tmp_path / f"{steps} mended"
        shutil.copytree(hooks, mended, copy_function=os.link)
        install(mended, ["commit-msg"])
        assert is_installed(mended, "commit-msg")
        assert (mended / "commit-msg.gitnotes-chained").read_bytes() == OLD
        for folder in (hooks, mended):
            uninstall(folder, ["commit-msg"])
            left = {name: value for name, value in state(folder).items() if not name.startswith(".gitnotes-")}
            assert left == before, steps
        if done.returncode == 0:
            break
    assert steps >= 3
    assert done.returncode == 0


RECORD = b"""#!/bin/sh
printf '%s|' chained "$@" >> "$LOG"
cat >> "$LOG"
exit ${CHAINED_CODE-0}
"""


def run(hook: Path, *arguments: str, log: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs a hook as git does: at the top of a work tree, with few things on PATH."""
    environment = {"PATH": "/usr/bin:/bin", "LOG": str(log), **variables}
    return subprocess.run(
        [str(hook), *arguments],
        cwd=hook.parent,
        env=environment,
        input="stdin",
        capture_output=True,
        text=True,
    )


@pytest.fixture
def python(tmp_path: Path) -> str:
    """Stands for the interpreter, in a folder with a name that a shell could trip over."""
    path = tmp_path / """bin "$(touch oops)' \\ é""" / "python"
    path.parent.mkdir()
    put(
        path,
        b"""#!/bin/sh
printf '%s|' python "$4" "$5" "$6" "$7" "$GITNOTES_WRAPPED" "${GITNOTES_HOOK-unset}" >> "$LOG"
exit ${PYTHON_CODE-0}
""",
    )
    return str(path)


def test_chained_hook_runs_first_with_everything(hooks: Path, tmp_path: Path, python: str) -> None:
    for name in HOOKS:
        put(hooks / name, RECORD)
    install(hooks, python=python)
    log = tmp_path / "log"
    done = run(hooks / "prepare-commit-msg", "a b", "template", log=log)
    assert (done.returncode, done.stderr) == (0, "")
    assert log.read_text() == "chained|a b|template|stdinpython|prepare-commit-msg|a b|template||1|unset|"
    log.unlink()
    assert run(hooks / "commit-msg", "a b", log=log, CHAINED_CODE="7").returncode == 7
    assert log.read_text() == "chained|a b|stdin"
    log.unlink()
    (hooks / "commit-msg.gitnotes-chained").chmod(0o644)
    assert run(hooks / "commit-msg", "a b", log=log).returncode == 0
    assert log.read_text() == "python|commit-msg|a b|||1|unset|"
    assert not list(tmp_path.rglob("oops"))


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (["message"], {}),
        (["message", ""], {}),
        (["merge"], {}),
        (["commit", "HEAD"], {}),
        (["squash"], {"GIT_EDITOR": ":"}),
        ([""], {"GIT_EDITOR": ":"}),
        (["template"], {"GIT_EDITOR": ":"}),
        ([], {"GITNOTES_SKIP": "1"}),
        ([], {"GITNOTES_SKIP": "yes"}),
    ],
)
def test_wrapper_leaves_at_once(
    hooks: Path, tmp_path: Path, python: str, arguments: list[str], variables: dict[str, str]
) -> None:
    install(hooks, python=python)
    log = tmp_path / "log"
    done = run(hooks / "prepare-commit-msg", "FILE", *arguments, log=log, **variables)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not log.exists()
    assert run(hooks / "prepare-commit-msg", "FILE", "", log=log, GITNOTES_SKIP="0").returncode == 0
    assert log.read_text().startswith("python|")


@pytest.mark.parametrize(
    ("code", "result", "words"),
    [
        (0, 0, ""),
        (65, 1, ""),
        (66, 2, ""),
        (67, 3, ""),
        (68, 4, ""),
        (130, 130, ""),
        (1, 0, "could not run (exit code 1)"),
        (127, 0, "could not run (exit code 127)"),
        (134, 0, "could not run (exit code 134)"),
    ],
)
def test_only_codes_that_are_meant_stop_a_commit(
    hooks: Path, tmp_path: Path, python: str, code: int, result: int, words: str
) -> None:
    install(hooks, python=python)
    done = run(hooks / "commit-msg", "FILE", log=tmp_path / "log", PYTHON_CODE=str(code))
    assert done.returncode == result
    assert words in done.stderr
    assert done.stderr.count("\n") == bool(words)


def test_interpreter_that_has_gone(hooks: Path, tmp_path: Path, python: str) -> None:
    install(hooks, python=python)
    shutil.rmtree(Path(python).parent)
    done = run(hooks / "commit-msg", "FILE", log=tmp_path / "log")
    assert done.returncode == 0
    assert done.stderr.startswith("gitnotes: not found") and done.stderr.count("\n") == 1
    tools = tmp_path / "tools"
    tools.mkdir()
    put(tools / "gitnotes", b'#!/bin/sh\nprintf \'%s|\' found "$@" >> "$LOG"\n')
    run(hooks / "commit-msg", "FILE", log=tmp_path / "log", PATH=f"{tools}:/usr/bin:/bin")
    assert (tmp_path / "log").read_text() == "found|hook|commit-msg|FILE|"


def test_interpreter_without_gitnotes(hooks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = installer._fill_in
    monkeypatch.setattr(
        installer, "_fill_in", lambda *arguments: real(*arguments).replace(os.fsencode(ROOT), b"/nowhere")
    )
    install(hooks, ["commit-msg"], python=shutil.which("python3", path="/usr/bin:/bin") or sys.executable)
    done = run(hooks / "commit-msg", "FILE", log=tmp_path / "log")
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert "could not run" in done.stderr


def test_nothing_is_imported_from_the_work_tree(hooks: Path, tmp_path: Path) -> None:
    install(hooks, ["commit-msg"])
    for name in ("gitnotes", "os", "typing", "threading"):
        put(hooks / f"{name}.py", b"open('oops', 'w')\n")
    run(hooks / "commit-msg", "FILE", log=tmp_path / "log", GITNOTES_TIMEOUT="60")
    assert not (hooks / "oops").exists()


def test_another_tool_on_top_keeps_both_alive(hooks: Path, tmp_path: Path, python: str) -> None:
    """The pre-commit framework moves our hook to commit-msg.legacy and runs it; then we install again."""
    put(hooks / "commit-msg", RECORD)
    install(hooks, ["commit-msg"], python=python)
    (hooks / "commit-msg").rename(hooks / "commit-msg.legacy")
    put(
        hooks / "commit-msg",
        b'#!/bin/sh\nprintf "other|" >> "$LOG"\nexec "$0.legacy" "$@"\n'.replace(b"$0", b"./commit-msg"),
    )
    other = state(hooks)["commit-msg"]
    install(hooks, ["commit-msg"], python=python)
    log = tmp_path / "log"
    assert run(hooks / "commit-msg", "FILE", log=log).returncode == 0
    assert log.read_text() == "other|chained|FILE|stdinpython|commit-msg|FILE|||1|unset|"
    uninstall(hooks, ["commit-msg"])
    assert state(hooks)["commit-msg"] == other
    assert state(hooks)["commit-msg.legacy"] == (0o755, RECORD)
    assert len(state(hooks)) == 2


def test_two_installs_at_once(hooks: Path) -> None:
    plain(hooks)
    before = state(hooks)
    code = "import pathlib, sys\nfrom gitnotes.write.installer import *\ninstall(pathlib.Path(sys.argv[1]))"
    runs = [subprocess.Popen([sys.executable, "-c", code, str(hooks)], cwd=ROOT) for _ in range(5)]
    assert [one.wait() for one in runs] == [0] * 5
    assert len(state(hooks)) == 3
    uninstall(hooks)
    assert state(hooks) == before


@pytest.mark.parametrize("name", HOOKS)
@pytest.mark.parametrize("shell", ["sh", "dash", "bash", "ksh", "busybox"])
def test_wrappers_are_portable(name: str, shell: str) -> None:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"no {shell} here")
    words = [found, "sh"] if shell == "busybox" else [found, "--posix"] if shell == "bash" else [found]
    path = ROOT / "hooks" / name
    done = subprocess.run(
        [*words, str(path), "FILE"], env={"GITNOTES_SKIP": "1"}, capture_output=True, check=True
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    assert os.access(path, os.X_OK)
    assert b"\r" not in path.read_bytes()


@pytest.mark.parametrize("act", [install, uninstall])
def test_a_folder_that_cannot_be_written_is_named(
    hooks: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[Path], object]
) -> None:
    def refuse(path: object, *_: object, **__: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(InputError) as caught:
        act(hooks)
    monkeypatch.undo()
    assert caught.value.message == f"Cannot write {hooks}: permission denied."
    assert list(hooks.iterdir()) == []
