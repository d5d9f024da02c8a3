"""Where does a changelog announce its versions, and what belongs to each of them?

One pass of one pattern finds the few lines that may matter, so that a file of many megabytes takes
a fraction of a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gitnotes.versioning import Version, is_unreleased, kind_of_plain_heading, version_in_heading

_CANDIDATE = re.compile(
    r"\n(?:#{1,6}[ \t]|###|===|---|~~~|\^\^\^|\"\"\"|'''|\+\+\+|\*\*|__|```|<!--"
    r"|[ ]{1,3}(?:```|~~~|<!--)|\[?[vV]?\d"
    r"|[A-Za-z][\w.+-]{0,40}[ ](?:(?:changes|in|version|release)[ ]){0,3}\[?[vV]?\d)"
)
_ATX = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_UNDERLINE = re.compile(r"([=\-~^\"'+#*])\1{2,}[ \t]*")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})(.*)", re.DOTALL)
_LIST = re.compile(r"(?:[-*+•]|\d{1,9}[.)])[ \t]")
_DEFINITION = re.compile(r"[ ]{0,3}\[[^\]]+\]:[ \t]*\S|\.\. _[^:]+:[ \t]*\S")
_ANCHOR = re.compile(
    r"[ ]{0,3}(?:<a\s[^<>]{1,200}>(?:\s*</a>)?\s*|<a\s[^<>]{1,200}/>\s*|\.\. _[^:]{1,200}:\s*)"
)
_BETWEEN = re.compile(r"[ ]{0,3}(?:<!--.*-->|(?:-[ ]?){3,}|(?:\*[ ]?){3,}|(?:_[ ]?){3,})[ \t\r]*")
_DIGIT = re.compile(r"\d")
_LONGEST_HEADING = 1000
_LONGEST_PREAMBLE = 50_000
_LONGEST_LINE = 2000
"""A longer line is neither a definition nor an anchor."""
_LEVELS = {"#": 1, "##": 2, "###": 3, "####": 4, "#####": 5, "######": 6, "=": 1, "-": 2}
_PLAIN = ("bold", "bare")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the changelog that is about one version; offsets are characters."""

    lead: int
    """Where what stands directly above the heading and belongs to it begins: an anchor."""
    start: int
    end: int
    """After the last character that is surely its own: not the anchor or rule of what follows."""
    version: Version | None
    """None for what is not released yet."""
    mark: str
    """Its `#` signs, the sign that underlines it, `bold` or `bare`."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The sections of a changelog in the order of the file, and where something is never closed."""

    sections: tuple[Section, ...]
    tail: int
    """Where the link definitions at the bottom begin."""
    unclosed: int | None
    """Where a code block or comment begins that hides the rest."""


Heading = tuple[int, str, str, Version | None, bool]
"""Offset, mark, title, the version in it, and whether it announces that or what is unreleased."""


def read_outline(text: str) -> Outline:
    """The outline of a changelog whose lines end in `\\n` or `\\r\\n`, in linear time."""
    headings: list[Heading] = []
    plain: list[Heading] = []
    unclosed: int | None = None
    hidden_until = front_matter_end(text)
    fence = ""
    for match in _CANDIDATE.finditer("\n" + text):
        start = match.start()
        if start < hidden_until:
            continue
        line = line_at(text, start)
        if found := _FENCE.match(line):
            if not fence:
                # Backticks after the opening ones are code in a line.
                if found[1][0] == "~" or "`" not in found[2]:
                    fence, unclosed = found[1], start
                    continue
            elif found[1].startswith(fence) and not found[2].strip():
                fence, unclosed = "", None
                continue
        if fence:
            continue
        if line.lstrip().startswith("<!--"):
            close = text.find("-->", start)
            if close < 0:
                unclosed = start
                break
            hidden_until = close
        elif len(line) > _LONGEST_HEADING:
            continue
        elif atx := _ATX.match(line):
            headings.append(_heading(start, atx[1], line[atx.end() :]))
        elif underlined := _underlined(text, start, line):
            if not headings or headings[-1][0] < underlined[0]:
                headings.append(underlined)
        elif (kind := kind_of_plain_heading(line)) and (kind == "bold" or _has_body(text, start + len(line))):
            plain.append(_heading(start, kind, line.strip().strip("*_")))
    tail = _tail(text)
    if not any(announces for *_, announces in headings):
        headings = sorted([*headings, *plain], key=lambda heading: heading[0])
    return Outline(tuple(_cut(text, headings, tail)), tail, unclosed)


