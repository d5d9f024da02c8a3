"""How close is a message to a reference by Log-MNEXT, exactly as its authors' code computes it?

Log-MNEXT (Evaluating Commit Message Generation, ICSE NIER 2022) is METEOR-NEXT with
punctuation removed and upper case lowered. With m1, m2, m3 the words matched exactly, by stem
and by synonym (see `gitnotes.grade.alignment`), and weights w1, w2, w3:

    P       = (w1 m1 + w2 m2 + w3 m3) / words of the prediction
    R       = (w1 m1 + w2 m2 + w3 m3) / words of the reference
    F       = P R / (alpha P + (1 - alpha) R)
    penalty = gamma (chunks / matches) ** beta, or 0 when m1 + m2 + m3 = words of both texts
    score   = (1 - penalty) F

Where code and paper differ, the code counts. Equation 5 of the paper has beta and gamma
swapped. The paper frees identical texts of the penalty, the code frees every text of which
all words are matched, in whatever order. A word can be matched by stem and again by synonym;
the pair then counts twice in `chunks / matches`, which can lift a score above 1.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

from gitnotes import __version__
from gitnotes.errors import UsageError
from gitnotes.grade.alignment import Alignment, align, count_chunks
from gitnotes.grade.words import split_words
from gitnotes.records import Match, Score, Signature

ALPHA, BETA, GAMMA = 0.85, 2.35, 0.45
WEIGHTS = (1.0, 0.8, 0.6)


class Rating(NamedTuple):
    """The numbers of a score."""

    value: float
    precision: float = 0.0
    recall: float = 0.0
    f_mean: float = 0.0
    penalty: float = 0.0
    chunks: int = 0


def log_mnext(
    prediction: str,
    references: str | Sequence[str],
    *,
    alpha: float = ALPHA,
    beta: float = BETA,
    gamma: float = GAMMA,
    weights: tuple[float, float, float] = WEIGHTS,
) -> Score:
    """The score of `prediction` against the reference that it is closest to, with its parts.

    The texts are raw: punctuation is removed and case lowered here. `weights` are those of
    exact, stem and synonym matches. Positions in `matches` are those of `Score.prediction` and
    `Score.reference`; `precision` and `recall` are weighted. A text without words scores 0.0,
    also against another one without words, as in the authors' code.
    Raises UsageError when there is no reference or a setting makes no sense.
    """
    if isinstance(references, str):
        references = (references,)
    signature = sign(len(references), alpha, beta, gamma, weights)
    words = split_words(prediction)
    best: tuple[Rating, list[str], Alignment] | None = None
    for text in references:
        reference = split_words(text)
        alignment = align(words, reference)
        rating = rate(alignment, len(words), len(reference), alpha, beta, gamma, weights)
        if best is None or rating.value > best[0].value:
            best = rating, reference, alignment
    if best is None:
        raise UsageError("There is no reference to compare with.", "Give at least one reference text.")
    rating, reference, alignment = best
    return Score(
        rating.value,
        signature,
        *rating[1:],
        tuple(words),
        tuple(reference),
        explain(alignment),
    )


def rate(
    alignment: Alignment,
    prediction: int,
    reference: int,
    alpha: float = ALPHA,
    beta: float = BETA,
    gamma: float = GAMMA,
    weights: tuple[float, float, float] = WEIGHTS,
) -> Rating:
    """The numbers for texts of `prediction` and `reference` words that are aligned like this."""
    exact, stem, synonym = len(alignment.exact), len(alignment.stem), alignment.new_synonyms()
    weighted = exact * weights[0] + stem * weights[1] + synonym * weights[2]
    if not weighted:
        return Rating(0.0)
    precision = weighted / prediction
    recall = weighted / reference
    mean = alpha * precision + (1 - alpha) * recall
    if not mean:
        return Rating(0.0)  # weights so small that nothing is left of them
    f_mean = (precision * recall) / mean
    pairs = alignment.pairs()
    chunks = count_chunks(pairs)
    penalty = 0.0
    if not exact + stem + synonym == prediction == reference:
        penalty = gamma * (chunks / len(pairs)) ** beta
    return Rating((1 - penalty) * f_mean, precision, recall, f_mean, penalty, chunks)


class LogMnext:
    """The metric `log-mnext`: the value of `log_mnext` alone, for many pairs."""

    name = "log-mnext"

    @property
    def signature(self) -> Signature:
        """Every setting that changes a score."""
        return sign(1, ALPHA, BETA, GAMMA, WEIGHTS)

    def score(self, prediction: str, references: Sequence[str]) -> float | None:
        """The score against the closest reference; None without any reference."""
        words = split_words(prediction)
        best: float | None = None
        for text in references:
            reference = split_words(text)
            value = rate(align(words, reference), len(words), len(reference)).value
            if best is None or value > best:
                best = value
        return best


def explain(alignment: Alignment) -> tuple[Match, ...]:
    """The pairs of an alignment with their stages, in the order of the prediction."""
    matches = [
        *(Match(*pair, "exact") for pair in alignment.exact),
        *(Match(*pair, "stem") for pair in alignment.stem),
        *(Match(*pair, "synonym") for pair in alignment.synonym),
    ]
    return tuple(sorted(matches, key=lambda match: match.prediction))


@functools.lru_cache(maxsize=64)
def sign(
    references: int, alpha: float, beta: float, gamma: float, weights: tuple[float, float, float]
) -> Signature:
    """The signature of these settings. Raises UsageError when they make no sense."""
    if not 0 <= alpha <= 1:
        raise UsageError(f"alpha is {alpha!r}, which is not between 0 and 1.", "The authors use 0.85.")
    if len(weights) != 3:
        raise UsageError(f"There are {len(weights)} weights.", "Give one each for exact, stem and synonym.")
    for name, number in (("beta", beta), ("gamma", gamma), *(("a weight", weight) for weight in weights)):
        if not 0 <= number <= 1000:
            raise UsageError(
                f"{name} is {number!r}, which is not between 0 and 1000.", "Give another number."
            )
    settings = {
        "refs": str(references),
        "alpha": repr(alpha),
        "beta": repr(beta),
        "gamma": repr(gamma),
        "weights": ",".join(map(repr, weights)),
        "case": "lower",
        "punctuation": "removed",
        "stem": "porter-nltk",
        "synonyms": "wordnet-3.0",
    }
    return Signature("log-mnext", __version__, settings)
