"""Which records does a table have, whatever its format, and which of them are damaged?

CSV, TSV, JSON lines, Parquet and plain lines, gzipped or not, are read as a stream. A damaged record
is handed on as what it is: nothing is skipped, and nothing stops before the end of the file.
"""

from __future__ import annotations

import codecs
import csv
import io
import sys
import zlib
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from gitnotes.errors import InputError, UsageError
from gitnotes.guard.text import show
from gitnotes.read.bounded import BoundedLines
from gitnotes.read.encodings import choose_encoding

FORMATS = ("csv", "tsv", "jsonl", "parquet")
MAX_LINE = 1 << 22
"""Characters of a line, or of a quoted field, after which it is taken for damage."""

LONG_LINE = f"a line of more than {MAX_LINE:,} characters"

LONG_RECORD = 100
"""Lines of one CSV record from which an open quote is suspected."""

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_SNIFF = 1 << 13
_MARK = "gitnotes.mark"


class Record(NamedTuple):
    """One record: its cells, or the kind of its damage and a few words about it."""

    line: int
    """Where it begins, from 1; the number of the record in Parquet."""
    cells: Sequence[Any]
    problem: str = ""
    detail: str = ""


class Table:
    """The names of the columns, and the records after them."""

    def __init__(self, source: Source, names: list[str], records: Iterator[Record]) -> None:
        self.names = names
        self.broken = ""
        """Why reading stopped before the end; empty when it did not."""
        self._source = source
        self._records = records

    def __iter__(self) -> Iterator[Record]:
        try:
            yield from self._records
        except (OSError, EOFError, zlib.error) as problem:
            self.broken = _reason(problem)
        finally:
            self.close()

    def close(self) -> None:
        """Closes the file; done by itself after the last record."""
        self._source.close()

    @property
    def progress(self) -> float | None:
        """The share of the file that was read, 0 to 1; None when that cannot be known."""
        return self._source.progress


class Source:
    """An open file or standard input, gunzipped."""

    def __init__(self, path: str) -> None:
        self.name = "standard input" if path == "-" else show(path)
        self._raw: BinaryIO
        self._own = path != "-"
        # Python has no standard input when it was closed before the start, whatever its types say.
        if path == "-" and cast(Any, sys.stdin) is None:
            raise InputError("Standard input is closed.", "Pipe a table into it, or name a file.")
        try:
            # Read as a stream, closed by `close`.
            self._raw = sys.stdin.buffer if path == "-" else Path(path).open("rb")  # noqa: SIM115
            head = cast(io.BufferedReader, self._raw).peek(_SNIFF)
        except OSError as problem:
            raise InputError(
                f"{self.name} cannot be read: {problem.strerror}.", "Name a file that exists."
            ) from problem
        self.size = 0 if path == "-" else Path(path).stat().st_size
        self.stream: io.BufferedReader = cast(io.BufferedReader, self._raw)
        if head.startswith(b"\x1f\x8b"):
            import gzip

            self.stream = io.BufferedReader(gzip.GzipFile(fileobj=self._raw))
            try:
                head = self.stream.peek(_SNIFF)
            except (OSError, EOFError, zlib.error) as problem:
                self._raw.close()
                raise InputError(
                    f"{self.name} cannot be gunzipped: {_reason(problem)}.", "Fetch or pack it again."
                ) from problem
        self.head = head
        self._text: io.TextIOWrapper | None = None

    @property
    def progress(self) -> float | None:
        if self._raw.closed:
            return 1.0
        return min(self._raw.tell() / self.size, 1.0) if self.size else None

    def close(self) -> None:
        if self._own:
            if self._text is not None:
                self._text.close()
            self.stream.close()
            self._raw.close()

    def text(self, encoding: str | None, newline: str) -> io.TextIOWrapper:
        """The decoded text; bytes that do not belong to the encoding become lone surrogates.

        Raises InputError for what is no text.
        """
        chosen = choose_encoding(encoding, self.head, self.name)
        wide = chosen.replace("_", "-").lower().startswith(("utf-16", "utf-32"))
        if not wide and b"\0" in self.head:
            what = "a Parquet file" if self.head.startswith(b"PAR1") else "a binary file"
            hint = "Say --format parquet." if "Parquet" in what else "Give CSV, TSV, JSON lines or Parquet."
            raise InputError(f"{self.name} is {what}, not text.", hint)
        codecs.register_error(_MARK, _mark)
        self._text = io.TextIOWrapper(self.stream, encoding=chosen, errors=_MARK, newline=newline)
        return self._text


