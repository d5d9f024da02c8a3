"""How near do release notes come to those of people, beside what other tools write?

`python -m bench.release --releaseeval FILE.jsonl` takes lines with `input` (a drawn commit tree, or messages)
and `note`, and prints BLEU-4, ROUGE-L and METEOR as the ReleaseEval paper computes them.
`python -m bench.release --notes FILE.jsonl` takes version pairs of real projects with the notes that
they wrote, and sets our note beside lists of subjects and beside other tools.
`python -m bench.release --grade-facts FILE.jsonl` takes the same version pairs and spoils our notes in known
ways, to see which dimension of the grade falls; `--human FILE.csv` sees whether ReleaseEval's human scores
depend on the texts.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.release import grade_facts, notes, releaseeval
from gitnotes.errors import GitnotesError


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.release",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--releaseeval", type=Path, metavar="FILE", help="lines with `input` and `note`")
    what.add_argument("--notes", type=Path, metavar="FILE", help="version pairs of real projects")
    what.add_argument("--grade-facts", type=Path, metavar="FILE", help="version pairs of real projects")
    what.add_argument("--human", type=Path, metavar="FILE", help="a *_scored.csv of ReleaseEval")
    parser.add_argument(
        "--repos", type=Path, metavar="DIR", help="with --notes: where OWNER+NAME/repo are, for other tools"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.releaseeval:
            found = releaseeval.measure(chosen.releaseeval)
        elif chosen.grade_facts:
            found = grade_facts.measure(notes.read_pairs(chosen.grade_facts))
        elif chosen.human:
            found = grade_facts.weigh_human(chosen.human)
        else:
            found = notes.measure(chosen.notes, chosen.repos)
    except GitnotesError as problem:
        print(f"{problem}\n{problem.hint}", file=sys.stderr)
        return 2
    show_table = grade_facts.table if chosen.grade_facts or chosen.human else table
    print(json.dumps(found, indent=2) if chosen.json else show_table(found))
    return 0


def table(found: dict[str, Any]) -> str:
    """The systems, one a line; what is not there is a dash, and what was skipped is said below."""
    blocks = [_block(f"{found['rows']} notes, all x 100", found["systems"])]
    if found.get("tools"):
        beside = found["tools"]
        blocks.append(_block(f"the {beside['rows']} whose repository is here", beside["systems"]))
    if "accounted" in found:
        blocks.append(
            f"commits accounted for: {found['accounted']:.2f} %, names, links and numbers invented: "
            f"{len(found['invented'])}"
        )
    blocks.append("\n".join(f"skipped: {line}" for line in found.get("skipped", ())))
    return "\n\n".join(block for block in blocks if block)


def _block(title: str, systems: dict[str, dict[str, float | None]]) -> str:
    columns = list(next(iter(systems.values()), {}))
    lines = [title, " " * 24 + "".join(f"{name:>11}" for name in columns)]
    for name, scores in systems.items():
        cells = ("-" if scores[column] is None else f"{scores[column]:.2f}" for column in columns)
        lines.append(f"{name:24}" + "".join(f"{cell:>11}" for cell in cells))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
