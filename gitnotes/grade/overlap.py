"""How much of their surface do two texts share, by the measures that others publish?

Each takes the best of several references, or all of them where its definition says how. All are
0 to 1 and higher is better, but for `ter`, which is 1 - TER and falls below 0 when there are more
edits than words in the reference, and `bleu-cc`, whose smoothing lifts equal texts above 1. A text
without any word scores 0.0.

Sources: BLEU, Papineni et al. 2002; BLEU-Norm and BLEU-CC, Tao et al. 2021 (B-Norm: NIST
tokens, lower case, one added to each count of two words or more; B-CC: smoothing 5 of Chen and
Cherry 2014); chrF, Popović 2015; TER, Snover et al. 2006; ROUGE, Lin 2004; METEOR, Banerjee
and Lavie 2005; edit distance, Levenshtein 1966. Packages are imported when a metric is made.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from gitnotes import __version__
from gitnotes.errors import UsageError
from gitnotes.grade.alignment import align, count_chunks
from gitnotes.grade.realign import align_once
from gitnotes.grade.words import split_words
from gitnotes.guard.text import show
from gitnotes.records import Signature

Rater = Callable[[str, Sequence[str]], float | None]

_TOKENS = re.compile(r"[^\W_]+|[^\s\w]|_")

_ROUGE_WORDS = re.compile(r"[a-z0-9]+")


class Overlap(ABC):
    """A metric of this module; `kind` is its name in METRICS."""

    kind = ""
    switches: tuple[str, ...] = ()
    """What may follow the name after a plus."""
    most_words = 0
    """Words of a text beyond which it has no score, as time or memory grow too fast; 0: no limit."""

    def __init__(self, *switches: str) -> None:
        """Raises UsageError for a switch that it has not, or when a package is missing."""
        for switch in switches:
            if switch not in self.switches:
                known = f"Known: {', '.join(self.switches)}." if self.switches else "It has none."
                raise UsageError(f"'{show(switch)[:60]}' is no switch of {self.kind}.", known)
        self.name = "+".join((self.kind, *switches))
        self.chosen = frozenset(switches)
        self.settings: dict[str, str] = {}
        self.rate: Rater = self.prepare()

    @abstractmethod
    def prepare(self) -> Rater:
        """The function that scores texts, each with a word; fills in `settings`."""

    @property
    def signature(self) -> Signature:
        """Every setting that changes a score, the versions of packages among them."""
        limit = {"most-words": str(self.most_words)} if self.most_words else {}
        return Signature(self.name, __version__, {**self.settings, **limit})

    def score(self, prediction: str, references: Sequence[str]) -> float | None:
        """The score of `prediction`; None without any reference, or with a text that is too long."""
        if not references:
            return None
        texts = [text for text in references if text.strip()]
        if not texts or not prediction.strip():
            return 0.0
        if self.most_words and any(self.count(text) > self.most_words for text in (prediction, *texts)):
            return None
        return self.rate(prediction, texts)

    def count(self, text: str) -> int:
        """How many words the metric sees at most."""
        return len(text.split())


def load(package: str, module: str, extra: str = "metrics") -> Any:
    """The module of an optional package; raises UsageError that names the extra it comes with."""
    try:
        return import_module(module)
    except ImportError as problem:
        raise UsageError(
            f"This metric needs {package}, which is not installed.",
            f"Install it: pip install 'gitnotes[{extra}]'",
        ) from problem


def version_of(package: str) -> str:
    """The installed version of a package, for a signature."""
    from importlib.metadata import version

    return version(package)


def best(rate: Callable[[str, str], float]) -> Rater:
    """The best of the scores against each reference."""
    return lambda prediction, references: max(rate(prediction, text) for text in references)


class Sacrebleu(Overlap):
    """What sacrebleu computes for one sentence, as a part of 1."""

    switches = ("lower",)
    metric = "BLEU"
    options: dict[str, Any]
    described: dict[str, str]

    def prepare(self) -> Rater:
        metrics = load("sacrebleu", "sacrebleu.metrics")
        lower = "lower" in self.chosen
        case = {"case_sensitive": not lower} if self.metric == "TER" else {"lowercase": lower}
        scorer = getattr(metrics, self.metric)(**self.options, **case)
        self.settings = {
            **self.described,
            "case": "lower" if lower else "mixed",
            "sacrebleu": version_of("sacrebleu"),
        }

        def rate(prediction: str, references: Sequence[str]) -> float:
            # Not sentence_score, which warns of every sentence that has no effective order.
            value: float = scorer.corpus_score([prediction], [[text] for text in references]).score / 100
            return 1 - value if self.metric == "TER" else value

        return rate


class Bleu(Sacrebleu):
    """BLEU of a sentence with sacrebleu's defaults: exponential smoothing, effective order."""

    kind = "bleu"
    options = {"effective_order": True}  # noqa: RUF012
    described = {"tokens": "13a", "smooth": "exp", "order": "effective"}  # noqa: RUF012


