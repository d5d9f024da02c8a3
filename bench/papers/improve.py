"""Can a metric of matched words agree better with people than mnext-f1, without fooling itself?

    python -m bench.papers improve --data DIR

Ideas on top of F of the matched words, each a setting that can be off:

- `parts`: an identifier without a partner is split (`parseHTTPHeader`, `foo_bar`), and the share
  of its parts that some left-over word of the other text has counts, at this weight;
- `opposites`: the score is multiplied by this when one text adds what the other removes;
- `negation`: the score is multiplied by this when one text negates and the other does not;
- `stop`, `alpha`, `gamma` (with beta 2.35), `stem`, `synonym`: the weights of mnext-f1.

All settings are tried on the training part only: 5 folds, 20 times over (`nested`), and one
project left out at a time, the held-out scores then ranked together (`projects`). What an idea
is worth is its family's value minus that of the family without it. The labels are those of the
same 100 pairs; there are no others.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from bench.papers.data import Rated, complain, read_labelled, write_json
from gitnotes.grade.correlation import spearman
from gitnotes.grade.metric import make_metric
from gitnotes.grade.mnext_f1 import STOP_WORDS
from gitnotes.grade.realign import align_once
from gitnotes.grade.words import stem, strip_punctuation

SEED = 12345
FOLDS = 5
REPEATS = 20

_PARTS = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]|[0-9]+")
_ADDING = frozenset(map(stem, ("add", "introduce", "create", "enable", "allow", "support", "implement")))
_REMOVING = frozenset(map(stem, ("remove", "delete", "drop", "disable", "disallow", "exclude", "deprecate")))
_NEGATIONS = frozenset(
    ("not", "no", "never", "without", "dont", "doesnt", "cant", "cannot", "isnt", "wont", "avoid", "prevent")
)


@dataclass(frozen=True, slots=True)
class Idea:
    """One setting of the family; the defaults are mnext-f1."""

    stop: float = 0.3
    alpha: float = 0.5
    gamma: float = 0.0
    stem: float = 0.8
    synonym: float = 0.6
    parts: float = 0.0
    opposites: float = 1.0
    negation: float = 1.0


GRID: dict[str, tuple[float, ...]] = {
    "stop": (0.3, 0.5, 1.0),
    "alpha": (0.5, 0.3, 0.7),
    "gamma": (0.0, 0.45),
    "stem": (0.8, 1.0),
    "synonym": (0.6, 0.0),
    "parts": (0.0, 0.5, 1.0),
    "opposites": (1.0, 0.5),
    "negation": (1.0, 0.5),
}
"""What is tried, the value of mnext-f1 first."""

BASE = ("stop", "alpha", "gamma", "stem", "synonym")
FAMILIES: dict[str, tuple[str, ...]] = {
    "mnext-f1, nothing tuned": (),
    "weights": BASE,
    "weights, parts": (*BASE, "parts"),
    "weights, opposites": (*BASE, "opposites"),
    "weights, negation": (*BASE, "negation"),
    "parts alone": ("parts",),
    "opposites alone": ("opposites",),
    "negation alone": ("negation",),
    "all": (*BASE, "parts", "opposites", "negation"),
}


def ideas(free: Sequence[str]) -> Iterator[Idea]:
    """All settings in which only these differ from mnext-f1."""
    for values in itertools.product(*(GRID[name] for name in free)):
        yield Idea(**dict(zip(free, values, strict=True)))


class Pair:
    """What all settings need of a pair, worked out once."""

    def __init__(self, pair: Rated) -> None:
        sides = [
            [word for word in text.split() if strip_punctuation(word)]
            for text in (pair.prediction, pair.reference)
        ]
        self.words = [[strip_punctuation(word).lower() for word in side] for side in sides]
        self.stages = {
            synonyms: align_once(*self.words, synonyms=synonyms) for synonyms in ("directed", "none")
        }
        self.parts = [[[part.lower() for part in _PARTS.findall(word)] for word in side] for side in sides]
        stems = [{stem(word) for word in side} for side in self.words]
        self.opposed = any(
            stems[side] & _ADDING and stems[1 - side] & _REMOVING and not stems[side] & _REMOVING
            for side in (0, 1)
        )
        negated = [bool(_NEGATIONS.intersection(side)) for side in self.words]
        self.negated = negated[0] != negated[1]


def rate(pair: Pair, idea: Idea) -> float:
    """The score of a pair under these settings."""
    weights = [[idea.stop if word in STOP_WORDS else 1.0 for word in side] for side in pair.words]
    if not weights[0] or not weights[1]:
        return 0.0
    alignment = pair.stages["directed" if idea.synonym else "none"]
    found = [0.0, 0.0]
    free = [set(range(len(side))) for side in pair.words]
    count = chunks = 0
    last = (-2, -2)
    for value, pairs in zip((1.0, idea.stem, idea.synonym), alignment, strict=True):
        for places in pairs:
            for side in (0, 1):
                found[side] += value * weights[side][places[side]]
                free[side].discard(places[side])
    for places in alignment.pairs():
        count += 1
        chunks += places != (last[0] + 1, last[1] + 1)
        last = places
    if idea.parts:
        for side in (0, 1):
            other = {part for place in free[1 - side] for part in pair.parts[1 - side][place]}
            for place in free[side]:
                parts = pair.parts[side][place]
                if len(parts) > 1 or pair.words[side][place] in other:
                    share = sum(part in other for part in parts) / max(len(parts), 1)
                    found[side] += idea.parts * share * weights[side][place]
    if not all(found):
        return 0.0
    precision, recall = found[0] / sum(weights[0]), found[1] / sum(weights[1])
    score = precision * recall / (idea.alpha * precision + (1 - idea.alpha) * recall)
    if idea.gamma and count and not count == len(weights[0]) == len(weights[1]):
        score *= 1 - idea.gamma * (chunks / count) ** 2.35
    if pair.opposed:
        score *= idea.opposites
    if pair.negated:
        score *= idea.negation
    return score


Columns = dict[Idea, list[float]]


def _ranker(columns: Columns, people: Sequence[float]) -> Callable[[Sequence[int]], Idea]:
    """Finds the best setting on some of the rows; of equal ones the first, which is the plainest."""

    def choose(rows: Sequence[int]) -> Idea:
        side = [people[row] for row in rows]
        return max(columns, key=lambda idea: spearman([columns[idea][row] for row in rows], side) or -1.0)

    return choose


def nested(columns: Columns, people: Sequence[float], repeats: int) -> float:
    """The mean of rho over all rows, each scored with the settings chosen without its fold."""
    choose = _ranker(columns, people)
    chance = random.Random(SEED)
    total = 0.0
    rows = list(range(len(people)))
    for _ in range(repeats):
        chance.shuffle(rows)
        held = [0.0] * len(rows)
        for fold in range(FOLDS):
            out = set(rows[fold::FOLDS])
            idea = choose([row for row in rows if row not in out])
            for row in out:
                held[row] = columns[idea][row]
        total += spearman(held, people) or 0.0
    return total / repeats


def by_project(columns: Columns, people: Sequence[float], projects: Sequence[str]) -> float:
    """Rho over all rows, each scored with the settings chosen without its project."""
    choose = _ranker(columns, people)
    held = [0.0] * len(people)
    for project in set(projects):
        idea = choose([row for row, name in enumerate(projects) if name != project])
        for row, name in enumerate(projects):
            if name == project:
                held[row] = columns[idea][row]
    return spearman(held, people) or 0.0


def prune(columns: Columns) -> Columns:
    """One setting of those that rate all pairs alike."""
    seen: dict[tuple[float, ...], Idea] = {}
    for idea, values in columns.items():
        seen.setdefault(tuple(values), idea)
    return {idea: list(values) for values, idea in seen.items()}


def run(folder: Path, output: Path | None = None, repeats: int = REPEATS) -> int:
    """Prints what each idea is worth; 3 without data."""
    rated, labels = read_labelled(folder)
    if not rated:
        return complain("Nothing was measured: there is no CommitMsgEmpirical/human_evaluation.")
    pairs = [Pair(pair) for pair in rated]
    projects = [pair.project for pair in rated]
    targets = {"overall": [pair.mean for pair in rated], **labels}
    opposed, negated = sum(pair.opposed for pair in pairs), sum(pair.negated for pair in pairs)
    print(f"{len(pairs)} pairs of {len(set(projects))} projects; {opposed} opposed, {negated} negated in one")
    metric = make_metric("log-mnext")
    plain = [metric.score(pair.prediction, [pair.reference]) or 0.0 for pair in rated]
    print(f"{'':26}{'settings':>9}{'in sample':>11}{'nested':>8}{'projects':>10}  label, best in sample")
    rows: list[dict[str, Any]] = []
    for label, people in targets.items():
        print(f"{'log-mnext':26}{1:>9}{spearman(plain, people) or 0:>11.3f}{'':18}  {label}")
        for name, free in FAMILIES.items():
            columns = prune({idea: [rate(pair, idea) for pair in pairs] for idea in ideas(free)})
            best = _ranker(columns, people)(range(len(pairs)))
            inside = spearman(columns[best], people) or 0.0
            tuned = nested(columns, people, repeats) if len(columns) > 1 else inside
            held = by_project(columns, people, projects) if len(columns) > 1 else inside
            changed = ", ".join(
                f"{item.name} {getattr(best, item.name)}"
                for item in fields(best)
                if getattr(best, item.name) != item.default
            )
            print(f"{name:26}{len(columns):>9}{inside:>11.3f}{tuned:>8.3f}{held:>10.3f}  {label}, {changed}")
            rows.append(
                {
                    "label": label,
                    "family": name,
                    "settings": len(columns),
                    "in_sample": inside,
                    "nested": tuned,
                    "projects": held,
                    "best": asdict(best),
                }
            )
    write_json(output, {"improve": rows})
    return 0
