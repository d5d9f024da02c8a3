"""What is about to be committed, or what did one commit do, as a `Change`?

The patch is read from git's plumbing with every setting pinned that would change it, and parsed
by line counts, so that no content can be taken for a header.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace

from gitnotes.errors import CannotJudge
from gitnotes.read.git import Git
from gitnotes.records import Change, FileChange, Hunk, Omission

BIG_FILE = "1m"
"""Larger files are named, not read (core.bigFileThreshold)."""
MAX_LINE = 4096
"""Characters of a line that are kept."""
MAX_FILE_LINES = 20_000
"""Changed and context lines that are kept of one file."""

PATCH_SETTINGS = (
    *("-c", "core.quotePath=false"),
    *("-c", f"core.bigFileThreshold={BIG_FILE}"),
    *("-c", "diff.suppressBlankEmpty=false"),
)
PATCH_OPTIONS = (
    *("-p", "-M", "-l1000", "--full-index", "--no-ext-diff", "--no-textconv", "--no-color"),
    *("-U3", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/"),
    *("--diff-algorithm=histogram", "--submodule=short", "-O/dev/null", "--no-relative"),
)

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)")
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb'\\([0-7]{3}|[abtnvfr"\\])')
_INDEX = re.compile(rb"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: (\d{6}))?")
_SUBMODULE = "160000"


def read_staged(git: Git, *, amend: bool = False) -> Change:
    """The staged change, against HEAD, or against its parent when it amends HEAD.

    Honours the temporary index of `git commit -a`, `-p` and `FILE` through GIT_INDEX_FILE.
    Raises GitError when git cannot tell.
    """
    base = git.find("HEAD^" if amend else "HEAD") or git.empty_tree()
    # `git add -N` only announces a file; `git commit` leaves it out.
    cached = ("--cached", "--ita-invisible-in-index")
    patch = git.run(*PATCH_SETTINGS, "diff-index", *cached, *PATCH_OPTIONS, base, "--")
    return parse_patch(patch, base=base, target="index")


def read_work_tree(git: Git) -> Change:
    """What the work tree has that HEAD has not; untracked files are not part of it."""
    base = git.find("HEAD") or git.empty_tree()
    git.run("update-index", "-q", "--refresh", ok=(0, 1))
    patch = git.run(*PATCH_SETTINGS, "diff-index", *PATCH_OPTIONS, base, "--")
    return parse_patch(patch, base=base, target="worktree")


def read_commit(git: Git, revision: str) -> Change:
    """What the commit `revision` did, against its first parent.

    Raises UnknownRevision, or CannotJudge when the clone is too shallow to have the parent.
    """
    target = git.resolve(revision)
    base = git.find(f"{target}^1")
    if base is None:
        if git.is_shallow() and _has_parent(git, target):
            raise CannotJudge(
                "This clone is shallow and lacks the parent of that commit, so the change cannot be seen.",
                "Run: git fetch --unshallow",
            )
        base = git.empty_tree()
    patch = git.run(*PATCH_SETTINGS, "diff-tree", "-r", *PATCH_OPTIONS, base, target, "--")
    return parse_patch(patch, base=base, target=target)


def _has_parent(git: Git, commit: str) -> bool:
    """Whether the commit itself names a parent, whatever the shallow boundary hides."""
    header = git.run("cat-file", "commit", commit).split(b"\n\n", 1)[0]
    return b"\nparent " in header


def parse_patch(patch: bytes | str, *, base: str = "", target: str = "diff") -> Change:
    """The `Change` that a patch describes; takes git's form and plain unified diffs.

    Never raises: lines that belong to no file are skipped.
    """
    data = patch.encode("utf-8", "surrogateescape") if isinstance(patch, str) else patch
    files: list[FileChange] = []
    hunks: list[Hunk] = []
    omitted: list[Omission] = []
    for section in _split(data):
        file, found, reason = _read_section(section)
        if file is None:
            continue
        if files and files[-1].path == file.path and {files[-1].status, file.status} == {"A", "D"}:
            # git writes a change of type (file to link, ...) as a removal and an addition.
            file = replace(
                file,
                status="T",
                old_mode=files[-1].old_mode or file.old_mode,
                old_id=files[-1].old_id,
                added=_total(files[-1].added, file.added),
                removed=_total(files[-1].removed, file.removed),
            )
            files.pop()
        files.append(file)
        hunks.extend(found)
        if reason:
            omitted.append(Omission(file.path, reason))
    return Change(base, target, tuple(files), tuple(hunks), tuple(omitted))


def _total(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second


def _split(data: bytes) -> Iterator[list[bytes]]:
    """The lines of each file's section. Counts of the hunk header decide where a hunk ends."""
    section: list[bytes] = []
    old_left = new_left = 0
    saw_hunk = False
    for line in data.split(b"\n"):
        if old_left > 0 or new_left > 0:
            sign = line[:1]
            if sign in (b"-", b" ", b"\\", b"+", b"", b"\t", b"\r"):
                section.append(line)
                old_left -= sign not in (b"+", b"\\")
                new_left -= sign not in (b"-", b"\\")
                continue
            old_left = new_left = 0
        header = _HUNK.match(line) if line.startswith(b"@@") else None
        if header:
            old_left = int(header[2] or 1)
            new_left = int(header[4] or 1)
            saw_hunk = True
        elif line.startswith(b"diff --git ") or (
            line.startswith(b"--- ") and (saw_hunk or not section) and not line.startswith(b"--- \n")
        ):
            if section:
                yield section
            section, saw_hunk = [], False
        section.append(line)
    if section:
        yield section


