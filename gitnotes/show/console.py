"""Where does output go? Results on stdout, everything else on stderr, colour only on a terminal."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TextIO, TypeVar

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

Item = TypeVar("Item")

PATIENCE = 1.0
"""Seconds after which progress is shown."""
_LONGEST_COMMAND = 2000
_quiet = False


def be_quiet() -> None:
    """From now on shows nothing but results and errors."""
    global _quiet
    _quiet = True


def tell_commands() -> None:
    """From now on says on stderr which program is started, and how long after this call."""
    started = time.monotonic()

    def listen(event: str, arguments: tuple[object, ...]) -> None:
        if event == "subprocess.Popen":
            from gitnotes.guard.text import show

            words = arguments[1]
            line = " ".join(map(str, words)) if isinstance(words, list | tuple) else str(words)
            note(f"gitnotes: {time.monotonic() - started:.3f} s: {show(line)[:_LONGEST_COMMAND]}")

    sys.addaudithook(listen)


def write(text: str) -> None:
    """Prints a result; the text must have passed `guard.text`."""
    _print(text, sys.stdout)


def note(text: str) -> None:
    """Prints something that is not the result, if it is anything."""
    if text and not _quiet:
        # What has been done is done, whether or not anybody hears of it.
        with contextlib.suppress(OSError):
            _print(text, sys.stderr)
            sys.stderr.flush()


def wrap(text: str, head: str = "", *, rest: int | None = None) -> list[str]:
    """`head` and `text` in lines that fit the terminal, 80 columns where there is none; later lines are
    indented by `rest` columns, the width of `head` by default. Words, and so paths, are never broken."""
    import shutil
    import textwrap

    return textwrap.wrap(
        text,
        max(shutil.get_terminal_size().columns, 30),
        initial_indent=head,
        subsequent_indent=" " * (len(head) if rest is None else rest),
        break_long_words=False,
        break_on_hyphens=False,
    ) or [head]


def track(items: Iterable[Item], label: str, total: int | None = None) -> Iterator[Item]:
    """The same items, counted on stderr when they take longer than `PATIENCE`.

    Only where stderr is a terminal that results do not scroll over.
    """
    if _quiet or not sys.stderr.isatty() or sys.stdout.isatty():
        yield from items
        return
    started = time.monotonic()
    progress = None
    try:
        for count, item in enumerate(items, 1):
            yield item
            if progress is None and time.monotonic() - started > PATIENCE:
                progress = _make_progress(total)
                task = progress.add_task(label, total=total)
                progress.start()
            if progress is not None:
                progress.update(task, completed=count)
    finally:
        if progress is not None:
            progress.stop()


@contextlib.contextmanager
def counting(label: str) -> Iterator[Callable[[int], None]]:
    """Takes how much of some work is done, and shows it as `track` does, before there is any result."""
    if _quiet or not sys.stderr.isatty():
        yield lambda count: None
        return
    started = time.monotonic()
    shown: list[tuple[Progress, TaskID]] = []

    def tell(count: int) -> None:
        if not shown and time.monotonic() - started > PATIENCE:
            progress = _make_progress(None)
            shown.append((progress, progress.add_task(label, total=None)))
            progress.start()
        for progress, task in shown:
            progress.update(task, completed=count)

    try:
        yield tell
    finally:
        for progress, _ in shown:
            progress.stop()


def _make_progress(total: int | None) -> Progress:
    from rich import progress as rich_progress

    text = "{task.description} {task.completed:,}" + (" of {task.total:,}" if total else "")
    columns = [
        rich_progress.BarColumn() if total else rich_progress.SpinnerColumn(),
        rich_progress.TextColumn(text),
        rich_progress.TimeRemainingColumn() if total else rich_progress.TimeElapsedColumn(),
    ]
    # Else it would take what is written to stdout, a file perhaps, and show it on stderr.
    return rich_progress.Progress(
        *columns,
        console=make_console(sys.stderr),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


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
