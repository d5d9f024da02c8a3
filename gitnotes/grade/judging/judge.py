"""What is a text worth in the eyes of a language model, asked once or many times?

The mean over turns, then over roles, gives each dimension; the mean of the dimensions the overall
(CodeRPE, Wu et al. 2024). Calls per text: dimensions x roles x turns. Differences from the published
code: strict reading, unscored instead of 0, expected scores where the model tells probabilities.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from statistics import fmean, pstdev

from gitnotes.errors import ModelError, UsageError
from gitnotes.generation import Generator
from gitnotes.grade.judging.asking import Asked, Plan, Session, Spent, ask_one
from gitnotes.grade.judging.cache import AnswerCache
from gitnotes.grade.judging.questions import Case, fit, hash_prompt, hear
from gitnotes.grade.judging.rubric import VERSION
from gitnotes.grade.judging.workers import Workers
from gitnotes.records import Judgement, Signature

_WIDE = 2.0
"""Range of the ratings of one dimension from which on it is flagged."""
_AHEAD = 4
"""Texts per worker that are asked about before the first is done."""


def judge_texts(
    cases: Iterable[Case],
    plan: Plan,
    generator: Generator,
    *,
    salt: bytes,
    cache: AnswerCache | None = None,
    progress: Callable[[int], None] | None = None,
    pleas: bool = False,
) -> Iterator[Judgement]:
    """Judges each case, in order; `progress` is told the calls of each finished one.

    What speaks to a grader, in the text or the source, is taken out before the model sees it, and
    flagged; `pleas` leaves it in, to see what the model makes of it.

    An empty text is 0 without a call. A model that fails leaves what it was asked unscored; raises
    ModelError only when the very first call cannot be made at all, UsageError when `turns` is not 1
    to 3 or nothing is asked.
    """
    if not 1 <= plan.turns <= 3:
        raise UsageError("A judge is asked 1 to 3 times.", "Give --turns 1, 2 or 3.")
    if plan.calls == 0:
        raise UsageError("Nothing is asked.", "Choose a profile with dimensions.")
    session = Session(generator, salt, cache, Spent(plan))
    with Workers(plan.workers) as pool:
        waiting: deque[tuple[Case, int, list[Future[Asked]]]] = deque()
        first = True
        source = iter(cases)
        exhausted = False
        while waiting or not exhausted:
            while not exhausted and len(waiting) < _AHEAD * plan.workers:
                case = next(source, None)
                if case is None:
                    exhausted = True
                    break
                case = fit(case)
                heard, silenced = (case, 0) if pleas else hear(case)
                waiting.append((heard, silenced, submit(pool, heard, plan, session)))
            if not waiting:
                break
            heard, silenced, futures = waiting.popleft()
            asked = [future.result() for future in futures]
            if first and asked and not any(item.reached for item in asked):
                raise ModelError(asked[0].judged.reason)
            first = False
            done = combine(asked, plan, generator, silenced, cut=heard.cut)
            if progress is not None:
                progress(done.calls)
            yield done


def submit(pool: Workers, case: Case, plan: Plan, session: Session) -> list[Future[Asked]]:
    """Puts all questions about a case to the pool; none about an empty text."""
    if not case.text.strip():
        return []
    futures = []
    for role in plan.roles:
        for turn in range(plan.turns):
            for dimension in plan.profile.dimensions:
                futures.append(pool.submit(ask_one, case, plan, dimension, role, turn, session))
            if plan.profile.questions:
                futures.append(pool.submit(ask_one, case, plan, None, role, turn, session))
    return futures


def combine(asked: list[Asked], plan: Plan, generator: Generator, silenced: int, *, cut: bool) -> Judgement:
    """Means over turns, then over roles, then over dimensions."""
    profile = plan.profile
    names = [dimension.name for dimension in profile.dimensions] or ["checklist"]
    counting = [item.name for item in profile.dimensions if item.counts] or names
    signature = sign(asked, plan, generator, cut=cut)
    if not asked:  # an empty text
        zero: dict[str, float | None] = {name: float(profile.low) for name in names}
        return Judgement(zero, float(profile.low), signature, flags=flag_silenced(silenced))
    scores: dict[str, float | None] = {}
    spread: dict[str, float] = {}
    sources: dict[str, str] = {}
    unscored: dict[str, str] = {}
    flags = list(flag_silenced(silenced))
    for name in names:
        mine = [item for item in asked if item.name == name]
        values = [item.judged.value for item in mine if item.judged.value is not None]
        by_role = [
            fmean(of_role)
            for role in plan.roles
            if (
                of_role := [
                    i.judged.value for i in mine if i.role == role.name and i.judged.value is not None
                ]
            )
        ]
        failed = [item.judged.reason for item in mine if item.judged.value is None]
        if not by_role:
            scores[name] = None
            unscored[name] = failed[0]
            continue
        if failed:
            flags.append(f"{name}: {len(failed)} of {len(mine)} ratings are unscored")
        scores[name] = fmean(by_role)
        spread[name] = pstdev(values) if len(values) > 1 else 0.0
        kinds = {item.judged.source for item in mine if item.judged.value is not None}
        sources[name] = kinds.pop() if len(kinds) == 1 else "mixed"
        if max(values) - min(values) >= _WIDE:
            flags.append(f"{name}: the ratings differ by {max(values) - min(values):g}")
    answers = [item.answers for item in asked if item.answers is not None]
    if answers:
        for question in profile.questions:
            share = fmean(answer[question.name] is question.good for answer in answers)
            scores[question.name] = profile.low + (profile.high - profile.low) * share
    counted = [score for name in counting if (score := scores[name]) is not None]
    tokens = [item.tokens for item in asked if item.tokens is not None]
    return Judgement(
        scores=scores,
        overall=fmean(counted) if len(counted) == len(counting) else None,
        signature=signature,
        spread=spread,
        sources=sources,
        unscored=unscored,
        flags=tuple(flags),
        explanations=tuple(
            f"{item.name} ({item.role}): {item.judged.explanation}"
            for item in asked
            if item.judged.explanation
        ),
        calls=sum(item.calls for item in asked),
        cached=sum(item.cached for item in asked),
        tokens=sum(tokens) if tokens else None,
        replies=keep_replies(asked),
    )


def flag_silenced(lines: int) -> tuple[str, ...]:
    """What is said of lines that a judge was not shown."""
    return (f"lines that speak to a grader were taken out: {lines:,}",) if lines else ()


def keep_replies(asked: Iterable[Asked]) -> tuple[str, ...]:
    """What could not be read, as it was said."""
    return tuple(
        f"{item.name}{f' ({item.role})' if item.role else ''}: {item.judged.reply}"
        for item in asked
        if item.judged.value is None and item.judged.reply
    )


def sign(asked: list[Asked], plan: Plan, generator: Generator, *, cut: bool) -> Signature:
    """By whom and how a text was judged."""
    from gitnotes import __version__

    models = sorted({item.model for item in asked if item.model})
    refused = sorted({option for item in asked for option in item.without})
    return Signature(
        "judge",
        __version__,
        {
            **generator.signature.settings,
            "answered-by": ",".join(models) or "none",
            "profile": plan.profile.name,
            "rubric": VERSION,
            "prompt": hash_prompt(plan.profile, plan.form, plan.steps, plan.demonstrations),
            "roles": ",".join(role.name for role in plan.roles),
            "turns": str(plan.turns),
            "form": plan.form,
            "steps": "yes" if plan.steps else "no",
            "k": str(plan.demonstrations),
            "temperature": f"{plan.heat:g}",
            "cut": "yes" if cut else "no",
            **({"without": ",".join(refused)} if refused else {}),
        },
    )
