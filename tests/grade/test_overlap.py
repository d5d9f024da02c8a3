"""Do the measures of surface overlap give the numbers that are known of them?"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator

import pytest

from gitnotes.errors import UsageError
from gitnotes.grade import overlap
from gitnotes.grade.metric import METRICS, make_metric
from gitnotes.grade.words import SYNONYMS
from tests.grade.test_alignment import texts

OVERLAP = [name for name, place in METRICS.items() if ":" in place and ".overlap:" in place]
BASIC = ("bleu-norm", "meteor")


def value(name: str, prediction: str, *references: str) -> float:
    found = make_metric(name).score(prediction, references)
    assert found is not None
    return found


@pytest.fixture(params=OVERLAP)
def name(request: pytest.FixtureRequest) -> str:
    if request.param not in BASIC:
        pytest.importorskip("sacrebleu")
        pytest.importorskip("rapidfuzz")
        pytest.importorskip("rouge_score")
    return str(request.param)


def test_equal_texts_score_most(name: str) -> None:
    text = "Add a parser for the long options of the command"
    assert value(name, text, text) == pytest.approx(1, abs=0.12 if name in ("bleu-cc", "meteor") else 1e-9)
    assert value(name, text, text) > value(name, "Add a parser for options", text) > 0 or name == "bleu-4"
    assert value(name, "zzz", text) <= 0.05


def test_the_best_reference_counts(name: str) -> None:
    text = "Add a parser for the long options of the command"
    assert value(name, text, "zzz yyy xxx", text) == pytest.approx(value(name, text, text), abs=0.01)


def test_texts_without_words_score_0_and_no_reference_nothing(name: str) -> None:
    metric = make_metric(name)
    for pair in (("", "a"), ("a", ""), ("", ""), (" \n", "a b")):
        assert metric.score(pair[0], [pair[1]]) == 0.0
    assert metric.score("a", []) is None


@pytest.mark.parametrize(
    "text", ["...", "\ud800 a", "\x00", "名前 変更", "a" * 3000, "𝒳 " * 50, "-\n&quot;", "word " * 400]
)
def test_any_text_has_a_score(name: str, text: str) -> None:
    metric = make_metric(name)
    for pair in ((text, "Fix it now"), ("Fix it now", text), (text, text)):
        found = metric.score(pair[0], [pair[1]])
        if name == "ter" and len(text.split()) > overlap.Ter.most_words:
            assert found is None
            continue
        assert found is not None
        assert math.isfinite(found)


def test_the_signature_repeats(name: str) -> None:
    metric = make_metric(name)
    assert metric.name == metric.signature.name == name
    assert str(metric.signature) == str(make_metric(name).signature)
    assert metric.signature.settings


# What the script of Tao et al. (2021) gives for their pairs, in percent.
@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("Noting", "Noting", 100.0),
        ("add known user", "add known user", 100.0),
        ("one two three four", "zzz", 0.0),
    ],
)
def test_bleu_norm(prediction: str, reference: str, expected: float) -> None:
    assert 100 * value("bleu-norm", prediction, reference) == pytest.approx(expected)


def test_bleu_norm_by_hand() -> None:
    # 2 of 3 words, (1+1)/(2+1) pairs, (0+1)/(1+1) triples, (0+1)/(0+1); 3 words against 4.
    wanted = (2 / 3 * 2 / 3 * 1 / 2) ** 0.25 * math.exp(1 - 5 / 4)
    assert value("bleu-norm", "fix the_", "the_ bug Fix") > 0
    assert value("bleu-norm", "Fix the parser", "fix the old cat") == pytest.approx(wanted)


def test_bleu_cc_of_nltk() -> None:
    # What nltk gives for these, in percent, as Tao et al. print it: one word that is equal.
    assert 100 * value("bleu-cc", "Noting", "Noting") == pytest.approx(19.25, abs=0.005)


def test_bleu_and_chrf_and_ter() -> None:
    pytest.importorskip("sacrebleu")
    assert value("bleu-4", "a b c d", "a b c e") == 0
    assert value("bleu", "a b c d", "a b c e") == pytest.approx((3 / 4 * 2 / 3 * 1 / 2 * 1 / 2) ** 0.25)
    assert value("ter", "a b c d", "a b c e") == 0.75
    assert value("ter", "a b c d e f", "a") == -4
    assert value("chrf", "Abc", "abc") < value("chrf+lower", "Abc", "abc") == 1
    assert value("chrf++", "add the parser", "parser the add") != value(
        "chrf", "add the parser", "parser the add"
    )


def test_rouge() -> None:
    pytest.importorskip("rouge_score")
    assert value("rouge-1", "add parsers", "add a parser") == pytest.approx(0.4)
    assert value("rouge-1+stem", "add parsers", "add a parser") == pytest.approx(0.8)
    assert value("rouge-2", "a b c", "a b d") == 0.5
    assert value("rouge-l", "a x b", "a b x") == pytest.approx(2 / 3)


def test_edit_distance() -> None:
    pytest.importorskip("rapidfuzz")
    assert value("edit", "kitten", "Sitting") == pytest.approx(1 - 3 / 7)
    assert value("edit-words", "fix, the parser", "Fix a parser") == pytest.approx(2 / 3)


class _WordNet:
    """nltk's WordNet reader as far as METEOR asks it, answered from our table."""

    def synsets(self, word: str) -> list[_WordNet]:
        self.word = word
        return [self]

    def lemmas(self) -> Iterator[_Lemma]:
        return map(_Lemma, SYNONYMS[self.word])


