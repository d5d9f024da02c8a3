"""How far does a change bear out its message, and how little speaks against it, from 0 to 4?

    consistency = 4 * p         p = 1 / (1 + exp(-(intercept + sum of coefficient * signal)))

p estimates how likely the message is that of the change rather than of another change of the same
repository. The numbers are those of data/consistency.json, fitted without any rating: own messages
against those of other commits, and against copies with a wrong name or the opposite verb
(`python -m bench.grading.fit_consistency`). What is contradicted outright has a ceiling.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from gitnotes.grade import speech
from gitnotes.grade.evidence import Evidence, Text

_FITTED = Path(__file__).parent.parent / "data" / "consistency.json"
_CONTRADICTED, _OTHER_KIND, _NO_STATEMENT = 1.0, 1.4, 3.0
_BACKGROUND = 0.15
"""The most that names of the body alone may count: who explains more names more, and is not less right."""
_DOUBT = 0.4
"""How far the lines may speak against a verb before it counts: one that is right may take lines away."""
_PRIOR = 4.0
"""Odds before anything is read: people write about their change, while half of the pairs that were
fitted on were wrong."""
FOR = (
    "share", "net", "path", "concept", "related", "missing_little", "phrase_share", "body_phrase_share",
    "salient", "reference", "version_found", "version_right", "body_version_found", "names", "scope",
    "agrees",
)  # fmt: skip
"""The signals that may count for a message, and never against it."""
AGAINST = (
    "missing", "missing_share", "body_missing_share", "version_missing", "version_passing", "version_wrong",
    "names_missing", "background", "unsaid", "kind_wrong", "scope_missing", "disagrees", "reversed",
    "opposite",
)  # fmt: skip
"""Those that may only count against it."""


class Fit(NamedTuple):
    """The numbers of data/consistency.json."""

    intercept: float
    coefficients: Mapping[str, float]


def score_consistency(text: Text, evidence: Evidence, fit: Fit | None = None) -> float:
    """How far the change bears out the message and nothing speaks against it, 0 to 4.

    `evidence` must be assessable. `fit` is the shipped one unless another is given.
    """
    fit = fit or load_fit()
    signals = read_signals(text, evidence)
    odds = fit.intercept + math.log(_PRIOR)
    odds += sum(fit.coefficients.get(name, 0.0) * value for name, value in signals.items())
    score = 4 / (1 + math.exp(-max(-50.0, min(50.0, odds))))
    # No commit of the past claims what it cannot show often enough to learn the price of it.
    score -= min(1.0, 0.6 * len(evidence.claims)) + min(0.8, 0.4 * len(evidence.body_opposites))
    if evidence.opposites:
        score = min(score, _CONTRADICTED)
    elif evidence.kind_wrong and evidence.kind_sure:
        score = min(score, _OTHER_KIND)
    elif speech.is_pile(text.subject):
        # Words of the change in a row say nothing that could be true.
        score = min(score, _NO_STATEMENT)
    return max(0.0, score)


def read_signals(text: Text, evidence: Evidence) -> dict[str, float]:
    """The signals for and against, by name; each from 0 to 1. `text` is what `evidence` is for."""
    found = sum(not name[0].isdigit() for name in evidence.names_found)
    missing = sum(not name[0].isdigit() for name in evidence.names_missing)
    lacking = evidence.background / (evidence.background + evidence.body_names + 1)
    return {
        **evidence.echoes,
        "names": _saturate(found),
        # Who names a part of the change right is the less likely to be wrong about it.
        "names_missing": _saturate(missing) * missing / (missing + 0.5 * found) if missing else 0.0,
        # A message that is about this change may name others; one that is not has nothing else.
        "background": min(_BACKGROUND, lacking * (1 - evidence.echoes["share"])),
        "unsaid": evidence.unsaid,
        "kind_wrong": float(bool(evidence.kind_wrong)),
        "scope": float(evidence.scope_found is True),
        "scope_missing": float(evidence.scope_found is False),
        "agrees": max(evidence.direction, 0.0),
        "disagrees": max(-evidence.direction - _DOUBT, 0.0) / (1 - _DOUBT),
        "reversed": float(evidence.reversed),
        "opposite": float(bool(evidence.opposites)),
    }


def _saturate(count: int) -> float:
    return 1 - math.exp(-count)


@lru_cache(maxsize=1)
def load_fit() -> Fit:
    """The shipped numbers; read once."""
    content = json.loads(_FITTED.read_text(encoding="utf-8"))
    return Fit(float(content["intercept"]), content["coefficients"])
