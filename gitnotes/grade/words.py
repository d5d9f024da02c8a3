"""Which words does a text have, and when are two words the same, of one stem, or synonyms?"""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Collection
from pathlib import Path

from gitnotes.grade.porter import Stemmer, load_stemmer

PUNCTUATION = "!()-[]{};:'\"\\,<>./?@#$%^&*_~"
"""What Log-MNEXT's authors delete; `+`, `=`, `|`, the backtick and all that is not ASCII stay."""

MEMO_SIZE = 1 << 16
"""The most words whose stem, and the most whose synonyms, are kept in memory."""

TEXTS_SIZE = 1 << 14
"""The most texts whose words are kept in memory, none of them longer than _SHORT characters."""

_DELETE = str.maketrans("", "", PUNCTUATION)
_LONGEST_REMEMBERED = 64
_LONG = 96
_SHORT = 200
_TAIL = 64
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
# The ends of all words that a rule of the stemmer, or its list of irregular forms, changes.
_STEMMED = (
    *("s", "y", "e", "i", "ed", "al", "er", "ic", "ll", "ou", "or"),
    *("ing", "ant", "ent", "ion", "ism", "ful"),
)
_ENTRY = re.compile("([nvar])([0-9]*)")

CHANGED_HEADS = {
    **{vowel + ending: vowel for vowel in "aeiou" for ending in ("ed", "eds", "ing", "ings")},
    **{"ied": "i", "ieds": "i", "ies": "i", "dying": "di", "lying": "li", "tying": "ti"},
}
# The rule for `-eed` comes before that for `-ed`.
del CHANGED_HEADS["eed"], CHANGED_HEADS["eeds"]
"""The words whose stem does not begin with the first two letters of the word, but with these."""


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

    stemmer: Stemmer | None = None

    def __missing__(self, word: str) -> str:
        if len(word) > _LONGEST_REMEMBERED:
            return _stem_long(word) if len(word) > _LONG else self._work_out(word)
        if len(self) >= MEMO_SIZE:
            self.clear()
        self[word] = stem = self._work_out(word)
        return stem

    def _work_out(self, word: str) -> str:
        if not word.endswith(_STEMMED) and word.isascii():
            return word
        if self.stemmer is None:
            self.stemmer = load_stemmer()
        return self.stemmer.stem(word)


class _Synonyms(dict[str, frozenset[str]]):
    """Word to synonyms, worked out on first use."""

    table: SynonymTable | None = None

    def __missing__(self, word: str) -> frozenset[str]:
        if len(word) > _LONGEST_REMEMBERED:
            return frozenset((word,))  # WordNet's longest word has 33 letters
        if len(self) >= MEMO_SIZE:
            self.clear()
        if self.table is None:
            self.table = SynonymTable(_TABLE.read_bytes())
        self[word] = synonyms = self.table.synonyms(word)
        return synonyms


class _Heads(dict[str, str]):
    """Word to what its stem begins with: two letters, or one."""

    def __missing__(self, word: str) -> str:
        head = CHANGED_HEADS.get(word) or word[:2]
        if len(word) <= _LONGEST_REMEMBERED:
            if len(self) >= MEMO_SIZE:
                self.clear()
            self[word] = head
        return head


STEMS = _Stems()
SYNONYMS = _Synonyms()
HEADS = _Heads()


Text = tuple[list[str], frozenset[str], frozenset[str]]
"""The words of a text, the different ones among them, and what the stems of these begin with."""


def read_text(text: str) -> Text:
    """What is compared of `text`; never to be changed, since short texts are remembered.

    Systems repeat their favourite messages, and a file with several predictions for a reference
    repeats that.
    """
    return _read_short(text) if len(text) <= _SHORT else _read(text)


def _read(text: str) -> Text:
    words = split_words(text)
    kinds = frozenset(words)
    return words, kinds, frozenset(map(HEADS.__getitem__, kinds))


