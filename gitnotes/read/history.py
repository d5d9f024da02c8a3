"""Which commits does a range hold, and what did each of them do?

One pass of `git log`, whatever is asked: messages cost next to nothing beside the walk, file names
little, line counts twenty times the rest, so each is read only when somebody wants it.
"""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from gitnotes.read.diff import PATCH_OPTIONS, PATCH_SETTINGS, parse_patch
from gitnotes.read.git import Git
from gitnotes.read.trailers import Trailers, parse_trailers
from gitnotes.records import Change, Commit, CommitTree, FileChange

_LOG = (
    *("-c", "core.quotePath=false", "-c", "log.showRoot=true", "-c", "log.follow=false"),
    *("-c", "diff.renames=true"),
    *("log", "--topo-order", "--encoding=UTF-8", "--no-show-signature", "--no-color", "--no-ext-diff"),
    *("--no-textconv", "--no-notes", "--no-mailmap", "--diff-merges=off", "-l1000", "-O/dev/null"),
    *("--no-relative", "--no-decorate", "--no-abbrev"),
)
_FIELDS = "%H%x00%P%x00%an%x00%ae%x00%at%x00%B"
_MAPPED = "%H%x00%P%x00%aN%x00%aE%x00%at%x00%B"
_SUBMODULE = "160000"
_ABSENT = "000000"

_BLANK_LINE = re.compile(r"\n[ \t\r\f\v]*\n")
_RAW_BYTES = re.compile("[\udc80-\udcff]")
# Bytes that are not UTF-8 and have no header that says what they are: Latin-1, as git guesses for
# mails, except for its controls, which nobody writes.
_LATIN_1 = {0xDC00 + byte: chr(byte) if byte >= 0xA0 else "\ufffd" for byte in range(0x80, 0x100)}
_PATHS_ARE_UTF_8 = (sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()) == (
    "utf-8",
    "surrogateescape",
)


def read_range(
    git: Git,
    start: str | None,
    end: str,
    *,
    files: bool = False,
    counts: bool = False,
    mailmap: bool = False,
    paths: Sequence[str] = (),
    limit: int | None = None,
    name: str | None = None,
) -> CommitTree:
    """The commits reachable from `end` but not from `start`, newest first in topological order.

    `files` adds each commit's changed files (not those of merges), `counts` also how many lines
    each gained and lost, which takes twenty times as long and needs the content of the files.
    `mailmap` gives authors the names of `.mailmap`. With `paths` (pathspecs) the commits that
    touch none of them are left out, and parents lead past them. Raises GitError.
    """
    options = _file_options(files, counts)
    if limit is not None:
        options.append(f"--max-count={limit}")
    if paths:
        options.append("--parents")
    wanted = [end] if start is None else [f"^{start}", end]
    form = _MAPPED if mailmap else _FIELDS
    blocks = git.stream(*_LOG, "-z", f"--format={form}", *options, "--end-of-options", *wanted, "--", *paths)
    with _without_collection():
        commits = tuple(_parse_log(blocks, files=files or counts))
    return CommitTree(start, name or end, commits)


def read_recent(git: Git, revision: str, limit: int, *, files: bool = False) -> tuple[Commit, ...]:
    """The newest `limit` commits without merges before and at `revision`; none on an unborn branch."""
    if git.find(revision) is None:
        return ()
    options = ["--no-merges", f"--max-count={limit}", *_file_options(files, False)]
    blocks = git.stream(*_LOG, "-z", f"--format={_FIELDS}", *options, "--end-of-options", revision, "--")
    return tuple(_parse_log(blocks, files=files))


