"""How does a change look: as a tree on a terminal, as text elsewhere, and as JSON?"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields

from gitnotes.codec import SCHEMA, to_json
from gitnotes.guard.text import show
from gitnotes.records import Change, DefinitionChange, DependencyChange, FileChange, SubmoduleMove
from gitnotes.show.outline import Item, outline_text, write_outline

_COLOURS = {"A": "green", "D": "red", "R": "cyan", "C": "cyan", "T": "magenta", "M": "yellow"}
_MANY = 5000
"""Files and hunks up to which JSON is indented all the way."""
_TARGETS = {"index": "the staged change", "worktree": "the work tree", "diff": "the diff"}


def change_json(change: Change) -> str:
    """The whole record, so that it can be read back; a record a line where there are many."""
    if len(change.files) + len(change.hunks) <= _MANY:
        return json.dumps({"schema": SCHEMA, "kind": "change", **to_json(change)}, indent=2)
    # All at once, 50,000 files take 300 MB as objects, and indenting them 3 s.
    parts = [f'{{\n  "schema": {SCHEMA},\n  "kind": "change"']
    for each in fields(change):
        value = getattr(change, each.name)
        if isinstance(value, tuple) and value:
            rows = ",\n    ".join(json.dumps(to_json(item)) for item in value)
            parts.append(f'  "{each.name}": [\n    {rows}\n  ]')
        else:
            parts.append(f'  "{each.name}": {json.dumps(to_json(value))}')
    return ",\n".join(parts) + "\n}"


def change_text(change: Change) -> str:
    """The tree with two blanks a level, one line each."""
    return outline_text([change_tree(change)])


def write_change(change: Change) -> None:
    """Prints the change: a tree with colours on a terminal, text elsewhere."""
    write_outline([change_tree(change)])


def change_tree(change: Change) -> Item:
    """Files with their definitions, then dependencies, submodules, and what was left out and why."""
    root = Item(_heading(change), "bold")
    by_path: dict[str, list[Item]] = {}
    for item in change.definitions:
        by_path.setdefault(item.path, []).append(Item(_definition(item)))
    for file in change.files:
        root.items.append(Item(_file(file), _COLOURS[file.status], by_path.get(file.path, [])))
    elsewhere = {file.path for file in change.files}
    _hang(root, "definitions", (_definition(d) for d in change.definitions if d.path not in elsewhere))
    _hang(root, "dependencies", map(_dependency, change.dependencies))
    if change.submodules:
        root.items.append(Item("submodules", "bold", [_submodule(item) for item in change.submodules]))
    reasons = (
        f"{show(item.path)}: {show(item.reason)}" if item.path else show(item.reason)
        for item in change.omitted
    )
    _hang(root, "left out", reasons)
    return root


def _hang(root: Item, title: str, lines: Iterable[str]) -> None:
    items = [Item(line) for line in lines]
    if items:
        root.items.append(Item(title, "bold", items))


def _heading(change: Change) -> str:
    what = _TARGETS.get(change.target, f"commit {change.target[:12]}")
    against = f" against {change.base[:12]}" if change.base else ""
    count = len(change.files)
    if not count:
        return f"{what}{against}: nothing"
    added = sum(file.added or 0 for file in change.files)
    removed = sum(file.removed or 0 for file in change.files)
    return f"{what}{against}: {count:,} file{'s' if count != 1 else ''}, +{added:,} -{removed:,}"


def _file(file: FileChange) -> str:
    name = show(file.path)
    if file.old_path is not None:
        name = f"{show(file.old_path)} -> {name}"
    notes = []
    if file.similarity is not None:
        notes.append(f"{file.similarity}% the same")
    if file.status != "T" and file.old_mode and file.new_mode and file.old_mode != file.new_mode:
        notes.append(f"mode {file.old_mode} -> {file.new_mode}")
    if file.status == "T":
        notes.append(f"type {file.old_mode} -> {file.new_mode}")
    if file.submodule is not None:
        old, new = (commit[:12] or "nothing" for commit in file.submodule)
        notes.append(f"submodule {old} -> {new}")
    elif file.added is None or file.removed is None:
        notes.append("lines not counted")
    else:
        notes.append(f"+{file.added:,} -{file.removed:,}")
    if file.size is not None:
        notes.append(f"{file.size:,} bytes{' in git-lfs' if file.lfs else ''}")
    return f"{file.status} {name}  {', '.join(notes)}"


def _definition(item: DefinitionChange) -> str:
    name = show(f"{item.owner}.{item.name}" if item.owner else item.name)
    notes = []
    if item.old_name:
        notes.append(f"was {show(item.old_name)}")
    if item.old_path:
        notes.append(f"from {show(item.old_path)}")
    if item.base:
        notes.append(f"derives from {show(item.base)}")
    notes += [f"+{show(name)}" for name in item.added_parameters]
    notes += [f"-{show(name)}" for name in item.removed_parameters]
    return f"{item.action} {item.kind} {name}" + (f" ({', '.join(notes)})" if notes else "")


def _dependency(item: DependencyChange) -> str:
    kind = show(item.tool) or ("project" if item.project else "")
    name = f"{kind} {show(item.name)}".strip()
    word = "added" if item.added else "removed" if item.removed else ""
    versions = " -> ".join(show(version) for version in (item.old, item.new) if version)
    return " ".join(part for part in (word, name, versions, "in", show(item.path)) if part)


def _submodule(item: SubmoduleMove) -> Item:
    word = "went back from" if item.backward else "moved from"
    branch = Item(f"{show(item.path)} {word} {item.old[:12]} to {item.new[:12]}")
    branch.items.extend(Item(show(subject)) for subject in item.subjects)
    if item.reason:
        branch.items.append(Item(f"({show(item.reason)})", "dim"))
    return branch
