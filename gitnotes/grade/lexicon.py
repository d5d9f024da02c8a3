"""Which words of a text carry meaning, how much, and what is their common stem?

A word weighs between 0 (fits any commit) and 1 (rare in commit messages). The weights are
inverse document frequencies over the commit messages of three public repositories, shipped as
data/word_weights.txt; words of filler and praise weigh nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from gitnotes.identifiers import split_identifier

_DATA = Path(__file__).parent.parent / "data"
IDENTIFIER = re.compile(r"[^\W\d]\w*")
LONGEST_WORD = 80
"""Characters; what is longer is data, not a word, and would fill the caches."""


def _read_lists(text: str) -> tuple[frozenset[str], ...]:
    """One set of words for each paragraph that starts with a comment line."""
    lists: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith("# "):
            lists.append([])
        else:
            lists[-1].extend(line.split())
    return tuple(frozenset(words) for words in lists[1:])


(
    STOPWORDS, FILLER, CODE_WORDS, VAGUE_VERBS, CONTAINERS, KIND_NOUNS, JOINTS, SUFFIXES, FOREIGN,
    PRODUCTS,
) = _read_lists((_DATA / "plain_words.txt").read_text(encoding="utf-8"))  # fmt: skip
"""The lists of data/plain_words.txt, which says what each is for."""


def words_of(text: str) -> list[str]:
    """The identifiers and words of `text`, in order, without those that no person reads as one."""
    found: list[str] = IDENTIFIER.findall(text)
    if len(text) > LONGEST_WORD:
        return [word for word in found if len(word) <= LONGEST_WORD]
    return found


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """The common beginning of the inflections of one English word, lower case.

    A light suffix stripper: plural, -ed, -ing, -er, -ion and a final e go; short words stay.
    """
    word = word.lower()
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix in (
        "ization",
        "ation",
        "ition",
        "ing",
        "ion",
        "ment",
        "able",
        "ible",
        "er",
        "or",
        "ed",
        "ly",
        "ity",
    ):
        if word.endswith(suffix) and len(word) - len(suffix) >= (4 if suffix == "ment" else 3):
            word = word[: -len(suffix)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if word.endswith("ize") and len(word) > 5:
        word = word[:-3]
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    if word.endswith("y") and len(word) > 3:
        word = word[:-1] + "i"
    return word


@lru_cache(maxsize=16384)
def pieces(identifier: str) -> tuple[str, ...]:
    """The stems of the words that `identifier` is made of; the whole comes first.

    `getUserName` and `get_user_name` both hold get, user, name. Digits and single letters
    are left out.
    """
    parts = [word for part in split_identifier(identifier) if (word := part.rstrip("0123456789"))]
    stems = [stem(part) for part in parts if len(part) > 1]
    whole = stem(identifier.replace("_", "")) if len(parts) > 1 else (stems[0] if stems else "")
    return tuple(dict.fromkeys(([whole] if whole else []) + stems))


def stems_of(text: str, most: int | None = None) -> set[str]:
    """The stems of every word in `text` and of the parts of identifiers, at most `most` for each."""
    found: set[str] = set()
    for identifier in set(words_of(text)):
        found.update(pieces(identifier)[:most])
    return found


def weight(word: str) -> float:
    """How much the stem of `word` says about one commit rather than any: 0 to 1."""
    return stem_weight(stem(word)) if word.lower() not in STOPWORDS else 0.0


def stem_weight(stemmed: str) -> float:
    """The weight of a stem that `stem` or `pieces` gave."""
    return _weights().get(stemmed, 1.0) if len(stemmed) > 1 else 0.0


def total_weight(stems: Iterable[str]) -> float:
    """The sum of the weights of stems."""
    weight_of = _weights().get
    return sum([weight_of(stemmed, 1.0) for stemmed in stems if len(stemmed) > 1])


@lru_cache(maxsize=16384)
def proof_weight(stemmed: str) -> float:
    """How much it proves to find the stem in a change: its weight, less for words of every program."""
    return stem_weight(stemmed) * (0.4 if stemmed in _code_stems() else 1.0)


@lru_cache(maxsize=1)
def _code_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in CODE_WORDS)


@lru_cache(maxsize=1)
def _weights() -> dict[str, float]:
    """Stem to weight; what is not there is rare."""
    table: dict[str, float] = {}
    for line in (_DATA / "word_weights.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            stemmed, _, percent = line.partition(" ")
            table[stemmed] = int(percent) / 100
    table.update(dict.fromkeys(STOPWORDS, 0.0))
    table.update(dict.fromkeys(map(stem, FILLER | STOPWORDS), 0.0))
    return table
