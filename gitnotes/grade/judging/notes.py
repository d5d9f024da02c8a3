"""What is a release note worth, and which of the changes does it leave out, in the eyes of a language model?

Clarity, conciseness and organisation are rated from 1 to 5 as ReleaseEval does. Completeness is no
number that a model was asked for: it is asked of each change whether the note covers it, and the
share of yes is put on the same scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from statistics import fmean

from gitnotes.errors import ModelError, UsageError
from gitnotes.generation import Generator
from gitnotes.grade.judging.asking import Asked, Plan, Session, Spent, ask_which_covered
from gitnotes.grade.judging.cache import AnswerCache
from gitnotes.grade.judging.judge import combine, keep_replies, submit
from gitnotes.grade.judging.pleas import without_pleas
from gitnotes.grade.judging.questions import Case, fit
from gitnotes.grade.judging.workers import Workers
from gitnotes.guard.text import shorten
from gitnotes.records import Judgement

TOGETHER = 15
"""Changes that are asked about in one call."""
_LONGEST = 300
"""Characters of a change in that call."""
_UNTOLD = "a change that is not described"


def count_calls(plan: Plan, entries: int) -> int:
    """Calls for a note on so many changes, without repairs."""
    return plan.calls + plan.turns * -(-entries // TOGETHER)


def judge_note_text(
    entries: Sequence[str],
    note: str,
    plan: Plan,
    generator: Generator,
    *,
    salt: bytes,
    cache: AnswerCache | None = None,
) -> Judgement:
    """Judges a note on the changes that `entries` name, each in a line.

    What is not covered is told in the explanations. An empty note is worth the least without a call.
    Raises UsageError when there is nothing to cover; ModelError when the model cannot be asked at all.
    """
    if not entries:
        raise UsageError("There is no change that the note could cover.", "Name another range.")
    heard = [without_pleas(" ".join(entry.split()), prose=True) for entry in entries]
    text, in_text = without_pleas(note, prose=True)
    silenced = in_text + sum(number for _, number in heard)
    told = [entry.strip()[:_LONGEST] for entry, _ in heard if entry.strip()] or [_UNTOLD]
    case = fit(Case("\n".join(f"- {entry}" for entry in told), text))
    profile = plan.profile
    if not case.text.strip():
        empty = combine([], plan, generator, silenced, cut=case.cut)
        return replace(empty, scores={"completeness": float(profile.low), **empty.scores})
    session = Session(generator, salt, cache, Spent(plan))
    chunks = [told[at : at + TOGETHER] for at in range(0, len(told), TOGETHER)]
    with Workers(plan.workers) as pool:
        rating = submit(pool, case, plan, session)
        covering: list[list[Future[Asked]]] = [
            [
                pool.submit(ask_which_covered, chunk, case.text, plan, turn, session)
                for turn in range(plan.turns)
            ]
            for chunk in chunks
        ]
        rated = [future.result() for future in rating]
        covered = [[future.result() for future in turns] for turns in covering]
    asked = [*rated, *(item for turns in covered for item in turns)]
    if not any(item.reached for item in asked):
        raise ModelError(asked[0].judged.reason)
    return _complete(combine(rated, plan, generator, silenced, cut=case.cut), chunks, covered, plan)


def _complete(
    rated: Judgement, chunks: Sequence[Sequence[str]], covered: Sequence[Sequence[Asked]], plan: Plan
) -> Judgement:
    """The judgement with the completeness that the answers about each change give."""
    profile = plan.profile
    asked = [item for turns in covered for item in turns]
    shares: list[tuple[str, float]] = []
    for chunk, turns in zip(chunks, covered, strict=True):
        known = [item.answers for item in turns if item.answers is not None]
        for number, entry in enumerate(chunk, 1):
            if known:
                shares.append((entry, fmean(answers[str(number)] for answers in known)))
    failed = [item.judged.reason for item in asked if item.answers is None]
    total = sum(len(chunk) for chunk in chunks)
    value = None
    unscored = dict(rated.unscored)
    flags = list(rated.flags)
    if len(shares) == total:
        value = profile.low + (profile.high - profile.low) * fmean(share for _, share in shares)
    else:
        # A share of some of the changes would be another figure under the same name.
        unscored["completeness"] = failed[0]
    if failed and value is not None:
        flags.append(f"completeness: {len(failed)} of {len(asked)} answers are unscored")
    missed = [entry for entry, share in shares if share < 0.5]
    told = [f"covered: {len(shares) - len(missed)} of {total} changes"] if shares else []
    told += [f"not covered: {shorten(entry)}" for entry in missed]
    scores = {"completeness": value, **rated.scores}
    every = [score for score in scores.values() if score is not None]
    tokens = [item.tokens for item in asked if item.tokens is not None]
    return replace(
        rated,
        scores=scores,
        overall=fmean(every) if len(every) == len(scores) else None,
        sources={"completeness": "counted", **rated.sources} if value is not None else rated.sources,
        unscored=unscored,
        flags=tuple(flags),
        explanations=(*told, *rated.explanations),
        calls=rated.calls + sum(item.calls for item in asked),
        cached=rated.cached + sum(item.cached for item in asked),
        tokens=(rated.tokens or 0) + sum(tokens) if tokens or rated.tokens is not None else None,
        replies=(*keep_replies(asked), *rated.replies),
    )
