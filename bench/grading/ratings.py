"""Where are the messages that people rated, and how are they read?

`--data` names a folder with a subfolder `judge` (or is that folder itself) that holds

    tian_what_why.csv              Tian et al., ICSE 2022: id, repo_id, label, url, message
    omg_ratings.csv                OMG: commit, project, source, message, four ratings 0-4, diff
    human_annotation.csv, human_annotation_emse_enhanced.csv
                                   Tao et al.: 100 generated messages with diffs and three raters

None of them states a licence, so no row is copied here. What is not there is skipped, and said.
"""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass
from pathlib import Path

from gitnotes.read.diff import parse_patch
from gitnotes.records import Change

TIAN = "tian_what_why.csv"
OMG = "omg_ratings.csv"
TAO = "human_annotation.csv"
TAO_RATINGS = "human_annotation_emse_enhanced.csv"
_LARGEST_FIELD = 2**27


@dataclass(frozen=True, slots=True)
class Rated:
    """A message that people rated; `ratings` by name: 0 or 1 for Tian, 0 to 4 for the others."""

    message: str
    project: str
    ratings: dict[str, float]
    change: Change | None = None
    source: str = "human"


def find_folder(data: Path) -> Path:
    """The folder that holds the files."""
    return data / "judge" if (data / "judge").is_dir() else data


def read_tian(data: Path) -> list[Rated]:
    """Labels what, why and good (both); empty when the file is not there."""
    return [
        Rated(
            _break_lines(row["message"]),
            row["repo_id"],
            {
                "what": float(row["label"] in "03"),
                "why": float(row["label"] in "02"),
                "good": float(row["label"] == "0"),
            },
        )
        for row in _rows(find_folder(data) / TIAN)
    ]


def read_omg(data: Path) -> list[Rated]:
    """Four ratings of messages by a person, FIRA and GPT-4, with the change."""
    names = ("rationality", "comprehensiveness", "conciseness", "expressiveness")
    return [
        Rated(
            row["message"],
            row["project"],
            {name: float(row[name]) for name in names},
            parse_patch(row["diff"].lstrip("\n")),
            row["source"],
        )
        for row in _rows(find_folder(data) / OMG)
    ]


def read_tao(data: Path) -> list[Rated]:
    """Three mean ratings of 100 generated messages, with the change."""
    folder = find_folder(data)
    ratings = {row["url"].strip(): row for row in _rows(folder / TAO_RATINGS)}
    names = {
        "adequacy": "Content adequacy AVG",
        "conciseness": "Conciseness AVG",
        "expressiveness": "Expressiveness AVG",
    }
    found = []
    for row in _rows(folder / TAO):
        rated = ratings.get(row["url"].strip())
        if rated is None:
            continue
        project = "/".join(row["url"].split("/")[3:5])
        values = {name: float(rated[column]) for name, column in names.items()}
        found.append(Rated(row["Generation"], project, values, parse_patch(row["code_diff"]), "generated"))
    return found


def digest(data: Path, *names: str) -> str:
    """SHA-256 of the files, one after the other, shortened."""
    total = hashlib.sha256()
    for name in names:
        total.update((find_folder(data) / name).read_bytes())
    return total.hexdigest()[:16]


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    csv.field_size_limit(_LARGEST_FIELD)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _break_lines(message: str) -> str:
    """Tian's messages are one line each; `<enter>` stands for a line break."""
    return "\n".join(line.strip() for line in message.split("<enter>")).strip()
