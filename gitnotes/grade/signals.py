"""Which signals does a message give a grader, each by a name and from 0 to 1?

The fitted part of the grade, `data/scale.json`, weighs these and the stems of plain words. Whatever
grows with the length of a text saturates; sentences that have nothing to do with the subject or
the change, and what stands there twice, give no signal.
"""

from __future__ import annotations

import itertools
import math
from functools import cache, lru_cache
from pathlib import Path

from gitnotes.grade import speech
from gitnotes.grade.claims import ADDING, REMOVING
from gitnotes.grade.evidence import Evidence, Text
from gitnotes.grade.lexicon import STOPWORDS, stem, words_of
from gitnotes.grade.why import Reasons
from gitnotes.guard.patterns import late
from gitnotes.messages import tickets
from gitnotes.verbs import imperative_of, is_verb

_WORDS = Path(__file__).parent.parent / "data" / "signal_words.txt"
_VERSION = late(r"\d\.\d")
_CONDITIONS = frozenset(["for", "when", "if", "where", "while"])
_PLACES = frozenset(["in", "into", "from", "of", "with", "on", "by", "via", "using"])
_MODALS = frozenset(
    ["should", "must", "would", "could", "need", "needs", "needed", "can", "cannot", "will", "now"]
)
_DENIALS = frozenset(
    ["not", "no", "never", "without", "don", "doesn", "didn", "isn", "aren", "wasn", "won", "couldn"]
)
_MOST_WORDS = 400
"""Words of the body that are looked at."""


def read_signals(text: Text, evidence: Evidence, reasons: Reasons, *, vague: bool) -> dict[str, float]:
    """The signals of a message, by name; each between -1 and 1, and most of them 0 or 1.

    Those of the change (`found` to `where_only`) are 0 when the evidence is not assessable.
    """
    words = words_of(text.subject)
    lowered = [word.lower() for word in words]
    plain = set(lowered) - {text.message.prefix}
    body = _body_words(reasons)
    first = (imperative_of(words[0], "the") or words[0]).lower() if words else ""
    signals = {
        # What the first words do.
        "verb": float(speech.opens_with_verb(words[:2])),
        "imperative": float(bool(words) and is_verb(words[0])),
        "past": float(bool(words) and lowered[0].endswith("ed")),
        "repair": float(first.startswith(("fix", "bugfix")) or "fix" in text.message.subject.lower()),
        "prefix": float(bool(text.message.prefix)),
        # How much is said.
        "said": _saturate(evidence.said, 1.5),
        "said_at_all": _saturate(evidence.said, 0.6),
        "length": _saturate(len(plain), 6),
        "short": float(len(plain) <= 3),
        "vague": float(vague),
        "fragment": float(speech.is_fragment(text.subject)),
        "pile": float(speech.is_pile(text.subject)),
        # The grammar of the subject.
        "purpose": float("to" in lowered and _has_purpose(lowered)),
        "condition": float(not _CONDITIONS.isdisjoint(plain)),
        "place": float(not _PLACES.isdisjoint(plain)),
        "modal": float(not _MODALS.isdisjoint(plain)),
        "denial": float(not _DENIALS.isdisjoint(plain)),
        "joined": float("and" in plain),
        "full_stop": float(text.message.subject.endswith(".")),
        "parenthesis": float("(" in text.subject),
        "identifier": float(_names_code(text.subject, words)),
        "version": float(names_version(text.message.subject)),
        # The reasons, in the sense of `why.py`.
        "cause": reasons.cause,
        "before": reasons.before,
        "fault": reasons.fault,
        "context": reasons.context,
        "evident": reasons.evident,
        "reference": reasons.reference,
        "closes": float(reasons.closes),
        "ticket": float(reasons.ticket or bool(tickets(text.message.subject))),
        "link": float(reasons.link),
        # The body.
        "body": _saturate(len({word.lower() for word in body}), 15),
        "sentences": _saturate(len(reasons.told), 2),
        "body_identifier": float(any(_names_code(sentence, words_of(sentence)) for sentence in reasons.told)),
        "trailers": float(bool(text.trailers)),
    }
    subject_stems = {stem(word) for word in words_of(text.message.subject)}
    body_stems = {stem(word) for word in body}
    for in_subject, in_body, stems in _classes():
        signals[in_subject] = float(not stems.isdisjoint(subject_stems))
        signals[in_body] = float(not stems.isdisjoint(body_stems))
    if evidence.assessable:
        signals.update(
            found=_saturate(evidence.found, 1.0),
            share=evidence.share,
            body_found=_saturate(evidence.body_found, 2.0),
            names_found=_saturate(len(evidence.names_found), 1.0),
            names_missing=_saturate(len(evidence.names_missing), 1.0),
            direction=evidence.direction,
            reversed=float(evidence.reversed),
            kind_wrong=float(bool(evidence.kind_wrong)),
            unsaid=evidence.unsaid,
            where_only=float(evidence.where_only),
        )
    return signals


def read_stems(text: Text, reasons: Reasons) -> frozenset[str]:
    """The stems of the plain words of a message: those of its subject and of the sentences that count.

    Identifiers are left out, and so are verbs that say whether something comes or goes: only the
    change can tell whether they are right.
    """
    words = [*words_of(text.message.subject), *_body_words(reasons)]
    stems = {stem(word) for word in words if 2 <= len(word) <= 20 and not _is_identifier(word)}
    return frozenset(stems - _turning())


def names_version(subject: str) -> bool:
    """Whether a number such as 1.2 stands in `subject`."""
    return _VERSION().search(subject) is not None


def _body_words(reasons: Reasons) -> list[str]:
    return words_of(" ".join(reasons.told))[:_MOST_WORDS]


def _has_purpose(words: list[str]) -> bool:
    return any(first == "to" and is_verb(second) for first, second in itertools.pairwise(words))


def _saturate(amount: float, scale: float) -> float:
    return 1 - math.exp(-amount / scale)


def _names_code(text: str, words: list[str]) -> bool:
    return "`" in text or "()" in text or any(map(_is_identifier, words))


@lru_cache(maxsize=16384)
def _is_identifier(word: str) -> bool:
    if "_" in word or any(letter.isdigit() for letter in word):
        return True
    return word[1:] != word[1:].lower() and not word.isupper()


@cache
def _classes() -> list[tuple[str, str, frozenset[str]]]:
    """The two signals of each class of words, of the subject and of the body, and the stems in it."""
    classes: list[tuple[str, str, frozenset[str]]] = []
    for line in _WORDS.read_text(encoding="utf-8").splitlines():
        name, colon, words = line.partition(": ")
        if colon and not line.startswith("#"):
            classes.append((f"subject_{name}", f"body_{name}", frozenset(map(stem, words.split()))))
    return classes


@cache
def _turning() -> frozenset[str]:
    return frozenset(stem(verb) for verb in ADDING | REMOVING) - STOPWORDS
