"""Which weights make the choice between candidates come nearest to what people wrote?

`python -m bench.drafting.fit --repo DIR --older DIR --out gitnotes/data/choice.json` drafts commits as
`python -m bench.drafting` does: the newest of each `--repo`, and of each `--older` only those before its
200 newest, on which the benchmark reports. A candidate is worth the mean of Log-MNEXT and mnext-f1. The
weights w maximise the mean over commits of sum_c softmax(w x_c) worth_c, less a penalty on their
squares. What is printed is the worth on each repository of weights fitted on the others.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bench.drafting.past import History, without_reference
from gitnotes.changes import add_parts
from gitnotes.config import Settings
from gitnotes.draft.choose import find_candidates
from gitnotes.draft.style import learn_style
from gitnotes.grade.log_mnext import find_value
from gitnotes.grade.mnext_f1 import MnextF1
from gitnotes.index import open_index
from gitnotes.read.diff import read_commit
from gitnotes.read.git import open_git

RESERVED = 200
"""Newest commits of an `--older` repository, which are not looked at."""
STEPS, RATE, PENALTY = 250, 0.1, 3.0


class Choice(NamedTuple):
    """The candidates of one commit: their numbers, and what each is worth."""

    numbers: list[dict[str, float]]
    worth: list[float]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.drafting.fit",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--repo", type=Path, action="append", default=[])
    parser.add_argument("--older", type=Path, action="append", default=[])
    parser.add_argument("--last", type=int, default=450, help="newest commits of each repository")
    parser.add_argument("--out", type=Path, help="write the weights of all repositories here")
    chosen = parser.parse_args(arguments)
    places = [*chosen.repo, *chosen.older]
    skips = [0] * len(chosen.repo) + [RESERVED] * len(chosen.older)
    with ProcessPoolExecutor() as pool:
        lasts = [chosen.last - skip for skip in skips]
        sets = dict(zip(places, pool.map(collect, places, lasts, skips), strict=True))
    if chosen.out:
        weights = fit([choice for found in sets.values() for choice in found])
        told = {name: round(weight, 3) for name, weight in sorted(weights.items())}
        chosen.out.write_text(json.dumps({"weights": told}, indent=1) + "\n", "utf-8")
    for place, mine in sets.items():
        weights = fit([choice for other, found in sets.items() if other != place for choice in found])
        first = sum(choice.worth[0] for choice in mine) / len(mine)
        most = sum(max(choice.worth) for choice in mine) / len(mine)
        print(
            f"{place}: {len(mine)} commits, first candidate {100 * first:.1f}, "
            f"chosen {100 * worth(mine, weights):.1f}, best {100 * most:.1f}"
        )
    return 0


def collect(place: Path, last: int, skip: int) -> list[Choice]:
    """The choices of the `last` newest commits of people after the `skip` newest."""
    git = open_git(place)
    history = History(git)
    metric = MnextF1()
    found: list[Choice] = []
    with TemporaryDirectory() as folder, open_index(git, Path(folder) / "history.sqlite") as index:  # type: ignore[union-attr]
        index.update(git, git.resolve("HEAD"))
        for item in history.newest(last, skip):
            _, recent = history.before(item, Settings().history)
            change = add_parts(git, read_commit(git, item.commit.sha))
            neighbours = index.neighbours(change, change.base)
            drafted = find_candidates(change, learn_style(recent), neighbours)
            texts = [without_reference(candidate.subject) for candidate in drafted.candidates]
            values = [
                (find_value(text, item.subject) + (metric.score(text, [item.subject]) or 0.0)) / 2
                for text in texts
            ]
            found.append(Choice(drafted.numbers, values))
    return found


def fit(choices: Sequence[Choice]) -> dict[str, float]:
    """The weight of each number, by Adam on standardised numbers."""
    import numpy as np

    names = sorted({name for choice in choices for row in choice.numbers for name in row})
    rows = [row for choice in choices for row in choice.numbers]
    data = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    spread = data.std(0)
    spread[spread < 1e-6] = 1.0
    data /= spread
    values = np.array([value for choice in choices for value in choice.worth])
    sizes = np.array([len(choice.worth) for choice in choices])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    owner = np.repeat(np.arange(len(choices)), sizes)
    weights: Any = np.zeros(len(names))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        scores = data @ weights
        shares = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        shares /= np.add.reduceat(shares, starts)[owner]
        expected = np.add.reduceat(shares * values, starts)
        slope = PENALTY * weights - 10 * (data.T @ (shares * (values - expected[owner])))
        slope /= len(choices)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope * slope
        rate = RATE / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        weights -= rate * mean / (1 - 0.9**step)
    return dict(zip(names, (weights / spread).tolist(), strict=True))


def worth(choices: Sequence[Choice], weights: dict[str, float]) -> float:
    """The mean worth of the candidates with the highest score."""
    total = 0.0
    for choice in choices:
        scores = [
            sum(weights.get(name, 0.0) * value for name, value in row.items()) for row in choice.numbers
        ]
        total += choice.worth[scores.index(max(scores))]
    return total / max(len(choices), 1)


if __name__ == "__main__":
    sys.exit(main())
