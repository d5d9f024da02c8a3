"""How is one question put to a judge, within the budget, and asked once more when the answer fails?"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gitnotes.errors import ModelError
from gitnotes.generation import Completion, Generator, Request, Turn
from gitnotes.grade.judging.cache import AnswerCache, key_of
from gitnotes.grade.judging.questions import (
    Case,
    ask_checklist,
    ask_covered,
    ask_dimension,
    ask_pair,
    schema_for_answers,
    schema_for_preference,
    schema_for_score,
)
from gitnotes.grade.judging.rubric import ROLES, Dimension, Form, Profile, Role
from gitnotes.grade.judging.scores import Judged, read_answers, read_preference, read_score
from gitnotes.guard.fences import tame
from gitnotes.guard.text import clean, shorten

_REPAIR = "That was not in the form that was asked for. Answer again, with the JSON object alone."
_SPREAD = 0.7
"""Temperature when the same question is asked several times."""
_LONG_ANSWER = 400
"""Tokens of an answer that has a reason or several parts."""
OVER = "the budget of"
"""How the reason begins when the plan allowed no more."""
_NO_TIME = f"{OVER} time is used up"

Read = tuple[Judged, "dict[str, bool] | None"]
"""What an answer says: a value, and yes or no by name where that was asked."""


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
        """The temperature that is asked for."""
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
    without: tuple[str, ...] = ()
    """Options that the server refused."""


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
                return f"{OVER} calls is used up"
            if plan.max_tokens is not None and self.tokens >= plan.max_tokens:
                return f"{OVER} tokens is used up"
            if self.seconds_left() <= 0:
                return _NO_TIME
            self.calls += 1
        return ""

    def seconds_left(self) -> float:
        """What the plan has left of its time; infinite where it sets no limit."""
        if self._plan.max_seconds is None:
            return math.inf
        return self._plan.max_seconds - (time.monotonic() - self._started)

    def add_tokens(self, number: int) -> None:
        with self._lock:
            self.tokens += number


@dataclass(frozen=True, slots=True)
class Session:
    """Whom the questions go to, and what all of them share."""

    generator: Generator
    salt: bytes
    """Makes the boundaries of the questions."""
    cache: AnswerCache | None
    spent: Spent


class _OverBudget(Exception):
    pass


def ask_one(
    case: Case,
    plan: Plan,
    dimension: Dimension | None,
    role: Role,
    turn: int,
    session: Session,
) -> Asked:
    """Asks about one dimension, or without one for the whole checklist of the profile."""
    profile = plan.profile
    if dimension is None:
        names = tuple(question.name for question in profile.questions)
        turns = ask_checklist(case, profile, role, salt=session.salt)

        def read_list(completion: Completion) -> Read:
            answers = read_answers(completion, names)
            if isinstance(answers, str):
                return Judged(None, reason=answers, reply=clean(completion.text[:2000])), None
            good = [answers[question.name] is question.good for question in profile.questions]
            value = profile.low + (profile.high - profile.low) * sum(good) / len(good)
            return Judged(value), answers

        request = _request(plan, turns, turn, schema_for_answers(names))
        return _ask("checklist", role.name, request, read_list, session)
    turns = ask_dimension(
        case, profile, dimension, role, form=plan.form, steps=plan.steps,
        demonstrations=plan.demonstrations, salt=session.salt,
    )  # fmt: skip

    def read(completion: Completion) -> Read:
        found = read_score(
            completion, name=dimension.name, low=profile.low, high=profile.high, form=plan.form
        )
        return found, None

    tokens = 40 if plan.form == "score" else _LONG_ANSWER
    request = _request(plan, turns, turn, schema_for_score(profile, plan.form), tokens=tokens, logprobs=5)
    return _ask(dimension.name, role.name, request, read, session)


def ask_which_covered(
    entries: Sequence[str],
    note: str,
    plan: Plan,
    turn: int,
    session: Session,
) -> Asked:
    """Asks which of `entries`, by their numbers from 1, a release note covers."""
    names = tuple(str(number) for number in range(1, len(entries) + 1))

    def read(completion: Completion) -> Read:
        answers = read_answers(completion, names)
        if isinstance(answers, str):
            return Judged(None, reason=answers, reply=clean(completion.text[:2000])), None
        return Judged(sum(answers.values()) / len(names)), answers

    turns = ask_covered(entries, note, salt=session.salt)
    request = _request(plan, turns, turn, schema_for_answers(names), tokens=40 + 10 * len(names))
    return _ask("completeness", "", request, read, session)


def ask_preferred(
    one: Case,
    other: str,
    plan: Plan,
    role: Role,
    turn: int,
    session: Session,
) -> Asked:
    """Asks whether the text of `one`, shown first, is better than `other`: 1, 0, or 0.5 for neither."""

    def read(completion: Completion) -> Read:
        found = read_preference(completion)
        if isinstance(found, str):
            return Judged(None, reason=found, reply=clean(completion.text[:2000])), None
        return Judged(found), None

    turns = ask_pair(one, other, plan.profile, role, salt=session.salt)
    request = _request(plan, turns, turn, schema_for_preference())
    return _ask("preference", role.name, request, read, session)


def _request(
    plan: Plan,
    turns: tuple[Turn, ...],
    turn: int,
    schema: dict[str, Any],
    *,
    tokens: int = _LONG_ANSWER,
    logprobs: int = 0,
) -> Request:
    return Request(
        turns,
        temperature=plan.heat,
        max_tokens=tokens,
        seed=turn + 1,
        schema=schema,
        top_logprobs=logprobs,
        timeout=plan.call_seconds,
    )


def _ask(
    name: str,
    role: str,
    request: Request,
    read: Callable[[Completion], Read],
    session: Session,
) -> Asked:
    """The answer to a question, which is put once more when the first one cannot be read."""
    calls = cached = tokens = 0
    known_tokens = False
    reached = True
    model = ""
    without: tuple[str, ...] = ()
    judged = Judged(None, reason="it was not asked")
    answers = None
    for attempt in range(2):
        try:
            completion, was_cached = _complete(request, session)
        except _OverBudget as problem:
            judged = Judged(None, reason=str(problem))
            break
        except ModelError as problem:
            judged = Judged(None, reason=str(problem))
            reached = False
            break
        calls += not was_cached
        cached += was_cached
        model = shorten(completion.model)
        without = completion.without
        if completion.prompt_tokens is not None and not was_cached:
            known_tokens = True
            tokens += completion.prompt_tokens + (completion.completion_tokens or 0)
        judged, answers = read(completion)
        if judged.value is not None:
            break
        if attempt == 0:
            # It may repeat what it was shown, and some servers take no empty turn.
            said = tame(completion.text[:2000]) or "(nothing)"
            request = replace(request, turns=(*request.turns, Turn("assistant", said), Turn("user", _REPAIR)))
    return Asked(
        name, role, judged, answers, calls, cached, tokens if known_tokens else None, model, reached, without
    )


def _complete(request: Request, session: Session) -> tuple[Completion, bool]:
    generator, cache, spent = session.generator, session.cache, session.spent
    key = key_of(str(generator.signature), request)
    known = cache.get(key) if cache is not None else None
    if known:
        return known[0], True
    refused = spent.take()
    if refused:
        raise _OverBudget(refused)
    seconds = min(request.timeout, spent.seconds_left())
    try:
        answers = generator.complete(replace(request, once=key, timeout=seconds))
    except ModelError:
        if spent.seconds_left() <= 0:
            raise _OverBudget(_NO_TIME) from None
        raise
    if cache is not None:
        cache.put(key, answers)
    first = answers[0]
    spent.add_tokens(_count_tokens(request, first, generator))
    return first, False


def _count_tokens(request: Request, answer: Completion, generator: Generator) -> int:
    """Tokens of question and answer, estimated where the server does not tell them."""
    if answer.prompt_tokens is not None:
        return answer.prompt_tokens + (answer.completion_tokens or 0)
    return sum(generator.count_tokens(turn.text) for turn in request.turns) + generator.count_tokens(
        answer.text
    )
