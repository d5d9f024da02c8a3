"""What does NNGen say of the commits that `bench.learning.heldout` drafts?

python -m bench.learning.nngen --repo A --repo B --last 40 > nngen.jsonl
python -m bench.learning.heldout --repo A --repo B --last 40 --drafters best --against nngen.jsonl
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence

from bench.drafting.baselines import Cosines, nngen
from bench.drafting.past import History
from gitnotes.config import Settings
from gitnotes.read.git import open_git
from gitnotes.recipes.cases import read_cases


def draft(place: str, last: int) -> Iterator[tuple[str, str]]:
    """Object id and NNGen's subject of the newest commits of people, each from its ancestors."""
    git = open_git(place)
    wanted = [case.sha for case in read_cases(git, Settings(), last)]
    history = History(git)
    cosines = Cosines(history.people)
    items = {item.commit.sha: item for item in history.people}
    for sha in wanted:
        if sha in items:
            known, _ = history.before(items[sha], 0)
            yield sha, nngen(items[sha], cosines.nearest(items[sha], known))


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints one JSON object a commit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", action="append", required=True)
    parser.add_argument("--last", type=int, default=40)
    chosen = parser.parse_args(arguments)
    for place in chosen.repo:
        for sha, message in draft(place, chosen.last):
            print(json.dumps({"sha": sha, "message": message}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
