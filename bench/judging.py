"""What does a call of the judge cost beside the model: the question, the cache, the reading?

    python -m bench.judging --texts 250

A model that answers at once is asked about texts with changes of the size that judges are shown.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from gitnotes.generation import Completion, Request
from gitnotes.grade.judging.asking import Plan
from gitnotes.grade.judging.cache import AnswerCache
from gitnotes.grade.judging.judge import judge_texts
from gitnotes.grade.judging.questions import Case
from gitnotes.grade.judging.rubric import find_profile
from gitnotes.records import Signature


class Instant:
    """Answers at once."""

    signature = Signature("instant", "1", {"model": "instant"})
    context = 8192

    def complete(self, request: Request, watch: Callable[[str], None] | None = None) -> list[Completion]:
        """A good answer to every question."""
        return [Completion('{"score": 3}', "instant", prompt_tokens=1000, completion_tokens=5)]

    def count_tokens(self, text: str) -> int:
        """About a token for three characters."""
        return len(text) // 3


def make_cases(count: int) -> list[Case]:
    """Changes of about 1,500 tokens, each with a message of three lines."""
    source = "\n".join(f"+    value_{number} = compute(number, scale={number})" for number in range(90))
    return [
        Case(f"{source}\n+text {number}", f"Compute part {number}\n\nIt was left out before.")
        for number in range(count)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints milliseconds a call, on the clock and of the processor, the first time and from the cache."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=250)
    chosen = parser.parse_args(arguments)
    cases = make_cases(chosen.texts)
    plan = Plan(find_profile("coderpe"))
    with tempfile.TemporaryDirectory() as folder, AnswerCache(Path(folder) / "judge.sqlite") as cache:
        for name in ("asked", "from the cache"):
            clock, cpu = time.perf_counter(), time.process_time()
            found = list(judge_texts(cases, plan, Instant(), salt=b"x", cache=cache))
            clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
            calls = sum(item.calls + item.cached for item in found)
            print(
                f"{name:15} {calls:,} calls: {1000 * clock / calls:.2f} ms each,"
                f" {1000 * cpu / calls:.2f} of the processor"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
