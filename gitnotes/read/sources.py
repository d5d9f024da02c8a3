"""How is a file opened, unpacked and decoded, whatever table is in it?"""

from __future__ import annotations

import codecs
import errno
import io
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from gitnotes.errors import InputError
from gitnotes.guard.text import show
from gitnotes.read import bounded
from gitnotes.read.encodings import choose_encoding
from gitnotes.read.gunzip import MAGIC, Gunzip

LONG_LINE = f"a line of more than {bounded.MAX_LINE:,} characters"

_SNIFF = 1 << 13
_MOST_NUL = 4
"""Less than one byte in so many may be NUL in a text: in UTF-16 it is one in two."""

NUL = "a NUL byte, which no text has"
_MARK = "gitnotes.mark"
_HINTS = {
    errno.ENOENT: "Name a file that exists.",
    errno.EISDIR: "Name a file in it.",
    errno.EACCES: "Change its permissions.",
}


class Record(NamedTuple):
    """One record: its cells, or the kind of its damage and a few words about it."""

    line: int
    """Where it begins, from 1; the number of the record in Parquet."""
    cells: Sequence[Any]
    problem: str = ""
    detail: str = ""


class Missing:
    """The value of a key that a JSON object does not have."""


MISSING = Missing()


class Table:
    """The names of the columns, and the records after them."""

    def __init__(
        self, source: Source, names: list[str], records: Iterator[Record], notes: list[str] | None = None
    ) -> None:
        self.names = names
        self.notes = [] if notes is None else notes
        """What is odd about the file; complete when all records are read."""
        self.delimited = False
        """Whether its columns depend on a delimiter."""
        self.broken = ""
        """Why reading stopped before the end; empty when it did not."""
        self._source = source
        self._records = records

    def __iter__(self) -> Iterator[Record]:
        try:
            yield from self._records
            self.broken = self._source.broken
        except (OSError, EOFError, zlib.error) as problem:
            self.broken = reason(problem)
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
        except (OSError, ValueError) as problem:
            hint = _HINTS.get(getattr(problem, "errno", None) or 0, "Name another file.")
            raise InputError(f"{self.name} cannot be read: {reason(problem)}.", hint) from problem
        self.size = 0 if path == "-" else Path(path).stat().st_size
        self.stream: io.BufferedReader = cast(io.BufferedReader, self._raw)
        self._packed: Gunzip | None = None
        if head.startswith(MAGIC):
            self._packed = Gunzip(self._raw)
            self.stream = io.BufferedReader(self._packed, 1 << 16)
            head = self.stream.peek(_SNIFF)
            if self._packed.broken and not head:
                self._raw.close()
                raise InputError(
                    f"{self.name} cannot be gunzipped: {self._packed.broken}.", "Fetch or pack it again."
                )
        self.head = head
        self._text: io.TextIOWrapper | None = None

    @property
    def broken(self) -> str:
        """What is wrong with the packed data; empty when nothing is known to be."""
        return self._packed.broken if self._packed is not None else ""

    @property
    def packed(self) -> bool:
        """Whether it is gzipped."""
        return self._packed is not None

    @property
    def torn(self) -> bool:
        """Whether the packed data ended where no line need to end."""
        return self._packed is not None and self._packed.torn

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

    def lines(self, encoding: str | None, newline: str) -> bounded.BoundedLines:
        """The decoded lines; bytes that do not belong to the encoding become lone surrogates.

        `newline` is as for `open`: with "" a carriage return ends a line too. Half a line at the
        end of torn data is none. Raises InputError for what is no text.
        """
        chosen = choose_encoding(encoding, self.head, self.name)
        wide = chosen.replace("_", "-").lower().startswith(("utf-16", "utf-32"))
        if not wide and b"\0" in self.head and not self._is_text():
            if self.head.startswith(b"PAR1"):
                hint = (
                    "Give it as a table, with --format parquet."
                    if self._own
                    else "Save it, and name the file."
                )
                raise InputError(f"{self.name} is a Parquet file, not text.", hint)
            hint = "Give CSV, TSV, JSON lines or Parquet."
            for order, place in (("le", 1), ("be", 0)):
                if 2 * self.head[place::2].count(0) > len(self.head[place::2]):
                    hint = f"It looks like UTF-16 without a mark; say --encoding utf-16-{order}."
            raise InputError(f"{self.name} is a binary file, not text.", hint)
        codecs.register_error(_MARK, _mark)
        text = io.TextIOWrapper(self.stream, encoding=chosen, errors=_MARK, newline=newline)
        self._text = text
        ends = ("\n",) if newline else ("\n", "\r")

        def readline(limit: int) -> str:
            line = text.readline(limit)
            return "" if self.torn and len(line) < limit and not line.endswith(ends) else line

        return bounded.BoundedLines(readline, bounded.MAX_LINE, "".join(ends))

    def _is_text(self) -> bool:
        """Whether the beginning is UTF-8 with so few NUL bytes that a row, not the file, is damaged."""
        try:
            codecs.getincrementaldecoder("utf-8")().decode(self.head)
        except UnicodeDecodeError:
            return False
        return self.head.count(0) * _MOST_NUL < len(self.head)

    def sample(self, encoding: str | None) -> list[str]:
        """Whole lines from the beginning, without their ends; they are not read by this."""
        chosen = choose_encoding(encoding, self.head, self.name)
        return self.head.decode(chosen, "replace").splitlines()[: -1 if len(self.head) >= _SNIFF else None]


def decode(data: bytes) -> str:
    """UTF-8 text; each byte that does not belong to it as a lone surrogate."""
    codecs.register_error(_MARK, _mark)
    return data.decode("utf-8", _MARK)


def _mark(problem: UnicodeError) -> tuple[str, int]:
    """Each byte that cannot be decoded as a lone surrogate, as `surrogateescape` does it."""
    if not isinstance(problem, UnicodeDecodeError):
        raise problem
    bad = problem.object[problem.start : problem.end]
    return "".join(chr(0xDC00 + (byte if byte >= 0x80 else 0xFF)) for byte in bad), problem.end


def reason(problem: Exception) -> str:
    """A few words about a failure, safe to print."""
    text = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
    return show(text).rstrip(".")[:200]
