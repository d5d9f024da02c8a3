"""How far does a change bear out its message, and how little speaks against it, from 0 to 4?"""

from __future__ import annotations

import math

from gitnotes.grade.evidence import Evidence, Text


def score_consistency(text: Text, evidence: Evidence) -> float:
    """How far the change bears out the message and nothing speaks against it, 0 to 4.

    `evidence` must be assessable.
    """
    # 0.25 stands for the doubt that a subject of one common word leaves. Words that are not in the
    # change prove nothing by themselves: the floor is above a contradiction.
    said = min(evidence.said, evidence.found + 0.6) if text.foreign else evidence.said
    share = evidence.found / (said + 0.25)
    body = 1 - math.exp(-evidence.body_found / 2.0)
    score = 0.9 + 2.6 * min(1.0, share / 0.75) + 0.5 * body
    score += min(0.4, 0.2 * len(evidence.names_found))
    if evidence.names_missing:
        lacking = len(evidence.names_missing) / (len(evidence.names_missing) + len(evidence.names_found))
        score -= 1.2 * lacking
    if evidence.background:
        # A message that is about this change may name others; one that is not has nothing else.
        lacking = evidence.background / (evidence.background + evidence.body_names)
        score -= 1.0 * lacking * max(0.0, 1 - share / 0.6)
    if evidence.reversed:
        # A program may add lines to remove something; it cannot remove lines to add something.
        score -= 1.5 if evidence.saying > 0 else 1.0
    score += 0.4 * min(evidence.direction, 0.0) + 0.15 * max(evidence.direction, 0.0)
    if evidence.kind_wrong:
        score -= 0.8
    if evidence.scope_found is False:
        score -= 0.5
    elif evidence.scope_found:
        score += 0.3
    score -= min(1.0, 0.6 * len(evidence.claims))
    score -= min(0.8, 0.4 * len(evidence.body_opposites))
    if score > 3.0:
        # Nothing is ever quite certain: the last point is approached, not reached.
        score = 3.0 + (1 - math.exp(3.0 - score))
    if evidence.opposites:
        score = min(score, 1.0)
    elif evidence.kind_wrong and evidence.kind_sure:
        score = min(score, 1.4)
    return max(0.0, score)
