"""Builds `Change` records for the drafting tests without a repository."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gitnotes.read.definitions import definitions_from_hunks
from gitnotes.read.manifests import dependencies_from_hunks
from gitnotes.records import Change, Commit, FileChange, Hunk, Status

Part = tuple[FileChange, tuple[Hunk, ...]]


def edit(
    path: str, text: str, *, heading: str = "", status: Status = "M", old_path: str | None = None
) -> Part:
    """One file with one hunk for each paragraph of `text`; its lines begin with ' ', '+' or '-'."""
    hunks = []
    for number, block in enumerate(text.strip("\n").split("\n\n")):
        lines = tuple(line or " " for line in block.split("\n"))
        old = sum(line[0] in " -" for line in lines)
        new = sum(line[0] in " +" for line in lines)
        hunks.append(Hunk(path, 1 + number * 100, old, 1 + number * 100, new, heading, lines))
    added = sum(line[0] == "+" for hunk in hunks for line in hunk.lines)
    removed = sum(line[0] == "-" for hunk in hunks for line in hunk.lines)
    return FileChange(path, status, old_path, added, removed), tuple(hunks)


def add(path: str, text: str) -> Part:
    """A new file with this content."""
    return edit(path, "\n".join("+" + line for line in text.split("\n") if line), status="A")


def bare(path: str, status: Status = "M", **fields: object) -> Part:
    """A file without hunks: binary, mode change, pure rename or submodule."""
    return FileChange(path, status, **fields), ()  # type: ignore[arg-type]


def change(*parts: Part) -> Change:
    """The change that consists of these files, with what its hunks tell of definitions and dependencies."""
    bare_change = Change(
        "", "diff", tuple(file for file, _ in parts), tuple(hunk for _, hunks in parts for hunk in hunks)
    )
    return replace(
        bare_change,
        definitions=definitions_from_hunks(bare_change),
        dependencies=dependencies_from_hunks(bare_change),
    )


def commits(subjects: Sequence[str], *paths: str, body: str = "") -> list[Commit]:
    """One commit for each subject, all touching `paths`."""
    files = tuple(FileChange(path, "M") for path in paths)
    return [
        Commit(
            f"{number:040x}",
            ("0" * 40,),
            "A. Person",
            "a@example.invalid",
            1_700_000_000,
            text,
            body,
            files=files,
        )
        for number, text in enumerate(subjects)
    ]
