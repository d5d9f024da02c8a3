"""Does the grade of a note move where the note was made worse, and nowhere else?

Each note is our draft for a version pair, spoiled in one known way: entries removed, invented (taken from
another project), said twice, put under other headings, reworded to say nothing, or padded with words. For
each way the mean change of every dimension is printed, and in how many notes the right one fell most.
Also: do the published human scores of ReleaseEval depend on the texts that they are for?
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.release.measures import PAPER, paper_scores
from bench.release.notes import Pair
from gitnotes.draft.notes.note import draft_note
from gitnotes.draft.notes.presets import PRESETS
from gitnotes.errors import UsageError
from gitnotes.grade.correlation import spearman
from gitnotes.grade.notes.note_grade import DIMENSIONS, grade_note
from gitnotes.guard.text import show
from gitnotes.recipes.release_grading import change_facts

_SHARE = 0.3
"""Of the entries of a note that are spoiled."""
_FEWEST = 8
"""Entries that a note must have."""
_PADDING = (
    " in a way that should be of interest to everybody who is concerned with it, as it has been for quite"
    " some time now and as everybody who has read this far will surely agree with, without any doubt at all"
)
HUMAN = ("Completeness", "Clarity", "Conciseness", "Organisation")
Lines = list[str]
Spoiler = Callable[[Lines, list[int], random.Random, Sequence[str]], Lines]


def _remove(lines: Lines, chosen: list[int], _: random.Random, __: Sequence[str]) -> Lines:
    return [line for at, line in enumerate(lines) if at not in chosen]


def _invent(lines: Lines, chosen: list[int], rng: random.Random, foreign: Sequence[str]) -> Lines:
    extra = dict(zip(chosen, rng.sample(list(foreign), min(len(chosen), len(foreign))), strict=False))
    return [item for at, line in enumerate(lines) for item in (line, *([extra[at]] if at in extra else []))]


def _double(lines: Lines, chosen: list[int], _: random.Random, __: Sequence[str]) -> Lines:
    return [item for at, line in enumerate(lines) for item in (line, *([line] if at in chosen else []))]


def _shuffle(lines: Lines, _: list[int], rng: random.Random, __: Sequence[str]) -> Lines:
    places = [at for at, line in enumerate(lines) if line.startswith("- ")]
    moved = rng.sample(places, len(places))
    result = list(lines)
    for at, other in zip(places, moved, strict=True):
        result[at] = lines[other]
    return result


def _reword(lines: Lines, chosen: list[int], _: random.Random, __: Sequence[str]) -> Lines:
    return [
        _keep_reference(line, "- Various fixes") if at in chosen else line for at, line in enumerate(lines)
    ]


def _pad(lines: Lines, chosen: list[int], _: random.Random, __: Sequence[str]) -> Lines:
    return [
        _keep_reference(line, _text(line) + _PADDING) if at in chosen else line
        for at, line in enumerate(lines)
    ]


def _text(line: str) -> str:
    return line.rpartition(" (")[0] or line


def _keep_reference(line: str, text: str) -> str:
    reference = line.rpartition(" (")[2]
    return f"{text} ({reference}"


WAYS: dict[str, tuple[str, Spoiler]] = {
    "removed": ("completeness", _remove),
    "invented": ("accuracy", _invent),
    "reworded": ("clarity", _reword),
    "said twice": ("conciseness", _double),
    "padded": ("conciseness", _pad),
    "shuffled": ("organisation", _shuffle),
}


def measure(pairs: Sequence[Pair], seed: int = 0) -> dict[str, Any]:
    """For each way the mean change of every dimension, and the share of notes in which the right one fell
    and fell the most."""
    drafts = [(pair, _draft(pair)) for pair in pairs]
    used = [(pair, note) for pair, note in drafts if _entries(note) >= _FEWEST]
    found: dict[str, Any] = {}
    for way, (wanted, spoil) in WAYS.items():
        rng = random.Random(seed)
        changes: list[dict[str, float]] = []
        for pair, note in used:
            foreign = [
                line
                for other, text in used
                if other.repo != pair.repo
                for line in text.split("\n")
                if line.startswith("- ")
            ]
            lines = note.split("\n")
            places = [at for at, line in enumerate(lines) if line.startswith("- ")]
            chosen = rng.sample(places, max(1, round(_SHARE * len(places))))
            spoiled = "\n".join(spoil(lines, chosen, rng, foreign))
            facts = change_facts(pair.tree)
            before, after = grade_note(note, facts).scores, grade_note(spoiled, facts).scores
            changes.append(
                {
                    name: (after[name] or 0.0) - (before[name] or 0.0)
                    for name in DIMENSIONS
                    if before[name] is not None and after[name] is not None
                }
            )
        usable = [change for change in changes if wanted in change]
        right = sum(change[wanted] < 0 and change[wanted] == min(change.values()) for change in usable)
        found[way] = {
            "wanted": wanted,
            "notes": len(usable),
            "right": right / len(usable) if usable else None,
            **{name: _mean([change[name] for change in changes if name in change]) for name in DIMENSIONS},
        }
    return {"notes": len(used), "ways": found}


def _draft(pair: Pair) -> str:
    """With all kinds of change under headings, and a reference behind each entry."""
    style = replace(PRESETS["plain"], refs="either", compare_line=False)
    return draft_note(pair.tree, version="1.0.0", date="2024-01-01", style=style).text


def _entries(note: str) -> int:
    return sum(line.startswith("- ") for line in note.split("\n"))


def weigh_human(path: Path) -> dict[str, Any]:
    """Whether the human scores of a `*_scored.csv` depend on how near the output is to the reference.

    Spearman's rank correlation of each score with the three metrics of the paper, and the mean scores of
    outputs that equal the reference (ROUGE-L above 95) and that share next to nothing with it (below 15).
    """
    rows = _scored_rows(path)
    metrics = [paper_scores(row["predict"], row["ground_truth"]) for row in rows]
    groups = {
        "equal": [row for row, score in zip(rows, metrics, strict=True) if score["rouge-l"] > 95],
        "unlike": [row for row, score in zip(rows, metrics, strict=True) if score["rouge-l"] < 15],
    }
    return {
        "rows": len(rows),
        "spearman": {
            name: {
                metric: spearman([score[metric] for score in metrics], [float(row[name]) for row in rows])
                for metric in PAPER
            }
            for name in HUMAN
        },
        **{
            label: {
                "rows": len(group),
                **{name: _mean([float(row[name]) for row in group]) for name in HUMAN},
            }
            for label, group in groups.items()
        },
    }


def _scored_rows(path: Path) -> list[dict[str, str]]:
    csv.field_size_limit(10_000_000)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if all(row.get(name) for name in HUMAN)]
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise UsageError(
            f"Cannot read {show(str(path))}.", "Give a *_scored.csv of ReleaseEval."
        ) from problem
    if not rows or "predict" not in rows[0]:
        raise UsageError(
            f"{show(str(path))} has no scored rows.",
            "It needs predict, ground_truth, Completeness and so on.",
        )
    return rows


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def table(found: dict[str, Any]) -> str:
    """The ways, one a line, with the mean change of each dimension; or the correlations."""
    if "spearman" in found:
        lines = [f"{found['rows']} rows; Spearman's correlation with {', '.join(PAPER)}"]
        for name, values in found["spearman"].items():
            lines.append(f"{name:14}" + "".join(f"{_cell(values[metric]):>9}" for metric in PAPER))
        for label in ("equal", "unlike"):
            scores = "".join(f"{found[label][name]:9.2f}" for name in HUMAN)
            lines.append(f"{label + ' to reference':22}{found[label]['rows']:4} rows{scores}")
        return "\n".join(lines)
    lines = [f"{found['notes']} notes; mean change, 1 to 5", f"{'':12}{'right':>8}"]
    lines[1] += "".join(f"{name:>14}" for name in DIMENSIONS)
    for way, row in found["ways"].items():
        right = "-" if row["right"] is None else f"{100 * row['right']:.0f} %"
        lines.append(f"{way:12}{right:>8}" + "".join(f"{row[name]:14.2f}" for name in DIMENSIONS))
    return "\n".join(lines)


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
