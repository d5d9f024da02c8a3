"""How large may batches be on this machine, and how long will training take?

Nothing is guessed from tables: a few real passes are timed before training starts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gitnotes.errors import ModelError

BATCH = 16
"""Examples a step of the optimizer."""
_AT_A_TIME = 4
"""Examples that go through the model together on a CPU, where more gain nothing."""
_RATE, _SMALL_RATE = 2e-4, 5e-4
_SMALL = 500_000_000
"""Weights below which a model needs, and stands, the higher rate."""
_LEFT = 0.02
"""Bytes that a token leaves behind in a pass, a weight of the model: 2 to 3 MB at 135 million."""
_SPARE = 0.9
"""Of the memory that is free, at most."""


@dataclass(frozen=True, slots=True)
class Row:
    """The tokens of a question and its answer; the answer begins at `start`."""

    tokens: tuple[int, ...]
    start: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Every setting that changes what comes of training."""

    epochs: float = 3.0
    batch: int = BATCH
    """Examples a step of the optimizer."""
    at_a_time: int = 0
    """Examples that go through the model together; several make a batch. 0: by the machine."""
    tokens: int = 384
    """Of a question with its answer; longer ones lose the middle of the question."""
    rate: float = 0.0
    """Learning rate at its highest; it falls to 0 in a line. 0: by the size of the model."""
    rank: int = 16
    """Of the low-rank matrices (LoRA, Hu et al. 2021)."""
    dropout: float = 0.0
    patience: int = 2
    """Looks at the held-out examples without a gain after which training stops."""
    looks: int = 8
    """Times that the held-out examples are looked at, and a checkpoint is written."""
    held_out: int = 200
    """Held-out examples that are looked at, at most; fewer where little is trained."""
    seed: int = 1

    @property
    def turns(self) -> int:
        """Passes through the model that make up one step."""
        return max(1, self.batch // self.at_a_time)

    def looked_at(self, examples: int) -> int:
        """Held-out examples that are looked at: all looks together take a tenth of the time, as to look
        at one costs a third of learning from it."""
        affordable = int(0.3 * self.epochs * examples / self.looks)
        return min(self.held_out, max(affordable, 32))

    def steps(self, examples: int) -> int:
        """Steps of the optimizer for that many examples."""
        return max(1, round(self.epochs * examples / (self.at_a_time * self.turns)))


@dataclass(frozen=True, slots=True)
class Estimate:
    """What training will cost, as a few real passes tell."""

    steps: int
    seconds: float
    memory: int
    """Bytes at the highest."""
    weights: int
    """Numbers in the model."""
    trained: int
    """Numbers that are learned."""
    device: str


def encode(question: Sequence[int], answer: Sequence[int], limit: int) -> Row:
    """The row of a question and its answer in at most `limit` tokens.

    A question that is too long loses its middle, where the end of a long change is; an answer that
    alone fills the row is cut.
    """
    answer = answer[: max(limit * 3 // 4, 1)]
    room = limit - len(answer)
    if len(question) > room:
        head = room * 2 // 3
        question = [*question[:head], *question[len(question) - (room - head) :]]
    return Row((*question, *answer), len(question))


def fit_plan(plan: Plan, weights: int, *, device: str, memory: int) -> Plan:
    """The plan with what it left to the machine: the rate for a model of so many `weights`, and how
    many examples go through it together with so many bytes of memory."""
    rate = plan.rate or (_SMALL_RATE if weights < _SMALL else _RATE)
    at_a_time = plan.at_a_time
    if not at_a_time:
        each = _LEFT * weights * plan.tokens
        fits = int((memory * 0.5 - 2 * weights) / each) if memory else 1
        at_a_time = max(1, min(plan.batch if device != "cpu" else _AT_A_TIME, fits))
    return replace(plan, rate=rate, at_a_time=min(at_a_time, plan.batch))


def check_memory(estimate: Estimate, free: int, plan: Plan) -> None:
    """Raises ModelError when training needs more memory than is free."""
    if free and estimate.memory > free * _SPARE:
        raise ModelError(
            f"Training needs about {estimate.memory / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free.",
            smaller_hint(plan),
        )


def smaller_hint(plan: Plan) -> str:
    """What to do when memory is short."""
    if plan.at_a_time > 1:
        return f"Let fewer examples through at a time: --at-a-time {plan.at_a_time // 2}"
    if plan.tokens > 128:
        return f"Shorten the examples: --tokens {plan.tokens // 2}"
    return "Use a smaller model."


def free_memory() -> int:
    """Bytes of main memory that a process may still take; 0 where it cannot be told."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:  # noqa: PTH123
            rows = dict(line.split(":", 1) for line in file)
        found = int(rows["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        try:
            found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        except (ValueError, OSError, AttributeError):
            return 0
    return min(found, _limit_of_group() or found)


def _limit_of_group() -> int:
    """What is left of the limit that a container has; 0 without one."""
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:  # noqa: PTH123
            limit = file.read().strip()
        with open("/sys/fs/cgroup/memory.current", encoding="ascii") as file:  # noqa: PTH123
            used = int(file.read())
        return max(int(limit) - used, 1)
    except (OSError, ValueError):
        return 0


def peak_memory() -> int:
    """Bytes of main memory that this process had at the highest; 0 where it cannot be told."""
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(most) if sys.platform == "darwin" else int(most) * 1024
