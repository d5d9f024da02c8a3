"""How do several processes share the reading of a history, with the results in order?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from gitnotes.errors import InputError

Task = TypeVar("Task")
Result = TypeVar("Result")


def map_shares(work: Callable[[Task], Result], tasks: Sequence[Task], processes: int) -> Iterator[Result]:
    """What `work` makes of each task, in their order; with less than two processes by this one.

    Raises what `work` raises, and InputError when a process was killed.
    """
    if min(processes, len(tasks)) < 2:
        yield from map(work, tasks)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with ProcessPoolExecutor(min(processes, len(tasks))) as pool:
        try:
            yield from pool.map(work, tasks)
        except BrokenProcessPool:
            raise InputError(
                "A process that reads the history was killed, as it is when memory is short.",
                "Read with fewer: --processes 1",
            ) from None
        finally:
            pool.shutdown(cancel_futures=True)  # nobody waits for them after Ctrl-C
