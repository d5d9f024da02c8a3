"""How are chunks of pairs scored by several processes, with the results in the order of the chunks?

The process that reads also scores: it hands chunks to its helpers until each has enough to do, and
takes the next one itself. So two processes are two that work, and only half of the pairs are copied.
"""

from __future__ import annotations

import math
import os
import signal
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gitnotes.errors import InputError
from gitnotes.grade.metric import Metric, make_metric

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Pair = tuple[str, tuple[str, ...]]
"""A prediction and its references."""

Context = TypeVar("Context")

_DEPTH = 6
"""Chunks that a helper has at a time, one to score and others that wait.

With fewer, a helper runs dry while the system puts this process aside. Should the texts not fit into
the pipe, this process waits for the helper to take a chunk; the answers are small and always fit.
"""

_HELD = 32
"""Chunks that may wait for an earlier one; a helper that the system puts aside stops nobody at once."""


@dataclass(frozen=True, slots=True)
class Task(Generic[Context]):
    """Pairs to score, and whatever the caller wants back with their scores."""

    context: Context
    pairs: Sequence[Pair]


@dataclass(frozen=True, slots=True)
class Scored(Generic[Context]):
    """For each metric the scores of the pairs; NaN where it has none."""

    context: Context
    scores: list[array[float]]


def score_chunk(metrics: Sequence[Metric], pairs: Sequence[Pair]) -> list[array[float]]:
    """For each metric the score of each pair; NaN where there is none, also when the metric fails."""
    return [array("d", _score(metric, pairs)) for metric in metrics]


def _score(metric: Metric, pairs: Sequence[Pair]) -> Iterator[float]:
    score = metric.score
    for prediction, references in pairs:
        try:
            value = score(prediction, references)
        except Exception:
            # One row must not take the results of all others with it; it is counted as unscored.
            value = None
        yield math.nan if value is None else value


class _Helper:
    """Another process; `waiting` counts the chunks that it has not answered."""

    def __init__(self, names: Sequence[str], inherited: list[Connection]) -> None:
        import multiprocessing

        # fork is faster; where it is missing, the helper imports what it needs.
        method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
        context: Any = multiprocessing.get_context(method)
        pipe: tuple[Connection, Connection] = context.Pipe()
        self.connection, theirs = pipe
        close = [*inherited, self.connection] if method == "fork" else []
        self.process = context.Process(target=_serve, args=(theirs, list(names), close), daemon=True)
        self.process.start()
        theirs.close()
        self.waiting = 0

    def send(self, pairs: Sequence[Pair]) -> None:
        try:
            self.connection.send(pairs)
        except OSError as problem:
            raise self._lost() from problem
        self.waiting += 1

    def receive(self) -> list[array[float]]:
        try:
            answer: list[array[float]] = self.connection.recv()
        except (EOFError, OSError) as problem:
            raise self._lost() from problem
        self.waiting -= 1
        return answer

    def _lost(self) -> InputError:
        return InputError(
            "A process that scored has ended; it may have run out of memory.",
            "Run again with fewer --processes; with --rows, --resume goes on where this run stopped.",
        )

    def stop(self) -> None:
        self.connection.close()
        self.process.join(1)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join()
        self.process.close()


def _serve(connection: Connection, names: list[str], inherited: list[Connection]) -> None:
    """Answers chunks until the other end is closed, also because its process was killed."""
    # Ctrl-C is for the process that reads; an open copy of its end would hide that it has gone.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in inherited:
        other.close()
    try:
        metrics = [make_metric(name) for name in names]
        while True:
            connection.send(score_chunk(metrics, connection.recv()))
    except (EOFError, OSError):
        # Not sys.exit: what the parent had buffered when it forked is not ours to write.
        os._exit(0)


class Pool:
    """Scores chunks with `processes` processes, this one among them; close it after use."""

    def __init__(self, names: Sequence[str], processes: int = 1) -> None:
        """Raises UsageError when there is no such metric, or it is not installed."""
        self.metrics = [make_metric(name) for name in names]
        self._helpers: list[_Helper] = []
        for _ in range(processes - 1):
            self._helpers.append(_Helper(names, [helper.connection for helper in self._helpers]))

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *problem: object) -> None:
        for helper in self._helpers:
            helper.stop()

    def map(self, tasks: Iterable[Task[Context]]) -> Iterator[Scored[Context]]:
        """The scores of each task, in order; a bounded number of tasks is held.

        Raises InputError when a helper was killed.
        """
        if not self._helpers:
            for task in tasks:
                yield Scored(task.context, score_chunk(self.metrics, task.pairs))
            return
        queue: deque[tuple[Context, _Helper | None, list[array[float]]]] = deque()
        for task in tasks:
            # Small tasks are not worth a copy.
            free = min(self._helpers, key=lambda helper: helper.waiting) if len(task.pairs) > 1 else None
            if free is not None and free.waiting < _DEPTH:
                free.send(task.pairs)
                queue.append((task.context, free, []))
            else:
                queue.append((task.context, None, score_chunk(self.metrics, task.pairs)))
            while queue and (self._is_ready(queue[0][1]) or len(queue) > _HELD):
                yield self._finish(*queue.popleft())
        while queue:
            yield self._finish(*queue.popleft())

    def _is_ready(self, helper: _Helper | None) -> bool:
        return helper is None or helper.connection.poll()

    def _finish(
        self, context: Context, helper: _Helper | None, scores: list[array[float]]
    ) -> Scored[Context]:
        # A helper answers in the order of its chunks, so its next answer is for its first in the queue.
        return Scored(context, helper.receive() if helper is not None else scores)
