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
from gitnotes.grade.evidence import Evidence, Text, read_text, weigh_text
from gitnotes.grade.footprint import read_footprint
from gitnotes.grade.lexicon import IDENTIFIER, stems_of, total_weight
from gitnotes.grade.message import split_message
from gitnotes.grade.rules import DEFAULTS, FormSettings, check_parts, is_vague
from gitnotes.grade.why import Reasons, find_reasons, score_why
from gitnotes.guard.text import show
from gitnotes.guard.width import columns
from gitnotes.records import Change, Finding, Grade, Signature
from gitnotes.verbs import imperative_of, is_verb

_SCALE = Path(__file__).parent.parent / "data" / "scale.json"
_NO_FORM = frozenset({"instruction-text", "vague", "empty"})
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
    if original.kind == "merge" and not text.sentences:
        reason = "git wrote the message of this merge"
        names = ("what", "why", "consistency", "form", "conciseness")
        return Grade(None, dict.fromkeys(names), tuple(findings), signature,
                     unscored=dict.fromkeys(("overall", *names), reason))  # fmt: skip
    evidence = weigh_text(text, None if change is None else read_footprint(change))
    reasons = find_reasons(text.subject, list(text.sentences), text.trailers, evidence.anchors or None)
    vague = is_vague(text.subject)
    counted = (
        findings
        if not text.dropped
        else check_parts(text.message, settings=settings, conventional=conventional)
    )
    scores: dict[str, float | None] = {
        "what": _score_what(text, evidence, vague),
        "why": score_why(reasons) * (0.3 if vague and not text.sentences else 1.0),
        "consistency": _score_consistency(evidence) if evidence.assessable else None,
        "form": _score_form(counted) if original.kind in ("plain", "fixup") else None,
        "conciseness": _score_conciseness(text, vague),
    }
    unscored = {} if evidence.assessable else {"consistency": evidence.reason}
    if scores["form"] is None:
        owner = "its program" if original.kind == "bot" else "git"
        unscored["form"] = f"the form of a {original.kind} is {owner}'s own"
    overall = _combine(scores)
    if original.kind == "fixup":
        overall = min(overall, 30.0)
    findings += _explain(text, evidence, scores, vague)
    rounded = {name: None if score is None else round(score, 2) for name, score in scores.items()}
    return Grade(
        overall=round(overall, 1),
        scores=rounded,
        findings=tuple(findings),
        signature=signature,
        parts=_parts(evidence, reasons, text),
        unscored=unscored,
    )


def _score_what(text: Text, evidence: Evidence, vague: bool) -> float:
    if vague:
        # The body may still say it; a person who reads the subjects alone never learns of it.
        return min(1.2, 0.25 * evidence.body_found) if text.sentences else 0.1
    informed = 1 - math.exp(-evidence.said / 1.0)
    first = IDENTIFIER.findall(text.subject)[:2]
    acts = bool(first) and (is_verb(first[0]) or imperative_of(first[0], "the") is not None)
    if evidence.assessable:
        backed = 1 - math.exp(-(evidence.found + 0.35 * min(evidence.body_found, 3.0)) / 0.9)
        value = 0.45 * informed + 0.55 * backed
        value *= 1 - 0.25 * evidence.unsaid
    else:
        value = informed
    if first and first[0].lower() in _REPAIRS and not text.sentences:
        # What was wrong is named, what was done about it is not.
        value *= 0.9
    return 4 * value * (1.0 if acts else 0.9)


def _score_consistency(evidence: Evidence) -> float:
    # 0.25 stands for the doubt that a subject of one common word leaves. Words that are not in the
    # change prove nothing by themselves: the floor is above a contradiction.
    share = evidence.found / (evidence.said + 0.25)
    body = 1 - math.exp(-evidence.body_found / 2.0)
    score = 0.9 + 2.6 * min(1.0, share / 0.75) + 0.5 * body
    score += min(0.4, 0.2 * len(evidence.names_found))
    if evidence.names_missing:
        lacking = len(evidence.names_missing) / (len(evidence.names_missing) + len(evidence.names_found))
        score -= 1.2 * lacking
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
    if score > 3.0:
        # Nothing is ever quite certain: the last point is approached, not reached.
        score = 3.0 + (1 - math.exp(3.0 - score))
    return max(0.0, score)


