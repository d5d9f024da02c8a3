from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitnotes.guard.text import clean, hidden_characters, show


@pytest.mark.parametrize(
    "hostile",
    [
        "\x1b]0;root@prod\x07Fix cache",
        "\x1b]52;c;cm0gLXJmIH4=\x07",
        "\x1b]8;;http://example.invalid\x1b\\docs\x1b]8;;\x1b\\",
        "\x9b31mred",
        "\x1b[8m hidden \x1b[0m",
        "if (isAdmin\u202e \u2066// check\u2069 \u2066) {",
        "Fix\U000e0067\U000e0069 cache",
        "a\x00b\x7f\u200bc\ufeff",
        "carriage\rreturn",
    ],
)
def test_nothing_acts_on_a_terminal(hostile: str) -> None:
    assert hidden_characters(hostile)
    for text in (show(hostile), clean(hostile)):
        assert not hidden_characters(text)
        assert "\x1b" not in text


def test_show_keeps_what_there_was_visible() -> None:
    assert show("\x1b[31mred\u202e") == "^[[31mred\\u202e"
    assert show("two\nlines") == "two\\nlines"
    assert show("two\nlines", newlines=True) == "two\nlines"
    assert show("caf\udce9") == "caf\\xe9"


def test_clean_removes_sequences_with_their_payload() -> None:
    assert clean("\x1b]0;title\x07Fix \x1b[31mcache\x1b[0m\r\n") == "Fix cache\n"


def test_emoji_that_are_joined_stay_joined() -> None:
    assert clean("Ship \U0001f468\u200d\U0001f469\u200d\U0001f467") == (
        "Ship \U0001f468\u200d\U0001f469\u200d\U0001f467"
    )
    assert clean("pa\u200dss") == "pass"


@given(st.text())
def test_any_text(text: str) -> None:
    assert not hidden_characters(show(text))
    assert not [name for name in hidden_characters(clean(text)) if name != "U+200D"]
    clean(text).encode("utf-8")
    show(text).encode("utf-8")
    assert clean(clean(text)) == clean(text)
