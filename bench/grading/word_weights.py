"""How common is each word in commit messages?

usage: python -m bench.grading.word_weights REPOSITORY... > gitnotes/data/word_weights.txt

Prints the stems that at least 0.3 % of the non-merge commit messages hold, each repository
counting the same, with weight = 100 * log(1/share) / log(1/0.003), so that a stem at the
threshold weighs 100 like every stem not listed.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections import defaultdict

from gitnotes.grade.lexicon import STOPWORDS, stem, stems_of

THRESHOLD = 0.003


def count_shares(repository: str) -> dict[str, float]:
    """Stem -> share of the messages of `repository` that hold it."""
    command = ["git", "-C", repository, "log", "--no-merges", "-n", "4000", "--format=%B%x00", "HEAD"]
    log = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")
    messages = [message for message in log.split("\0") if message.strip()]
    counts: dict[str, int] = defaultdict(int)
    for message in messages:
        for word in stems_of(message):
            counts[word] += 1
    return {word: count / len(messages) for word, count in counts.items()}


def main(repositories: list[str]) -> int:
    if not repositories:
        print(__doc__, file=sys.stderr)
        return 2
    total: dict[str, list[float]] = defaultdict(list)
    for repository in repositories:
        for word, share in count_shares(repository).items():
            total[word].append(share)
    left_out = {stem(word) for word in STOPWORDS} | STOPWORDS
    print("# Stem and weight (percent) of the words that are common in commit messages.")
    print("# Document frequencies over three public repositories; made by bench/grading/word_weights.py.")
    for word, shares in sorted(total.items()):
        # A word of one project alone (its name, its modules) is not common in general.
        share = sum(shares) / len(repositories)
        common = share >= THRESHOLD and len(shares) >= 2 and min(shares) >= share / 20
        if common and len(word) > 1 and word not in left_out:
            print(word, max(5, round(100 * math.log(1 / share) / math.log(1 / THRESHOLD))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
