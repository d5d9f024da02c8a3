"""Which words, phrases, versions and references of a message does the change echo, and how loudly?"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from gitnotes.grade.footprint import Footprint
from gitnotes.grade.lexicon import STOPWORDS, pieces, proof_weight, stem, stem_weight, words_of
from gitnotes.guard.patterns import late

_VERSION = late(r"(?<![\w.#/])(?<!\d-)v?(\d{1,9}(?:\.\d{1,9}){1,5})(?![\w/])")
_REFERENCE = late(r"(?:#|/pull/|/issues/|\bgh-)(\d{3,7})(?!\w)", re.I)
_PIN = late(r"@[0-9a-f]{40}(?![0-9a-f])")
_GENERAL = frozenset(["add", "creat", "new", "link", "lin", "build"])
"""Stems of kinds of change that say no more than their frequency does."""
_WHEN = frozenset(["in", "since", "on", "with", "under", "before", "until", "below", "than"])
_WHERE = _WHEN | {"for", "against", "of", "support"}
_JOINING = str.maketrans("", "", " _-.")
_MOST_PHRASES = 200


def read_echoes(
    subject: str,
    sentences: Sequence[str],
    subject_stems: Set[str],
    body_stems: Set[str],
    footprint: Footprint,
    *,
    trailers: str = "",
    sign: int = 1,
    foreign: bool = False,
) -> dict[str, float]:
    """The signals of a message that the change echoes or not, by name; each from 0 to 1.

    Amounts are sums of the weights of different stems, saturating; shares are of what is said. `sign`
    is -1 for a subject about what goes: a removal, or the quoted subject of a revert. Of a `foreign`
    language only what the change echoes is understood.
    """
    head, body = _sort(subject_stems, footprint), _sort(body_stems, footprint)
    if foreign:
        head, body = (part._replace(missing=min(part.missing, 0.6)) for part in (head, body))
    phrases, others = _find_phrases((subject,), footprint)
    body_phrases, body_others = _find_phrases(sentences, footprint)
    return {
        "share": head.found / (head.said + 0.25),
        "net": _saturate(head.net),
        "path": _saturate(head.path),
        "concept": _saturate(head.concept, 0.5),
        "related": _saturate(head.related, 0.5),
        "missing": _saturate(head.missing, 2),
        "missing_share": head.missing / (head.said + 0.25),
        # Where a change has hardly a word, those of the right message are missing as well.
        "missing_little": footprint.little * head.missing / (head.said + 0.25),
        # A reason tells of what no line shows; half of a body may do so for nothing.
        "body_missing_share": max(0.0, 2 * body.missing / (body.said + 0.5) - 1),
        "phrase_share": phrases / (phrases + others + 0.3),
        "body_phrase_share": body_phrases / (body_phrases + body_others + 1),
        "salient": _share_of_salient(subject_stems | body_stems, footprint),
        "reference": _find_references((subject, *sentences, trailers), footprint),
        **_compare_versions(subject, " ".join(sentences), footprint, sign),
    }


class _Sorted(NamedTuple):
    """Weights of the stems of a text by where the change has them."""

    net: float = 0.0
    """More on one side of the change than on the other."""
    same: float = 0.0
    path: float = 0.0
    near: float = 0.0
    concept: float = 0.0
    related: float = 0.0
    missing: float = 0.0

    @property
    def said(self) -> float:
        return sum(self)

    @property
    def found(self) -> float:
        return self.said - self.missing


def _sort(stems: Iterable[str], footprint: Footprint) -> _Sorted:
    net = same = path = near = concept = related = missing = 0.0
    for word in stems:
        weight = proof_weight(word)
        if word in footprint.concepts:
            concept += weight if word in _GENERAL else max(weight, 0.45)
        elif not weight:
            continue
        elif word in footprint.paths:
            path += weight
        elif word in footprint.added or word in footprint.removed:
            if footprint.added.get(word) == footprint.removed.get(word):
                same += weight
            else:
                net += weight
        elif word in footprint.nearby:
            near += weight
        elif word in footprint.related:
            related += weight
        else:
            missing += weight
    return _Sorted(net, same, path, near, concept, related, missing)


def _find_phrases(sentences: Sequence[str], footprint: Footprint) -> tuple[float, float]:
    """Weights of the pairs of neighbouring words that the changed lines hold as neighbours, and lack."""
    pairs: dict[tuple[str, str], float] = {}
    for sentence in sentences:
        words = [word.lower() for word in words_of(sentence)]
        for first, second in itertools.pairwise(words):
            if first in STOPWORDS or second in STOPWORDS:
                continue
            weight = (stem_weight(stem(first)) + stem_weight(stem(second))) / 2
            if weight > 0.1:
                pairs[first, second] = weight
        if len(pairs) >= _MOST_PHRASES:
            break
    joined = ""
    total = found = 0.0
    for (first, second), weight in itertools.islice(pairs.items(), _MOST_PHRASES):
        total += weight
        if _is_changed(first, footprint) and _is_changed(second, footprint):
            # The end of a stem is where inflections differ: "copies" and "copy".
            rest = stem(second)[: max(3, len(stem(second)) - 1)]
            # "sibling map", `sibling_map` and `siblingMap` are one without what joins words.
            joined = joined or "\n".join(footprint.changed).lower().translate(_JOINING)
            if first.replace("_", "") + rest in joined or stem(first) + rest in joined:
                found += weight
    return found, total - found


def _is_changed(word: str, footprint: Footprint) -> bool:
    whole = pieces(word)[:1]
    return bool(whole) and (whole[0] in footprint.added or whole[0] in footprint.removed)


def _share_of_salient(stems: Set[str], footprint: Footprint) -> float:
    """How much of the most telling stems of the changed lines the message has, 0 to 1."""
    total = sum(weight for _, weight in footprint.salient)
    return sum(weight for word, weight in footprint.salient if word in stems) / total if total else 0.0


def _find_references(texts: Iterable[str], footprint: Footprint) -> float:
    """1 when the change holds the number of an issue or pull request of the message, else 0."""
    texts = [text for text in texts if "#" in text or "gh-" in text or "/pull/" in text or "/issues/" in text]
    return float(any(not footprint.numbers.isdisjoint(_REFERENCE().findall(text)) for text in texts))


def _compare_versions(subject: str, body: str, footprint: Footprint, sign: int) -> dict[str, float]:
    """Versions of the subject and of the body that the change holds; the last one of the subject has
    to be where the change goes, and the first, when there are two, where it comes from. One that is
    named in passing ("deprecated in Python 3.11"), or a series ("1.26.x"), is neither."""
    found = list(_VERSION().finditer(subject)) if "." in subject else []
    passing = [match[1] for match in found if _is_passing(match)]
    named = [match[1] for match in found if not _is_passing(match)]
    named_later = _VERSION().findall(body) if "." in body else []
    if not found and not named_later:
        return {}
    new = _versions(footprint.numbers_added, footprint.names)
    old = _versions(footprint.numbers_removed, footprint.names)
    known = new | old
    if sign < 0:
        new, old = old, new
    # A version that is pinned by a commit id stands in no line.
    hidden = not known and any(_PIN().search(line) for line in footprint.changed)

    def is_lacking(version: str) -> bool:
        return not (_has(version, known) or hidden or any(version in line for line in footprint.around))

    right = wrong = 0
    if named:
        right += named[-1] in new - old
        wrong += bool(new - old) and not _has(named[-1], new)
    if len(named) > 1 and named[0] != named[-1]:
        right += named[0] in old - new
        wrong += bool(old - new) and not _has(named[0], old)
    return {
        # The lists may hold thousands of versions, of which a few tell all.
        "version_found": _saturate(sum(_has(version, known) for version in (named + passing)[:10])),
        "version_missing": _saturate(sum(map(is_lacking, named[:10]))),
        "version_passing": _saturate(sum(map(is_lacking, passing[:10]))),
        "version_right": right / 2,
        "version_wrong": wrong / 2,
        "body_version_found": _saturate(sum(_has(version, known) for version in named_later[:20])),
    }


def _is_passing(match: re.Match[str]) -> bool:
    """Whether a version of a subject tells of where and when, and not of what the change makes it."""
    if match.string[match.end() :][:2] in (".x", ".*"):
        return True
    before = match.string[max(0, match.start() - 60) : match.start()].lower().split()
    return before[-1:] != [] and (before[-1] in _WHEN or (before[-2:-1] != [] and before[-2] in _WHERE))


def _versions(numbers: Iterable[str], names: Set[str]) -> set[str]:
    """The versions among `numbers`; `py37` names one without the dot."""
    found = {number for number in numbers if "." in number}
    return found | {
        f"{number[0]}.{number[1:]}" for number in numbers if number.isdecimal() and f"py{number}" in names
    }


def _has(version: str, numbers: Iterable[str]) -> bool:
    """Whether `version`, or a longer or shorter form of it, is one of `numbers`."""
    return any(
        number == version or number.startswith(version + ".") or version.startswith(number + ".")
        for number in numbers
    )


def _saturate(amount: float, scale: float = 1.0) -> float:
    return 1 - math.exp(-amount / scale)
