"""What is a message worth on each dimension from 0 to 4, and overall from 0 to 100?

The formula, with the numbers of data/scale.json:

    overall = 25 * mean of the scored dimensions, by weight
              * gate(what) * gate(consistency)          gate(s) = min(1, floor + (1 - floor) * s / bar)

A message that says nothing about this change, or describes another one, cannot make up for it
by its form: that is what the gates are for. Length enters through saturating terms alone.
"""

from __future__ import annotations

import json
import math
from functools import lru_cache
from pathlib import Path
from typing import Any

from gitnotes import __version__
from gitnotes.grade import speech
from gitnotes.grade.consistency import score_consistency
from gitnotes.grade.evidence import Evidence, Text, read_text, weigh_text
from gitnotes.grade.explain import explain
from gitnotes.grade.footprint import read_footprint
from gitnotes.grade.lexicon import stems_of, total_weight, words_of
from gitnotes.grade.message import split_message
from gitnotes.grade.rules import DEFAULTS, FormSettings, check_parts, is_vague
from gitnotes.grade.why import Reasons, find_reasons, score_why
from gitnotes.guard.width import columns
from gitnotes.records import Change, Finding, Grade, Signature

_SCALE = Path(__file__).parent.parent / "data" / "scale.json"
_NO_FORM = frozenset({"instruction-text", "vague", "empty", "rules-disabled"})
"""Rules that the other dimensions weigh already, or that change no score."""

_REPAIRS = frozenset(["fix", "fixes", "fixed", "fixing", "bugfix", "resolve", "resolves", "resolved"])


def grade_message(
    message: str,
    change: Change | None,
    *,
    settings: FormSettings = DEFAULTS,
    conventional: bool = False,
    merge: bool = False,
    author: str = "",
) -> Grade:
    """The grade of `message`, as git stores it, for `change`; None grades the text alone.

    `merge` says that the commit has several parents: then git wrote the subject, form is not
    scored, and a merge without a text of its own is unscored altogether. `author`, "Name <email>",
    tells bots, whose form is not scored either. Dimensions that cannot be assessed are None, with
    the reason in `unscored`, and leave the mean. Needs no model and no reference.
    """
    parents = 2 if merge else None
    original = split_message(message, parents=parents, author=author)
    findings = list(check_parts(original, settings=settings, conventional=conventional))
    text = read_text(message, parents=parents, author=author)
    signature = Signature(
        "grade", __version__, {"scale": "hand-1", "conventional": "yes" if conventional else "no"}
    )
    if not text.message.subject:
        reason = "the message is empty" if not original.subject else "all of the message speaks to a grader"
        zero: dict[str, float | None] = {
            "what": 0.0,
            "why": 0.0,
            "consistency": None,
            "form": 0.0,
            "conciseness": 0.0,
        }
        return Grade(0.0, zero, tuple(findings), signature, unscored={"consistency": reason})
    if original.kind == "fixup":
        return _leave_unscored("will be squashed", findings, signature)
    if original.kind == "merge" and not text.sentences:
        reason = "a merge is not graded: its changes are those of the commits that it brings"
        return _leave_unscored(reason, findings, signature)
    evidence = weigh_text(text, None if change is None else read_footprint(change))
    reasons = find_reasons(text.subject, list(text.sentences), text.trailers, evidence.anchors or None)
    if text.foreign and evidence.found + 0.5 * evidence.body_found < 0.25:
        # Its words were never compared with anything; a low score would blame the language.
        findings.append(
            Finding("language", "info", "The language of the message is not one that is compared.",
                    "Name the parts of the change as the code does to have it graded.")
        )  # fmt: skip
        return _leave_unscored("the language of the message is not compared", findings, signature)
    named = evidence.found >= 0.75 and evidence.where_only is False
    vague = is_vague(text.subject) and not named and original.kind != "revert"
    if named:
        # The shortest of names says nothing without the change, and all with it.
        findings = [item for item in findings if item.rule not in ("vague", "too-short")]
    if evidence.opposites or evidence.kind_wrong or evidence.where_only:
        reasons = reasons._replace(evident=0.0)
    elif evidence.docs_only and not vague and reasons.cause == reasons.fault == 0:
        # A better text is a reason by itself.
        reasons = reasons._replace(evident=0.5)
    counted = (
        findings
        if not text.dropped
        else check_parts(text.message, settings=settings, conventional=conventional)
    )
    consistency = score_consistency(text, evidence) if evidence.assessable else None
    # The reason for another change is none for this one.
    trust = 1.0 if consistency is None else min(1.0, 0.2 + 0.35 * consistency)
    scores: dict[str, float | None] = {
        "what": _score_what(text, evidence, vague),
        "why": score_why(reasons) * trust * (0.3 if vague and not _is_told(text, evidence) else 1.0),
        "consistency": consistency,
        "form": _score_form(counted) if original.kind in ("plain", "revert") else None,
        "conciseness": _score_conciseness(text, vague, evidence.where_only and not _is_told(text, evidence)),
    }
    unscored = {} if evidence.assessable else {"consistency": evidence.reason}
    if scores["form"] is None:
        owner = "its program" if original.kind == "bot" else "git"
        unscored["form"] = f"the form of a {original.kind} is {owner}'s own"
    overall = _combine(scores)
    findings += explain(text, evidence, scores, vague=vague, elsewhere=reasons.elsewhere)
    rounded = {name: None if score is None else round(score, 2) for name, score in scores.items()}
    return Grade(
        overall=round(overall, 1),
        scores=rounded,
        findings=tuple(findings),
        signature=signature,
        parts=_parts(evidence, reasons, text),
        unscored=unscored,
    )


