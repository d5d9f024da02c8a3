"""How is a regular expression that many runs never need compiled only when it is?

Compiling the long alternations of the graders costs more than everything else that a hook does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache


def late(pattern: str, flags: int = 0) -> Callable[[], re.Pattern[str]]:
    """A function that gives the compiled `pattern`; the first call compiles it."""
    return cache(lambda: re.compile(pattern, flags))


def late_words(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """A function that searches a text for `pattern`, all in lower case, whatever the case of the text.

    The match tells where and not what: it may be of the text in lower case. Folding every letter as
    it is met takes three times as long, so only text beyond ASCII is searched so.
    """
    plain, folding = late(pattern), late(pattern, re.IGNORECASE)

    def search(text: str) -> re.Match[str] | None:
        return plain().search(text.lower()) if text.isascii() else folding().search(text)

    return search
