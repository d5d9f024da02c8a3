"""Does `gitnotes release` leave files whole and say one sentence, whatever happens to it?"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.test_cli import assert_sentence, run
from tests.test_release_writing import UNRELEASED, project, tag_text

__all__ = ["project"]

WRITE = ("release", "--as", "1.1.0", "--write", "CHANGELOG.md")
WHOLE = ("release", "--all", "--write", "CHANGELOG.md", "--replace")
posix = pytest.mark.skipif(os.name == "nt", reason="signals and permissions of POSIX")

KILLED = """
import os, signal, sys
from pathlib import Path
steps = int(sys.argv.pop(1))
here = os.path.join(os.path.realpath("."), "")
def counted(function):
    def call(*arguments, **options):
        global steps
        name = arguments[0]
        if isinstance(name, int) or os.path.realpath(name).startswith(here):
            if steps == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            steps -= 1
        return function(*arguments, **options)
    return call
for name in ("open", "fsync", "unlink"):
    setattr(os, name, counted(getattr(os, name)))
for name in ("replace", "unlink", "chmod"):
    setattr(Path, name, counted(getattr(Path, name)))
from gitnotes.__main__ import main
main()
"""


@posix
@pytest.mark.parametrize("command", [WRITE, WHOLE])
def test_killed_between_any_two_steps(project: Repo, command: tuple[str, ...]) -> None:
    path = project.path / "CHANGELOG.md"
    before = path.read_bytes()
    assert run(*command).code == 0
    after = path.read_bytes()
    assert after != before
    for steps in range(60):
        path.write_bytes(before)
        done = subprocess.run([sys.executable, "-c", KILLED, str(steps), *command], capture_output=True)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        assert path.read_bytes() in (before, after)
        if done.returncode == 0:
            break
    assert steps >= 3 and path.read_bytes() == after
    path.write_bytes(before)
    for one in project.path.glob(".gitnotes-*"):
        os.utime(one, (0, 0))  # what is young may be another run's
    assert run(*command).code == 0 and path.read_bytes() == after
    left = {one.name for one in project.path.iterdir()} - {"CHANGELOG.md", "a.py", "lock.py", ".git"}
    assert not left


@posix
@pytest.mark.slow
def test_killed_at_random_moments(project: Repo) -> None:
    path = project.path / "CHANGELOG.md"
    before = path.read_bytes()
    start = time.monotonic()
    assert run(*WRITE).code == 0
    needed = time.monotonic() - start
    after = path.read_bytes()
    for part in range(1, 13):
        path.write_bytes(before)
        with subprocess.Popen(
            [sys.executable, "-m", "gitnotes", *WRITE], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            time.sleep(needed * part / 10)
            process.kill()
        assert path.read_bytes() in (before, after)


NOBODY = """
import os, fcntl
import gitnotes.__main__, gitnotes.write.atomic, gitnotes.write.changelog, gitnotes.write.release_body
from gitnotes.recipes import release_all, release_writing
def as_nobody(function):
    def call(*arguments, **options):
        # The other user may not be able to read the modules of this one, so only the writing is theirs.
        if os.geteuid() == 0:
            os.setuid(65534)
        return function(*arguments, **options)
    return call
