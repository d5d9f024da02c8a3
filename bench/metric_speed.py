"""How much faster is Log-MNEXT here than in its authors' way of computing it?

    python -m bench.metric_speed --data DIR [--wordnet DIR] [--rows N] [--json FILE]

DIR of `--data` holds CSV files with the columns `ref` and `pred`. Both sides score the same rows
in one process, in CPU time: `new` is the first pass over rows with empty memos, `new, warm
words` scores further rows with whatever the first ones left in the memos, `known words` scores the
first rows once more: gitnotes remembers words and no texts, so new texts of these words would take
as long. Each of `--runs` starts with empty memos on both sides, after their files are read, and
with both out of reach of the garbage collector; the best of each pass counts.

The authors' way is nltk's stemmer and nltk's WordNet, asked for every left-over word of every
pair, and each stage run twice: for the alignment and for the counts. It needs nltk's WordNet 3.0
files in DIR/corpora/wordnet of `--wordnet`: those of Debian's `wordnet-base` from
/usr/share/wordnet (data.*, index.*, *.exc, cntlist.rev), copied and not linked, with an empty
`index.sense`, and `lexnames` from the manual page lexnames(5WN). Without them that side is
skipped, which is said. Exits 3 when there is nothing to score.
"""

from __future__ import annotations

import argparse
import csv
import gc
import itertools
import json
import os
import random
import string
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gitnotes.grade import words
from gitnotes.grade.metric import make_metric

Pair = tuple[str, str]
Scorer = Callable[[str, str], float | None]


def read_pairs(folder: Path) -> list[Pair]:
    """All pairs with text on both sides, prediction first, shuffled with a fixed seed."""
    pairs = []
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                if (row.get("pred") or "").strip() and (row.get("ref") or "").strip():
                    pairs.append((row["pred"], row["ref"]))
    random.Random(0).shuffle(pairs)
    return pairs


def make_theirs(folder: Path) -> Scorer:
    """Log-MNEXT computed in its authors' way, from its description; WordNet is read here."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.stem.porter import PorterStemmer

    nltk.data.path.insert(0, str(folder))
    wordnet = WordNetCorpusReader(nltk.data.find("corpora/wordnet"), None)
    stemmer = PorterStemmer()

    def pair_up(left: list[tuple[int, str]], free: list[tuple[int, str]]) -> list[tuple[int, int]]:
        pairs = []
        for i in range(len(left))[::-1]:
            for j in range(len(free))[::-1]:
                if left[i][1] == free[j][1]:
                    pairs.append((left[i][0], free[j][0]))
                    left.pop(i)
                    free.pop(j)
                    break
        return pairs

    def by_stem(left: list[tuple[int, str]], free: list[tuple[int, str]]) -> list[tuple[int, int]]:
        stems = [[(place, stemmer.stem(word)) for place, word in side] for side in (left, free)]
        return pair_up(*stems)

    def by_synonym(left: list[tuple[int, str]], free: list[tuple[int, str]]) -> list[tuple[int, int]]:
        left, free = list(left), list(free)
        pairs = []
        for i in range(len(left))[::-1]:
            names = {left[i][1]}
            for synset in wordnet.synsets(left[i][1]):
                names.update(lemma.name() for lemma in synset.lemmas() if "_" not in lemma.name())
            for j in range(len(free))[::-1]:
                if free[j][1] in names:
                    pairs.append((left[i][0], free[j][0]))
                    left.pop(i)
                    free.pop(j)
                    break
        return pairs

    def number(text: str) -> list[tuple[int, str]]:
        return list(enumerate("".join(c for c in text if c not in words.PUNCTUATION).lower().split()))

    def score(prediction: str, reference: str) -> float:
        left, free = number(prediction), number(reference)
        sizes = len(left), len(free)
        exact = pair_up(left, free)
        stem = by_stem(left, free)
        pairs = sorted(exact + stem + by_synonym(left, free), key=lambda pair: pair[0])
        counted = len(pair_up(number(prediction), number(reference)))
        stem = by_stem(left, free)
        synonym = set(by_synonym(left, free)).difference(stem)
        weighted = counted + 0.8 * len(stem) + 0.6 * len(synonym)
        if not weighted:
            return 0.0
        chunks = 1
        for one, two in itertools.pairwise(pairs):
            chunks += two[0] != one[0] + 1 or two[1] != one[1] + 1
        p, r = weighted / sizes[0], weighted / sizes[1]
        penalty = 0.0
        if not counted + len(stem) + len(synonym) == sizes[0] == sizes[1]:
            penalty = 0.45 * (chunks / len(pairs)) ** 2.35
        return float((1 - penalty) * ((p * r) / (0.85 * p + (1 - 0.85) * r)))

    return score


def measure(score: Scorer, pairs: list[Pair]) -> float:
    """Pairs in a second of CPU time."""
    start = time.process_time()
    for prediction, reference in pairs:
        score(prediction, reference)
    return len(pairs) / (time.process_time() - start)


def passes(score: Scorer, pairs: list[Pair]) -> dict[str, float]:
    """The rates of the three passes."""
    half = len(pairs) // 2
    return {
        "new": measure(score, pairs[:half]),
        "new, warm words": measure(score, pairs[half:]),
        "known words": measure(score, pairs[:half]),
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.metric_speed", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with CSV files")
    parser.add_argument("--wordnet", type=Path, help="folder with corpora/wordnet")
    parser.add_argument("--rows", type=int, default=4000, help="at most so many pairs")
    parser.add_argument("--runs", type=int, default=3, help="how often; the best of each pass counts")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    options = parser.parse_args(arguments)
    pairs = read_pairs(options.data)[: options.rows]
    if len(pairs) < 2:
        print(f"nothing was scored: no CSV with ref and pred in {options.data}", file=sys.stderr)
        return 3
    metric = make_metric("log-mnext")

    def ours(prediction: str, reference: str) -> float | None:
        return metric.score(prediction, (reference,))

    found: dict[str, Any] = {"rows": len(pairs), "cpus": os.cpu_count(), "ours": {}, "theirs": {}}
    for letter in string.ascii_lowercase:
        ours(letter, "updated that")  # both sides have read their files before the first pass
    theirs = options.wordnet is not None and (options.wordnet / "corpora/wordnet/data.noun").exists()
    for _ in range(options.runs):
        words.forget()
        sides: dict[str, Scorer] = {"ours": ours}
        if theirs:
            sides["theirs"] = make_theirs(options.wordnet)
        # Else what one side has loaded is gone through while the other one is measured.
        gc.collect()
        gc.freeze()
        for name, score in sides.items():
            for what, rate in passes(score, pairs).items():
                found[name][what] = max(rate, found[name].get(what, 0))
    if theirs:
        found["differences"] = sum(ours(*pair) != sides["theirs"](*pair) for pair in pairs)
    print(f"{len(pairs)} pairs, pairs in a second of CPU time")
    print(f"{'':18}{'gitnotes':>12}{'their way':>12}{'times':>8}")
    for name, rate in found["ours"].items():
        other = found["theirs"].get(name)
        cells = f"{other:>12.0f}{rate / other:>8.1f}" if other else f"{'skipped':>12}"
        print(f"{name:18}{rate:>12.0f}{cells}")
    if found["theirs"]:
        print(f"{found['differences']} scores differ")
    else:
        print("Their way was skipped: it needs --wordnet DIR with corpora/wordnet, see --help.")
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 1 if found.get("differences") else 0


if __name__ == "__main__":
    raise SystemExit(main())
