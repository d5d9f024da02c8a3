"""Which commits does a range hold, and what did each of them do?

One pass of `git log`, whatever is asked: messages cost next to nothing beside the walk, file names
little, line counts twenty times the rest, so each is read only when somebody wants it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain

from gitnotes.guard.text import shorten
from gitnotes.read.diff import PATCH_OPTIONS, PATCH_SETTINGS, parse_patch
from gitnotes.read.git import Git
from gitnotes.read.ignoring import leave_out, read_ignore_patterns
from gitnotes.read.log_format import FIELDS, MAPPED_FIELDS, CommitMaker, as_text, parse_log, split_fields
from gitnotes.records import Change, Commit, CommitTree, Omission

_LOG_SETTINGS = (
    *("-c", "core.quotePath=false", "-c", "log.showRoot=true", "-c", "log.follow=false"),
    *("-c", "diff.renames=true", "-c", "core.bigFileThreshold=512m", "-c", "core.attributesFile=/dev/null"),
)
_LOG = (
    *("log", "--topo-order", "--encoding=UTF-8", "--no-show-signature", "--no-color", "--no-ext-diff"),
    *("--no-textconv", "--no-notes", "--no-mailmap", "--diff-merges=off", "-l1000", "-O/dev/null"),
    *("--no-relative", "--no-decorate", "--no-abbrev", "--ignore-submodules=none"),
)
LOG_OPTIONS = (*_LOG_SETTINGS, *_LOG)
# The last setting of a name holds: a patch is to be that of one commit read alone.
PATCH_LOG_OPTIONS = (*_LOG_SETTINGS, *PATCH_SETTINGS, *_LOG)
"""For a log with patches."""


def read_range(
    git: Git,
    start: str | None,
    end: str,
    *,
    files: bool = False,
    counts: bool = False,
    renames: bool = True,
    mailmap: bool = False,
    paths: Sequence[str] = (),
    limit: int | None = None,
    name: str | None = None,
) -> CommitTree:
    """The commits reachable from `end` but not from `start`, newest first in topological order.

    `files` adds each commit's changed files (not those of merges), `counts` also how many lines
    each gained and lost, which takes twenty times as long and needs the content of the files.
    Without `renames` a file that moved is one that is gone and one that is new, and no content is needed.
    `mailmap` gives authors the names of `.mailmap`. With `paths` (pathspecs) the commits that
    touch none of them are left out, and parents lead past them. Raises GitError.
    """
    options = _file_options(files, counts, renames)
    if limit is not None:
        options.append(f"--max-count={limit}")
    if paths:
        options.append("--parents")
    wanted = [end] if start is None else [f"^{start}", end]
    form = MAPPED_FIELDS if mailmap else FIELDS
    shown = [*LOG_OPTIONS, "-z", f"--format={form}", *options]
    blocks = git.stream(*shown, "--end-of-options", *wanted, "--", *paths)
    with without_collection():
        commits = tuple(parse_log(blocks, files=files or counts))
    return CommitTree(start, name or end, commits)


def read_recent(git: Git, revision: str, limit: int, *, files: bool = False) -> tuple[Commit, ...]:
    """The newest `limit` commits without merges before and at `revision`; none on an unborn branch."""
    if git.find(revision) is None:
        return ()
    options = ["--no-merges", f"--max-count={limit}", *_file_options(files, False)]
    # By date: for the order of topology git reads the whole history before it prints the first commit.
    by_date = [word for word in LOG_OPTIONS if word != "--topo-order"]
    blocks = git.stream(*by_date, "-z", f"--format={FIELDS}", *options, "--end-of-options", revision, "--")
    return tuple(parse_log(blocks, files=files))


@contextmanager
def without_collection() -> Iterator[None]:
    """Records hold no cycles, so that looking for some while thousands are made (a quarter of the
    time) finds nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _file_options(files: bool, counts: bool, renames: bool = True) -> list[str]:
    return [
        *(["--raw", "-M" if renames else "--no-renames"] if files or counts else []),
        *(["--numstat", "--diff-algorithm=myers"] if counts else []),
    ]


def read_notes(git: Git, start: str | None, end: str, ref: str = "refs/notes/commits") -> dict[str, str]:
    """The note of each commit of the range that has one under `ref`, by object id. Raises GitError."""
    wanted = [end] if start is None else [f"^{start}", end]
    shown = [*LOG_OPTIONS, f"--notes={ref}", "-z", "--format=%H%x00%N"]
    fields = chain.from_iterable(split_fields(git.stream(*shown, "--end-of-options", *wanted, "--")))
    pairs = zip(fields, fields, strict=False)
    return {sha: as_text(note).replace("\r\n", "\n").strip("\n") for sha, note in pairs if note}