def _read_section(lines: list[bytes]) -> tuple[FileChange | None, list[Hunk], str]:
    """The file, its hunks, and why something of it was not read (or '')."""
    header, position = _read_header(lines)
    path, old_path = header.get("path", b""), header.get("old", b"")
    if not path:
        return None, [], ""
    name = os.fsdecode(path)
    old_mode, new_mode = header.get("old mode", b"").decode(), header.get("new mode", b"").decode()
    status = header["status"].decode()
    if _SUBMODULE in (old_mode, new_mode):
        return _read_submodule(name, status, old_mode, new_mode, lines[position:]), [], ""
    hunks, added, removed, reason = _read_hunks(name, lines, position)
    binary = "binary" in header
    similarity = header.get("similarity", b"")
    file = FileChange(
        path=name,
        status=status,  # type: ignore[arg-type]
        old_path=os.fsdecode(old_path) if status in "RC" else None,
        added=None if binary else added,
        removed=None if binary else removed,
        old_mode=old_mode,
        new_mode=new_mode,
        similarity=int(similarity) if similarity.isdigit() else None,
        old_id=header.get("old id", b"").decode(),
        new_id=header.get("new id", b"").decode(),
    )
    return file, hunks, "binary, or larger than 1 MB" if binary else reason


def _read_header(lines: list[bytes]) -> tuple[dict[str, bytes], int]:
    """The facts before the first hunk, and the position of that hunk."""
    found: dict[str, bytes] = {"status": b"M"}
    old_name = new_name = b""
    position = len(lines)
    for number, line in enumerate(lines):
        if line.startswith(b"@@"):
            position = number
            break
        word, _, rest = line.rstrip(b"\r").partition(b" ")
        if word == b"diff" and rest.startswith(b"--git "):
            old_name, new_name = _split_names(rest[6:])
        elif line.startswith((b"--- ", b"+++ ")):
            name = _strip_prefix(_unquote(rest.split(b"\t")[0]))
            if name == b"/dev/null":
                found["status"] = b"A" if word == b"---" else b"D"
            elif word == b"---":
                old_name = name
            else:
                new_name = name
        elif line.startswith(b"new file mode "):
            found.update({"status": b"A", "new mode": line[14:].strip()})
        elif line.startswith(b"deleted file mode "):
            found.update({"status": b"D", "old mode": line[18:].strip()})
        elif line.startswith((b"old mode ", b"new mode ")):
            found[line[:8].decode()] = line[9:].strip()
        elif line.startswith((b"similarity index ", b"dissimilarity index ")):
            if word == b"similarity":
                found["similarity"] = line[17:].strip(b" %\r")
        elif line.startswith((b"rename from ", b"copy from ")):
            found["status"] = b"R" if word == b"rename" else b"C"
            old_name = _unquote(line.split(b" ", 2)[2].rstrip(b"\r"))
        elif line.startswith((b"rename to ", b"copy to ")):
            new_name = _unquote(line.split(b" ", 2)[2].rstrip(b"\r"))
        elif ids := _INDEX.fullmatch(line.rstrip(b"\r")):
            found["old id"], found["new id"] = map(_full_id, ids.group(1, 2))
            if ids[3]:
                found.setdefault("old mode", ids[3])
                found.setdefault("new mode", ids[3])
        elif line.startswith((b"Binary files ", b"GIT binary patch")):
            found["binary"] = b"yes"
            break
    found["old"] = old_name
    found["path"] = old_name if found["status"] == b"D" and old_name else new_name or old_name
    return found, position


