"""What does a patch say: which files, which hunks, how many lines?

git's own form is cut at its headers; a plain unified diff is read by the counts of its hunks, so
that no content can be taken for a header.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from gitnotes.records import Change, FileChange, Hunk, Omission

MAX_LINE = 4096
"""Characters of a line that are kept."""
MAX_FILE_LINES = 20_000
"""Changed and context lines that are kept of one file."""
MAX_SECTION = 4 << 20
"""Bytes of one file's patch that are held; the lines after them are only counted."""
SUBMODULE = "160000"

_HUNK = re.compile(rb"^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)", re.MULTILINE)
_INDEX = re.compile(rb"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: (\d{6}))?")
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb'\\([0-7]{3}|[abtnvfr"\\])')
_LFS = re.compile(
    r"version https://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/v1\n"
    r"(?:ext-[^\n]{1,200}\n){0,10}oid sha256:[0-9a-f]{64}\nsize (\d{1,18})\n"
)
_BORDER = b"\ndiff --git "
_SIGNS = (" ", "+", "-", "\\")


class Section(NamedTuple):
    """The patch of one file: its beginning, and the number of lines that came after it."""

    data: bytes
    more_added: int = 0
    more_removed: int = 0


class FilePatch(NamedTuple):
    """What one section says; `reason` is why something of it was not read, or empty."""

    file: FileChange
    hunks: tuple[Hunk, ...]
    binary: bool = False
    reason: str = ""


def _as_bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # JSON can name half of a character, which stands for no byte
        return text.encode("utf-8", "replace")


def parse_patch(patch: bytes | str, *, base: str = "", target: str = "diff", own: bool = False) -> Change:
    """The `Change` that a patch describes; takes git's form and plain unified diffs.

    `own` says that it comes from git as it is, which is read faster. Never raises: lines that belong
    to no file are skipped.
    """
    data = _as_bytes(patch) if isinstance(patch, str) else patch
    files: list[FileChange] = []
    hunks: list[Hunk] = []
    omitted: list[Omission] = []
    for section in split_sections([data]) if own else _split_any(data):
        found = read_section(section)
        if found is None:
            continue
        file = found.file
        if files and files[-1].path == file.path and {files[-1].status, file.status} == {"A", "D"}:
            file = join_halves(files.pop(), file)
        files.append(file)
        hunks.extend(found.hunks)
        if found.binary:
            omitted.append(Omission(file.path, "binary, or larger than 1 MB"))
        elif found.reason:
            omitted.append(Omission(file.path, found.reason))
    pointers = find_pointers(files, hunks)
    if pointers:
        files = [pointers[file.path][0] if file.path in pointers else file for file in files]
        hunks = [hunk for hunk in hunks if hunk.path not in pointers]
        omitted += [Omission(path, reason) for path, (_, reason) in pointers.items()]
    return Change(base, target, tuple(files), tuple(hunks), tuple(omitted))


def find_pointers(files: Iterable[FileChange], hunks: Sequence[Hunk]) -> dict[str, tuple[FileChange, str]]:
    """The files whose content git-lfs keeps, with the size of the real one, and the sentence that says
    so, by path; the lines of a pointer say nothing."""
    by_path: dict[str, list[Hunk]] = {}
    for hunk in hunks:
        if hunk.new_start <= 1 and hunk.old_start <= 1 and len(hunk.lines) < 40:
            by_path.setdefault(hunk.path, []).append(hunk)
    found: dict[str, tuple[FileChange, str]] = {}
    for file in files if by_path else ():
        away = "+" if file.status == "D" else "-"
        own = by_path.get(file.path, ())
        lines = (line for hunk in own for line in hunk.lines if line[:1] not in (away, "\\"))
        pointer = _LFS.fullmatch("".join(f"{line[1:]}\n" for line in lines)) if own else None
        if pointer:
            size = int(pointer[1])
            found[file.path] = replace(file, lfs=True, size=size), f"kept by git-lfs ({in_words(size)})"
    return found


