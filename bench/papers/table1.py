"""How well do nine metrics go along with people, with and without six factors (Table 1)?

Table 1 of the Log-MNEXT paper: Spearman's rho of each metric with the mean rating of 100 pairs,
as it is ("clean") and without and with a factor, 9 x 13 cells. A factor that a metric does not
have leaves it as it is; those cells are copies of the clean one. The published values below are
those of the cells that are computed, and the copies that follow from them; a column that has two
values is the one where smoothing makes BLEU4 into BLEUNorm and BLEUCC.

The metrics are computed as the paper's scripts do: scores and their share of the highest are
rounded to two digits, BLEU counts characters and not words (the scripts hand over strings), TER
is a word error rate without shifts that leaves out the first word of both texts, ROUGE is that of
the package `rouge`, and "without word order" counts all synonyms as the chunks.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.papers.data import Cell, Rated, as_json, complain, print_cells, read_rated, write_json
from gitnotes.errors import UsageError
from gitnotes.grade.alignment import Pair, align, count_chunks
from gitnotes.grade.correlation import spearman
from gitnotes.grade.log_mnext import LogMnext
from gitnotes.grade.metric import Metric, make_metric
from gitnotes.grade.overlap import load, meteor
from gitnotes.grade.realign import align_once, match_synonyms
from gitnotes.grade.words import stem, strip_punctuation

Scorer = Callable[[str, str], float]
Change = Callable[[str], str]

FACTORS = ("length", "word order", "semantics", "case", "punctuation", "smoothing")

CLEAN = {
    "BLEU4": 0.705,
    "BLEUNorm": 0.691,
    "BLEUCC": 0.681,
    "METEOR": 0.748,
    "METEOR-NEXT": 0.761,
    "ROUGE1": 0.723,
    "ROUGE2": 0.443,
    "ROUGEL": 0.728,
    "TER": 0.568,
}
COMPUTED: dict[tuple[str, str], tuple[float, ...]] = {
    ("BLEU4", "length"): (0.690, 0.705),
    ("BLEU4", "case"): (0.705, 0.717),
    ("BLEU4", "punctuation"): (0.705, 0.707),
    ("BLEU4", "smoothing"): (0.705, 0.691, 0.681),
    ("BLEUNorm", "length"): (0.683, 0.691),
    ("BLEUNorm", "case"): (0.691, 0.703),
    ("BLEUNorm", "punctuation"): (0.691, 0.699),
    ("BLEUCC", "length"): (0.683, 0.681),
    ("BLEUCC", "case"): (0.681, 0.691),
    ("BLEUCC", "punctuation"): (0.681, 0.693),
    ("METEOR", "word order"): (0.725, 0.748),
    ("METEOR", "semantics"): (0.707, 0.748),
    ("METEOR", "case"): (0.740, 0.748),
    ("METEOR", "punctuation"): (0.748, 0.807),
    ("METEOR-NEXT", "word order"): (0.756, 0.761),
    ("METEOR-NEXT", "semantics"): (0.722, 0.761),
    ("METEOR-NEXT", "case"): (0.736, 0.761),
    ("METEOR-NEXT", "punctuation"): (0.761, 0.822),
    ("ROUGE1", "case"): (0.723, 0.796),
    ("ROUGE1", "punctuation"): (0.723, 0.781),
    ("ROUGE2", "case"): (0.443, 0.485),
    ("ROUGE2", "punctuation"): (0.443, 0.485),
    ("ROUGEL", "case"): (0.728, 0.799),
    ("ROUGEL", "punctuation"): (0.728, 0.781),
    ("TER", "case"): (0.568, 0.583),
    ("TER", "punctuation"): (0.568, 0.540),
}
"""Metric and factor to the published values without and with it."""


def same(text: str) -> str:
    return text


def rho(pairs: Sequence[Rated], score: Scorer, change: Change = same, *, errors: bool = False) -> float:
    """Spearman's rho as the scripts compute it; with `errors` less is better."""
    scores = [round(score(change(pair.prediction), change(pair.reference)), 2) for pair in pairs]
    highest = max(scores)
    shares = [round(value / highest, 2) for value in scores]
    if errors:
        shares = [round(1 - share, 2) for share in shares]
    tops = [max(pair.ratings[number] for pair in pairs) for number in range(3)]
    people = [
        round(sum(rating / top for rating, top in zip(pair.ratings, tops, strict=True)) / 3, 2)
        for pair in pairs
    ]
    found = spearman(shares, people)
    if found is None:
        raise ValueError("all scores or all ratings are equal")
    return found


