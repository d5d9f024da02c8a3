"""How well do three systems score by Log-MNEXT in five languages (Table 3)?

Table 3 of the Log-MNEXT paper, 15 cells, on its authors' files, which are damaged: up to 60 % of
their rows have an empty prediction or reference, each of which scores 0. Beside it the same on
the intact files of Tao et al. 2021, from which these were made, and mnext-f1 on those.

The rows of CommitGen and NMT are swapped in the paper: what it prints for CommitGen is what the
files called NMT give, and the other way round. The measured value is taken from the file that
the cell must have come from; the file is named.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from bench.papers.data import CMG, TAO, Cell, as_json, complain, find, print_cells, write_json
from gitnotes.grade.metric import Metric, make_metric

LANGUAGES = {"C++": "cpp", "C#": "csharp", "Java": "java", "JS": "javascript", "Py": "python"}
PUBLISHED = {
    "CommitGen": (11.94, 18.35, 9.63, 18.11, 8.27),
    "NMT": (11.69, 17.96, 10.7, 13.58, 9.34),
    "NNGen": (13.82, 16.89, 7.4, 18.25, 14.27),
}
SWAPPED = {"CommitGen": "NMT", "NMT": "CommitGen", "NNGen": "NNGen"}
"""System as the paper prints it to the name of the file that its row comes from."""

Pair = tuple[str, str]


def read_damaged(folder: Path, system: str, number: int) -> list[Pair] | None:
    """Reference and prediction of each row of an authors' file; None when it is not there."""
    name = f"{system}_MCMD{number}.csv"
    path = find(folder, f"{CMG}/Dataset/{name}", f"Dataset/{name}", name)
    if path is None:
        return None
    with path.open(encoding="cp1252", errors="replace", newline="") as lines:
        return [(row[0], row[1]) for row in csv.reader(lines) if len(row) > 1]


def read_intact(folder: Path, system: str, language: str) -> list[Pair] | None:
    """Reference and prediction of each line of the intact files; None when they are not there."""
    place = f"experiment_results/model_{system}/data_MCMD/{language}/split_random"
    paths = [find(folder, f"{TAO}/{place}/{name}.msg", f"{place}/{name}.msg") for name in ("ref", "gen")]
    if None in paths:
        return None
    references, predictions = (
        path.read_text(encoding="utf-8", errors="replace").split("\n") for path in paths if path is not None
    )
    pairs = list(zip(references, predictions, strict=False))
    return pairs[:-1] if pairs and not "".join(pairs[-1]).strip() else pairs


def mean(metric: Metric, pairs: Iterable[Pair], *, rounded: bool) -> float:
    """The mean score in percent; `rounded` to two digits each, as the authors do."""
    total, count = 0.0, 0
    for reference, prediction in pairs:
        value = metric.score(prediction, (reference,)) or 0.0
        total += round(value, 2) if rounded else value
        count += 1
    return 100 * total / count if count else 0.0


def run(folder: Path, output: Path | None = None, systems: Iterable[str] = tuple(PUBLISHED)) -> int:
    """Prints the tables; 0 when all cells are within 0.01, 1 when not, 3 without data."""
    metric, better = make_metric("log-mnext"), make_metric("mnext-f1")
    cells, intact_cells = [], []
    lines = []
    for system in systems:
        file = SWAPPED[system]
        for number, (language, key) in enumerate(LANGUAGES.items(), 1):
            name = f"{system} {language}"
            published = PUBLISHED[system][number - 1]
            pairs = read_damaged(folder, file, number)
            whole = read_intact(folder, file, key)
            if pairs is not None:
                empty = sum(not one.strip() or not other.strip() for one, other in pairs)
                note = f"{file}_MCMD{number}.csv, {len(pairs)} rows, {empty} with an empty side"
                cells.append(Cell(name, published, mean(metric, pairs, rounded=True), note))
            elif whole is not None:
                note = f"{file}_MCMD{number}.csv is not there; from the intact files of {file} {key}"
                cells.append(Cell(name, published, mean(metric, whole, rounded=True), note))
            else:
                cells.append(Cell(name, published, None, f"{file}_MCMD{number}.csv is not there"))
            own = read_intact(folder, system, key)
            if own is not None:
                value, other = (mean(each, own, rounded=False) for each in (metric, better))
                intact_cells.append(Cell(name, published, value, f"mnext-f1 {other:.3f}"))
                lines.append(f"{name:16}{published:>11.2f}{value:>11.3f}{other:>11.3f}{len(own):>9}")
    if all(cell.measured is None for cell in cells):
        return complain("Table 3 was not measured: there are no Dataset/*_MCMD*.csv.")
    print("Table 3: mean Log-MNEXT in percent, the authors' files, rounded as they do")
    print("The rows CommitGen and NMT are swapped in the paper; each cell is held to the file it came from.")
    compared, within = print_cells(cells, 3, 0.01)
    print(f"{within} of {compared} cells within 0.01, {len(cells)} in the table")
    if lines:
        print("\nThe intact files under the system's own name, not rounded")
        print(f"{'':16}{'published':>11}{'log-mnext':>11}{'mnext-f1':>11}{'rows':>9}")
        print("\n".join(lines))
    write_json(output, {"table3": as_json(cells), "intact": as_json(intact_cells)})
    return int(within < compared)
