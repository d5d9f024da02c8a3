"""Which layout of a note do projects have whose commits look so? Fits `gitnotes/data/voices.json`.

`python -m bench.release.fit_voices TRAIN.jsonl [HELD.jsonl]` drafts each row (`input`, `note`) in every
preset, and fits by ridge regression how near each comes: BLEU-4 plus 0.3 of the F1 of its words, 0 to 100.
Nothing of a row is kept but the weights of its words. It prints how the choice does on TRAIN when a
tenth at a time is held out: a stretch of the file, which goes by projects, so that most are new to
the fit, and every tenth row, so that few are; and how it does on HELD.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from bench.release.measures import bleu_4, word_tokens
from bench.release.releaseeval import draft, read_rows
from gitnotes.draft.notes.presets import PRESETS
from gitnotes.draft.notes.voice import voice_features
from gitnotes.records import CommitTree

STYLES = tuple(name for name in PRESETS if name not in ("plain", "rst"))
_TARGET = Path(__file__).parents[2] / "gitnotes" / "data" / "voices.json"
_FEATURES = 1200
_FOLDS = 10
_RIDGE = 10.0


def main(arguments: list[str]) -> int:
    trees, bleu, worth = _measure(Path(arguments[0]))
    features = [voice_features(tree) for tree in trees]
    names = _names(features)
    model = _fit(features, worth, names)
    strong = sorted(names, key=lambda name: -sum(abs(weight) for weight in model[1][name]))[:_FEATURES]
    intercept, weights = _fit(features, worth, sorted(strong))
    found = {
        "source": "bench/release/fit_voices.py on tree2sum_train of ReleaseEval (weights of words alone)",
        "styles": STYLES,
        "intercept": [round(value, 1) for value in intercept],
        "weights": {name: [round(value, 1) for value in row] for name, row in weights.items()},
    }
    _TARGET.write_text(json.dumps(found, separators=(",", ":"), ensure_ascii=False) + "\n", "utf-8")
    print(f"{len(strong)} features, {_TARGET.stat().st_size} bytes")
    size = -(-len(trees) // _FOLDS)
    numbers = range(len(trees))
    ways = {
        "other projects": [at // size for at in numbers],
        "other releases": [at % _FOLDS for at in numbers],
    }
    for title, fold_of in ways.items():
        held: dict[int, int] = {}
        for fold in range(_FOLDS):
            rest = [at for at in numbers if fold_of[at] != fold]
            part = _fit([features[at] for at in rest], [worth[at] for at in rest], names)
            out = [at for at in numbers if fold_of[at] == fold]
            held.update(zip(out, _choose([trees[at] for at in out], *part), strict=True))
        _report(title, bleu, [held[at] for at in numbers])
    if len(arguments) > 1:
        trees, bleu, _ = _measure(Path(arguments[1]))
        _report(arguments[1], bleu, _choose(trees, intercept, weights))
    return 0


def _measure(path: Path) -> tuple[list[CommitTree], list[list[float]], list[list[float]]]:
    """The trees of the rows, and for each preset its BLEU-4 and what it is worth."""
    trees, bleus, worths = [], [], []
    for row in read_rows(path):
        trees.append(row.tree)
        wanted = word_tokens(row.note)
        bleu, worth = [], []
        for name in STYLES:
            words = word_tokens(draft(row.tree, name))
            bleu.append(100 * bleu_4(words, wanted))
            shared = len(set(words) & set(wanted))
            worth.append(bleu[-1] + 0.3 * 200 * shared / max(1, len(set(words)) + len(set(wanted))))
        bleus.append(bleu)
        worths.append(worth)
    return trees, bleus, worths


def _names(features: list[dict[str, float]]) -> list[str]:
    rows = Counter(name for row in features for name in row)
    return sorted(name for name, count in rows.items() if count >= 4)


def _fit(
    features: list[dict[str, float]], worth: list[list[float]], names: list[str]
) -> tuple[list[float], dict[str, list[float]]]:
    """Intercepts by style, and weights by feature and style."""
    import numpy as np
    from sklearn.linear_model import Ridge

    table: Any = np.zeros((len(features), len(names)))
    place = {name: at for at, name in enumerate(names)}
    for at, row in enumerate(features):
        for name, value in row.items():
            if name in place:
                table[at, place[name]] = value
    model = Ridge(alpha=_RIDGE).fit(table, np.array(worth))
    return list(model.intercept_), {name: list(model.coef_[:, place[name]]) for name in names}


def _choose(trees: list[CommitTree], intercept: list[float], weights: dict[str, list[float]]) -> list[int]:
    """For each tree the preset that the model takes."""
    chosen = []
    for tree in trees:
        sums = list(intercept)
        for name, value in voice_features(tree).items():
            for at, weight in enumerate(weights.get(name, ())):
                sums[at] += weight * value
        chosen.append(max(range(len(sums)), key=sums.__getitem__))
    return chosen


def _report(name: str, bleu: list[list[float]], chosen: list[int]) -> None:
    print(f"{name}: BLEU-4 of each preset, and how often it is chosen")
    for at, style in enumerate(STYLES):
        print(f"{style:16} {sum(row[at] for row in bleu) / len(bleu):6.2f}  {chosen.count(at):4}")
    print(f"{'chosen':16} {sum(row[at] for row, at in zip(bleu, chosen, strict=True)) / len(bleu):6.2f}")
    print(f"{'best of all':16} {sum(map(max, bleu)) / len(bleu):6.2f}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
