"""Which words tell the kind of a change? Fits `gitnotes/data/categories.json` on public commits.

`python -m bench.release.fit_categories --repo DIR... --held DIR... --rows TRAIN.jsonl` reads the subjects
of the repositories that declare a conventional type or a label (`fix: ...`, `[BUGFIX] ...`), and of the
inputs of TRAIN, and learns the category that was declared from the words behind it: logistic regression,
each repository of equal weight as a square root of its size. The held repositories are only
measured: the share of declared categories that is found, by the weights alone and by rules and weights as
`category_of` puts them together. Nothing of a subject is kept but the weights of words that
several repositories have.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.release.releaseeval import read_rows
from gitnotes.draft.notes.categories import Category, category_of, plumbing
from gitnotes.draft.notes.classifier import guess_category, title_features
from gitnotes.draft.notes.titles import read_title
from gitnotes.read.git import open_git

CATEGORIES: tuple[Category, ...] = (
    *("Breaking", "Features", "Fixes", "Performance", "Security", "Deprecations"),
    *("Changes", "Documentation", "Dependencies", "Internal"),
)
_TARGET = Path(__file__).parents[2] / "gitnotes" / "data" / "categories.json"
_FEATURES = 1800


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.release.fit_categories", description=__doc__)
    parser.add_argument("--repo", type=Path, action="append", required=True)
    parser.add_argument("--held", type=Path, action="append", default=[])
    parser.add_argument("--rows", type=Path, help="rows of ReleaseEval's training part")
    chosen = parser.parse_args(arguments)
    sources = {str(path): labelled(_subjects(path)) for path in chosen.repo}
    if chosen.rows:
        sources["rows"] = labelled(
            commit.subject for row in read_rows(chosen.rows) for commit in row.tree.commits
        )
    fit(sources)
    for path in chosen.held:
        report(path.parent.name, labelled(_subjects(path)))
    return 0


def _subjects(folder: Path) -> list[str]:
    return open_git(folder).text("log", "--no-merges", "--format=%s", "HEAD").split("\n")


def labelled(subjects: Iterable[str]) -> list[tuple[str, Category]]:
    """The titles, each once, whose category is declared, with that category."""
    found: dict[str, Category] = {}
    for subject in subjects:
        title = read_title(subject)
        if title.category in CATEGORIES and title.text and not plumbing(title.text):
            found.setdefault(title.text, title.category if not title.breaking else "Breaking")
    return list(found.items())


def fit(sources: dict[str, list[tuple[str, Category]]]) -> None:
    """Writes the weights."""
    import numpy as np
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    spread: dict[str, set[str]] = defaultdict(set)
    count: Counter[str] = Counter()
    for source, titles in sources.items():
        for text, _ in titles:
            for name in title_features(text):
                spread[name].add(source)
                count[name] += 1
    names = sorted(name for name in spread if len(spread[name]) >= 3 and count[name] >= 10)
    names = sorted(sorted(names, key=lambda name: -count[name])[:6000])
    rows = [(text, label, source) for source, titles in sources.items() for text, label in titles]
    weights = np.array([len(sources[source]) ** -0.5 for _, _, source in rows])

    def solve(names: list[str]) -> Any:
        place = {name: at for at, name in enumerate(names)}
        cells = [
            (at, place[name])
            for at, (text, _, _) in enumerate(rows)
            for name in title_features(text)
            if name in place
        ]
        table = csr_matrix(
            (np.ones(len(cells)), tuple(zip(*cells, strict=True))), shape=(len(rows), len(names))
        )
        labels = [CATEGORIES.index(label) for _, label, _ in rows]
        return LogisticRegression(C=1.0, max_iter=400).fit(table, labels, weights / weights.mean())

    model = solve(names)
    strength = np.abs(model.coef_).max(axis=0)
    kept = sorted(names[at] for at in np.argsort(-strength)[:_FEATURES])
    model = solve(kept)
    found = {
        "source": "bench/release/fit_categories.py",
        "categories": [CATEGORIES[at] for at in model.classes_],
        "intercept": [round(float(value), 2) for value in model.intercept_],
        "words": {
            name: [round(100 * float(value)) for value in model.coef_[:, at]] for at, name in enumerate(kept)
        },
    }
    _TARGET.write_text(json.dumps(found, separators=(",", ":"), ensure_ascii=False) + "\n", "utf-8")
    print(f"{len(rows)} titles, {len(kept)} features, {_TARGET.stat().st_size} bytes")


def report(name: str, titles: Sequence[tuple[str, Category]]) -> None:
    """How often the declared category is found when only the words are given."""
    right: Counter[str] = Counter()
    for text, label in titles:
        right["weights"] += guess_category(text).category == label
        right["rules and weights"] += category_of(text) == label
    most = Counter(label for _, label in titles).most_common(1)
    print(
        f"{name:28} {len(titles):6} titles, most frequent {most[0][1] / len(titles):.3f}, "
        + ", ".join(f"{kind} {count / len(titles):.3f}" for kind, count in right.items())
    )


if __name__ == "__main__":
    sys.exit(main())
