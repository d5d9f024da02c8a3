"""How is each row's score kept in a file, so that a run that was killed can go on?

Rows are appended in the order of the input, a chunk at a time, so the file always holds the results
of the first rows and at most one torn line at its end. `--resume` cuts that line off and goes on.
Each row carries a checksum of its texts, so that a file cannot be resumed with another input.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from gitnotes.errors import InputError, UsageError
from gitnotes.guard.text import show
from gitnotes.read.pairs import Row
from gitnotes.scoring.tally import checksum, is_unscored
from gitnotes.write.atomic import explained, lock

_FORMULA = tuple("=+-@\t\r|%＝＋－＠")
"""What makes a spreadsheet compute a cell, or run what it names."""


class _Recorded(NamedTuple):
    """One row of an earlier run."""

    row: int
    system: str
    scores: list[float]
    check: int


class RowsFile:
    """The file of `--rows`; a context manager that keeps other runs away from it."""

    def __init__(
        self,
        path: Path,
        metrics: Sequence[str],
        extras: Sequence[str],
        *,
        hidden: bool = False,
        resume: bool = False,
    ) -> None:
        """`extras` are the names of the columns that are handed on; `hidden`: each row has one before them.

        Raises UsageError when the name tells no format, or the file exists and is not to be resumed.
        """
        suffix = path.suffix.lower()
        if suffix not in (".csv", ".jsonl"):
            raise UsageError(
                f"The rows cannot be written as '{show(path.name)}'.", "End it in .csv or .jsonl."
            )
        if path.exists() and not resume:
            raise UsageError(
                f"{show(str(path))} is there already.",
                "Go on with --resume, or name another file for --rows.",
            )
        self._path = path
        self._name = show(str(path))
        self._json = suffix == ".jsonl"
        self._metrics = list(metrics)
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
            with explained(self._path):
                mode = "r+b" if self._path.exists() else "w+b"
                file = cast(BinaryIO, self._stack.enter_context(self._path.open(mode)))
            self._file = file
            self._old = self._read_json(file) if self._json else self._read_csv(file)
            self._stack = self._stack.pop_all()
        return self

    def __exit__(self, *problem: object) -> None:
        try:
            if self._file is not None and self._old is None:
                with explained(self._path):
                    os.fsync(self._file.fileno())
        finally:
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
        """Cuts off what was not written whole; everything is appended from here."""
        assert self._file is not None
        self._old = None
        if not self._good:
            self._file.seek(0)
            torn = self._file.read(1 << 12)
            begin = b'{"row": 1, "system": ' if self._json else _csv_line(self._header)
            if not begin.startswith(torn[: len(begin)]) or (torn.endswith(b"\n") and not self._json):
                raise self._other_settings()  # not a file of ours, so it is not cut off
        with explained(self._path):
            self._file.truncate(self._good)
            self._file.seek(self._good)
        if not self._good and not self._json:
            self._append(_csv_line(self._header))

    def _append(self, data: bytes) -> None:
        assert self._file is not None
        with explained(self._path):
            self._file.write(data)
            # To the system, which keeps it when this process is killed.
            self._file.flush()

    def _csv_lines(
        self, systems: Sequence[str], start: int, rows: Sequence[Row], scores: Sequence[Sequence[float]]
    ) -> bytes:
        text = io.StringIO()
        for number, (system, row, values) in enumerate(zip(systems, rows, scores, strict=True), start):
            extras = [_defuse(cell) for cell in row.extras[self._hidden :]]
            shown = ["" if value != value else repr(value) for value in values]
            reason = row.problem or ("no-score" if is_unscored(values) else "")
            _write_cells(
                text, [str(number), _defuse(system), *extras, *shown, reason, f"{checksum(row):08x}"]
            )
        return text.getvalue().encode("utf-8", "backslashreplace")

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
                "check": f"{checksum(row):08x}",
            }
            lines.append(json.dumps(found))
        return ("\n".join(lines) + "\n").encode()

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
                values = cells[2 + len(self._extras) : -2]
                scores = [float(value) if value else math.nan for value in values]
                yield _Recorded(int(cells[0]), cells[1], scores, int(cells[-1], 16))
                self._note_good(file)
        except (csv.Error, ValueError):
            return  # a torn record; it is scored again

    def _read_json(self, file: BinaryIO) -> Iterator[_Recorded]:
        for line in self._whole_lines(file):
            try:
                found = json.loads(line)
                scores = found["scores"]
                if list(scores) != self._metrics or list(found["columns"]) != self._extras:
                    raise self._other_settings()
                values = [math.nan if value is None else float(value) for value in scores.values()]
                old = _Recorded(int(found["row"]), str(found["system"]), values, int(found["check"], 16))
            except (ValueError, KeyError, TypeError):
                return
            yield old
            self._note_good(file)

    def _whole_lines(self, file: BinaryIO) -> Iterator[str]:
        # readline, not iteration, which would read ahead and spoil `tell`.
        while (line := file.readline()).endswith(b"\n"):
            yield line.decode("utf-8", "replace")

    def _stored(self, system: str) -> str:
        return system if self._json else _as_stored(_defuse(system))

    def _note_good(self, file: BinaryIO) -> None:
        self._good = file.tell()

    def _other_settings(self) -> InputError:
        return InputError(
            f"{self._name} was begun with other metrics or columns.",
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
