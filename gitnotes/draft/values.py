"""Which value did a change give another one: a constant, a setting, the default of a parameter?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from gitnotes.draft.edits import TOKEN
from gitnotes.draft.evidence import Evidence, is_safe
from gitnotes.draft.naming import inside, place
from gitnotes.draft.style import Style
from gitnotes.draft.words import say_name
from gitnotes.guard.patterns import late
from gitnotes.kinds import kind_of

_LINE = 300
_GIVEN = late(r"([A-Za-z_][\w.-]{0,40})[\"']?[ \t]*(?::[ \t]*[\w.\[\]| ]{1,40})?(?::=|=>|=|:)[ \t]*[\"']?$")
"""What stands before the value: a name, perhaps a type, and the sign."""
_NUMBER = late(r"\d{1,12}(?:[._]\d{1,12})?")
_VALUE = late(r"[\w.%+-]{1,30}")
_SWITCH = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
_SAID = late(r"(?:enable|disable|is|has|no|not|use|allow|skip|should|with)(?:d|s)?(?:[_-]|$)", re.IGNORECASE)
"""A name that is a sentence about the switch itself."""
_DEFINITION = late(r"\s*(?:(?:export|default|public|private|static|async|pub) )*(?:def|func|function|fn)\b")
_ASIDE = frozenset({"test", "changelog", "docs"})


class Given(NamedTuple):
    """A name whose value is another one now."""

    name: str
    old: str
    new: str
    is_default: bool
    """Of a parameter."""


def say_value(evidence: Evidence, style: Style) -> Iterator[str]:
    """A change of one value, beside tests and documents that follow it."""
    given = find_value(evidence)
    if given is None:
        return
    name, old, new, is_default = given
    within = inside(evidence)
    where = within if within and within != name else place(evidence.paths)
    told = say_name(name)
    switch = _SWITCH.get(new.lower())
    if switch is not None and not _SAID().match(name) and _SWITCH.get(old.lower()) is (not switch):
        verb = "Enable" if switch else "Disable"
        yield f"{verb} {told} by default in {where}" if is_default else f"{verb} {told} in {where}"
    if is_default:
        yield f"Change default of {told} from {old} to {new} in {where}"
    elif _NUMBER().fullmatch(old) and _NUMBER().fullmatch(new):
        more = float(new.replace("_", "")) > float(old.replace("_", ""))
        yield f"{'Increase' if more else 'Reduce'} {told} from {old} to {new}"
        yield f"{'Increase' if more else 'Reduce'} {told} to {new} in {where}"
    else:
        yield f"Change {told} from {old} to {new}"
        yield f"Set {told} to {new} in {where}"


def find_value(evidence: Evidence) -> Given | None:
    """The one name that was given another value; None when more, or anything else, changed."""
    sides: dict[str, list[str]] = {"+": [], "-": []}
    for hunk in evidence.change.hunks:
        if kind_of(hunk.path) not in _ASIDE:
            for line in hunk.lines:
                if line[:1] in sides:
                    sides[line[:1]].append(line[1:_LINE])
        if len(sides["+"]) > 1 or len(sides["-"]) > 1:
            return None
    if evidence.dependencies or not (sides["+"] and sides["-"]):
        return None
    (old,), (new,) = sides["-"], sides["+"]
    before, after = list(TOKEN.finditer(old)), list(TOKEN.finditer(new))
    if len(before) != len(after):
        return None
    pairs = [(one, other) for one, other in zip(before, after, strict=True) if one[0] != other[0]]
    if len(pairs) != 1:
        return None
    was, now = pairs[0]
    match = _GIVEN().search(old[: was.start()])
    if match is None or not all(_VALUE().fullmatch(item[0]) and is_safe(item[0]) for item in (was, now)):
        return None
    if not is_safe(match[1]):
        return None
    is_default = _DEFINITION().match(old) is not None and "(" in old[: match.start()]
    return Given(match[1], was[0], now[0], is_default)