def make_bleu(smoothing: str, *, brevity: bool = True) -> Scorer:
    """BLEU of the characters of two texts, by nltk."""
    module: Any = load("nltk", "nltk.translate.bleu_score")
    smooth = getattr(module.SmoothingFunction(), smoothing)

    def score(prediction: str, reference: str) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of texts without four characters in common
            value = float(module.sentence_bleu([reference], prediction, smoothing_function=smooth))
        if brevity or not value:
            return value
        return value / float(module.brevity_penalty(len(reference), len(prediction)))

    return score


def make_rouge(kind: str) -> Scorer:
    """F of the package `rouge`, which compares sets of n-grams."""
    scorer = load("rouge 1.0.1", "rouge", "bench").Rouge()
    # The scripts hand over the texts in the wrong order, which F does not mind.
    return lambda prediction, reference: float(scorer.get_scores(reference, prediction)[0][kind]["f"])


def word_errors(prediction: str, reference: str) -> float:
    """Edits between the words of both texts, without their first words, per word of the reference."""
    words, others = prediction.split(), reference.split()
    row = list(range(len(others)))
    for number, word in enumerate(words[1:], 1):
        above, row = row, [number]
        for place, other in enumerate(others[1:], 1):
            row.append(min(above[place] + 1, row[-1] + 1, above[place - 1] + (word != other)))
    return row[-1] / len(others)


def weigh(
    counts: tuple[int, int, int], chunks: int, matches: int, sizes: tuple[int, int], next_: bool
) -> float:
    """METEOR, or METEOR-NEXT where `next_`, of these counts of exact, stem and synonym matches."""
    weights = (1.0, 0.8, 0.6) if next_ else (1.0, 1.0, 1.0)
    alpha, beta, gamma = (0.85, 2.35, 0.45) if next_ else (0.9, 3.0, 0.5)
    weighted = sum(count * weight for count, weight in zip(counts, weights, strict=True))
    if not weighted:
        return 0.0
    precision, recall = weighted / sizes[0], weighted / sizes[1]
    f_mean = precision * recall / (alpha * precision + (1 - alpha) * recall)
    return float((1 - gamma * (chunks / matches) ** beta) * f_mean)


def make_unordered(*, next_: bool, lower: bool = True) -> Scorer:
    """ "Without word order": each stage over all words, and the synonyms' chunks in the order found."""

    def score(prediction: str, reference: str) -> float:
        words, others = ((text.lower() if lower else text).split() for text in (prediction, reference))
        exact = align(words, others).exact
        # nltk's stemmer lowers what it is given, so this stage never minds the case.
        stems = align([stem(word.lower()) for word in words], [stem(word.lower()) for word in others]).exact
        synonyms: list[Pair] = match_synonyms(dict(enumerate(words)), dict(enumerate(others)))
        counts = (len(exact), len(set(stems) - set(exact)), len(set(synonyms) - set(stems)))
        chunks = count_chunks(synonyms) or 1
        return weigh(counts, chunks, sum(counts) or 1, (len(words), len(others)), next_)

    return score


def make_literal(*, next_: bool) -> Scorer:
    """ "Without semantics": words that are equal, and nothing else."""

    def score(prediction: str, reference: str) -> float:
        words, others = prediction.lower().split(), reference.lower().split()
        pairs = align(words, others).exact[::-1]
        sizes = len(words), len(others)
        return weigh((len(pairs), 0, 0), count_chunks(pairs), len(pairs) or 1, sizes, next_)

    return score


def as_scorer(metric: Metric) -> Scorer:
    return lambda prediction, reference: metric.score(prediction, [reference]) or 0.0


def plain_meteor(prediction: str, reference: str) -> float:
    return meteor(prediction.lower().split(), reference.lower().split(), old=True)


def cased_meteor(prediction: str, reference: str) -> float:
    words, others = prediction.split(), reference.split()
    pairs = align_once(words, others, stems="again").pairs()
    sizes = len(words), len(others)
    return weigh((len(pairs), 0, 0), count_chunks(pairs), len(pairs) or 1, sizes, False)


