"""How does a release note get into an annotated tag with every character of it?

git takes lines that begin with `#` out of a tag message unless it is told not to, and with them every
heading of a note in Markdown. Nothing here moves or deletes a tag: other people may have it already.
"""

from __future__ import annotations

from typing import Protocol

from gitnotes.errors import GitError, UsageError
from gitnotes.guard.text import shorten, show

_SIGNATURE = b"\n-----BEGIN "


class Runner(Protocol):
    """What starts git: arguments, accepted exit codes and standard input to its output."""

    def run(self, *arguments: str, ok: tuple[int, ...] = (0,), feed: bytes = b"") -> bytes: ...


def write_tag(git: Runner, name: str, commit: str, text: str) -> bool:
    """Makes the annotated tag `name` on `commit` with `text` as its message; False when it is there.

    It is signed where `tag.gpgSign` says so. Raises UsageError for a name that git does not take and for
    a tag that is there with another commit or text, GitError when git cannot make or keep it.
    """
    if is_tagged(git, name, commit, text):
        return False
    message = _message(text)
    git.run(
        "tag", "--cleanup=verbatim", "-F", "-", "--", name, commit, feed=message.encode("utf-8", "replace")
    )
    if _read(git, name) != (commit, message):
        raise GitError(
            f"git did not keep the text of the tag {show(name)} as it is.",
            f"Delete it with: git tag -d {shorten(name)}",
        )
    return True


def is_tagged(git: Runner, name: str, commit: str, text: str) -> bool:
    """Whether the tag is there with this text; raises as `write_tag`, and makes nothing."""
    check_tag(git, name)
    if not _exists(git, name):
        return False
    if _read(git, name) != (commit, _message(text)):
        raise UsageError(
            f"The tag {show(name)} is there already, with another commit or another text.",
            f"If nobody has it yet, delete it first: git tag -d {shorten(name)}",
        )
    return True


def _message(text: str) -> str:
    return text.rstrip("\n") + "\n"


def check_tag(git: Runner, name: str) -> None:
    """Raises UsageError when git takes no tag with that name."""
    asked = git.run("check-ref-format", "--normalize", f"refs/tags/{name}", ok=(0, 1)) if name else b""
    # It prints nothing for a bad name, and another one where there are slashes too many.
    if name.startswith("-") or asked.decode("utf-8", "replace").strip() != f"refs/tags/{name}":
        raise UsageError(f"'{shorten(name)}' is no name for a tag.", "Take one such as v1.2.0.")


def _exists(git: Runner, name: str) -> bool:
    return bool(git.run("rev-parse", "--quiet", "--verify", f"refs/tags/{name}", ok=(0, 1, 128)).strip())


def _read(git: Runner, name: str) -> tuple[str, str]:
    """The commit that a tag leads to and its message without a signature; empty for a lightweight one."""
    sha = git.run("rev-parse", "--verify", f"refs/tags/{name}^{{commit}}").decode().strip()
    if git.run("cat-file", "-t", f"refs/tags/{name}").strip() != b"tag":
        return sha, ""
    message = git.run("cat-file", "tag", f"refs/tags/{name}").partition(b"\n\n")[2]
    cut = message.find(_SIGNATURE)
    if cut >= 0:
        message = message[: cut + 1]
    return sha, message.decode("utf-8", "replace")
