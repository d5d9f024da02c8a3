"""How are the numbers of gitnotes/data/scale.json fitted?

usage: python -m bench.grading.fit --data DIR [--write]

Prints the fitted file, or with --write puts it where gitnotes reads it; nothing in it depends on
chance, so the same data and the same release of scikit-learn give the same bytes. The part `hand`
of the file is kept as it is.

    what    logistic on the signals and stems of Tian's messages
    why     the same, with the human messages of OMG as further rows, their rationality as a share
    told    ridge with signs given beforehand on OMG's comprehensiveness within each source, turned
            into log-odds with the mean and spread that `what` has on the human messages
    reason  the same on OMG's rationality, beside `why`; the mean of that and `why` itself

A stem is weighed when three messages of two projects hold it. The strength of the shrinkage, and
how much more lightly signals are shrunk than stems, are chosen by leaving out one project after the
other of those fitted on, by the mean AUC.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score

from bench.grading.ratings import OMG, TIAN, Rated, digest, read_omg, read_tian
from gitnotes.grade.case import read_case
from gitnotes.grade.evidence import read_text
from gitnotes.grade.fitted import Head, Scale, read_scale
from gitnotes.grade.shares import confidence_features
from gitnotes.grade.what_why import score_what, score_why

SHIPPED = Path(__file__).parents[2] / "gitnotes" / "data" / "scale.json"
RECIPE = "python -m bench.grading.fit --data DIR --write; bench/grading/fit.py says how"
GRID = [(penalty, share) for penalty in (0.03, 0.1, 0.3) for share in (0.2, 0.5, 1.0)]
"""Inverse strength of the shrinkage; scale of a standardized signal beside a stem, 0 or 1."""
DEFAULT = (0.1, 0.5)
"""Where there is one project, and so none to leave out."""
OF_CHANGE = frozenset(
    ["found", "share", "body_found", "names_found", "names_missing", "direction", "reversed", "kind_wrong",
     "unsaid", "where_only"]
)  # fmt: skip
BY_HAND = frozenset(["vague", "pile"])
"""Signals that scale.py weighs by hand: what fits any commit is worth nothing, whatever raters said."""
TOLD = {
    "said": 1, "said_at_all": 1, "length": 1, "short": -1, "vague": -1, "verb": 1, "purpose": 1,
    "condition": 1, "place": 1, "identifier": 1, "cause": 1, "context": 1, "body": 1, "found": 1,
    "share": 1, "body_found": 1, "names_found": 1, "direction": 1, "reversed": -1, "kind_wrong": -1,
    "unsaid": -1, "where_only": -1, "names_missing": -1,
}  # fmt: skip
"""The signals of `told`, and the direction in which each may count."""
REASON = {
    "cause": 1, "before": 1, "fault": 1, "context": 1, "evident": 1, "reference": 1, "closes": 1, "ticket": 1,
    "link": 1, "body": 1, "sentences": 1, "purpose": 1, "condition": 1, "said": 1, "said_at_all": 1,
    "length": 1, "subject_trouble": 1, "subject_goal": 1, "body_trouble": 1, "body_goal": 1, "repair": 1,
    "vague": -1, "short": -1, "found": 1, "share": 1, "body_found": 1, "unsaid": -1, "where_only": -1,
    "subject_waste": 1, "subject_tidying": 1, "verb": 1,
}  # fmt: skip
"""Those of the part of `reason` that is fitted beside `why`."""
TOLD_PENALTY = 300.0
RARE, PROJECTS = 3, 2
DIGITS = 3


class Row(NamedTuple):
    """A rated message as the heads see it; `value` is 0 to 1."""

    signals: dict[str, float]
    stems: frozenset[str]
    value: float
    project: str
    source: str = "human"


def read_rows(rated: Sequence[Rated], name: str, most: float) -> list[Row]:
    """The signals of rated messages beside their rating `name`, divided by `most`."""
    rows = []
    for item in rated:
        case = read_case(read_text(item.message), item.change)
        rows.append(Row(case.signals, case.stems, item.ratings[name] / most, item.project, item.source))
    return rows


def fit_head(rows: Sequence[Row], penalty: float, share: float) -> Head:
    """Logistic regression on signals and stems; a value between 0 and 1 counts as part yes, part no."""
    names = [name for name in rows[0].signals if name not in OF_CHANGE | BY_HAND]
    signals = _matrix(rows, names)
    means = signals.mean(axis=0)
    spread = signals.std(axis=0)
    spread[spread < 1e-6] = np.inf
    stems = _choose_stems(rows)
    place = {stem: number for number, stem in enumerate(stems)}
    held = np.zeros((len(rows), len(stems)))
    for number, row in enumerate(rows):
        for stem in row.stems & place.keys():
            held[number, place[stem]] = 1.0
    values = np.array([row.value for row in rows])
    # Yes and no weigh the same while the slopes are found; the share of yes is put back after that.
    share_yes = float(values.mean())
    weights = np.r_[values / share_yes, (1 - values) / (1 - share_yes)] / 2
    matrix = np.hstack([(signals - means) / spread * share, held])
    answers = np.r_[np.ones(len(rows)), np.zeros(len(rows))]
    kept = weights > 0
    model = LogisticRegression(C=penalty, max_iter=10_000, tol=1e-6)
    model.fit(np.vstack([matrix, matrix])[kept], answers[kept], sample_weight=weights[kept])
    slopes = model.coef_[0][: len(names)] * share / spread
    words = {
        stem: weight
        for stem, value in zip(stems, model.coef_[0][len(names) :], strict=True)
        if (weight := round(float(value), DIGITS))
    }
    intercept = float(model.intercept_[0] - slopes @ means) + math.log(share_yes / (1 - share_yes))
    return _make_head(intercept, dict(zip(names, slopes, strict=True)), words, rows)


def fit_signed(rows: Sequence[Row], signs: dict[str, int], like: Head) -> Head:
    """Ridge with given signs on the ratings within each source, as log-odds on the scale of `like`."""
    names = list(signs)
    matrix = _matrix(rows, names)
    ratings = np.array([row.value for row in rows])
    spread = matrix.std(axis=0)
    spread[spread < 1e-6] = np.inf
    scaled = matrix / spread * np.array(list(signs.values()))
    for source in {row.source for row in rows}:
        here = np.array([row.source == source for row in rows])
        scaled[here] -= scaled[here].mean(axis=0)
        ratings[here] -= ratings[here].mean()
    model = Ridge(alpha=TOLD_PENALTY, fit_intercept=False, positive=True, tol=1e-8)
    model.fit(scaled, ratings)
    slopes = model.coef_ * np.array(list(signs.values())) / spread
    human = [row for row in rows if row.source == "human"]
    wanted = np.array([value_of(like, row) for row in human])
    given = _matrix(human, names) @ slopes
    factor = float(wanted.std() / given.std())
    intercept = float(wanted.mean() - factor * given.mean())
    return _make_head(intercept, dict(zip(names, slopes * factor, strict=True)), {}, human)


def mean_of(one: Head, other: Head, rows: Sequence[Row]) -> Head:
    """The head whose log-odds lie in the middle of those of two."""
    signals = {
        name: (one.signals.get(name, 0.0) + other.signals.get(name, 0.0)) / 2
        for name in {**one.signals, **other.signals}
    }
    words = {
        stem: round((one.words.get(stem, 0.0) + other.words.get(stem, 0.0)) / 2, DIGITS)
        for stem in {**one.words, **other.words}
    }
    return _make_head((one.intercept + other.intercept) / 2, signals, words, rows)


def value_of(head: Head, row: Row) -> float:
    """The log-odds that `head` gives a row."""
    return head.typical + sum(head.parts(row.signals, row.stems).values())


def choose(rows: Sequence[Row]) -> tuple[float, float]:
    """The pair of GRID with the best mean AUC over the projects, each left out in turn."""
    projects = sorted({row.project for row in rows})
    if len(projects) == 1:
        return DEFAULT

    def rate(pair: tuple[float, float]) -> float:
        found = []
        for project in projects:
            head = fit_head([row for row in rows if row.project != project], *pair)
            left = [row for row in rows if row.project == project]
            found.append(roc_auc_score([row.value for row in left], [value_of(head, row) for row in left]))
        return float(np.mean(found))

    return max(GRID, key=rate)


def fit_scale(
    tian: Sequence[Rated],
    omg: Sequence[Rated],
    hand: dict[str, Any],
    chosen: dict[str, tuple[float, float]] | None = None,
) -> dict[str, Any]:
    """The content of scale.json, without the digest of the data; no row but these is looked at.

    `chosen` is what `choose` said of the same rows of Tian, where that is known.
    """
    what_rows, why_rows = read_rows(tian, "what", 1), read_rows(tian, "why", 1)
    human = [item for item in omg if item.source == "human"]
    chosen = chosen or {"what": choose(what_rows), "why": choose(why_rows)}
    what = fit_head(what_rows, *chosen["what"])
    why = fit_head(why_rows + read_rows(human, "rationality", 4), *chosen["why"])
    reasons = read_rows(omg, "rationality", 4)
    heads = {
        "what": what,
        "why": why,
        "told": fit_signed(read_rows(omg, "comprehensiveness", 4), TOLD, what),
        "reason": mean_of(
            why, fit_signed(reasons, REASON, why), [row for row in reasons if row.source == "human"]
        ),
    }
    return {
        "hand": hand,
        "fitted": {
            "recipe": RECIPE,
            "version": "",
            "chosen": {name: list(pair) for name, pair in chosen.items()},
            "projects": sorted({item.project for item in [*tian, *omg]}),
            "confidence": [0.0] * 6,
            "heads": {name: head._asdict() for name, head in heads.items()},
        },
    }


def fit_confidence(content: dict[str, Any], tian: Sequence[Rated], omg: Sequence[Rated]) -> list[float]:
    """Coefficients of `rate_confidence`, from human messages whose project was left out of the heads."""
    features, answers = [], []
    for scale, left in leave_out(content, tian, omg):
        for item in left:
            if item.source == "human":
                case = read_case(read_text(item.message), item.change)
                what, why = score_what(case, scale).score, score_why(case, None, scale).score
                features.append(confidence_features(what, why, case))
                answers.append(is_good(item))
    model = LogisticRegression(C=1.0, fit_intercept=False, max_iter=10_000, tol=1e-7)
    model.fit(np.array(features), answers)
    return [round(float(value), DIGITS) for value in model.coef_[0]]


def is_good(item: Rated) -> bool:
    """Tian: both what and why. OMG: 3 or more for rationality and for comprehensiveness."""
    if "good" in item.ratings:
        return item.ratings["good"] > 0
    return item.ratings["rationality"] >= 3 and item.ratings["comprehensiveness"] >= 3


def leave_out(
    content: dict[str, Any], tian: Sequence[Rated], omg: Sequence[Rated], folds: int = 10
) -> Iterator[tuple[Scale, list[Rated]]]:
    """Scales fitted without some projects, each with the human messages of those.

    Tian's projects are left out one by one, those of OMG in `folds` groups. Nothing that is left
    out is looked at, the choice of the shrinkage included; `content` is the fit on all of it.
    """
    yield from leave_out_tian(content["hand"], tian, omg)
    # The choice is made on Tian's projects alone, so it is the same for all groups of OMG's.
    chosen = {name: (pair[0], pair[1]) for name, pair in content["fitted"]["chosen"].items()}
    for projects in group([item for item in omg if item.source == "human"], folds):
        rest = [item for item in omg if item.project not in projects]
        scale = read_scale(fit_scale(tian, rest, content["hand"], chosen))
        yield scale, [item for item in omg if item.project in projects]


def leave_out_tian(
    hand: dict[str, Any], tian: Sequence[Rated], omg: Sequence[Rated]
) -> Iterator[tuple[Scale, list[Rated]]]:
    """Scales fitted without one of Tian's projects, each with the messages of that project."""
    for project in sorted({item.project for item in tian}):
        rest = [item for item in tian if item.project != project]
        scale = read_scale(fit_scale(rest, omg, hand))
        yield scale, [item for item in tian if item.project == project]


