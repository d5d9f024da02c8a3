"""Is a score read where one stands, and is everything else unscored rather than 0?"""

from __future__ import annotations

import math

import pytest

from gitnotes.generation import Completion, Token
from gitnotes.grade.judging.rubric import Form
from gitnotes.grade.judging.scores import read_answers, read_score


def read(reply: str, form: Form = "score", tokens: tuple[Token, ...] | None = None) -> float | None:
    completion = Completion(reply, "m", tokens=tokens)
    found = read_score(completion, name="coherence", low=0, high=4, form=form)
    assert (found.value is None) == bool(found.reason)
    return found.value


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("4", 4),
        (" 3\n", 3),
        ("3/4", 3),
        ("**3**", 3),
        ("Rating: 3/4", 3),
        ("Rating: 3 out of 4", 3),
        ("Score: 2 (scale 0-4)", 2),
        ("Rating: 3.5", 3.5),
        ("**Rating**: 3", 3),
        ("Rating : 3", 3),
        ("- Coherence: 4", 4),
        ("Coherence (0-4): 2", 2),
        ("<think>Rating: 1</think>\nRating: 3", 3),
        ('{"score": 3}', 3),
        ('{"score": "2", "reason": "x"}', 2),
        ('```json\n{"score": 3}\n```', 3),
        ("Coherence: 4\nConsistency: 2", 4),
        ("3 of 4", 3),
        ("Rating: 3 - it names the cache.", 3),
        ("Rating: 3. 2 claims have no support.", 3),
        ("Rating: 3,5", 3.5),
    ],
)
def test_plain_scores(reply: str, score: float) -> None:
    assert read(reply) == score


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "  ",
        "I will not rate this.",
        "I'm sorry, I can't.",
        "good",
        "3 4",
        "-1",
        "Rating: 3/5",
        "Coherence: 12",
        "Coherence: 3\nCoherence: 4",
        '{"score": 9}',
        '{"score": true}',
        '{"score": NaN}',
        '{"score": null}',
        '{"score": "high"}',
        '{"rating": 3}',
        '{"score": 4} {"score": 0}',
        '{"score": 4',
        "[" * 2000,
        "[" * 200_000,
        '"4"x',
        "Rating: 3-4",
        "Rating: 3\u20134",
        "Rating: 3 - 4",
        "Rating: 3 to 4",
        "Rating: 3 or 4",
        "Rating: 2, 3",
        "Rating: 3 %",
        "Rating: 3 of 10",
        "Rating: 3.99999",
        "Rating: 1,000",
        "Rating: \u22123",
        "\u0663",
        "Rating: \uff14",
        "Rating: four",
        '{"score": "\u0663"}',
        '{"score": "4/4"}',
        '{"score": Infinity}',
        '{"score": 1e400}',
        '{"score": 1' + "0" * 400 + "}",
        '{"score": -1' + "0" * 5000 + "}",
        '{"score": 4, "score": 0}',
        '{"score": 3, "reason": "a", "reason": "b"}',
    ],
)
def test_everything_else_is_unscored(reply: str) -> None:
    assert read(reply) is None


def test_the_place_of_the_reason_decides_which_number_counts() -> None:
    assert read("Analysis: line 12 repeats the word 10 times. Rating: 1", "analyze-rate") == 1
    assert read("Line 12 repeats the word 10 times.\nRating: 1", "analyze-rate") == 1
    assert read("Rating: 1 was too low at first.\nRating: 3", "analyze-rate") == 3
    assert read("Rating: 4\nRationale: all 3 branches", "rate-explain") == 4
    assert read("4\nBecause all 3 branches are named", "rate-explain") == 4


def test_the_mean_over_the_probabilities_of_the_scores() -> None:
    tokens = (
        Token('{"score": ', 0.0),
        Token("3", math.log(0.6), (("3", math.log(0.6)), ("4", math.log(0.3)), ("x", math.log(0.1)))),
        Token("}", 0.0),
    )
    assert read('{"score": 3}', tokens=tokens) == pytest.approx((3 * 0.6 + 4 * 0.3) / 0.9)


def test_probabilities_elsewhere_do_not_count() -> None:
    tokens = (
        Token("2 is bad.\n", 0.0, (("4", -0.1),)),
        Token("Rating: ", 0.0),
        Token("1", -0.1, (("1", -0.1),)),
    )
    assert read("2 is bad.\nRating: 1", "analyze-rate", tokens) == 1


def test_without_enough_probability_the_written_score_counts() -> None:
    found = read_score(
        Completion("2", "m", tokens=(Token("2", math.log(0.2), (("a", math.log(0.8)),)),)),
        name="coherence", low=0, high=4,
    )  # fmt: skip
    assert (found.value, found.source) == (2, "sample")


def test_an_unread_reply_is_kept_and_safe() -> None:
    found = read_score(Completion("\x1b[2Jno\u202e", "m", finish="length"), name="coherence", low=0, high=4)
    assert "cut off" in found.reason and "\x1b" not in found.reply and "no" in found.reply


@pytest.mark.parametrize(
    ("reply", "answers"),
    [
        ('{"a": true, "b": false}', {"a": True, "b": False}),
        ('{"a": "yes", "b": "No", "c": 1}', {"a": True, "b": False}),
    ],
)
def test_answers(reply: str, answers: dict[str, bool]) -> None:
    assert read_answers(Completion(reply, "m"), ("a", "b")) == answers


@pytest.mark.parametrize("reply", ["", "yes", "[]", '{"a": true}', '{"a": 1, "b": 0}', '"x"', "{" * 50_000])
def test_missing_answers_are_said(reply: str) -> None:
    assert isinstance(read_answers(Completion(reply, "m"), ("a", "b")), str)


@pytest.mark.parametrize("share", [float("nan"), float("inf"), -float("inf"), 1000.0, 1e308, 0.5])
def test_what_is_no_probability_weighs_nothing(share: float) -> None:
    told = (Token('{"score": ', -0.1), Token("3", share, (("3", share), ("4", share))), Token("}", 0.0))
    found = read_score(Completion('{"score": 3}', "m", tokens=told), name="fluency", low=0, high=4)
    assert (found.value, found.source) == (3, "sample")


def test_one_word_of_two_answers_is_none() -> None:
    assert isinstance(read_answers(Completion('{"a": "yes", "a": "no"}', "m"), ("a",)), str)
