"""Does mnext-f1 weigh words, stages and sides as its formula says?"""

from __future__ import annotations

import pytest

from gitnotes.errors import UsageError
from gitnotes.grade.metric import make_metric
from gitnotes.grade.mnext_f1 import STOP_WORDS
from tests.grade import slow_mnext
from tests.grade.test_alignment import texts


def value(prediction: str, *references: str, name: str = "mnext-f1") -> float:
    found = make_metric(name).score(prediction, references)
    assert found is not None
    return found


def slow(prediction: str, reference: str, stop: float) -> float:
    """The formula, word by word."""
    pred, ref = slow_mnext.tokens(prediction), slow_mnext.tokens(reference)
    left, free = dict(enumerate(pred)), dict(enumerate(ref))
    weight = {word: stop if word in STOP_WORDS else 1.0 for word in pred + ref}
    found = [0.0, 0.0]
    for kind, part in (("exact", 1.0), ("stem", 0.8), ("synonym", 0.6)):
        for i, j in slow_mnext.stage(left, free, kind):
            found[0] += part * weight[left.pop(i)]
            found[1] += part * weight[free.pop(j)]
    if not all(found):
        return 0.0
    p = found[0] / sum(weight[word] for word in pred)
    r = found[1] / sum(weight[word] for word in ref)
    return 2 * p * r / (p + r)


@pytest.mark.parametrize("stop", [0.3, 1.0, 0.0])
def test_the_formula(stop: float) -> None:
    pairs = [*texts(3, 800), ("fix the parser of a file", "the parser is fixed in files")]
    for pair in pairs:
        assert value(*pair, name=f"mnext-f1+stop={stop}") == pytest.approx(slow(*pair, stop))


def test_order_does_not_count_and_both_sides_do() -> None:
    assert value("parser the fix", "fix the parser") == 1.0
    assert value("fix parser", "fix") == value("fix", "fix parser") == pytest.approx(2 / 3)


def test_stop_words_count_less() -> None:
    assert value("fix the parser", "fix a parser") > value("fix old parser", "fix new parser")
    assert value("the", "the") == 1.0
    assert value("the", "the", name="mnext-f1+stop=0") == 0.0


def test_texts_without_words() -> None:
    assert value("", "a") == value("a", "") == value("...", "...") == 0.0
    assert make_metric("mnext-f1").score("a", []) is None
    assert value("fix it", "zzz", "fix it") == 1.0


def test_signature_and_switches() -> None:
    assert "stop:0.3" in str(make_metric("mnext-f1").signature)
    assert "stop:0.5" in str(make_metric("mnext-f1+stop=0.5").signature)
    assert value("updated", "update", name="mnext-f1+stem=1") == 1
    assert value("updated", "update") == pytest.approx(0.8)
    assert value("erased", "delete", name="mnext-f1+synonym=0") == 0
    assert value("a b fix", "fix", name="mnext-f1+alpha=1+stop=1") == 1
    assert "weights:1.0,0.8,0.2|alpha:0.7" in str(make_metric("mnext-f1+synonym=0.2+alpha=0.7").signature)
    for switch in ("stop=2", "stop=x", "stop", "go=0.3", "stop=nan", ""):
        with pytest.raises(UsageError):
            make_metric(f"mnext-f1+{switch}")
