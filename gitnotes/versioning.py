"""How is a version name read, and which of two versions comes first?

Tags and changelog headings write versions in many ways: `v1.2.3`, `pkg/v1.2.3`, `pkg-1.2.3-rc.1`,
`24.1a1`, `v4.0.0.pre.alpha1`, `REL_15_2`, `2024-05-01`. One reading serves semantic versioning,
PEP 440 and calendar versions; a pre-release comes before its final, `post` after it. Where all the
versions of a series keep to one of the first two, its own library has the last word on the order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from gitnotes.guard.patterns import late

_STAGES = {
    "dev": 0, "snapshot": 0, "nightly": 0, "canary": 0,
    "pre": 1, "preview": 1, "next": 1, "ea": 1,
    "a": 2, "alpha": 2,
    "b": 3, "beta": 3, "m": 3, "milestone": 3,
    "c": 4, "rc": 4, "cr": 4,
    "final": 6, "ga": 6, "release": 6,
    "post": 7, "rev": 7, "r": 7, "p": 7, "patch": 7, "sp": 7,
}  # fmt: skip
_FINAL = 6
_OTHER = 1
"""A word that no scheme knows, as in `1.0-nova`, is a pre-release: semantic versioning says so."""

_VERSION = late(
    r"[vV]?(?:(?P<epoch>[0-9]{1,9})!)?(?P<numbers>[0-9]{1,18}(?:[._][0-9]{1,18}){0,9})"
    r"(?P<tail>[-._]?[A-Za-z][0-9A-Za-z._-]*|-[0-9][0-9A-Za-z._-]*)?"
    r"(?:\+[0-9A-Za-z._-]+)?"
)
_DATE = late(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_CALENDAR = late(r"(?:19|20)[0-9]{2}[-._](?:0?[1-9]|1[0-2])(?:[-._][0-9]{1,3})?(?![0-9])")
_TAIL_PART = late(r"[0-9]+|[A-Za-z]+")
_LONGEST_NAME = 200
_UNRELEASED = late(
    r"\W*(?:(?:(?:(?:main|master|trunk|dev\w{0,8}) ?[/-] ?)?unreleased|to be released|unveröffentlicht"
    r"|non publié|sin publicar|não lançado|não publicado|未发布|未リリース)(?!\w)"
    r"|(?:(?:upcoming|next|development)(?: (?:release|version|changes))?|(?:in )?development|head|tb[ad])"
    r"(?=\W*$|\s*[-–—:(\[]))",
    re.I,
)
_HEADING_NOISE = late(r"^[\s*_#`]*(?:(?:version|release|changes in|what's new in)\s+)?", re.I)

# A line that is nothing but a version, with a name before it and a date after it perhaps.
_ALONE = (
    r"(?:(?:changes in|noteworthy changes in|[A-Za-z][\w.+-]{0,40})[ ])?(?:(?:version|release)[ ])?"
    r"\[?[vV]?\d{1,9}(?:\.\d{1,9}){1,5}(?:[+._-]?[A-Za-z][\w.+-]{0,40}|-[\w.+-]{1,40})?\]?"
)
_DATE_AFTER = r"(?:[ ,(:/–—-]{1,4}(?:(?=.{0,36}\b(?:19|20)\d\d)[\w ,.:/+-]{4,40}|unreleased)\)?)?:?"
_BARE_LINE = late(f"{_ALONE}{_DATE_AFTER}", re.I)
_BOLD_LINE = late(
    rf"(?:\*\*|__)(?:(?:{_ALONE}{_DATE_AFTER})|\[?unreleased\]?:?)(?:\*\*|__){_DATE_AFTER}", re.I
)
_LONGEST_LINE = 200

# `release-1.2`, `version/1.2`, `REL_15_2` name the project itself, not a package of it.
_MAIN_SERIES = late(r"(?:release|releases|rel|version|versions|ver|tags?|v)[-/_.@]", re.I)

Scheme = Literal["semver", "pep440", "calendar", "mixed"]

Key = tuple[int, tuple[int, ...], tuple[tuple[int, int, str], ...]]


@dataclass(frozen=True, slots=True)
class Version:
    """A version name taken apart."""

    series: str
    """What stands before the number, such as `pkg/` or `home-`; empty for the main series, which
    may also be written `release-1.2`."""
    name: str
    """What a reader is shown, such as `1.1.0` for `pkg/v1.1.0`."""
    key: Key
    """Sorts in release order within a series."""
    is_final: bool
    """False for alphas, betas, release candidates, development snapshots."""


@lru_cache(maxsize=8192)
def read_version(name: str) -> Version | None:
    """The version that a tag or heading named `name` stands for, or None when it is no version."""
    if len(name) > _LONGEST_NAME:
        return None
    for start in _starts(name):
        rest = _DATE().sub(r"\1.\2.\3", name[start:]) if start < len(name) else ""
        match = _VERSION().fullmatch(rest)
        if match is None:
            continue
        tail = match["tail"] or ""
        if tail.lower() in (".x", "-x", "x", ".y"):  # `2.3.x` names a branch of development
            return None
        numbers = [int(part) for part in re.split("[._]", match["numbers"])]
        while len(numbers) > 1 and numbers[-1] == 0:
            numbers.pop()
        stages = _read_tail(tail)
        shown = name[start:].lstrip("vV")
        is_final = all(stage >= _FINAL for stage, _, _ in stages)
        series = "" if _MAIN_SERIES().fullmatch(name[:start]) else name[:start]
        return Version(series, shown, (int(match["epoch"] or 0), tuple(numbers), stages), is_final)
    return None


def scheme_of(versions: Iterable[Version]) -> Scheme:
    """The scheme that all of `versions` keep to; `mixed` when there is none (or no version)."""
    names = {version.name for version in versions}
    if not names:
        return "mixed"
    if all(_CALENDAR().match(name) for name in names):
        return "calendar"
    for scheme, read in (("semver", _read_semver), ("pep440", _read_pep440)):
        if all(read(name) is not None for name in names):
            return scheme  # type: ignore[return-value]
    return "mixed"


def release_ranks(versions: Iterable[Version]) -> dict[str, int]:
    """The place in release order of each version, by its shown name; equal versions share a place.

    semver orders what is semantic, packaging what is PEP 440; the rest, and what mixes the two,
    goes by `Version.key`.
    """
    by_name = {version.name: version for version in versions}
    scheme = scheme_of(by_name.values())
    key: Callable[[str], Any] = lambda name: by_name[name].key  # noqa: E731
    if scheme == "semver":
        key = _read_semver
    elif scheme == "pep440":
        key = _read_pep440
    keys = {name: key(name) for name in by_name}
    ranks: dict[str, int] = {}
    place = 0
    last: Any = None
    for name in sorted(keys, key=keys.__getitem__):
        if last is not None and last < keys[name]:
            place += 1
        ranks[name], last = place, keys[name]
    return ranks


def _read_semver(name: str) -> Any:
    """The name as the semver library reads it, which knows no `1.2`; None when it does not."""
    import semver

    try:
        return semver.Version.parse(name)
    except ValueError:
        return None


def _read_pep440(name: str) -> Any:
    """The name as packaging reads it; None when it does not."""
    from packaging.version import InvalidVersion, Version

    try:
        return Version(name)
    except InvalidVersion:
        return None


def version_in_heading(text: str) -> Version | None:
    """The version that a changelog heading such as `[1.1.0] - 2024-05-01` announces, or None."""
    words = _HEADING_NOISE().sub("", text[:400], count=1).replace("](", "] (").split()
    # `mypy 1.2` and `Flask 3.0.0 (2023-09-30)` put the project's name first.
    for at, word in enumerate(words[:2]):
        version = read_version(word.strip("[](){}*_`:,#="))
        if version is None:
            continue
        # A lone number is a version only where nothing but a date or a link follows: not `3 ideas`.
        follows = words[at + 1][0] if at + 1 < len(words) else ""
        if "." in version.name or (at == 0 and not version.series and not follows.isalnum()):
            return version
    return None


def kind_of_plain_heading(line: str) -> Literal["bold", "bare", ""]:
    """Whether a line of a changelog that is no heading to Markdown announces a version like one.

    `**1.1.0** (2024-05-01)` does; `v1.1.0` may, when its text stands indented below it.
    """
    line = line.rstrip()
    if not line or len(line) > _LONGEST_LINE or line[0].isspace():
        return ""
    if line[0] in "*_":
        return "bold" if _BOLD_LINE().fullmatch(line) else ""
    return "bare" if _BARE_LINE().fullmatch(line) else ""


def is_unreleased(heading: str) -> bool:
    """Whether a changelog heading stands for what has no version yet."""
    return _UNRELEASED().match(heading) is not None


def _starts(name: str) -> list[int]:
    return [0, *(at + 1 for at, sign in enumerate(name) if sign in "/@-_" and at + 1 < len(name))]


def _read_tail(tail: str) -> tuple[tuple[int, int, str], ...]:
    """The parts after the number as (stage, number, word), closed so that `rc` < final < `post`."""
    stages: list[tuple[int, int, str]] = []
    for part in _TAIL_PART().findall(tail):
        if part[0].isdigit():
            number = int(part[:18])
            if stages and stages[-1][1] < 0:
                stage, _, word = stages[-1]
                stages[-1] = (stage, number, word)
            else:
                stages.append((_OTHER, number, ""))
        else:
            word = part.lower()
            stage = _STAGES.get(word, _OTHER)
            stages.append((stage, -1, word if stage == _OTHER else ""))
    return (*stages, (_FINAL, 0, ""))
