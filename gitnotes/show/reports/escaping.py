"""How does other people's text go into a report without becoming a part of its language?

Escape sequences, invisible characters and bytes that are no text are made visible everywhere.
"""

from __future__ import annotations

from typing import Any

from gitnotes.guard.patterns import late
from gitnotes.guard.text import show

# Build servers obey `##[...]`, `##vso[...]` and `##teamcity[...]` anywhere in a line.
_COMMAND = late(r"##(?=[a-z]{0,20}\[)")
# Everything that Markdown or HTML could take for more than a letter, mentions and links included.
_MARKDOWN = late(r"[\\`*_{}\[\]<>()#+!|&~@:$^=\"'/-]")
# XML 1.0 has no way at all to write these.
_NO_XML = late("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\ufdd0-\ufdef]")
_LONGEST = 4000
"""Characters of a text in a report; a subject of a megabyte is nobody's to read."""


def plain(text: str) -> str:
    """On one line, for a terminal or the log of a build server."""
    text = show(_cut(text))
    return _COMMAND().sub("# #", text) if "##" in text else text


def as_json(content: Any, indent: int | None = None) -> str:
    """JSON in ASCII that the log of a build server does not obey either; it reads back as `content`."""
    import json  # 4 ms that a text does not pay

    return json.dumps(content, indent=indent).replace("##", "#\\u0023")


def xml(text: str) -> str:
    """For content and attributes of XML, in ASCII, so that no encoding can go wrong."""
    text = _NO_XML().sub("\ufffd", show(_cut(text)))
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(character, entity)
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii").replace("##", "#&#35;")


def markdown(text: str) -> str:
    """For a cell of a table: every sign that has a meaning as its character reference."""
    return _MARKDOWN().sub(lambda match: f"&#{ord(match.group())};", show(_cut(text)))


def github_data(text: str) -> str:
    """For what follows `::` in a workflow command of GitHub."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def github_property(text: str) -> str:
    """For the value of a property of a workflow command of GitHub."""
    return github_data(text).replace(":", "%3A").replace(",", "%2C")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
