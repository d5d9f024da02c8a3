"""Where does output go? Results on stdout, everything else on stderr, colour only on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")

PATIENCE = 1.0
"""Seconds after which progress is shown."""


def write(text: str) -> None:
    """Prints a result; the text must have passed `guard.text`."""
    _print(text, sys.stdout)


def note(text: str) -> None:
    """Prints something that is not the result, if it is anything."""
    if text:
        _print(text, sys.stderr)


def _print(text: str, stream: object) -> None:
    out = stream if hasattr(stream, "write") else sys.stdout
    encoding = getattr(out, "encoding", None) or "utf-8"
    # A terminal that cannot show a character gets `?`, not a traceback.
    out.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def track(items: Iterable[Item], label: str) -> Iterator[Item]:
    """The same items, counted on stderr when they take longer than `PATIENCE` on a terminal."""
    started = time.monotonic()
    shown = 0.0
    count = 0
    try:
        for item in items:
            count += 1
            yield item
            now = time.monotonic()
            if sys.stderr.isatty() and now - started > PATIENCE and now - shown > 0.2:
                shown = now
                sys.stderr.write(f"\r{label}: {count:,}\x1b[K")
                sys.stderr.flush()
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
