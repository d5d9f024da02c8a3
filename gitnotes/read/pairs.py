"""Which pairs of a prediction and its references are in a file, and which rows cannot be compared?"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from gitnotes.errors import UsageError
from gitnotes.guard.text import show
from gitnotes.read.encodings import check_encoding
from gitnotes.read.sources import MISSING, NUL, Record, Table
from gitnotes.read.tables import open_lines, open_table

MAX_TEXT = 100_000
"""Characters of a text beyond which a row is unscored: some metrics take the square of the length."""

PROBLEMS = {
    "empty-reference": "the reference is empty",
    "empty-prediction": "the prediction is empty",
    "empty-both": "reference and prediction are empty",
    "encoding": "bytes that do not belong to the encoding",
    "surrogate": "a lone surrogate, which is no character",
    "ragged": "another number of fields than the header",
    "open-quote": "a quote that is left open and swallows lines, or a record of very many lines",
    "malformed": "not readable as CSV",
    "nul": NUL,
    "not-json": "no JSON object",
    "missing": "a column is missing",
    "not-text": "the value is no text",
    "too-long": f"a text of more than {MAX_TEXT:,} characters",
    "no-partner": "a line without a partner in the other file",
    "no-score": "a metric has no score for it, for example because a text is too long for the metric",
}
"""The reasons why a row has no score; those that begin with `empty` have at least one empty side."""

_KINDS: dict[type, str] = {
    bool: "a truth value",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
    bytes: "binary data",
}
"""How people call what stands where a text should."""

_REFERENCES = re.compile(r"(refs?|references?|targets?|gold|golden|truth|ground_?truth)[ _-]?[0-9]*")
_PREDICTION = re.compile(
    r"(pred|preds|predictions?|predicted|hyp|hypothes[ie]s|generated|generation|outputs?)"
)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the texts are in a table. Columns are names, or numbers from 1 when there is no header."""

    references: tuple[str, ...] = ()
    """Empty: guessed by name."""
    prediction: str | None = None
    extras: tuple[str, ...] = ()
    """Further columns to hand on as text."""
    header: bool = True
    encoding: str | None = None
    """None: UTF-8, or what a byte order mark says."""
    format: str | None = None
    """csv, tsv, jsonl, parquet; None: by the name of the file."""
    delimiter: str | None = None
    """The character between the columns of CSV; None: what the file shows."""


class Row(NamedTuple):
    """One row; with a `problem` it cannot be scored, and its texts may be missing."""

    line: int
    references: tuple[str, ...]
    prediction: str
    extras: tuple[str, ...] = ()
    problem: str = ""
    """A key of PROBLEMS."""
    detail: str = ""


class PairFile:
    """The rows of one file, or of files of lines that belong together; read once, as a stream."""

    def __init__(self, name: str, tables: Sequence[Table], rows: Iterator[Row], notes: Sequence[str]) -> None:
        self.name = name
        self._notes = tuple(notes)
        self._tables = tables
        self._rows = rows

    def __iter__(self) -> Iterator[Row]:
        return self._rows

    @property
    def notes(self) -> tuple[str, ...]:
        """What is odd about the file but stops nobody; complete when all rows are read."""
        return (*self._notes, *(note for table in self._tables for note in table.notes))

    def close(self) -> None:
        """Closes the files; needed only when not all rows are read."""
        for table in self._tables:
            table.close()

    @property
    def broken(self) -> str:
        """Why reading stopped before the end of the file; empty when it did not."""
        return next((table.broken for table in self._tables if table.broken), "")

    @property
    def progress(self) -> float | None:
        return self._tables[-1].progress


