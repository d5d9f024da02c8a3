"""Which commits did a submodule gain when its commit changed?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gitnotes.errors import GitnotesError
from gitnotes.read.git import Git, open_git
from gitnotes.records import Change, FileChange, SubmoduleMove

MAX_SUBJECTS = 100
"""Subjects that are kept of one move."""
MAX_SUBMODULES = 50
"""Submodules that are looked into, one after the other."""
_NOT_HERE = "the submodule is not checked out here"


def add_submodules(git: Git, change: Change) -> Change:
    """The change with what each submodule that moved gained or lost, as far as it is here.

    Nothing is fetched, and a submodule that cannot be read gives a reason, never an error.
    """
    moved = [file for file in change.files if file.submodule and all(file.submodule)]
    moved = [file for file in moved if file.submodule and file.submodule[0] != file.submodule[1]]
    if not moved:
        return change
    places = _Places(git)
    moves = (
        _look_into(places, file) if number < MAX_SUBMODULES else _unread(file, "too many submodules moved")
        for number, file in enumerate(moved)
    )
    return replace(change, submodules=tuple(moves))


class _Places:
    """Where the repositories of submodules are: in the work tree, or kept by git for later."""

    def __init__(self, git: Git) -> None:
        self.kept = git.path("modules")
        try:
            self.top: Path | None = git.top()
        except GitnotesError:
            self.top = None

    def find(self, path: str) -> Path | None:
        # An empty folder would make git answer from the repository around it.
        if self.top is not None and (self.top / path / ".git").exists():
            return self.top / path
        inside = self.kept / path
        return inside if (inside / "HEAD").is_file() and (inside / "objects").is_dir() else None


def _unread(file: FileChange, reason: str) -> SubmoduleMove:
    old, new = file.submodule or ("", "")
    return SubmoduleMove(file.path, old, new, reason=reason)


def _look_into(places: _Places, file: FileChange) -> SubmoduleMove:
    place = places.find(file.path)
    if place is None:
        return _unread(file, _NOT_HERE)
    old, new = file.submodule or ("", "")
    try:
        inner = open_git(place, light=True)
        if inner.find(old) is None or inner.find(new) is None:
            return _unread(file, "the submodule does not have both commits; update it to see them")
        gained = _subjects(inner, old, new)
        backward = not gained
        subjects = gained or _subjects(inner, new, old)
    except GitnotesError as problem:
        return _unread(file, problem.message)
    reason = f"only the newest {MAX_SUBJECTS} commits were read" if len(subjects) > MAX_SUBJECTS else ""
    return SubmoduleMove(file.path, old, new, tuple(subjects[:MAX_SUBJECTS]), backward, reason)


def _subjects(git: Git, start: str, end: str) -> list[str]:
    """The subjects of the commits that `end` has and `start` has not, newest first, and one more."""
    output = git.run(
        *("-c", "log.showSignature=false", "log", "-z", "--format=%s", "--encoding=UTF-8", "--no-color"),
        *("--no-show-signature", "--no-notes", "--no-patch", "--topo-order", "--diff-merges=off"),
        *(f"--max-count={MAX_SUBJECTS + 1}", "--end-of-options", f"^{start}", end, "--"),
    )
    return [item.decode("utf-8", "replace") for item in output.split(b"\0")[:-1]]
