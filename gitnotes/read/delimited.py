"""Which records does a CSV file have, what stands between its columns, and where was a quote left open?"""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Iterator
from itertools import chain

from gitnotes.errors import InputError, UsageError
from gitnotes.guard.text import show
from gitnotes.read import bounded
from gitnotes.read.sources import LONG_LINE, NUL, Record, Source, Table, reason

LONG_RECORD = 100
"""Lines of one record from which an open quote is suspected."""

_DELIMITERS = ",;\t|"
"""What may stand between columns without being named, the first one being the most usual."""

_NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
_EXCEL = re.compile(r'"?sep=([^"\r\n\0])"?[\r\n]*')
_SAMPLE = 100
_NEWLINE = re.compile(r"\r\n|\n|\r")


def read_delimiter(text: str) -> str:
    """The delimiter that somebody typed: one character, or a name. Raises UsageError for any other."""
    found = _NAMES.get(text.lower(), text)
    if len(found) != 1 or found in '"\r\n\0':
        raise UsageError(f"'{show(text)[:40]}' is no delimiter.", "Give one character, such as ';', or tab.")
    return found


def open_delimited(source: Source, encoding: str | None, header: bool, delimiter: str) -> Table:
    """The table in a CSV file; "" as `delimiter` is what the file shows.

    A first line `sep=;`, which Excel writes and reads, names the delimiter and is no record.
    Raises InputError when there is no first record.
    """
    lines = source.lines(encoding, "")
    csv.field_size_limit(bounded.MAX_LINE)
    sample = source.sample(encoding)
    try:
        first = next(lines, "")
        skipped = 0
        if excel := _EXCEL.fullmatch(first):
            skipped, first, sample = 1, next(lines, ""), sample[1:]
            delimiter = delimiter or excel[1]
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(f"{source.name} cannot be read: {reason(problem)}.", "Fetch it again.") from problem
    notes: list[str] = []
    delimiter = delimiter or _choose_delimiter(first, sample, source.name, notes)
    records = _Records(source, chain([first], lines), lines, delimiter, skipped, notes)
    rows = records.read(header)
    head = next(rows, None)
    if head is None:
        raise InputError(f"{source.name} is empty.", "Give a file with a header and rows.")
    if head.problem:
        raise InputError(f"{source.name}, line {head.line}: {head.detail}.", "Mend the first line.")
    width = len(head.cells)
    names = [str(name).strip() for name in head.cells]
    if not header:
        names, rows = [str(number) for number in range(1, width + 1)], chain([head], rows)
    table = Table(source, names, _check_width(rows, width), notes)
    table.delimited = True
    return table


def _choose_delimiter(first: str, sample: list[str], name: str, notes: list[str]) -> str:
    """The one of `_DELIMITERS` that gives most records as many columns as the first."""
    present = [sign for sign in _DELIMITERS if sign in first]
    if len(present) < 2:
        return present[0] if present else ","
    shares = {sign: _fit(sample[:_SAMPLE], sign) for sign in present}
    fitting = [sign for sign in present if shares[sign] == max(shares.values())]
    if len(fitting) > 1:
        others = " or ".join(f"'{show(sign)}'" for sign in fitting[1:])
        notes.append(
            f"{name} is taken to have '{show(fitting[0])}' between its columns; it could be {others}, "
            "which --delimiter would say"
        )
    return fitting[0]


def _fit(sample: list[str], sign: str) -> float:
    """The share of records that have as many columns as the first one."""
    try:
        widths = [len(cells) for cells in csv.reader(sample, delimiter=sign) if cells]
    except csv.Error:
        return 0.0
    return widths.count(widths[0]) / len(widths) if widths else 0.0


