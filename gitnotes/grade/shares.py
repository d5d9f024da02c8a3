"""Which signals moved a grade away from that of a typical message, and by how many points?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from gitnotes.grade.case import Case
from gitnotes.grade.fitted import Head, Scale, probability

REFERENCES = ("reference", "closes", "ticket", "link")
"""The signals that a pointer to a reason gives, rather than a reason."""
_LEAST = 0.05
"""Points of the overall grade below which a share is not worth a line."""


class Moves(NamedTuple):
    """The score of a dimension and what moved it: `score` is the typical score and the sum of `by`."""

    score: float
    by: Mapping[str, float]

    @property
    def typical(self) -> float:
        """The score of a typical message."""
        return self.score - sum(self.by.values())

    def then(self, name: str, score: float) -> Moves:
        """The same with another score, on account of `name`."""
        return Moves(score, {**self.by, name: self.by.get(name, 0.0) + score - self.score})

    def times(self, name: str, factor: float) -> Moves:
        """The same with the score multiplied, on account of `name`."""
        return self if factor == 1.0 else self.then(name, self.score * factor)


def move_by_head(head: Head, case: Case, scale: Scale) -> Moves:
    """4 times the probability that `head` gives a case, and what moved it.

    The step from the typical probability to this one is shared among the signals in proportion to
    what each adds to the log-odds, so that the shares add up to it. References count for so much
    and no more, however many stand there: `scale.most_reference` log-odds.
    """
    parts = head.parts(case.signals, case.stems)
    referred = sum(head.signals.get(name, 0.0) * case.signals[name] for name in REFERENCES)
    if referred > scale.most_reference:
        parts["reference"] = parts.get("reference", 0.0) + scale.most_reference - referred
    start, step = head.typical, sum(parts.values())
    score = 4 * probability(start + step)
    if abs(step) < 1e-9:
        slope = 4 * probability(start) * (1 - probability(start))
    else:
        slope = (score - 4 * probability(start)) / step
    return Moves(score, {name: slope * part for name, part in parts.items() if part})


def combine(scores: Mapping[str, float | None], scale: Scale) -> float:
    """The overall grade, 0 to 100; scale.py gives the formula."""
    return _combine_terms({name: _term(name, score, scale) for name, score in scores.items()}, scores, scale)


def _term(name: str, score: float | None, scale: Scale) -> float | None:
    """What a dimension adds to the logarithm of the mean."""
    if score is None:
        return None
    return scale.weights[name] * math.log(scale.floor + (1 - scale.floor) * score / 4)


def _combine_terms(
    terms: Mapping[str, float | None], scores: Mapping[str, float | None], scale: Scale
) -> float:
    logs = total = 0.0
    for name, term in terms.items():
        if term is not None:
            logs += term
            total += scale.weights[name]
    value = 100 * math.exp(logs / total)
    for name, (low, bar) in scale.gates.items():
        gating = scores[name]
        if gating is not None and gating < bar:
            value *= low + (1 - low) * gating / bar
    # What nothing was compared with may be as untrue as it is well written.
    return value * scale.unseen if scores["consistency"] is None else value


def share_points(
    moved: Mapping[str, Moves], scores: Mapping[str, float | None], scale: Scale
) -> dict[str, float]:
    """Points of the overall grade by `dimension.signal`, or by dimension where it has no signals.

    They add up to the difference from a typical message, but for those too small to name. The
    dimensions are moved one after the other, in the order of `scores`.
    """
    shares: dict[str, float] = {}
    now = {
        name: None if score is None else moved[name].typical if name in moved else scale.typical[name]
        for name, score in scores.items()
    }
    terms = {name: _term(name, score, scale) for name, score in now.items()}
    points = _combine_terms(terms, now, scale)
    for name, score in scores.items():
        now[name], terms[name] = score, _term(name, score, scale)
        before, points = points, _combine_terms(terms, now, scale)
        gain = points - before
        by = moved[name].by if name in moved else {}
        total = sum(by.values())
        if abs(total) < 1e-6:
            if abs(gain) >= _LEAST:
                shares[name] = round(gain, 2)
            continue
        for signal, amount in by.items():
            value = gain * amount / total
            if not -_LEAST < value < _LEAST:
                shares[f"{name}.{signal}"] = round(value, 2)
    return shares


def confidence_features(what: float, why: float, case: Case) -> tuple[float, ...]:
    """What `rate_confidence` weighs: the product of the two scores around its middle, how much the
    message says, whether there was a change to compare with, and how they act together."""
    centred = what * why / 8 - 1
    said, known = case.signals["said"], float(case.evidence.assessable)
    return (1.0, centred, said, known, centred * said, centred * known)


def rate_confidence(what: float, why: float, case: Case, scale: Scale) -> float:
    """The estimated probability that people would put the message on the same side of good, .5 to 1.

    Good is to say both what and why. The logistic function of `confidence_features` was fitted on
    messages of projects that the heads had not seen; its distance from .5 is the confidence.
    """
    features = confidence_features(what, why, case)
    good = probability(sum(a * b for a, b in zip(scale.confidence, features, strict=True)))
    return max(good, 1 - good)