def _score_form(findings: tuple[Finding, ...] | list[Finding]) -> float:
    penalties: dict[str, float] = _scale()["penalties"]
    return max(0.0, 4.0 - sum(penalties[item.severity] for item in findings if item.rule not in _NO_FORM))


def _score_conciseness(text: Text, vague: bool) -> float:
    """4, less what is repeated, praised or filler; saying nothing in few words is not concise."""
    words = IDENTIFIER.findall(" ".join([text.subject, *text.sentences]))
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
    return max(0.0, min(score, 2.0 if vague else 4.0))


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


def _explain(text: Text, evidence: Evidence, scores: dict[str, float | None], vague: bool) -> list[Finding]:
    """The main reasons of a low score, each with what to do, named after the change where possible."""
    found: list[Finding] = []
    target = f"`{show(evidence.largest[:80])}`" if evidence.largest else ""
    consistency = scores["consistency"]
    if evidence.reversed:
        found.append(
            Finding("direction", "warning", "The message says the opposite of what the lines of the"
                                            " change do.",
                    "Check whether something was added or removed.", 1)
        )  # fmt: skip
    if evidence.names_missing and evidence.assessable:
        names = ", ".join(f"`{show(name[:60])}`" for name in evidence.names_missing[:3])
        found.append(
            Finding("name-not-in-change", "info", f"The change does not hold {names}.", "Check the name.")
        )
    if evidence.kind_wrong:
        found.append(
            Finding(
                "kind",
                "warning",
                f"The message says {evidence.kind_wrong}, and no file of the change is that.",
                "Choose the type after the files.",
                1,
            )
        )
    if evidence.scope_found is False:
        found.append(
            Finding("scope-not-in-change", "info", "The scope names a part that the change does not touch.",
                    f"Name the part of {target}." if target else "Name a part that it touches.", 1)
        )  # fmt: skip
    for claim in evidence.claims[:1]:
        found.append(
            Finding("unsupported-claim", "warning", f"“{show(claim[:80])}” cannot be seen from the change.",
                    "Leave it out, or say how it was checked.")
        )  # fmt: skip
    if evidence.assessable and not vague and consistency is not None and consistency < 1.6:
        found.append(
            Finding("not-in-change", "warning", "Hardly a word of the subject occurs in the change.",
                    f"Name what changed, such as {target}." if target else "Name what changed.", 1)
        )  # fmt: skip
    elif (vague or (scores["what"] or 0) < 2.0) and target:
        found.append(
            Finding(
                "what-missing",
                "warning",
                "The subject does not say what changed.",
                f"Say what happened to {target}.",
                1,
            )
        )
    elif evidence.unsaid >= 0.5 and evidence.unsaid_part and len(evidence.anchors) > 0:
        part = show(evidence.unsaid_part[:80])
        found.append(
            Finding(
                "unsaid",
                "info",
                f"No word of the message touches `{part}`.",
                f"Say what happened to `{part}`.",
            )
        )
    if (scores["why"] or 0) < 1.2:
        found.append(
            Finding("why-missing", "info", "The message gives no reason.",
                    "Add a sentence on what was wrong before, or name the issue.")
        )  # fmt: skip
    return found


def _parts(evidence: Evidence, reasons: Reasons, text: Text) -> dict[str, float]:
    parts = {
        "said": evidence.said,
        "found": evidence.found,
        "body_found": evidence.body_found,
        "names_found": float(len(evidence.names_found)),
        "names_missing": float(len(evidence.names_missing)),
        "direction": evidence.direction,
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