def _full_id(name: bytes) -> bytes:
    """The object id; empty for zeros (no content, or none with an object yet) and for a part of an id."""
    return name if len(name) in (40, 64) and name.strip(b"0") else b""


def _split_names(rest: bytes) -> tuple[bytes, bytes]:
    """Both names of a `diff --git` line; without quotes they are told apart by being equal."""
    rest = rest.rstrip(b"\r")
    if rest.startswith(b'"') or rest.endswith(b'"'):
        names = [_strip_prefix(_unquote(b'"' + name + b'"')) for name in _QUOTED.findall(rest)]
        if len(names) == 2:
            return names[0], names[1]
        plain = _strip_prefix(_QUOTED.sub(b"", rest).strip())
        return (names[0], plain) if rest.startswith(b'"') else (plain, names[0])
    middle = len(rest) // 2
    return _strip_prefix(rest[:middle]), _strip_prefix(rest[middle + 1 :])


def _strip_prefix(name: bytes) -> bytes:
    return name[2:] if name[:2] in (b"a/", b"b/") else name


def _unquote(name: bytes) -> bytes:
    """A path as git's C-style quoting wrote it."""
    if not (len(name) >= 2 and name.startswith(b'"') and name.endswith(b'"')):
        return name

    def one(match: re.Match[bytes]) -> bytes:
        code = match[1].decode()
        return bytes([_ESCAPES[code] if code in _ESCAPES else int(code, 8) & 255])

    return _ESCAPE.sub(one, name[1:-1])


def _read_hunks(path: str, lines: list[bytes], position: int) -> tuple[list[Hunk], int, int, str]:
    hunks: list[Hunk] = []
    added = removed = kept = 0
    reason = ""
    while position < len(lines):
        header = _HUNK.match(lines[position])
        position += 1
        if not header:
            continue
        start = position
        while position < len(lines) and not lines[position].startswith(b"@@"):
            position += 1
        block = [line for line in lines[start:position] if line[:1] in (b" ", b"+", b"-", b"\\")]
        added += sum(line.startswith(b"+") for line in block)
        removed += sum(line.startswith(b"-") for line in block)
        if kept + len(block) > MAX_FILE_LINES:
            block = block[: max(MAX_FILE_LINES - kept, 0)]
            reason = f"only the first {MAX_FILE_LINES:,} lines of its patch were read"
        kept += len(block)
        texts = [line.decode("utf-8", "replace") for line in block]
        if any(len(text) > MAX_LINE for text in texts):
            texts = [text[:MAX_LINE] for text in texts]
            reason = reason or f"only the first {MAX_LINE:,} characters of a line were read"
        if texts:
            old_start, old_count, new_start, new_count = (
                int(value) if value is not None else 1 for value in header.group(1, 2, 3, 4)
            )
            heading = header[5].decode("utf-8", "replace").strip()
            hunks.append(Hunk(path, old_start, old_count, new_start, new_count, heading, tuple(texts)))
    return hunks, added, removed, reason


def _read_submodule(path: str, status: str, old_mode: str, new_mode: str, lines: list[bytes]) -> FileChange:
    ids = {"-": "", "+": ""}
    for line in lines:
        if line[1:].startswith(b"Subproject commit "):
            ids[line[:1].decode()] = line.split(b" ")[2].split(b"-")[0].decode("ascii", "replace")
    return FileChange(
        path,
        status,  # type: ignore[arg-type]
        old_mode=old_mode,
        new_mode=new_mode,
        submodule=(ids["-"], ids["+"]),
    )
