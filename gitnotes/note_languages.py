"""How do the headings and fixed phrases of a note read in a language, and which one do given headings speak?

`data/note_languages.json` has the table: of each kind of change first the heading that is made, then the
one of Keep a Changelog, then others that projects have.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class NoteLanguage:
    """The words of one language."""

    code: str
    """As in ISO 639-1."""
    names: tuple[str, ...]
    headings: dict[str, tuple[str, ...]]
    """Kind of change to headings; empty for English, whose kinds are their own headings."""
    phrases: dict[str, str]


@cache
def languages() -> dict[str, NoteLanguage]:
    """The languages of the table, by code."""
    found = json.loads(files("gitnotes").joinpath("data/note_languages.json").read_text("utf-8"))
    return {
        code: NoteLanguage(
            code,
            tuple(part["names"]),
            {kind: tuple(names) for kind, names in part["headings"].items()},
            part["phrases"],
        )
        for code, part in found.items()
    }


def find_language(name: str) -> NoteLanguage | None:
    """The language called `de`, `de-AT`, `de_DE.UTF-8`, `German` or `Deutsch`; None for others."""
    wanted = name.strip().casefold()
    code = wanted.replace("_", "-").partition(".")[0].partition("-")[0]
    known = languages()
    return known.get(code) or next((one for one in known.values() if wanted in one.names), None)


def phrase(language: str, name: str) -> str:
    """A fixed phrase, in English where the language is not known."""
    known = languages()
    return known.get(language, known[ENGLISH]).phrases[name]


def category_of_foreign(heading: str) -> str:
    """The kind of change that stands under a heading in another language than English; empty if unknown."""
    return next((kind for kind, _ in _meanings().get(_plain(heading), ())), "")


def language_of(headings: Iterable[str]) -> NoteLanguage | None:
    """The language that most of the headings are in; None where none is known to be of a language."""
    votes = Counter(code for heading in headings for _, code in _meanings().get(_plain(heading), ()))
    return languages()[votes.most_common(1)[0][0]] if votes else None


def fitting_headings(language: NoteLanguage, known: Iterable[str]) -> dict[str, str]:
    """Kind of change to heading, as Keep a Changelog words it where one of the `known` headings is so."""
    given = {_plain(heading) for heading in known}
    is_kept = any(
        _plain(names[1]) in given and _plain(names[0]) not in given for names in language.headings.values()
    )
    return {kind: names[int(is_kept)] for kind, names in language.headings.items()}


@cache
def _meanings() -> dict[str, tuple[tuple[str, str], ...]]:
    """A heading in small letters to the kinds of change that it stands for, each with its language."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for language in languages().values():
        for kind, names in language.headings.items():
            for name in dict.fromkeys(map(_plain, names)):
                found[name] = (*found.get(name, ()), (kind, language.code))
    return found


def _plain(heading: str) -> str:
    """A heading without signs and emoji, in small letters."""
    kept = "".join(sign if sign.isalpha() else " " for sign in heading[:200])
    return " ".join(kept.split()).casefold()
