"""How is one question put to a judge, within the budget, and asked once more when the answer fails?"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace

from gitnotes.errors import ModelError
from gitnotes.generation import Completion, Generator, Request, Turn
from gitnotes.grade.judging.cache import AnswerCache, key_of
from gitnotes.grade.judging.questions import (
    Case,
    ask_checklist,
    ask_dimension,
    schema_for_answers,
    schema_for_score,
)
from gitnotes.grade.judging.rubric import ROLES, Dimension, Form, Profile, Role
from gitnotes.grade.judging.scores import Judged, read_answers, read_score

_REPAIR = "That was not in the form that was asked for. Answer again, with the JSON object alone."
_SPREAD = 0.7
"""Temperature when the same question is asked several times."""


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
class Asked:
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


class Spent:
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


class _OverBudget(Exception):
    pass


def ask_one(
    case: Case,
    plan: Plan,
    dimension: Dimension | None,
    role: Role,
    turn: int,
    generator: Generator,
    salt: bytes,
    cache: AnswerCache | None,
    spent: Spent,
) -> Asked:
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
                return Asked(
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
    return Asked(
        name, role.name, judged, None, calls, cached, tokens if known_tokens else None, model, reached
    )


def _complete(
    generator: Generator, request: Request, cache: AnswerCache | None, spent: Spent
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