_read_short = functools.lru_cache(maxsize=TEXTS_SIZE)(_read)


def forget() -> None:
    """Empties what is remembered of words and texts; the synonym table stays loaded."""
    STEMS.clear()
    SYNONYMS.clear()
    HEADS.clear()
    _read_short.cache_clear()


def stem(word: str) -> str:
    """The stem of `word` by nltk's Porter stemmer in its default mode."""
    return STEMS[word]


def names_in_wordnet(word: str) -> frozenset[str]:
    """The synonyms of `word` in WordNet, itself only if WordNet knows it."""
    if len(word) > _LONGEST_REMEMBERED:
        return frozenset()
    if SYNONYMS.table is None:
        SYNONYMS.table = SynonymTable(_TABLE.read_bytes())
    return SYNONYMS.table.names(word)


def synonyms(word: str) -> frozenset[str]:
    """`word` and the names of one lower-case word in all synsets of WordNet 3.0 that `word` leads to.

    `word` is in lower case. It leads to the synsets of each of its base forms, for each part of
    speech, as nltk's `wordnet.synsets(word)` has it. The relation has a direction: `delete` is a
    synonym of `erased`, `erased` is none of `delete`.
    """
    return SYNONYMS[word]


Bucket = tuple[dict[str, str], dict[str, dict[str, list[str]]]]
"""Word to entry (`n12v345`: the group of each part of speech); irregular form to part to base forms."""


class SynonymTable:
    """The synonyms of WordNet 3.0 in the format that gitnotes/data/README.md describes."""

    __slots__ = ("_buckets", "_groups", "_sections")

    def __init__(self, packed: bytes) -> None:
        _, groups, *sections = zlib.decompress(packed).decode("ascii").split("\f")
        self._groups = groups.split("\n")
        self._sections = {section[0]: section for section in sections}
        self._buckets: dict[str, Bucket] = {}

    def synonyms(self, word: str) -> frozenset[str]:
        """See the function `synonyms`."""
        return self.names(word) | {word}

    def names(self, word: str) -> frozenset[str]:
        """The synonyms of `word` in WordNet alone: without itself when WordNet does not know it."""
        if word[:1] not in self._sections:
            return frozenset()
        found: set[str] = set()
        irregular = self._bucket(word[0])[1].get(word, {})
        self._add(found, word, "nvar")
        for part, bases in irregular.items():
            for base in bases:
                self._add(found, base, part)
        for old, new, parts in _ENDINGS.get(word[-1], ()):
            if word.endswith(old):
                self._add(found, word[: -len(old)] + new, parts, irregular)
        return frozenset(found)

    def _add(self, found: set[str], form: str, parts: str, but: Collection[str] = ()) -> None:
        """Adds to `found` what `form` means as one of `parts`, other than those in `but`."""
        if form[:1] not in self._sections:
            return
        entry = self._bucket(form[0])[0].get(form)
        if entry is not None:
            for part, number in _ENTRY.findall(entry):
                if part in parts and part not in but:
                    found.update(self._groups[int(number)].split(" ") if number else (form,))

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


def _stem_long(word: str) -> str:
    """The stem of a word that is too long for a word.

    Porter's rules touch at most the last 30 letters or so; of what stands before these they
    ask only whether it has a vowel and whether a vowel meets a consonant never, once or more
    often. So the head is replaced by a short one with the same answers, which keeps the
    time linear in every version of nltk.
    """
    head, tail = word[:-_TAIL], word[-_TAIL:]
    turns, consonant, vowels = 0, False, 0
    for letter in head:
        before = consonant
        consonant = not consonant if letter == "y" else letter not in "aeiou"
        turns += vowels > 0 and consonant and not before
        vowels += not consonant
    short = "ab" * min(turns, 2) + ("" if consonant and turns else "b" if consonant else "a")
    return head + STEMS[short + tail][len(short) :]
