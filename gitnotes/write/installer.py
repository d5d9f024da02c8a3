"""How do gitnotes' hooks come into a repository beside other people's, and leave without a trace?

A hook that is already there moves aside to `NAME.gitnotes-chained` and is run first. Every step
is one rename, link or removal, ordered so that after a kill between any two of them git still
finds a hook that works, and a second run finishes the job.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gitnotes.errors import InputError
from gitnotes.write import atomic

HOOKS = ("prepare-commit-msg", "commit-msg")

Outcome = Literal["installed", "updated", "unchanged", "removed", "restored", "absent", "left"]

_STAMP = b"# written by `gitnotes install`; SHA-256 of the other lines: "
_CHAINED = re.compile(rb"^chained=([a-z-]+\.gitnotes-chained(?:-[0-9]+)?)$", re.MULTILINE)
_LARGEST = 1 << 20
_MOVED_BY_OTHERS = (".legacy", ".old")
"""What the pre-commit framework and lefthook append to a hook that they push aside."""


@dataclass(frozen=True, slots=True)
class Action:
    """What was done about one hook; `detail` is a sentence for the person."""

    hook: str
    outcome: Outcome
    detail: str

    def __str__(self) -> str:
        return f"{self.hook}: {self.detail}"


def install(hooks_dir: Path, names: Sequence[str] = HOOKS, *, python: str | None = None) -> list[Action]:
    """Put the hooks `names` into `hooks_dir`, the folder where git looks (it is made if need be).

    `python` is the interpreter that the hooks start, this one by default. A second call changes
    nothing. Raises InputError when the folder cannot be written.
    """
    _check_folder(hooks_dir)
    with atomic.explained(hooks_dir):
        hooks_dir.mkdir(parents=True, exist_ok=True)
    with atomic.lock(hooks_dir / "hooks", name=hooks_dir):
        return [_install_one(hooks_dir, name, python or sys.executable) for name in names]


def uninstall(hooks_dir: Path, names: Sequence[str] = HOOKS) -> list[Action]:
    """Take the hooks `names` out of `hooks_dir` and put back what was there before, byte for byte.

    A hook that gitnotes did not write, or that was edited since, stays as it is. Raises
    InputError when the folder cannot be written.
    """
    if not hooks_dir.is_dir():
        return [Action(name, "absent", "nothing to remove, there is no hooks folder.") for name in names]
    with atomic.lock(hooks_dir / "hooks", name=hooks_dir):
        return [_uninstall_one(hooks_dir, name) for name in names]


def is_installed(hooks_dir: Path, name: str) -> bool:
    """Whether the hook `name` in `hooks_dir` is one that `install` wrote, unchanged since."""
    return _is_ours(hooks_dir / name)


def chained_hook(hook: Path) -> Path | None:
    """The hook that `hook`, one of ours, runs first; None when there is none."""
    other = hook.parent / _chained_in(hook)
    return other if os.path.lexists(other) else None


def shipped_hook(name: str) -> bytes:
    """The hook `name` as it comes with gitnotes, before its settings are filled in."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "hooks", package.parent / "hooks"):
        with contextlib.suppress(OSError):
            return (folder / name).read_bytes()
    raise InputError(f"gitnotes comes without its {name} hook.", "Install gitnotes again.")


def _install_one(folder: Path, name: str, python: str) -> Action:
    hook = folder / name
    ours = _is_ours(hook)
    chained = _chained_name(folder, name, ours)
    wanted = _fill_in(shipped_hook(name), chained, python)
    other = folder / chained
    runs_first = f" The hook that was there before is now {chained} and runs first."
    with atomic.explained(hook):
        if ours:
            if hook.read_bytes() == wanted and _mode(hook) & 0o111 == 0o111:
                return Action(name, "unchanged", "installed already.")
            atomic.replace_file(hook, wanted, mode=0o755, follow_symlinks=False)
            return Action(name, "updated", "brought up to date.")
        if os.path.lexists(hook):
            _set_aside(hook, other)
        had_one = os.path.lexists(other)
        atomic.replace_file(hook, wanted, mode=0o755, follow_symlinks=False)
    idle = " It is not executable, so git did not run it and gitnotes does not either."
    detail = f"installed as {hook}."
    if had_one:
        detail += runs_first if _mode(other) & 0o111 else runs_first.replace(" and runs first", "") + idle
    return Action(name, "installed", detail)


