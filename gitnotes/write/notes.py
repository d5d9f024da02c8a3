"""How do lines get into git notes, many at once, so that other people's lines and runs lose nothing?

Every note is one JSON line of ours, and whatever lines others put beside it. Two histories of such
notes merge with `git notes merge -s cat_sort_uniq`. Nothing here pushes them.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Mapping
from typing import Protocol

from gitnotes.errors import GitError, InputError, UsageError

REF = "refs/notes/gitnotes"
RELEASES = "refs/notes/releases"
"""Where release notes are kept, each on the commit that was released."""
_MARK = '{"gitnotes":'
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_TRIES = 30
"""Times that a run begins anew because another one moved the reference."""
_LONGEST_WAIT = 0.3
"""Seconds at most before it does."""
_NOBODY = b"gitnotes <gitnotes@localhost>"


class Runner(Protocol):
    """What starts git: arguments, accepted exit codes and standard input to its output."""

    def run(self, *arguments: str, ok: tuple[int, ...] = (0,), feed: bytes = b"") -> bytes: ...


def save_lines(git: Runner, lines: Mapping[str, str], ref: str = REF) -> int:
    """Gives each commit (by its id) its line, in place of the one it had; how many changed.

    All of them in one commit of the notes, or none: a reference that moved meanwhile is read again.
    Raises InputError for an id that is none, GitError when git cannot write.
    """
    for sha in lines:
        if not _OBJECT_ID.fullmatch(sha):
            raise InputError("Only a commit can have a note.", "Name a commit or a range.")
    for left in reversed(range(_TRIES)):
        base = _find_tip(git, ref)
        notes = _join(lines, _read(git, lines, base))
        if not notes:
            return 0
        try:
            _write(git, notes, ref, base)
        except GitError:
            if not left or _find_tip(git, ref) == base:
                raise
            # Runs that meet once would meet again if they waited alike.
            time.sleep(random.uniform(0, _LONGEST_WAIT))
        else:
            return len(notes)
    return 0


def save_note(git: Runner, commit: str, text: str, ref: str = RELEASES, *, replace: bool = False) -> bool:
    """Gives `commit` the text as its git note under `ref`; False when it has it already.

    Raises UsageError when it has another one and `replace` is false, GitError when git cannot write.
    """
    if has_note(git, commit, text, ref, replace=replace):
        return False
    blob = git.run("hash-object", "-w", "--stdin", feed=_as_note(text))
    # As a blob, so that git strips nothing.
    git.run("notes", f"--ref={ref}", "add", "-f", "-C", blob.decode().strip(), commit)
    return True


def has_note(git: Runner, commit: str, text: str, ref: str = RELEASES, *, replace: bool = False) -> bool:
    """Whether `commit` has the text as its git note; raises as `save_note`, and writes nothing."""
    there = git.run("notes", f"--ref={ref}", "list", commit, ok=(0, 1)).strip()
    if there and there == git.run("hash-object", "--stdin", feed=_as_note(text)).strip():
        return True
    if there and not replace:
        raise UsageError(
            f"{commit[:9]} has another note under {ref} already.", "Write over it with --replace."
        )
    return False


def _as_note(text: str) -> bytes:
    return (text.rstrip("\n") + "\n").encode("utf-8", "replace")


def _find_tip(git: Runner, ref: str) -> str:
    """The commit of the notes, empty when there is none yet; raises GitError when it is something else."""
    question = ("rev-parse", "--quiet", "--verify")
    if not git.run(*question, ref, ok=(0, 1, 128)).strip():
        return ""
    tip = git.run(*question, f"{ref}^{{commit}}", ok=(0, 1, 128)).decode().strip()
    if not tip:
        raise GitError(f"{ref} is no commit, so it holds no notes.", f"Run: git update-ref -d {ref}")
    return tip


def read_lines(note: str) -> list[str]:
    """The lines of ours in a note; several after a merge of two histories."""
    return [line for line in note.splitlines() if line.startswith(_MARK)]


def _join(lines: Mapping[str, str], old: Mapping[str, bytes]) -> dict[str, bytes]:
    """The notes that have to change."""
    changed: dict[str, bytes] = {}
    for sha, line in lines.items():
        before = old.get(sha, b"")
        others = [item for item in before.splitlines() if not item.startswith(_MARK.encode())]
        after = b"".join(item + b"\n" for item in (line.encode("utf-8", "replace"), *others))
        if after != before:
            changed[sha] = after
    return changed


def _read(git: Runner, lines: Mapping[str, str], base: str) -> dict[str, bytes]:
    """The notes that those commits have at the commit `base` of the notes."""
    if not base:
        return {}
    blobs = {}
    for row in git.run("ls-tree", "-r", "-z", "--full-tree", base).split(b"\0"):
        facts, _, path = row.partition(b"\t")
        sha = path.replace(b"/", b"").decode("ascii", "replace")
        if sha in lines:
            blobs[sha] = facts.split()[2].decode()
    contents = git.run("cat-file", "--batch", feed="".join(f"{blob}\n" for blob in blobs.values()).encode())
    found: dict[str, bytes] = {}
    place = 0
    for sha in blobs:
        end = contents.index(b"\n", place)
        size = int(contents[place:end].split()[2])
        found[sha] = contents[end + 1 : end + 1 + size]
        place = end + 2 + size
    return found


def _write(git: Runner, notes: Mapping[str, bytes], ref: str, base: str) -> None:
    """One commit on top of `base`; fast-import refuses when the reference is no longer there."""
    identity = git.run("var", "GIT_COMMITTER_IDENT", ok=(0, 128)).strip()
    if not identity:  # a build machine that nobody has introduced
        identity = _NOBODY + b" " + git.run("log", "-1", "--format=%ct", "HEAD").strip() + b" +0000"
    message = f"Save the grades of {len(notes)} commits\n".encode()
    parts = [
        b"commit %s\ncommitter %s\ndata %d\n%s\n" % (ref.encode(), identity, len(message), message),
        b"from %s\n" % base.encode() if base else b"",
        *(b"N inline %s\ndata %d\n%s\n" % (sha.encode(), len(note), note) for sha, note in notes.items()),
        b"done\n",
    ]
    git.run("fast-import", "--quiet", "--done", feed=b"".join(parts))
