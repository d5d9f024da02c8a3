"""What do many commits say, read for comparison alone, at a tenth of what records cost?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from gitnotes.read.git import Git
from gitnotes.read.log_format import split_fields

_FORM = "%H%x00%P%x00%an <%ae>%x00%at%x00%B"


class CommitText(NamedTuple):
    """A commit and its message; bytes that are not UTF-8 are surrogate escapes."""

    sha: str
    is_merge: bool
    author: str
    """Name <email>."""
    time: str
    """Author date, seconds since the epoch, as git has it."""
    message: str


def stream_texts(
    git: Git, revisions: Sequence[str], *, skip: int = 0, limit: int | None = None
) -> Iterator[CommitText]:
    """Each commit that `git log REVISIONS` names, newest first in topological order, but the first
    `skip`. Raises GitError."""
    options = [f"--skip={skip}", *([] if limit is None else [f"--max-count={limit}"])]
    blocks = git.stream(
        *("log", "-z", "--topo-order", "--encoding=UTF-8", "--no-show-signature", "--no-color"),
        *("--no-notes", "--no-decorate", "--no-mailmap", "--no-patch", f"--format={_FORM}"),
        *options,
        *revisions,
        "--",
    )
    fields = chain.from_iterable(split_fields(blocks))
    for sha, parents, author, time, message in zip(fields, fields, fields, fields, fields, strict=False):
        yield CommitText(sha, " " in parents, author, time, message)
