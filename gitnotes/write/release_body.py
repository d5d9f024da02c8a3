"""How does a note become the text of a release on GitHub, which has its own title and a limit?"""

from __future__ import annotations

from gitnotes.versioning import Version
from gitnotes.write.outline import read_outline
from gitnotes.write.unreleased import body_of

LIMIT = 125_000
"""Characters that GitHub takes for the text of a release."""


def find_section(changelog: str, version: Version | None) -> str:
    """The section of a version (None: what is unreleased) with its heading; empty when there is none."""
    text = changelog.removeprefix("\ufeff").replace("\r\n", "\n")
    for section in read_outline(text).sections:
        if (section.version is None) if version is None else _is(section.version, version):
            return text[section.start : section.end].rstrip("\n")
    return ""


def without_section(changelog: str, version: Version | None) -> str:
    """The changelog as it was before it told of a version; the same where it does not."""
    text = changelog.removeprefix("\ufeff").replace("\r\n", "\n")
    for section in read_outline(text).sections if version else ():
        if version is not None and _is(section.version, version):
            return text[: section.start] + text[section.end :].lstrip("\n")
    return changelog


def without_heading(section: str) -> str:
    """The text below the heading that a section begins with."""
    first = next(iter(read_outline(section).sections), None)
    if first is None or first.start:
        return section
    return section[body_of(section, first)[0] :].strip("\n")


def fit_body(text: str, more: str, limit: int = LIMIT) -> str:
    """The text, cut after a whole line when it is too long; `more` is then its last paragraph."""
    if len(text) <= limit:
        return text
    room = limit - len(more) - 2
    return f"{text[: text.rfind(chr(10), 0, room) + 1].rstrip()}\n\n{more}"


def _is(one: Version | None, other: Version) -> bool:
    return one is not None and one.key == other.key
