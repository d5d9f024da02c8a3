"""Which entries of a note tell of which changes of the range?

By the numbers of pull requests and issues, by ids of commits, else by their words: the share of the rarer
side's words that both have, each word weighing log(1 + N / n) for N changes of which n have it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gitnotes.grade.words import stem
from gitnotes.note_items import NoteItem

_WORD = re.compile(r"[A-Za-z0-9]{2,60}")
_COMMON_WORDS = """
the and for with from into that this when not are was were has have had its our use used uses using can
now new it in on of to by as be is or an at if no do some other more minor various misc several general
add added adds fix fixed fixes fixing update updated updates improve improved improves improvement
change changed changes remove removed make makes made support allow bug bugs issue issues code feature
features stuff thing things work wip cleanup clean up tidy tweak polish address review comments feedback
feat chore refactor perf docs test tests build ci
"""
"""They say nothing about what changed; as they are, and stemmed."""
_COMMON = frozenset(_COMMON_WORDS.split())
_COMMON_STEMS = frozenset(map(stem, _COMMON)) | _COMMON
_ENOUGH = 0.5
"""The share of words from which two texts tell of the same change."""
_SOME = 0.3
"""The share below which nothing in the range bears an entry out."""


@dataclass(frozen=True, slots=True)
class ChangeFact:
    """One change of the range, with all that its commits say about it."""

    text: str
    category: str
    numbers: frozenset[str] = frozenset()
    """Pull requests and issues that its commits name, such as `12`."""
    commits: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    """Other ways to tell it: subjects of its commits, what breaks, what it updates."""
    told: bool = True
    """Whether a note is expected to have it: not plumbing, nor what is for developers alone."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Item by item the changes that it tells of (their places), and what nothing bears out."""

    facts: tuple[tuple[int, ...], ...]
    """One tuple an entry; empty where none was found."""
    invented: tuple[int, ...]
    """Places of the entries that no change of the range bears out."""


def content_words(text: str) -> frozenset[str]:
    """The stems of the words of a text that say what it is about; identifiers are cut into words."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text[:2000])
    found = (stem(word.lower()) for word in _WORD.findall(parts))
    return frozenset(word for word in found if word not in _COMMON_STEMS)


def match_items(items: Sequence[NoteItem], facts: Sequence[ChangeFact]) -> Matches:
    """Finds for each entry the changes that it tells of."""
    finder = _Finder(facts)
    found = [finder.find(item) for item in items]
    invented = tuple(at for at, item in enumerate(items) if not found[at] and not finder.bears_out(item))
    return Matches(tuple(found), invented)


class _Finder:
    def __init__(self, facts: Sequence[ChangeFact]) -> None:
        self._facts = facts
        self._by_number: dict[str, list[int]] = {}
        self._by_word: dict[str, list[int]] = {}
        self._texts: list[list[frozenset[str]]] = []
        counts: Counter[str] = Counter()
        for at, fact in enumerate(facts):
            for number in fact.numbers:
                self._by_number.setdefault(number, []).append(at)
            texts = [content_words(text) for text in dict.fromkeys((fact.text, *fact.said))]
            self._texts.append([words for words in texts if words])
            every = frozenset().union(*texts)
            counts.update(every)
            for word in every:
                self._by_word.setdefault(word, []).append(at)
        size = len(facts)
        self._weight = {word: math.log1p(size / count) for word, count in counts.items()}
        self._rare = math.log1p(size)

    def find(self, item: NoteItem) -> tuple[int, ...]:
        """The changes of its numbers or commits; without any the one whose words are nearest."""
        linked = {at for number in item.numbers for at in self._by_number.get(number, ())}
        if item.commits:
            linked |= {
                at
                for at, fact in enumerate(self._facts)
                if any(
                    sha.startswith(known) or known.startswith(sha)
                    for known in item.commits
                    for sha in fact.commits
                )
            }
        if linked:
            return tuple(sorted(linked))
        best, place = self._nearest(item)
        return (place,) if best >= _ENOUGH else ()

    def bears_out(self, item: NoteItem) -> bool:
        """Whether the words of a change are at least near to those of an entry."""
        return not content_words(item.text) or self._nearest(item)[0] >= _SOME

    def _nearest(self, item: NoteItem) -> tuple[float, int]:
        words = content_words(item.text)
        near = Counter(at for word in words for at in self._by_word.get(word, ()))
        best, place = 0.0, -1
        for at, _ in near.most_common(50):
            for text in self._texts[at]:
                share = self._share(words, text)
                if share > best:
                    best, place = share, at
        return best, place

    def _share(self, one: frozenset[str], other: frozenset[str]) -> float:
        common = self._sum(one & other)
        if not common:
            return 0.0
        # A sentence of a person says more than a subject, and a subject more than a heading; one word
        # that both have is not enough to be sure.
        least = min(self._sum(one), self._sum(other))
        both = self._sum(one) + self._sum(other)
        return min(common / least, 1.0) if len(one & other) > 1 else 2 * common / both

    def _sum(self, words: Iterable[str]) -> float:
        return sum(self._weight.get(word, self._rare) for word in words)