def group(rated: Sequence[Rated], folds: int) -> list[frozenset[str]]:
    """The projects in `folds` groups of about as many messages each, largest projects first."""
    sizes = Counter(item.project for item in rated)
    groups: list[list[str]] = [[] for _ in range(min(folds, len(sizes)))]
    filled = [0] * len(groups)
    for project, size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])):
        least = filled.index(min(filled))
        groups[least].append(project)
        filled[least] += size
    return [frozenset(projects) for projects in groups]


def render(content: dict[str, Any]) -> str:
    """The text of scale.json."""
    return json.dumps(content, indent=1, sort_keys=False, ensure_ascii=False) + "\n"


def fit_file(data: Path, hand: dict[str, Any]) -> str:
    """The text of scale.json for the data in the folder."""
    tian, omg = read_tian(data), read_omg(data)
    content = fit_scale(tian, omg, hand)
    content["fitted"]["confidence"] = fit_confidence(content, tian, omg)
    content["fitted"]["data"] = digest(data, TIAN, OMG)
    content["fitted"]["version"] = name_of(content)
    return render(content)


def name_of(content: dict[str, Any]) -> str:
    """The name of a scale, which changes with every number in it, those set by hand included."""
    unnamed = {**content, "fitted": {**content["fitted"], "version": ""}}
    return f"fit-2-{hashlib.sha256(render(unnamed).encode()).hexdigest()[:8]}"


