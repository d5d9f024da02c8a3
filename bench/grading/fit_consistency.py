"""Which coefficients tell the message of a change best from those of other changes?

    python -m bench.grading.fit_consistency --repo DIR... [--last N] [--write FILE]

Needs numpy. Reads the newest commits of every repository and takes each change with its own message
(1) and, as wrong ones (0), with messages of other commits of the repository, half of them by chance
and half of the most similar change, and with its own message after the verb was turned round or a
name replaced. Nobody rated anything. Logistic regression with a ridge penalty; a signal that speaks
for a message may not count against it, nor the other way round. Prints what the fit reaches on each
repository when it is left out, and with --write puts the fit on all of them into FILE.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.grading.swaps import Case, draw_swaps, flip_direction, read_cases, swap_name
from gitnotes.grade.consistency import AGAINST, FOR, Fit, read_signals
from gitnotes.grade.evidence import read_text, weigh_text
from gitnotes.grade.footprint import Footprint, read_footprint

SIGNALS = (*FOR, *AGAINST)
_OUTRIGHT = 0.5
"""Weight of a contradicted copy beside a message of another commit."""
_LOWEST = {"background": -7.0}
"""Coefficients that the cap of a signal would otherwise only make steeper."""
_RIDGE = 1.0
_STEPS = 1500

Array = Any


class Group:
    """The signals of the messages that one change was paired with."""

    def __init__(self, own: Array, random: list[Array], nearest: Array | None, copies: list[Array]) -> None:
        self.own, self.random, self.nearest, self.copies = own, random, nearest, copies

    def rows(self) -> list[tuple[Array, float, float]]:
        """Signals, label and weight; right and wrong ones of the same weight."""
        wrong = [(other, 0.0, 1 / len(self.random)) for other in self.random]
        if self.nearest is not None:
            wrong.append((self.nearest, 0.0, 1.0))
        wrong += [(copy, 0.0, _OUTRIGHT) for copy in self.copies]
        return [(self.own, 1.0, sum(weight for _, _, weight in wrong)), *wrong]


def read_group(cases: Sequence[Case]) -> list[Group]:
    """The groups of one repository; changes that cannot be assessed are left out."""
    groups: list[Group] = []
    for swap in draw_swaps(cases):
        own = cases[swap.own]
        footprint = read_footprint(own.change)
        signals = _signals(own.message, footprint)
        if signals is None:
            continue
        others = [_signals(cases[at].message, footprint) for at in swap.random]
        nearest = None if swap.nearest is None else _signals(cases[swap.nearest].message, footprint)
        changed = [flip_direction(own.message)]
        if swap.random:
            changed.append(swap_name(own.message, own.change, cases[swap.random[0]].change))
        copies = [_signals(text, footprint) for text in changed if text is not None]
        groups.append(Group(signals, _known(others), nearest, _known(copies)))
    return groups


def _known(found: list[Array | None]) -> list[Array]:
    return [signals for signals in found if signals is not None]


def _signals(message: str, footprint: Footprint) -> Array | None:
    text = read_text(message)
    if not text.message.subject:
        return None
    evidence = weigh_text(text, footprint)
    if not evidence.assessable:
        return None
    signals = read_signals(text, evidence)
    return np.array([signals.get(name, 0.0) for name in SIGNALS])


def fit(groups: Sequence[Group]) -> Fit:
    """The coefficients for all pairs of `groups`, on the signals as they stand."""
    rows = [row for group in groups for row in group.rows()]
    values = np.array([row[0] for row in rows])
    signs = 2 * np.array([row[1] for row in rows]) - 1
    weights = np.array([row[2] for row in rows])
    weights *= len(weights) / weights.sum()
    # The penalty must not depend on the unit of a signal.
    spread = values.std(axis=0) + 1e-9
    scaled = values / spread

    lowest = [0.0] * len(FOR) + [_LOWEST.get(name, -np.inf) for name in AGAINST]
    found = _descend(np.hstack([scaled, np.ones((len(scaled), 1))]), signs, weights, lowest * spread)
    coefficients = found[:-1] / spread
    return Fit(
        round(float(found[-1]), 3),
        {
            name: round(float(value), 3)
            for name, value in zip(SIGNALS, coefficients, strict=True)
            if round(float(value), 3)
        },
    )


def _descend(values: Array, signs: Array, weights: Array, lowest: Array) -> Array:
    """The numbers of the least penalised loss within their signs: accelerated projected gradient."""
    low = np.append(lowest, -np.inf)
    high = np.array([np.inf] * len(FOR) + [0.0] * len(AGAINST) + [np.inf])
    ridge = np.array([_RIDGE] * len(SIGNALS) + [0.0])
    curve = 0.25 * np.linalg.eigvalsh(values.T @ (weights[:, None] * values))[-1] + _RIDGE
    found = ahead = np.zeros(values.shape[1])
    speed = 1.0
    for _ in range(_STEPS):
        margin = np.clip(signs * (values @ ahead), -50, 50)
        slope = values.T @ (-weights * signs / (1 + np.exp(margin))) + ridge * ahead
        step = np.clip(ahead - slope / curve, low, high)
        faster = (1 + (1 + 4 * speed**2) ** 0.5) / 2
        ahead = step + (speed - 1) / faster * (step - found)
        found, speed = step, faster
    return found


def paired_accuracy(own: Array, other: Array) -> float:
    """Share of the pairs in which the first is higher; ties count half."""
    return float(np.mean((own > other) + 0.5 * (own == other)))


def area_under_curve(own: Array, other: Array) -> float:
    """The same over all pairs of one of the first and one of the second, whichever change they are for."""
    ranked = np.sort(other)
    below, up_to = np.searchsorted(ranked, own, "left"), np.searchsorted(ranked, own, "right")
    return float(np.mean((below + up_to) / 2) / len(other))


def report(groups: Sequence[Group], found: Fit) -> tuple[float, float, float, float]:
    """Paired accuracy and AUC against messages by chance, and the same against the nearest change."""
    numbers = np.array([found.coefficients.get(name, 0.0) for name in SIGNALS])
    figures: list[float] = []
    for pairs in (
        [(group.own @ numbers, other @ numbers) for group in groups for other in group.random],
        [(group.own @ numbers, group.nearest @ numbers) for group in groups if group.nearest is not None],
    ):
        own, other = np.array(pairs).T
        figures += [paired_accuracy(own, other), area_under_curve(own, other)]
    return figures[0], figures[1], figures[2], figures[3]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repo", type=Path, action="append", required=True)
    parser.add_argument("--last", type=int, default=300)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args(arguments)
    groups = {folder: read_group(read_cases(folder, options.last)) for folder in options.repo}
    print(f"{'left out':40} {'random':>13} {'nearest':>13}   paired accuracy, AUC")
    for left_out in groups if len(groups) > 1 else []:
        found = fit([group for folder in groups if folder != left_out for group in groups[folder]])
        figures = report(groups[left_out], found)
        print(f"{str(left_out)[-40:]:40}", *(f"{figure:6.3f}" for figure in figures))
    everything = [group for found_groups in groups.values() for group in found_groups]
    found = fit(everything)
    content = {
        "recipe": f"python -m bench.grading.fit_consistency on {len(everything)} commits of {len(groups)}"
        " public repositories; no ratings",
        "intercept": found.intercept,
        "coefficients": found.coefficients,
    }
    text = json.dumps(content, indent=1) + "\n"
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
