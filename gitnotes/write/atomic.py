"""How is a file replaced so that a reader, a crash or a full disk never meets half of it?"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from gitnotes.errors import InputError

_PREFIX = ".gitnotes-"
_TEMPORARY = re.compile(r"\.gitnotes-(?:([0-9]{1,10})-)?[0-9a-f]{16}\.tmp")
_LOCK = re.compile(r"\.gitnotes-.*\.lock", re.DOTALL)
_DESCRIPTORS = re.compile(r"/dev/fd|/proc/[^/]+(?:/task/[0-9]+)?/fd")
_YOUNG = 60.0
"""Seconds during which a file of another run is left alone, whatever became of its process."""
_ABANDONED = 86400.0
"""Seconds after which a temporary file is nobody's, though a process has its number (again)."""
_MOST_LINKS = 40

_REASONS = {
    errno.EACCES: ("permission denied", "Change the permissions of the file or of its folder."),
    errno.EPERM: ("permission denied", "Change the permissions of the file or of its folder."),
    errno.EROFS: ("the file system is read-only", "Write to another place."),
    errno.ENOSPC: ("the disk is full", "Free some space and run it again; the old file is whole."),
    errno.EDQUOT: ("the disk quota is used up", "Free some space and run it again; the old file is whole."),
    errno.EFBIG: (
        "the file would be larger than allowed",
        "Raise the limit on file sizes; the old file is whole.",
    ),
    errno.ENOENT: ("its folder does not exist", "Create the folder first."),
    errno.ENOTDIR: ("its folder is not a folder", "Check the path."),
    errno.ELOOP: ("its symbolic links go in a circle", "Check where the links point."),
    errno.ENAMETOOLONG: ("its name is too long", "Use a shorter path."),
}


def replace_file(
    path: Path | str, data: bytes, *, mode: int | None = None, follow_symlinks: bool = True
) -> None:
    """Give the file at `path` the content `data`, all of it or nothing.

    A symbolic link is followed, so that its target changes and the link stays, unless
    `follow_symlinks` is false. The permission bits of an existing file are kept; `mode` sets
    others. The old file is whole after any failure, and no temporary file is left behind.

    Raises InputError when `path` is no regular file or cannot be written.
    """
    if follow_symlinks:
        check_target(path)
    place = Path(os.path.realpath(path)) if follow_symlinks else Path(path)
    with explained(path):
        old = _look(place, path)
        if old is not None and stat.S_ISREG(old.st_mode) and not os.access(place, os.W_OK):
            # A rename would succeed: it asks the folder, not the file that somebody protected.
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(place))
        _sweep(place.parent)
        temporary = place.parent / f"{_PREFIX}{os.getpid()}-{secrets.token_hex(8)}.tmp"
        try:
            _write(temporary, data)
            if old is not None and stat.S_ISREG(old.st_mode):
                _take_after(temporary, old)
            if mode is not None:
                temporary.chmod(mode)
            temporary.replace(place)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        _sync_folder(place.parent)


def check_target(path: Path | str) -> None:
    """Look whether `path` is a place for a file: nothing yet, a regular file, or a link to either.

    Reads and changes nothing, so it can be asked before any work is done. Raises InputError for a
    folder, a device, pipe or socket, an open descriptor such as /dev/stdout, links in a circle, and
    a folder that is not there.
    """
    with explained(path):
        if _is_descriptor(path):
            raise InputError(
                f"Cannot write {path}: it is an open stream, not a file.", "Name an ordinary file."
            )
        try:
            found = Path(path).stat()
        except FileNotFoundError:
            # Also of a link to nothing, which is a place for a new file.
            Path(os.path.realpath(path)).parent.stat()
        else:
            _check_kind(found, path)


