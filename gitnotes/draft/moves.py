"""What moved to which version, and which subjects fit a change of dependencies?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gitnotes.draft.evidence import Evidence
from gitnotes.draft.naming import place
from gitnotes.draft.settings import say_settings, say_swap
from gitnotes.draft.sources import is_comment, is_downgrade
from gitnotes.draft.style import Style, phrase_key
from gitnotes.draft.words import join_names, say_count
from gitnotes.kinds import kind_of
from gitnotes.records import Change, DependencyChange

_THEMES = frozenset({"dependencies", "ci", "manifest", "config", "mixed"})
_LINES = 4000


def is_about_versions(evidence: Evidence) -> bool:
    """Whether nearly every changed line belongs to one of the dependencies that moved."""
    found = [item for item in evidence.dependencies if not item.project]
    if not found or evidence.theme not in _THEMES:
        return False
    marks = {mark for item in found for mark in (_last(item.name), _bare(item.old), _bare(item.new)) if mark}
    budget, told, lines = _LINES, 0, 0
    for hunk in evidence.change.hunks:
        if kind_of(hunk.path) in {"lock", "changelog"}:
            continue
        for line in hunk.lines:
            text = line[1:400].lower().replace("_", "-")
            if line[:1] in "+-" and text.strip() and not is_comment(line[1:400], hunk.path):
                lines += 1
                told += any(mark in text for mark in marks)
        budget -= len(hunk.lines)
        if budget < 0:
            return False
    return told * 10 >= lines * 8


def _last(name: str) -> str:
    return name.rpartition("/")[2].lower().replace("_", "-")


def _bare(version: str) -> str:
    return version.lstrip("v") if re.fullmatch(r"v?\d[\w.-]*", version) and len(version) > 2 else ""


def say_dependencies(evidence: Evidence, style: Style) -> Iterator[str]:
    """Bumps, pins, new and dropped dependencies, when the change is about them."""
    found = [item for item in evidence.dependencies if not item.project]
    total = sum(evidence.kinds.values())
    lines = evidence.kinds.get("manifest", 0) + evidence.kinds.get("lock", 0)
    mostly = lines * 10 >= total * 8 or len(found) * 6 >= total or is_about_versions(evidence)
    if evidence.theme != "dependencies" and not (found and mostly and evidence.theme in _THEMES):
        return
    direct = [item for item in found if kind_of(item.path) != "lock"] or found
    # Where requirements are compiled, the `.in` file has what a person asked for.
    direct = [item for item in direct if item.path.endswith(".in")] or direct
    phrase = style.phrases.get(phrase_key(evidence.paths)) or style.phrases.get("dependencies")
    if phrase and len({item.name for item in direct}) > 1 and evidence.theme == "dependencies":
        yield phrase
    if len({item.name for item in direct}) == 1:
        item = direct[0]
        item = spelled(evidence.change, item)
        yield bump_of(item)
        if item.old and item.new:
            yield f"Bump {_short(item.name)} from {item.old} to {item.new}"
    elif direct:
        yield from _several(direct)
    else:
        yield from say_swap(evidence, style)
        if evidence.kinds.get("lock") and phrase:
            yield phrase
        yield from say_settings(evidence)
    if evidence.theme == "dependencies" and set(evidence.kinds) == {"lock"}:
        yield "Update lock file"
    elif evidence.theme == "dependencies" and (found or evidence.kinds.get("lock")):
        yield "Update dependencies"
    elif evidence.theme == "dependencies":
        yield f"Update {place(evidence.paths)}"


def _several(direct: Sequence[DependencyChange]) -> Iterator[str]:
    for action, verb in (("removed", "Remove"), ("added", "Add")):
        if all(getattr(item, action) for item in direct):
            names = [_short(item.name) for item in direct[:3]]
            yield f"{verb} {join_names(names) if len(direct) <= 3 else ', '.join(names) + ' and others'}"
    if len(direct) <= 3 and not any(item.added or item.removed for item in direct):
        listed = join_names([_short(item.name) for item in direct])
        if not any(item.new for item in direct):
            yield f"Unpin {listed}"
        elif not any(item.old for item in direct):
            yield f"Pin {listed}"
    if len({item.new for item in direct}) == 1 and all(item.old and item.new for item in direct):
        shared = _shared_name([item.name for item in direct])
        yield f"Update {shared or say_count(len(direct), 'dependency')} to {direct[0].new}"
    tools = {item.tool for item in direct}
    noun = {"action": "actions", "hook": "pre-commit hooks"}.get(tools.pop(), "dependencies")
    if len(direct) <= 3:
        yield f"Update {join_names([_short(item.name) for item in direct])}"
    yield f"Update {noun if not tools else 'dependencies'}"


def bump_of(item: DependencyChange) -> str:
    """What happened to a dependency, as an imperative sentence."""
    name = _short(item.name)
    if item.added:
        return f"Add {name}{' dependency' if not item.tool else ''}"
    if item.removed:
        return f"Remove {name}{' dependency' if not item.tool else ''}"
    if not item.new:
        return f"Unpin {name}"
    if not item.old:
        return f"Pin {name} to {item.new}"
    return f"{'Downgrade' if is_downgrade(item) else 'Update'} {name} to {item.new}"


def spelled(change: Change, item: DependencyChange) -> DependencyChange:
    """`item` with its name and versions as the changed lines write them."""
    name = re.escape(item.name).replace("\\-", "[-_.]")
    written = re.compile(
        rf"(?<![\w-])({name})(?:\[[^\]]{{0,80}}\])?\s*([~^<>=!][^\"';#\])]{{0,80}})", re.IGNORECASE
    )
    sides = {"+": item.new, "-": item.old}
    for hunk in change.hunks_of(item.path):
        for line in hunk.lines:
            side = sides.get(line[:1])
            match = written.search(line[1:300]) if side else None
            if match and side and _parts(match[2]) == _parts(side):
                sides[line[:1]] = match[2].strip(" ,")
                item = replace(item, name=match[1])
    return replace(item, old=sides["-"], new=sides["+"])


def _parts(version: str) -> set[str]:
    return {part for part in version.replace(" ", "").split(",") if part}


def _short(name: str) -> str:
    return name.removeprefix("github.com/").removeprefix("golang.org/")


def _shared_name(names: Sequence[str]) -> str:
    """`@codemirror` for `@codemirror/view` and `@codemirror/state`; empty when they share no first part."""
    heads = {re.split(r"[/_-]", name, maxsplit=1)[0] for name in names}
    head = heads.pop() if len(heads) == 1 else ""
    return head if len(head) > 2 and "." not in head else ""