@contextmanager
def _without_collection() -> Iterator[None]:
    """Records hold no cycles, so that looking for some while thousands are made (a quarter of the
    time) finds nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _file_options(files: bool, counts: bool) -> list[str]:
    return [*(["--raw", "-M"] if files or counts else []), *(["--numstat"] if counts else [])]


def read_notes(git: Git, start: str | None, end: str, ref: str = "refs/notes/commits") -> dict[str, str]:
    """The note of each commit of the range that has one under `ref`, by object id. Raises GitError."""
    wanted = [end] if start is None else [f"^{start}", end]
    shown = [*_LOG, f"--notes={ref}", "-z", "--format=%H%x00%N"]
    fields = _split_fields(git.stream(*shown, "--end-of-options", *wanted, "--"))
    pairs = zip(fields, fields, strict=False)
    return {sha: _as_text(note).replace("\r\n", "\n").strip("\n") for sha, note in pairs if note}


def read_changes(git: Git, start: str | None, end: str) -> Iterator[tuple[Commit, Change]]:
    """Each commit of the range with its change, newest first, as git delivers them.

    A merge has an empty change. Memory holds one commit at a time. Raises GitError.
    """
    wanted = [end] if start is None else [f"^{start}", end]
    # A line of a patch never starts with NUL, and a message never holds one, so `\0\0` at the start
    # of a line is the border between two commits.
    blocks = git.stream(
        *PATCH_SETTINGS,
        *_LOG,
        f"--format=%x00%x00{_FIELDS}%x00",
        *PATCH_OPTIONS,
        "--end-of-options",
        *wanted,
        "--",
    )
    maker = _CommitMaker()
    for record in _records(blocks):
        fields = record.split(b"\0", 6)
        commit = maker.make([field.decode("utf-8", "surrogateescape") for field in fields[:6]], None)
        patch = fields[6] if len(fields) > 6 else b""
        parent = commit.parents[0] if commit.parents else ""
        yield commit, parse_patch(patch.lstrip(b"\n"), base=parent, target=commit.sha)


def _records(blocks: Iterator[bytes]) -> Iterator[bytes]:
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


def _split_fields(blocks: Iterable[bytes]) -> Iterator[str]:
    """The text between NULs, as it comes; bytes that are not UTF-8 are surrogate escapes."""
    rest: list[bytes] = []
    for block in blocks:
        ready, nul, left = block.rpartition(b"\0")
        if nul:
            rest.append(ready)
            yield from b"".join(rest).decode("utf-8", "surrogateescape").split("\0")
            rest = [left]
        else:
            rest.append(block)
    last = b"".join(rest)
    if last:
        yield last.decode("utf-8", "surrogateescape")


def _parse_log(blocks: Iterable[bytes], *, files: bool) -> Iterator[Commit]:
    """Six fields a commit, then its files: `:modes ids status`, and one path or two; after all of
    them, where they were asked for, `added TAB removed TAB path` (no path: two more fields)."""
    fields = _split_fields(blocks)
    maker = _CommitMaker()
    if not files:
        for header in zip(fields, fields, fields, fields, fields, fields, strict=False):
            yield maker.make(header, None)
        return
    field = next(fields, None)
    while field is not None:
        header = (field, next(fields), next(fields), next(fields), next(fields), next(fields))
        rows: list[tuple[str, str, str | None]] = []
        counts: dict[str, tuple[int | None, int | None]] = {}
        field = next(fields, None)
        # git puts a line end before the first file of a commit.
        if field is not None and field[:1] == "\n":
            field = field[1:]
        while field is not None and field[:1] == ":":
            old_path = next(fields) if field[-4:-3] in "RC" and field[-5:-4] == " " else None
            rows.append((field, next(fields), old_path))
            field = next(fields, None)
        while field is not None and "\t" in field:
            added, removed, path = field.split("\t", 2)
            if not path:
                next(fields)
                path = next(fields)
            counts[path] = (_number(added), _number(removed))
            field = next(fields, None)
        yield maker.make(header, tuple([_make_file(row, counts) for row in rows]))


def _number(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def _make_file(
    row: tuple[str, str, str | None], counts: dict[str, tuple[int | None, int | None]]
) -> FileChange:
    facts, path, old_path = row
    old_mode, new_mode, old_id, new_id, status = facts[1:].split(" ")
    added, removed = counts.get(path, (None, None)) if counts else (None, None)
    if not _PATHS_ARE_UTF_8:
        path = os.fsdecode(path.encode("utf-8", "surrogateescape"))
        old_path = old_path and os.fsdecode(old_path.encode("utf-8", "surrogateescape"))
    return FileChange(
        path,
        status[0],  # type: ignore[arg-type]
        old_path,
        added,
        removed,
        "" if old_mode == _ABSENT else old_mode,
        "" if new_mode == _ABSENT else new_mode,
        int(status[1:]) if len(status) > 1 else None,
        (old_id, new_id) if _SUBMODULE in (old_mode, new_mode) else None,
        "" if old_mode == _ABSENT else old_id,
        "" if new_mode == _ABSENT else new_id,
    )


class _CommitMaker:
    """Makes records that share what many commits have in common: people, trailers, object ids."""

    def __init__(self) -> None:
        self._people: dict[str, str] = {}
        self._trailers: dict[str, Trailers] = {}
        self._parents: dict[str, str] = {}

    def make(self, header: Sequence[str], files: tuple[FileChange, ...] | None) -> Commit:
        sha, line, author, email, time, message = header
        subject, body = split_message(_as_text(message))
        # Children come first, so that a commit's id was met as a parent.
        parents = [self._parents.setdefault(parent, parent) for parent in line.split()]
        return Commit(
            self._parents.pop(sha, sha),
            tuple(parents),
            self._people.get(author) or self._person(author),
            self._people.get(email) or self._person(email),
            _seconds(time),
            subject,
            body,
            parse_trailers(body, self._trailers),
            files,
        )

    def _person(self, text: str) -> str:
        self._people[text] = shown = _as_text(text)
        return shown


def _seconds(text: str) -> int:
    """Seconds since the epoch; 0 for a date that git cannot read."""
    return int(text) if text.lstrip("-").isdigit() else 0


def _as_text(field: str) -> str:
    if field.isascii() or not _RAW_BYTES.search(field):
        return field
    return field.translate(_LATIN_1)


def split_message(message: str) -> tuple[str, str]:
    """Subject and body as git sees them: the subject is the first paragraph on one line, and a line
    of nothing but white space ends a paragraph."""
    if "\r" in message:
        message = message.replace("\r\n", "\n")
    message = message.strip("\n")
    head, _, body = message.partition("\n\n")
    if "\n" in head or not head or head.isspace():
        gap = _BLANK_LINE.search(message := _without_blank_start(message))
        head, body = (message[: gap.start()], message[gap.end() :]) if gap else (message, "")
        head = " ".join(line.rstrip() for line in head.split("\n"))
        body = _without_blank_start(body)
    return head.strip(), body.strip("\n")


def _without_blank_start(text: str) -> str:
    """`text` from its first line that has more than white space."""
    bare = text.lstrip()
    return text[text.rfind("\n", 0, len(text) - len(bare)) + 1 :] if bare else ""
