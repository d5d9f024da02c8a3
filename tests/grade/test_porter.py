"""Are the stems those of nltk's Porter stemmer, for any word?"""

from __future__ import annotations

import itertools
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from gitnotes.grade import porter
from gitnotes.grade.porter import stem
from gitnotes.grade.words import _TABLE as SYNONYMS
from gitnotes.grade.words import SynonymTable

EXACT = PorterStemmer().stem

ENDINGS = [
    ending
    for endings in (
        "s ed ing sses ies ied eed y e ll ly ational tional enci anci izer bli abli alli entli eli ousli",
        "ization ation ator alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize",
        "iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti",
        "ous ive ize at bl iz ss zz tt *d",
    )
    for ending in endings.split()
]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("", ""),
        ("a", "a"),
        ("updating", "updat"),
        ("skies", "sky"),
        ("dying", "die"),
        ("died", "die"),
        ("flies", "fli"),
        ("enjoy", "enjoy"),
        ("happy", "happi"),
        ("copying", "copi"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("filing", "file"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("generically", "gener"),
        ("archaeology", "archaeolog"),
        ("controlling", "control"),
        ("a*ded", "ad"),
        ("naïvely", "naïv"),
        ("\ud800ing", "\ud800ing"),
    ],
)
def test_known_stems(word: str, expected: str) -> None:
    assert stem(word) == expected == EXACT(word)


def test_the_words_of_wordnet_and_their_forms_have_the_stems_of_nltk() -> None:
    table = SynonymTable(SYNONYMS.read_bytes())
    known = [word for section in table._sections.values() for word in section.split("\n")[1].split(" ")]
    choose = random.Random(5)
    changed = 0
    for word in (*known[::5], *porter.IRREGULAR):
        for form in (word, word + choose.choice(["s", "ed", "ing", "ly", "ies", "ness", "ers"])):
            assert stem(form) == EXACT(form), form
            changed += stem(form) != form
    assert changed > 5000


def test_words_that_rules_meet_in_have_the_stems_of_nltk() -> None:
    choose = random.Random(3)
    letters = ["abeiysdnglt", "yb", "yae", "bcdfglsz", "aeiou", "wxy", "é1a*d"]
    for _ in range(20_000):
        head = choose.choices(choose.choice(letters), k=choose.choice([0, 1, 2, 3, 4, 5, 8, 90]))
        word = "".join(head) + "".join(choose.choices(ENDINGS, k=choose.choice([0, 1, 1, 2, 3])))
        assert stem(word) == EXACT(word), word


def test_all_short_words_have_the_stems_of_nltk() -> None:
    for length in range(5):
        for letters in itertools.product("aeiysdngl", repeat=length):
            word = "".join(letters)
            assert stem(word) == EXACT(word), word


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=12), st.sampled_from(["", *ENDINGS]))
def test_any_text_has_the_stem_of_nltk(head: str, ending: str) -> None:
    word = f"{head}{ending}".lower()
    assert stem(word) == EXACT(word)


@pytest.mark.parametrize("letters", ["y", "ay", "ab", "s", "alli"])
def test_a_long_word_takes_time_in_proportion(letters: str) -> None:
    start = time.process_time()
    for ending in ("", "ing", "ization", "fulness", "logi"):
        assert stem(letters * 100_000 + ending)
    assert time.process_time() - start < 3
