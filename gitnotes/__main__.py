"""Where does a command go? `gitnotes hook` leaves for `hook.py` before Typer is imported."""

from __future__ import annotations

import contextlib
import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

_INTERRUPTED = 130


def main() -> NoReturn:
    """The entry point: runs the command line in sys.argv and exits with its code."""
    # Modules are made of objects that stay; looking through them again and again is a tenth of a start.
    gc.set_threshold(200_000)
    try:
        arguments = sys.argv[1:]
        if arguments[:1] == ["hook"]:
            from gitnotes.hook import main as run_hook

            code = run_hook(arguments[1:])
        else:
            code = run(arguments)
    except KeyboardInterrupt:  # while a module was being loaded
        code = _INTERRUPTED
    # The interpreter looks for cycles as it ends, twice, among everything that is thrown away anyhow.
    gc.freeze()
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Runs one command and returns its exit code; the only place where errors are caught.

    0 fine, 1 quality below the bar, 2 usage or configuration, 3 git or input that cannot be
    judged, 4 model failure, 130 interrupted.
    """
    if sys.stderr is None:  # closed by the caller: what would go there goes nowhere
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stdout is None:
        return _complain("standard output is closed, so there is nowhere to put the result.", 3)
    from gitnotes.errors import GitnotesError

    try:
        from gitnotes.cli.app import run_app

        code = run_app(list(arguments))
        sys.stdout.flush()
        return code
    except GitnotesError as problem:
        return _complain(str(problem), problem.exit_code)
    except KeyboardInterrupt:
        return _complain("interrupted.", _INTERRUPTED)
    except BrokenPipeError:
        # The reader has left (`| head`); what it did not read is not an error.
        _forget_output()
        return 0
    except OSError as problem:
        if os.environ.get("GITNOTES_DEBUG"):
            raise
        _forget_output()
        return _complain(f"the result cannot be written: {problem.strerror or problem}.", 3)
    except MemoryError:
        return _complain("the memory is used up. Ask for less at a time, or free some.", 3)
    except Exception as problem:
        if os.environ.get("GITNOTES_DEBUG"):
            raise
        name = type(problem).__name__
        return _complain(f"this should not happen ({name}); GITNOTES_DEBUG=1 shows where.", 3)


def _forget_output() -> None:
    """Lets the interpreter's own flush at the end succeed, which would change the exit code."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(sentence: str, code: int) -> int:
    from gitnotes.guard.text import show

    try:
        sys.stderr.write(f"gitnotes: {show(sentence)}\n")
        sys.stderr.flush()
    except (OSError, ValueError):  # nobody listens; the exit code still tells
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    return code


if __name__ == "__main__":
    main()
