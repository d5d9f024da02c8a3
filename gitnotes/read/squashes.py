"""Which commits does the message of a squashed commit list?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitnotes.guard.patterns import late
from gitnotes.records import Commit
from gitnotes.relations import SquashedCommit

_GIT = "Squashed commit of the following:"
_GIT_COMMIT = late(r"^commit ([0-9a-f]{40,64})$", re.M)
_GIT_AUTHOR = late(r"^Author:[ \t]+([^<\n]{0,200}?)[ \t]*<([^>\n]{0,254})>", re.M)
_REBASE_PART = late(r"^# This is the (?:1st commit message|commit message #\d{1,6}):\n+", re.M)
_BULLET = late(r"^\* (?=\S)", re.M)
_TYPED = late(r"[a-z]{2,12}(?:\([^()\n]{1,60}\))?!?: \S")
_RULE = late(r"^-{3,}[ \t]*$", re.M)
_TAIL = late(r"\n\n(?=(?:Co-authored-by|Signed-off-by|Approved-by|See merge request)\b)", re.I)


def split_squash(commit: Commit) -> tuple[SquashedCommit, ...]:
    """The commits that the body lists, in its order; none when it is an ordinary message.

    Reads `git merge --squash`, the bullets of GitHub, GitLab and Bitbucket (`* subject`, each a
    paragraph of its own, its body below it), and what `git rebase` leaves when nobody edits it.
    A list without blank lines counts only when every item has a type (`* fix: ...`): it may as
    well be prose.
    """
    body = commit.body
    if not body or commit.is_merge:
        return ()
    if commit.subject == _GIT or _GIT in body:
        return read_merge_squash(body.partition(_GIT)[2] if _GIT in body else body)
    if "# This is the" in body:
        parts = [part.strip() for part in _REBASE_PART().split(f"{commit.subject}\n\n{body}")[1:]]
        return tuple(_part(part) for part in parts if part)
    return _read_bullets(body) if "* " in body else ()


def read_merge_squash(text: str) -> tuple[SquashedCommit, ...]:
    """The commits that the message of `git merge --squash` lists, newest first; none in any other text."""
    return tuple(_read_git_log(text))


def _read_git_log(text: str) -> Iterator[SquashedCommit]:
    pieces = _GIT_COMMIT().split(text)[1:]
    for sha, piece in zip(pieces[::2], pieces[1::2], strict=True):
        header, _, indented = piece.strip("\n").partition("\n\n")
        author = _GIT_AUTHOR().search(header)
        message = "\n".join(line.removeprefix("    ") for line in indented.split("\n")).strip("\n")
        yield _part(message, sha, *(author.groups() if author else ()))


def _read_bullets(body: str) -> tuple[SquashedCommit, ...]:
    starts = [match.start() for match in _BULLET().finditer(body)]
    if len(starts) < 2:
        return ()
    if not all(at == 0 or body[at - 2 : at] == "\n\n" for at in starts):
        items = [body[at + 2 :].split("\n", 1)[0] for at in starts]
        if not all(map(_TYPED().match, items)):
            return ()
    pieces = [body[at + 2 : end] for at, end in zip(starts, [*starts[1:], len(body)], strict=True)]
    # What follows the last one is said of all of them.
    rule = _RULE().search(pieces[-1])
    pieces[-1] = _TAIL().split(pieces[-1][: rule.start()] if rule else pieces[-1], maxsplit=1)[0]
    return tuple(_part(piece.strip()) for piece in pieces)


def _part(message: str, sha: str = "", author: str = "", email: str = "") -> SquashedCommit:
    subject, _, body = message.partition("\n")
    return SquashedCommit(subject.strip(), body.strip("\n"), sha, author, email)
