"""What is looked at once more before it leaves this machine, and what came of it?

Texts are masked where they are put together; gitleaks, where it is installed, sees what they became.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from gitnotes.generation import Completion, Generator, Request, Turn, Wrapped
from gitnotes.guard.gitleaks import SECONDS, mask_as_gitleaks
from gitnotes.guard.text import show
from gitnotes.records import Omission

_SHARE = 0.3
"""Of the time for a question, at most for the look at it."""
_KNOWN = 64
"""Texts whose masked form is kept: of one change or message several questions are asked."""


class Masking(Wrapped):
    """A model elsewhere; what gitleaks finds in a question is masked before it is sent."""

    def __init__(self, inner: Generator, program: str) -> None:
        super().__init__(inner)
        self._program = program
        self._lock = threading.Lock()
        self._known: dict[str, str] = {}
        self.masked: Counter[str] = Counter()
        self.has_failed = False
        """Whether gitleaks gave no answer once; then it is not asked again."""

    def complete(self, request: Request, watch: Callable[[str], None] | None = None) -> list[Completion]:
        """See Generator."""
        started = time.monotonic()
        until = started + min(request.timeout * _SHARE, SECONDS)
        turns = tuple(self._mask(turn, until) for turn in request.turns)
        left = max(request.timeout - (time.monotonic() - started), 0.1)
        return self._inner.complete(replace(request, turns=turns, timeout=left), watch)

    def tell(self) -> tuple[Omission, ...]:
        """What was masked, and whether gitleaks failed."""
        told = []
        if self.masked:
            kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(self.masked.items()))
            told.append(Omission("", f"masked by gitleaks before it was sent: {kinds}"))
        if self.has_failed:
            told.append(
                Omission("", f"{show(self._program)} gave no answer, so secrets were masked without it")
            )
        return tuple(told)

    def _mask(self, turn: Turn, until: float) -> Turn:
        if turn.role == "system":  # our own words
            return turn
        with self._lock:
            text = self._known.get(turn.text)
            if text is None and not self.has_failed:
                found = mask_as_gitleaks(turn.text, self._program, until - time.monotonic())
                if found is None:
                    self.has_failed = True
                else:
                    text, counts = found
                    self.masked.update(counts)
                    if len(self._known) >= _KNOWN:
                        self._known.clear()
                    self._known[turn.text] = text
        return turn if text is None else replace(turn, text=text)


def look_through(generator: Generator) -> Generator:
    """The model with gitleaks before it, where that is installed."""
    from gitnotes.guard.gitleaks import find_gitleaks

    program = find_gitleaks()
    return generator if program is None else Masking(generator, program)


def tell_masked(generator: Generator | None) -> tuple[Omission, ...]:
    """What gitleaks did to the questions of this model; nothing where it was not asked."""
    return generator.tell() if isinstance(generator, Masking) else ()
