"""Which words is an identifier made of?"""

from __future__ import annotations

import re

_PARTS = re.compile(r"IPv\d|[A-Z]{2,}(?![a-z])\d*|[A-Z]?[a-z]+\d*|[A-Z]\d*|\d+|[^\W\d_A-Za-z]+")


def split_identifier(name: str) -> list[str]:
    """The words of `name` in their own case, digits with the word before: `parseHTTPHeader2` ->
    `parse`, `HTTP`, `Header2`; `utf8_name` -> `utf8`, `name`."""
    return _PARTS.findall(name)
