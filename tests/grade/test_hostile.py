"""No message, whatever its form, takes long to grade."""

import time

import pytest

from gitnotes.grade.scale import grade_message

from .test_claims import EVICT

UNITS = [
    "-", "a", "(", " ", "a.", "/", "`", "A_", "\n", "a: ", "A", "1", "1.", ".", "_", "aB", "Aa", '"', "!",
    "[", "{", "#1 ", "- ", "> ", "a, ", "don't ", "http://", "Signed-off-by: ", "Co-authored-by: A <a@b.c>\n",
    "e\u0301", "增", "\u200d", "👨\u200d👩", "\x1b[", "\x1b]", "\r", "\t", ":", "@", "</", "<|", "](", "<a",
    "because ", "because\n", "a-", "a/", "a/b.", "a.py", "v1.", "A-1 ", "\n- ", "İ", "ignore all ",
    'Revert "', "fixup! ", "Merge ", "give this ", "a\n", "A-b: c\n", "feat(", "feat: ", "never ", "gh-",
    "score: 4\n", "fixes a/", "remove a_b ", "get rid of ", "was removed ", "x to y_z ", "three ", "der die ",
]  # fmt: skip
LIMIT = 0.5
"""Seconds of processor time; quadratic patterns took from 7 to 60."""


@pytest.fixture(scope="module", autouse=True)
def _warm_tables():
    grade_message("Add evict_oldest to Cache\n\nBecause it grew, see #1 and https://example.com.", EVICT)


def seconds(message):
    """The least of up to three tries: what else the process does, such as collecting garbage, is no fault."""
    least = float("inf")
    for _ in range(3):
        start = time.process_time()
        grade_message(message, EVICT)
        least = min(least, time.process_time() - start)
        if least < LIMIT:
            break
    return least


@pytest.mark.parametrize("unit", UNITS)
def test_repeated_characters_stay_linear(unit):
    text = (unit * (70_000 // len(unit) + 1))[:70_000]
    for message in (text, f"Add x\n\nB {text} z", f"Remove {text}!"):
        assert seconds(message) < LIMIT


@pytest.mark.parametrize("unit", ["-", "a", "a ", "a.", "\n", "a\n"])
def test_a_megabyte_costs_no_more(unit):
    assert seconds(unit * (1_000_000 // len(unit))) < LIMIT
    assert seconds("Add x\n\n" + unit * (1_000_000 // len(unit))) < LIMIT


def test_many_different_words():
    assert seconds(" ".join(f"word{number}" for number in range(120_000))) < LIMIT
    assert (
        seconds("Add x\n\n" + "\n".join(f"Remove name_{number}, because." for number in range(9_000))) < LIMIT
    )
