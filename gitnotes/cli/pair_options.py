"""Which options do all commands that read files of pairs have?"""

from __future__ import annotations

from typing import Annotated

import typer

TABLE_HELP = "CSV, TSV, JSON lines or Parquet, gzipped or not; - is standard input."

Metrics = Annotated[str, typer.Option("--metric", metavar="A,B", help="Metrics, separated by commas.")]
NoHeader = Annotated[
    bool, typer.Option("--no-header", help="The first line is a row; columns are numbers from 1.")
]
Format = Annotated[str | None, typer.Option("--format", metavar="NAME", help="csv, tsv, jsonl or parquet.")]
Encoding = Annotated[
    str | None, typer.Option("--encoding", metavar="NAME", help="If it is not UTF-8, such as cp1252.")
]
