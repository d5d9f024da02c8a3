"""Which entries does a written release note have, and under which headings do they stand?

Reads Markdown, reStructuredText and plain text alike: the notes of people and of other tools as well as ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gitnotes.guard.patterns import late
from gitnotes.note_languages import category_of_foreign

HEADINGS: tuple[tuple[str, str], ...] = (
    ("Breaking", "breaking|breaking changes|backwards incompatible changes|incompatible changes"),
    ("Features", "added|features|new features|new|enhancements|feat|feature"),
    ("Features", "feature enhancements|minor enhancements|major enhancements"),
    ("Fixes", "fixed|fixes|bug fixes|bugfixes|bugs fixed|fix|bug fix"),
    ("Performance", "performance|performance improvements|perf"),
    ("Security", "security"),
    ("Deprecations", "deprecated|deprecations"),
    ("Changes", "changed|changes|improvements|miscellaneous"),
    ("Reverted", "reverted|reverts"),
    ("Documentation", "documentation|docs"),
    ("Dependencies", "dependencies|dependency updates"),
    (
        "Internal",
        "internal|maintenance|other|chores|under the hood|development|development fixes|internal changes",
    ),
)
"""Kind of change to the headings under which projects list it, in small letters."""
_CATEGORY_OF = {name: category for category, names in HEADINGS for name in names.split("|")}

_ATX = late(r" {0,3}#{1,6}[ \t]+(?=\S)")
_UNDERLINE = late(r"([=~^\"'`+#*:.-])\1{2,}[ \t]*$")
_BULLET = late(r"([ \t]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+(?=\S)")
_FENCE = late(r"[ ]{0,3}(```|~~~)")
_DEFINITION = late(r"[ ]{0,3}\[[^\]]{1,100}\]:[ \t]*\S|\.\. ")
_ROW = late(r"\|(?!\s*:?-{2,})(.{1,4000})\|\s*$")
_LINK = late(r"\[((?:[^\[\]\\]|\\.){1,400})\]\(([^()\s]{1,500})\)")
_RST_LINK = late(r"`([^`<]{1,300}?)[ \t]*<[^`>]{1,400}>`_{1,2}")
_ROLE = late(r":[a-z][\w:.-]{1,30}:`([^`]{0,200})`")
_URL = late(r"https?://[^\s)>\]]{1,500}")
_NUMBER = late(
    r"(?<![\w&/#])[#!](\d{1,9})\b|(?:/(?:pull|issues|merge_requests|pulls|pull-requests)/)(\d{1,9})\b"
    r"|:(?:pr|pull|issue|gh|ghissue|ghpull):`#?(\d{1,9})`"
)
_SHA = late(r"(?<![\w#./-])[0-9a-f]{7,64}(?![\w-])|(?<=/commit/)[0-9a-f]{7,64}")
_ESCAPE = late(r"\\([\\`*_{}\[\]()#+.!|<>~@:=-])")
_SHORTCODE = late(r"(?:^| ):[a-z0-9_+-]{2,30}:(?= |$)")
_TAIL = late(r" ?[(\[][ ,;.]{0,100}[)\]]")
_MARKS = late(r"\*\*|`+")
_LONGEST = 4000
_MOST_LINES = 100_000


@dataclass(frozen=True, slots=True)
class NoteItem:
    """One entry of a note: an item of a list, a row of a table, or a paragraph."""

    text: str
    """On one line, without marks, addresses, numbers of issues and ids of commits."""
    raw: tuple[str, ...]
    """Its lines as they stand."""
    line: int
    """1-based line of the note."""
    heading: str = ""
    """The nearest heading above it, without marks; empty when there is none but the version's."""
    depth: int = 0
    """How many items it is inside of."""
    numbers: frozenset[str] = frozenset()
    """Issues and pull requests that it names, such as `12`."""
    commits: frozenset[str] = frozenset()
    """Ids of commits, or their beginnings of seven and more characters."""
    is_entry: bool = True
    """False for a paragraph."""


def category_of_heading(heading: str) -> str:
    """The kind of change that stands under a heading such as `### 🐛 Bug Fixes`; empty when unknown."""
    plain = re.sub(r"[^a-z ]", "", heading[:200].lower()).strip()
    return _CATEGORY_OF.get(plain, "") or category_of_foreign(heading)


def is_english_heading(heading: str) -> bool:
    """Whether English projects have this heading, whatever other languages do."""
    return re.sub(r"[^a-z ]", "", heading[:200].lower()).strip() in _CATEGORY_OF


