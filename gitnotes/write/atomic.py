"""How is a file replaced so that a reader, a crash or a full disk never meets half of it?"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from gitnotes.errors import InputError

_PREFIX = ".gitnotes-"
_SUFFIX = ".tmp"
_ABANDONED = 3600.0
"""Seconds after which a temporary file belongs to a run that was killed."""

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
    place = Path(os.path.realpath(path)) if follow_symlinks else Path(path)
    with explained(path):
        old = _look(place, path)
        if old is not None and stat.S_ISREG(old.st_mode) and not os.access(place, os.W_OK):
            # A rename would succeed: it asks the folder, not the file that somebody protected.
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(place))
        _sweep(place.parent)
        temporary = place.parent / f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"
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


@contextlib.contextmanager
def lock(path: Path | str, *, seconds: float = 10.0) -> Iterator[None]:
    """Keep other gitnotes runs away from the file at `path` until the block ends.

    The operating system holds the lock, on a file beside `path`, and drops it when the process
    dies, so nothing can go stale. Raises InputError when another run keeps it for `seconds`.
    """
    place = Path(os.path.realpath(path))
    beside = place.parent / f"{_PREFIX}{place.name}.lock"
    deadline = time.monotonic() + seconds
    with explained(path):
        while True:
            descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
            try:
                if _try_lock(descriptor) and _is_still(beside, descriptor):
                    break
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)
            if time.monotonic() >= deadline:
                raise InputError(
                    f"Another gitnotes run is writing {path}.",
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
    if stat.S_ISDIR(found.st_mode):
        raise InputError(f"Cannot write {name}: it is a folder.", "Name a file.")
    if stat.S_ISLNK(found.st_mode) or stat.S_ISREG(found.st_mode):
        return found
    raise InputError(f"Cannot write {name}: it is a device, pipe or socket.", "Name an ordinary file.")


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
    """Remove what runs that were killed left in `folder`."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not (entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX)):
                continue
            with contextlib.suppress(OSError):
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > _ABANDONED:
                    os.unlink(entry.path)  # noqa: PTH108 - a DirEntry is no Path


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
