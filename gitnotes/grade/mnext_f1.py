"""How much of what two messages say do they share, whatever the order and with function words at little?

mnext-f1 takes the words that Log-MNEXT's three stages match, each word once. With s the weight
of a stage (exact 1, stem 0.8, synonym 0.6) and w the weight of a word (a stop word 0.3, any
other 1), summed over the pairs (i, j) of an alignment:

    P  = sum s w(i) / sum of w over the prediction
    R  = sum s w(j) / sum of w over the reference
    F1 = 2 P R / (P + R)

There is no penalty for fragments, and recall counts as much as precision. These two are what
keeps Log-MNEXT from agreeing with people: see docs/results.md for the figures.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitnotes import __version__
from gitnotes.errors import UsageError
from gitnotes.grade.alignment import Alignment
from gitnotes.grade.realign import align_once
from gitnotes.grade.variants import Weights
from gitnotes.grade.words import split_words
from gitnotes.guard.text import show
from gitnotes.records import Signature

STAGES: Weights = (1.0, 0.8, 0.6)
STOP_WEIGHT = 0.3

_FUNCTION_WORDS = """
a an the this that these those i me my we us our you your he him his she her it its they them their
and or but nor so yet if then else than as at by for from in into of off on onto out over per to
under up upon via with within without about above after again against along among around before
behind below between beyond down during except since through toward towards until while am is are
was were be been being have has had having do does did doing done can could may might must shall
should will would not no none also too very just only there here when where which who whom whose
what why how all any both each every few more most other some such same own
"""

STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Function words of English: articles, pronouns, prepositions, conjunctions, auxiliaries, quantifiers."""


class MnextF1:
    """The metric `mnext-f1`."""

    def __init__(self, *switches: str) -> None:
        """Switches change numbers: `stop=N`, the weight of stop words, `stem=N` and `synonym=N`, those of
        the stages, and `alpha=N`, where more than 0.5 favours recall. Raises UsageError for any other.
        """
        self.name = "+".join(("mnext-f1", *switches))
        numbers = {"stop": STOP_WEIGHT, "stem": STAGES[1], "synonym": STAGES[2], "alpha": 0.5}
        for switch in switches:
            name, _, value = switch.partition("=")
            try:
                known, number = name in numbers, float(value)
            except ValueError:
                known, number = False, 0.0
            if not known or not 0 <= number <= 1:
                raise UsageError(
                    f"'{show(switch)[:60]}' is no switch of mnext-f1.",
                    f"Known are {', '.join(f'{known}=N' for known in numbers)}, each from 0 to 1.",
                )
            numbers[name] = number
        self.stop_weight, self.alpha = numbers["stop"], numbers["alpha"]
        self.stages: Weights = (STAGES[0], numbers["stem"], numbers["synonym"])

    @property
    def signature(self) -> Signature:
        """Every setting that changes a score."""
        settings = {
            "weights": ",".join(map(repr, self.stages)),
            "alpha": repr(self.alpha),
            "stop": repr(self.stop_weight),
            "penalty": "none",
            "stems": "once",
            "case": "lower",
            "punctuation": "removed",
            "stem": "porter-nltk",
            "synonyms": "wordnet-3.0",
        }
        return Signature("mnext-f1", __version__, settings)

    def score(self, prediction: str, references: Sequence[str]) -> float | None:
        """The score against the closest reference; None without any reference.

        0.0 where a text has no words, as for log-mnext.
        """
        words = split_words(prediction)
        best: float | None = None
        for text in references:
            reference = split_words(text)
            alignment = align_once(words, reference)
            value = f_score(
                words,
                reference,
                alignment,
                alpha=self.alpha,
                stages=self.stages,
                stop_weight=self.stop_weight,
            )
            if best is None or value > best:
                best = value
        return best


def f_score(
    prediction: Sequence[str],
    reference: Sequence[str],
    alignment: Alignment,
    *,
    alpha: float = 0.5,
    stages: Weights = STAGES,
    stop_weight: float = STOP_WEIGHT,
) -> float:
    """The F score of texts that are aligned like this, 0 to 1; `alpha` near 1 favours recall."""
    left = [stop_weight if word in STOP_WORDS else 1.0 for word in prediction]
    right = [stop_weight if word in STOP_WORDS else 1.0 for word in reference]
    found_left = found_right = 0.0
    for weight, pairs in zip(stages, alignment, strict=True):
        for position, place in pairs:
            found_left += weight * left[position]
            found_right += weight * right[place]
    if not found_left or not found_right:
        return 0.0
    precision, recall = found_left / sum(left), found_right / sum(right)
    return precision * recall / (alpha * precision + (1 - alpha) * recall)
