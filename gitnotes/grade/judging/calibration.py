"""What would the people who rated these texts have given, when a judge gives this score?

A monotone map, fitted on ratings that the user brings: it changes no order, only the scale. None is
shipped, since a map is right for one judge and one kind of raters.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from gitnotes.errors import CannotJudge
from gitnotes.grade.correlation import kendall, spearman
from gitnotes.records import Signature

LEAST = 20
"""Rated texts below which a map would only repeat chance."""
_JUDGE = (
    "model",
    "host",
    "adapter",
    "profile",
    "rubric",
    "prompt",
    "roles",
    "turns",
    "form",
    "steps",
    "k",
    "temperature",
    "without",
)
"""What of a signature makes another judge of it."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A map from the overall of one judge to the scale of the ratings."""

    judge: str
    """Whom it was fitted for."""
    points: tuple[tuple[float, float], ...]
    """Score of the judge, rating; both never fall."""
    rated: int
    rho: float | None
    """Spearman's, of scores and ratings; the map does not change it."""
    tau_b: float | None
    error: float
    """Mean distance of ratings and mapped scores, each mapped without itself."""
    plain_error: float
    """The same when the mean of the other ratings is given to each."""

    def apply(self, score: float) -> float:
        """The rating for a score, between the points in a line and beyond them as at the ends."""
        return _interpolate(self.points, score)


def name_judge(signature: Signature) -> str:
    """Who judged and how, without what differs from call to call."""
    settings = signature.settings
    return "|".join([signature.name, *(f"{key}:{settings[key]}" for key in _JUDGE if key in settings)])


def check_side(values: Sequence[float], name: str) -> None:
    """Raises CannotJudge when no scale can be fitted to so few values, or to one."""
    if len(values) < LEAST:
        raise CannotJudge(
            f"There are {len(values)} rated texts with a score, and {LEAST} are needed to fit a scale.",
            "Rate more of them.",
        )
    if len(set(values)) == 1:
        raise CannotJudge(f"All {name} are the same, so that there is no scale.", "Rate other texts too.")


def fit_calibration(scores: Sequence[float], ratings: Sequence[float], judge: str) -> Calibration:
    """The map that is nearest to the ratings in the mean of squares of all that never fall.

    Raises CannotJudge for fewer than 20 pairs, and when one side is the same for all.
    """
    pairs = list(zip(scores, ratings, strict=True))
    check_side(ratings, "ratings")
    check_side(scores, "scores of the judge")
    without = [fit_monotone([*pairs[:at], *pairs[at + 1 :]]) for at in range(len(pairs))]
    total = sum(ratings)
    return Calibration(
        judge=judge,
        points=fit_monotone(pairs),
        rated=len(pairs),
        rho=spearman(scores, ratings),
        tau_b=kendall(scores, ratings),
        error=fmean(abs(_interpolate(known, x) - y) for known, (x, y) in zip(without, pairs, strict=True)),
        plain_error=fmean(abs((total - y) / (len(pairs) - 1) - y) for y in ratings),
    )


def fit_monotone(pairs: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Isotonic regression by pooling adjacent violators (Ayer et al. 1955): score, fitted rating."""
    by_score: dict[float, list[float]] = defaultdict(list)
    for score, rating in pairs:
        by_score[score].append(rating)
    blocks: list[tuple[float, int, list[float]]] = []
    for score in sorted(by_score):
        found = by_score[score]
        mean, weight, members = fmean(found), len(found), [score]
        while blocks and blocks[-1][0] >= mean:
            before, count, earlier = blocks.pop()
            mean = (before * count + mean * weight) / (count + weight)
            weight += count
            members = earlier + members
        blocks.append((mean, weight, members))
    return tuple(
        (score, mean) for mean, _, members in blocks for score in dict.fromkeys((members[0], members[-1]))
    )


def _interpolate(points: Sequence[tuple[float, float]], score: float) -> float:
    at = bisect_right([x for x, _ in points], score)
    if at == 0:
        return points[0][1]
    if at == len(points):
        return points[-1][1]
    (low, here), (high, there) = points[at - 1], points[at]
    return here + (there - here) * (score - low) / (high - low)
