"""Which of two texts for the same change is the better one, in the eyes of a language model?

A judge prefers what it sees first, or last: it is asked in both orders, and only a verdict that both
give counts.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean, pstdev

from gitnotes.errors import ModelError
from gitnotes.generation import Generator
from gitnotes.grade.judging.asking import Plan, Session, Spent, ask_preferred
from gitnotes.grade.judging.cache import AnswerCache
from gitnotes.grade.judging.judge import flag_silenced, keep_replies, sign
from gitnotes.grade.judging.questions import Case, ask_pair, fit, hash_words, hear
from gitnotes.grade.judging.workers import Workers
from gitnotes.records import Judgement

NAME = "preference"


def prefer(
    case: Case,
    other: str,
    plan: Plan,
    generator: Generator,
    *,
    salt: bytes,
    cache: AnswerCache | None = None,
) -> Judgement:
    """How far the text of `case` is preferred to `other`: the high end of the scale when it is the better
    one in both orders, the low end when the other is, the middle when the order decides or neither is.

    The mean over roles and turns; the share of verdicts that hung on the order is flagged. Raises
    ModelError when the model cannot be asked at all.
    """
    case, in_case = hear(fit(case))
    rival, in_rival = hear(fit(Case("", other)))
    silenced = in_case + in_rival
    turned = replace(case, text=rival.text)
    session = Session(generator, salt, cache, Spent(plan))
    with Workers(plan.workers) as pool:
        futures = [
            (
                pool.submit(ask_preferred, case, rival.text, plan, role, turn, session),
                pool.submit(ask_preferred, turned, case.text, plan, role, turn, session),
            )
            for role in plan.roles
            for turn in range(plan.turns)
        ]
        pairs = [(first.result(), second.result()) for first, second in futures]
    asked = [item for pair in pairs for item in pair]
    if not any(item.reached for item in asked):
        raise ModelError(asked[0].judged.reason)
    verdicts: list[float] = []
    swayed = 0
    for first, second in pairs:
        here, there = first.judged.value, second.judged.value
        if here is None or there is None:
            continue
        agreed = here == 1 - there
        swayed += not agreed
        verdicts.append(here if agreed else 0.5)
    flags = list(flag_silenced(silenced))
    if swayed:
        flags.append(f"{swayed} of {len(verdicts)} verdicts hang on the order in which the texts are shown")
    failed = [item.judged.reason for item in asked if item.judged.value is None]
    if failed and verdicts:
        flags.append(f"{NAME}: {len(failed)} of {len(asked)} answers are unscored")
    low, high = plan.profile.low, plan.profile.high
    value = low + (high - low) * fmean(verdicts) if verdicts else None
    tokens = [item.tokens for item in asked if item.tokens is not None]
    signature = sign(asked, plan, generator, cut=case.cut or rival.cut)
    settings = {key: value for key, value in signature.settings.items() if key not in ("form", "steps", "k")}
    words = hash_words([ask_pair(Case("", ""), "", plan.profile, None, salt=b"")])
    return Judgement(
        scores={NAME: value},
        overall=value,
        signature=replace(signature, settings={**settings, "prompt": words, "orders": "both"}),
        spread={NAME: (high - low) * pstdev(verdicts)} if len(verdicts) > 1 else {},
        sources={NAME: "sample"} if verdicts else {},
        unscored={} if verdicts else {NAME: failed[0]},
        flags=tuple(flags),
        calls=sum(item.calls for item in asked),
        cached=sum(item.cached for item in asked),
        tokens=sum(tokens) if tokens else None,
        replies=keep_replies(asked),
    )
