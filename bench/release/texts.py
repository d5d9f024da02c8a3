"""What does a reader of a release note see, free of marks and numbers, and which entries does it have?"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.){1,400})\]\([^()\s]{1,500}\)")
_NUMBER = re.compile(r",?[ \t]*#\d+")
_EMOJI = re.compile("[\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff\u2702-\u27b0\u24c2]+")
_MARK = re.compile(r"^[ \t]*(?:#{1,6}[ ]+|[-*+•][ ]+)?")
_RULE = re.compile(r"^[-=~^|: ]{3,}$")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~@:-])")
_HEADING = re.compile(r"#{1,6}[ ]|.*\n[=~^\"'-]{3,}[ \t]*$")
_BULLET = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?=\S)")
_ROLE = re.compile(r":[\w:.-]{2,30}:`(?:[^`<]{0,200}<)?([^`>]{0,200})>?`")
_RST_LINK = re.compile(r"`([^`<]{1,200}?)[ \t]*<[^`>]{1,400}>`_{1,2}")
_URL = re.compile(r"https?://\S+")
_REFERENCE = re.compile(r"(?:#|:(?:pr|issue|ghsa):`|/(?:pull|issues)/)(\d{1,7})\b")
_TAIL = re.compile(r"[ \t]*[(\[][\s,;.]*[)\]]")


def shown_text(note: str) -> str:
    """The text of a Markdown or plain note without empty lines, cleaned as ReleaseEval's references are.

    They are the text of a page: no marks of headings, lists and links, the cells of a table each on a
    line. Its `clean/clean_rn.py` then took out emoji and the numbers of issues (`#12`, with a comma
    before it), so that `(#12)` is `()` in them.
    """
    lines: list[str] = []
    for line in note.split("\n"):
        if _RULE.match(line):
            continue
        cells = line.strip().strip("|").split(" | ") if line.startswith("| ") else [line]
        lines.extend(_NUMBER.sub("", _plain(cell)).strip() for cell in cells)
    return "\n".join(line for line in lines if line)


def _plain(line: str) -> str:
    line = _LINK.sub(r"\1", _MARK.sub("", line))
    line = line.replace("**", "").replace("`", "").replace("&lt;", "<").replace("&amp;", "&")
    return _EMOJI.sub("", _ESCAPE.sub(r"\1", line)).strip()


@dataclass(frozen=True, slots=True)
class Item:
    """One entry, or a heading or sentence, of a note."""

    text: str
    """On one line, without marks, roles, addresses and numbers of issues."""
    numbers: frozenset[str] = frozenset()
    """The issues and pull requests that it leads to."""
    is_entry: bool = True


def read_items(note: str) -> list[Item]:
    """The headings, sentences and entries of a Markdown, reStructuredText or plain note, in order.

    Both sides of a comparison go through this.
    """
    blocks: list[list[str]] = []
    is_open = False
    for line in note.replace("\r\n", "\n").split("\n"):
        if _RULE.match(line) or not line.strip():
            is_open = False
        elif is_open and not _BULLET.match(line) and not line.startswith("#"):
            blocks[-1].append(line)
        else:
            blocks.append([line])
            is_open = not line.startswith("#")
    items = (_item(block) for block in blocks)
    return [item for item in items if item.text]


def _item(lines: list[str]) -> Item:
    raw = " ".join(line.strip() for line in lines)
    text = _RST_LINK.sub(r"\1", _ROLE.sub(r"\1", raw))
    text = _URL.sub("", _plain(text))
    for _ in range(3):
        text = _TAIL.sub("", _NUMBER.sub("", text))
    text = " ".join(text.split()).rstrip(" ,;:")
    return Item(text, frozenset(_REFERENCE.findall(raw)), _BULLET.match(lines[0]) is not None)
