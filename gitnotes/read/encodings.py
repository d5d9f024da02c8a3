"""Which encoding does a text have: the one that is named, or the one that its byte order mark names?"""

from __future__ import annotations

import codecs

from gitnotes.errors import InputError, UsageError
from gitnotes.guard.text import show

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MARKED = {
    "utf-8": (codecs.BOM_UTF8, "utf-8-sig"),
    "utf-16-le": (codecs.BOM_UTF16_LE, "utf-16"),
    "utf-16-be": (codecs.BOM_UTF16_BE, "utf-16"),
    "utf-32-le": (codecs.BOM_UTF32_LE, "utf-32"),
    "utf-32-be": (codecs.BOM_UTF32_BE, "utf-32"),
}
"""The mark that agrees with an encoding, and the encoding that takes it off."""

_NO_TEXT = ("idna", "punycode", "undefined")
"""What Python calls encodings but cannot read a file with."""


def check_encoding(name: str | None) -> None:
    """Raises UsageError when there is no text encoding called `name`."""
    if name is None:
        return
    try:
        if codecs.lookup(name).name in _NO_TEXT:
            raise LookupError
        "".encode(name)
    except (LookupError, ValueError) as problem:
        raise UsageError(
            f"There is no encoding '{show(name)[:60]}'.", "Common ones are utf-8, cp1252, latin-1, utf-16."
        ) from problem


def choose_encoding(named: str | None, head: bytes, source: str) -> str:
    """The encoding to read a text with that begins with `head`, so that no mark is left in it.

    Raises InputError when the named one needs a byte order mark and `head` has none.
    """
    if named is None:
        return next((name for mark, name in _BOMS if head.startswith(mark)), "utf-8")
    chosen = codecs.lookup(named).name
    mark, without = _MARKED.get(chosen, (b"", chosen))
    if mark and head.startswith(mark):
        return without
    if head and chosen in ("utf-16", "utf-32"):
        marks = [mark for mark, name in _BOMS if name == chosen]
        if not head.startswith(tuple(marks)):
            raise InputError(
                f"{source} has no byte order mark, which {chosen} needs.",
                f"Say --encoding {chosen}-le or {chosen}-be, or leave it out.",
            )
    return chosen
