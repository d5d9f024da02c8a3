"""What do the fragments that people wrote along with their changes make of the entries?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import cast, get_args

from gitnotes.draft.notes.categories import TYPES, Category
from gitnotes.draft.notes.doubles import join_entries
from gitnotes.draft.notes.entries import Entry
from gitnotes.draft.notes.titles import one_line
from gitnotes.draft.notes.units import plain_words
from gitnotes.note_items import category_of_heading
from gitnotes.note_rules import Fragment, FragmentType
from gitnotes.records import Omission

_QUIET = ("Internal", "Documentation", "Dependencies")
_ROLE = re.compile(r":[a-z][\w:.+-]{0,40}:`([^`]{1,300})`")
_LINK = re.compile(r"`([^`<]{1,300}?)[ \n]*<[^`>]{1,400}>`_{1,2}")
_TARGET = re.compile(r"^(.{1,300}?)[ \n]*<[^>]{1,300}>$", re.S)
_LITERAL = re.compile(r"``([^`\n]{1,300})``")
_MARKDOWN_LINK = re.compile(r"\[([^\[\]]{1,300})\]\([^()\s]{1,500}\)")
_WORDS: tuple[tuple[str, Category], ...] = (
    ("break|incompatib", "Breaking"),
    ("deprecat|removal|upgrade", "Deprecations"),
    ("security", "Security"),
    ("fix|critical", "Fixes"),
    ("feature", "Features"),
    ("perform", "Performance"),
    ("doc", "Documentation"),
    ("vendor|dependenc", "Dependencies"),
    ("internal|contrib|packag|misc", "Internal"),
)
_ENOUGH = 4
"""Where one change in so many that concern users has a fragment, the project writes one for all its news."""


def tell_by_fragments(
    entries: Sequence[Entry],
    omitted: Sequence[Omission],
    fragments: Sequence[Fragment],
    *,
    everything: bool = False,
) -> tuple[tuple[Entry, ...], tuple[Omission, ...]]:
    """The entries as their fragments word them; what has none is left out, unless `everything`.

    A commit that did nothing but add a fragment is the entry of its own. What breaks is told in any case.
    """
    by_commit: dict[str, list[Fragment]] = {}
    for fragment in fragments:
        if not fragment.prelude:
            by_commit.setdefault(fragment.commit, []).append(fragment)
    told: list[Entry] = []
    bare: list[Entry] = []
    rest: list[Omission] = []
    seen: dict[str, int] = {}
    for entry in entries:
        mine = [fragment for sha in entry.commits for fragment in by_commit.pop(sha, ())]
        if mine and all(fragment.released for fragment in mine):
            reason = f"told in {one_line(mine[0].released)}"
            rest.extend(Omission(sha, reason) for sha in entry.commits)
            continue
        mine = [fragment for fragment in mine if not fragment.released]
        if not mine:
            bare.append(entry)
            told.append(entry)
        for at, fragment in enumerate(mine):
            _add(told, seen, _worded(entry if not at else _second(entry, fragment), fragment))
    alone = {
        sha: fresh
        for sha, mine in by_commit.items()
        if (fresh := [fragment for fragment in mine if not fragment.released])
    }
    for sha, mine in alone.items():
        for at, fragment in enumerate(mine):
            own = Entry(text=fragment.path, category="Changes", commits=(sha,))
            _add(told, seen, _worded(_second(own, fragment) if at else own, fragment))
    rest.extend(item for item in omitted if item.path not in alone)
    news = sum(entry.category not in _QUIET for entry in bare)
    if everything or _ENOUGH * (len(told) - len(bare)) < news:
        return tuple(told), tuple(rest)
    silent = [entry for entry in bare if entry.category != "Breaking"]
    rest.extend(Omission(sha, "has no news fragment") for entry in silent for sha in entry.commits)
    gone = set(map(id, silent))
    return tuple(entry for entry in told if id(entry) not in gone), tuple(rest)


def tell_prelude(fragments: Sequence[Fragment]) -> str:
    """What opens the note, in the words of the fragments; empty when none does."""
    return " ".join(dict.fromkeys(plain_fragment(one.text) for one in fragments if one.prelude))


def plain_fragment(text: str) -> str:
    """The prose of a fragment on one line, code in single backticks; blocks of code and directives go."""
    paragraphs = re.split(r"\n[ \t]*\n", text.strip("\n"))
    prose = [
        part for part in paragraphs if part and not part[0].isspace() and not part.startswith(("..", "```"))
    ]
    line = " ".join(" ".join(prose).split()).replace(" :: ", ": ").removesuffix("::")
    line = _ROLE.sub(lambda match: f"`{_shown_target(match[1])}`", line)
    line = _MARKDOWN_LINK.sub(r"\1", _LINK.sub(r"\1", line))
    return _LITERAL.sub(r"`\1`", line)


def _shown_target(target: str) -> str:
    """`pytest.raises` for `~pytest.raises`, `the text` for `the text <target>`."""
    return _TARGET.sub(r"\1", target).lstrip("~!")


def _worded(entry: Entry, fragment: Fragment) -> Entry:
    entry = replace(
        entry,
        category=_category_of(fragment.type, entry.category),
        group=fragment.type.title,
        issues=fragment.issues,
    )
    if not fragment.text:
        return entry
    text = plain_fragment(fragment.text) or entry.text
    entry = replace(entry, text=text, marked=fragment.text, markup=fragment.markup)
    return replace(entry, scope="", prefix="", parts=(), bumps=())


def _second(entry: Entry, fragment: Fragment) -> Entry:
    """Another entry about the same change; its commits are counted in the first."""
    return replace(entry, commits=(), source=fragment.commit, breaking=(), parts=(), bumps=())


def _add(told: list[Entry], seen: dict[str, int], entry: Entry) -> None:
    """Adds the entry, to one with the same fragment where there is one."""
    words = plain_words(entry.marked)
    at = seen.get(words) if words else None
    if at is None:
        seen[words] = len(told)
        told.append(entry)
        return
    told[at] = join_entries(told[at], entry)


def _category_of(kind: FragmentType, known: Category) -> Category:
    title = kind.title.casefold()
    if kind.name in TYPES:
        return TYPES[kind.name]
    named = category_of_heading(kind.title)
    known_category = next((category for category in get_args(Category) if category == named), None)
    if known_category is not None:
        return cast(Category, known_category)
    for words, category in _WORDS:
        if re.search(words, f"{kind.name} {title}"):
            return category
    return "Changes" if known in (*_QUIET, "Reverted") else known
