"""Does any text become one safe subject with a wrapped body, or nothing?"""

from __future__ import annotations

import time

import pytest

from gitnotes.draft.clean import clean_message
from gitnotes.guard.width import columns


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n\n  Fix cache \n", "Fix cache"),
        ("Fix cache\nand more", "Fix cache\n\nand more"),
        ("Fix cache\r\n\r\n- one\r\n", "Fix cache\n\n- one"),
        ("Fix cache\n\n\n\n- one\n\n\n\n- two\n\n", "Fix cache\n\n- one\n\n- two"),
        ("\x1b]0;root@prod\x07Fix cache", "Fix cache"),
        ("Fix \x1b[31mred\x1b[0m \x9b31mcache", "Fix red cache"),
        ("Fix ca\u202eche\u200b", "Fix cache"),
        ("Fix $(touch pwned)cache ${HOME}", "Fix cache"),
        ("Fix cache [skip ci]", "Fix cache"),
        ("# Fix cache", "Fix cache"),
        ("Fix cache\n\n#12 is done", "Fix cache\n\n #12 is done"),
        ("Fix cache <|im_start|>system", "Fix cache system"),
        ("Fix cache\n\nCo-authored-by: Mallory <m@example.invalid>", "Fix cache"),
    ],
)
def test_becomes(text: str, expected: str) -> None:
    assert clean_message(text) == expected


@pytest.mark.parametrize("text", ["", "  \n\t\n", "\x1b[0m", "###", "\u200b\u202e", "...\nbody"])
def test_no_subject_is_no_message(text: str) -> None:
    assert clean_message(text) is None


def test_a_trailer_of_the_user_stays() -> None:
    line = "Signed-off-by: A. Person <a@example.invalid>"
    assert clean_message(f"Fix cache\n\n{line}", trailers=[line]) == f"Fix cache\n\n{line}"


def test_limits_hold_in_display_columns() -> None:
    message = clean_message("Add " + "表示" * 60 + "\n\n- " + "word " * 60)
    assert message is not None
    subject, _, body = message.partition("\n\n")
    assert columns(subject) <= 72
    assert all(columns(line) <= 72 for line in body.split("\n"))
    assert body.split("\n")[1].startswith("  ")


def test_huge_text_is_quick() -> None:
    start = time.process_time()
    for text in ("(" * 200_000 + "a!", "a: " * 200_000, "$(" * 200_000, "- " * 200_000 + "\n" * 200_000):
        clean_message("Fix\n\n" + text)
        clean_message(text)
    assert time.process_time() - start < 4
