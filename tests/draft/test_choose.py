"""Does the best rated draft come first, and are ties and unscored ones treated fairly?"""

from __future__ import annotations

from gitnotes.draft.choose import choose


def test_best_first() -> None:
    grades: dict[str, float | None] = {"a": 10.0, "b": 90.0, "c": 50.0}
    assert choose(["a", "b", "c"], grades.__getitem__) == ["b", "c", "a"]


def test_ties_keep_the_drafters_order_and_repeats_go() -> None:
    assert choose(["x", "y", "x", "z"], lambda text: 7.0) == ["x", "y", "z"]


def test_unscored_is_last_and_not_zero() -> None:
    grades = {"none": None, "zero": 0.0, "nan": float("nan"), "one": 1.0}
    assert choose(list(grades), grades.__getitem__) == ["one", "zero", "none", "nan"]


def test_each_text_is_rated_once() -> None:
    asked: list[str] = []

    def rate(text: str) -> float:
        asked.append(text)
        return 0.0

    choose(["a", "b", "a"], rate)
    assert asked == ["a", "b"]


def test_nothing_to_choose_from() -> None:
    assert choose([], lambda text: 1.0) == []