release_writing.write_release = as_nobody(release_writing.write_release)
release_all.write_whole = as_nobody(release_all.write_whole)
gitnotes.__main__.main()
"""


@posix
@pytest.mark.parametrize("what", ["file", "folder"])
@pytest.mark.parametrize("command", [WRITE, WHOLE])
def test_what_is_protected_stays(project: Repo, command: tuple[str, ...], what: str) -> None:
    path = project.path / "CHANGELOG.md"
    before = path.read_bytes()
    for parent in (project.path, *project.path.parents):
        if parent.stat().st_uid == os.geteuid() and not stat.S_IMODE(parent.stat().st_mode) & 1:
            parent.chmod(0o711)
    project.path.chmod(0o555 if what == "folder" else 0o777)
    path.chmod(0o444 if what == "file" else 0o666)
    done = subprocess.run([sys.executable, "-c", NOBODY, *command], capture_output=True, text=True)
    project.path.chmod(0o755)
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith("gitnotes: ") and "permission denied" in done.stderr
    assert done.stderr.count("\n") == 1 and path.read_bytes() == before


def test_a_crlf_changelog_stays_one_byte_for_byte(project: Repo) -> None:
    path = project.path / "CHANGELOG.md"
    odd = "## [1.0.0] - 2023-11-14\r\n\r\n### Fixed  \r\n\r\n-\tFirst\r\n\r\n\r\n* odd \\ `x`\r\n<!-- end -->"
    top = "\ufeff# Changelog\r\n\r\nText \u00e9.\r\n\r\n"
    path.write_bytes(f"{top}{odd}".encode())
    assert run(*WRITE).code == 0
    data = path.read_bytes().decode()
    assert data.startswith(f"{top}## [1.1.0] - 2024-03-01\r\n\r\n") and data.endswith(odd)
    assert data.count("\n") == data.count("\r\n")
    assert run(*WRITE).code == 0 and path.read_bytes().decode() == data


def test_a_whole_crlf_changelog_keeps_its_ends(project: Repo) -> None:
    path = project.path / "CHANGELOG.md"
    path.write_bytes(UNRELEASED.replace("\n", "\r\n").encode())
    assert run(*WHOLE).code == 0
    data = path.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") > 10


@pytest.mark.parametrize(
    "name",
    [
        "-f",
        "--force",
        "-d",
        "v1.1.0\nx",
        "v1.1.0\x1b[2J",
        "v1.1.0 x",
        "../v1.1.0",
        "v1..1",
        "",
        "@",
        "v1.1.0.lock",
    ],
)
def test_hostile_names_of_tags(project: Repo, name: str) -> None:
    before = project.git("for-each-ref")
    done = run("release", f"--tag={name}", "--write", "CHANGELOG.md")
    if name:  # an empty one is none
        assert_sentence(done, done.code)
        assert done.code in (2, 3) and "\x1b" not in done.err
        assert (project.path / "CHANGELOG.md").read_text() == UNRELEASED
    assert project.git("for-each-ref") == before


@pytest.mark.parametrize(
    "versions",
    ["--output=x", "-n1", "v1.0.0..\nx", "\x1b[2J", "v1.0.0..--all", "--all..HEAD", "v1.0.0 ..x", "@{-1}.."],
)
def test_hostile_ranges(project: Repo, versions: str) -> None:
    done = run("release", "--notes", "--write", "CHANGELOG.md", "--", versions)
    assert_sentence(done, done.code)
    assert done.code in (2, 3) and "\x1b" not in done.err
    assert project.git("for-each-ref", "refs/notes") == "" and not (project.path / "x").exists()
    assert (project.path / "CHANGELOG.md").read_text() == UNRELEASED


@pytest.mark.parametrize("name", ["-f", "--output=x", "a\nb.md", "a\x1b[2Jb.md"])
def test_hostile_names_of_files(project: Repo, name: str) -> None:
    for option in ("--write", "--github-release"):
        done = run("release", "--as", "1.1.0", f"{option}={name}")
        assert done.code in (0, 2, 3) and "Traceback" not in done.err
        assert "\x1b" not in done.err and done.err.count("\n") == 1
        if done.code == 0:
            assert (project.path / name).is_file()
            (project.path / name).unlink()
    assert run("release", "--all", f"--write={name}").code in (0, 3)


@pytest.mark.parametrize("option", ["--package", "--as", "--for", "--language", "--from", "--style"])
@pytest.mark.parametrize("value", ["--output=x", "a\nb\x1b[2J$(touch x)", "x" * 10_000])
def test_hostile_values(project: Repo, option: str, value: str) -> None:
    done = run("release", f"{option}={value}")
    assert "Traceback" not in done.err and "should not happen" not in done.err
    assert "\x1b" not in done.out + done.err and len(done.err) < 1500
    assert not (project.path / "x").exists()


def test_a_tag_keeps_its_message_whatever_the_note_says(project: Repo) -> None:
    project.commit("fix: keep\n\n# a comment?\n-----BEGIN PGP SIGNATURE-----", {"a.py": "x = 9\n"})
    assert run("release", "--tag", "v1.1.0").code == 0
    assert tag_text(project, "v1.1.0").startswith("## [1.1.0]")


@posix
def test_a_real_push_is_graded(project: Repo) -> None:
    """git's own refs on standard input, by a pre-push hook and a push to a bare repository."""
    bare = project.path.parent / "bare.git"
    project.git("init", "-q", "--bare", str(bare))
    project.git("remote", "add", "origin", str(bare))
    hook = Path(project.git("rev-parse", "--git-path", "hooks/pre-push"))
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gitnotes grade --pre-push --min 60\n')
    hook.chmod(0o755)
    assert project.run("git", "push", "-q", "--no-verify", "origin", "main").returncode == 0
    good = "Keep the lock when the clock goes back\n\nA clock that is set back let two runs in at once."
    project.commit(good, {"lock.py": "def keep_lock(clock):\n    return max(clock, 0)\n"})
    done = project.run("git", "push", "-q", "origin", "main")
    assert done.returncode == 0, done.stderr
    project.commit("stuff", {"lock.py": "def keep_lock(clock):\n    return 1\n"})
    done = project.run("git", "push", "-q", "origin", "main")
    assert done.returncode != 0 and b"stuff" in done.stdout + done.stderr
    assert project.git("ls-remote", "origin", "main")[:40] == project.git("rev-parse", "HEAD~1")
