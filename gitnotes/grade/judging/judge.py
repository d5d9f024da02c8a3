"""What is a text worth in the eyes of a language model, asked once or many times?

The mean over turns, then over roles, gives each dimension; the mean of the dimensions the overall
(CodeRPE, Wu et al. 2024). Calls per text: dimensions x roles x turns. Differences from the published
code: strict reading, unscored instead of 0, expected scores where the model tells probabilities.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from statistics import fmean, pstdev

from gitnotes.errors import ModelError, UsageError
from gitnotes.generation import Completion, Generator, Request, Turn
from gitnotes.grade.judging.cache import AnswerCache, key_of
from gitnotes.grade.judging.questions import (
    Case,
    ask_checklist,
    ask_dimension,
    schema_for_answers,
    schema_for_score,
)
from gitnotes.grade.judging.rubric import ROLES, VERSION, Dimension, Form, Profile, Role
from gitnotes.grade.judging.scores import Judged, read_answers, read_score
from gitnotes.records import Signature

_REPAIR = "That was not in the form that was asked for. Answer again, with the JSON object alone."
_SPREAD = 0.7
"""Temperature when the same question is asked several times."""
_WIDE = 2.0
"""Range of the ratings of one dimension from which on it is flagged."""
_AHEAD = 4
"""Texts per worker that are asked about before the first is done."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How it is judged."""

    profile: Profile
    roles: tuple[Role, ...] = (ROLES["reviewer"],)
    turns: int = 1
    form: Form = "score"
    steps: bool = False
    demonstrations: int = 4
    temperature: float | None = None
    """None: 0 for one turn, 0.7 for several."""
    max_calls: int | None = None
    max_tokens: int | None = None
    max_seconds: float | None = None
    workers: int = 4
    call_seconds: float = 60.0

    @property
    def calls(self) -> int:
        """Calls for one text, without repairs."""
        per_role = len(self.profile.dimensions) + bool(self.profile.questions)
        return per_role * len(self.roles) * self.turns

    @property
    def heat(self) -> float:
        if self.temperature is not None:
            return self.temperature
        return 0.0 if self.turns == 1 else _SPREAD


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the judge thinks of one text."""

    scores: dict[str, float | None]
    overall: float | None
    """On the scale of the profile; the mean of the dimensions that count, None when one is unscored."""
    signature: Signature
    spread: dict[str, float] = field(default_factory=dict)
    """Standard deviation over turns and roles."""
    sources: dict[str, str] = field(default_factory=dict)
    """`logprobs`, `sample` or `mixed`, for each dimension."""
    unscored: dict[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    """What makes the scores doubtful."""
    explanations: tuple[str, ...] = ()
    calls: int = 0
    cached: int = 0
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    """The answer to one question, read."""

    name: str
    role: str
    judged: Judged
    answers: dict[str, bool] | None
    calls: int
    cached: int
    tokens: int | None
    model: str
    reached: bool = True
    """Whether the model could be asked at all."""


class _Spent:
    """What the plan allows, and how much of it is used; shared by all workers."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._lock = threading.Lock()
        self._started = time.monotonic()
        self.calls = 0
        self.tokens = 0

    def take(self) -> str:
        """Books a call; why there is none left, or an empty text."""
        plan = self._plan
        with self._lock:
            if plan.max_calls is not None and self.calls >= plan.max_calls:
                return "the budget of calls is used up"
            if plan.max_tokens is not None and self.tokens >= plan.max_tokens:
                return "the budget of tokens is used up"
            if plan.max_seconds is not None and time.monotonic() - self._started >= plan.max_seconds:
                return "the budget of time is used up"
            self.calls += 1
        return ""

    def add_tokens(self, number: int) -> None:
        with self._lock:
            self.tokens += number


def judge_texts(
    cases: Iterable[Case],
    plan: Plan,
    generator: Generator,
    *,
    salt: bytes,
    cache: AnswerCache | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Judgement]:
    """Judges each case, in order; `progress` is told the calls of each finished one.

    An empty text is 0 without a call. A model that fails leaves what it was asked unscored; raises
    ModelError only when the very first call cannot be made at all, UsageError when `turns` is not 1
    to 3 or nothing is asked.
    """
    if not 1 <= plan.turns <= 3:
        raise UsageError("A judge is asked 1 to 3 times.", "Give --turns 1, 2 or 3.")
    if plan.calls == 0:
        raise UsageError("Nothing is asked.", "Choose a profile with dimensions.")
    spent = _Spent(plan)
    with ThreadPoolExecutor(max_workers=max(1, plan.workers)) as pool:
        waiting: deque[list[Future[_Asked]]] = deque()
        first = True
        source = iter(cases)
        exhausted = False
        while waiting or not exhausted:
            while not exhausted and len(waiting) < _AHEAD * plan.workers:
                case = next(source, None)
                if case is None:
                    exhausted = True
                    break
                waiting.append(_submit(pool, case, plan, generator, salt, cache, spent))
            if not waiting:
                break
            asked = [future.result() for future in waiting.popleft()]
            if first and asked and not any(item.reached for item in asked):
                for futures in waiting:
                    for future in futures:
                        future.cancel()
                raise ModelError(asked[0].judged.reason)
            first = False
            done = _combine(asked, plan, generator)
            if progress is not None:
                progress(done.calls)
            yield done


