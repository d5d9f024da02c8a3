"""Is CodeRPE's way to correlations right, and what do its 5,000 draws of one row prove?

The judges' scores of CodeRPE are not public. Its code path is: draw one row of 300, 5,000 times,
with replacement, then tau-a and rho over the 5,000. It is repeated here on the BLEU scores and the
ratings by five people of Shi et al. 2022, whose values CodeRPE prints as its baselines, next to what
the 300 rows themselves give.
"""

from __future__ import annotations

import math
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.papers.data import Cell, as_json, find, print_cells, write_json
from gitnotes.grade.correlation import kendall, spearman

_FOLDER = "CodeSumEvaluation/RQ/RQ1/human_evaluation"
_NEEDED = "It needs github.com/DeepSoftwareAnalytics/CodeSumEvaluation cloned into the folder of --data."
PUBLISHED = {
    "BLEU-DC": (0.544, 0.751),
    "BLEU-CN": (0.475, 0.661),
    "BLEU-NCS": (0.370, 0.533),
    "BLEU-DCOM": (0.328, 0.690),
}
"""tau-a and rho in Table I of CodeRPE."""
DRAWS = 5000
SEEDS = range(20)


def run(folder: Path, output: Path | None = None) -> int:
    """Prints the tables; 0, 1 when a value is further than 0.01 away, 3 without data."""
    found = _read(folder)
    if found is None:
        return 3
    people, scores = found
    cells = []
    print(f"CodeRPE's baselines: {len(people)} rows, mean of 5 ratings; tau-a and rho")
    for name, (tau, rho) in PUBLISHED.items():
        cells.append(Cell(f"{name} tau-a", tau, tau_a(scores[name], people)))
        cells.append(Cell(f"{name} rho", rho, spearman(scores[name], people)))
    both, near = print_cells(cells, 3, 0.01)
    print(f"{near} of {both} within 0.01; the published ones were drawn, which moves them by about that.")
    print()
    print(f"What {DRAWS:,} draws of one row give, over {len(SEEDS)} seeds, and the 300 rows themselves")
    print(
        f"{'':12}{'tau-a':>8}{'drawn':>8}{'spread':>8}{'tau-b':>8}{'rho':>8}  p of the 300, and of the draws"
    )
    drawn_rows = []
    for name, values in scores.items():
        drawn = [_drawn_tau(values, people, seed) for seed in SEEDS]
        mean = sum(drawn) / len(drawn)
        spread = math.sqrt(sum((item - mean) ** 2 for item in drawn) / (len(drawn) - 1))
        plain, tau_b = tau_a(values, people), kendall(values, people)
        linear = spearman(values, people)
        assert tau_b is not None and linear is not None
        honest, inflated = _p_value(tau_b, len(people)), _p_value(tau_b, DRAWS)
        numbers = "".join(f"{number:8.3f}" for number in (plain, mean, spread, tau_b, linear))
        print(f"{name:12}{numbers}  {honest:.0e}, {inflated:.0e}")
        drawn_rows.append(
            {"name": name, "tau_a": plain, "drawn": mean, "spread": spread, "tau_b": tau_b, "rho": linear}
        )
    perfect = [float(round(value)) for value in people]
    best = tau_a(perfect, people), kendall(perfect, people), spearman(perfect, people)
    print()
    print(
        "A judge that gives the rounded mean of the people, which is as good as whole numbers can be, has"
        f" tau-a {best[0]:.3f}, tau-b {best[1]:.3f}, rho {best[2]:.3f}."
    )
    print(
        "So the draws leave the estimate where it was and make any p-value small: 5,000 rows are asked for"
        " their evidence and 300 have it. tau-a cannot reach 1 where people tie; tau-b and rho can nearly."
    )
    write_json(output, {"coderpe": as_json(cells), "draws": drawn_rows, "perfect": best})
    return 0 if near == both else 1


def tau_a(one: Sequence[float], other: Sequence[float], weights: Sequence[int] | None = None) -> float:
    """Concordant less discordant pairs over all pairs; `weights` says how often each row occurs."""
    times = weights or [1] * len(one)
    total = sum(times)
    difference = 0
    for at in range(len(one)):
        if not times[at]:
            continue
        for before in range(at):
            product = (one[at] - one[before]) * (other[at] - other[before])
            difference += times[at] * times[before] * ((product > 0) - (product < 0))
    return difference / (total * (total - 1) / 2)


def _drawn_tau(one: Sequence[float], other: Sequence[float], seed: int) -> float:
    chance = random.Random(seed)
    drawn = Counter(chance.randrange(len(one)) for _ in range(DRAWS))
    return tau_a(one, other, [drawn[at] for at in range(len(one))])


def _p_value(tau: float, rows: int) -> float:
    """Two-sided, by the normal approximation for Kendall's tau without ties."""
    z = abs(tau) * 3 * math.sqrt(rows * (rows - 1) / (2 * (2 * rows + 5)))
    return math.erfc(z / math.sqrt(2))


def _read(folder: Path) -> tuple[list[float], dict[str, list[float]]] | None:
    scored, rated = (
        find(folder, f"{_FOLDER}/{name}", name) for name in ("score_1.xlsx", "human_evaluation_1.xlsx")
    )
    if scored is None or rated is None:
        print(f"CodeRPE was not measured: there is no {_FOLDER}.\n{_NEEDED}", file=sys.stderr)
        return None
    try:
        import openpyxl
    except ImportError:
        print(
            "CodeRPE was not measured: its data are spreadsheets.\nRun: pip install openpyxl", file=sys.stderr
        )
        return None
    tables = []
    for path in (scored, rated):
        book = openpyxl.load_workbook(path, read_only=True)
        tables.append(list(book.worksheets[0].iter_rows(values_only=True)))
        book.close()
    head, *rows = tables[0]
    scores = {str(name): [float(row[at]) for row in rows] for at, name in enumerate(head) if name}
    head, *rows = tables[1]
    raters = [at for at, name in enumerate(head) if name and str(name).startswith("volunteer")]
    people = [sum(float(row[at]) for at in raters) / len(raters) for row in rows]
    return people, scores
