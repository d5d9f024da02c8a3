"""Where are the data of the papers, and how are they read?

    git clone https://github.com/CMGeval/Evaluating-CMG
    git clone https://github.com/DeepSoftwareAnalytics/CommitMsgEmpirical

Both in the folder that `--data` names. Neither has a licence file, so nothing of them is copied
here. What is not there is skipped, and said.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

CMG = "Evaluating-CMG"
TAO = "CommitMsgEmpirical"
NEEDED = (
    "It needs github.com/CMGeval/Evaluating-CMG (and for the intact files\n"
    "github.com/DeepSoftwareAnalytics/CommitMsgEmpirical) cloned into the folder of --data."
)


@dataclass(frozen=True, slots=True)
class Rated:
    """A pair that three people rated from 0 to 4."""

    prediction: str
    reference: str
    ratings: tuple[float, ...]
    project: str = ""

    @property
    def mean(self) -> float:
        return sum(self.ratings) / len(self.ratings)


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a table."""

    name: str
    published: float | None
    measured: float | None
    note: str = ""

    @property
    def difference(self) -> float | None:
        if self.published is None or self.measured is None:
            return None
        return self.measured - self.published


def find(folder: Path, *names: str) -> Path | None:
    """The first of these files that is below `folder`."""
    return next((folder / name for name in names if (folder / name).is_file()), None)


def read_rated(folder: Path) -> list[Rated]:
    """The 100 rated pairs of the Log-MNEXT paper; empty when they are not there."""
    path = find(folder, f"{CMG}/Dataset/human_annotations.csv", "Dataset/human_annotations.csv")
    path = path or find(folder, "human_annotations.csv")
    if path is None:
        return []
    with path.open(encoding="cp1252", newline="") as lines:
        rows = list(csv.reader(lines))
    return [Rated(row[0], row[1], tuple(map(float, row[2:5]))) for row in rows[:100]]


LABELS = ("Content adequacy", "Conciseness", "Expressiveness")


def read_labelled(folder: Path) -> tuple[list[Rated], dict[str, list[float]]]:
    """The rated pairs with their projects, and three further labels of each (Tao et al. 2022)."""
    first = find(folder, f"{TAO}/human_evaluation/human_annotation.csv")
    second = find(folder, f"{TAO}/human_evaluation/human_annotation_emse_enhanced.csv")
    if first is None or second is None:
        return [], {}
    csv.field_size_limit(1 << 24)
    with first.open(encoding="utf-8", errors="replace", newline="") as lines:
        pairs = [
            Rated(
                row["Generation"],
                row["Reference"],
                tuple(float(row[f"Author{number}"]) for number in (1, 2, 3)),
                "/".join(row["url"].split("/")[3:5]),
            )
            for row in csv.DictReader(lines)
        ]
    with second.open(encoding="utf-8", errors="replace", newline="") as lines:
        rows = list(csv.DictReader(lines))
    labels = {
        label: [sum(float(row[f"{label} #{number}"]) for number in (1, 2, 3)) / 3 for row in rows]
        for label in LABELS
    }
    return pairs, labels


def print_cells(cells: Sequence[Cell], digits: int, bar: float) -> tuple[int, int]:
    """Prints published, measured and difference; how many have both, and how many are within `bar`."""
    width = max(len(cell.name) for cell in cells)
    print(f"{'':{width}}{'published':>11}{'measured':>11}{'difference':>12}")
    for cell in cells:
        numbers = [
            "-" if number is None else f"{number:.{digits}f}" for number in (cell.published, cell.measured)
        ]
        gap = "-" if cell.difference is None else f"{cell.difference:+.{digits}f}"
        print(f"{cell.name:{width}}{numbers[0]:>11}{numbers[1]:>11}{gap:>12}  {cell.note}".rstrip())
    gaps = [abs(cell.difference) for cell in cells if cell.difference is not None]
    return len(gaps), sum(gap <= bar + 1e-9 for gap in gaps)


def write_json(path: Path | None, content: dict[str, Any]) -> None:
    """Writes the figures, if there is somewhere to write them to."""
    if path is not None:
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def as_json(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    return [{**asdict(cell), "difference": cell.difference} for cell in cells]


def complain(sentence: str) -> int:
    """Says why nothing was measured; the exit code for that."""
    print(f"{sentence}\n{NEEDED}", file=sys.stderr)
    return 3
