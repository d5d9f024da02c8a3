"""Does each switch of Log-MNEXT change what it names, and nothing else?"""

from __future__ import annotations

import itertools
import random

import pytest

from gitnotes.errors import UsageError
from gitnotes.grade.alignment import align, count_chunks
from gitnotes.grade.log_mnext import LogMnext, log_mnext
from gitnotes.grade.metric import make_metric
from gitnotes.grade.realign import align_once
from gitnotes.grade.variants import SWITCHES, Settings, read_switches, sign
from gitnotes.grade.words import split_words
from tests.grade import slow_mnext
from tests.grade.test_alignment import texts

GUNMAN = ("the gunman killed the cop", "the cop killed the gunman")
FAMILY = ("updating", "update", "updated", "updates", "modify", "x", "y")


def value(pair: tuple[str, str], *switches: str) -> float:
    found = LogMnext(*switches).score(pair[0], [pair[1]])
    assert found is not None
    assert found == log_mnext(*pair, switches=switches).value
    return found


def test_identity_frees_of_the_penalty() -> None:
    assert value(GUNMAN) == 1.0
    assert value(GUNMAN, "strict-identity") == 1 - 0.45 * (4 / 5) ** 2.35
    assert value(("Fix it!", "fix it"), "strict-identity") == 1.0
    assert value(("fix it", "fix it"), "no-identity") == 1 - 0.45 * (1 / 2) ** 2.35


def test_a_word_is_matched_once() -> None:
    pair = ("updated files now", "update file soon")
    assert value(pair) != value(pair, "stems-once")
    found = log_mnext(*pair, switches=["stems-once"])
    assert [match.stage for match in found.matches] == ["stem", "stem"]
    for pair in texts(7, 1500):
        assert value(pair, "stems-once") <= 1
        once = align_once(split_words(pair[0]), split_words(pair[1]))
        for side in (0, 1):
            used = [match[side] for match in once.pairs()]
            assert len(used) == len(set(used))


def test_once_is_the_slow_way_without_what_was_matched() -> None:
    for prediction, reference in texts(11, 1500):
        pred = dict(enumerate(slow_mnext.tokens(prediction)))
        ref = dict(enumerate(slow_mnext.tokens(reference)))
        stages = []
        for kind in ("exact", "stem", "synonym"):
            stages.append(slow_mnext.stage(pred, ref, kind))
            for i, j in stages[-1]:
                del pred[i], ref[j]
        assert align_once(split_words(prediction), split_words(reference)) == tuple(stages)


def test_synonyms_either_way() -> None:
    assert value(("erased", "delete")) == value(("erased", "delete"), "symmetric-synonyms") == 0.6
    assert value(("delete", "erased")) == 0
    assert value(("delete", "erased"), "symmetric-synonyms") == 0.6
    assert value(("erased", "delete"), "no-synonyms") == 0


def fewest(prediction: list[str], reference: list[str], counts: tuple[int, ...]) -> int:
    """The fewest chunks of any alignment with these stage counts, by trying all."""

    def stage(word: str, other: str) -> int | None:
        if word == other:
            return 0
        if slow_mnext.STEMMER.stem(word) == slow_mnext.STEMMER.stem(other):
            return 1
        return 2 if other in slow_mnext.TABLE.synonyms(word) else None

    best = 99
    for chosen in itertools.product([None, *range(len(reference))], repeat=len(prediction)):
        places = [place for place in chosen if place is not None]
        if len(set(places)) != len(places):
            continue
        found = [
            stage(prediction[position], reference[place])
            for position, place in enumerate(chosen)
            if place is not None
        ]
        if None not in found and tuple(found.count(kind) for kind in (0, 1, 2)) == counts:
            pairs = [(position, place) for position, place in enumerate(chosen) if place is not None]
            best = min(best, count_chunks(pairs))
    return best


