"""Where does a command go? `gitnotes hook` leaves for `hook.py` before Typer is imported."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn


def main() -> NoReturn:
    """The entry point: runs the command line in sys.argv and exits with its code."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"]:
        from gitnotes.hook import main as run_hook

        sys.exit(run_hook(arguments[1:]))
    sys.exit(run(arguments))


def run(arguments: Sequence[str]) -> int:
    """Runs one command and returns its exit code; the only place where errors are caught.

    0 fine, 1 quality below the bar, 2 usage or configuration, 3 git or input that cannot be
    judged, 4 model failure, 130 interrupted.
    """
    from gitnotes.errors import GitnotesError

    try:
        from gitnotes.cli.app import run_app

        code = run_app(list(arguments))
        sys.stdout.flush()
        return code
    except GitnotesError as problem:
        return _complain(str(problem), problem.exit_code)
    except KeyboardInterrupt:
        return _complain("interrupted.", 130)
    except BrokenPipeError:
        # The reader has left (`| head`); what it did not read is not an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as problem:
        if os.environ.get("GITNOTES_DEBUG"):
            raise
        name = type(problem).__name__
        return _complain(f"this should not happen ({name}); GITNOTES_DEBUG=1 shows where.", 3)


def _complain(sentence: str, code: int) -> int:
    from gitnotes.guard.text import show

    with contextlib.suppress(OSError):  # stderr may be closed
        sys.stderr.write(f"gitnotes: {show(sentence)}\n")
    return code


if __name__ == "__main__":
    main()
