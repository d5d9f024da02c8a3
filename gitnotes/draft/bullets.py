"""Which parts of a change are listed below its subject?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from gitnotes.draft.evidence import Evidence, is_safe_path
from gitnotes.draft.moves import bump_of, is_about_versions, spelled
from gitnotes.draft.naming import name_of, outer, say_definition, say_parameters, say_test
from gitnotes.draft.words import join_names, say_count, split_name
from gitnotes.kinds import kind_of
from gitnotes.records import DefinitionChange, FileChange

BULLETS = 8
"""Parts listed in a body; the rest is counted."""
_NAMES = 4
"""Names in one bullet."""
_LONGEST = 140
"""Characters of a bullet; it is wrapped, never cut."""
_JOINED = frozenset({"Add", "Remove"})
_NAMES_FILE = re.compile(r"- (?:Update \S*[./]\S*|Move \S+ to \S+|\S+ more parts?)")
"""A bullet that says no more than the list of files does, or how many were left out."""


def bullets_of(evidence: Evidence) -> list[str]:
    """One or more bullets for each part of the change, largest first; empty for a change of one part."""
    if is_about_versions(evidence):
        items = [item for item in evidence.dependencies if not item.project]
        moved = list(dict.fromkeys(bump_of(spelled(evidence.change, item)) for item in items[: 2 * BULLETS]))
        return _listed(moved) if len(moved) > 1 else []
    parts: list[tuple[int, list[str]]] = []
    changed: dict[str, list[str]] = defaultdict(list)
    events: dict[str, list[DefinitionChange]] = defaultdict(list)
    functions = {
        (item.path, item.name)
        for item in (*evidence.code, *evidence.tests)
        if item.kind not in {"class", "type"}
    }
    for item in outer((*evidence.code, *evidence.tests)):
        if item.kind == "key" or (item.path, item.owner) in functions:
            continue
        if item.action == "changed" and not (item.added_parameters or item.removed_parameters):
            changed[item.path].append(say_test(item.name) if " " in item.name else item.name)
        else:
            events[item.path].append(item)
    for file in evidence.change.files:
        weight = (file.added or 0) + (file.removed or 0)
        if events[file.path]:
            weight = sum(max(item.lines, 1) for item in events[file.path])
            parts.append((weight, _say_events(events[file.path])))
        elif kind_of(file.path) not in {"changelog", "lock"}:
            names = list(dict.fromkeys(changed[file.path])) if file.status == "M" else []
            told = f"Update {join_names(names[:3])} in {name_of(file.path)}" if names else _say_file(file)
            parts.append((weight, [told]))
    if len(parts) < 2 and not (parts and len(parts[0][1]) > 1):
        return []
    parts.sort(key=lambda part: -part[0])
    return _listed([sentence for _, sentences in parts for sentence in sentences])


def without_told(bullets: Sequence[str], subject: str) -> list[str]:
    """The bullets that say more than `subject`; none when all would only name files that git lists anyway."""
    told = _words(subject)
    rest = [bullet for bullet in bullets if not _words(re.sub(r" (?:in|to|from) \S+$", "", bullet)) <= told]
    return [] if all(map(_NAMES_FILE.fullmatch, rest)) else rest


def _words(text: str) -> set[str]:
    """What a sentence names: its words without the small ones, in any form of writing."""
    words = re.findall(r"[^\s,`]+", text.removeprefix("- "))
    return {part for word in words for part in split_name(word).lower().split() if part not in _SMALL}


_SMALL = frozenset(
    {"a", "an", "and", "the", "to", "in", "of", "for", "from", "with", "add", "update", "remove"}
)


def _listed(sentences: Sequence[str]) -> list[str]:
    distinct = list(dict.fromkeys(text for text in sentences if len(text) <= _LONGEST))
    lines = [f"- {text}" for text in distinct[:BULLETS]]
    if len(distinct) > BULLETS:
        lines.append(f"- {say_count(len(distinct) - BULLETS, 'more part')}")
    return lines


def _say_events(items: Sequence[DefinitionChange]) -> list[str]:
    """Sentences of one file; those that add or remove are joined: `Add a, b and c to net`."""
    joined: dict[tuple[str, str], list[str]] = defaultdict(list)
    single: list[str] = []
    for item in items:
        if item.added_parameters or item.removed_parameters:
            told = say_parameters(item) if item.kind != "test" else f"Update {item.name}"
            single.append(told)
            continue
        verb, _, rest = say_definition(item).partition(" ")
        thing, to, where = rest.rpartition(" to ") if verb == "Add" else ("", "", "")
        if verb in _JOINED:
            name = item.name if item.kind != "test" else thing if to else rest
            names = joined[verb, where if to else ""]
            if name not in names:  # two classes have a method of this name
                names.append(name)
        else:
            single.append(f"{verb} {rest}")
    sentences = [
        f"{verb} {join_names([*names[:_NAMES], 'more'] if len(names) > _NAMES else names)}"
        + (f" to {where}" if where else "")
        for (verb, where), names in joined.items()
    ]
    return [*sentences, *single][:3]


def _say_file(item: FileChange) -> str:
    if item.submodule and is_safe_path(item.path):
        old, new = (sha.strip("0")[:7] and sha[:7] for sha in item.submodule)
        if old and new:
            return f"Update submodule {item.path} from {old} to {new}"
        return f"Remove submodule {item.path}" if old else f"Add submodule {item.path} at {new}"
    if item.status == "R" and item.old_path and is_safe_path(item.path) and is_safe_path(item.old_path):
        return f"Move {item.old_path} to {item.path}"
    verb = {"A": "Add", "D": "Remove", "C": "Copy"}.get(item.status, "Update")
    return f"{verb} {item.path if is_safe_path(item.path) and len(item.path) < 60 else name_of(item.path)}"
