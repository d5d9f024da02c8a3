"""How is text from elsewhere put before a language model without speaking to it?

Between two lines that nobody can guess, without invisible characters, and without the tokens by
which chat templates tell who speaks.
"""

from __future__ import annotations

import re

from gitnotes.guard.text import clean

_TEMPLATE_TOKEN = re.compile(
    r"<\|[^|<>\n]{0,60}\|>|</?s>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>|<｜[^｜<>\n]{0,60}｜>"
)
_HARMLESS = str.maketrans("<>[]|｜", "()()  ")


def tame(text: str) -> str:
    """`text` without escape sequences, controls, invisible characters and tokens of chat templates."""
    return _TEMPLATE_TOKEN.sub(lambda match: match.group().translate(_HARMLESS), clean(text))


def fence(boundary: str, name: str, text: str) -> str:
    """A block of data called `name`, tamed; a line of `text` that holds the boundary loses it."""
    return f"[{boundary} {name}]\n{tame(text).replace(boundary, '')}\n[{boundary} end]"