def _uninstall_one(folder: Path, name: str) -> Action:
    hook = folder / name
    with atomic.explained(hook):
        # Another tool that was installed later may have pushed ours aside and still run it.
        for suffix in _MOVED_BY_OTHERS:
            pushed = folder / f"{name}{suffix}"
            if _is_ours(pushed):
                _take_away(folder, pushed)
                if not _is_ours(hook):
                    return Action(name, "removed", f"removed from {pushed}, where another tool had put it.")
        if _is_ours(hook):
            if _take_away(folder, hook):
                return Action(name, "restored", f"removed; {hook} is the hook that was there before.")
            return Action(name, "removed", f"removed {hook}.")
        aside = _newest_aside(folder, name)
        if aside is not None and not os.path.lexists(hook):
            aside.replace(hook)
            return Action(
                name, "restored", f"{hook} is back, which an interrupted run had left as {aside.name}."
            )
        if aside is not None and _same(aside, hook):
            aside.unlink()
            return Action(name, "restored", f"removed {aside.name}, which an interrupted run had left.")
        if aside is not None:
            return Action(
                name, "left", f"{hook} is not ours and stays; an older hook is kept as {aside.name}."
            )
        if os.path.lexists(hook):
            return Action(name, "left", f"{hook} is not ours, or was edited since, and stays.")
    return Action(name, "absent", "nothing to remove.")


def _take_away(folder: Path, hook: Path) -> bool:
    """Remove our `hook`; whether the one that it had pushed aside came back in its place."""
    aside = folder / _chained_in(hook)
    if os.path.lexists(aside):
        aside.replace(hook)
        return True
    hook.unlink()
    return False


def _set_aside(hook: Path, other: Path) -> None:
    """Give the file, or link, `hook` the name `other` as well, so that no moment is without a hook."""
    if stat.S_ISDIR(hook.lstat().st_mode):
        raise InputError(f"{hook} is a folder, where git wants a hook.", "Move it away.")
    if _same(hook, other):
        return
    try:
        os.link(hook, other, follow_symlinks=False)
    except (OSError, NotImplementedError):
        # Some file systems know no second name; a rename can be mended by the next run.
        hook.rename(other)


def _chained_name(folder: Path, name: str, ours: bool) -> str:
    """The name under which an earlier hook is kept, or goes now: never one that is taken."""
    hook = folder / name
    if ours:
        return _chained_in(hook)
    newest = _newest_aside(folder, name)
    if newest is None:
        return f"{name}.gitnotes-chained"
    # A run that was stopped half-way had chosen this name already.
    if not os.path.lexists(hook) or _same(newest, hook):
        return newest.name
    number = int(newest.name.rpartition("-chained")[2].lstrip("-") or 1)
    return f"{name}.gitnotes-chained-{number + 1}"


def _newest_aside(folder: Path, name: str) -> Path | None:
    """The hook that was moved aside last, of those that are still there."""
    newest = None
    number = 1
    while True:
        path = folder / f"{name}.gitnotes-chained{'' if number == 1 else f'-{number}'}"
        if not os.path.lexists(path) and number > 1:
            return newest
        if os.path.lexists(path):
            newest = path
        number += 1


def _chained_in(hook: Path) -> str:
    found = _CHAINED.search(hook.read_bytes())
    if found is None:
        raise InputError(f"{hook} has lost its settings.", "Remove it and run `gitnotes install`.")
    return found.group(1).decode()


def _fill_in(shipped: bytes, chained: str, python: str) -> bytes:
    """The shipped hook with its settings, and the stamp by which it is known again."""
    home = os.fspath(Path(__file__).resolve().parents[2])
    settings = {b"chained": chained, b"python": python, b"home": home}
    lines = shipped.split(b"\n")
    for number, line in enumerate(lines):
        key, equals, _ = line.partition(b"=")
        if equals and key in settings:
            lines[number] = key + b"=" + os.fsencode(shlex.quote(settings.pop(key)))
    if settings:
        raise InputError(
            "The hook that comes with gitnotes has lost its settings.", "Install gitnotes again."
        )
    body = b"\n".join(lines)
    return body + _STAMP + hashlib.sha256(body).hexdigest().encode() + b"\n"


def _is_ours(hook: Path) -> bool:
    """Whether `install` wrote the file `hook` and nobody has changed it; a link is somebody's own."""
    with contextlib.suppress(OSError):
        found = hook.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
            return False
        body, stamp, digest = hook.read_bytes().rpartition(_STAMP)
        return bool(stamp) and digest.strip() == hashlib.sha256(body).hexdigest().encode()
    return False


def _same(one: Path, other: Path) -> bool:
    """Whether both names are of one file, links not followed."""
    with contextlib.suppress(OSError):
        return os.path.samestat(one.lstat(), other.lstat())
    return False


def _mode(path: Path) -> int:
    with contextlib.suppress(OSError):
        return stat.S_IMODE(path.stat().st_mode)
    return 0


def _check_folder(folder: Path) -> None:
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(
            f"{folder} is where git looks for hooks, and it is not a folder.",
            "Look at `git config core.hooksPath`: hooks are switched off there.",
        )