def line_at(text: str, start: int) -> str:
    """The line of `text` that begins at `start`, without its end."""
    end = text.find("\n", start)
    return text[start : end if end >= 0 else len(text)].removesuffix("\r")


def front_matter_end(text: str) -> int:
    """The offset after the YAML between two rules at the top; 0 when there is none."""
    if not text.startswith(("---\n", "---\r\n")):
        return 0
    match = re.compile(r"\n---[ \t]*\r?(?:\n|\Z)").search(text, 3, 20_000)
    return match.end() if match else 0


def below_preamble(text: str, tail: int) -> int:
    """The offset below the title and the prose after it: where the newest version goes in a file
    that shows no other."""
    is_cut = tail > _LONGEST_PREAMBLE
    text, tail = text[:_LONGEST_PREAMBLE], min(tail, _LONGEST_PREAMBLE)
    at = _skip_extras(text, front_matter_end(text))
    after_title = _title_end(text, at)
    if after_title == at:
        return at
    ends: list[int] = []
    at = _skip_extras(text, after_title)
    while at < tail and (after := _prose_end(text, at)) > at:
        at = _skip_extras(text, after)
        ends.append(at)
    # Prose to the very end is the history itself when there is much of it.
    if at >= tail and (is_cut or len(ends) > 3):
        return ends[0] if ends and ends[0] < tail else after_title
    return min(at, tail)


def ends_clearly(text: str, section: Section, tail: int) -> bool:
    """Whether the only section of a file holds nothing that may be older than it.

    Without a heading below it, what the file said before stands in it. A note is prose and lists
    under headings: two lists in a row, or prose after a list, are more than one note.
    """
    if text[section.end : tail].strip():
        return True
    after_list = False
    for block in re.split(r"\n[ \t\r]*\n", text[section.start : section.end]):
        first = block.lstrip("\r\n")
        lines = first.split("\n", 2)
        if _ATX.match(first) or (len(lines) > 1 and _UNDERLINE.fullmatch(lines[1].rstrip())):
            after_list = False
            # A list may follow its heading without a blank line.
            after_list = len(lines) > 1 and any(_LIST.match(line) for line in lines[1:])
        elif _LIST.match(first.lstrip()):
            # Only reStructuredText has a list inside a list between blank lines.
            if after_list and not (first[0].isspace() and section.mark[0] not in "#b"):
                return False
            after_list = True
        elif first.strip() and after_list and not first.startswith("Full changelog"):
            return False
    return True


def _underlined(text: str, start: int, line: str) -> Heading | None:
    """The heading that the line at `start` underlines; None when it is a rule or a separator."""
    under = _UNDERLINE.fullmatch(line)
    if under is None or start == 0:
        return None
    title_start = text.rfind("\n", max(0, start - 1 - _LONGEST_HEADING), start - 1) + 1
    title = text[title_start : start - 1].rstrip()
    if (
        not title
        or title[0].isspace()
        or title[0] == "#"
        or _UNDERLINE.fullmatch(title)
        or _LIST.match(title)
    ):
        return None
    # A longer line over a short rule is a paragraph and a separator.
    if 2 * len(line.rstrip()) < len(title):
        return None
    above = text.rfind("\n", 0, max(title_start - 1, 0)) + 1
    if title_start and text[above : title_start - 1].rstrip() == line.rstrip():
        title_start = above
    return _heading(title_start, under[1], title)


def _has_body(text: str, at: int) -> bool:
    """Whether the next line with something in it is indented, or an item of a list."""
    match = re.compile(r"\s*\n").match(text, at, at + _LONGEST_LINE)
    if match is None:
        return False
    line = line_at(text, match.end())
    return bool(line.strip()) and (line[0].isspace() or _LIST.match(line) is not None)


def _heading(start: int, mark: str, title: str) -> Heading:
    version = version_in_heading(title) if _DIGIT.search(title) else None
    return start, mark, title, version, version is not None or is_unreleased(title)


def _cut(text: str, headings: list[Heading], tail: int) -> Iterator[Section]:
    # A version is announced at the level of the first one; deeper ones belong to its own text.
    top = next((mark for _, mark, *_, announces in headings if announces), "")
    opened: tuple[int, str, Version | None] | None = None
    for start, mark, _, version, is_one in [*headings, (tail, "", "", None, False)]:
        announces = is_one and is_same_kind(mark, top)
        if opened is not None and (announces or start == tail or _closes(mark, opened[1])):
            end = _own_end(text, opened[0], start)
            yield Section(_lead(text, opened[0]), opened[0], end, opened[2], opened[1])
            opened = None
        if announces:
            opened = (start, mark, version)


