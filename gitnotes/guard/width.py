"""How many columns does a text take on a terminal?

Widths follow Unicode Standard Annex 11 (wide and full-width characters take two columns)
and count a grapheme once: marks that combine, joined emoji and skin tones add nothing.
"""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"
_EMOJI_STYLE = "\ufe0f"


def columns(text: str) -> int:
    """The number of display columns of one line of `text`.

    Controls and invisible format characters take none; a tab counts as one column.
    """
    if text.isascii():
        return len(text)
    total = 0
    joined = False
    flag_open = False
    previous = 0
    for character in text:
        code = ord(character)
        if 0x1F1E6 <= code <= 0x1F1FF:
            # Two regional indicators make one flag of two columns.
            previous = 0 if flag_open else 2
            flag_open = not flag_open
            total += previous
            joined = False
            continue
        flag_open = False
        if character == _JOINER:
            joined = True
            continue
        if character == _EMOJI_STYLE:
            if previous == 1:
                total += 1
                previous = 2
            continue
        width = _width(character, code)
        if joined and width == 2:
            width = 0
        joined = False
        if width:
            previous = width
        total += width
    return total


def _width(character: str, code: int) -> int:
    if code < 0x300:
        return 0 if code == 0xAD else 1
    if 0x1F3FB <= code <= 0x1F3FF:
        return 0
    if unicodedata.category(character) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    if 0x1160 <= code <= 0x11FF:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
