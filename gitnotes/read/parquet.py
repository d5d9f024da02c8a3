"""Which records does a Parquet file have?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gitnotes.errors import InputError, UsageError
from gitnotes.read.sources import MISSING, Record, Source, Table, decode, reason


def open_parquet(path: str) -> Table:
    """The table in the Parquet file at `path`.

    Raises UsageError without pyarrow or for standard input, InputError for what is no such file.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as problem:
        raise UsageError(
            "Parquet files need the package pyarrow.", "Install it with: pip install 'gitnotes[metrics]'"
        ) from problem
    if path == "-":
        raise UsageError("Parquet cannot be read from standard input.", "Save it, and name the file.")
    if Path(path).exists() and not Path(path).is_file():
        # Its columns are found from its end, and to open a pipe takes its content away.
        raise UsageError("Parquet can be read from an ordinary file only.", "Save it, and name the file.")
    source = Source(path)
    source.close()
    if source.packed:
        raise InputError(f"{source.name} is gzipped, and Parquet is read from its end.", "Unpack it first.")
    try:
        file = pyarrow.parquet.ParquetFile(path)
        names = list(file.schema_arrow.names)
    except (pyarrow.ArrowException, OSError, ValueError) as problem:
        raise InputError(
            f"{source.name} is no readable Parquet file: {reason(problem)}.", "Write or fetch it again."
        ) from problem
    return ParquetTable(source, names, file, pyarrow.ArrowException)


class ParquetTable(Table):
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
                columns = [_values(batch.column(name)) for name in names]
                for values in zip(*columns, strict=True):
                    self._done += 1
                    cells: list[Any] = [MISSING] * len(self.names)
                    for place, value in zip(self.wanted, values, strict=True):
                        cells[place] = value
                    yield Record(self._done, cells)
        except (self._failure, OSError, ValueError) as problem:
            self.broken = reason(problem)
        finally:
            self.close()

    def close(self) -> None:
        self._file.close()

    @property
    def progress(self) -> float | None:
        return self._done / max(int(self._file.metadata.num_rows), 1)


def _values(column: Any) -> list[Any]:
    try:
        values: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        # One text that is not UTF-8 must not take the others with it.
        values = [_value(scalar) for scalar in column]
    return values


def _value(scalar: Any) -> Any:
    """The value; in a text, bytes that are not UTF-8 are lone surrogates."""
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        if hasattr(scalar, "as_buffer"):
            return decode(scalar.as_buffer().to_pybytes())
        if hasattr(scalar, "keys"):
            return dict.fromkeys(scalar.keys())  # no text, whatever is in it
        if hasattr(scalar, "values"):
            return [_value(item) for item in scalar.values]
        return _value(scalar.value)
