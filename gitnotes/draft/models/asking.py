"""What does a language model make of a change, and which of its texts can be used?"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from gitnotes.draft.evidence import haystack, unknown_names
from gitnotes.draft.models.prompt import (
    Prompt,
    Wish,
    build_merge_prompt,
    build_prompt,
    said_by_user,
    split_change,
)
from gitnotes.draft.models.replies import read_reply
from gitnotes.draft.models.short import build_short_prompt
from gitnotes.draft.style import Style
from gitnotes.errors import ModelError
from gitnotes.generation import Generator, Request
from gitnotes.records import Change, Omission

ANSWER_TOKENS = 256
"""Tokens that a message may have."""
_MARGIN = 64
"""Tokens of the chat template around the turns."""
_SAMPLED = 0.7
"""Temperature of further candidates; the first is the most probable text."""


@dataclass(frozen=True, slots=True)
class ModelDrafts:
    """What came of asking a model."""

    texts: tuple[str, ...]
    """Messages that can be used, each once, the most probable first; often none."""
    refused: tuple[str, ...] = ()
    """Why the others cannot, a phrase each."""
    omitted: tuple[Omission, ...] = ()
    """What the model was not shown, and why."""
    masked: Counter[str] = field(default_factory=Counter)
    """Kinds of secrets that were masked, and how often."""


def draft_with_model(
    change: Change,
    style: Style,
    generator: Generator,
    *,
    count: int = 1,
    examples: Sequence[str] = (),
    drafts: Sequence[str] = (),
    wish: Wish | None = None,
    seconds: float = 30.0,
    watch: Callable[[str], None] | None = None,
) -> ModelDrafts:
    """Up to `count` messages for `change` by a model, within `seconds`; `drafts`, made without one,
    are shown to a model that was tuned to improve them.

    A change that is too large is read part by part. A text that names what is not in the change, or
    that is no message, is refused. Raises ModelError: no answer in time, or none at all.
    """
    wish = wish or Wish()
    deadline = time.monotonic() + seconds
    budget = min(generator.context - ANSWER_TOKENS - _MARGIN, 6000)
    said = said_by_user(wish)
    shown = "\n".join([haystack(change), said]).lower()
    tuning = getattr(generator, "tuning", None)
    if tuning is None or wish.hint or wish.draft:
        prompt = _ask_for(change, style, generator, budget, deadline, examples, wish)
    else:  # it was taught to answer a question of its own, which has no room for wishes
        prompt = build_short_prompt(
            change, budget=tuning.budget, examples=examples, drafts=drafts[: tuning.drafts]
        )
    answers = _answers(prompt, generator, count, deadline, watch)
    texts: list[str] = []
    refused: list[str] = []
    for answer in answers:
        reply = read_reply(answer, known=prompt.known, said=said, trailers=wish.draft.split("\n"))
        if reply.text is None:
            refused.append(reply.reason)
        elif strange := unknown_names(reply.text, shown):
            refused.append(f"it names {', '.join(sorted(strange)[:3])}, which the change does not have")
        elif reply.text in examples and reply.text not in wish.draft:
            refused.append("it repeats the subject of another commit")
        elif reply.text not in texts:
            texts.append(reply.text)
    return ModelDrafts(tuple(texts), tuple(refused), prompt.omitted, prompt.masked)


def _ask_for(
    change: Change,
    style: Style,
    generator: Generator,
    budget: int,
    deadline: float,
    examples: Sequence[str],
    wish: Wish,
) -> Prompt:
    """The prompt for the whole change, or for the messages of its parts."""
    count = generator.count_tokens
    parts = split_change(change, budget=budget, count=count)
    if len(parts) == 1:
        return build_prompt(change, style, budget=budget, count=count, examples=examples, wish=wish)
    said: list[str] = []
    omitted: list[Omission] = []
    masked: Counter[str] = Counter()
    for number, part in enumerate(parts):
        # Later parts are smaller; the merging needs time as well.
        share = (deadline - time.monotonic()) / (len(parts) - number + 1)
        prompt = build_prompt(part, replace(style, body=0.0), budget=budget, count=count)
        omitted += prompt.omitted
        masked.update(prompt.masked)
        answer = generator.complete(Request(prompt.turns, max_tokens=80, timeout=max(share, 0.1)))[0]
        reply = read_reply(answer.text, known=prompt.known)
        if reply.text is not None:
            said.append(reply.text.partition("\n")[0])
    if not said:
        raise ModelError("The model says nothing usable about any part of the change.", "Try another model.")
    merged = build_merge_prompt(said, style, wish=wish)
    return replace(merged, omitted=tuple(omitted), masked=masked)


def _answers(
    prompt: Prompt,
    generator: Generator,
    count: int,
    deadline: float,
    watch: Callable[[str], None] | None,
) -> list[str]:
    def ask(number: int, temperature: float, watch: Callable[[str], None] | None) -> list[str]:
        left = max(deadline - time.monotonic(), 0.1)
        request = Request(
            prompt.turns,
            count=number,
            temperature=temperature,
            max_tokens=ANSWER_TOKENS,
            seed=1,
            timeout=left,
        )
        return [answer.text for answer in generator.complete(request, watch)]

    answers = ask(1, 0.0, watch)
    if count > 1:
        with suppress(ModelError):  # the first one is there, and the time is up
            answers += ask(count - 1, _SAMPLED, None)
    return answers
