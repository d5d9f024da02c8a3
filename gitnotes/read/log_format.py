"""How does what `git log -z` prints become records, quickly and in little memory?

Ten thousand commits are fifty thousand strings. Those that many commits have in common (people,
trailers, modes, the id of a parent) are stored once, and nothing is looked at twice.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import cast

from gitnotes.read.trailers import SCISSORS, TrailerReader, Trailers
from gitnotes.records import Commit, FileChange, Status

FIELDS = "%H%x00%P%x00%an%x00%ae%x00%at%x00%B"
MAPPED_FIELDS = "%H%x00%P%x00%aN%x00%aE%x00%at%x00%B"
"""The same with the names of `.mailmap`."""

_SUBMODULE = "160000"
_ABSENT = "000000"
_SHORT = 100
"""Characters of a body that many commits may have, such as a lone sign-off."""
_BLANK_LINE = re.compile(r"\n[ \t\r\f\v]*\n")
_RAW_BYTES = re.compile("[\udc80-\udcff]")
# Bytes that are not UTF-8 and have no header that says what they are: Latin-1, as git guesses for
# mails, except for its controls, which nobody writes.
_LATIN_1 = {0xDC00 + byte: chr(byte) if byte >= 0xA0 else "\ufffd" for byte in range(0x80, 0x100)}
_PATHS_ARE_UTF_8 = (sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()) == (
    "utf-8",
    "surrogateescape",
)

Counts = dict[str, tuple[int | None, int | None]]
Row = tuple[str, str, str | None]
"""What `--raw` says of a file, its path, and the path before a move."""
Facts = tuple[Status, str, str, int | None]


# A frozen record sets each of its fields through object.__setattr__, which takes two thirds of the
# time of the whole parser. These have the same slots, are filled like any object, and then become
# the record that they stand for.
class _OpenCommit:
    __slots__ = Commit.__slots__

    def __init__(
        self,
        sha: str,
        parents: tuple[str, ...],
        author: str,
        email: str,
        time: int,
        subject: str,
        body: str,
        trailers: Trailers,
        files: tuple[FileChange, ...] | None,
    ) -> None:
        self.sha = sha
        self.parents = parents
        self.author = author
        self.email = email
        self.time = time
        self.subject = subject
        self.body = body
        self.trailers = trailers
        self.files = files

    def close(self) -> Commit:
        self.__class__ = Commit  # type: ignore[assignment]
        return cast(Commit, self)


class _OpenFile:
    __slots__ = FileChange.__slots__

    def __init__(
        self,
        path: str,
        old_path: str | None,
        facts: Facts,
        ids: tuple[str, str],
        added: int | None,
        removed: int | None,
    ) -> None:
        self.path = path
        self.old_path = old_path
        self.status, self.old_mode, self.new_mode, self.similarity = facts
        self.old_id, self.new_id = ids
        self.added = added
        self.removed = removed
        self.submodule: tuple[str, str] | None = None
        self.size: int | None = None
        self.lfs = False

    def close(self) -> FileChange:
        self.__class__ = FileChange  # type: ignore[assignment]
        return cast(FileChange, self)


def split_fields(blocks: Iterable[bytes]) -> Iterator[list[str]]:
    """The text between NULs, as it comes; bytes that are not UTF-8 are surrogate escapes."""
    rest: list[bytes] = []
    for block in blocks:
        ready, nul, left = block.rpartition(b"\0")
        if nul:
            rest.append(ready)
            yield b"".join(rest).decode("utf-8", "surrogateescape").split("\0")
            rest = [left]
        else:
            rest.append(block)
    last = b"".join(rest)
    if last:
        yield [last.decode("utf-8", "surrogateescape")]


def parse_log(blocks: Iterable[bytes], *, files: bool) -> Iterator[Commit]:
    """Six fields a commit, then its files: `:modes ids status`, and one path or two; after all of
    them, where they were asked for, `added TAB removed TAB path` (no path: two more fields)."""
    fields = chain.from_iterable(split_fields(blocks))
    maker = CommitMaker()
    if not files:
        for header in zip(fields, fields, fields, fields, fields, fields, strict=False):
            yield maker.make(header, None)
        return
    field = next(fields, "")
    while field:
        header = (field, next(fields), next(fields), next(fields), next(fields), next(fields))
        rows: list[Row] = []
        # git puts a line end before the first file of a commit.
        field = next(fields, "").lstrip("\n")
        while field[:1] == ":":
            old_path = next(fields) if field[-4] in "RC" else None
            rows.append((field, next(fields), old_path))
            field = next(fields, "")
        counts: Counts = {}
        while "\t" in field:
            added, removed, path = field.split("\t", 2)
            if not path:
                next(fields)
                path = next(fields)
            counts[path] = (_number(added), _number(removed))
            field = next(fields, "")
        yield maker.make(header, maker.make_files(rows, counts) if rows else ())


def _number(text: str) -> int | None:
    return int(text) if text.isdigit() else None


class CommitMaker:
    """Makes records that share what many commits have in common."""

    def __init__(self) -> None:
        self._people: dict[str, str] = {}
        self._bodies: dict[str, str] = {}
        self._parents: dict[str, str] = {}
        self._facts: dict[tuple[str, str, str], Facts] = {}
        self._read_trailers = TrailerReader().read

    def make(self, header: Sequence[str], files: tuple[FileChange, ...] | None) -> Commit:
        """The commit with the six fields of `header`, which may hold surrogate escapes."""
        sha, line, author, email, time, message = header
        if not message.isascii():
            message = as_text(message)
        subject, body = split_message(message)
        # git reads trailers from the message as it is stored, line ends included.
        told = body if "\r" not in message else raw_body(message)
        if ">8" in subject and f"\n{SCISSORS}\n" in f"\n{message.strip()[: -len(body) or None]}":
            told = ""  # all of it is below the line that ends the message
        if len(body) < _SHORT:
            body = self._bodies.setdefault(body, body)
        # Children come first, so that a commit's id was met as a parent.
        known = self._parents
        parents: tuple[str, ...]
        if " " in line:
            parents = tuple([known.setdefault(parent, parent) for parent in line.split(" ")])
        else:
            parents = (known.setdefault(line, line),) if line else ()
        people = self._people
        return _OpenCommit(
            known.pop(sha, sha),
            parents,
            people.get(author) or self._person(author),
            people.get(email) or self._person(email),
            # 0 for a date that git cannot read.
            int(time) if time.lstrip("-").isdigit() else 0,
            subject,
            body,
            self._read_trailers(told) if ":" in told else (),
            files,
        ).close()

    def _person(self, text: str) -> str:
        self._people[text] = shown = as_text(text)
        return shown

    def make_files(self, rows: Sequence[Row], counts: Counts) -> tuple[FileChange, ...]:
        """The records of one commit's files."""
        found: list[FileChange] = []
        for row, path, old_path in rows:
            old_mode, new_mode, old_id, new_id, status = row.split(" ")
            key = (old_mode, new_mode, status)
            facts = self._facts.get(key) or self._read_facts(key)
            letter = facts[0]
            ids = ("" if letter == "A" else old_id, "" if letter == "D" else new_id)
            added, removed = counts.get(path, (None, None)) if counts else (None, None)
            if not _PATHS_ARE_UTF_8:
                path = os.fsdecode(path.encode("utf-8", "surrogateescape"))
                old_path = old_path and os.fsdecode(old_path.encode("utf-8", "surrogateescape"))
            file = _OpenFile(path, old_path, facts, ids, added, removed)
            if _SUBMODULE in (facts[1], facts[2]):
                file.submodule = (
                    old_id if facts[1] == _SUBMODULE else "",
                    new_id if facts[2] == _SUBMODULE else "",
                )
                file.added = file.removed = None
            found.append(file.close())
        return tuple(found)

    def _read_facts(self, key: tuple[str, str, str]) -> Facts:
        old_mode, new_mode, status = key
        old_mode = old_mode.removeprefix(":")
        self._facts[key] = facts = (
            cast(Status, status[0]),
            "" if old_mode == _ABSENT else old_mode,
            "" if new_mode == _ABSENT else new_mode,
            int(status[1:]) if len(status) > 1 else None,
        )
        return facts


def as_text(field: str) -> str:
    """A field with its bytes that are not UTF-8 read as Latin-1."""
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
        head = " ".join([line.rstrip() for line in head.split("\n")])
        body = _without_blank_start(body)
    return head.strip(), body.strip("\n")


def raw_body(message: str) -> str:
    """What comes after the first paragraph, with its line ends as they are."""
    gap = _BLANK_LINE.search(message := _without_blank_start(message))
    return message[gap.end() :].strip("\n") if gap else ""


def _without_blank_start(text: str) -> str:
    """`text` from its first line that has more than white space."""
    bare = text.lstrip()
    return text[text.rfind("\n", 0, len(text) - len(bare)) + 1 :] if bare else ""