class Bleu4(Sacrebleu):
    """BLEU of a sentence as first published: no smoothing, 0 without four words in a row in common."""

    kind = "bleu-4"
    options = {"effective_order": False, "smooth_method": "none"}  # noqa: RUF012
    described = {"tokens": "13a", "smooth": "none", "order": "4"}  # noqa: RUF012


class Chrf(Sacrebleu):
    """chrF2 of characters up to 6."""

    kind = "chrf"
    metric = "CHRF"
    options = {"word_order": 0}  # noqa: RUF012
    described = {"characters": "6", "words": "0", "beta": "2"}  # noqa: RUF012


class ChrfWords(Sacrebleu):
    """chrF2++: characters up to 6 and words up to 2."""

    kind = "chrf++"
    metric = "CHRF"
    options = {"word_order": 2}  # noqa: RUF012
    described = {"characters": "6", "words": "2", "beta": "2"}  # noqa: RUF012


class Ter(Sacrebleu):
    """1 - translation edit rate, with shifts."""

    kind = "ter"
    most_words = 200
    metric = "TER"
    options: dict[str, Any] = {}  # noqa: RUF012
    described = {"tokens": "tercom", "value": "1-ter"}  # noqa: RUF012


class BleuNorm(Overlap):
    """B-Norm of Tao et al.: one is added to the counts of two words and more, and to both lengths."""

    kind = "bleu-norm"

    def prepare(self) -> Rater:
        self.settings = {"tokens": "nist", "case": "lower", "smooth": "add-1", "order": "4"}
        return self._rate

    def _rate(self, prediction: str, references: Sequence[str]) -> float:
        words = _TOKENS.findall(prediction.lower())
        others = [_TOKENS.findall(text.lower()) for text in references]
        logarithm = 0.0
        for size in (1, 2, 3, 4):
            offered: Counter[tuple[str, ...]] = Counter()
            for other in others:
                offered |= _count(other, size)
            correct = (_count(words, size) & offered).total()
            added = int(size > 1)
            guessed = max(len(words) - size + 1, 0)
            if not correct + added:
                return 0.0
            logarithm += math.log((correct + added) / (guessed + added)) / 4
        shortest = min(map(len, others))
        return math.exp(logarithm + min(0.0, 1 - (shortest + 1) / (len(words) + 1)))


