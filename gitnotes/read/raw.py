"""Which files does a change touch, as `--raw -z` says byte for byte?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from gitnotes.errors import GitError
from gitnotes.read.patch import SUBMODULE
from gitnotes.records import FileChange


class RawEntry(NamedTuple):
    """One row; `unmerged` when the path has a conflict and so no content of its own."""

    file: FileChange
    unmerged: bool = False


def cut_raw(blocks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The rows, and the rest of the stream: an empty field parts them, and no path is empty."""
    held = bytearray()
    searched = 0
    for block in blocks:
        held += block
        end = held.find(b"\0\0", searched)
        if end >= 0:
            rest = bytes(held[end + 2 :])
            return bytes(held[: end + 1]), _chain(rest, blocks)
        searched = max(len(held) - 1, 0)
    return bytes(held), iter(())


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def read_raw(data: bytes) -> list[RawEntry]:
    """The rows of `--raw -z --no-abbrev`: `:modes ids status`, then one path, or two for a move.

    Raises GitError for a path that is empty, which git prints without a word from a broken index.
    """
    fields = iter(data.split(b"\0"))
    found: list[RawEntry] = []
    for field in fields:
        if not field.startswith(b":"):
            continue
        old_mode, new_mode, old_id, new_id, status = field[1:].decode("ascii", "replace").split(" ")
        letter, score = status[:1], status[1:]
        path = os.fsdecode(next(fields, b""))
        old_path = None
        if letter in "RC":
            old_path, path = path, os.fsdecode(next(fields, b""))
        if not path:
            raise GitError(
                "The index of this repository is damaged.", "Move .git/index aside and run: git reset"
            )
        old_id, new_id = (name if name.strip("0") else "" for name in (old_id, new_id))
        old_mode, new_mode = (mode if mode.strip("0") else "" for mode in (old_mode, new_mode))
        submodule = SUBMODULE in (old_mode, new_mode)
        file = FileChange(
            path=path,
            status=letter if letter in "AMDRCT" else "M",  # type: ignore[arg-type]
            old_path=old_path,
            old_mode=old_mode,
            new_mode=new_mode,
            similarity=int(score) if score.isdigit() and letter in "RC" else None,
            submodule=(
                (old_id if old_mode == SUBMODULE else "", new_id if new_mode == SUBMODULE else "")
                if submodule
                else None
            ),
            old_id=old_id,
            new_id=new_id,
        )
        found.append(RawEntry(file, unmerged=letter == "U"))
    return found
