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

from collections.abc import Sequence
from typing import NamedTuple

from gitnotes.errors import UsageError
from gitnotes.grade.alignment import Alignment, align, count_chunks, match_whole
from gitnotes.grade.variants import DEFAULT, Settings, Weights, read_switches, sign
from gitnotes.grade.words import split_words, strip_punctuation
from gitnotes.records import Match, Score, Signature


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
    alpha: float = DEFAULT.alpha,
    beta: float = DEFAULT.beta,
    gamma: float = DEFAULT.gamma,
    weights: Weights = DEFAULT.weights,
    switches: Sequence[str] = (),
) -> Score:
    """The score of `prediction` against the reference that it is closest to, with its parts.

    The texts are raw: punctuation is removed and case lowered here. `weights` are those of
    exact, stem and synonym matches; `switches` are names in `variants.SWITCHES`. Positions in
    `matches` are those of `Score.prediction` and `Score.reference`; `precision` and `recall` are
    weighted. A text without words scores 0.0, also against another one without words, as in the
    authors' code.
    Raises UsageError when there is no reference or a setting makes no sense.
    """
    settings = Settings(alpha, beta, gamma, weights)
    return explain(prediction, references, read_switches(switches, settings) if switches else settings)


def explain(prediction: str, references: str | Sequence[str], settings: Settings = DEFAULT) -> Score:
    """The score with these settings; see `log_mnext`."""
    if isinstance(references, str):
        references = (references,)
    signature = sign(settings, len(references))
    words = split(prediction, settings)
    best: tuple[Rating, list[str], Alignment] | None = None
    for text in references:
        reference = split(text, settings)
        alignment = match(words, reference, settings)
        rating = rate(alignment, words, reference, settings)
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
        list_matches(alignment),
    )


class LogMnext:
    """The metric `log-mnext`: the value of `log_mnext` alone, for many pairs."""

    def __init__(self, *switches: str) -> None:
        """With the switches in `variants.SWITCHES`; raises UsageError for any other."""
        self.name = "+".join(("log-mnext", *switches))
        self.settings = read_switches(switches)

    @property
    def signature(self) -> Signature:
        """Every setting that changes a score."""
        return sign(self.settings)

    def score(self, prediction: str, references: Sequence[str]) -> float | None:
        """The score against the closest reference; None without any reference."""
        best: float | None = None
        for text in references:
            value = find_value(prediction, text, self.settings)
            if best is None or value > best:
                best = value
        return best


def find_value(prediction: str, reference: str, settings: Settings = DEFAULT) -> float:
    """The score of a pair, without the alignment that explains it.

    Most pairs of messages share no word, or whole words that each text has once; their score needs
    no alignment.
    """
    found = None
    if settings is DEFAULT or settings.usual:
        words, others = split_words(prediction), split_words(reference)
        found = match_whole(words, others)
    else:
        words, others = split(prediction, settings), split(reference, settings)
    if found is None:
        return rate(match(words, others, settings), words, others, settings).value
    exact, chunks = found
    if not exact:
        return 0.0
    size, length = len(words), len(others)
    identical = exact == size == length
    if settings.identity != "matched":
        identical = settings.identity == "strict" and words == others
    weighted = exact * settings.weights[0]
    return combine(weighted, size, length, chunks / exact, identical, settings)[0]


def split(text: str, settings: Settings = DEFAULT) -> list[str]:
    """The words of `text` that are compared."""
    if settings.usual:
        return split_words(text)
    if settings.punctuation == "removed":
        text = strip_punctuation(text)
    return (text.lower() if settings.case == "lower" else text).split()


def match(prediction: Sequence[str], reference: Sequence[str], settings: Settings = DEFAULT) -> Alignment:
    """Which words of `prediction` stand for which of `reference`."""
    if settings.usual_matches:
        return align(prediction, reference)
    from gitnotes.grade.realign import align_once

    return align_once(
        prediction,
        reference,
        stems=settings.stems,
        synonyms=settings.synonyms,
        fewest_chunks=settings.alignment == "fewest-chunks",
    )


def rate(
    alignment: Alignment,
    prediction: Sequence[str],
    reference: Sequence[str],
    settings: Settings = DEFAULT,
) -> Rating:
    """The numbers for these words, aligned like this."""
    weights = settings.weights
    exact, stem, synonym = len(alignment.exact), len(alignment.stem), alignment.new_synonyms()
    weighted = exact * weights[0] + stem * weights[1] + synonym * weights[2]
    pairs = alignment.pairs()
    if not pairs:
        return Rating(0.0)
    chunks = count_chunks(pairs)
    if settings.identity == "matched":
        identical = exact + stem + synonym == len(prediction) == len(reference)
    else:
        identical = settings.identity == "strict" and prediction == reference
    share = chunks / len(pairs)
    parts = combine(weighted, len(prediction), len(reference), share, identical, settings)
    return Rating(*parts, chunks) if parts[1] else Rating(0.0)


def combine(
    weighted: float, prediction: int, reference: int, share: float, identical: bool, settings: Settings
) -> tuple[float, float, float, float, float]:
    """Score, precision, recall, F and penalty of `weighted` matches between texts of so many words.

    `share` is that of chunks in matches; an `identical` text pays no penalty.
    """
    precision = weighted / prediction
    recall = weighted / reference
    alpha = settings.alpha
    mean = alpha * precision + (1 - alpha) * recall
    if not mean:
        return 0.0, 0.0, 0.0, 0.0, 0.0  # weights so small that nothing is left of them
    f_mean = (precision * recall) / mean
    penalty = 0.0
    if not identical:
        if settings.penalty == "code":
            penalty = settings.gamma * share**settings.beta
        else:
            penalty = settings.beta * share**settings.gamma
    return (1 - penalty) * f_mean, precision, recall, f_mean, penalty


def list_matches(alignment: Alignment) -> tuple[Match, ...]:
    """The pairs of an alignment with their stages, in the order of the prediction."""
    matches = [
        *(Match(*pair, "exact") for pair in alignment.exact),
        *(Match(*pair, "stem") for pair in alignment.stem),
        *(Match(*pair, "synonym") for pair in alignment.synonym),
    ]
    return tuple(sorted(matches, key=lambda match: match.prediction))
