"""Is a file whole after every way of failing?"""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gitnotes.errors import InputError
from gitnotes.write import atomic
from gitnotes.write.atomic import check_target, lock, replace_file

posix = pytest.mark.skipif(os.name != "posix", reason="permission bits and links are POSIX's")
ROOT = Path(__file__).resolve().parents[2]


def test_new_and_old_file(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    replace_file(path, b"one\n")
    assert path.read_bytes() == b"one\n"
    replace_file(str(path), b"two\r\n\0")
    assert path.read_bytes() == b"two\r\n\0"
    assert list(tmp_path.iterdir()) == [path]


@posix
@pytest.mark.parametrize("mode", [0o755, 0o600, 0o4711, 0o664])
def test_mode_is_kept(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "tool"
    path.write_bytes(b"old")
    path.chmod(mode)
    replace_file(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
def test_mode_of_a_new_file_obeys_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        replace_file(tmp_path / "new", b"")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


@posix
def test_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "real"
    target.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(Path("folder") / "real")
    replace_file(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    replace_file(link, b"own", follow_symlinks=False)
    assert not link.is_symlink()
    assert (link.read_bytes(), target.read_bytes()) == (b"own", b"new")


@posix
def test_places_that_are_no_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    cases = [(tmp_path, "a folder"), (pipe, "pipe"), (tmp_path / "none" / "file", "does not exist")]
    cases += [
        (pipe / "file", "not a folder"),
        (tmp_path / ("n" * 300), "too long"),
        (Path(os.devnull), "device"),
        (circle, "circle"),
    ]
    for path, reason in cases:
        with pytest.raises(InputError, match=reason):
            replace_file(path, b"x")
    assert sorted(item.name for item in tmp_path.iterdir()) == ["circle", "pipe"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert circle.is_symlink()


@posix
def test_a_target_is_looked_at_without_being_opened(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "to-pipe").symlink_to(pipe)
    one, two = tmp_path / "one", tmp_path / "two"
    one.symlink_to(two)
    two.symlink_to(one)
    with (tmp_path / "out").open("wb") as stream:
        open_stream = Path(f"/dev/fd/{stream.fileno()}")
        (tmp_path / "to-stream").symlink_to(open_stream)
        for path, reason in [
            (pipe, "pipe"),
            (tmp_path / "to-pipe", "pipe"),
            (one, "circle"),
            (Path("/dev/full") if Path("/dev/full").exists() else Path(os.devnull), "device"),
            (open_stream, "open stream"),
            (tmp_path / "to-stream", "open stream"),
            (tmp_path, "folder"),
            (tmp_path / "none" / "file", "does not exist"),
            (pipe / "file", "not a folder"),
        ]:
            with pytest.raises(InputError, match=reason):
                check_target(path)
    before = set(tmp_path.iterdir())
    (tmp_path / "to-new").symlink_to("new")
    for name in ("new", "to-new", "out"):
        check_target(tmp_path / name)
    assert set(tmp_path.iterdir()) == {*before, tmp_path / "to-new"}


@posix
def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / ".gitnotes-file.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError), lock(tmp_path / "file"):
        raise AssertionError("locked")
    assert not (tmp_path / "elsewhere").exists()


def test_a_lock_calls_the_place_by_the_name_that_it_is_given(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match=r"^Cannot write the folder: its folder does not exist"),
        lock(tmp_path / "none" / "hooks", name="the folder"),
    ):
        raise AssertionError("locked")


@posix
def test_full_disk(tmp_path: Path) -> None:
    import resource

    path = tmp_path / "notes.md"
    path.write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(InputError, match="larger than allowed"):
            replace_file(path, b"x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.chmod", "pathlib.Path.replace"])
@pytest.mark.parametrize(
    ("number", "reason"), [(errno.ENOSPC, "disk is full"), (errno.EACCES, "permission"), (0, "stop")]
)
def test_failure_at_any_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, number: int, reason: str
) -> None:
    path = tmp_path / "notes.md"
    path.write_bytes(b"old")

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number)) if number else KeyboardInterrupt("stop")

    monkeypatch.setattr(step, fail)
    with pytest.raises(InputError if number else KeyboardInterrupt, match=reason):
        replace_file(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_protected_file_and_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "notes.md"
    path.write_bytes(b"old")
    code = (
        "import sys; from pathlib import Path; from gitnotes.write.atomic import *; p = Path(sys.argv[1])\n"
        "for f in (lambda: replace_file(p, b'new'), lambda: lock(p).__enter__()):\n"
        "    try: f()\n"
        "    except Exception as e: print(type(e).__name__, e)\n"
    )
    nobody = 65534 if os.geteuid() == 0 else os.geteuid()
    for parent in (folder, *folder.parents):
        if parent.stat().st_uid == os.geteuid() and not stat.S_IMODE(parent.stat().st_mode) & 1:
            parent.chmod(0o711)

    def run() -> str:
        switch = f"import os; os.setuid({nobody})\n" if nobody != os.geteuid() else ""
        # The other user may not be able to read the modules of this one.
        load = "import fcntl, gitnotes.errors, gitnotes.write.atomic\n"
        done = subprocess.run(
            [sys.executable, "-c", load + switch + code, str(path)], cwd=ROOT, capture_output=True, text=True
        )
        assert done.stderr == ""
        return done.stdout

    folder.chmod(0o555)
    path.chmod(0o666)
    closed = run()
    assert closed.count("permission denied") == 2, closed
    folder.chmod(0o777)
    path.chmod(0o444)
    assert "permission denied" in run()
    assert path.read_bytes() == b"old"
    assert list(folder.iterdir()) == [path]


def test_leftovers_of_killed_runs_go(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    gone = tmp_path / f".gitnotes-{ended.pid}-0123456789abcdef.tmp"
    nameless = tmp_path / ".gitnotes-0123456789abcdef.tmp"
    young = tmp_path / f".gitnotes-{ended.pid}-fedcba9876543210.tmp"
    running = tmp_path / f".gitnotes-{os.getppid()}-fedcba9876543210.tmp"
    ancient = tmp_path / f".gitnotes-{os.getppid()}-0000000000000000.tmp"
    lost_lock = tmp_path / ".gitnotes-CHANGELOG.md.lock"
    foreign = [tmp_path / name for name in ("keep.tmp", ".gitnotes-1-mine.tmp", ".gitnotes.toml")]
    with lock(tmp_path / "held"):
        held_lock = tmp_path / ".gitnotes-held.lock"
        for path in (gone, nameless, young, running, ancient, lost_lock, *foreign):
            path.write_bytes(b"")
        now = time.time()
        for path in (gone, nameless, running, lost_lock, held_lock, *foreign):
            os.utime(path, (now - 120, now - 120))
        os.utime(ancient, (0, 0))
        replace_file(tmp_path / "file", b"x")
        kept = {young, held_lock, tmp_path / "file", *foreign}
        if os.name == "posix":
            kept.add(running)
            assert set(tmp_path.iterdir()) == kept
        assert kept <= set(tmp_path.iterdir())


@posix
def test_a_run_that_changes_nothing_sweeps_too(tmp_path: Path) -> None:
    lost = tmp_path / ".gitnotes-0123456789abcdef.tmp"
    lost.write_bytes(b"")
    os.utime(lost, (0, 0))
    with lock(tmp_path / "file"):
        assert not lost.exists()


ADD_ONE = """
import sys
from pathlib import Path
from gitnotes.write.atomic import lock, replace_file
path = Path(sys.argv[1])
for _ in range(40):
    with lock(path, seconds=60):
        replace_file(path, str(int(path.read_text()) + 1).encode())
"""


def test_two_runs_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "count"
    path.write_text("0")
    runs = [subprocess.Popen([sys.executable, "-c", ADD_ONE, str(path)], cwd=ROOT) for _ in range(4)]
    assert [run.wait() for run in runs] == [0, 0, 0, 0]
    assert path.read_text() == "160"
    assert list(tmp_path.iterdir()) == [path]


def test_lock_is_named_when_it_is_held_and_dies_with_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "CHANGELOG.md"
    code = (
        "import sys, time\nfrom gitnotes.write.atomic import lock\n"
        "with lock(sys.argv[1]):\n    print('held', flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], cwd=ROOT, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        begin = time.monotonic()
        with pytest.raises(InputError, match="Another gitnotes run"), lock(path, seconds=0.1):
            raise AssertionError("two holders")
        assert time.monotonic() - begin < 5
        holder.kill()
        holder.wait()
    with lock(path, seconds=5):
        pass
    assert list(tmp_path.iterdir()) == []


KILLED = """
import sys
from pathlib import Path
from gitnotes.write.atomic import replace_file
path = Path(sys.argv[1])
print('go', flush=True)
number = 0
while True:
    number += 1
    replace_file(path, str(number).encode() * 20000 + b'.')
"""


@posix
@pytest.mark.slow
def test_kill_at_random_moments(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    for delay in range(25):
        path.write_bytes(b"0" * 20000 + b".")
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path)], cwd=ROOT, stdout=subprocess.PIPE
        ) as run:
            assert run.stdout is not None
            run.stdout.readline()
            time.sleep(0.001 * delay)
            run.send_signal(signal.SIGKILL)
            run.wait()
        text = path.read_bytes()
        number = text[: (len(text) - 1) // 20000]
        assert text == number * 20000 + b"."


def test_reasons_are_sentences() -> None:
    for reason, hint in atomic._REASONS.values():
        assert reason == reason.strip(". ")
        assert hint.endswith(".")
