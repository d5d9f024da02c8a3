"""How well does the grade agree with people, beside length alone and the usual recipe?

usage: python -m bench.grading --data DIR [--json] [--quick]

    Tian    AUC of why, what and good, macro-F1 of good; one project left out after the other, the
            threshold chosen on the other projects; the text alone, as these data have no diffs
    OMG     Spearman's rho with four ratings, ten groups of projects left out, by source and pooled
    Tao     Spearman's rho with three ratings of 100 generated messages, by the shipped grade
    shipped what gitnotes as it is says of projects that its numbers were not fitted on

Every fold is fitted anew on the rest, choices included, and graded by the same code as everywhere.
Intervals hold 95 % of 1000 draws of whole projects (of whole commits for OMG by source). --quick
measures the shipped numbers alone, on everything: they have seen those data, so it tells only
whether something broke.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.grading import agreement
from bench.grading.agreement import Array, bootstrap
from bench.grading.ratings import Rated, read_omg, read_tao, read_tian
from gitnotes.grade.fitted import Scale, load_scale
from gitnotes.grade.scale import grade_message
from gitnotes.records import Grade

PAIRS = (("rationality", "why"), ("comprehensiveness", "what"), ("conciseness", "conciseness"),
         ("expressiveness", "form"))  # fmt: skip
"""Ratings of OMG and the score that answers each."""
TAO = (("adequacy", "overall"), ("conciseness", "conciseness"), ("expressiveness", "form"))
Table = list[dict[str, Any]]
Fold = tuple[Scale, list[Rated]]


def score_of(grade: Grade, name: str) -> float:
    """A score of a grade; what is unscored ranks last, so that leaving out hard rows does not pay."""
    value = grade.overall if name == "overall" else grade.scores[name]
    return -1.0 if value is None else value


def grade_all(rated: Sequence[Rated], scale: Scale) -> list[Grade]:
    return [grade_message(item.message, item.change, scale=scale) for item in rated]


def row(data: str, name: str, grades: Array, answers: Array, clusters: Sequence[str], lengths: Array,
        baseline: Array | None, measure: Any) -> dict[str, Any]:  # fmt: skip
    """One line of the table; the sign of length is as it is, a longer text being the better one."""
    return {
        "data": data,
        "rating": name,
        "measure": measure.__name__,
        "n": len(answers),
        "gitnotes": bootstrap(measure, grades, answers, clusters),
        "length": bootstrap(measure, lengths, answers, clusters),
        "recipe": None if baseline is None else bootstrap(measure, baseline, answers, clusters),
    }


def measure_tian(
    tian: Sequence[Rated], omg: Sequence[Rated], hand: dict[str, Any], folds: Sequence[Fold]
) -> Table:
    """`folds` are those of Tian's projects."""
    from bench.grading.baseline import predict

    order = [item for _, left in folds for item in left]
    grades = [grade for scale, left in folds for grade in grade_all(left, scale)]
    projects = [item.project for item in order]
    lengths = np.array([float(len(item.message.split())) for item in order])
    table = []
    for name in ("why", "what", "good"):
        answers = np.array([item.ratings[name] for item in order])
        usual = []
        for _, left in folds:
            rest = [item for item in tian if item.project != left[0].project]
            usual.append(
                predict([item.message for item in rest], np.array([item.ratings[name] for item in rest]),
                        [item.message for item in left], label=True, words=True)
            )  # fmt: skip
        ours = np.array([score_of(grade, "overall" if name == "good" else name) for grade in grades])
        line = row("Tian, project left out", name, ours, answers, projects, lengths,
                   np.concatenate(usual), agreement.auc)  # fmt: skip
        line["by_project"] = {
            project: round(agreement.auc(ours[here], answers[here]), 3)
            for project in sorted(set(projects))
            if (here := np.array([each == project for each in projects])).any()
        }
        table.append(line)
    good = np.array([item.ratings["good"] for item in order])
    said, words, usual_said = [], [], []
    for scale, left in folds:
        rest = [item for item in tian if item.project != left[0].project]
        truth = np.array([item.ratings["good"] for item in rest])
        # The threshold comes from grades that did not see the message either: one more project is left out.
        inner = _inner_grades(rest, omg, hand)
        bar = agreement.best_threshold(inner, truth)
        said.append(np.array([float(score_of(grade, "overall") >= bar) for grade in grade_all(left, scale)]))
        counts = np.array([float(len(item.message.split())) for item in rest])
        long = agreement.best_threshold(counts, truth)
        words.append(np.array([float(len(item.message.split()) >= long) for item in left]))
        chances = predict([item.message for item in rest], truth, [item.message for item in left],
                          label=True, words=True)  # fmt: skip
        usual_said.append((chances >= 0.5).astype(float))
    table.append(
        row("Tian, project left out", "good", np.concatenate(said), good, projects, np.concatenate(words),
            np.concatenate(usual_said), agreement.macro_f1)
    )  # fmt: skip
    return table


def _inner_grades(rest: Sequence[Rated], omg: Sequence[Rated], hand: dict[str, Any]) -> Array:
    from bench.grading.fit import leave_out_tian

    graded = {id(item): -1.0 for item in rest}
    for inner, left in leave_out_tian(hand, rest, omg):
        for item, grade in zip(left, grade_all(left, inner), strict=True):
            graded[id(item)] = score_of(grade, "overall")
    return np.array([graded[id(item)] for item in rest])


