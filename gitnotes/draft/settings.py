"""Which keys, entries and values of settings did a change add, remove or replace?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gitnotes.draft.evidence import Evidence, is_safe
from gitnotes.draft.naming import inside, place
from gitnotes.draft.sources import is_comment
from gitnotes.draft.style import Style
from gitnotes.draft.words import join_names
from gitnotes.guard.patterns import late
from gitnotes.kinds import kind_of

_KEY = late(r"^(\s*(?:- )?)[\"']?([A-Za-z_][\w.-]{1,40})[\"']?\s*[:=](?![:=])")
_ENTRY = late(
    r"^\s*(?:-\s+(?:uses:\s*)?[\"']?([\w.@/*:+-]{2,80})[\"']?|[\"']([^\"'\n]{2,40})[\"'],?)\s*(?:#.*)?$"
)
_ONE_ENTRY = late(r"^[^\[]{2,60}[:=]\s*\[\s*[\"']?([\w.@/*:+-]{2,40})[\"']?,?\s*\]\s*$")
# Keys of every workflow, which tell nothing of what it is for.
_STEPS = frozenset(
    {"uses", "with", "name", "run", "runs-on", "steps", "jobs", "on", "if", "id", "env", "shell"}
)
_KINDS = frozenset({"config", "manifest", "ci"})
_LINES = 60
"""Changed lines up to which single keys and entries tell what a change is for."""
_NAMES = 3


def say_settings(evidence: Evidence, where: str = "") -> Iterator[str]:
    """Keys and list entries that came or went, in a change of little else than settings."""
    where = where or place(evidence.paths)
    sides: dict[str, list[str]] = {"+": [], "-": []}
    for hunk in evidence.change.hunks:
        if kind_of(hunk.path) in _KINDS:
            for line in hunk.lines:
                text = line[1:300]
                if line[:1] in sides and text.strip() and not is_comment(text, hunk.path):
                    sides[line[:1]].append(text)
    if not 0 < len(sides["+"]) + len(sides["-"]) <= _LINES:
        return
    keys = {sign: _outermost(lines) for sign, lines in sides.items()}
    entries = {sign: _entries(lines) for sign, lines in sides.items()}
    for sign, other, verb, to in (("+", "-", "Add", "to"), ("-", "+", "Remove", "from")):
        if sides[other]:
            continue
        names, listed = keys[sign], entries[sign]
        if 1 <= len(listed) <= _NAMES and len(names) <= 1 and len(listed) * 4 >= len(sides[sign]):
            owner = names[0] if names else _list_around(evidence)
            yield f"{verb} {join_names(listed)} {to} {owner + ' in ' if owner else ''}{where}"
            yield f"{verb} {join_names(listed)} {to} {owner or where}"
        elif 1 <= len(names) <= _NAMES:
            yield f"{verb} {join_names(names)} {to} {where}"
    if not (sides["+"] and sides["-"]):
        return
    come = [name for name in entries["+"] if name not in entries["-"]]
    gone = [name for name in entries["-"] if name not in entries["+"]]
    if len(come) == len(gone) == 1:
        yield f"Replace {gone[0]} with {come[0]} in {where}"
    elif gone and not come and len(gone) <= _NAMES:
        yield f"Remove {join_names(gone)} from {where}"
    elif come and not gone and len(come) <= _NAMES:
        yield f"Add {join_names(come)} to {where}"
    if keys["+"] and keys["+"] == keys["-"] and len(keys["+"]) <= 2:
        yield f"Update {join_names(keys['+'])} in {where}"


def _outermost(lines: Sequence[str]) -> list[str]:
    """The keys of the lines that stand least deep."""
    found = [
        (len(match[1]), match[2]) for text in lines if (match := _KEY().match(text)) and is_safe(match[2])
    ]
    least = min((indent for indent, _ in found), default=0)
    return list(dict.fromkeys(name for indent, name in found if indent == least and name not in _STEPS))


def _entries(lines: Sequence[str]) -> list[str]:
    found = (_ENTRY().match(text) or _ONE_ENTRY().match(text) for text in lines)
    names = (next(group for group in match.groups() if group).partition("@")[0] for match in found if match)
    return [name for name in dict.fromkeys(names) if is_safe(name) and re.search(r"\w", name)]


def _list_around(evidence: Evidence) -> str:
    """The one key whose value changed; empty when there are several or none."""
    names = {item.name for item in evidence.settings if item.kind == "key" and item.action == "changed"}
    return names.pop() if len(names) == 1 else ""


def say_swap(evidence: Evidence, style: Style) -> Iterator[str]:
    """One token that became another one wherever it changed."""
    swap = evidence.edits.swap
    if swap and is_safe(swap[0]) and is_safe(swap[1]):
        where = inside(evidence) or place(evidence.paths)
        if re.fullmatch(r"v?\d[\w.]*", swap[0]) and re.fullmatch(r"v?\d[\w.]*", swap[1]):
            yield f"Change {swap[0]} to {swap[1]} in {where}"
        else:
            yield f"Replace {swap[0]} with {swap[1]} in {where}"
