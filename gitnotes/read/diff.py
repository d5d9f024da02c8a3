"""What is about to be committed, or what did one commit do, as a `Change`?

One git process tells which files there are (`--raw -z`) and then shows their patches, with every
setting pinned that would change either. What is too much to hold is counted, and said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from gitnotes.errors import CannotJudge, GitError
from gitnotes.read.attributes import attributes_file
from gitnotes.read.complaints import NEVER_FETCHED
from gitnotes.read.git import OBJECT_ID, Git
from gitnotes.read.ignoring import leave_out, read_ignore_patterns
from gitnotes.read.patch import (
    MAX_FILE_LINES,
    MAX_LINE,
    FilePatch,
    Section,
    add_counts,
    find_pointers,
    in_words,
    parse_patch,
    read_plain_section,
    read_section,
    split_sections,
)
from gitnotes.read.raw import RawEntry, cut_raw, read_raw
from gitnotes.records import Change, FileChange, Hunk, Omission

__all__ = [
    "MAX_FILE_LINES",
    "MAX_LINE",
    "PATCH_OPTIONS",
    "PATCH_SETTINGS",
    "parse_patch",
    "read_between",
    "read_commit",
    "read_staged",
    "read_work_tree",
]

BIG_FILE = 1 << 20
"""Bytes; larger files are named, not read (core.bigFileThreshold)."""
MAX_PATCH = 8 << 20
"""Bytes of patch that are kept of one change; the lines of the rest are counted."""
MAX_COUNTED = 256 << 20
"""Bytes of patch after which git is stopped, and the rest is not counted either."""
RENAME_LIMIT = 1000
"""Files on each side among which renames with edits are searched (diff.renameLimit)."""

# git's own drivers that the attributes name; the user's settings could call their files binary.
_DRIVERS = (
    *("ada", "bash", "bibtex", "cpp", "csharp", "css", "dts", "elixir", "fortran", "fountain", "golang"),
    *("html", "java", "kotlin", "markdown", "objc", "pascal", "perl", "php", "python", "ruby", "rust"),
    *("scheme", "tex"),
)
_SETTINGS = (
    *(word for driver in _DRIVERS for word in ("-c", f"diff.{driver}.binary=auto")),
    *("-c", "core.quotePath=false"),
    *("-c", f"core.bigFileThreshold={BIG_FILE}"),
    *("-c", "diff.suppressBlankEmpty=false"),
    # A program that the configuration names would be started to read the work tree.
    *("-c", "core.fsmonitor=false"),
)
# Ours name git's own drivers, which find the enclosing definition; the user's could hide a file.
PATCH_SETTINGS = (*_SETTINGS, "-c", f"core.attributesFile={attributes_file()}")
"""For patches between trees and the index; a work tree is read with the user's own attributes."""
PATCH_OPTIONS = (
    *("-p", "-M", f"-l{RENAME_LIMIT}", "--full-index", "--no-ext-diff", "--no-textconv", "--no-color"),
    *("-U3", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/"),
    *("--diff-algorithm=histogram", "--submodule=short", "-O/dev/null", "--no-relative"),
    *("--indent-heuristic", "--ignore-submodules=dirty"),
)

_ONLY_COUNTED = f"the change has more than {MAX_PATCH >> 20} MB of patch, so its lines were only counted"
_NOT_READ = f"the change has more than {MAX_COUNTED >> 20} MB of patch, so it was not read"


def read_staged(git: Git, *, amend: bool = False, copies: bool = False) -> Change:
    """The staged change, against HEAD, or against its parent when it amends HEAD.

    Honours the temporary index of `git commit -a`, `-p` and `FILE` through GIT_INDEX_FILE. `copies`
    also looks for copies among the changed files. Raises GitError when git cannot tell.
    """
    base = git.head()
    if amend:
        base = _parent(git, base) if base else None
    # `git add -N` only announces a file; `git commit` leaves it out.
    command = ("diff-index", "--cached", "--ita-invisible-in-index")
    return _read(git, command, [base or git.empty_tree()], target="index", copies=copies)


def read_work_tree(git: Git, *, copies: bool = False) -> Change:
    """What the work tree has that HEAD has not; untracked files are not part of it.

    Nothing is written: the index is not refreshed.
    """
    base = git.head() or git.empty_tree()
    return _read(git, ("diff-index",), [base], target="worktree", copies=copies)


def read_commit(git: Git, revision: str, *, copies: bool = False) -> Change:
    """What the commit `revision` did, against its first parent.

    Raises UnknownRevision, or CannotJudge when the clone is too shallow to have the parent.
    """
    both = _commit_and_parent(git, revision)
    if both is None:
        target = git.resolve(revision)
        base = _parent(git, target) or git.empty_tree()
    else:
        target, base = both
    return _read(git, ("diff-tree", "-r"), [base, target], target=target, copies=copies)


def read_between(git: Git, base: str, target: str) -> Change:
    """What all commits together do that lead from the commit `base` to the commit `target`, both
    given by their ids. Raises GitError."""
    return _read(git, ("diff-tree", "-r"), [base, target], target=target, copies=False)


def _commit_and_parent(git: Git, revision: str) -> list[str] | None:
    """The ids of the commit that `revision` names and of its first parent, by one start of git; None
    where that does not tell."""
    if "\0" in revision:
        return None
    question = ("rev-parse", "--quiet", "--revs-only", "--end-of-options")
    found = git.text(*question, f"{revision}^{{commit}}", f"{revision}^1^{{commit}}", ok=(0, 1, 128)).split()
    return found if len(found) == 2 and all(map(OBJECT_ID.fullmatch, found)) else None


def _parent(git: Git, commit: str) -> str | None:
    """The first parent; None for a root."""
    problem: GitError | None = None
    try:
        parent = git.find(f"{commit}^1")
    except GitError as found:
        if found.message == NEVER_FETCHED:
            raise
        problem, parent = found, None
    if parent is not None or not _names_parent(git, commit):
        return parent
    if git.is_shallow():
        raise CannotJudge(
            "This clone is shallow and lacks the parent of that commit, so the change cannot be seen.",
            "Run: git fetch --unshallow",
        )
    question = ("rev-list", "--parents", "--max-count=1", "--end-of-options", commit, "--")
    if problem is None and git.run(*question, ok=(0, 128)).strip() == commit.encode():
        return None  # a graft or a replacement made it a root
    raise CannotJudge(
        "The parent of that commit is missing from this repository.",
        "Check what is missing with: git fsck; then fetch it again.",
    ) from problem


def _names_parent(git: Git, commit: str) -> bool:
    """Whether the commit itself names a parent, whatever the shallow boundary or a graft hides."""
    header = git.run("cat-file", "commit", commit).split(b"\n\n", 1)[0]
    return b"\nparent " in header


def _read(git: Git, command: Sequence[str], trees: Sequence[str], *, target: str, copies: bool) -> Change:
    options = (*PATCH_OPTIONS, *(("-C",) if copies else ()), "--raw", "-z", "--no-abbrev")
    # What the files of the work tree contain (filters, line ends) is for the user's attributes to say.
    settings = _SETTINGS if target == "worktree" else PATCH_SETTINGS
    blocks = git.stream(*settings, *command, *options, "--end-of-options", *trees, "--")
    raw, patch = cut_raw(blocks)
    entries = read_raw(raw)
    found = _Reader(entries)
    try:
        found.read(split_sections(patch))
    finally:
        blocks.close()  # type: ignore[attr-defined]
    return leave_out(found.finish(git, base=trees[0], target=target), read_ignore_patterns(git))


class _Reader:
    """Joins what the raw part says of each file with what its patch says."""

    def __init__(self, entries: Sequence[RawEntry]) -> None:
        self.files = {entry.file.path: entry.file for entry in entries if not entry.unmerged}
        self.reasons: dict[str, str] = {
            entry.file.path: "its merge conflict is not resolved" for entry in entries if entry.unmerged
        }
        self.hunks: list[Hunk] = []
        self.binary: list[str] = []
        self.seen: set[str] = set()
        self.complete = True

    def read(self, sections: Iterator[Section]) -> None:
        read = kept = 0
        # The patches come in the order of the rows.
        rows = iter(list(self.files.values()))
        row = next(rows, None)
        for section in sections:
            read += len(section.data)
            full = kept > 0 and kept + len(section.data) > MAX_PATCH
            found = read_plain_section(section, row) if row is not None and not full else None
            if found is not None:
                self._keep(found)
                row = next(rows, None)
                if found.hunks:
                    kept += len(section.data)
                continue
            found = read_section(section, count_only=full)
            if found is not None and found.file.path in self.files:
                while row is not None and row.path != found.file.path:
                    row = next(rows, None)
                row = next(rows, None) if row is None or row.status != "T" else row
                self._add(found)
                if found.hunks:
                    kept += len(section.data)
                elif full and (found.file.added or found.file.removed):
                    self.reasons[found.file.path] = _ONLY_COUNTED
            if read > MAX_COUNTED:
                self.complete = False
                return

    def _keep(self, found: FilePatch) -> None:
        """Takes what was read into the record of the file itself."""
        path = found.file.path
        self.seen.add(path)
        self.hunks.extend(found.hunks)
        if found.reason:
            self.reasons[path] = found.reason
        if found.binary:
            self.binary.append(path)

    def _add(self, found: FilePatch) -> None:
        path = found.file.path
        file = self.files[path]
        added, removed = found.file.added, found.file.removed
        self.hunks.extend(found.hunks)
        if found.reason:
            self.reasons[path] = found.reason
        if path in self.seen:  # a change of type comes as a removal and an addition
            added, removed = add_counts(file.added, added), add_counts(file.removed, removed)
        self.seen.add(path)
        if found.binary and path not in self.binary:
            self.binary.append(path)
        if found.binary or path in self.binary:
            added = removed = None
        submodule = found.file.submodule
        if submodule and file.submodule:
            submodule = (file.submodule[0] or submodule[0], file.submodule[1] or submodule[1])
        self.files[path] = replace(file, added=added, removed=removed, submodule=submodule or file.submodule)

    def finish(self, git: Git, *, base: str, target: str) -> Change:
        if self.complete:
            # Without a refreshed index git names files whose time changed and whose content did not.
            self.files = {
                path: file
                for path, file in self.files.items()
                if path in self.seen or not _is_untouched(file)
            }
        for path in self.files:
            if path not in self.seen:
                self.reasons[path] = _NOT_READ
        self._name_sizes(git, target)
        pointers = find_pointers(self.files.values(), self.hunks)
        self.files.update({path: file for path, (file, _) in pointers.items()})
        self.reasons.update({path: reason for path, (_, reason) in pointers.items()})
        hunks = [hunk for hunk in self.hunks if hunk.path not in pointers]
        omitted = [Omission(path, reason) for path, reason in self.reasons.items()]
        if _are_renames_skipped(self.files.values()):
            omitted.append(
                Omission("", f"renames with edits were not searched among more than {RENAME_LIMIT:,} files")
            )
        return Change(base, target, tuple(self.files.values()), tuple(hunks), tuple(omitted))

    def _name_sizes(self, git: Git, target: str) -> None:
        """Sizes of the files that git did not read, from the object database or the work tree."""
        if not self.binary:
            return
        files = [self.files[path] for path in self.binary]
        sizes = git.blob_sizes([name for file in files for name in (file.old_id, file.new_id) if name])
        top = git.top() if target == "worktree" else None
        for file in files:
            old, new = sizes.get(file.old_id), sizes.get(file.new_id)
            if new is None and top is not None and file.status != "D":
                new = _size_of(top / file.path)
            size = old if file.status == "D" else new
            self.files[file.path] = replace(file, size=size)
            big = max(old or 0, new or 0) > BIG_FILE
            shown = "" if size is None else f" ({in_words(size)})"
            self.reasons[file.path] = f"larger than {BIG_FILE >> 20} MB{shown}" if big else f"binary{shown}"


def _is_untouched(file: FileChange) -> bool:
    return file.status == "M" and not file.new_id and file.old_mode == file.new_mode and not file.submodule


def _are_renames_skipped(files: Iterable[FileChange]) -> bool:
    """git skips the search when the product of both sides is too large; what is left over tells."""
    statuses = [file.status for file in files]
    return statuses.count("A") * statuses.count("D") > RENAME_LIMIT**2


def _size_of(path: Path) -> int | None:
    try:
        return path.lstat().st_size
    except (OSError, ValueError):
        return None
