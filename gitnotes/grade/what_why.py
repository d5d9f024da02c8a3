"""Does a message say what was changed and why, and does the change bear it out?

Four fitted heads answer. `what` and `why` read the message; where there is a change, `told`, fitted on
ratings of how much of a change its message tells, takes the place of `what`, and `reason`, fitted also
on ratings of how far a message tells the reason of a change, that of `why`. What speaks against
the message takes its part of the score away, whatever the heads say.
"""

from __future__ import annotations

import math

from gitnotes.grade import speech
from gitnotes.grade.case import Case
from gitnotes.grade.fitted import Scale
from gitnotes.grade.shares import Moves, move_by_head
from gitnotes.grade.why import Reasons

_RELEASED = 2.6
"""What a version says that the change brings: all there is to a release, and no more."""

_RELEASE_REASON = 1.2
"""A version is released for what it brings; nobody asks why."""
_KIND = 0.7
"""The part of a word's weight that is lost where it names no more than a kind: every third commit is one."""
_BORNE_OUT = 1.6
"""The consistency from which on the reason counts in full."""
_NOT_TOLD = {"hint": 3.4, "pointer": 3.0, "evident": 2.8, "nothing": 2.2}
"""About the most of `why` where no word gives a reason: one may hint at what was wrong, a number says where
a reason may stand, upkeep needs none, and of the rest the fit guesses from words that often come with one."""


def _name_lack(reasons: Reasons) -> str:
    if reasons.fault:
        return "hint"
    return "pointer" if reasons.refers else "evident" if reasons.evident else "nothing"


def score_what(case: Case, scale: Scale) -> Moves:
    """0 to 4, and what moved it."""
    text, evidence = case.text, case.evidence
    if text.foreign:
        # Of another language only what the change bears out is understood.
        backed = 1 - math.exp(-(evidence.found + 0.35 * min(evidence.body_found, 3.0)) / 0.9)
        return Moves(scale.typical["what"], {}).then("found", 4 * backed)
    moves = move_by_head(scale.heads["told" if evidence.assessable else "what"], case, scale)
    # Words of the change in a row are no statement about it.
    if evidence.found > 0.8 * evidence.said and speech.is_pile(text.subject):
        moves = moves.times("pile", 0.4)
    if evidence.opposites:
        moves = moves.times("opposites", 0.4)
    elif evidence.reversed:
        moves = moves.times("reversed", 0.75)
    elif evidence.kind_wrong and evidence.kind_sure:
        moves = moves.times("kind_wrong", 0.5)
    if evidence.assessable:
        # Whatever is said well of another change says little of this one, and so does a kind of change.
        backed = evidence.found - _KIND * evidence.kind_found + 0.35 * min(evidence.body_found, 3.0)
        most = 1.6 + 4.0 * (1 - math.exp(-backed / 0.9))
        if moves.score > most:
            moves = moves.then("not_found", most)
    if case.releases:
        # A version is the whole of what a release does; what came with it stands in its history.
        moves = moves.then("release", max(_RELEASED, moves.score))
    if text.message.kind == "revert":
        # Git's own words say which commit is undone, whatever its subject was worth.
        return moves.then("revert", max(2.4 if text.undone_named else 1.2, moves.score))
    if case.vague:
        # The body may still say it; a person who reads the subjects alone never learns of it.
        told = 0.25 * evidence.body_found if evidence.assessable else 1.2 * case.is_told
        return moves.then("vague", min(moves.score, max(0.05, min(1.2, told))))
    if evidence.where_only:
        return moves.then("where_only", 1.05 + min(1.2, 0.25 * evidence.body_found))
    return moves


def score_why(case: Case, consistency: float | None, scale: Scale) -> Moves:
    """0 to 4, and what moved it; `consistency` is None when the change is not known."""
    evidence = case.evidence
    moves = move_by_head(scale.heads["reason" if evidence.assessable else "why"], case, scale)
    if not case.reasons.are_told:
        kind = _name_lack(case.reasons)
        # A limit that keeps the order of what it holds down.
        moves = moves.then(kind, _NOT_TOLD[kind] * math.tanh(moves.score / _NOT_TOLD[kind]))
    if case.releases:
        moves = moves.then("release", max(_RELEASE_REASON, moves.score))
    if consistency is not None:
        # The reason for another change is none for this one.
        moves = moves.times("consistency", min(1.0, consistency / _BORNE_OUT))
    if evidence.opposites or (evidence.kind_wrong and evidence.kind_sure):
        moves = moves.times("opposites" if evidence.opposites else "kind_wrong", 0.25)
    if evidence.where_only and not case.is_told:
        moves = moves.times("where_only", 0.2)
    elif case.vague and not (case.is_told or case.reasons.refers):
        moves = moves.times("vague", 0.1)
    return moves