class _Lemma:
    def __init__(self, word: str) -> None:
        self.word = word

    def name(self) -> str:
        return self.word


def test_meteor_equals_nltk() -> None:
    from nltk.translate.meteor_score import single_meteor_score

    old, new = make_metric("meteor+nltk-3.4"), make_metric("meteor")
    different = 0
    for prediction, reference in texts(5, 400):
        words = prediction.lower().split(), reference.lower().split()
        if all(words):
            wanted = single_meteor_score(words[1], words[0], wordnet=_WordNet())
            assert new.score(prediction, [reference]) == wanted
            different += old.score(prediction, [reference]) != wanted
    assert different


def test_a_switch_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_metric(f"{name}+sideways")
    assert caught.value.hint


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("sacrebleu", "sacrebleu.metrics", "rouge_score.rouge_scorer", "rapidfuzz"):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance.Levenshtein", None)
    for name in ("bleu", "chrf", "ter", "rouge-l", "edit"):
        with pytest.raises(UsageError, match="not installed") as caught:
            make_metric(name)
        assert "gitnotes[metrics]" in caught.value.hint


def test_no_package_is_loaded_for_the_default() -> None:
    command = (
        "import sys; from gitnotes.grade.metric import make_metric as m\n"
        "for name in ('log-mnext', 'log-mnext+fewest-chunks', 'mnext-f1', 'meteor', 'bleu-norm'):\n"
        "    m(name).score('updated the parser', ['update parsers'])\n"
        "print(*{'numpy', 'nltk', 'scipy', 'sacrebleu', 'rouge_score', 'rapidfuzz'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_every_metric_says_what_it_is() -> None:
    for name in OVERLAP:
        kind = getattr(overlap, METRICS[name].partition(":")[2])
        assert kind.kind == name
        assert kind.__doc__


@pytest.mark.parametrize(
    ("name", "most", "package"), [("ter", 200, "sacrebleu"), ("rouge-l", 2000, "rouge_score")]
)
def test_texts_that_take_too_long_have_no_score(name: str, most: int, package: str) -> None:
    pytest.importorskip(package)
    metric = make_metric(name)
    whole = " ".join(["a"] * most)
    assert metric.score(whole, ["a"]) is not None
    assert metric.score(f"{whole} a", ["a"]) is None
    assert metric.score("a", ["a", f"{whole} a"]) is None
    if name == "rouge-l":
        assert metric.score(whole.replace(" ", ",") + ",a", ["a"]) is None