def open_table(path: str, *, format: str | None, encoding: str | None, header: bool) -> Table:
    """The table in the file at `path`; `-` is standard input. Without `header` the names are numbers.

    Raises InputError when it cannot be read at all, UsageError when its format is not known.
    """
    kind = format or _guess_format(path)
    if kind == "parquet":
        return _open_parquet(path)
    source = Source(path)
    try:
        if kind == "jsonl":
            return _open_jsonl(source, encoding)
        return _open_csv(source, encoding, header, "\t" if kind == "tsv" else "")
    except BaseException:
        source.close()
        raise


def open_lines(path: str, encoding: str | None) -> Table:
    """Each line of the file at `path` as a record of one cell; only a newline ends a line."""
    source = Source(path)
    try:
        text = source.text(encoding, "\n")
    except InputError:
        source.close()
        raise
    return Table(source, ["text"], _line_records(BoundedLines(text.readline, MAX_LINE, "\n")))


def _line_records(lines: BoundedLines) -> Iterator[Record]:
    for number, line in enumerate(lines, 1):
        if lines.take_cut():
            yield Record(number, ("",), "too-long", LONG_LINE)
        else:
            yield Record(number, (line.rstrip("\r\n"),))


def _guess_format(path: str) -> str:
    if path == "-":
        return "csv"
    stem = Path(path.lower().removesuffix(".gz"))
    if stem.suffix not in _SUFFIXES:
        raise UsageError(
            f"The name of {show(path)} does not tell its format.", f"Say --format {', '.join(FORMATS)}."
        )
    return _SUFFIXES[stem.suffix]


def _open_csv(source: Source, encoding: str | None, header: bool, delimiter: str) -> Table:
    stream = source.text(encoding, "")
    csv.field_size_limit(MAX_LINE)
    lines = BoundedLines(stream.readline, MAX_LINE, "\r\n")
    try:
        first = next(lines, "")
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(f"{source.name} cannot be read: {_reason(problem)}.", "Fetch it again.") from problem
    if not delimiter:
        delimiter = next((sign for sign in ",;\t" if sign in first), ",")
    reader = csv.reader(chain([first], lines), delimiter=delimiter)
    records = _csv_records(reader, lines)
    head = next(records, None)
    if head is None:
        raise InputError(f"{source.name} is empty.", "Give a file with a header and rows.")
    if head.problem:
        raise InputError(f"{source.name}, line 1: {head.detail}.", "Mend the first line.")
    width = len(head.cells)
    if header:
        names = [str(name).strip() for name in head.cells]
        return Table(source, names, _check_width(records, width))
    names = [str(number) for number in range(1, width + 1)]
    return Table(source, names, _check_width(chain([head], records), width))


def _csv_records(reader: Any, lines: BoundedLines) -> Iterator[Record]:
    """The records of a csv.reader, which goes on with the next line after an error."""
    start = 1
    while True:
        try:
            for cells in reader:
                line = reader.line_num
                if lines.ended and cells:
                    # The reader asked for more in the middle of a record.
                    detail = f"a quote in the record from line {start} is never closed"
                    yield Record(start, cells, "open-quote", detail)
                elif lines.take_cut():
                    yield Record(start, cells, "too-long", LONG_LINE)
                elif line - start >= LONG_RECORD:
                    detail = f"one record from line {start} to {line}; is a quote left open?"
                    yield Record(start, cells, "open-quote", detail)
                elif cells:
                    yield Record(start, cells)
                start = line + 1
            return
        except csv.Error as problem:
            # Before 3.11 a NUL is an error of its own; a field over the limit is one everywhere.
            end = reader.line_num
            lines.take_cut()
            yield Record(start, (), "malformed", f"{problem} (lines {start} to {end})")
            start = end + 1


def _check_width(records: Iterator[Record], width: int) -> Iterator[Record]:
    for record in records:
        if len(record.cells) == width or record.problem:
            yield record
        else:
            found = len(record.cells)
            detail = f"{found} {'field' if found == 1 else 'fields'} instead of {width}"
            yield Record(record.line, record.cells, "ragged", detail)