def _make_head(
    intercept: float, slopes: dict[str, float], words: dict[str, float], rows: Sequence[Row]
) -> Head:
    kept = {name: value for name, slope in slopes.items() if (value := round(float(slope), DIGITS))}
    means = {
        name: round(float(np.mean([row.signals.get(name, 0.0) for row in rows])), DIGITS) for name in kept
    }
    spoken = [sum(words[stem] for stem in row.stems & words.keys()) for row in rows]
    means["words"] = round(float(np.mean(spoken)), DIGITS)
    return Head(round(intercept, DIGITS), kept, words, means)


def _matrix(rows: Sequence[Row], names: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([[row.signals.get(name, 0.0) for name in names] for row in rows])


def _choose_stems(rows: Sequence[Row]) -> list[str]:
    """The stems that RARE messages of PROJECTS projects hold: no name of one project is among them."""
    counts: Counter[str] = Counter()
    projects: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for stem in row.stems:
            counts[stem] += 1
            projects[stem].add(row.project)
    needed = min(PROJECTS, len({row.project for row in rows}))
    return sorted(s for s, count in counts.items() if count >= RARE and len(projects[s]) >= needed)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.grading.fit", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help=f"write {SHIPPED.name} of the package")
    options = parser.parse_args(arguments)
    if not read_tian(options.data) or not read_omg(options.data):
        print(f"There is no {TIAN} or {OMG} in {options.data}; bench/grading/ratings.py says what it holds.",
              file=sys.stderr)  # fmt: skip
        return 2
    text = fit_file(options.data, json.loads(SHIPPED.read_text(encoding="utf-8"))["hand"])
    if options.write:
        SHIPPED.write_text(text, encoding="utf-8")
        print(f"{SHIPPED}: {len(text):,} characters")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
