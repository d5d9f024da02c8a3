"""How does a range of commits look: as an outline of the main line, and as JSON?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from gitnotes.codec import SCHEMA, to_json
from gitnotes.guard.text import shorten, show
from gitnotes.records import Commit, CommitTree, FileChange, Omission
from gitnotes.relations import Relations
from gitnotes.show.outline import Item

_COLOURS = {"A": "green", "D": "red", "R": "cyan", "C": "cyan", "T": "magenta", "M": "yellow"}


@dataclass(frozen=True, slots=True)
class ShownTree:
    """What was read of a range."""

    tree: CommitTree
    relations: Relations
    omitted: tuple[Omission, ...] = ()
    notes: dict[str, str] = field(default_factory=dict)


def tree_json(shown: ShownTree) -> str:
    """Everything; `commits` reads back as records, the rest is derived from them or stands beside them."""
    tree = shown.tree
    content = {
        **to_json(tree),
        "main_line": [commit.sha for commit in tree.first_parent_line()],
        "brought_in": {sha: [commit.sha for commit in commits] for sha, commits in tree.brought_in().items()},
        **to_json(shown.relations),
        "undone": sorted(shown.relations.undone()),
        "notes": shown.notes,
        "omitted": to_json(shown.omitted),
    }
    return json.dumps({"schema": SCHEMA, "kind": "tree", **content}, indent=2)


def tree_outline(shown: ShownTree) -> list[Item]:
    """The commits of the main line, under a merge what it brought in; then what was left out and why."""
    tree = shown.tree
    said = _relations_by_commit(shown)
    brought = tree.brought_in()
    root = Item(_heading(shown), "bold")
    placed: set[str] = set()
    for commit in tree.first_parent_line():
        inner = brought.get(commit.sha, ())
        item = _commit(commit, shown, said)
        item.items.extend(_commit(each, shown, said) for each in inner)
        root.items.append(item)
        placed.update((commit.sha, *(each.sha for each in inner)))
    # With paths, history may have several tips.
    others = [_commit(commit, shown, said) for commit in tree.commits if commit.sha not in placed]
    if others:
        root.items.append(Item("beside the main line", "bold", others))
    reasons = [
        f"{show(item.path)}: {show(item.reason)}" if item.path else show(item.reason)
        for item in shown.omitted
    ]
    if not reasons:
        return [root]
    return [root, Item("left out", "bold", [Item(reason) for reason in reasons])]


def _heading(shown: ShownTree) -> str:
    tree = shown.tree
    start = f"{shorten(tree.start)}.." if tree.start else "everything up to "
    merges = sum(commit.is_merge for commit in tree.commits)
    parts = [f"{len(tree.commits):,} commit{'s' if len(tree.commits) != 1 else ''}"]
    for count, word in (
        (merges, "merge"),
        (len(shown.relations.reverts), "revert"),
        (len(shown.relations.picks), "pick"),
    ):
        if count:
            parts.append(f"{count:,} {word}{'s' if count != 1 else ''}")
    return f"{start}{shorten(tree.end)}: {', '.join(parts)}"


def _relations_by_commit(shown: ShownTree) -> dict[str, list[str]]:
    said: dict[str, list[str]] = {}
    undone = shown.relations.undone()
    for revert in shown.relations.reverts:
        said.setdefault(revert.sha, []).append(f"undoes {revert.target[:9]}")
        if revert.target in undone and revert.sha not in undone:
            said.setdefault(revert.target, []).append(f"undone by {revert.sha[:9]}")
    for pick in shown.relations.picks:
        said.setdefault(pick.sha, []).append(f"repeats {pick.source[:9]}")
    return said


def _commit(commit: Commit, shown: ShownTree, said: dict[str, list[str]]) -> Item:
    notes = said.get(commit.sha, [])
    label = f"{commit.sha[:9]} {show(commit.subject) or '(no subject)'}"
    if notes:
        label += f"  [{', '.join(notes)}]"
    item = Item(label, "yellow" if notes else "cyan" if commit.is_merge else "")
    item.items.extend(_details(commit, shown))
    return item


def _details(commit: Commit, shown: ShownTree) -> Iterator[Item]:
    for part in shown.relations.squashes.get(commit.sha, ()):
        yield Item(f"* {show(part.subject)}", "dim")
    for file in commit.files or ():
        yield Item(_file(file), _COLOURS[file.status])
    if commit.sha in shown.notes:
        yield Item(f"note: {show(shown.notes[commit.sha])}", "dim")


def _file(file: FileChange) -> str:
    name = show(file.path) if file.old_path is None else f"{show(file.old_path)} -> {show(file.path)}"
    lines = "" if file.added is None else f"  +{file.added:,} -{file.removed or 0:,}"
    return f"{file.status} {name}{lines}"