def _submit(
    pool: ThreadPoolExecutor,
    case: Case,
    plan: Plan,
    generator: Generator,
    salt: bytes,
    cache: AnswerCache | None,
    spent: _Spent,
) -> list[Future[_Asked]]:
    if not case.text.strip():
        return []
    futures = []
    for role in plan.roles:
        for turn in range(plan.turns):
            for dimension in plan.profile.dimensions:
                futures.append(
                    pool.submit(_ask_one, case, plan, dimension, role, turn, generator, salt, cache, spent)
                )
            if plan.profile.questions:
                futures.append(
                    pool.submit(_ask_one, case, plan, None, role, turn, generator, salt, cache, spent)
                )
    return futures


def _ask_one(
    case: Case,
    plan: Plan,
    dimension: Dimension | None,
    role: Role,
    turn: int,
    generator: Generator,
    salt: bytes,
    cache: AnswerCache | None,
    spent: _Spent,
) -> _Asked:
    profile = plan.profile
    if dimension is None:
        names = tuple(question.name for question in profile.questions)
        turns = ask_checklist(case, profile, role, salt=salt)
        schema = schema_for_answers(names)
    else:
        turns = ask_dimension(
            case, profile, dimension, role, form=plan.form, steps=plan.steps,
            demonstrations=plan.demonstrations, salt=salt,
        )  # fmt: skip
        schema = schema_for_score(profile, plan.form)
    request = Request(
        turns,
        temperature=plan.heat,
        max_tokens=400 if plan.form != "score" or dimension is None else 40,
        seed=turn + 1,
        schema=schema,
        top_logprobs=5 if dimension is not None else 0,
        timeout=plan.call_seconds,
    )
    calls = cached = tokens = 0
    known_tokens = False
    reached = True
    model = ""
    judged = Judged(None, reason="it was not asked")
    for attempt in range(2):
        try:
            completion, was_cached = _complete(generator, request, cache, spent)
        except _OverBudget as problem:
            judged = Judged(None, reason=str(problem))
            break
        except ModelError as problem:
            judged = Judged(None, reason=str(problem))
            reached = False
            break
        calls += not was_cached
        cached += was_cached
        model = completion.model
        if completion.prompt_tokens is not None and not was_cached:
            known_tokens = True
            tokens += completion.prompt_tokens + (completion.completion_tokens or 0)
        if dimension is None:
            answers = read_answers(completion, names)
            if not isinstance(answers, str):
                good = [answers[question.name] is question.good for question in profile.questions]
                value = profile.low + (profile.high - profile.low) * sum(good) / len(good)
                return _Asked(
                    "checklist", role.name, Judged(value), answers, calls, cached, tokens or None, model
                )
            judged = Judged(None, reason=answers, reply=completion.text[:2000])
        else:
            judged = read_score(
                completion, name=dimension.name, low=profile.low, high=profile.high, form=plan.form
            )
            if judged.value is not None:
                break
        if attempt == 0:
            repair = (Turn("assistant", completion.text[:2000]), Turn("user", _REPAIR))
            request = replace(request, turns=(*request.turns, *repair))
    name = "checklist" if dimension is None else dimension.name
    return _Asked(
        name, role.name, judged, None, calls, cached, tokens if known_tokens else None, model, reached
    )


class _OverBudget(Exception):
    pass


def _complete(
    generator: Generator, request: Request, cache: AnswerCache | None, spent: _Spent
) -> tuple[Completion, bool]:
    key = key_of(str(generator.signature), request)
    known = cache.get(key) if cache is not None else None
    if known:
        return known[0], True
    refused = spent.take()
    if refused:
        raise _OverBudget(refused)
    answers = generator.complete(request)
    if cache is not None:
        cache.put(key, answers)
    first = answers[0]
    spent.add_tokens((first.prompt_tokens or 0) + (first.completion_tokens or 0))
    return first, False


def _combine(asked: list[_Asked], plan: Plan, generator: Generator) -> Judgement:
    """Means over turns, then over roles, then over dimensions."""
    profile = plan.profile
    names = [dimension.name for dimension in profile.dimensions] or ["checklist"]
    counting = [item.name for item in profile.dimensions if item.counts] or names
    signature = _signature(asked, plan, generator)
    if not asked:  # an empty text
        zero: dict[str, float | None] = {name: float(profile.low) for name in names}
        return Judgement(zero, float(profile.low), signature)
    scores: dict[str, float | None] = {}
    spread: dict[str, float] = {}
    sources: dict[str, str] = {}
    unscored: dict[str, str] = {}
    flags: list[str] = []
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
    )


def _signature(asked: list[_Asked], plan: Plan, generator: Generator) -> Signature:
    from gitnotes import __version__

    models = sorted({item.model for item in asked if item.model})
    return Signature(
        "judge",
        __version__,
        {
            **generator.signature.settings,
            "answered-by": ",".join(models) or "none",
            "profile": plan.profile.name,
            "rubric": VERSION,
            "roles": ",".join(role.name for role in plan.roles),
            "turns": str(plan.turns),
            "form": plan.form,
            "steps": "yes" if plan.steps else "no",
            "k": str(plan.demonstrations),
            "temperature": f"{plan.heat:g}",
        },
    )
