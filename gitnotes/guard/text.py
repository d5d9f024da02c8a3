"""How is text from elsewhere shown or stored without doing anything by itself?

Messages, file names and model replies are hostile until proven otherwise: an escape
sequence can retitle or repaint a terminal, a bidi control can make code read differently
from what it does, a tag character can carry an instruction nobody sees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitnotes.guard.patterns import late

SHORT = 100
"""Characters of a name that an error or a heading repeats."""

# C0 except tab and newline, DEL, C1.
_CONTROLS = late("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# Line separators, bidi controls, zero-width and other invisible characters, tag characters, BOM.
_FORMAT = (
    "\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f"
)
_INVISIBLE = late(f"[\u200d{_FORMAT}]")
_INVISIBLE_BUT_JOINERS = late(f"[{_FORMAT}]")
_SURROGATES = late("[\ud800-\udfff]")
# CSI, OSC, DCS and friends with their payload, in 7-bit and 8-bit form; then lone two-byte escapes.
_SEQUENCES = late(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\\\|\x9c)?"
    "|\x1b[ -/]*[0-~]?"
)


def show(text: str, *, newlines: bool = False) -> str:
    """`text` with every character that could act on a terminal made visible.

    Controls become `^X` or `\\xNN`, invisible characters `\\u....`, lone surrogates (bytes that
    are not UTF-8) `\\xNN`. Newlines are kept only when `newlines` is true.
    """
    text = text if newlines else text.replace("\n", "\\n")
    if _is_plain(text):
        return text
    text = _CONTROLS().sub(_caret, text)
    text = _INVISIBLE().sub(_escape, text)
    return _SURROGATES().sub(_byte, text)


def shorten(text: str) -> str:
    """`text` as `show` gives it, its middle left out where it is too long to be read in a sentence."""
    if len(text) > 4 * SHORT:  # enough of both ends, so that a name of a megabyte costs nothing
        text = f"{text[: 2 * SHORT]}{text[-2 * SHORT :]}"
    shown = show(text)
    return shown if len(shown) <= SHORT else f"{shown[: SHORT // 2]}...{shown[-SHORT // 2 :]}"


def clean(text: str) -> str:
    """`text` as it may be stored in a message: no escape sequences, controls or invisible characters.

    Line ends become `\\n`; zero-width joiners between emoji are kept, they are part of the sign.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _is_plain(text):
        return text
    text = _SEQUENCES().sub("", text)
    text = _CONTROLS().sub("", text)
    if "\u200d" in text:
        text = "".join(_without_loose_joiners(text))
    text = _INVISIBLE_BUT_JOINERS().sub("", text)
    return _SURROGATES().sub("\ufffd", text)


def _is_plain(text: str) -> bool:
    """Whether there is nothing to take care of, which is seen sooner than the patterns are compiled."""
    return text.replace("\n", "").replace("\t", "").isprintable()


def _without_loose_joiners(text: str) -> Iterator[str]:
    for position, character in enumerate(text):
        around = text[position - 1 : position] + text[position + 1 : position + 2]
        if character != "\u200d" or (len(around) == 2 and all(map(_may_join, around))):
            yield character


def _may_join(character: str) -> bool:
    return "\u2190" <= character <= "\U0001faff" and character != "\u200d"


def hidden_characters(text: str) -> list[str]:
    """The names, as `U+XXXX`, of the control and invisible characters in `text`, each once."""
    if _is_plain(text.replace("\r\n", "\n")):
        return []
    found = {*_CONTROLS().findall(text.replace("\r\n", "\n")), *_INVISIBLE().findall(text)}
    return sorted(f"U+{ord(character):04X}" for character in found)


def _caret(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"^{chr(code + 64)}" if code < 32 else f"\\x{code:02x}"


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _byte(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
