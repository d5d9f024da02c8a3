"""What has been read so far of another tool's configuration, and what could not be taken over?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gitnotes.guard.regexes import Refused, compile_foreign
from gitnotes.guard.text import shorten, show
from gitnotes.records import Conventions, Level

_MAX_NAMES = 500
_LONGEST_NAME = 60
_MAX_NOTES = 20
_LARGEST = 10_000


@dataclass(slots=True)
class Asked:
    """The parts of `Conventions` as they are found in one file."""

    source: str
    values: dict[str, Any] = field(default_factory=dict)
    levels: dict[str, Level] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def note(self, what: str, why: str) -> None:
        """Says that `what` was not taken over; `why` goes on after 'which'."""
        if len(self.notes) < _MAX_NOTES:
            self.notes.append(f"{self.source}: {shorten(what)} is not taken over, {why}.")

    def take_names(self, field: str, what: str, found: Any) -> bool:
        """Takes a list of types or scopes, as a whole or not at all: a part of it would refuse good ones."""
        names = found if isinstance(found, list) else None
        if names is None or len(names) > _MAX_NAMES or not all(map(_is_name, names)):
            self.note(what, "it is no plain list of names")
            return False
        self.values[field] = tuple(names)
        return True

    def take_number(self, field: str, what: str, found: Any) -> bool:
        number = whole_number(found)
        if number is None:
            self.note(what, "it is no plain number")
            return False
        self.values[field] = number
        return True

    def take_pattern(self, field: str, what: str, found: Any, *, search: bool = False) -> None:
        if not isinstance(found, str):
            self.note(what, "it is no plain text")
        elif "\\n" in found or "\n" in found:
            self.note(what, "it is about more than the subject")
        elif found:
            try:
                compile_foreign(found, search=search)
            except Refused as problem:
                self.note(what, show(str(problem))[:120])
            else:
                self.values[field] = found

    def freeze(self) -> Conventions:
        return Conventions((self.source,), levels=self.levels, notes=tuple(self.notes), **self.values)


def whole_number(found: Any) -> int | None:
    """A number as JSON or YAML have it, None for anything else and what is out of all bounds."""
    if isinstance(found, str) and found.isascii() and found.isdigit() and len(found) < 9:
        found = int(found)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return int(found) if 0 <= found <= _LARGEST and found == int(found) else None


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME and name.isprintable()