def open_pairs(path: str, layout: Layout) -> PairFile:
    """The pairs in the table at `path`; `-` is standard input.

    Raises InputError when the file cannot be read at all, UsageError when the columns are not there.
    """
    check_encoding(layout.encoding)
    table = open_table(
        path,
        format=layout.format,
        encoding=layout.encoding,
        header=layout.header,
        delimiter=layout.delimiter,
    )
    name = "standard input" if path == "-" else show(path)
    try:
        if table.delimited and len(table.names) < 2:
            raise UsageError(
                f"{name} has one column only, {_listed(table.names)}.",
                "Say what stands between its columns with --delimiter, such as ';'.",
            )
        references, prediction = _find_texts(name, table, layout)
        _check_sides(table.names, references, prediction)
        extras = [_find(name, table.names, column, layout) for column in layout.extras]
    except UsageError:
        table.close()
        raise
    if hasattr(table, "wanted"):
        table.wanted = list(dict.fromkeys([*references, prediction, *extras]))
    notes = []
    double = [column for column in dict.fromkeys(table.names) if column and table.names.count(column) > 1]
    if double:
        notes.append(f"{name} has more than one column '{show(double[0])[:60]}'; none of them is used")
    return PairFile(name, [table], _rows(table, references, prediction, extras), notes)


def open_aligned(references: Sequence[str], predictions: str, layout: Layout) -> PairFile:
    """The pairs of files in which the same line number belongs together.

    Raises InputError when a file cannot be read.
    """
    check_encoding(layout.encoding)
    tables: list[Table] = []
    try:
        tables += (open_lines(path, layout.encoding) for path in (*references, predictions))
    except BaseException:
        for table in tables:
            table.close()
        raise
    return PairFile(show(predictions), tables, _aligned_rows(tables), ())


def _rows(table: Table, references: list[int], prediction: int, extras: list[int]) -> Iterator[Row]:
    only = references[0] if len(references) == 1 else -1
    for record in table:
        line, cells, problem, detail = record
        if problem:
            yield Row(line, (), "", _kept(record, extras), problem, detail)
            continue
        text = cells[prediction]
        if only >= 0:
            reference = cells[only]
            # The usual row, without a call: two plain texts.
            if (
                type(text) is str
                and type(reference) is str
                and text.isascii()
                and reference.isascii()
                and len(text) < MAX_TEXT > len(reference)
                and text
                and reference
                and not text.isspace()
                and not reference.isspace()
            ):
                kept = tuple([_as_text(cells[place]) for place in extras]) if extras else ()
                yield Row(line, (reference,), text, kept)
                continue
        yield check_row(line, [cells[place] for place in references], text, _kept(record, extras))


def _aligned_rows(tables: Sequence[Table]) -> Iterator[Row]:
    for number, records in enumerate(zip_longest(*tables), 1):
        if None in records:
            which = "predictions" if records[-1] is None else "references"
            yield Row(number, (), "", (), "no-partner", f"the {which} end before it")
            continue
        flawed = next((record for record in records if record.problem), None)
        if flawed is not None:
            yield Row(number, (), "", (), flawed.problem, flawed.detail)
            continue
        *references, prediction = (record.cells[0] for record in records)
        yield check_row(number, references, prediction)


def _kept(record: Record, extras: list[int]) -> tuple[str, ...]:
    cells = record.cells
    return tuple([_as_text(cells[place]) if place < len(cells) else "" for place in extras])


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        return str(value)


def check_row(line: int, references: Sequence[Any], prediction: Any, extras: tuple[str, ...] = ()) -> Row:
    """The row of these values, with the first problem that they have."""
    given: list[Any] = []
    for value in references:
        given += value if isinstance(value, list | tuple) else [value]
    for value in (*given, prediction):
        if value is MISSING:
            return Row(line, (), "", extras, "missing", "a key is missing")
        if not isinstance(value, str) and value is not None:
            return Row(
                line, (), "", extras, "not-text", f"{_KINDS.get(type(value), 'a value')} in place of a text"
            )
    texts = tuple(value for value in given if value and not value.isspace())
    prediction = "" if prediction is None or prediction.isspace() else prediction
    for text in (*texts, prediction):
        if len(text) > MAX_TEXT:
            return Row(line, (), "", extras, "too-long", f"a text of {len(text):,} characters")
        flaw = _flaw(text)
        if flaw:
            return Row(line, texts, prediction, extras, *flaw)
    if not texts or not prediction:
        side = "both" if not texts and not prediction else "prediction" if texts else "reference"
        return Row(line, texts, prediction, extras, f"empty-{side}", PROBLEMS[f"empty-{side}"])
    return Row(line, texts, prediction, extras)


