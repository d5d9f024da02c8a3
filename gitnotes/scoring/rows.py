"""How is each row's score kept in a file, so that a run that was killed can go on?

Rows are appended in the order of the input, a chunk at a time, so the file always holds the results
of the first rows and at most one torn line at its end. `--resume` cuts that line off and goes on;
it refuses every other file. Each row carries two checksums: one of its texts, so that a file cannot
be resumed with another input, and one of the signatures of the metrics and all that the row says, so
that no other settings can go on with it, and no change of an earlier score passes.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from gitnotes.errors import InputError, UsageError
from gitnotes.guard.text import show
from gitnotes.read.pairs import Row
from gitnotes.scoring.tally import checksum, is_unscored
from gitnotes.write.atomic import check_target, explained, lock

_FORMULA = tuple("=+-@\t\r|%＝＋－＠")
"""What makes a spreadsheet compute a cell, or run what it names."""

_TORN = re.compile(rb'"?[0-9]*(?:[",].*)?', re.DOTALL)
_TORN_JSON = re.compile(rb'\{"row": [0-9]+(?!.*"check": "[0-9a-f]{16}"\}.).*', re.DOTALL)
_BEGIN_JSON = b'{"row": '
_WHOLE = re.compile(rb'[,"][0-9a-f]{16}"?\}?\r?\n\Z')
"""How a whole row ends: with its checksums."""

_MOST_TORN = 1 << 16
"""Bytes by which a torn row is known."""


class _Recorded(NamedTuple):
    """One row of an earlier run."""

    row: int
    system: str
    extras: list[str]
    scores: list[float]
    check: int


class RowsFile:
    """The file of `--rows`; a context manager that keeps other runs away from it."""

    def __init__(
        self,
        path: Path,
        signatures: Mapping[str, str],
        extras: Sequence[str],
        *,
        hidden: bool = False,
        resume: bool = False,
    ) -> None:
        """`extras` are the names of the columns that are handed on; `hidden`: each row has one before them.

        `signatures` are those of the metrics, by name. Raises UsageError when the name tells no
        format, or the file exists and is not to be resumed, InputError when it is no regular file.
        """
        metrics = list(signatures)
        suffix = path.suffix.lower()
        if suffix not in (".csv", ".jsonl"):
            raise UsageError(
                f"The rows cannot be written as '{show(path.name or str(path))}'.",
                "End it in .csv or .jsonl.",
            )
        check_target(path)
        self._path = path
        self._name = show(str(path))
        self._resume = resume
        if path.exists() and not resume:
            raise self._already_there()
        self._json = suffix == ".jsonl"
        self._metrics = metrics
        self._settings = zlib.crc32("\n".join(signatures.values()).encode())
        self._hidden = int(hidden)
        own = {"row", "system", "unscored", "check", *metrics}
        self._extras = [f"input {name}" if name in own else name for name in extras]
        header = ["row", "system", *map(_defuse, self._extras), *metrics, "unscored", "check"]
        self._header = [_as_stored(cell) for cell in header]
        self._old: Iterator[_Recorded] | None = None
        self._good = 0
        self._file: BinaryIO | None = None
        self._stack = ExitStack()
        self.resumed = 0
        """Rows taken from the earlier run."""

    def __enter__(self) -> RowsFile:
        with self._stack:
            self._stack.enter_context(lock(self._path, seconds=1))
            # Another run may have made it since it was looked for.
            mode = "r+b" if self._resume and self._path.exists() else "x+b"
            with explained(self._path):
                try:
                    file = cast(BinaryIO, self._stack.enter_context(self._path.open(mode)))
                except FileExistsError as problem:
                    raise self._already_there() from problem
            self._file = file
            self._old = self._read_json(file) if self._json else self._read_csv(file)
            self._stack = self._stack.pop_all()
        return self

    def __exit__(self, *problem: object) -> None:
        try:
            if self._file is not None and self._old is None:
                with self._writing():
                    os.fsync(self._file.fileno())
        finally:
            # What could not be written is tried once more, and fails once more.
            with self._writing():
                self._stack.close()

    def take(self, systems: Sequence[str], start: int, rows: Sequence[Row]) -> list[list[float]]:
        """The scores that an earlier run has for the first of these rows, which begin at row `start`.

        `systems` names the system of each row.

        Raises InputError when what it has is not for these rows.
        """
        known: list[list[float]] = []
        if self._old is None:
            return known
        for number, system, row in zip(count(start), systems, rows, strict=False):
            old = next(self._old, None)
            if old is None:
                self._begin_to_write()
                break
            if (old.row, old.system, old.check) != (number, self._stored(system), checksum(row)):
                raise InputError(
                    f"Row {number} of {show(system)} is not the row {old.row} of {show(old.system)} in "
                    f"{self._name}.",
                    "Resume with the input that the file was begun with.",
                )
            if old.extras != (now := [self._stored(cell) for cell in row.extras[self._hidden :]]):
                place = next(at for at, cell in enumerate(now) if cell != old.extras[at])
                raise InputError(
                    f"Row {number} has another value in the column '{show(self._extras[place])[:60]}' "
                    f"than in {self._name}.",
                    "Resume with the input that the file was begun with.",
                )
            known.append(old.scores)
        self.resumed += len(known)
        return known

    def write(
        self, systems: Sequence[str], start: int, rows: Sequence[Row], scores: Sequence[Sequence[float]]
    ) -> None:
        """Appends rows, which begin at row `start`, with the system and the scores of each."""
        if rows:
            encode = self._json_lines if self._json else self._csv_lines
            self._append(encode(systems, start, rows, scores))

    def finish(self) -> None:
        """Raises InputError when the earlier run has more rows than the input."""
        if self._old is None:
            return
        if next(self._old, None) is not None:
            raise InputError(
                f"{self._name} has more rows than the input.",
                "Resume with the input that the file was begun with.",
            )
        self._begin_to_write()

    def _begin_to_write(self) -> None:
        """Cuts off a row that was not written whole; everything is appended from here.

        Raises InputError when what follows the last good row is anything else.
        """
        assert self._file is not None
        self._old = None
        self._check_rest(self._file)
        with self._writing():
            self._file.truncate(self._good)
            self._file.seek(self._good)
        if not self._good and not self._json:
            self._append(_csv_line(self._header))

    def _check_rest(self, file: BinaryIO) -> None:
        file.seek(self._good)
        rest = file.read(_MOST_TORN).rstrip(b"\0")  # what a crash of the system may leave
        if self._json:
            ours = _BEGIN_JSON.startswith(rest) or _TORN_JSON.fullmatch(rest) is not None
        elif self._good:
            ours = _TORN.fullmatch(rest) is not None
        else:
            ours = _csv_line(self._header).startswith(rest)
        if not ours:
            raise self._damaged() if self._good else self._other_settings()
        file.seek(self._good)
        quotes = 0
        while line := file.readline():
            quotes += 0 if self._json else line.count(b'"')
            if line.endswith(b"\n") and (quotes % 2 == 0 or _WHOLE.search(line[-24:])):
                raise self._damaged()  # a line that is whole and cannot be read

    def _append(self, data: bytes) -> None:
        assert self._file is not None
        with self._writing():
            self._file.write(data)
            # To the system, which keeps it when this process is killed.
            self._file.flush()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Turns an OSError of the block into an InputError that says how to go on."""
        try:
            with explained(self._path):
                yield
        except InputError as problem:
            if not isinstance(problem.__cause__, OSError):
                raise
            hint = "The rows so far are in it; make room, and go on with --resume."
            raise InputError(problem.message, hint) from problem.__cause__

    def _csv_lines(
        self, systems: Sequence[str], start: int, rows: Sequence[Row], scores: Sequence[Sequence[float]]
    ) -> bytes:
        text = io.StringIO()
        for number, (system, row, values) in enumerate(zip(systems, rows, scores, strict=True), start):
            shown = ["" if value != value else repr(value) for value in values]
            reason = row.problem or ("no-score" if is_unscored(values) else "")
            extras = [self._stored(cell) for cell in row.extras[self._hidden :]]
            cells = [str(number), self._stored(system), *extras, *shown, reason]
            _write_cells(text, [*cells, f"{checksum(row):08x}{self._seal(cells):08x}"])
        return text.getvalue().encode()

    def _json_lines(
        self, systems: Sequence[str], start: int, rows: Sequence[Row], scores: Sequence[Sequence[float]]
    ) -> bytes:
        lines = []
        for number, (system, row, values) in enumerate(zip(systems, rows, scores, strict=True), start):
            found = {
                "row": number,
                "system": system,
                "columns": dict(zip(self._extras, row.extras[self._hidden :], strict=True)),
                "scores": {
                    name: None if value != value else value
                    for name, value in zip(self._metrics, values, strict=True)
                },
                "unscored": row.problem or ("no-score" if is_unscored(values) else None),
            }
            text = json.dumps(found)[:-1]
            lines.append(f'{text}, "check": "{checksum(row):08x}{self._seal([text]):08x}"}}\n')
        return "".join(lines).encode()

    def _seal(self, cells: Sequence[str]) -> int:
        """CRC-32 of the signatures and all cells of a row but the last."""
        return zlib.crc32("\0".join(cells).encode(), self._settings)

    def _read_csv(self, file: BinaryIO) -> Iterator[_Recorded]:
        reader = csv.reader(self._whole_lines(file), strict=True)
        width = len(self._header)
        try:
            header = next(reader, None)
            if header is None:
                return
            if header != self._header:
                raise self._other_settings()
            self._note_good(file)
            for cells in reader:
                if len(cells) != width:
                    return
                extras, values = cells[2 : 2 + len(self._extras)], cells[2 + len(self._extras) : -2]
                scores = [float(value) if value else math.nan for value in values]
                number = int(cells[0])
                yield _Recorded(number, cells[1], extras, scores, self._open(number, cells[:-1], cells[-1]))
                self._note_good(file)
        except (csv.Error, ValueError):
            return  # a torn record; it is scored again

    def _read_json(self, file: BinaryIO) -> Iterator[_Recorded]:
        for line in self._whole_lines(file):
            try:
                found = json.loads(line)
                scores, columns = found["scores"], found["columns"]
                number, check = int(found["row"]), str(found["check"])
                if list(scores) != self._metrics or list(columns) != self._extras:
                    raise self._other_settings()
                values = [math.nan if value is None else float(value) for value in scores.values()]
                told = line.rpartition(', "check": ')[0]
                system, extras = str(found["system"]), [str(cell) for cell in columns.values()]
                old = _Recorded(number, system, extras, values, self._open(number, [told], check))
            except (ValueError, KeyError, TypeError, AttributeError):
                return
            yield old
            self._note_good(file)

    def _open(self, number: int, cells: Sequence[str], check: str) -> int:
        """The checksum of the texts. Raises InputError when that of the row is another."""
        texts, seal = int(check[:8], 16), int(check[8:], 16)
        if seal != self._seal(cells):
            raise InputError(
                f"Row {number} of {self._name} is not what this run would have written.",
                "It was begun with another version or other settings, or changed since; name another "
                "file for --rows.",
            )
        return texts

    def _whole_lines(self, file: BinaryIO) -> Iterator[str]:
        # readline, not iteration, which would read ahead and spoil `tell`.
        while (line := file.readline()).endswith(b"\n"):
            yield line.decode("utf-8", "replace")

    def _stored(self, system: str) -> str:
        return system if self._json else _as_stored(_defuse(system))

    def _note_good(self, file: BinaryIO) -> None:
        self._good = file.tell()

    def _already_there(self) -> UsageError:
        return UsageError(
            f"{self._name} is there already.", "Go on with --resume, or name another file for --rows."
        )

    def _damaged(self) -> InputError:
        return InputError(
            f"{self._name} goes on with something else than a row after byte {self._good:,}.",
            "Cut it off there if you know what it is, or name another file for --rows.",
        )

    def _other_settings(self) -> InputError:
        return InputError(
            f"{self._name} was begun with other metrics or columns, or by another program.",
            "Give the same --metric, --by, --system and --keep, or another --rows.",
        )


def _defuse(cell: str) -> str:
    """The cell with an apostrophe before it when a spreadsheet would compute it (CWE-1236)."""
    if not cell.lstrip(" ").startswith(_FORMULA) and not cell.lstrip().startswith(_FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def _as_stored(cell: str) -> str:
    return cell.encode("utf-8", "backslashreplace").decode()


def _csv_line(cells: Sequence[str]) -> bytes:
    text = io.StringIO()
    _write_cells(text, cells)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _write_cells(text: io.StringIO, cells: Sequence[str]) -> None:
    writer = csv.writer(text, lineterminator="\n")
    if any("\r" in cell for cell in cells):
        # Before 3.13 it is not quoted by itself, and would end the record for other readers.
        writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(cells)