def _count(words: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    """How often each run of `size` words is there."""
    return Counter(zip(*(words[start:] for start in range(size)), strict=False))


class BleuCc(Overlap):
    """B-CC of Tao et al.: nltk's BLEU of words with smoothing 5."""

    kind = "bleu-cc"

    def prepare(self) -> Rater:
        module = load("nltk", "nltk.translate.bleu_score")
        smooth = module.SmoothingFunction().method5
        self.settings = {"tokens": "spaces", "smooth": "method5", "case": "mixed", "nltk": version_of("nltk")}

        def rate(prediction: str, references: Sequence[str]) -> float:
            words = [text.split() for text in references]
            return float(module.sentence_bleu(words, prediction.split(), smoothing_function=smooth))

        return rate


class Rouge(Overlap):
    """F1 of rouge-score; with several references the best."""

    switches = ("stem",)
    measure = ""

    def prepare(self) -> Rater:
        module = load("rouge-score", "rouge_score.rouge_scorer")
        stem = "stem" in self.chosen
        scorer = module.RougeScorer([self.measure], use_stemmer=stem)
        self.settings = {
            "stem": "porter" if stem else "none",
            "case": "lower",
            "tokens": "a-z0-9",
            "rouge-score": version_of("rouge-score"),
        }
        return best(lambda prediction, text: float(scorer.score(text, prediction)[self.measure].fmeasure))


class Rouge1(Rouge):
    """ROUGE of single words."""

    kind = "rouge-1"
    measure = "rouge1"


class Rouge2(Rouge):
    """ROUGE of two words in a row."""

    kind = "rouge-2"
    measure = "rouge2"


class RougeL(Rouge):
    """ROUGE of the longest common subsequence."""

    kind = "rouge-l"
    measure = "rougeL"
    most_words = 2000

    def count(self, text: str) -> int:
        return len(_ROUGE_WORDS.findall(text.lower()))


class Meteor(Overlap):
    """METEOR as nltk computes it: alpha 0.9, beta 3, gamma 0.5, all matches of equal weight.

    The matches are made here, equal to those of nltk, which needs WordNet's files for them and
    time in proportion to the product of both lengths. nltk 3.4, which the Log-MNEXT paper used,
    matches a word by stem and by synonym; later versions look up synonyms of stems.
    """

    kind = "meteor"
    switches = ("no-punctuation", "nltk-3.4")

    def prepare(self) -> Rater:
        bare, old = "no-punctuation" in self.chosen, "nltk-3.4" in self.chosen
        self.settings = {
            "alpha": "0.9",
            "beta": "3",
            "gamma": "0.5",
            "case": "lower",
            "punctuation": "removed" if bare else "kept",
            "stem": "porter-nltk",
            "synonyms": "wordnet-3.0",
            "like": "nltk-3.4" if old else "nltk-3.6",
        }
        split = split_words if bare else _lower_words
        return best(lambda prediction, text: meteor(split(prediction), split(text), old=old))


def _lower_words(text: str) -> list[str]:
    return text.lower().split()


def meteor(prediction: Sequence[str], reference: Sequence[str], *, old: bool = False) -> float:
    """METEOR of these words; `old`: as nltk 3.4, where a pair that two stages found counts twice."""
    if old:
        pairs = align(prediction, reference).pairs()
    else:
        pairs = align_once(prediction, reference, synonyms_of_stems=True).pairs()
    if not pairs:
        return 0.0
    precision, recall = len(pairs) / len(prediction), len(pairs) / len(reference)
    f_mean = (precision * recall) / (0.9 * precision + (1 - 0.9) * recall)
    return float((1 - 0.5 * (count_chunks(pairs) / len(pairs)) ** 3) * f_mean)


class Edit(Overlap):
    """1 - edits between the characters, in lower case, as a part of the longer text."""

    kind = "edit"

    def prepare(self) -> Rater:
        module = load("rapidfuzz", "rapidfuzz.distance.Levenshtein")
        self.settings = {"unit": "character", "case": "lower", "rapidfuzz": version_of("rapidfuzz")}
        return best(lambda one, two: float(module.normalized_similarity(one.lower(), two.lower())))


class EditWords(Overlap):
    """1 - edits between the words that Log-MNEXT compares, as a part of the longer text."""

    kind = "edit-words"

    def prepare(self) -> Rater:
        module = load("rapidfuzz", "rapidfuzz.distance.Levenshtein")
        self.settings = {
            "unit": "word",
            "case": "lower",
            "punctuation": "removed",
            "rapidfuzz": version_of("rapidfuzz"),
        }

        def rate(one: str, two: str) -> float:
            left, right = split_words(one), split_words(two)
            return float(module.normalized_similarity(left, right)) if left and right else 0.0

        return best(rate)
