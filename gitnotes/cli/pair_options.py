"""Which options do all commands that read files of pairs have?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

import typer

Value = TypeVar("Value")

TABLE_HELP = "CSV, TSV or JSON lines, gzipped or not, or Parquet; - is standard input."

# Every option takes a list, so that one that is given twice can be said; else the last one wins.
Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", metavar="A,B", help="Metrics, separated by commas. [default: log-mnext]"),
]
NoHeader = Annotated[
    bool, typer.Option("--no-header", help="The first line is a row; columns are numbers from 1.")
]
Format = Annotated[
    list[str] | None, typer.Option("--format", metavar="NAME", help="csv, tsv, jsonl or parquet.")
]
Delimiter = Annotated[
    list[str] | None,
    typer.Option("--delimiter", metavar="SIGN", help="Between the columns of CSV, such as ';' or tab."),
]
Encoding = Annotated[
    list[str] | None,
    typer.Option("--encoding", metavar="NAME", help="If it is not UTF-8, such as cp1252."),
]


def once(option: str, values: Sequence[Value] | None) -> Value | None:
    """The value of an option; None when it is not given. Raises UsageError when it is given twice."""
    from gitnotes.errors import UsageError

    if not values:
        return None
    if len(values) > 1:
        raise UsageError(f"{option} is given {len(values)} times.", "Give it once.")
    return values[0]


def read_format(values: Sequence[str] | None) -> str | None:
    """The format that is named. Raises UsageError when there is no such format."""
    from gitnotes.errors import UsageError
    from gitnotes.guard.text import show
    from gitnotes.read.tables import FORMATS

    format = once("--format", values)
    if format is not None and format not in FORMATS:
        raise UsageError(f"There is no format '{show(format)[:40]}'.", f"Known are {', '.join(FORMATS)}.")
    return format


def read_sign(values: Sequence[str] | None) -> str | None:
    """The delimiter that is named. Raises UsageError when it cannot be one."""
    from gitnotes.read.delimited import read_delimiter

    sign = once("--delimiter", values)
    return None if sign is None else read_delimiter(sign)
