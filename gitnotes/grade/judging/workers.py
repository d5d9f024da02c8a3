"""How many questions are under way at once, and what becomes of them when nobody waits any more?"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from types import TracebackType
from typing import ParamSpec, TypeVar

Result = TypeVar("Result")
Given = ParamSpec("Given")


class Workers:
    """Threads that do what they are given, in order; what is not begun when the block ends is dropped.

    Not a ThreadPoolExecutor: at its end the interpreter waits for the calls of one, and a server may
    take minutes to answer somebody who has pressed Ctrl-C.
    """

    def __init__(self, count: int) -> None:
        self._tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._left = False
        self._count = max(1, count)
        for _ in range(self._count):
            threading.Thread(target=self._work, daemon=True).start()

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left = True
        for _ in range(self._count):
            self._tasks.put(lambda: None)  # so that those who wait for a task look up

    def submit(
        self, function: Callable[Given, Result], *arguments: Given.args, **named: Given.kwargs
    ) -> Future[Result]:
        """Has `function` called by one of the threads."""
        future: Future[Result] = Future()

        def run() -> None:
            try:
                future.set_result(function(*arguments, **named))
            except BaseException as problem:  # raised again where the result is asked for
                future.set_exception(problem)

        self._tasks.put(run)
        return future

    def _work(self) -> None:
        while True:
            task = self._tasks.get()
            if self._left:
                return
            task()
