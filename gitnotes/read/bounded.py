"""Which lines does a stream have, when one of them may be too long to keep?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

MAX_LINE = 1 << 22
"""Characters of a line, or of a quoted field, after which it is taken for damage."""


class BoundedLines:
    """The lines of a stream; of one over the limit only its beginning, the rest being read and dropped.

    Quotes are kept even or odd in number, so that a quoted field goes on, or ends, as in the whole line.
    """

    def __init__(self, readline: Callable[[int], str], limit: int, ends: str) -> None:
        """`limit` in characters; `ends` are the characters that end a line."""
        self._readline = readline
        self._limit = limit
        self._ends = tuple(ends)
        self._cut = False
        self.ended = False
        """Whether the stream has no more lines."""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._readline(self._limit)
        if not line:
            self.ended = True
            raise StopIteration
        if len(line) < self._limit or line.endswith(self._ends):
            return line
        quotes, last = 0, line
        while not last.endswith(self._ends) and (last := self._readline(self._limit)):
            quotes += last.count('"')
            # A line of just the limit that the stream ends is whole.
            self._cut = self._cut or not last.isspace()
        return line + '"' * (quotes % 2) + "\n"

    def take_cut(self) -> bool:
        """Whether a line was cut since the last call."""
        cut, self._cut = self._cut, False
        return cut