def measure(pairs: Sequence[Rated]) -> dict[tuple[str, str], tuple[float, ...]]:
    """The measured values of COMPUTED, and of `(metric, "clean")`.

    Raises UsageError when a package is missing.
    """
    found: dict[tuple[str, str], tuple[float, ...]] = {}
    bleus = {"BLEU4": "method0", "BLEUNorm": "method2", "BLEUCC": "method5"}
    clean = {name: rho(pairs, make_bleu(smoothing)) for name, smoothing in bleus.items()}
    for name, smoothing in bleus.items():
        score = make_bleu(smoothing)
        found[name, "length"] = rho(pairs, make_bleu(smoothing, brevity=False)), clean[name]
        found[name, "case"] = clean[name], rho(pairs, score, str.lower)
        found[name, "punctuation"] = clean[name], rho(pairs, score, strip_punctuation)
    found["BLEU4", "smoothing"] = clean["BLEU4"], clean["BLEUNorm"], clean["BLEUCC"]
    rouges = {"ROUGE1": "rouge-1", "ROUGE2": "rouge-2", "ROUGEL": "rouge-l"}
    for name, kind in rouges.items():
        score = make_rouge(kind)
        clean[name] = rho(pairs, score)
        found[name, "case"] = clean[name], rho(pairs, score, str.lower)
        found[name, "punctuation"] = clean[name], rho(pairs, score, strip_punctuation)
    clean["TER"] = rho(pairs, word_errors, errors=True)
    found["TER", "case"] = clean["TER"], rho(pairs, word_errors, str.lower, errors=True)
    found["TER", "punctuation"] = clean["TER"], rho(pairs, word_errors, strip_punctuation, errors=True)
    scorers = {
        "METEOR": plain_meteor,
        "METEOR-NEXT": as_scorer(LogMnext("no-identity", "keep-punctuation")),
    }
    cased = {
        "METEOR": cased_meteor,
        # The script has METEOR's parameters here, and no word order.
        "METEOR-NEXT": make_unordered(next_=False, lower=False),
    }
    for name, score in scorers.items():
        clean[name] = rho(pairs, score)
        next_ = name == "METEOR-NEXT"
        found[name, "word order"] = rho(pairs, make_unordered(next_=next_)), clean[name]
        found[name, "semantics"] = rho(pairs, make_literal(next_=next_)), clean[name]
        found[name, "case"] = rho(pairs, cased[name]), clean[name]
        found[name, "punctuation"] = clean[name], rho(pairs, score, strip_punctuation)
    for name, value in clean.items():
        found[name, "clean"] = (value,)
    return found


def make_cells(found: dict[tuple[str, str], tuple[float, ...]]) -> list[Cell]:
    """All 117 cells: the clean one, and without and with each factor."""
    cells = []
    for name, clean in CLEAN.items():
        mine = found[name, "clean"][0]
        cells.append(Cell(f"{name} clean", clean, mine))
        for factor in FACTORS:
            key = name, factor
            if key in COMPUTED:
                without, *others = COMPUTED[key]
                my_without, *my_others = found[key]
            elif factor == "smoothing" and name in ("BLEUNorm", "BLEUCC"):
                without, others = CLEAN["BLEU4"], [clean]
                my_without, my_others = found["BLEU4", "clean"][0], [mine]
            else:
                without, others, my_without, my_others = clean, [clean], mine, [mine]
            copied = "" if key in COMPUTED else "copy"
            # Of two values in a cell, the one that is further off counts.
            published, measured = max(
                zip(others, my_others, strict=True), key=lambda pair: abs(pair[0] - pair[1])
            )
            cells.append(Cell(f"{name} without {factor}", without, my_without, copied))
            cells.append(Cell(f"{name} with {factor}", published, measured, copied))
    return cells


IMPROVED = (
    ("log-mnext", 0.831),
    ("log-mnext+fewest-chunks", None),
    ("log-mnext+no-penalty", None),
    ("log-mnext+no-penalty+alpha=0.5", None),
    ("mnext-f1", None),
)
"""Metrics of this package; the value of Log-MNEXT is that of its authors' script, the paper has none."""


def run(folder: Path, output: Path | None = None) -> int:
    """Prints the table; 0 when all cells are within 0.01, 1 when not, 3 without data or packages."""
    pairs = read_rated(folder)
    if not pairs:
        return complain("Table 1 was not measured: there is no Dataset/human_annotations.csv.")
    try:
        cells = make_cells(measure(pairs))
    except UsageError as problem:
        return complain(f"Table 1 was not measured: {problem}")
    print(f"Table 1: Spearman's rho with the mean of 3 ratings, {len(pairs)} pairs, rounded as published")
    shown = [cell for cell in cells if not cell.note]
    print_cells(shown, 3, 0.01)
    within = sum(abs(cell.difference or 0) <= 0.01 + 1e-9 for cell in cells)
    copies = len(cells) - len(shown)
    print(f"{within} of {len(cells)} cells within 0.01; {copies} are copies of the above, not shown")
    print("\nMetrics of this package, rounded the same way, and not rounded")
    improved = []
    people = [pair.mean for pair in pairs]
    width = max(len(name) for name, _ in IMPROVED)
    for name, published in IMPROVED:
        score = as_scorer(make_metric(name))
        value = rho(pairs, score)
        plain = spearman([score(pair.prediction, pair.reference) for pair in pairs], people)
        assert plain is not None
        improved.append(Cell(name, published, value, f"{plain:.4f} not rounded"))
        print(f"{name:{width}}{value:>8.3f}{plain:>8.3f}")
    write_json(output, {"table1": as_json(cells), "improved": as_json(improved)})
    return int(within < len(cells) or math.isnan(sum(cell.measured or 0 for cell in cells)))