def _open_jsonl(source: Source, encoding: str | None) -> Table:
    stream = source.text(encoding, "\n")
    records = _json_records(BoundedLines(stream.readline, MAX_LINE, "\n"))
    held: list[Record] = []
    try:
        for record in records:
            held.append(record)
            if not record.problem or len(held) == 1000:
                break
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(f"{source.name} cannot be read: {_reason(problem)}.", "Fetch it again.") from problem
    if not held:
        raise InputError(f"{source.name} is empty.", "Give one JSON object a line.")
    if held[-1].problem:
        raise InputError(
            f"{source.name}, line {held[0].line}: {held[0].detail}.", "Give one JSON object a line."
        )
    names = list(held[-1].cells[0])
    return Table(source, names, _pick_keys(chain(held, records), names))


def _json_records(lines: BoundedLines) -> Iterator[Record]:
    """One record with the object as its only cell for each line that is not blank."""
    import json

    for number, line in enumerate(lines, 1):
        if lines.take_cut():
            yield Record(number, (), "too-long", LONG_LINE)
            continue
        if line.isspace():
            continue
        try:
            found = json.loads(line)
        except ValueError as problem:
            yield Record(number, (), "not-json", f"no JSON: {getattr(problem, 'msg', 'number too long')}")
        except RecursionError:
            yield Record(number, (), "not-json", "no JSON: nested too deeply")
        else:
            if isinstance(found, dict):
                yield Record(number, (found,))
            else:
                yield Record(number, (), "not-json", f"a JSON {type(found).__name__}, not an object")


def _pick_keys(records: Iterator[Record], names: list[str]) -> Iterator[Record]:
    for record in records:
        if record.problem:
            yield record
        else:
            found = record.cells[0]
            yield Record(record.line, [found.get(name, MISSING) for name in names])


class _Missing:
    """The value of a key that a JSON object does not have."""


MISSING = _Missing()


def _open_parquet(path: str) -> Table:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as problem:
        raise UsageError(
            "Parquet files need the package pyarrow.", "Install it with: pip install 'gitnotes[metrics]'"
        ) from problem
    if path == "-":
        raise UsageError("Parquet cannot be read from standard input.", "Name the file.")
    source = Source(path)
    source.close()
    try:
        file = pyarrow.parquet.ParquetFile(path)
        names = list(file.schema_arrow.names)
    except (pyarrow.ArrowException, OSError) as problem:
        raise InputError(
            f"{source.name} is no readable Parquet file: {_reason(problem)}.", "Write or fetch it again."
        ) from problem
    return _ParquetTable(source, names, file, pyarrow.ArrowException)


class _ParquetTable(Table):
    """Reads only the columns that are asked for, some rows at a time."""

    def __init__(self, source: Source, names: list[str], file: Any, failure: type[Exception]) -> None:
        super().__init__(source, names, iter(()))
        self._file = file
        self._failure = failure
        self._done = 0
        self.wanted: list[int] = list(range(len(names)))
        """The columns to read; the cells of the others are `MISSING`."""

    def __iter__(self) -> Iterator[Record]:
        names = [self.names[place] for place in self.wanted]
        try:
            for batch in self._file.iter_batches(batch_size=1024, columns=names, use_threads=False):
                # By name: the batch has the order of the file.
                columns = [batch.column(name).to_pylist() for name in names]
                for values in zip(*columns, strict=True):
                    self._done += 1
                    cells: list[Any] = [MISSING] * len(self.names)
                    for place, value in zip(self.wanted, values, strict=True):
                        cells[place] = value
                    yield Record(self._done, cells)
        except (self._failure, OSError, ValueError) as problem:
            self.broken = _reason(problem)
        finally:
            self.close()

    def close(self) -> None:
        self._file.close()

    @property
    def progress(self) -> float | None:
        return self._done / max(int(self._file.metadata.num_rows), 1)


def _mark(problem: UnicodeError) -> tuple[str, int]:
    """Each byte that cannot be decoded as a lone surrogate, as `surrogateescape` does it."""
    if not isinstance(problem, UnicodeDecodeError):
        raise problem
    bad = problem.object[problem.start : problem.end]
    return "".join(chr(0xDC00 + (byte if byte >= 0x80 else 0xFF)) for byte in bad), problem.end


def _reason(problem: Exception) -> str:
    text = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
    return show(text).rstrip(".")[:200]
