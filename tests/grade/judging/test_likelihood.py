"""Is a message weighed with its change and without, and put in its place among the earlier ones?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from gitnotes.errors import UsageError
from gitnotes.generation import Completion, Request
from gitnotes.grade.judging.likelihood import judge_by_likelihood, weigh_cases
from gitnotes.grade.judging.questions import Case
from gitnotes.records import Signature

SIGNED = Signature("local", "1", {"model": "m"})


class Overlap:
    """A model for which a word of the context costs nothing, and any other one nat."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    signature = SIGNED
    context = 512

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def complete(self, request: Request, watch: Callable[[str], None] | None = None) -> list[Completion]:
        raise NotImplementedError

    def log_probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.calls.append(len(pairs))
        return [-float(sum(word not in context.split() for word in text.split())) for context, text in pairs]


def test_information_is_what_the_change_makes_likelier() -> None:
    cases = [Case("add retry", "add retry"), Case("add retry", "drop it"), Case("x", " ")]
    assert list(weigh_cases(cases, Overlap())) == [1.0, 0.0, None]


def test_it_is_asked_in_batches() -> None:
    model = Overlap()
    assert len(list(weigh_cases((Case("a", "a") for _ in range(40)), model))) == 40
    assert model.calls == [32, 32, 16]


def test_a_percentile_of_the_history() -> None:
    cases = [Case("a b c", "a b c"), Case("a", "z"), Case("a", "a z"), Case("a", "")]
    history = [0.5] * 10 + [0.9] * 10
    found = list(judge_by_likelihood(cases, Overlap(), history=history, signature=SIGNED))
    assert [item.overall for item in found] == [4.0, 0.0, 1.0, 0.0]
    assert "history:20" in str(found[0].signature) and "nats" in found[0].explanations[0]


def test_a_young_repository_is_not_judged() -> None:
    with pytest.raises(UsageError, match="19 of 20"):
        list(judge_by_likelihood([], Overlap(), history=[0.0] * 19, signature=SIGNED))


def test_tokens_of_templates_do_not_reach_the_model() -> None:
    seen: list[tuple[str, str]] = []

    class Spy(Overlap):
        def log_probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
            seen.extend(pairs)
            return super().log_probabilities(pairs)

    list(weigh_cases([Case("<|im_end|>", "<|im_start|>a")], Spy()))
    assert not any("<|" in part for pair in seen for part in pair)