@contextlib.contextmanager
def lock(path: Path | str, *, seconds: float = 10.0, name: Path | str | None = None) -> Iterator[None]:
    """Keep other gitnotes runs away from the file at `path` until the block ends.

    The operating system holds the lock, on a file beside `path`, and drops it when the process
    dies, so nothing can go stale. `name` is what a sentence calls the place, `path` by default.
    Raises InputError when another run keeps it for `seconds`.
    """
    shown = name or path
    place = Path(os.path.realpath(path))
    beside = place.parent / f"{_PREFIX}{place.name}.lock"
    deadline = time.monotonic() + seconds
    # A link with that name was put there by somebody who wants another file to be made or locked.
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    with explained(shown):
        _sweep(beside.parent)
        while True:
            descriptor = os.open(beside, flags, 0o666)
            try:
                if _try_lock(descriptor) and _is_still(beside, descriptor):
                    break
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)
            if time.monotonic() >= deadline:
                raise InputError(
                    f"Another gitnotes run is writing {shown}.",
                    "Wait until it has ended, then run this again.",
                )
            time.sleep(0.01)
    try:
        yield
    finally:
        # Removed while it is still held: a run that waits sees by the inode that it must start over.
        with contextlib.suppress(OSError):
            beside.unlink()
        os.close(descriptor)


@contextlib.contextmanager
def explained(path: Path | str) -> Iterator[None]:
    """Turn an OSError of the block into an InputError about `path`."""
    try:
        yield
    except OSError as problem:
        reason, hint = _REASONS.get(problem.errno or 0, (problem.strerror or type(problem).__name__, ""))
        raise InputError(f"Cannot write {path}: {reason}.", hint) from problem


def _look(place: Path, name: Path | str) -> os.stat_result | None:
    """What is at `place` now; None when there is nothing."""
    try:
        found = place.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISLNK(found.st_mode):
        _check_kind(found, name)
    return found


def _check_kind(found: os.stat_result, name: Path | str) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise InputError(f"Cannot write {name}: it is a folder.", "Name a file.")
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"Cannot write {name}: it is a device, pipe or socket.", "Name an ordinary file.")


def _is_descriptor(path: Path | str) -> bool:
    """Whether `path` stands for an open descriptor: replacing the file behind one would not write to it."""
    place = Path(path).absolute()
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(place.parent)
        if place.name.isdigit() and _DESCRIPTORS.fullmatch(folder):
            return True
        if not place.is_symlink():
            return False
        place = Path(folder) / place.readlink()
    return False


def _write(temporary: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(temporary, flags, 0o666), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _take_after(temporary: Path, old: os.stat_result) -> None:
    """Give the new file the owner and the permission bits of the old one."""
    new = temporary.stat()
    if hasattr(os, "chown") and (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        # Only root may give a file away; everybody else keeps what the folder gives.
        with contextlib.suppress(OSError):
            os.chown(temporary, old.st_uid, old.st_gid)
    temporary.chmod(stat.S_IMODE(old.st_mode))


def _sync_folder(folder: Path) -> None:
    """Make the rename itself last; not every system can open a folder."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sweep(folder: Path) -> None:
    """Remove what runs that were killed left in `folder`: temporary files, and locks that nobody holds."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(_PREFIX):
                continue
            with contextlib.suppress(OSError):
                found = entry.stat(follow_symlinks=False)
                age = time.time() - found.st_mtime
                if age < _YOUNG or not stat.S_ISREG(found.st_mode):
                    continue
                if match := _TEMPORARY.fullmatch(entry.name):
                    if age > _ABANDONED or not _is_running(int(match[1] or 0)):
                        os.unlink(entry.path)  # noqa: PTH108 - a DirEntry is no Path
                elif _LOCK.fullmatch(entry.name) and found.st_size == 0:
                    _remove_free_lock(Path(entry.path))


def _is_running(process: int) -> bool:
    """Whether a process has that number now; on Windows, which cannot be asked, it is taken to."""
    if not process:
        return False
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _remove_free_lock(beside: Path) -> None:
    """Remove a lock file that no run holds, by the same rule as its last holder would."""
    descriptor = os.open(beside, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    try:
        if _try_lock(descriptor) and _is_still(beside, descriptor):
            beside.unlink()
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    """Whether this process got the lock; never waits."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
    else:
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            if problem.errno in (errno.EAGAIN, errno.EACCES):
                return False
            raise
    return True


def _is_still(beside: Path, descriptor: int) -> bool:
    """Whether `beside` is still the file behind `descriptor`, not removed by the last holder."""
    try:
        return os.path.samestat(beside.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
