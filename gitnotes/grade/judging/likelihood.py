"""How much likelier does the change make its message, in the eyes of a local model?

The pointwise mutual information log p(message | change) - log p(message), a token: a small model that
cannot rate can still tell whether message and change belong together. A number of nats means little,
so it is shown as the share of the repository's own earlier messages that have less.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol

from gitnotes.errors import UsageError
from gitnotes.generation import LocalGenerator
from gitnotes.grade.judging.questions import Case
from gitnotes.guard.fences import tame
from gitnotes.records import Judgement, Signature

LEAST_HISTORY = 20
"""Earlier messages without which a percentile says nothing."""
BATCH = 16
"""Messages that are weighed together."""
_AFTER = "\n\nCommit message:\n"
_LONGEST = 2000
"""Characters of a message that are weighed; a model of likelihood is slow and long bodies drown it."""


class Known(Protocol):
    """What was weighed before."""

    def get(self, key: str) -> float | None: ...

    def put(self, key: str, value: float) -> None: ...


def weigh_cases(
    cases: Iterable[Case], model: LocalGenerator, known: Known | None = None
) -> Iterator[float | None]:
    """The mutual information of each text and its source, in nats a token, in order; None without text.

    A token, because the sum would grow with every sentence that fits the language at all. What is
    `known` is not weighed again.

    Raises ModelError when the model fails.
    """
    source = iter(cases)
    signature = str(model.signature)
    while batch := list(islice(source, BATCH)):
        texts = [tame(case.text).strip()[:_LONGEST] for case in batch]
        contexts = [tame(case.source) + _AFTER for case in batch]
        keys = [_key(signature, *pair) for pair in zip(contexts, texts, strict=True)]
        before = [known.get(key) if known is not None else None for key in keys]
        pairs = [
            (context, text)
            for full, text, value in zip(contexts, texts, before, strict=True)
            if text and value is None
            for context in (full, _AFTER.lstrip())
        ]
        found = iter(model.log_probabilities(pairs)) if pairs else iter(())
        for key, text, value in zip(keys, texts, before, strict=True):
            if not text:
                yield None
                continue
            if value is None:
                value = (next(found) - next(found)) / max(model.count_tokens(text), 1)
                if known is not None:
                    known.put(key, value)
            yield value


def place_in(value: float, history: Sequence[float]) -> float:
    """The share of `history`, in rising order and not empty, that is less than `value`.

    Half of those that are equal are counted, so that the median is in the middle.
    """
    return (bisect_left(history, value) + bisect_right(history, value)) / 2 / len(history)


def _key(signature: str, context: str, text: str) -> str:
    whole = json.dumps([signature, context, text])
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def judge_by_likelihood(
    cases: Iterable[Case],
    model: LocalGenerator,
    *,
    history: Sequence[float],
    signature: Signature,
    known: Known | None = None,
) -> Iterator[Judgement]:
    """One dimension, `likelihood` from 0 to 4: four times the share of `history` that has less.

    `history` is what `weigh_cases` gave for earlier messages. Raises UsageError when it has fewer
    than 20 values.
    """
    if len(history) < LEAST_HISTORY:
        raise UsageError(
            f"The likelihood is read against earlier messages, and there are {len(history)} of"
            f" {LEAST_HISTORY} at least.",
            "Use another judge for a young repository.",
        )
    past = sorted(history)
    signed = Signature(
        "likelihood",
        signature.version,
        {**signature.settings, "history": str(len(past)), "unit": "percentile"},
    )
    for value in weigh_cases(cases, model, known):
        if value is None:
            yield Judgement({"likelihood": 0.0}, 0.0, signed)
            continue
        score = 4 * place_in(value, past)
        yield Judgement({"likelihood": score}, score, signed, explanations=(f"{value:.2f} nats a token",))
