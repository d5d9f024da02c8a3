"""Which ways can gitnotes fail, and with which exit code?

    GitnotesError            2   caught once, in the entry points
    ├── UsageError           2   arguments or configuration that make no sense
    ├── GitError             3   git cannot answer
    │   ├── NotARepository   3
    │   ├── BareRepository   3
    │   ├── UnknownRevision  3
    │   └── CannotJudge      3   the history needed is not here (shallow clone, empty range)
    ├── InputError           3   a file or text that cannot be read, judged or written
    └── ModelError           4   a model or its server failed

Exit codes: 0 fine, 1 quality below the bar, 2 usage or configuration, 3 git or
input that cannot be judged, 4 model failure, 130 interrupted.
"""

from __future__ import annotations


class GitnotesError(Exception):
    """A failure to show as one sentence; `hint` says what to do next."""

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(GitnotesError):
    """Arguments or configuration that make no sense."""


class GitError(GitnotesError):
    """git cannot answer."""

    exit_code = 3


class NotARepository(GitError):
    """The folder is not inside a git repository."""


class BareRepository(GitError):
    """The repository has no work tree."""


class UnknownRevision(GitError):
    """A name that git does not know."""


class CannotJudge(GitError):
    """The history that the question needs is not here."""


class InputError(GitnotesError):
    """A file or text that cannot be read, judged or written."""

    exit_code = 3


class ModelError(GitnotesError):
    """A model or its server failed."""

    exit_code = 4