def test_the_fewest_chunks() -> None:
    pair = ("the cat and the dog", "the dog")
    assert log_mnext(*pair).chunks == log_mnext(*pair, switches=["fewest-chunks"]).chunks == 1
    pair = ("the dog and the cat", "the dog")
    assert log_mnext(*pair).chunks == 2
    assert log_mnext(*pair, switches=["fewest-chunks"]).chunks == 1
    for seed in range(60):
        choose = random.Random(seed)
        prediction = [choose.choice(FAMILY) for _ in range(choose.randrange(1, 6))]
        reference = [choose.choice(FAMILY) for _ in range(choose.randrange(1, 5))]
        plain = align_once(prediction, reference)
        short = align_once(prediction, reference, fewest_chunks=True)
        counts = tuple(map(len, plain))
        assert tuple(map(len, short)) == counts
        if sum(counts):
            assert count_chunks(short.pairs()) == fewest(prediction, reference, counts)


def test_many_equal_words_take_no_long_time() -> None:
    words = ["a", "b"] * 128
    found = align_once(words, words[::-1], fewest_chunks=True)
    assert len(found.exact) == 256
    assert count_chunks(found.pairs()) <= count_chunks(align(words, words[::-1]).pairs())
    long = ["a"] * 100_000
    assert len(align_once(long, long, fewest_chunks=True).exact) == 100_000


def test_parameters_and_penalty() -> None:
    pair = ("add the new parser", "add a new parser")
    chunks = 2 / 3
    f = 0.75
    assert value(pair) == pytest.approx((1 - 0.45 * chunks**2.35) * f)
    assert value(pair, "equation-5") == pytest.approx((1 - 2.35 * chunks**0.45) * f)
    assert value(pair, "rank") == pytest.approx((1 - 0.6 * chunks**0.2) * f)
    assert value(pair, "adq") == pytest.approx((1 - 0.45 * chunks**1.4) * f)
    assert value(pair, "hter") == pytest.approx((1 - 0.35 * chunks**1.5) * f)
    assert value(pair, "meteor", "no-identity") == pytest.approx((1 - 0.5 * chunks**3) * f)
    assert value(pair, "no-penalty") == pytest.approx(f)
    assert value(("updated", "update"), "weights=0/0.5/0") == 0.5
    assert value(("a b c", "a"), "alpha=1", "no-penalty") == pytest.approx(1.0)


def test_punctuation_and_case() -> None:
    assert value(("Fix, it", "fix it")) == 1.0
    assert 0 < value(("Fix, it", "fix it"), "keep-punctuation") < 1
    assert value(("Fix it", "fix it"), "keep-case") == pytest.approx(0.9)


def test_words_in_another_case_are_matched_by_stem_or_synonym() -> None:
    # nltk's stemmer lowers words, and WordNet is asked in lower case; a word that it does not
    # know is no synonym of itself in another case.
    for pair, stages in (
        (("Add it", "add it"), ["stem", "synonym", "exact"]),
        (("Zzqx it", "zzqx it"), ["stem", "exact"]),
        (("Erased it", "delete it"), ["synonym", "exact"]),
    ):
        found = log_mnext(*pair, switches=["keep-case"])
        assert [match.stage for match in found.matches] == stages
    once = log_mnext("Add it", "add it", switches=["keep-case", "stems-once"])
    assert [match.stage for match in once.matches] == ["stem", "exact"]


@pytest.mark.parametrize("switch", SWITCHES)
def test_every_switch_is_in_the_signature(switch: str) -> None:
    plain, changed = make_metric("log-mnext"), make_metric(f"log-mnext+{switch}")
    assert changed.name == f"log-mnext+{switch}"
    assert str(plain.signature) != str(changed.signature)
    assert read_switches([switch]) != Settings()


def test_signatures_tell_settings_apart() -> None:
    signatures = {str(sign(read_switches(pair))) for pair in itertools.combinations(SWITCHES, 2)}
    different = {read_switches(pair) for pair in itertools.combinations(SWITCHES, 2)}
    assert len(signatures) == len(different)


@pytest.mark.parametrize(
    "switch",
    ["sideways", "", "alpha", "alpha=2", "alpha=x", "weights=1/2", "case=lower", "beta=nan", "strict="],
)
def test_other_switches_are_refused(switch: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_metric(f"log-mnext+{switch}")
    assert caught.value.hint


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(UsageError, match="no metric"):
        make_metric("log-mnex")
    with pytest.raises(UsageError) as caught:
        make_metric("\x1b[31m")
    assert "\x1b" not in str(caught.value)
