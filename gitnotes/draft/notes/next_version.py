"""Which version should come next, and why?

Semantic versions and PEP 440: what breaks raises the first number (the second below 1.0.0, as semver.org
allows and most tools do), what is new the second, the rest the last. Calendar versions follow the date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from gitnotes.draft.notes.categories import Category
from gitnotes.draft.notes.entries import Entry
from gitnotes.versioning import Version

Part = Literal["major", "minor", "patch", "final", "date", "none"]
Scheme = Literal["semver", "pep440", "calver"]

_NEW: tuple[Category, ...] = ("Features", "Deprecations")
_QUIET: tuple[Category, ...] = ("Internal", "Documentation")
_NUMBERS = re.compile(r"(?:[0-9]{1,9}!)?([0-9]{1,9}(?:\.[0-9]{1,9}){0,5})")
_FEWEST_DATED = 3
"""Versions that must fall on their dates before the scheme is taken for a calendar."""


@dataclass(frozen=True, slots=True)
class NextVersion:
    """A proposal."""

    version: str
    """As the last one is written, without the part before its number."""
    part: Part
    """Which part of the last version was raised; `none` when there is nothing to release."""
    scheme: Scheme
    reasons: tuple[str, ...]
    """Sentences; the changes that decide stand as they are told in the note."""


def propose_version(
    entries: Sequence[Entry], versions: Sequence[tuple[Version, date]], today: date
) -> NextVersion:
    """The version after the last of `versions` (in release order, each with its date) for these changes.

    Without an earlier version it is 0.1.0. `entries` are all changes since, those without news included.
    """
    if not versions:
        return NextVersion("0.1.0", "minor", "semver", ("There is no earlier version.",))
    last = versions[-1][0]
    if not entries:
        return NextVersion(last.name, "none", _scheme(last), (f"Nothing changed since {last.name}.",))
    if form := _calendar(versions):
        return _by_date(last, form, today, entries)
    scheme = _scheme(last)
    numbers = [int(part) for part in (_NUMBERS.match(last.name) or [last.name, "0"])[1].split(".")]
    if not last.is_final:
        shown = _epoch(last.name) + ".".join(map(str, numbers))
        return NextVersion(shown, "final", scheme, (f"{last.name} is a pre-release of {shown}.",))
    part, deciding = _weigh(entries)
    reasons = [f"{entry.category}: {entry.text}" for entry in deciding]
    size = len(numbers)
    numbers += [0] * (3 - size)
    if part == "major" and numbers[0] == 0:
        part = "minor"
        reasons.append("Below 1.0.0 what breaks raises the second number.")
    elif part == "minor" and numbers[0] == 0:
        part = "patch" if scheme == "semver" and size == 3 else "minor"
        if part == "patch":
            reasons.append("Below 1.0.0 the second number is for what breaks.")
    at = {"major": 0, "minor": 1}.get(part, 2)
    numbers = [*numbers[:at], numbers[at] + 1, *([0] * (max(3, size) - at - 1))]
    if size < 3 and at < size:
        numbers = numbers[:size]
    return NextVersion(_epoch(last.name) + ".".join(map(str, numbers)), part, scheme, tuple(reasons))


def _weigh(entries: Iterable[Entry]) -> tuple[Part, list[Entry]]:
    known = list(entries)
    if breaking := [entry for entry in known if entry.category == "Breaking" or entry.breaking]:
        return "major", breaking
    if new := [entry for entry in known if entry.category in _NEW]:
        return "minor", new
    loud = [entry for entry in known if entry.category not in _QUIET]
    return "patch", loud or known


def _scheme(last: Version) -> Scheme:
    is_semantic = re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]+)?", last.name)
    return "semver" if is_semantic else "pep440"


def _epoch(name: str) -> str:
    head, mark, _ = name.partition("!")
    return f"{head}!" if mark else ""


def _calendar(versions: Sequence[tuple[Version, date]]) -> str:
    """How dates are written, such as `YYYY.0M.0D` or `YY.M.N`; empty when the versions are none."""
    # A candidate comes out before the month that it is named after.
    recent = [known for known in versions if known[0].is_final][-6:]
    if not recent:
        return ""
    if len(recent) < _FEWEST_DATED and not re.match(r"(?:19|20)[0-9]{2}[.-]", recent[-1][0].name):
        return ""
    if not all(_is_dated(version.name, day) for version, day in recent):
        return ""
    parts = _split(recent[-1][0].name)
    names = [_split(version.name) for version, _ in recent]
    year = "YYYY" if len(parts[0]) == 4 else "YY"
    month = ""
    if len(parts) > 1 and all(
        len(name) > 1 and int(name[1]) == day.month for name, (_, day) in zip(names, recent, strict=True)
    ):
        month = "0M" if any(name[1].startswith("0") for name in names) else "M"
    rest = ""
    if month and len(parts) > 2:
        on_day = all(
            len(name) > 2 and int(name[2]) == day.day for name, (_, day) in zip(names, recent, strict=True)
        )
        rest = ("0D" if any(name[2].startswith("0") for name in names) else "D") if on_day else "N"
    elif len(parts) > 1 and not month:
        month = "N"
    return ".".join(part for part in (year, month, rest) if part)


def _split(name: str) -> list[str]:
    match = _NUMBERS.match(name.replace("-", "."))
    return match[1].split(".") if match else [name]


def _is_dated(name: str, day: date) -> bool:
    first = _split(name)[0]
    return first.isdigit() and int(first) in (day.year, day.year % 100)


def _by_date(last: Version, form: str, today: date, entries: Sequence[Entry]) -> NextVersion:
    places = form.split(".")
    shown = {
        "YYYY": f"{today.year}",
        "YY": f"{today.year % 100}",
        "0M": f"{today.month:02}",
        "M": f"{today.month}",
        "0D": f"{today.day:02}",
        "D": f"{today.day}",
    }
    old = _split(last.name)
    fixed = [shown[place] for place in places if place != "N"]
    same = old[: len(fixed)] == fixed
    if "N" in places:
        counted = str(int(old[len(fixed)]) + 1 if same and len(old) > len(fixed) else 0)
        version = ".".join([*fixed, counted])
    else:
        version = ".".join(fixed)
        if same:  # the second release of a day
            version += f".{int(old[len(fixed)]) + 1 if len(old) > len(fixed) else 1}"
    reasons = [f"The versions follow the calendar ({form}), and today is {today.isoformat()}."]
    reasons += [f"Breaking: {entry.text}" for entry in entries if entry.category == "Breaking"]
    return NextVersion(version, "date", "calver", tuple(reasons))