def is_same_kind(mark: str, top: str) -> bool:
    """Whether a heading with `mark` is of the kind that announces versions, as `top` does; `#` and `##`
    are mixed by some tools."""
    if mark[:1] == "#" and top[:1] == "#":
        return len(mark) <= max(len(top), 2)
    return mark == top


def _closes(mark: str, opened: str) -> bool:
    if opened in _PLAIN:
        return mark in ("#", "##", "=", opened)
    if mark in _LEVELS and opened in _LEVELS:
        return _LEVELS[mark] <= _LEVELS[opened]
    return mark == opened


def _own_end(text: str, start: int, limit: int) -> int:
    """After the last line of a section that does not rather belong to the next heading or to all."""
    end = limit
    while True:
        end = _strip_end(text, start, end)
        line_start = text.rfind("\n", start, end) + 1
        line = text[line_start:end]
        if line_start <= start or len(line) > _LONGEST_LINE:
            return end
        if not (_ANCHOR.fullmatch(line) or _BETWEEN.fullmatch(line) or _DEFINITION.match(line)):
            return end
        end = line_start


def _strip_end(text: str, start: int, end: int) -> int:
    """`end` moved back over white space, in steps: a file may end in a million blank lines."""
    while end > start:
        piece = text[max(start, end - 4096) : end]
        kept = len(piece.rstrip())
        if kept:
            return end - len(piece) + kept
        end -= len(piece)
    return end


def _lead(text: str, start: int) -> int:
    """Where the anchors directly above the heading at `start` begin."""
    lead = start
    while lead:
        end = _strip_end(text, 0, lead)
        line_start = text.rfind("\n", max(0, end - _LONGEST_LINE), end) + 1
        if not _ANCHOR.fullmatch(text[line_start:end]):
            break
        lead = line_start
    return lead


def _tail(text: str) -> int:
    """Where the link definitions that end the file begin; its length when there are none."""
    tail, end = len(text), _strip_end(text, 0, len(text))
    while end:
        start = text.rfind("\n", max(0, end - _LONGEST_LINE), end) + 1
        if not _DEFINITION.match(text[start:end]):
            break
        tail = start
        end = _strip_end(text, 0, start)
    return tail


def _skip_extras(text: str, at: int) -> int:
    """Past blank lines, comments, anchors, pictures, and the directives of reStructuredText."""
    in_directive = False
    while at < len(text):
        line = line_at(text, at)
        if line.startswith((".. ", ":")) and not _DEFINITION.match(line[:_LONGEST_LINE]):
            in_directive = True
        elif line.startswith("<!--"):
            close = text.find("-->", at)
            at = close if close >= 0 else at
            if close < 0:
                return at
            line = line_at(text, at)
        elif not (not line.strip() or line.startswith(("<", "[!")) or (in_directive and line[0].isspace())):
            return at
        at = _next_line(text, at)
    return at


def _next_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end + 1 if end >= 0 else len(text)


def _title_end(text: str, at: int) -> int:
    """After the title that begins at `at`, or `at` when there is none."""
    lines, ends = [], []
    end = at
    for _ in range(3):
        lines.append(line_at(text, end).rstrip()[:_LONGEST_HEADING])
        end = _next_line(text, end)
        ends.append(end)
    first, second, third = lines
    if atx := _ATX.match(first):
        is_only = atx[1] == "#" or f"\n{atx[1]} " not in text[at:]
        return ends[0] if is_only else at
    if _UNDERLINE.fullmatch(first) and first == third:
        return ends[2]
    if not first or first[0].isspace() or _LIST.match(first):
        return at
    if _UNDERLINE.fullmatch(second):
        return ends[1]
    is_short = len(first) <= 60 and not re.search(r"\d", first)
    return ends[0] if is_short and not second and kind_of_plain_heading(first) == "" else at


def _prose_end(text: str, at: int) -> int:
    """After the paragraph at `at`; `at` when it is a heading, a list, code, or a dated line."""
    end = at
    while end < len(text):
        line = line_at(text, end)[:_LONGEST_HEADING]
        if not line.strip():
            break
        if (
            (line[0].isspace() and end == at)
            or line[0].isdigit()
            or line.startswith(("**", "__"))
            or any(pattern.match(line) for pattern in (_ATX, _LIST, _FENCE))
            or _UNDERLINE.fullmatch(line)
        ):
            return at
        end = _next_line(text, end)
    return end