def _leave_unscored(reason: str, findings: list[Finding], signature: Signature) -> Grade:
    names = ("what", "why", "consistency", "form", "conciseness")
    unscored = dict.fromkeys(("overall", *names), reason)
    return Grade(None, dict.fromkeys(names), tuple(findings), signature, unscored=unscored)


def _score_what(text: Text, evidence: Evidence, vague: bool) -> float:
    if text.message.kind == "revert":
        # Git's own words say which commit is undone, whatever its subject was worth.
        return max(2.4 if text.undone_named else 1.2, _weigh_subject(text, evidence, acts=True))
    if vague:
        # The body may still say it; a person who reads the subjects alone never learns of it.
        return max(0.1, min(1.2, 0.25 * evidence.body_found))
    if evidence.where_only:
        return 1.05 + min(1.2, 0.25 * evidence.body_found)
    return _weigh_subject(text, evidence, acts=speech.opens_with_verb(words_of(text.subject)[:2]))


def _is_told(text: Text, evidence: Evidence) -> bool:
    """Whether the body says more about the change; words that have nothing to do with it do not."""
    return evidence.body_found >= 0.4 if evidence.assessable else bool(text.sentences)


def _weigh_subject(text: Text, evidence: Evidence, *, acts: bool) -> float:
    informed = 1 - math.exp(-evidence.said / 1.0)
    if evidence.assessable:
        backed = 1 - math.exp(-(evidence.found + 0.35 * min(evidence.body_found, 3.0)) / 0.9)
        # Of another language only what the change bears out is understood.
        value = backed if text.foreign else 0.45 * informed + 0.55 * backed
        value *= 1 - 0.25 * evidence.unsaid
    else:
        value = informed
    first = words_of(text.subject)[:1]
    if first and first[0].lower() in _REPAIRS and not _is_told(text, evidence):
        # What was wrong is named, what was done about it is not.
        value *= 0.9
    # Words of the change in a row are no statement about it.
    if evidence.found > 0.8 * evidence.said and speech.is_pile(text.subject):
        value *= 0.4
    elif speech.is_fragment(text.subject) and not _is_told(text, evidence):
        value *= 0.75
    if evidence.opposites:
        value *= 0.4
    elif evidence.reversed:
        value *= 0.75
    elif evidence.kind_wrong and evidence.kind_sure:
        value *= 0.6
    return 4 * value * (1.0 if acts else 0.9)


def _score_form(findings: tuple[Finding, ...] | list[Finding]) -> float:
    penalties: dict[str, float] = _scale()["penalties"]
    return max(0.0, 4.0 - sum(penalties[item.severity] for item in findings if item.rule not in _NO_FORM))


def _score_conciseness(text: Text, vague: bool, where_only: bool) -> float:
    """4, less what is repeated, praised or filler; saying nothing in few words is not concise."""
    words = words_of(" ".join([text.subject, *text.sentences]))
    score = 4.0
    score -= min(2.0, 0.7 * text.repeated)
    score -= min(1.5, 0.7 * (text.praise + len(text.claims)))
    hollow = sum(1 for sentence in text.sentences if total_weight(stems_of(sentence, 4)) < 0.8)
    score -= min(1.5, 0.5 * hollow)
    # Beyond some 150 words a reader looks for the point.
    score -= min(1.0, max(0, len(words) - 150) / 250)
    score -= min(1.0, max(0, columns(text.message.subject) - 72) / 60)
    repeated_words = len(text.subject.split()) - len({word.lower() for word in text.subject.split()})
    score -= min(1.5, 0.3 * max(0, repeated_words - 1))
    return max(0.0, min(score, 2.0 if vague or where_only else 4.0))


def _combine(scores: dict[str, float | None]) -> float:
    scale = _scale()
    weights: dict[str, float] = scale["weights"]
    total = sum(weights[name] for name, score in scores.items() if score is not None)
    mean = sum(weights[name] * score for name, score in scores.items() if score is not None) / total
    for name, (floor, bar) in scale["gates"].items():
        score = scores[name]
        if score is not None:
            mean *= min(1.0, floor + (1 - floor) * score / bar)
    return 25 * mean


def _parts(evidence: Evidence, reasons: Reasons, text: Text) -> dict[str, float]:
    parts = {
        "said": evidence.said,
        "found": evidence.found,
        "body_found": evidence.body_found,
        "names_found": float(len(evidence.names_found)),
        "names_missing": float(len(evidence.names_missing)),
        "direction": evidence.direction,
        "opposites": float(len(evidence.opposites) + len(evidence.body_opposites)),
        "unsaid": evidence.unsaid,
        "claims": float(len(evidence.claims)),
        "cause": reasons.cause,
        "before": reasons.before,
        "fault": reasons.fault,
        "reference": reasons.reference,
        "context": reasons.context,
        "evident": reasons.evident,
        "repeated": float(text.repeated),
        "not_counted_lines": float(len(text.dropped)),
    }
    return {name: round(value, 3) for name, value in parts.items() if value}


@lru_cache(maxsize=1)
def _scale() -> dict[str, Any]:
    scale: dict[str, Any] = json.loads(_SCALE.read_text(encoding="utf-8"))
    return scale
