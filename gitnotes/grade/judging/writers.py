"""Did the judge write the text itself? Language models prefer what they have written."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gitnotes.messages import trailer_start

_CREDITS = re.compile(
    r"(?i:co-authored-by|assisted-by|generated-by|generated-with|written-by|drafted-by|co-developed-by)"
    r"[ \t]*:[ \t]*(.{1,300})"
)
_SHORTEST = 3
"""Characters of a name below which it is found in anything."""


def credited_writers(message: str) -> list[str]:
    """Whom the trailers of a message credit with writing it, as they stand there."""
    lines = message.split("\n")
    found = (_CREDITS.match(line) for line in lines[trailer_start(lines) :])
    return [match[1] for match in found if match]


def wrote_it_itself(models: Iterable[str], writers: Iterable[str]) -> str:
    """The one of the `models` that is named by one of the `writers`; empty when none is.

    A name is compared without the folder, the owner and the ending of its file.
    """
    told = [writer.casefold() for writer in writers if writer]
    for model in models:
        name = re.sub(r"\.gguf$", "", re.split(r"[/\\]", model.strip().casefold())[-1])
        if len(name) < _SHORTEST:
            continue
        whole = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])(?!\.\w)")
        if any(whole.search(writer) for writer in told):
            return model
    return ""
