"""Which forms do the verbs have that open a subject, and which verb is a given word a form of?

The list is data/verbs.txt: regular inflection is by rule, the rest is marked there.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

Tense = Literal["imperative", "third", "past", "gerund"]

_VERBS = Path(__file__).parent / "data" / "verbs.txt"
_REGULAR = ("", False, False, False)
# After one of these the word before is a noun: "Fixes for Windows", "Updates to the guide".
_AFTER_NOUN = frozenset(["and", "at", "for", "from", "in", "of", "on", "or", "to", "with"])
_ADJECTIVES = frozenset(
    ["advanced", "dedicated", "detached", "distributed", "expected", "extended", "required", "signed"]
)
# After one of these the word before is a verb, whatever else it may be: "Building the docs".
_AFTER_VERB = frozenset(
    ["a", "an", "the", "this", "that", "these", "those", "it", "its", "all", "some", "any", "more", "new"]
)


class Form(NamedTuple):
    """What a word is as the form of a verb."""

    verb: str
    """The imperative."""
    tense: Tense
    is_noun: bool
    """Whether the word is as often a noun or an adjective."""


@cache
def _verbs() -> dict[str, tuple[str, bool, bool, bool]]:
    """Imperative to its irregular past ('' for none), and whether its last letter doubles, its -s form
    is as often a noun, its -ing form is."""
    found: dict[str, tuple[str, bool, bool, bool]] = {}
    for line in _VERBS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            head, _, past = line.partition(" ")
            mark = head.strip("~=")
            verb = mark.rstrip("2")
            found[verb] = past, mark != verb, head[0] == "~", head[-1] == "="
    return found


@cache
def forms() -> dict[str, Form]:
    """Every form to its verb. An imperative stays one even where it is the past of another verb."""
    known = _verbs()
    found = {verb: Form(verb, "imperative", entry[2]) for verb, entry in known.items()}
    for verb, (_, _, noun, gerund_noun) in known.items():
        found.setdefault(inflect(verb, "third"), Form(verb, "third", noun))
        found.setdefault(inflect(verb, "past"), Form(verb, "past", False))
        found.setdefault(inflect(verb, "gerund"), Form(verb, "gerund", gerund_noun))
    return found


def inflect(verb: str, tense: Tense) -> str:
    """An imperative in another tense; a verb that is not in the list follows the rule."""
    if tense == "imperative":
        return verb
    past, doubled, _, _ = _verbs().get(verb, _REGULAR)
    ends_in_y = verb.endswith("y") and verb[-2:-1] not in "aeiou"
    if tense == "third":
        if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
            return verb + "es"
        return verb[:-1] + "ies" if ends_in_y else verb + "s"
    stem = verb + verb[-1] if doubled else verb
    if tense == "gerund":
        return (verb[:-1] if verb.endswith("e") and not verb.endswith("ee") else stem) + "ing"
    if past:
        return past
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if ends_in_y else stem + "ed"


def is_verb(word: str) -> bool:
    """Whether `word` is the imperative of a verb that opens commit subjects."""
    return word.lower() in _verbs()


def imperative_of(word: str, following: str = "") -> str | None:
    """The imperative of `word` when it is a verb in the past, third person or -ing form.

    None when `word` is an imperative already, unknown, or a noun or adjective in this place;
    `following` is the next word and decides between the two readings.
    """
    low = word.lower()
    form = forms().get(low)
    if form is None or form.tense == "imperative" or low in _ADJECTIVES:
        return None
    following = following.lower()
    if form.is_noun and (not following or following in _AFTER_NOUN):
        return None
    if form.is_noun and form.tense == "gerund" and following not in _AFTER_VERB:
        return None
    return form.verb.capitalize() if word[:1].isupper() else form.verb