def read_items(note: str) -> tuple[NoteItem, ...]:
    """The entries and paragraphs of a note in order; its first heading is that of the version.

    Code blocks, comments, link definitions and directives are no entries. Linear in the length.
    """
    reader = _Reader()
    lines = [line[:_LONGEST] for line in note.replace("\r\n", "\n").split("\n")[:_MOST_LINES]]
    skip = False
    fence = ""
    for at, line in enumerate(lines):
        if skip:
            skip = False
            continue
        if match := _FENCE().match(line):
            fence = "" if fence == match[1] else fence or match[1]
            reader.go_on(line)
        elif fence:
            reader.go_on(line)
        elif atx := _ATX().match(line):
            reader.head(line[atx.end() :].rstrip(" \t#"))
        elif _UNDERLINE().match(line):
            reader.close()  # a rule, or the line above a heading
        elif _is_underlined(lines, at):
            reader.head(line.strip())
            skip = True
        else:
            reader.take(line, at + 1)
    reader.close()
    return tuple(reader.items)


def _is_underlined(lines: list[str], at: int) -> bool:
    line = lines[at].rstrip()
    if not line or line[0].isspace() or at + 1 >= len(lines) or _BULLET().match(line):
        return False
    under = lines[at + 1].rstrip()
    return _UNDERLINE().match(under) is not None and 2 * len(under) >= len(line)


class _Reader:
    """Collects the lines of one entry after the other."""

    def __init__(self) -> None:
        self.items: list[NoteItem] = []
        self._heading = ""
        self._heads = 0
        self._lines: list[str] = []
        self._start = 0
        self._indents: list[int] = []
        self._is_entry = False
        self._after_blank = False

    def head(self, title: str) -> None:
        self.close()
        self._indents = []
        self._heads += 1
        if self._heads > 1:
            self._heading = plain_text(title)

    def go_on(self, line: str) -> None:
        """A line that belongs to whatever is open."""
        if self._lines:
            self._lines.append(line)

    def take(self, line: str, number: int) -> None:
        if not line.strip():
            self._after_blank = True
            if not self._is_entry:
                self.close()
            return
        bullet = _BULLET().match(line)
        row = _ROW().match(line)
        if bullet or row:
            self.close()
            indent = len((bullet[1] if bullet else "").expandtabs(4))
            while self._indents and self._indents[-1] >= indent:
                self._indents.pop()
            self._indents.append(indent)
            self._open(line, number, True)
        elif self._lines and (line[0].isspace() or not self._after_blank):
            self._lines.append(line)
        elif not _DEFINITION().match(line) and not line.startswith(("<!--", "|")):
            self.close()
            self._indents = []
            self._open(line, number, False)
        else:
            self.close()
        self._after_blank = False

    def _open(self, line: str, number: int, is_entry: bool) -> None:
        self._lines, self._start, self._is_entry = [line], number, is_entry

    def close(self) -> None:
        lines, self._lines = self._lines, []
        if not lines:
            return
        whole = " ".join(line.strip() for line in lines)[:_LONGEST]
        bullet = _BULLET().match(lines[0])
        if bullet:
            whole = whole[bullet.end() - len(bullet[1]) :]
        elif row := _ROW().match(lines[0]):
            whole = row[1].strip()
        text = plain_text(whole)
        if not text and not _NUMBER().search(whole):
            return
        self.items.append(
            NoteItem(
                text=text,
                raw=tuple(lines),
                line=self._start,
                heading=self._heading,
                depth=max(len(self._indents) - 1, 0) if self._is_entry else 0,
                numbers=frozenset(number for found in _NUMBER().findall(whole) for number in found if number),
                commits=frozenset(sha for sha in _SHA().findall(whole) if not sha.isdigit()),
                is_entry=self._is_entry,
            )
        )


def plain_text(marked: str) -> str:
    """A line of Markdown or reStructuredText as a reader sees it, without references and addresses."""
    text = " ".join(marked[:_LONGEST].split())
    text = _LINK().sub(r"\1", _RST_LINK().sub(r"\1", text))
    text = _URL().sub("", _NUMBER().sub("", text))
    text = _ROLE().sub(r"\1", text)
    text = _MARKS().sub("", _SHORTCODE().sub("", text))
    text = _ESCAPE().sub(r"\1", text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    text = _SHA().sub(lambda found: found.group() if found.group().isdigit() else "", text)
    for _ in range(3):
        text = _TAIL().sub("", text)
    return " ".join(text.split()).strip(" ,;:")