def measure_omg(omg: Sequence[Rated], folds: Sequence[Fold]) -> Table:
    """`folds` are those of OMG's projects."""
    from bench.grading.baseline import predict

    order = [item for _, left in folds for item in left]
    grades = [grade for scale, left in folds for grade in grade_all(left, scale)]
    lengths = np.array([float(len(item.message.split())) for item in order])
    table = []
    for source in ("human", "fira", "omg_gpt4", "pooled"):
        here = np.array([source in (item.source, "pooled") for item in order])
        for rating, name in PAIRS:
            answers = np.array([item.ratings[rating] for item in order])
            usual = []
            for _, left in folds:
                out = {item.project for item in left}
                rest = [item for item in omg if item.project not in out and source in (item.source, "pooled")]
                asked = [item.message for item in left]
                usual.append(predict([item.message for item in rest],
                                     np.array([item.ratings[rating] for item in rest]), asked,
                                     label=False, words=True))  # fmt: skip
            ours = np.array([score_of(grade, name) for grade in grades])
            clusters = [item.project for item, kept in zip(order, here, strict=True) if kept]
            table.append(
                row(f"OMG, {source}", rating, ours[here], answers[here], clusters, lengths[here],
                    np.concatenate(usual)[here], agreement.spearman)
            )  # fmt: skip
    return table


def measure_tao(tao: Sequence[Rated], scale: Scale) -> Table:
    grades = grade_all(tao, scale)
    lengths = np.array([float(len(item.message.split())) for item in tao])
    clusters = [item.project for item in tao]
    return [
        row("Tao, external", f"{rating} ({name})", np.array([score_of(grade, name) for grade in grades]),
            np.array([item.ratings[rating] for item in tao]), clusters, lengths, None, agreement.spearman)
        for rating, name in (*TAO, ("adequacy", "what"), ("adequacy", "consistency"))
    ]  # fmt: skip


def measure_shipped(
    rated: Sequence[Rated], names: Sequence[tuple[str, str]], data: str, scale: Scale
) -> Table:
    """The shipped grade on `rated`, whatever it has seen of it."""
    if not rated:
        return []
    grades = grade_all(rated, scale)
    lengths = np.array([float(len(item.message.split())) for item in rated])
    clusters = [item.project for item in rated]
    measure = agreement.auc if "good" in rated[0].ratings else agreement.spearman
    return [
        row(data, rating, np.array([score_of(grade, name) for grade in grades]),
            np.array([item.ratings[rating] for item in rated]), clusters, lengths, None, measure)
        for rating, name in names
    ]  # fmt: skip


def measure(data: Path, *, quick: bool) -> Table:
    """All lines for which the data are there."""
    tian, omg, tao = read_tian(data), read_omg(data), read_tao(data)
    scale = load_scale()
    labels = (("why", "why"), ("what", "what"), ("good", "overall"))
    table: Table = []
    human = [item for item in omg if item.source == "human"]
    if quick:
        table += measure_shipped(tian, labels, "Tian, shipped, seen", scale)
        table += measure_shipped(human, PAIRS[:2], "OMG human, shipped, seen", scale)
    else:
        from bench.grading.fit import SHIPPED, leave_out

        content = json.loads(SHIPPED.read_text(encoding="utf-8"))
        seen = set(content["fitted"]["projects"])
        folds = list(leave_out(content, tian, omg)) if tian and omg else []
        tian_folds = [fold for fold in folds if "good" in fold[1][0].ratings]
        if folds:
            table += measure_tian(tian, omg, content["hand"], tian_folds)
            table += measure_omg(omg, [fold for fold in folds if fold not in tian_folds])
        unseen = [item for item in tian if item.project not in seen]
        table += measure_shipped(unseen, labels, "Tian, shipped, unseen", scale)
        unseen = [item for item in human if item.project not in seen]
        table += measure_shipped(unseen, PAIRS, "OMG human, shipped, unseen", scale)
    if tao:
        table += measure_tao(tao, scale)
    return table


def show(table: Table) -> str:
    lines = [
        f"{'data':26} {'rating':28} {'measure':9} {'n':>4}  {'gitnotes':20} {'length':20} {'usual recipe'}"
    ]
    for line in table:
        cells = [str(line["gitnotes"]), str(line["length"]), str(line["recipe"] or "")]
        lines.append(
            f"{line['data']:26} {line['rating']:28} {line['measure']:9} {line['n']:4}  "
            f"{cells[0]:20} {cells[1]:20} {cells[2]}"
        )
        if "by_project" in line:
            lines.append("  by project: " + ", ".join(f"{k} {v}" for k, v in line["by_project"].items()))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.grading", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args(arguments)
    table = measure(options.data, quick=options.quick)
    if not table:
        where = "bench/grading/ratings.py says what it holds"
        print(f"Skipped: there are no rated messages in {options.data}; {where}.", file=sys.stderr)
        return 0
    print(json.dumps(table, indent=1) if options.json else show(table))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
