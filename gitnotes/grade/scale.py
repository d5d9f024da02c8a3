"""What is a message worth on each dimension from 0 to 4, and overall from 0 to 100?

The formula, with the numbers of data/scale.json:

    overall = 100 * geometric mean of (floor + (1 - floor) * score / 4), by weight,
              over the dimensions that are scored
              * gate(what) * gate(consistency)          gate(s) = min(1, low + (1 - low) * s / bar)
              * unseen                                  where consistency is not scored

A message that says nothing about this change, or describes another one, cannot make up for it by
its form or its issue number: that is what the gates are for. What and why are fitted on
rated messages (`bench/grading/fit.py`), the rest is set by hand. Length enters through saturating
terms alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitnotes import __version__
from gitnotes.grade.case import read_case
from gitnotes.grade.consistency import score_consistency
from gitnotes.grade.evidence import Evidence, Text, read_parts
from gitnotes.grade.explain import explain
from gitnotes.grade.fitted import Scale, load_scale
from gitnotes.grade.lexicon import stems_of, total_weight, words_of
from gitnotes.grade.message import split_message
from gitnotes.grade.rules import DEFAULTS, FormSettings, check_parts
from gitnotes.grade.shares import combine, rate_confidence, share_points
from gitnotes.grade.what_why import score_what, score_why
from gitnotes.grade.why import Reasons
from gitnotes.guard.width import columns
from gitnotes.records import Change, Finding, Grade, Signature

_NO_FORM = frozenset({"instruction-text", "vague", "empty", "rules-disabled"})
"""Rules that the other dimensions weigh already, or that change no score."""


def grade_message(
    message: str,
    change: Change | None,
    *,
    settings: FormSettings = DEFAULTS,
    conventional: bool = False,
    merge: bool | None = None,
    author: str = "",
    scale: Scale | None = None,
) -> Grade:
    """The grade of `message`, as git stores it, for `change`; None grades the text alone.

    `merge` says that the commit has several parents: then git wrote the subject, form is not
    scored, and a merge without a text of its own is unscored altogether. False says that it has
    not, None that only the subject can tell. `author`, "Name <email>",
    tells bots, whose form is not scored either. Dimensions that cannot be assessed are None, with
    the reason in `unscored`, and leave the mean. Needs no model and no reference. `scale` is the
    shipped one unless another is given.
    """
    scale = scale or load_scale()
    parents = None if merge is None else 2 if merge else 1
    original = split_message(message, parents=parents, author=author)
    findings = list(check_parts(original, settings=settings, conventional=conventional))
    text = read_parts(original, parents=parents, author=author)
    signature = Signature(
        "grade", __version__, {"scale": scale.name, "conventional": "yes" if conventional else "no"}
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
    case = read_case(text, change)
    evidence = case.evidence
    if text.foreign and evidence.found + 0.5 * evidence.body_found < 0.25:
        # Its words were never compared with anything; a low score would blame the language.
        findings.append(
            Finding("language", "info", "The language of the message is not one that is compared.",
                    "Name the parts of the change as the code does to have it graded.")
        )  # fmt: skip
        return _leave_unscored("the language of the message is not compared", findings, signature)
    if case.named:
        # The shortest of names says nothing without the change, and all with it.
        findings = [item for item in findings if item.rule not in ("vague", "too-short")]
    counted = (
        findings
        if not text.dropped
        else check_parts(text.message, settings=settings, conventional=conventional)
    )
    consistency = score_consistency(text, evidence) if evidence.assessable else None
    moved = {"what": score_what(case, scale), "why": score_why(case, consistency, scale)}
    hollow = case.vague or (evidence.where_only and not case.is_told)
    scores: dict[str, float | None] = {
        "what": moved["what"].score,
        "why": moved["why"].score,
        "consistency": consistency,
        "form": _score_form(counted, scale) if original.kind in ("plain", "revert") else None,
        "conciseness": _score_conciseness(text, hollow=hollow),
    }
    unscored = {} if evidence.assessable else {"consistency": evidence.reason}
    if scores["form"] is None:
        owner = "its program" if original.kind == "bot" else "git"
        unscored["form"] = f"the form of a {original.kind} is {owner}'s own"
    overall = combine(scores, scale)
    findings += explain(text, evidence, scores, vague=case.vague, elsewhere=case.reasons.elsewhere)
    return Grade(
        overall=round(overall, 1),
        scores={name: None if score is None else round(score, 2) for name, score in scores.items()},
        findings=tuple(findings),
        signature=signature,
        parts=_parts(evidence, case.reasons, text),
        unscored=unscored,
        confidence=round(rate_confidence(moved["what"].score, moved["why"].score, case, scale), 2),
        contributions=share_points(moved, scores, scale),
    )


def _leave_unscored(reason: str, findings: list[Finding], signature: Signature) -> Grade:
    names = ("what", "why", "consistency", "form", "conciseness")
    unscored = dict.fromkeys(("overall", *names), reason)
    return Grade(None, dict.fromkeys(names), tuple(findings), signature, unscored=unscored)


def _score_form(findings: Sequence[Finding], scale: Scale) -> float:
    lost = sum(scale.penalties[item.severity] for item in findings if item.rule not in _NO_FORM)
    return max(0.0, 4.0 - lost)


def _score_conciseness(text: Text, *, hollow: bool) -> float:
    """4, less what is repeated, praised or filler; saying nothing in few words is not concise."""
    words = words_of(" ".join([text.subject, *text.sentences]))
    score = 4.0
    score -= min(2.0, 0.7 * text.repeated)
    score -= min(1.5, 0.7 * (text.praise + len(text.claims)))
    filler = sum(1 for sentence in text.sentences if total_weight(stems_of(sentence, 4)) < 0.8)
    score -= min(1.5, 0.5 * filler)
    # Beyond some 150 words a reader looks for the point.
    score -= min(1.0, max(0, len(words) - 150) / 250)
    score -= min(1.0, max(0, columns(text.message.subject) - 72) / 60)
    repeated_words = len(text.subject.split()) - len({word.lower() for word in text.subject.split()})
    score -= min(1.5, 0.3 * max(0, repeated_words - 1))
    return max(0.0, min(score, 2.0 if hollow else 4.0))


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
