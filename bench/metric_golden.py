"""Does Log-MNEXT give the same floats as its authors' code on every pair whose score is known?

    python -m bench.metric_golden --data DIR [--json FILE]

DIR, or its folder `metric`, holds files `golden*.jsonl`: one pair a line with the raw texts
`ref` and `pred`, the texts `ref_clean` and `pred_clean` after the authors' punctuation removal,
the score as `score_hex`, and the counts that led to it. Prints a table, writes JSON, and exits
1 when anything differs, 3 when there is nothing to compare.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from gitnotes.grade.log_mnext import find_value, log_mnext
from gitnotes.grade.words import strip_punctuation
from gitnotes.records import Score

NEEDED = ("ref", "pred", "score_hex")
COUNTS = ("exact", "stem", "synonym", "matches", "chunks", "len_pred", "len_ref")


def count_parts(score: Score) -> dict[str, int]:
    """The counts of a score under the names that the golden files use."""
    pairs = {stage: set[tuple[int, int]]() for stage in ("exact", "stem", "synonym")}
    for match in score.matches:
        pairs[match.stage].add((match.prediction, match.reference))
    return {
        "exact": len(pairs["exact"]),
        "stem": len(pairs["stem"]),
        "synonym": len(pairs["synonym"] - pairs["stem"]),
        "matches": len(score.matches),
        "chunks": score.chunks,
        "len_pred": len(score.prediction),
        "len_ref": len(score.reference),
    }


def compare_row(row: dict[str, Any]) -> list[str]:
    """What differs in one row: 'raw', 'clean', 'cleaning', or the name of a count."""
    wanted = float.fromhex(row["score_hex"])
    score = log_mnext(row["pred"], row["ref"])
    wrong = [] if score.value == wanted == find_value(row["pred"], row["ref"]) else ["raw"]
    if "pred_clean" in row and "ref_clean" in row:
        if log_mnext(row["pred_clean"], row["ref_clean"]).value != wanted:
            wrong.append("clean")
        for side in ("pred", "ref"):
            if strip_punctuation(row[side]).split() != row[f"{side}_clean"].split():
                wrong.append("cleaning")
    parts = count_parts(score)
    return wrong + [name for name in COUNTS if name in row and row[name] != parts[name]]


def compare_file(path: Path) -> dict[str, Any]:
    """The figures of one golden file."""
    rows = 0
    wrong: Counter[str] = Counter()
    skipped: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as problem:
            skipped.append(f"{path.name}:{number}: not JSON ({problem})")
            continue
        missing = [name for name in NEEDED if not isinstance(row.get(name), str)]
        if missing:
            skipped.append(f"{path.name}:{number}: no {', '.join(missing)}")
            continue
        rows += 1
        wrong.update(set(compare_row(row)))
    return {"file": path.name, "rows": rows, "differences": dict(wrong), "skipped": skipped}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.metric_golden", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with golden*.jsonl")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    options = parser.parse_args(arguments)
    folder = options.data / "metric" if (options.data / "metric").is_dir() else options.data
    results = [compare_file(path) for path in sorted(folder.glob("golden*.jsonl"))]
    columns = ("raw", "clean", "cleaning", *COUNTS)
    print(f"{'file':26}{'rows':>6}{'skipped':>9}" + "".join(f"{name:>10}" for name in columns))
    for result in results:
        cells = "".join(f"{result['differences'].get(name, 0):>10}" for name in columns)
        print(f"{result['file']:26}{result['rows']:>6}{len(result['skipped']):>9}{cells}")
    print("Columns from 'raw' on count the rows that differ: score of the raw texts, score of the")
    print("cleaned texts, the cleaning itself, then the parts of the raw score.")
    for line in (line for result in results for line in result["skipped"]):
        print(f"skipped {line}")
    rows = sum(result["rows"] for result in results)
    differences = sum(sum(result["differences"].values()) for result in results)
    if options.json is not None:
        options.json.write_text(
            json.dumps({"rows": rows, "differences": differences, "files": results}, indent=1) + "\n",
            encoding="utf-8",
        )
    if not rows:
        print(f"nothing was compared: no usable golden*.jsonl in {folder}", file=sys.stderr)
        return 3
    print(f"{rows} pairs, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    raise SystemExit(main())