class _Records:
    """The records of a CSV file, which goes on with the next line after an error."""

    def __init__(
        self,
        source: Source,
        raw: Iterator[str],
        lines: bounded.BoundedLines,
        delimiter: str,
        skipped: int,
        notes: list[str],
    ) -> None:
        """`raw` are all lines of `lines`, which come after `skipped` others."""
        self._source = source
        self._raw = raw
        self._lines = lines
        self._delimiter = delimiter
        self._skipped = skipped
        self._notes = notes
        self._held: list[str] = []
        self._suspects = 0
        self._swallowed = 0
        self._first = ""
        self._loose = 0
        self._first_loose = ""
        sign = re.escape(delimiter)
        self._inner = re.compile(rf'[^{sign}"]"[^{sign}"\r\n]')

    def read(self, header: bool) -> Iterator[Record]:
        """Every record; then a note about those that may have swallowed others."""
        reader = csv.reader(self._hold(), delimiter=self._delimiter)
        start = 1 + self._skipped
        number = -1 if header else 0
        try:
            while True:
                try:
                    for cells in reader:
                        line = reader.line_num + self._skipped
                        if cells:
                            number += 1
                            ended, cut = self._lines.ended, self._lines.take_cut()
                            if any("\0" in held for held in self._held):
                                yield Record(start, (), "nul", NUL)
                            elif line == start and not ended and not cut:
                                self._note_loose(start)
                                yield Record(start, cells)
                            elif not (ended and self._source.torn):
                                yield self._judge(number, start, line, cells, cut)
                        start = line + 1
                        self._held.clear()
                    return
                except csv.Error as problem:
                    # Before 3.11 a NUL is an error of its own; a field over the limit is one everywhere.
                    end = reader.line_num + self._skipped
                    self._lines.take_cut()
                    nul = any("\0" in held for held in self._held)
                    self._held.clear()
                    number += 1
                    if nul:
                        yield Record(start, (), "nul", NUL)
                    else:
                        yield Record(start, (), "malformed", f"{problem} (lines {start} to {end})")
                    start = end + 1
        finally:
            if self._loose:
                rows = "1 row has" if self._loose == 1 else f"{self._loose:,} rows have"
                self._notes.append(
                    f"in {self._source.name}, {rows} a quoted text that goes on after its quote"
                    f"{self._first_loose}; quotes are written twice in CSV, so these texts may be altered"
                )
            if self._suspects:
                self._notes.append(self._sentence())

    def _hold(self) -> Iterator[str]:
        for line in self._raw:
            self._held.append(line)
            yield line

    def _note_loose(self, line: int) -> None:
        """Counts a line that is read otherwise than it was meant, for example with \\" for a quote."""
        text = self._held[0]
        if '"' in text and self._inner.search(text) and not _is_strict(self._held, self._delimiter):
            self._loose += 1
            self._first_loose = self._first_loose or f" (first line {line:,})"

    def _judge(self, number: int, start: int, line: int, cells: list[str], cut: bool) -> Record:
        """A record that is not just one whole line."""
        more = line - start
        if self._lines.ended:
            # The reader asked for more in the middle of a record.
            detail = f"a quote in the record from line {start} is never closed"
            return Record(start, cells, "open-quote", detail + _swallowing(more))
        if cut:
            return Record(start, cells, "too-long", LONG_LINE)
        if more >= LONG_RECORD:
            detail = f"one record from line {start} to {line}; is a quote left open?"
            return Record(start, cells, "open-quote", detail)
        if more and not _is_strict(self._held, self._delimiter):
            detail = f"a quote of line {start} is closed by one of line {line}{_swallowing(more)}"
            return Record(start, cells, "open-quote", detail)
        if more and self._looks_like_rows(cells, more):
            self._suspects += 1
            self._swallowed += more
            lines = "1 line that looks like a row" if more == 1 else f"{more:,} lines that look like rows"
            self._first = (
                self._first or f"row {number:,} goes on from line {start} to {line} and takes in {lines}"
            )
        return Record(start, cells)

    def _looks_like_rows(self, cells: list[str], more: int) -> bool:
        """Whether the first line and most others have the delimiters of a whole record."""
        wanted = len(cells) - 1
        text = self._delimiter.join(cells)
        first, *others = (piece.count(self._delimiter) for piece in _NEWLINE.split(text))
        return bool(wanted) and first == wanted and 2 * others.count(wanted) > more

    def _sentence(self) -> str:
        rest = ""
        if self._suspects > 1:
            rest = f"; {self._suspects:,} rows of this kind take in {self._swallowed:,} such lines"
        return f"in {self._source.name}, {self._first}, as after a quote that was left open{rest}"


def _swallowing(lines: int) -> str:
    return f" and swallows {lines:,} more {'line' if lines == 1 else 'lines'}" if lines else ""


def _is_strict(lines: list[str], delimiter: str) -> bool:
    """Whether each closing quote is followed by a delimiter or the end of a line."""
    try:
        for _ in csv.reader(lines, delimiter=delimiter, strict=True):
            pass
    except csv.Error:
        return False
    return True


def _check_width(records: Iterator[Record], width: int) -> Iterator[Record]:
    for record in records:
        if len(record.cells) == width or record.problem:
            yield record
        else:
            found = len(record.cells)
            detail = f"{found} {'field' if found == 1 else 'fields'} instead of {width}"
            yield Record(record.line, record.cells, "ragged", detail)
