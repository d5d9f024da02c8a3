"""What is Log-MNEXT, written down as slowly and plainly as its description reads?

The tests compare the product with this. It shares only the synonym table; the stems are nltk's.
"""

from __future__ import annotations

import itertools
import string
from pathlib import Path

from nltk.stem.porter import PorterStemmer

from gitnotes.grade import words

KEPT = "+=|`"
STEMMER = PorterStemmer()
TABLE = words.SynonymTable((Path(words.__file__).parent.parent / "data" / "synonyms.zlib").read_bytes())

Pairs = list[tuple[int, int]]


def tokens(text: str) -> list[str]:
    kept = "".join(letter for letter in text if letter not in string.punctuation or letter in KEPT)
    return kept.lower().split()


def stage(pred: dict[int, str], ref: dict[int, str], kind: str) -> Pairs:
    """From the last word of the prediction on, each takes the last free word that fits."""
    pairs: Pairs = []
    taken: set[int] = set()
    for i in sorted(pred, reverse=True):
        for j in sorted(ref, reverse=True):
            if j in taken:
                continue
            if kind == "exact":
                fits = pred[i] == ref[j]
            elif kind == "stem":
                fits = STEMMER.stem(pred[i]) == STEMMER.stem(ref[j])
            else:
                fits = ref[j] in TABLE.synonyms(pred[i])
            if fits:
                pairs.append((i, j))
                taken.add(j)
                break
    return pairs


def stages(prediction: str, reference: str) -> tuple[Pairs, Pairs, Pairs]:
    pred, ref = dict(enumerate(tokens(prediction))), dict(enumerate(tokens(reference)))
    exact = stage(pred, ref, "exact")
    for i, j in exact:
        del pred[i], ref[j]
    return exact, stage(pred, ref, "stem"), stage(pred, ref, "synonym")


def value(
    prediction: str,
    reference: str,
    alpha: float = 0.85,
    beta: float = 2.35,
    gamma: float = 0.45,
    weights: tuple[float, float, float] = (1.0, 0.8, 0.6),
) -> float:
    pred, ref = tokens(prediction), tokens(reference)
    exact, stem, synonym = stages(prediction, reference)
    m1, m2, m3 = len(exact), len(stem), len(set(synonym) - set(stem))
    matches = sorted([*exact, *stem, *synonym], key=lambda pair: pair[0])
    if not pred or not ref or not matches:
        return 0.0
    p = (m1 * weights[0] + m2 * weights[1] + m3 * weights[2]) / len(pred)
    r = (m1 * weights[0] + m2 * weights[1] + m3 * weights[2]) / len(ref)
    if alpha * p + (1 - alpha) * r == 0:
        return 0.0
    f = (p * r) / (alpha * p + (1 - alpha) * r)
    chunks = 1
    for before, after in itertools.pairwise(matches):
        if after[0] != before[0] + 1 or after[1] != before[1] + 1:
            chunks += 1
    if m1 + m2 + m3 == len(pred) and m1 + m2 + m3 == len(ref):
        return (1 - 0) * f
    penalty: float = gamma * (chunks / len(matches)) ** beta
    return (1 - penalty) * f
