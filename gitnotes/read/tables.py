"""Which records does a table have, whatever its format, and which of them are damaged?

CSV, TSV, JSON lines, Parquet and plain lines, gzipped or not, are read as a stream. A damaged record
is handed on as what it is: nothing is skipped, and nothing stops before the end of the file.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from gitnotes.errors import InputError, UsageError
from gitnotes.guard.text import show
from gitnotes.read.bounded import BoundedLines
from gitnotes.read.sources import LONG_LINE, MISSING, NUL, Record, Source, Table, reason

FORMATS = ("csv", "tsv", "jsonl", "parquet")

_JSON = (b'{"', b'[{"')
_BLANKS = b"\xef\xbb\xbf \t\r\n"
_FIRST = 100
_FIRST_CHARACTERS = 1 << 20
"""The beginning of JSON lines, whose keys are the columns; a row of its own may lack some."""

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}


def open_table(
    path: str, *, format: str | None, encoding: str | None, header: bool, delimiter: str | None = None
) -> Table:
    """The table in the file at `path`; `-` is standard input. Without `header` the names are numbers.

    `delimiter` is what stands between the columns of CSV; None: what the file shows.
    Raises InputError when it cannot be read at all, UsageError when its format is not known, or
    when an option does not belong to its format.
    """
    kind = format or _guess_format(path)
    _check_options(kind, format, encoding, header, delimiter)
    guessed = path == "-" and format is None and header and delimiter is None
    if kind == "parquet":
        from gitnotes.read.parquet import open_parquet

        return open_parquet(path)
    source = Source(path)
    try:
        if kind == "jsonl" or (guessed and source.head.lstrip(_BLANKS).startswith(_JSON)):
            return _open_jsonl(source, encoding)
        from gitnotes.read.delimited import open_delimited

        return open_delimited(source, encoding, header, delimiter or ("\t" if kind == "tsv" else ""))
    except BaseException:
        source.close()
        raise


def _check_options(
    kind: str, format: str | None, encoding: str | None, header: bool, delimiter: str | None
) -> None:
    """Raises UsageError for an option that the format has no use for."""
    name = {"jsonl": "JSON lines", "parquet": "Parquet", "tsv": "TSV", "csv": "CSV"}[kind]
    if delimiter is not None:
        if kind in ("jsonl", "parquet"):
            raise UsageError(f"{name} has no delimiter.", "Leave --delimiter out.")
        if format == "tsv" and delimiter != "\t":
            raise UsageError("TSV is delimited by tabs.", "Say --format csv, or leave --delimiter out.")
    if not header and kind in ("jsonl", "parquet"):
        raise UsageError(f"{name} names its columns in any case.", "Leave --no-header out.")
    if encoding is not None and kind == "parquet":
        raise UsageError("Parquet is always UTF-8.", "Leave --encoding out.")


def open_lines(path: str, encoding: str | None) -> Table:
    """Each line of the file at `path` as a record of one cell; only a newline ends a line."""
    source = Source(path)
    try:
        return Table(source, ["text"], _line_records(source.lines(encoding, "\n")))
    except InputError:
        source.close()
        raise


def _line_records(lines: BoundedLines) -> Iterator[Record]:
    for number, line in enumerate(lines, 1):
        if lines.take_cut():
            yield Record(number, ("",), "too-long", LONG_LINE)
        elif "\0" in line:
            yield Record(number, ("",), "nul", NUL)
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


def _open_jsonl(source: Source, encoding: str | None) -> Table:
    records = _json_records(source.lines(encoding, "\n"))
    held: list[Record] = []
    names: dict[str, None] = {}
    size = 0
    try:
        for record in records:
            held.append(record)
            if not record.problem:
                names |= dict.fromkeys(record.cells[0])
                size += sum(len(value) for value in record.cells[0].values() if isinstance(value, str))
            if len(held) == (_FIRST if names else 1000) or size > _FIRST_CHARACTERS:
                break
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(f"{source.name} cannot be read: {reason(problem)}.", "Fetch it again.") from problem
    if not held:
        raise InputError(f"{source.name} is empty.", "Give one JSON object a line.")
    if all(record.problem for record in held):
        hint = "Give one JSON object a line."
        if held[0].problem == "too-long":
            hint = "Shorten its texts, or give one JSON object a line."
        elif source.head.lstrip().startswith(b"["):
            hint = "Take the objects out of the JSON array, one a line: jq -c '.[]' FILE"
        raise InputError(f"{source.name}, line {held[0].line}: {held[0].detail}.", hint)
    return Table(source, list(names), _pick_keys(chain(held, records), list(names)))


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
            found = json.loads(line, object_pairs_hook=_object)
        except _DoubleKeyError as problem:
            yield Record(number, (), "not-json", f"the key '{show(str(problem))[:60]}' twice in one object")
        except ValueError as problem:
            yield Record(number, (), "not-json", f"no JSON: {getattr(problem, 'msg', 'number too long')}")
        except RecursionError:
            yield Record(number, (), "not-json", "no JSON: nested too deeply")
        else:
            if isinstance(found, dict):
                yield Record(number, (found,))
            else:
                yield Record(
                    number,
                    (),
                    "not-json",
                    f"a JSON {'null' if found is None else type(found).__name__}, not an object",
                )


class _DoubleKeyError(Exception):
    """A JSON object has a key twice, so nobody can say which value is meant."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _DoubleKeyError(next(key for key in found if keys.count(key) > 1))
    return found


def _pick_keys(records: Iterator[Record], names: list[str]) -> Iterator[Record]:
    for record in records:
        if record.problem:
            yield record
        else:
            found = record.cells[0]
            yield Record(record.line, [found.get(name, MISSING) for name in names])
