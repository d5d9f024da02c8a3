"""Are drafts close to what people wrote, given all that came before and nothing that came later?

`python -m bench.drafting --repo DIR --last 200 --json` drafts the newest commits of people (no merges,
no bots, no reverts that git worded) of DIR, each from its ancestors alone, with every drafter and with
baselines: NNGen (the nearest diff by cosine of word counts, of five the one with the highest BLEU), the
subject of the nearest change by files, `Update FILE`, and the most frequent subject. The reference is the
subject without the number of its pull request. Several `--repo` give means over the repositories.

`--model local:PATH` adds what that model drafts from the plain diff, from our question (what tells most
first, with three subjects of changes like it), and its text chosen among our own; it takes seconds a commit.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from bench.drafting.measures import summarise
from bench.drafting.run import run
from gitnotes.recipes.models import find_generator

_COLUMNS = (
    *("log-mnext", "mnext-f1", "rouge-l", "edit", "accepted", "hallucinated", "repeated"),
    *("type-right", "style-right", "seconds"),
)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.drafting",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--repo", type=Path, action="append", required=True, help="a repository, bare or not")
    parser.add_argument("--last", type=int, default=200, help="commits of people that are drafted")
    parser.add_argument("--skip", type=int, default=0, help="newer commits of people that are left out")
    parser.add_argument("--model", metavar="NAME", help="a model that drafts as well, as local:PATH")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--rows", type=Path, help="also write each draft beside its reference here")
    chosen = parser.parse_args(arguments)
    generator = find_generator(chosen.model, None) if chosen.model else None
    found: dict[str, Any] = {}
    kept: list[dict[str, Any]] = []
    for place in chosen.repo:
        outcome = run(place, chosen.last, chosen.skip, generator)
        name = place.parent.name if place.name == "repo" else place.resolve().name
        found[name] = {
            "commits": len(outcome.commits),
            "drafters": {drafter: summarise(rows) for drafter, rows in outcome.rows.items()},
        }
        kept += [
            {"repo": name, "sha": sha, "reference": row.reference, "drafter": drafter, "draft": row.text}
            | {"log-mnext": row.log_mnext}
            for drafter, rows in outcome.rows.items()
            for sha, row in zip(outcome.commits, rows, strict=True)
        ]
        if not chosen.json:
            print_table(name, found[name])
    means = {
        "commits": sum(item["commits"] for item in found.values()),
        "drafters": average([item["drafters"] for item in found.values()]),
    }
    if chosen.json:
        print(json.dumps({**means, "repositories": found}, indent=2))
    elif len(found) > 1:
        print_table("mean of the repositories", means)
    if chosen.rows:
        chosen.rows.write_text("".join(json.dumps(row) + "\n" for row in kept), "utf-8")
    return 0


def average(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """The means over the repositories; where one has no value the others count."""
    result: dict[str, Any] = {}
    for drafter in parts[0]:
        result[drafter] = {}
        for column in _COLUMNS:
            values = [part[drafter][column] for part in parts if part[drafter][column] is not None]
            result[drafter][column] = sum(values) / len(values) if values else None
    return result


def print_table(name: str, found: dict[str, Any]) -> None:
    print(f"\n{name}: {found['commits']} commits, all but seconds x 100")
    print(f"{'':14}" + "".join(f"{column[:9]:>10}" for column in _COLUMNS))
    for drafter, means in found["drafters"].items():
        cells = [
            "-" if means[column] is None else f"{means[column]:.4f}" if column == "seconds"
            else f"{100 * means[column]:.1f}"
            for column in _COLUMNS
        ]  # fmt: skip
        spread = means.get("log-mnext-interval")
        shown = f"  [{100 * spread[0]:.1f}, {100 * spread[1]:.1f}]" if spread else ""
        print(f"{drafter:14}" + "".join(f"{cell:>10}" for cell in cells) + shown)


if __name__ == "__main__":
    sys.exit(main())