def in_words(size: int) -> str:
    """A number of bytes for people, in powers of ten: 999 bytes, 1.2 kB, 60.0 MB."""
    if size < 1000:
        return f"{size} byte{'s' if size != 1 else ''}"
    value = size / 1000
    for unit in ("kB", "MB", "GB"):
        if value < 999.95:
            return f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def join_halves(removed: FileChange, added: FileChange) -> FileChange:
    """A change of type (file to link, ...): git writes it as a removal and an addition."""
    return replace(
        added,
        status="T",
        old_mode=removed.old_mode or added.old_mode,
        old_id=removed.old_id,
        added=add_counts(removed.added, added.added),
        removed=add_counts(removed.removed, added.removed),
    )


def add_counts(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second


def split_sections(blocks: Iterable[bytes], *, keep: int = MAX_SECTION) -> Iterator[Section]:
    """The files of a patch in git's own form as it arrives, which holds no line without a sign.

    At most `keep` bytes of a file are held, which must be more than its first line, and the lines
    after them are counted.
    """
    buffer = bytearray(b"\n")
    head = b""
    added = removed = searched = 0
    for block in blocks:
        buffer += block
        while (cut := buffer.find(_BORDER, searched)) >= 0:
            if head or cut:
                yield _finish(head, buffer[:cut], added, removed)
            del buffer[:cut]
            head, added, removed, searched = b"", 0, 0, 1
        # Without a head the buffer starts with the border of its own file.
        searched = max(len(buffer) - len(_BORDER), 0 if head else 1)
        if len(buffer) > keep:
            if not head:
                end = buffer.rfind(b"\n", 0, keep) if keep else 0
                head = bytes(buffer[: max(end, 0)]) or b"\n"
                del buffer[: max(end, 0)]
            # The last bytes stay: a line end may wait there for its sign, or a border for its rest.
            end = max(len(buffer) - len(_BORDER), 0)
            added += buffer.count(b"\n+", 0, end)
            removed += buffer.count(b"\n-", 0, end)
            if end:
                del buffer[: end - 1]
            searched = 0
    if head or buffer.strip(b"\n"):
        yield _finish(head, buffer, added, removed)


def _finish(head: bytes, rest: bytearray, added: int, removed: int) -> Section:
    if not head:
        return Section(bytes(rest).lstrip(b"\n"))
    return Section(head.lstrip(b"\n"), added + rest.count(b"\n+"), removed + rest.count(b"\n-"))


def _split_any(data: bytes) -> Iterator[Section]:
    """Each file's section of any patch. Counts of the hunk header decide where a hunk ends."""
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
        elif line.startswith(b"diff --git ") or (line.startswith(b"--- ") and (saw_hunk or not section)):
            if section:
                yield Section(b"\n".join(section))
            section, saw_hunk = [], False
        elif saw_hunk and line.rstrip(b"\r") == b"-- ":
            # The signature of a mail, as `git format-patch` writes it, is no removed line.
            saw_hunk = False
            yield Section(b"\n".join(section))
            section = []
        section.append(line)
    if section:
        yield Section(b"\n".join(section))


def read_section(section: Section, *, count_only: bool = False) -> FilePatch | None:
    """What the patch of one file says; None when it names no file.

    `count_only` gives no hunks, and takes the form for git's own.
    """
    first = _HUNK.search(section.data)
    header = _read_header((section.data[: first.start()] if first else section.data).split(b"\n"))
    path, old_path = header.get("path", b""), header.get("old", b"")
    if not path:
        return None
    name = os.fsdecode(path)
    status = header["status"].decode()
    binary = "binary" in header
    similarity = header.get("similarity", b"")
    file = FileChange(
        path=name,
        status=status,  # type: ignore[arg-type]
        old_path=os.fsdecode(old_path) if status in "RC" else None,
        old_mode=header.get("old mode", b"").decode("ascii", "replace"),
        new_mode=header.get("new mode", b"").decode("ascii", "replace"),
        similarity=int(similarity) if similarity.isdigit() else None,
        old_id=header.get("old id", b"").decode("ascii", "replace"),
        new_id=header.get("new id", b"").decode("ascii", "replace"),
    )
    if SUBMODULE in (file.old_mode, file.new_mode):
        return FilePatch(replace(file, submodule=_read_submodule(section.data)), ())
    if binary:
        return FilePatch(file, (), binary=True)
    if count_only:
        begin = first.end() if first else len(section.data)
        added, removed = section.data.count(b"\n+", begin), section.data.count(b"\n-", begin)
        hunks: list[Hunk] = []
        reason = ""
    else:
        hunks, added, removed, reason = _read_hunks(name, section.data)
    if section.more_added or section.more_removed:
        reason = f"only the first {MAX_SECTION >> 20} MB of its patch were read"
    file = replace(file, added=added + section.more_added, removed=removed + section.more_removed)
    return FilePatch(file, tuple(hunks), reason=reason)


def read_plain_section(section: Section, file: FileChange) -> FilePatch | None:
    """The same for the file that the rows name next, whose header then need not be read.

    Its counts are put into `file`, which nobody else may have yet. None when the section is not
    plainly about that file: another name, one with signs that git quotes, a submodule, a change of type.
    """
    if file.status == "T" or file.submodule is not None:
        return None
    name = os.fsencode(file.path)
    old = name if file.old_path is None else os.fsencode(file.old_path)
    data = section.data
    if not data.startswith(b"diff --git a/%b b/%b\n" % (old, name)):
        return None
    begin = data.find(b"\n@@ -")
    head = data if begin < 0 else data[:begin]
    if b"\nBinary files " in head or b"\nGIT binary patch" in head:
        return FilePatch(file, (), binary=True)
    hunks, added, removed, reason = ([], 0, 0, "") if begin < 0 else _read_hunks(file.path, data)
    if section.more_added or section.more_removed:
        reason = f"only the first {MAX_SECTION >> 20} MB of its patch were read"
    # Replacing a frozen record of twelve fields takes longer than all of the above.
    object.__setattr__(file, "added", added + section.more_added)
    object.__setattr__(file, "removed", removed + section.more_removed)
    return FilePatch(file, tuple(hunks), reason=reason)


def _read_header(lines: list[bytes]) -> dict[str, bytes]:
    """The facts before the first hunk."""
    found: dict[str, bytes] = {"status": b"M"}
    old_name = new_name = b""
    for line in lines:
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
    return found


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
        first = names[0] if names else plain
        return (first, plain) if rest.startswith(b'"') else (plain, first)
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


def _read_hunks(path: str, data: bytes) -> tuple[list[Hunk], int, int, str]:
    """The hunks, the added and removed lines, and why something was not read."""
    hunks: list[Hunk] = []
    added = removed = kept = 0
    reason = ""
    headers = list(_HUNK.finditer(data))
    for number, header in enumerate(headers):
        end = headers[number + 1].start() if number + 1 < len(headers) else len(data)
        block = data[header.end() : end]
        added += block.count(b"\n+")
        removed += block.count(b"\n-")
        if kept >= MAX_FILE_LINES:
            reason = f"only the first {MAX_FILE_LINES:,} lines of its patch were read"
            continue
        texts = [
            line for line in block.decode("utf-8", "replace").split("\n")[1:] if line[:1] in _SIGNS and line
        ]
        if kept + len(texts) > MAX_FILE_LINES:
            texts = texts[: MAX_FILE_LINES - kept]
            reason = f"only the first {MAX_FILE_LINES:,} lines of its patch were read"
        kept += len(texts)
        if len(block) > MAX_LINE and any(len(text) > MAX_LINE for text in texts):
            texts = [text[:MAX_LINE] for text in texts]
            reason = reason or f"only the first {MAX_LINE:,} characters of a line were read"
        if texts:
            old_start, old_count, new_start, new_count = (
                int(value) if value is not None else 1 for value in header.group(1, 2, 3, 4)
            )
            heading = header[5].decode("utf-8", "replace").strip()
            hunks.append(Hunk(path, old_start, old_count, new_start, new_count, heading, tuple(texts)))
    return hunks, added, removed, reason


def _read_submodule(data: bytes) -> tuple[str, str]:
    ids = {b"-": "", b"+": ""}
    for line in data.split(b"\n"):
        if line[1:].startswith(b"Subproject commit ") and line[:1] in ids:
            ids[line[:1]] = line.split(b" ")[2].split(b"-")[0].decode("ascii", "replace").strip()
    return ids[b"-"], ids[b"+"]
