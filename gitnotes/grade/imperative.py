"""Is the first word of a subject a verb in another form than the imperative, and which one is it?"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

_VERBS = Path(__file__).parent.parent / "data" / "verbs.txt"
# After one of these the word before is a noun: "Fixes for Windows", "Updates to the guide".
_AFTER_NOUN = frozenset(["and", "at", "for", "from", "in", "of", "on", "or", "to", "with"])
_ADJECTIVES = frozenset(
    ["advanced", "dedicated", "detached", "distributed", "expected", "extended", "required", "signed"]
)
# After one of these the word before is a verb, whatever else it may be: "Building the docs".
_AFTER_VERB = frozenset(
    ["a", "an", "the", "this", "that", "these", "those", "it", "its", "all", "some", "any", "more", "new"]
)


def imperative_of(word: str, following: str = "") -> str | None:
    """The imperative of `word` when it is a verb in the past, third person or -ing form.

    None when `word` is an imperative already, unknown, or a noun or adjective in this place;
    `following` is the next word and decides between the two readings.
    """
    entry = _forms().get(word.lower())
    if entry is None or word.lower() in _ADJECTIVES:
        return None
    base, ambiguous = entry
    following = following.lower()
    if ambiguous and (not following or following in _AFTER_NOUN):
        return None
    if ambiguous and word.lower().endswith("ing") and following not in _AFTER_VERB:
        return None
    return base.capitalize() if word[:1].isupper() else base


def is_verb(word: str) -> bool:
    """Whether `word` is the base form of a verb that opens commit subjects."""
    return word.lower() in _bases()


@lru_cache(maxsize=1)
def _entries() -> tuple[tuple[str, str, bool, bool, bool], ...]:
    entries = []
    for line in _VERBS.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        head, _, irregular = line.partition(" ")
        noun = head.startswith("~")
        gerund = head.endswith("=")
        head = head.strip("~=")
        doubled = head.endswith("2")
        entries.append((head.rstrip("2"), irregular, noun, gerund, doubled))
    return tuple(entries)


@lru_cache(maxsize=1)
def _bases() -> frozenset[str]:
    return frozenset(entry[0] for entry in _entries())


@lru_cache(maxsize=1)
def _forms() -> dict[str, tuple[str, bool]]:
    """Inflected form -> (base form, whether the form is as often a noun or adjective)."""
    forms: dict[str, tuple[str, bool]] = {}
    for base, irregular, noun, gerund, doubled in _entries():
        stem = base + base[-1] if doubled else base
        if base.endswith("e"):
            past, progressive = base + "d", (base if base.endswith("ee") else base[:-1]) + "ing"
        elif base.endswith("y") and base[-2] not in "aeiou":
            past, progressive = base[:-1] + "ied", base + "ing"
        else:
            past, progressive = stem + "ed", stem + "ing"
        if base.endswith("y") and base[-2] not in "aeiou":
            third = base[:-1] + "ies"
        elif base.endswith(("s", "x", "z", "ch", "sh", "o")):
            third = base + "es"
        else:
            third = base + "s"
        forms[third] = (base, noun)
        forms[irregular or past] = (base, False)
        forms[progressive] = (base, gerund)
    # A base form is never wrong, even where it equals the past of another verb.
    for base in _bases():
        forms.pop(base, None)
    return forms
