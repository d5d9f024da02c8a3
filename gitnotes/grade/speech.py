"""Does a text speak as a sentence does, or does it pile up words, name a place, or speak another language?"""

from __future__ import annotations

from collections.abc import Sequence

from gitnotes.grade.footprint import Footprint, defines
from gitnotes.grade.lexicon import (
    CONTAINERS,
    FILLER,
    FOREIGN,
    STOPWORDS,
    VAGUE_VERBS,
    pieces,
    stem,
    stem_weight,
    words_of,
)
from gitnotes.verbs import imperative_of, is_verb

_LONGEST_PILE = 6
"""Words in a row with nothing between them that makes a sentence of them; nouns alone rarely pile up so."""
_JOINS = STOPWORDS | {"across", "without", "via", "along", "among", "like", "vs", "unless", "since", "around"}
_UPKEEP = frozenset(stem(word) for word in ("dependency", "requirements", "deps", "version", "release"))
_ENGLISH = STOPWORDS - {"an", "as", "on", "so", "do", "me", "no", "per", "re", "s", "don", "et", "am", "in"}


def is_foreign(text: str) -> bool:
    """Whether `text` is in a language whose words gitnotes does not know.

    Told by scripts other than Latin, and by words of grammar against those of English.
    """
    words = [word for chunk in text[:4000].split() if (word := chunk.strip(".,;:!?()\"'«»„“”¿¡")).isalpha()]
    letters = sum(map(len, words))
    if (
        not text.isascii()
        and sum(1 for word in words for letter in word if letter > "\u024f") > 0.3 * letters
    ):
        return True
    lowered = {word.lower() for word in words if "://" not in word}
    strange = sum(1 for word in lowered if word in FOREIGN or not (word.isascii() or _is_loan(word)))
    return strange >= 2 and strange > sum(1 for word in lowered if word in _ENGLISH)


def _is_loan(word: str) -> bool:
    return word in ("naïve", "café", "cafés", "résumé", "façade", "über", "déjà")


def opens_with_verb(words: Sequence[str]) -> bool:
    """Whether the first word is a verb that opens commit subjects, in any of its forms."""
    return bool(words) and (is_verb(words[0]) or imperative_of(words[0], "the") is not None)


def is_pile(subject: str) -> bool:
    """Whether `subject` is a row of words with no grammar: long, and no verb or word of grammar in it."""
    longest = run = count = 0
    words = words_of(subject)
    # Punctuation ends a run: "Fix a, b, c, d" lists names on purpose.
    for chunk in subject.replace("/", " ").split():
        low = chunk.lower().strip("`'\"()")
        if low in _JOINS or "'" in low or not chunk[:1].isalnum() or chunk[-1:] in ",;:.)":
            run = 0
            continue
        run += 1
        count += 1
        longest = max(longest, run)
    if opens_with_verb(words):
        return longest > _LONGEST_PILE
    return longest == count >= _LONGEST_PILE


def _is_prefixed_verb(word: str) -> bool:
    """Whether `word` is a verb after re-, un- or de-: "reintroduce"."""
    return word[:2].lower() in ("re", "un", "de") and is_verb(word[2:])


def is_fragment(subject: str) -> bool:
    """Whether `subject` is a noun or two, with no verb and no word of grammar: nothing is said of them."""
    words = words_of(subject)
    if not words or len(words) > 4 or any(letter.isdigit() for letter in _without_ticket(subject)):
        return False
    if any(opens_with_verb(words[at:]) or _is_prefixed_verb(words[at]) for at in range(min(2, len(words)))):
        return False
    # A closing "fixes" or "updates" is a noun; in the middle it may be the verb.
    return not any(word.lower() in STOPWORDS for word in words if len(word) > 1) and not any(
        imperative_of(word, "the") is not None for word in words[1:-1]
    )


def says_where_only(subject: str, footprint: Footprint, *, typed: bool = False) -> bool:
    """Whether `subject` is a verb that fits any commit and the names of places of the change.

    `typed` says that a conventional type stands in front, which does for the verb.
    """
    words = words_of(subject)
    if not words:
        return False
    first = (imperative_of(words[0], "the") or words[0]).lower()
    named = words[1:] if first in VAGUE_VERBS else words
    if named is words and not (typed or _is_path(subject, footprint)):
        return False
    if any(character.isdigit() for character in _without_ticket(subject)):
        return False
    if len(named) > 2 and not any(_is_path(chunk, footprint) for chunk in subject.split()):
        return False
    places = 0
    for word in named:
        low = word.lower()
        if low in STOPWORDS or low in CONTAINERS or low in FILLER or low in VAGUE_VERBS:
            continue
        if stem(word) in _UPKEEP and stem(word) in footprint.concepts:
            return False
        if defines(footprint, word) or all(
            piece in footprint.paths for piece in pieces(word) if stem_weight(piece)
        ):
            places += 1
            continue
        return False
    return places > 0


def _is_path(subject: str, footprint: Footprint) -> bool:
    return subject.strip("`'\" ").lower() in footprint.statuses


def _without_ticket(subject: str) -> str:
    return " ".join(word for word in subject.split() if "#" not in word)
