"""What does a language model add to the drafts that were made without one?

Its texts are graded like any other, and the best of all is taken; when it fails, is late or says
nothing usable, the drafts that need no model stand.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gitnotes.errors import InputError, ModelError
from gitnotes.generation import Completion, Generator, Request, Wrapped
from gitnotes.recipes.drafting import LEFT_OUT
from gitnotes.records import Change, Neighbour, Omission, Signature

if TYPE_CHECKING:
    from gitnotes.config import Settings
    from gitnotes.draft.models.prompt import Wish
    from gitnotes.draft.style import Style
    from gitnotes.grade.judging.cache import AnswerCache
    from gitnotes.read.git import Git

EXAMPLES = 3
"""Subjects of similar commits that a model is shown; facts about small models say that more do not help."""
SECONDS = 60.0
"""For all that a model is asked about a change, the second try included."""
_CANDIDATES = 3
_POOR = 50.0
"""The grade below which the model is asked once more."""
_RETRY = "Say more precisely what the change does, and name the main thing that it changes."
_BOUNDARY = re.compile(r"\[[0-9a-f]{16} ")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model added."""

    ranked: tuple[str, ...]
    """Its texts and the other drafts, the best first; only the other drafts when it failed."""
    omitted: tuple[Omission, ...] = ()
    """What it was not shown, what was masked, which of its texts were refused, and why it failed."""
    signature: Signature | None = None
    """None when no text of it could be used."""
    texts: tuple[str, ...] = ()
    """Those of `ranked` that are the model's."""


class Remembering(Wrapped):
    """A model whose answers are kept, so that the second try is free."""

    def __init__(self, inner: Generator, cache: AnswerCache) -> None:
        super().__init__(inner)
        self._cache = cache

    @property
    def tuning(self) -> object:
        """What the model was tuned for, if it was."""
        return getattr(self._inner, "tuning", None)

    def complete(self, request: Request, watch: Callable[[str], None] | None = None) -> list[Completion]:
        """See Generator. The boundaries of a question are new each time, and do not matter to the answer."""
        from gitnotes.grade.judging.cache import key_of

        same = replace(
            request, turns=tuple(replace(turn, text=_BOUNDARY.sub("[", turn.text)) for turn in request.turns)
        )
        key = key_of(str(self.signature), same)
        known = self._cache.get(key)
        if known is not None:
            return known
        answers = self._inner.complete(request, watch)
        if any(answer.text.strip() for answer in answers):  # nothing is not worth keeping
            self._cache.put(key, answers)
        return answers


def ask_model(
    git: Git,
    settings: Settings,
    change: Change,
    style: Style,
    spec: str,
    *,
    drafts: Sequence[str],
    neighbours: Sequence[Neighbour] = (),
    wish: Wish | None = None,
    count: int = 1,
    watch: Callable[[str], None] | None = None,
    seconds: float | None = None,
) -> Answer:
    """Asks the model that `spec` names, and ranks its texts among `drafts` by their grade.

    Without `seconds` it has a minute, and a local model is loaded first; with them it is not.
    What a model of its own accord cannot do (late, gone, unusable) is told in `omitted`. Raises
    UsageError for what the user has to settle: unknown form, not installed, no consent.
    """
    from gitnotes.draft.models.asking import draft_with_model
    from gitnotes.draft.models.prompt import Wish as EmptyWish
    from gitnotes.recipes.judging import open_cache
    from gitnotes.recipes.models import find_generator
    from gitnotes.recipes.outgoing import tell_masked

    wish = wish or EmptyWish()
    told: list[Omission] = []
    deadline = time.monotonic() + (SECONDS if seconds is None else seconds)
    asked: Generator | None = None
    with ExitStack() as stack:
        try:
            generator = asked = find_generator(spec, git, load=seconds is None)
            with suppress(InputError):  # without a cache it only takes longer
                generator = Remembering(generator, stack.enter_context(open_cache()))
            examples = [item.subject for item in neighbours[:EXAMPLES]]

            def draft(wished: Wish) -> list[str]:
                found = draft_with_model(
                    change, style, generator, count=max(count, _CANDIDATES), examples=examples,
                    drafts=drafts, wish=wished, seconds=deadline - time.monotonic(), watch=watch,
                )  # fmt: skip
                told.extend(found.omitted)
                told.extend(Omission("", f"a text of the model was refused: {why}") for why in found.refused)
                masked = ", ".join(f"{number} {kind}" for kind, number in sorted(found.masked.items()))
                if masked:
                    told.append(Omission("", f"masked before it was sent: {masked}"))
                return list(found.texts)

            texts = draft(wish)
            ranked = rank_texts(git, settings, change, texts, drafts)
            if not texts or (_grade(git, settings, change, texts[0]) < _POOR and ranked[0] not in texts):
                try:
                    texts += draft(replace(wish, hint=f"{wish.hint} {_RETRY}".strip()))
                except ModelError as problem:  # its first texts stand
                    told.append(Omission("", f"the model was not asked again: {problem}"))
                ranked = rank_texts(git, settings, change, texts, drafts)
            signature = generator.signature if texts else None
        except ModelError as problem:
            told.extend(tell_masked(asked))
            return Answer(tuple(drafts), (*told, Omission("", f"{LEFT_OUT} {problem}")))
    unique = tuple(dict.fromkeys([*told, *tell_masked(asked)]))
    return Answer(tuple(ranked), unique, signature, tuple(texts))


def rank_texts(
    git: Git, settings: Settings, change: Change, texts: Sequence[str], drafts: Sequence[str]
) -> list[str]:
    """All candidates: the model's and the first draft, those first that grade well and agree with the
    others, and then the other drafts in their order, which is better than what a grade makes of them.

    The agreement is the mean Log-MNEXT with the other candidates: the choice of least Bayes risk
    when each of them is as likely to be right. Of equals a model's text comes first, as it was asked for.
    """
    from gitnotes.grade.log_mnext import log_mnext

    every = list(dict.fromkeys([*texts, *drafts]))
    if not texts or len(every) < 2:
        return every
    rivals = [text for text in every if text in texts or text in drafts[:1]]

    def worth(text: str) -> float:
        others = [other for other in every if other != text]
        agreement = sum(log_mnext(text, other).value for other in others) / len(others)
        return _grade(git, settings, change, text) / 100 + agreement

    return [*sorted(rivals, key=worth, reverse=True), *(text for text in every if text not in rivals)]


def _grade(git: Git, settings: Settings, change: Change, text: str) -> float:
    from gitnotes.recipes.grading import grade_text

    return grade_text(git, settings, text, change=change).grade.overall or 0.0
