"""What stands in the way of giving commits other names: who has them, who signed them, what is unsaved?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gitnotes.read.git import Git


@dataclass(frozen=True, slots=True)
class Obstacles:
    """What a person should know before commits are made again."""

    published: int
    """How many of them a remote branch has."""
    signed: int
    """How many carry a signature, which a new commit does not inherit."""
    dirty: bool
    """Whether tracked files have changes that are not committed."""
    busy: bool
    """Whether a rebase is going on already."""
    names: tuple[str, ...]
    """Other branches, and tags, that have the oldest of them and stay where they are."""


def find_obstacles(git: Git, shas: Sequence[str], tip: str) -> Obstacles:
    """What stands in the way of making `shas`, oldest first, again under the branch at `tip`.

    Raises BareRepository, GitError.
    """
    git.top()
    private = set(git.text("rev-list", tip, "--not", "--remotes", "--").split())
    status = ("status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=all")
    return Obstacles(
        published=sum(sha not in private for sha in shas),
        signed=sum(_is_signed(header) for header in _headers(git, shas)),
        dirty=bool(git.run(*status)),
        busy=git.path("rebase-merge").exists() or git.path("rebase-apply").exists(),
        names=tuple(_names_with(git, shas[0])),
    )


def _headers(git: Git, shas: Sequence[str]) -> list[bytes]:
    """The header of each commit, without its message."""
    output = git.run("cat-file", "--batch", feed="".join(f"{sha}\n" for sha in shas).encode())
    headers: list[bytes] = []
    position = 0
    for _ in shas:
        end = output.index(b"\n", position)
        size = int(output[position:end].rpartition(b" ")[2])
        headers.append(output[end + 1 : end + 1 + size].partition(b"\n\n")[0])
        position = end + size + 2
    return headers


def _is_signed(header: bytes) -> bool:
    return b"\ngpgsig " in header or b"\ngpgsig-sha256 " in header


def _names_with(git: Git, sha: str) -> list[str]:
    current = git.text("symbolic-ref", "--quiet", "HEAD", ok=(0, 1))
    shown = "--format=%(refname)"
    found = git.text("for-each-ref", f"--contains={sha}", shown, "refs/heads", "refs/tags").split("\n")
    return [name.split("/", 2)[2] for name in found if name and name != current]
