"""How much likelier does the change make its message, in the eyes of a local model?

The pointwise mutual information log p(message | change) - log p(message), a token: a small model that
cannot rate can still tell whether message and change belong together. A number of nats means little,
so it is shown as the share of the repository's own earlier messages that have less.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

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


def weigh_cases(cases: Iterable[Case], model: LocalGenerator) -> Iterator[float | None]:
    """The mutual information of each text and its source, in nats a token, in order; None without text.

    A token, because the sum would grow with every sentence that fits the language at all.

    Raises ModelError when the model fails.
    """
    source = iter(cases)
    while batch := list(islice(source, BATCH)):
        texts = [tame(case.text).strip()[:_LONGEST] for case in batch]
        pairs = [
            (context, text)
            for case, text in zip(batch, texts, strict=True)
            if text
            for context in (tame(case.source) + _AFTER, _AFTER.lstrip())
        ]
        found = iter(model.log_probabilities(pairs))
        for text in texts:
            yield (next(found) - next(found)) / max(model.count_tokens(text), 1) if text else None


def judge_by_likelihood(
    cases: Iterable[Case], model: LocalGenerator, *, history: Sequence[float], signature: Signature
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
    known = sorted(history)
    signed = Signature(
        "likelihood",
        signature.version,
        {**signature.settings, "history": str(len(known)), "unit": "percentile"},
    )
    for value in weigh_cases(cases, model):
        if value is None:
            yield Judgement({"likelihood": 0.0}, 0.0, signed)
            continue
        # Half of those that are equal, so that the median is in the middle.
        place = (bisect_left(known, value) + bisect_right(known, value)) / 2
        score = 4 * place / len(known)
        yield Judgement({"likelihood": score}, score, signed, explanations=(f"{value:.2f} nats a token",))