def find_notes(git: Git, ref: str) -> bool:
    """Whether there are notes under `ref`, which git lets people shorten. Raises GitError."""
    full = (
        ref if ref.startswith("refs/notes/") else f"refs/{'' if ref.startswith('notes/') else 'notes/'}{ref}"
    )
    question = ("rev-parse", "--quiet", "--verify", "--end-of-options", full)
    return "\0" not in ref and bool(git.run(*question, ok=(0, 1, 128)))


def list_omitted(
    git: Git,
    tree: CommitTree,
    start: str | None,
    end: str,
    paths: Sequence[str] = (),
    *,
    counts: bool = False,
    notes: str | None = None,
) -> Iterator[Omission]:
    """What of the range `start..end` is not in `tree`, and why; `counts` and `notes` say what was
    asked for. Raises GitError."""
    if all(commit.files is None for commit in tree.commits):
        yield Omission("", "files were not asked for")
    else:
        merges = sum(commit.is_merge for commit in tree.commits)
        if merges:
            yield Omission("", f"the files of {merges:,} merges, whose commits have them")
        changes = [change for commit in tree.commits for change in commit.files or () if not change.submodule]
        uncounted = sum(change.added is None for change in changes)
        if not counts:
            yield Omission("", "line counts were not asked for")
        elif uncounted:
            yield Omission("", f"line counts of {uncounted:,} binary files, which have no lines")
    if paths:
        limits = [f"^{start}"] if start else []
        others = int(git.text("rev-list", "--count", end, *limits, "--")) - len(tree.commits)
        if others:
            yield Omission("", f"{others:,} commits that touch none of the paths")
    if notes is not None and not find_notes(git, notes):
        yield Omission("", f"there are no notes under '{shorten(notes)}'")


def read_changes(git: Git, start: str | None, end: str) -> Iterator[tuple[Commit, Change]]:
    """Each commit of the range with its change, newest first, as git delivers them.

    A merge has an empty change. Memory holds one commit at a time. Raises GitError.
    """
    wanted = ["--end-of-options", end] if start is None else ["--end-of-options", f"^{start}", end]
    for commit, _, change in stream_changes(git, wanted):
        yield commit, change


def stream_changes(
    git: Git, revisions: Sequence[str], *, skip: int = 0
) -> Iterator[tuple[Commit, str, Change]]:
    """Each commit that `git log REVISIONS` names, its message as it is stored, and its change.

    The first `skip` are left out. Newest first in topological order; a merge has an empty change.
    Memory holds one commit at a time. Raises GitError where git stops, after all commits before it.
    """
    # A line of a patch never starts with NUL, and a message never holds one, so `\0\0` at the start
    # of a line is the border between two commits.
    blocks = git.stream(
        *PATCH_LOG_OPTIONS,
        f"--format=%x00%x00{FIELDS}%x00",
        *PATCH_OPTIONS,
        f"--skip={skip}",
        *revisions,
        "--",
    )
    maker = CommitMaker()
    ignored = read_ignore_patterns(git)
    for record in split_records(blocks):
        fields = record.split(b"\0", 6)
        header = [field.decode("utf-8", "surrogateescape") for field in fields[:6]]
        commit = maker.make(header, None)
        patch = fields[6] if len(fields) > 6 else b""
        parent = commit.parents[0] if commit.parents else ""
        change = parse_patch(patch.lstrip(b"\n"), base=parent, target=commit.sha)
        yield commit, as_text(header[5]), leave_out(change, ignored)


def stream_messages(
    git: Git, revisions: Sequence[str], *, limit: int | None = None
) -> Iterator[tuple[Commit, str]]:
    """Each commit that `git log REVISIONS` names, and its message as it is stored; newest first in
    topological order, one at a time. Raises GitError."""
    options = [] if limit is None else [f"--max-count={limit}"]
    fields = chain.from_iterable(
        split_fields(git.stream(*LOG_OPTIONS, "-z", f"--format={FIELDS}", *options, *revisions, "--"))
    )
    maker = CommitMaker()
    for header in zip(fields, fields, fields, fields, fields, fields, strict=False):
        yield maker.make(header, None), as_text(header[5])


def split_records(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The text between borders; a border counts only at the start of a line."""
    border = b"\n\0\0"
    buffer = bytearray(b"\n")
    searched = 0
    for block in blocks:
        buffer += block
        while (cut := buffer.find(border, searched)) >= 0:
            if cut > 0:
                yield bytes(buffer[:cut])
            del buffer[: cut + len(border)]
            searched = 0
        # A border may straddle two blocks, so its first two bytes are looked at again.
        searched = max(len(buffer) - len(border) + 1, 0)
    if buffer.strip(b"\n"):
        yield bytes(buffer)