def _flaw(text: str) -> tuple[str, str] | None:
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        code = ord(text[problem.start])
        if 0xDC80 <= code <= 0xDCFF:
            return "encoding", f"the byte 0x{code - 0xDC00:02x} does not belong to the encoding"
        return "surrogate", f"the lone surrogate U+{code:04X}"
    return None


def _find_texts(name: str, table: Table, layout: Layout) -> tuple[list[int], int]:
    """The positions of the references and of the prediction. Raises UsageError."""
    names = table.names
    if not layout.header and len(names) == 2 and not layout.references and layout.prediction is None:
        return [0], 1
    if layout.references:
        references = [_find(name, names, column, layout) for column in layout.references]
    else:
        references = _guess(names, _REFERENCES)
        same = {names[place].rstrip("0123456789 _-").lower() for place in references}
        if len(same) != 1 or len({names[place] for place in references}) != len(references):
            raise _unclear(name, table, "reference", references, layout)
    if layout.prediction is not None:
        return references, _find(name, names, layout.prediction, layout)
    predictions = _guess(names, _PREDICTION)
    if len(predictions) != 1:
        raise _unclear(name, table, "prediction", predictions, layout)
    return references, predictions[0]


def _check_sides(names: list[str], references: list[int], prediction: int) -> None:
    """Raises UsageError when a column is used twice, which would compare texts with themselves."""
    if prediction in references:
        column = show(names[prediction])[:60]
        raise UsageError(f"The column '{column}' is named for both sides.", "Name one column for each side.")
    if len(set(references)) < len(references):
        twice = next(place for place in references if references.count(place) > 1)
        raise UsageError(
            f"The column '{show(names[twice])[:60]}' is named twice as a reference.", "Name it once."
        )


def _guess(names: list[str], pattern: re.Pattern[str]) -> list[int]:
    return [place for place, column in enumerate(names) if pattern.fullmatch(column.lower())]


def _unclear(name: str, table: Table, what: str, found: list[int], layout: Layout) -> UsageError:
    names = table.names
    if found:
        several = _listed([names[place] for place in found])
        sentence = f"{name} has {len(found)} columns that may be the {what}: {several}."
        alike = len({names[place] for place in found}) == 1
        return UsageError(
            sentence,
            "Give each column a name of its own." if alike else f"Say which with --{what}-column.",
        )
    if not layout.header:
        sentence = f"{name} has {len(names)} columns and no header."
        return UsageError(sentence, f"Give the number of the {what} with --{what}-column, from 1.")
    sentence = f"{name} has no column that looks like a {what}; it has {_listed(names)}."
    header = ", or say --no-header if the first line is a row already" if table.delimited else ""
    return UsageError(sentence, f"Name it with --{what}-column{header}.")


def _find(name: str, names: list[str], column: str, layout: Layout) -> int:
    """The position of a column by its name. Raises UsageError when there is none, or more than one."""
    count = names.count(column)
    if count == 1:
        return names.index(column)
    shown = show(column)[:60]
    if count > 1:
        places = ", ".join(str(place) for place, found in enumerate(names, 1) if found == column)
        raise UsageError(
            f"{name} has {count} columns '{shown}' (numbers {places}).", "Give each column a name of its own."
        )
    if not layout.header:
        raise UsageError(
            f"{name} has no column number '{shown}'.", f"Without a header, columns are 1 to {len(names)}."
        )
    if any("," in found and column in found for found in names):
        raise UsageError(
            f"{name} has no column '{shown}'; it has {_listed(names)}.",
            "In a list, put a name with a comma into double quotes.",
        )
    near = difflib.get_close_matches(column, names, 1) or difflib.get_close_matches(
        column.lower(), [found.lower() for found in names], 1
    )
    hint = f"Did you mean '{show(near[0])[:60]}'?" if near else f"It has {_listed(names)}."
    raise UsageError(f"{name} has no column '{shown}'.", hint)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{show(name)[:40]}'" for name in names[:8]) or "no columns at all"
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown
