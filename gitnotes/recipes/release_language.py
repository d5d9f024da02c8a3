"""Which languages can a note be asked for in, and what is a model told of it?"""

from __future__ import annotations

from gitnotes.guard.text import shorten
from gitnotes.note_languages import find_language, languages


def why_not_spoken(language: str) -> tuple[str, ...]:
    """A sentence where there are no headings in a language that was asked for."""
    if not language or find_language(language) is not None:
        return ()
    known = ", ".join(languages())
    return (f"There are no headings in the language '{shorten(language)}', only in: {known}.",)


def reply_language(language: str) -> str:
    """The name of the language that a model is asked to write in; empty where none was asked for."""
    found = find_language(language) if language else None
    return found.names[0].capitalize() if found else shorten(language)
