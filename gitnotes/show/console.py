"""Where does output go? Results on stdout, everything else on stderr, colour only on a terminal."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TextIO, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

Item = TypeVar("Item")

PATIENCE = 1.0
"""Seconds after which progress is shown."""


def write(text: str) -> None:
    """Prints a result; the text must have passed `guard.text`."""
    _print(text, sys.stdout)


def note(text: str) -> None:
    """Prints something that is not the result, if it is anything."""
    if text:
        # What has been done is done, whether or not anybody hears of it.
        with contextlib.suppress(OSError):
            _print(text, sys.stderr)
            sys.stderr.flush()


def write_grade(head: str, details: list[tuple[str, str]], overall: float | None) -> None:
    """Prints a grade: the line with the score, and labelled details below it.

    On a terminal long details are wrapped under their label, and the score has a colour where
    that is wanted; elsewhere each is one line, so that a script can read it.
    """
    if not (sys.stdout.isatty() or wants_colour(sys.stdout)):
        write("\n".join([head, *(f"     {label}: {text}" for label, text in details)]))
        return
    from rich.padding import Padding
    from rich.text import Text

    console = make_console(sys.stdout)
    colour = "dim" if overall is None else "red" if overall < 40 else "yellow" if overall < 65 else "green"
    console.print(Text.assemble((head[:3], f"bold {colour}"), head[3:]))
    for label, text in details:
        console.print(Padding(Text.assemble((f"{label}: ", "cyan"), text), (0, 0, 0, 5)))


def track(items: Iterable[Item], label: str) -> Iterator[Item]:
    """The same items, counted on stderr when they take longer than `PATIENCE` on a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    started = time.monotonic()
    progress = None
    try:
        for count, item in enumerate(items, 1):
            yield item
            if progress is None and time.monotonic() - started > PATIENCE:
                from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

                progress = Progress(
                    SpinnerColumn(),
                    TextColumn("{task.description} {task.completed:,}"),
                    TimeElapsedColumn(),
                    console=make_console(sys.stderr),
                    transient=True,
                )
                task = progress.add_task(label, total=None)
                progress.start()
            if progress is not None:
                progress.update(task, completed=count)
    finally:
        if progress is not None:
            progress.stop()


def wants_colour(stream: TextIO) -> bool:
    """Whether colour goes to `stream`: a terminal that can, NO_COLOR and FORCE_COLOR heard."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def make_console(stream: TextIO) -> Console:
    """A rich console for `stream` that takes text as it is."""
    from rich.console import Console

    # What is printed is other people's text: no markup, no emoji codes, no guessed highlights.
    return Console(
        file=stream, markup=False, emoji=False, highlight=False, force_terminal=wants_colour(stream)
    )


def _print(text: str, stream: TextIO) -> None:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    # A terminal that cannot show a character gets `?`, not a traceback.
    stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
