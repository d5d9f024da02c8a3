"""What do length alone, and TF-IDF with a dozen signals, reach on the same rows in the same folds?

This is the usual recipe: words and pairs of words by TF-IDF beside simple signals, logistic
regression for a label and ridge for a rating. It is what the grade has to be better than.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler

from bench.grading.agreement import Array

_WHY = re.compile(
    r"\b(because|since|so that|in order to|to avoid|due to|otherwise|therefore|fix(?:es|ed)?|prevent\w*"
    r"|allow\w*|as|thus|instead|needed|need|issue|cause[sd]?|reason)\b",
    re.I,
)
_ISSUE = re.compile(r"#\d+")
_CLOSES = re.compile(r"\b(fix|clos|resolv)\w* #\d+", re.I)
_CODE = re.compile(r"`|[a-z][A-Z]|_|\(\)")
_OPENER = re.compile(
    r"(add|fix|remove|update|use|make|move|change|allow|support|rename|refactor|upgrade|improve|create"
    r"|delete)\b",
    re.I,
)
_FILE = re.compile(r"\.(java|md|xml|kt|gradle|html)\b")
_TYPED = re.compile(r"\w+(\(.*\))?: ")


def count_words(message: str) -> float:
    """The logarithm of the number of words."""
    return math.log1p(len(message.split()))


def simple_signals(message: str) -> list[float]:
    """Twelve signals of a message."""
    lines = [line for line in message.split("\n") if line.strip()]
    subject = lines[0].strip() if lines else ""
    return [
        count_words(message),
        math.log1p(len(lines)),
        float(len(subject.split())),
        float("http" in message),
        float(_ISSUE.search(message) is not None),
        float(_CLOSES.search(message) is not None),
        float(len(_WHY.findall(message))),
        float(_CODE.search(message) is not None),
        float(_OPENER.match(subject) is not None),
        float(_FILE.search(message) is not None),
        float(_TYPED.match(subject) is not None),
        float(len(lines) > 1),
    ]


def predict(train: Sequence[str], answers: Array, test: Sequence[str], *, label: bool, words: bool) -> Array:
    """Scores of the test messages; `words` False is length alone."""
    if words:
        scale = StandardScaler().fit([simple_signals(message) for message in train])
        vectors = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True).fit(train)
        fitted = _join(vectors, scale, train)
        asked = _join(vectors, scale, test)
    else:
        fitted = csr_matrix([[count_words(message)] for message in train])
        asked = csr_matrix([[count_words(message)] for message in test])
    if label:
        model = LogisticRegression(C=1.0, class_weight="balanced", max_iter=10_000).fit(fitted, answers > 0)
        return np.asarray(model.predict_proba(asked)[:, 1])
    return np.asarray(Ridge(alpha=1.0).fit(fitted, answers).predict(asked))


def _join(vectors: Any, scale: Any, messages: Sequence[str]) -> Any:
    signals = scale.transform([simple_signals(message) for message in messages])
    return hstack([vectors.transform(messages), csr_matrix(signals)]).tocsr()
