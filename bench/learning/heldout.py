"""How do drafters do on repositories that nobody has learned from, all commits together?

python -m bench.learning.heldout --repo A --repo B --last 40 --drafters best,local:BASE,local:ADAPTER
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from gitnotes import __version__
from gitnotes.config import Settings
from gitnotes.learn.evaluate import Evaluation, System, compare_all, recommend
from gitnotes.read.git import open_git
from gitnotes.recipes.collecting import name_repository
from gitnotes.recipes.evaluating import evaluate_drafters
from gitnotes.records import Signature
from gitnotes.show.evaluations import evaluation_json, evaluation_text


def run(
    places: Sequence[str], names: Sequence[str], last: int, against: Sequence[Path] = ()
) -> list[Evaluation]:
    """One evaluation for each repository, and the last one for all of them."""
    found: list[Evaluation] = []
    for place in places:
        git = open_git(place)
        name = name_repository(git, place)
        print(f"{name} ...", file=sys.stderr, flush=True)
        found.append(evaluate_drafters(git, Settings(), names, last=last, name=name, against=against))
    return [*found, pool(found)]


def pool(parts: Sequence[Evaluation]) -> Evaluation:
    """All commits of several evaluations of the same drafters as one."""
    by_name: dict[str, list[System]] = defaultdict(list)
    for part in parts:
        for system in part.systems:
            by_name[system.name].append(system)
    systems = tuple(
        dataclasses.replace(
            some[0],
            rows=tuple(row for system in some for row in system.rows),
            memory=max((system.memory or 0 for system in some), default=0),
        )
        for some in by_name.values()
    )
    chosen, reason = recommend(systems)
    return Evaluation(
        repository=f"{len(parts)} repositories",
        commits=sum(part.commits for part in parts),
        first=min(part.first for part in parts),
        last=max(part.last for part in parts),
        systems=systems,
        duels=compare_all(systems),
        recommended=chosen,
        reason=reason,
        signature=Signature("heldout", __version__, {"repositories": str(len(parts)), "seed": "1"}),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a table for each repository and one for all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", action="append", required=True)
    parser.add_argument("--drafters", required=True)
    parser.add_argument("--last", type=int, default=40)
    parser.add_argument("--json", type=Path, help="also write everything here, each draft with it")
    parser.add_argument("--against", type=Path, action="append", default=[], help="see gitnotes evaluate")
    chosen = parser.parse_args(arguments)
    found = run(chosen.repo, chosen.drafters.split(","), chosen.last, chosen.against)
    print("\n\n".join(evaluation_text(item) for item in found))
    if chosen.json:
        told = [json.loads(evaluation_json(item, rows=True)) for item in found]
        chosen.json.write_text(json.dumps(told, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
