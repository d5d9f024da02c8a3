"""How close is a release note to the one that people wrote?

`bleu-4`, `rouge-l` and `meteor` are those of the ReleaseEval paper's `result/eval.py`, pair by pair: lower
case, the word tokens of nltk joined by blanks for ROUGE-L (F1 of the package `rouge`), nltk's BLEU with
smoothing 3, and METEOR. Its tokens depend on nltk's sentence splitter, whose data is a download; here
each line is a sentence. METEOR is computed by `gitnotes.grade.overlap`, equal to nltk's with WordNet 3.0,
so that no data has to be there. All are 0 to 100.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from gitnotes.grade.overlap import load, meteor

PAPER = ("bleu-4", "rouge-l", "meteor")


@cache
def _tokenizer() -> Callable[[str], list[str]]:
    found: Callable[[str], list[str]] = load("nltk", "nltk.tokenize").NLTKWordTokenizer().tokenize
    return found


def word_tokens(text: str) -> list[str]:
    """The lower-case word tokens of nltk, line by line."""
    return [token for line in text.lower().split("\n") for token in _tokenizer()(line)]


@cache
def _bleu() -> Callable[[list[str], list[str]], float]:
    module = load("nltk", "nltk.translate.bleu_score")
    smooth = module.SmoothingFunction().method3

    def rate(words: list[str], reference: list[str]) -> float:
        return float(module.sentence_bleu([reference], words, smoothing_function=smooth))

    return rate


@cache
def _rouge() -> Any:
    return load("rouge", "rouge", "bench").Rouge(metrics=["rouge-l"])


def paper_scores(note: str, reference: str) -> dict[str, float]:
    """The three metrics of ReleaseEval for one pair; 0 where either has no text.

    Raises UsageError when a package is missing.
    """
    words, wanted = word_tokens(note), word_tokens(reference)
    if not words or not wanted:
        return dict.fromkeys(PAPER, 0.0)
    return {
        "bleu-4": 100 * bleu_4(words, wanted),
        "rouge-l": 100 * rouge_l(words, wanted),
        "meteor": 100 * meteor(words, wanted),
    }


def bleu_4(words: list[str], wanted: list[str]) -> float:
    """BLEU-4 with smoothing 3 of Chen and Cherry, 0 to 1; 0 without words."""
    return _bleu()(words, wanted) if words else 0.0


def rouge_l(words: Sequence[str], wanted: Sequence[str]) -> float:
    """ROUGE-L F1 of the package `rouge`, 0 where it finds no word, as in a text of full stops alone."""
    # It goes through both texts word by word in one recursion.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), len(words) + len(wanted) + 1000))
    try:
        found = _rouge().get_scores(" ".join(words), " ".join(wanted))
    except ValueError:
        return 0.0
    return float(found[0]["rouge-l"]["f"])
