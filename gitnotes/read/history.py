"""Which commits does a range hold, and what did each of them do?

One pass of `git log`, whatever is asked: messages cost next to nothing beside the walk, file names
little, line counts twenty times the rest, so each is read only when somebody wants it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from gitnotes.read.diff import PATCH_OPTIONS, PATCH_SETTINGS, parse_patch
from gitnotes.read.git import Git
from gitnotes.records import Change, Commit, CommitTree, FileChange

_LOG = (
    *("-c", "core.quotePath=false", "-c", "log.showRoot=true", "-c", "log.follow=false"),
    *("-c", "diff.renames=true"),
    *("log", "--topo-order", "--encoding=UTF-8", "--no-show-signature", "--no-color", "--no-ext-diff"),
    *("--no-textconv", "--no-notes", "--no-mailmap", "--diff-merges=off", "-l1000", "-O/dev/null"),
    *("--no-relative", "--no-decorate", "--no-abbrev"),
)
_FIELDS = "%H%x00%P%x00%an%x00%ae%x00%at%x00%B"
_TRAILER = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]*)[ \t]*:[ \t]*(.*)")
_OWN_TRAILERS = ("signed-off-by", "(cherry picked from commit")


def read_range(
    git: Git,
    start: str | None,
    end: str,
    *,
    files: bool = False,
    paths: Sequence[str] = (),
    limit: int | None = None,
    name: str | None = None,
) -> CommitTree:
    """The commits reachable from `end` but not from `start`, newest first in topological order.

    `files` adds each commit's changed files (not those of merges). Raises GitError.
    """
    options = ["--raw", "-M"] if files else []
    if limit is not None:
        options.append(f"--max-count={limit}")
    wanted = [end] if start is None else [f"^{start}", end]
    output = git.run(*_LOG, "-z", f"--format={_FIELDS}", *options, "--end-of-options", *wanted, "--", *paths)
    return CommitTree(start, name or end, tuple(_parse_log(output, files=files)))


def read_recent(git: Git, revision: str, limit: int, *, files: bool = False) -> tuple[Commit, ...]:
    """The newest `limit` commits without merges before and at `revision`; none on an unborn branch."""
    if git.find(revision) is None:
        return ()
    options = ["--raw", "-M"] if files else []
    output = git.run(
        *_LOG,
        "-z",
        f"--format={_FIELDS}",
        "--no-merges",
        f"--max-count={limit}",
        *options,
        "--end-of-options",
        revision,
        "--",
    )
    return tuple(_parse_log(output, files=files))


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
    for record in _records(blocks):
        fields = record.split(b"\0", 6)
        commit = _make_commit(fields[:6], None)
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


def _parse_log(output: bytes, *, files: bool) -> Iterator[Commit]:
    """Six fields a commit, then its files: `:modes ids status`, and one path or two."""
    fields = output.split(b"\0")
    position = 0
    while position + 5 < len(fields):
        header = fields[position : position + 6]
        position += 6
        changes: list[FileChange] = []
        # git puts a line end before the first file of a commit.
        while files and position < len(fields) and fields[position].lstrip(b"\n").startswith(b":"):
            change, position = _parse_raw(fields, position)
            changes.append(change)
        yield _make_commit(header, tuple(changes) if files else None)


def _parse_raw(fields: list[bytes], position: int) -> tuple[FileChange, int]:
    old_mode, new_mode, old_id, new_id, status = fields[position].lstrip(b"\n:").decode("ascii").split(" ")
    path = os.fsdecode(fields[position + 1])
    old_path = None
    position += 2
    if status[0] in "RC":
        old_path, path = path, os.fsdecode(fields[position])
        position += 1
    change = FileChange(
        path=path,
        status=status[0],  # type: ignore[arg-type]
        old_path=old_path,
        old_mode="" if old_mode == "000000" else old_mode,
        new_mode="" if new_mode == "000000" else new_mode,
        similarity=int(status[1:]) if status[1:].isdigit() else None,
        submodule=(old_id, new_id) if "160000" in (old_mode, new_mode) else None,
    )
    return change, position


def _make_commit(fields: Sequence[bytes], files: tuple[FileChange, ...] | None) -> Commit:
    sha, parents, author, email, time, message = (field.decode("utf-8", "replace") for field in fields)
    subject, body = split_message(message)
    return Commit(
        sha=sha,
        parents=tuple(parents.split()),
        author=author,
        email=email,
        time=int(time) if time.lstrip("-").isdigit() else 0,
        subject=subject,
        body=body,
        trailers=parse_trailers(body),
        files=files,
    )


def split_message(message: str) -> tuple[str, str]:
    """Subject and body as git sees them: the subject is the first paragraph on one line."""
    message = message.replace("\r\n", "\n").strip("\n")
    head, _, body = message.partition("\n\n")
    return " ".join(head.split("\n")).strip(), body.strip("\n")


def parse_trailers(body: str) -> tuple[tuple[str, str], ...]:
    """The trailers of the last paragraph, by the rule of git-interpret-trailers(1): every line is
    one, or one of git's own is among them and they make up a quarter of the lines."""
    block = body.rstrip().rpartition("\n\n")[2].split("\n")
    found: list[tuple[str, str]] = []
    others = 0
    own = False
    for line in block:
        match = _TRAILER.fullmatch(line)
        if match:
            found.append((match[1], match[2].strip()))
            own = own or match[1].lower() in _OWN_TRAILERS
        elif line[:1] in " \t" and found and line.strip():
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        elif line.lower().startswith(_OWN_TRAILERS[1]):
            own = True
        elif line.strip():
            others += 1
    if not found or (others and not (own and len(found) * 3 >= others)):
        return ()
    return tuple(found)
