"""Which words does a text have, and when are two words the same, of one stem, or synonyms?"""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection
from pathlib import Path

from gitnotes.grade import porter

PUNCTUATION = "!()-[]{};:'\"\\,<>./?@#$%^&*_~"
"""What Log-MNEXT's authors delete; `+`, `=`, `|`, the backtick and all that is not ASCII stay."""

MEMO_SIZE = 1 << 16
"""The most words whose stem, and the most whose synonyms, are kept in memory."""

_DELETE = str.maketrans("", "", PUNCTUATION)
_LONGEST_REMEMBERED = 64
_TABLE = Path(__file__).parent.parent / "data" / "synonyms.zlib"

_LOWER = bytes(range(128)).lower() + bytes(range(128, 256))
_DELETE_BYTES = PUNCTUATION.encode()

# The endings that WordNet's morphy(7WN) detaches, the letter or letters that take their place,
# and the parts of speech (n noun, v verb, a adjective) that have the rule; by their last letter.
_ENDINGS = {
    "s": (
        ("s", "", "nv"),
        ("ses", "s", "n"),
        ("ves", "f", "n"),
        ("xes", "x", "n"),
        ("zes", "z", "n"),
        ("ches", "ch", "n"),
        ("shes", "sh", "n"),
        ("ies", "y", "nv"),
        ("es", "e", "v"),
        ("es", "", "v"),
    ),
    "n": (("men", "man", "n"),),
    "d": (("ed", "e", "v"), ("ed", "", "v")),
    "g": (("ing", "e", "v"), ("ing", "", "v")),
    "r": (("er", "", "a"), ("er", "e", "a")),
    "t": (("est", "", "a"), ("est", "e", "a")),
}
_ENTRY = re.compile("([nvar])([0-9]*)")

_NONE: frozenset[str] = frozenset()


def strip_punctuation(text: str) -> str:
    """`text` without the characters of `PUNCTUATION`: they are deleted, not replaced by spaces."""
    return text.translate(_DELETE)


def split_words(text: str) -> list[str]:
    """The words of `text` as Log-MNEXT compares them: no punctuation, lower case, split at white space."""
    if text.isascii():
        return text.encode().translate(_LOWER, _DELETE_BYTES).decode().split()
    return text.translate(_DELETE).lower().split()


class _Stems(dict[str, str]):
    """Word to stem, worked out on first use."""

    def __missing__(self, word: str) -> str:
        stem = porter.stem(word)
        if len(word) <= _LONGEST_REMEMBERED:
            if len(self) >= MEMO_SIZE:
                self.clear()
            self[word] = stem
        return stem


class _Synonyms(dict[str, frozenset[str]]):
    """Word to its synonyms in WordNet, itself only if WordNet knows it; worked out on first use."""

    table: SynonymTable | None = None

    def __missing__(self, word: str) -> frozenset[str]:
        if len(word) > _LONGEST_REMEMBERED:
            return _NONE  # WordNet's longest word has 33 letters
        if self.table is None:
            self.table = SynonymTable(_TABLE.read_bytes())
        if len(self) >= MEMO_SIZE:
            self.clear()
        self[word] = names = self.table.names(word)
        return names


STEMS = _Stems()
SYNONYMS = _Synonyms()


def forget() -> None:
    """Empties what is remembered of words; the synonym table stays loaded."""
    STEMS.clear()
    SYNONYMS.clear()


def stem(word: str) -> str:
    """The stem of `word`, which is in lower case, by nltk's Porter stemmer in its default mode."""
    return STEMS[word]


def synonyms(word: str) -> frozenset[str]:
    """`word` and the names of one lower-case word in all synsets of WordNet 3.0 that `word` leads to.

    `word` is in lower case. It leads to the synsets of each of its base forms, for each part of
    speech, as nltk's `wordnet.synsets(word)` has it. The relation has a direction: `delete` is a
    synonym of `erased`, `erased` is none of `delete`.
    """
    return SYNONYMS[word] | {word}


Bucket = tuple[dict[str, str], dict[str, dict[str, list[str]]]]
"""Word to entry (`n12v345`: the group of each part of speech); irregular form to part to base forms."""


class SynonymTable:
    """The synonyms of WordNet 3.0 in the format that gitnotes/data/README.md describes."""

    __slots__ = ("_buckets", "_groups", "_sections", "_sets")

    def __init__(self, packed: bytes) -> None:
        _, groups, *sections = zlib.decompress(packed).decode("ascii").split("\f")
        self._groups = groups.split("\n")
        self._sets: dict[str, frozenset[str]] = {}
        self._sections = {section[0]: section for section in sections}
        self._buckets: dict[str, Bucket] = {}

    def synonyms(self, word: str) -> frozenset[str]:
        """See the function `synonyms`."""
        return self.names(word) | {word}

    def names(self, word: str) -> frozenset[str]:
        """The synonyms of `word` in WordNet alone: without itself when WordNet does not know it."""
        if word[:1] not in self._sections:
            return _NONE
        irregular = self._bucket(word[0])[1].get(word, {})
        found = self._sets_of(word, "nvar")
        for part, bases in irregular.items():
            for base in bases:
                found += self._sets_of(base, part)
        for old, new, parts in _ENDINGS.get(word[-1], ()):
            if word.endswith(old):
                found += self._sets_of(word[: -len(old)] + new, parts, irregular)
        # Words of one group share its set, and most words have no group at all.
        return found[0] if len(found) == 1 else _NONE.union(*found)

    def _sets_of(self, form: str, parts: str, but: Collection[str] = ()) -> list[frozenset[str]]:
        """What `form` means as each of `parts`, other than those in `but`."""
        if form[:1] not in self._sections:
            return []
        entry = self._bucket(form[0])[0].get(form)
        if entry is None:
            return []
        return [
            self._group(number) if number else frozenset((form,))
            for part, number in _ENTRY.findall(entry)
            if part in parts and part not in but
        ]

    def _group(self, number: str) -> frozenset[str]:
        names = self._sets.get(number)
        if names is None:
            names = self._sets[number] = frozenset(self._groups[int(number)].split(" "))
        return names

    def _bucket(self, letter: str) -> Bucket:
        """The entries and the irregular forms that start with `letter`.

        They are made for one letter at a time: all of them would take longer than everything else
        that happens before the first score.
        """
        bucket = self._buckets.get(letter)
        if bucket is None:
            _, words, entries, forms = self._sections[letter].split("\n")
            irregular: dict[str, dict[str, list[str]]] = {}
            for item in forms.split(" ") if forms else ():
                form, _, bases = item[1:].partition(":")
                irregular.setdefault(form, {})[item[0]] = bases.split(",")
            bucket = dict(zip(words.split(" "), entries.split(" "), strict=True)), irregular
            self._buckets[letter] = bucket
        return bucket
