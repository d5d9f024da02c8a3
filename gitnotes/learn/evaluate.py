"""Which drafter comes nearest to what people wrote, is it sure, and is it worth its time?

Every drafter writes for the same commits, so that they are compared commit by commit. A draft that
does not come counts as an empty one, not as none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from gitnotes.grade.log_mnext import find_value
from gitnotes.grade.mnext_f1 import MnextF1
from gitnotes.grade.significance import compare
from gitnotes.grade.words import split_words
from gitnotes.learn.feedback import edit_similarity
from gitnotes.records import Signature

METRICS = ("log-mnext", "mnext-f1", "rouge-l", "edit")
"""What is compared with the person's subject, 0 to 1, the first one deciding."""
KEPT = 0.9
"""Edit similarity from which a draft counts as taken as it is."""
ROUGH = 30
"""Commits below which nothing can be told apart."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One draft beside what the person wrote."""

    id: str
    reference: str
    text: str
    scores: dict[str, float]
    """By the names in METRICS."""
    grade: float | None
    """0 to 100 by gitnotes' own scale, which sees the change and not the reference."""
    invented: bool
    """Whether it has a name that the change does not show."""
    seconds: float


@dataclass(frozen=True, slots=True)
class System:
    """One drafter on all commits."""

    name: str
    rows: tuple[Measured, ...]
    memory: int | None
    """Bytes that it added to the process; None where it cannot be told."""
    model: bool = False
    """Whether it needs a language model."""
    notes: tuple[str, ...] = ()
    choice: bool = True
    """Whether it can be chosen; a yardstick and the drafts of another tool cannot."""

    def mean(self, metric: str) -> float:
        """The mean of a metric over the commits."""
        return math.fsum(row.scores[metric] for row in self.rows) / len(self.rows)

    def share(self, what: str) -> float:
        """The share of drafts that are `kept`, `invented` or `empty`."""
        found = {
            "kept": [row.scores["edit"] >= KEPT for row in self.rows],
            "invented": [row.invented for row in self.rows],
            "empty": [not row.text for row in self.rows],
        }[what]
        return sum(found) / len(found)

    @property
    def grade(self) -> float | None:
        """The mean grade of the drafts that can be graded."""
        known = [row.grade for row in self.rows if row.grade is not None]
        return math.fsum(known) / len(known) if known else None

    @property
    def seconds(self) -> float:
        """The median of the seconds a draft."""
        times = sorted(row.seconds for row in self.rows)
        return times[len(times) // 2]


@dataclass(frozen=True, slots=True)
class Duel:
    """A drafter beside the first one, on the same commits."""

    system: str
    baseline: str
    metric: str
    difference: float
    low: float
    high: float
    """The 95 % interval by paired bootstrap."""
    p: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The drafters side by side."""

    repository: str
    commits: int
    first: int
    """Time of the oldest of them, seconds since the epoch."""
    last: int
    systems: tuple[System, ...]
    duels: tuple[Duel, ...]
    recommended: str
    reason: str
    signature: Signature
    notes: tuple[str, ...] = ()
    extras: dict[str, str] = field(default_factory=dict)


_F1 = MnextF1()


def score_draft(text: str, reference: str) -> dict[str, float]:
    """The scores of a subject against the person's, by the names in METRICS."""
    words, others = split_words(text), split_words(reference)
    common = _longest_common(words, others)
    return {
        "log-mnext": find_value(text, reference),
        "mnext-f1": _F1.score(text, [reference]) or 0.0,
        "rouge-l": 2 * common / (len(words) + len(others)) if words or others else 0.0,
        "edit": edit_similarity(words, others),
    }


def compare_all(systems: Sequence[System], *, seed: int = 1) -> tuple[Duel, ...]:
    """Every drafter but the first beside the first one, by the first two metrics."""
    found = []
    for system in systems[1:]:
        for metric in METRICS[:2]:
            duel = _compare(systems[0], system, metric, seed)
            if duel is not None:
                found.append(duel)
    return tuple(found)


def _compare(baseline: System, system: System, metric: str, seed: int) -> Duel | None:
    result = compare(
        [row.scores[metric] for row in baseline.rows],
        [row.scores[metric] for row in system.rows],
        seed=seed,
    )
    if result is None:
        return None
    return Duel(system.name, baseline.name, metric, result.difference, result.low, result.high, result.p)


def recommend(systems: Sequence[System], *, seed: int = 1) -> tuple[str, str]:
    """The drafter to use, empty where none can be chosen, and why, in a sentence.

    The best without a model, unless one with a model is surely better (the interval of the
    difference is above 0) and invents no more names.
    """
    metric = METRICS[0]
    systems = [item for item in systems if item.choice]
    if not systems:
        return "", "None of these is a drafter of gitnotes, so none is recommended."
    plain = sorted((item for item in systems if not item.model), key=lambda item: -item.mean(metric))
    others = sorted((item for item in systems if item.model), key=lambda item: -item.mean(metric))
    if not plain:
        best = others[0]
        return best.name, f"{best.name} has the highest {metric} of those that were compared."
    chosen = plain[0]
    count = len(chosen.rows)
    if count < ROUGH:
        few = "1 commit is" if count == 1 else f"{count} commits are"
        return chosen.name, f"{few} too few to tell drafters apart; {chosen.name} is the best."
    told = f"{chosen.name} has the highest {metric} without a model"
    for item in others:
        duel = _compare(chosen, item, metric, seed)
        if duel is None or duel.low <= 0:
            continue
        if item.share("invented") > chosen.share("invented") + 0.05:
            told += f"; {item.name} scores more, but names what is not in the change more often"
            continue
        return item.name, (
            f"{item.name} surely beats {chosen.name} in {metric} "
            f"(by {100 * duel.difference:.1f} points, at least {100 * duel.low:.1f}), and invents no more."
        )
    return chosen.name, f"{told}." if not others else f"{told}, and no model surely beats it."


def _longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for word in one:
        before = 0
        for at, against in enumerate(other, 1):
            before, row[at] = row[at], before + 1 if word == against else max(row[at], row[at - 1])
    return row[-1]
