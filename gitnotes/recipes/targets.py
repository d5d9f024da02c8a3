"""Which commits is a grader asked about, and what does a pull request do and say as a whole?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from gitnotes.errors import CannotJudge, UsageError
from gitnotes.read.git import Git
from gitnotes.records import Change

_UNSHALLOW = "Fetch the rest of the history with: git fetch --unshallow --tags"


@dataclass(frozen=True, slots=True)
class Span:
    """The commits that `git log REVISIONS` names."""

    end: str
    """Object id of the newest one."""
    revisions: tuple[str, ...]


def find_span(git: Git, versions: str) -> Span:
    """The commits of a range as a person writes it.

    Raises UsageError, UnknownRevision, or CannotJudge for an empty range or a shallow clone.
    """
    from gitnotes.read.versions import resolve_range

    found = resolve_range(git, versions)
    return span_between(found.start_sha, found.end_sha)


def span_between(start: str | None, end: str) -> Span:
    """What the commit `end` reaches and `start` does not, both given by their ids."""
    return Span(end, (f"^{start}", end) if start else (end,))


def find_pushed(git: Git) -> Span | None:
    """What is about to be pushed: the range that pre-commit names, else what no remote has.

    None when there is nothing. Raises UnknownRevision.
    """
    end = git.resolve(os.environ.get("PRE_COMMIT_TO_REF") or "HEAD")
    start = os.environ.get("PRE_COMMIT_FROM_REF") or ""
    # A branch that is new to the remote comes from nowhere: zeros.
    span = (
        span_between(git.resolve(start), end)
        if start.strip("0")
        else Span(end, ("--not", "--remotes", "--not", end))
    )
    return span if git.run("rev-list", "--max-count=1", *span.revisions, "--") else None


def shallow_edge(git: Git) -> frozenset[str]:
    """The commits whose parents a shallow clone lacks."""
    if not git.is_shallow():
        return frozenset()
    place = git.path("shallow")
    return frozenset(place.read_text("ascii").split()) if place.exists() else frozenset()


def read_whole_change(git: Git, versions: str) -> Change:
    """What the commits of a range do together, since it left the other branch: a pull request.

    Raises as `find_span`, and CannotJudge when the clone is too shallow to tell where it left.
    """
    from gitnotes.read.diff import read_between
    from gitnotes.read.versions import resolve_range

    found = resolve_range(git, versions)
    base = found.start_sha
    if not found.start_is_ancestor:
        base = found.merge_base
        if base is None and git.is_shallow():
            raise CannotJudge(
                "This clone is shallow and does not reach the commit where the branches parted.", _UNSHALLOW
            )
        base = base or found.start_sha
    return read_between(git, base or git.empty_tree(), found.end_sha)


def squash_message(messages: Sequence[str], title: str | None, pull: int | None) -> str:
    """The message that GitHub stores by default for a squash merge of commits with those messages,
    oldest first.

    One commit keeps its message; several give the title of the pull request and a list, an
    asterisk before each message. ` (#12)` follows the subject where the number `pull` is known.
    (GitLab's own default is the title alone.) Raises UsageError when a title is needed.
    """
    number = f" (#{pull})" if pull else ""
    texts = [message.strip("\n") for message in messages]
    if len(texts) == 1:
        subject, _, rest = texts[0].partition("\n")
        return f"{subject}{number}\n{rest}" if rest else f"{subject}{number}"
    if not title:
        raise UsageError(
            f"A squash of {len(texts)} commits takes the title of its pull request.", "Give it with --title."
        )
    return "\n\n".join([f"{title}{number}", *(f"* {text}" for text in texts)])


def read_squash_message(git: Git, span: Span, title: str | None, pull: int | None) -> str:
    """As `squash_message`, for the commits of a span."""
    from gitnotes.read.log_format import as_text
    from gitnotes.read.texts import stream_texts

    texts = [as_text(text.message) for text in stream_texts(git, span.revisions)]
    return squash_message(texts[::-1], title, pull)
