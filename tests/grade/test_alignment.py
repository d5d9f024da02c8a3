"""Are words aligned as Log-MNEXT's authors align them?"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitnotes.grade.alignment import Alignment, align, count_chunks, match_whole
from gitnotes.grade.words import split_words
from tests.grade import slow_mnext

FAMILIES = [
    family.split()
    for family in (
        "update updates updated updating",
        "delete deletes erase erased",
        "remove removed removing take",
        "fix fixes fixed repair",
        "add added adds adding",
        "bug bugs",
        "die died dying dice",
        "lie lied lying",
        "tie tying",
        "a aing aed",
        "i ies ied y wye",
        "o oing u ue",
        "child children kids",
        "good better best well",
        "comics strip",
        "is are be go gone went",
        "İ i̇ ς σ é x",
        "ying sky skies",
        "the of to",
    )
]
FAMILY_OF = {word: family for family in FAMILIES for word in family}
ALL_WORDS = [word for family in FAMILIES for word in family]


def texts(seed: int, count: int) -> list[tuple[str, str]]:
    """Pairs that meet every rule: families of forms, repeats, permutations, punctuation, case."""
    choose = random.Random(seed)
    pairs = []
    for _ in range(count):
        pool = [word for family in choose.sample(FAMILIES, choose.randint(1, 4)) for word in family]
        sides = []
        for _ in range(2):
            picked = [choose.choice(pool) for _ in range(choose.randint(0, 12))]
            picked = [choose.choice([word, word, word.upper(), f"{word}.", f"({word}"]) for word in picked]
            sides.append(" ".join(picked))
        kind = choose.random()
        words = sides[0].split()
        if kind < 0.15:
            choose.shuffle(words)
            sides[1] = " ".join(words)
        elif kind < 0.4:
            sides[1] = " ".join(choose.choice([*FAMILY_OF.get(word, ()), word, word]) for word in words)
        pairs.append((sides[0], sides[1]))
    return pairs


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("a a a", "a", Alignment([(2, 0)], [], [])),
        ("a", "a a a", Alignment([(0, 2)], [], [])),
        ("a b", "b a", Alignment([(1, 0), (0, 1)], [], [])),
        ("updated", "updates", Alignment([], [(0, 0)], [])),
        ("erased", "delete", Alignment([], [], [(0, 0)])),
        ("delete", "erased", Alignment([], [], [])),
        # Found by stem, and found again as synonym: the second stage takes nothing away.
        ("imports", "import", Alignment([], [(0, 0)], [(0, 0)])),
        ("updated", "update updating", Alignment([], [(0, 1)], [(0, 0)])),
        ("aing", "a", Alignment([], [(0, 0)], [])),
        ("died", "dying", Alignment([], [(0, 0)], [])),
        ("", "a", Alignment([], [], [])),
        ("a", "", Alignment([], [], [])),
    ],
)
def test_stages(prediction: str, reference: str, expected: Alignment) -> None:
    assert align(prediction.split(), reference.split()) == expected


def test_pairs_and_counts_keep_what_was_found_twice() -> None:
    alignment = align(["the", "updated", "imports"], ["the", "update", "updating", "import"])
    assert alignment.exact == [(0, 0)]
    assert alignment.stem == [(2, 3), (1, 2)]
    assert alignment.synonym == [(2, 3), (1, 1)]
    assert alignment.pairs() == [(0, 0), (1, 2), (1, 1), (2, 3), (2, 3)]
    assert alignment.new_synonyms() == 1


@pytest.mark.parametrize(
    ("pairs", "chunks"),
    [
        ([], 0),
        ([(0, 0)], 1),
        ([(0, 0), (1, 1)], 1),
        ([(0, 1), (1, 0)], 2),
        ([(0, 0), (2, 1)], 2),
        ([(0, 0), (0, 0)], 2),
        ([(3, 0), (4, 1), (5, 2), (7, 4)], 2),
    ],
)
def test_chunks(pairs: list[tuple[int, int]], chunks: int) -> None:
    assert count_chunks(pairs) == chunks


def test_the_alignment_equals_the_slow_one() -> None:
    stages = [0, 0, 0, 0]
    for prediction, reference in texts(1, 3000):
        slow = slow_mnext.stages(prediction, reference)
        fast = align(slow_mnext.tokens(prediction), slow_mnext.tokens(reference))
        assert fast == slow, (prediction, reference)
        for number, pairs in enumerate((*slow, set(slow[1]) & set(slow[2]))):
            stages[number] += bool(pairs)
    assert min(stages) > 200, "the pairs must meet every rule"


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(ALL_WORDS), max_size=25), st.lists(st.sampled_from(ALL_WORDS), max_size=25))
def test_the_alignment_equals_the_slow_one_on_any_lists(prediction: list[str], reference: list[str]) -> None:
    slow = slow_mnext.stages(" ".join(prediction), " ".join(reference))
    assert align(" ".join(prediction).lower().split(), " ".join(reference).lower().split()) == slow


def test_long_texts_do_not_cost_the_square() -> None:
    # 40,000 x 40,000 comparisons in any stage would take minutes.
    for left, right in (("update", "updates"), ("erased", "delete"), ("same", "same"), ("one", "other")):
        alignment = align([left] * 40_000, [right] * 40_000)
        assert len(alignment.pairs()) in (0, 40_000, 80_000)
    left_words = [f"w{number}" for number in range(20_000)]
    assert align(left_words, left_words[::-1]).exact[0] == (19_999, 0)


def test_whole_words_are_counted_without_an_alignment() -> None:
    counted = 0
    pairs = [*texts(21, 3000), ("fix the old parser", "fix a parser of the old kind")]
    pairs += [("a b a", "a c"), ("a b", "c a a"), ("a b c", "a b c"), ("x a y", "a x b")]
    for pair in pairs:
        one, other = split_words(pair[0]), split_words(pair[1])
        found = match_whole(one, other)
        alignment = align(one, other)
        if found is None:
            continue
        counted += 1
        assert not alignment.stem and not alignment.synonym
        assert found == (len(alignment.exact), count_chunks(alignment.pairs()))
    assert counted > len(pairs) / 10
