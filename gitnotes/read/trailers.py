"""Which trailers does a message end with, and whom do they credit?

The rules are those of git-interpret-trailers(1) with `--parse --no-divider`, which are also those
of `%(trailers)`, for git's default settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gitnotes.read.git import Git

Trailers = tuple[tuple[str, str], ...]

# Where git's own reading of a key ends: letters, digits and dashes, then spaces, then the colon.
_KEY = re.compile(r"([A-Za-z0-9-]+)[ \t]*:")
_ANY_KEY = re.compile(r"^[A-Za-z0-9-]+[ \t]*:", re.M)
_OWN = ("Signed-off-by: ", "(cherry picked from commit ")
_SPACE = " \t\n\r"
SCISSORS = "# ------------------------ >8 ------------------------"
_CONTACT = re.compile(r"[ \t]*([^<>\n]{0,200}?)[ \t]*<[ \t]*([^<>\s]{1,254})[ \t]*>")
_CREDITS = ("co-authored-by", "co-author", "co-developed-by")


class Person(NamedTuple):
    """A name with its address, as somebody wrote them."""

    name: str
    email: str


def parse_trailers(body: str) -> Trailers:
    """Key and value of each trailer in the last paragraph of `body`, the message without its subject.

    Every line is a trailer, or one of git's own lines is among them and trailers make up a quarter
    of the lines. A value that goes on in indented lines is unfolded.
    """
    return TrailerReader().read(body)


class TrailerReader:
    """Reads the trailers of many messages; what a thousand of them have in common is stored once."""

    def __init__(self) -> None:
        self._blocks: dict[str, Trailers] = {}
        self._pairs: dict[tuple[str, str], tuple[str, str]] = {}
        self._keys: dict[str, str] = {}

    def read(self, body: str) -> Trailers:
        """The trailers of one message; see `parse_trailers`."""
        if ":" not in body:
            return ()
        if body[0] == "#" or "\n#" in body or "Conflicts:" in body:
            body = _without_tail(body)
        at = body.rfind("\n\n")
        block = body[at + 2 :] if at >= 0 else body
        if "\r" in body or not block.strip(_SPACE):
            block = body  # a line of white space ends a paragraph too
        found = self._blocks.get(block)
        if found is None:
            if not _ANY_KEY.search(block):
                return ()
            found = tuple([self._share(key, value) for key, value in _parse_block(block)])
            # A long block stands under one message only.
            if len(block) < 400:
                self._blocks[block] = found
        return found

    def _share(self, key: str, value: str) -> tuple[str, str]:
        key = self._keys.setdefault(key, key)
        return self._pairs.setdefault((key, value), (key, value))


def _without_tail(body: str) -> str:
    """The body without the comments, conflict list and scissors that git leaves out at its end."""
    lines = body.split("\n")
    if SCISSORS in lines:
        lines = lines[: lines.index(SCISSORS)]
    kept = 0
    in_conflicts = False
    for number, line in enumerate(lines, 1):
        if line == "Conflicts:":
            in_conflicts = True
        elif line and line[0] != "#" and not (in_conflicts and line[0] == "\t"):
            kept = number
            in_conflicts = False
    return "\n".join(lines[:kept])


def _parse_block(block: str) -> Iterable[tuple[str, str]]:
    if "\n" not in block:
        match = _KEY.match(block)
        return [(match[1], block[match.end() :].strip(_SPACE))] if match else []
    lines = block.rstrip(_SPACE).split("\n")
    start = _find_start(lines)
    found: list[tuple[str, list[str]]] = []
    open_value: list[str] | None = None
    for line in lines[start:]:
        if line[:1] in _SPACE and open_value is not None:
            open_value.append(line)
            continue
        match = _KEY.match(line)
        open_value = [line[match.end() :]] if match else None
        if match and open_value is not None:
            found.append((match[1], open_value))
    return ((key, _unfold(value)) for key, value in found)


def _find_start(lines: list[str]) -> int:
    """The index of the first line of the trailers; that after the last when there are none."""
    trailers = others = continued = 0
    own = False
    only_spaces = True
    start = 0
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        if line[:1] == "#":
            others += continued
            continued = 0
            continue
        if not line.strip(_SPACE):
            if only_spaces:
                continue
            start = at + 1
            break
        only_spaces = False
        if line.startswith(_OWN):
            trailers += 1
            continued = 0
            own = True
        elif _KEY.match(line):
            trailers += 1
            continued = 0
        elif line[0] in _SPACE:
            continued += 1
        else:
            others += continued + 1
            continued = 0
    others += continued
    enough = own and trailers * 3 >= others
    return start if enough or (trailers and not others) else len(lines)


def _unfold(lines: list[str]) -> str:
    parts = [lines[0], *(line.lstrip(_SPACE) for line in lines[1:])]
    return " ".join(parts).strip(_SPACE)


def co_authors(trailers: Trailers) -> tuple[Person, ...]:
    """The people whom the trailers credit as authors, each address once, in order."""
    found: dict[str, Person] = {}
    for key, value in trailers:
        match = _CONTACT.match(value) if key.lower() in _CREDITS else None
        if match:
            found.setdefault(match[2].casefold(), Person(match[1], match[2]))
    return tuple(found.values())


def map_people(git: Git, people: Iterable[Person]) -> dict[Person, Person]:
    """Each person under the name and address that `.mailmap` gives. Raises GitError."""
    wanted = list(dict.fromkeys(people))
    asked = [person for person in wanted if _is_plain(person)]
    if not asked:
        return {person: person for person in wanted}
    lines = "".join(f"{person.name} <{person.email}>\n" for person in asked)
    answer = git.run("check-mailmap", "--stdin", feed=lines.encode("utf-8", "replace"))
    found = dict(zip(asked, _read_contacts(answer.decode("utf-8", "replace")), strict=True))
    return {person: found.get(person, person) for person in wanted}


def _is_plain(person: Person) -> bool:
    """Whether git can read the person back from one line."""
    text = f"{person.name}{person.email}"
    return bool(person.email) and not any(sign in text for sign in "<>\n\0")


def _read_contacts(answer: str) -> Iterator[Person]:
    for line in answer.removesuffix("\n").split("\n"):
        name, _, email = line.rpartition("<")
        yield Person(name.strip(), email.strip().removesuffix(">"))
