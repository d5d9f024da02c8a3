"""How are examples kept in a file, JSON lines or Parquet, and read again?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gitnotes.codec import SCHEMA, from_json, load_record, to_json
from gitnotes.errors import InputError, UsageError
from gitnotes.guard.text import shorten, show
from gitnotes.learn.dataset import Example, Report
from gitnotes.learn.formats import open_rows
from gitnotes.read.sources import MISSING

FORMATS = (".jsonl", ".parquet")
_COLUMNS = tuple(Example.__dataclass_fields__)

Write = Callable[[Path, bytes], None]


def check_format(path: Path) -> None:
    """Raises UsageError when the name of the file does not tell one of the formats."""
    if path.suffix not in FORMATS:
        raise UsageError(
            f"The name of {shorten(str(path))} does not tell its format.", "End it in .jsonl or .parquet."
        )


def write_examples(path: Path, examples: Sequence[Example], report: Report, write: Write) -> None:
    """Writes the examples to `path` and their report beside it, each by `write` as a whole.

    Raises UsageError for Parquet without pyarrow, and what `write` raises.
    """
    check_format(path)
    rows = [to_json(item) for item in examples]
    if path.suffix == ".parquet":
        data = _as_parquet(rows)
    else:
        data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "replace")
    write(path, data)
    told = {"schema": SCHEMA, "kind": "dataset", **to_json(report)}
    write(report_path(path), (json.dumps(told, indent=2) + "\n").encode())


def report_path(path: Path) -> Path:
    """Where the report on the data set at `path` is."""
    return path.with_suffix(".card.json")


def read_report(path: Path) -> Report | None:
    """The report beside the data set at `path`; None when there is none that can be read."""
    return load_record(Report, report_path(path))


def read_examples(path: Path) -> Iterator[Example]:
    """The examples in a file that `write_examples` made.

    Raises InputError when it cannot be read or a row is none; UsageError for another format.
    """
    check_format(path)
    table = open_rows(path)
    missing = [name for name in ("message", "change") if name not in table.names]
    if missing:
        table.close()
        raise InputError(
            f"{show(str(path))} has no column '{missing[0]}', so it is no data set of gitnotes.",
            "Make one with: gitnotes dataset",
        )
    for record in table:
        if record.problem:
            raise InputError(
                f"{show(str(path))}, line {record.line}: {record.detail or record.problem}.", "Make it again."
            )
        cells = zip(table.names, record.cells, strict=True)
        row = {name: _plain(cell) for name, cell in cells if name in _COLUMNS and cell is not MISSING}
        try:
            example = from_json(Example, row)
            if not example.message.strip():
                raise ValueError("the message is empty")
            yield example
        except ValueError as problem:
            raise InputError(f"{show(str(path))}, line {record.line}: {problem}.", "Make it again.") from None
    if table.broken:
        raise InputError(f"{show(str(path))} breaks off: {table.broken}.", "Make it again.")


def _as_parquet(rows: list[dict[str, Any]]) -> bytes:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            "Parquet files need the package pyarrow.", "Install it with: pip install 'gitnotes[metrics]'"
        ) from None
    text = pyarrow.string()
    kinds = {
        "time": pyarrow.int64(),
        "grade": pyarrow.float64(),
        "similar": pyarrow.list_(text),
        "drafts": pyarrow.list_(text),
    }
    schema = pyarrow.schema([(name, kinds.get(name, text)) for name in _COLUMNS])
    safe = [{key: _plain(value) for key, value in row.items()} for row in rows]
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(safe, schema=schema), sink)
    return bytes(sink.getvalue().to_pybytes())


def _plain(value: Any) -> Any:
    """Without lone surrogates, which bytes that are not UTF-8 are, and which neither Parquet nor a
    tokenizer takes."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return [_plain(item) for item in value] if isinstance(value, list) else value
