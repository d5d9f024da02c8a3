"""How do a project's own release notes look, so that the next one looks the same?"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Literal, cast

from gitnotes.draft.notes.categories import Category, category_of_words
from gitnotes.draft.notes.note_order import learn_sequence
from gitnotes.draft.notes.presets import LABELS, MONTHS, PRESETS, NoteStyle
from gitnotes.note_items import category_of_heading, is_english_heading
from gitnotes.note_languages import NoteLanguage, fitting_headings, language_of
from gitnotes.versioning import Version, is_unreleased, kind_of_plain_heading, version_in_heading

_LONG, _SHORT = "|".join(MONTHS), "|".join(month[:3] for month in MONTHS)
_DATES: tuple[tuple[str, str], ...] = (
    (r"\d{4}-\d{2}-\d{2}", "%Y-%m-%d"),
    (r"\d{4}/\d{2}/\d{2}", "%Y/%m/%d"),
    (r"\d{4}\.\d{2}\.\d{2}", "%Y.%m.%d"),
    (r"\d{2}\.\d{2}\.\d{4}", "%d.%m.%Y"),
    (rf"(?:{_LONG}) \d{{1,2}}, \d{{4}}", "%B %d, %Y"),
    (rf"\d{{1,2}} (?:{_LONG}) \d{{4}}", "%d %B %Y"),
    (rf"(?:{_SHORT}) \d{{1,2}}, \d{{4}}", "%b %d, %Y"),
)
_KEEP_A_CHANGELOG: dict[Category, str] = {
    "Features": "Added",
    "Fixes": "Fixed",
    "Changes": "Changed",
    "Deprecations": "Deprecated",
    "Security": "Security",
    "Performance": "Changed",
    "Reverted": "Changed",
}
_ATX = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t#]*$")
_UNDERLINE = re.compile(r"([=~^\"'`+#*-])\1{2,}[ \t]*$")
_BULLET = re.compile(r"([-*+•])([ ]+)(?=\S)")
_SHIFTED = re.compile(r"([ ]{0,3})[-*+•][ ]+(?=\S)")
_INDENTED = re.compile(r"[ \t]{0,8}(?:[-*+•])[ ]+(?=\S)")
_REFERENCES = re.compile(r"(?:[ ]*(?::\w+:`[^`]{1,40}`|\(?\[?#\d{1,9}\]?(?:\([^()\s]{1,200}\))?\)?),?)+$")
_LABELLED = re.compile(r"[ ]{0,3}[-*+][ ]+\[([A-Z][A-Z/ ]{2,20})\] ")
_SCOPE = re.compile(r"\*\*[^*\n]{1,80}\*\*:?[ ]+")
_COMMIT = re.compile(r"\(\[?[0-9a-f]{7,40}\]?(?:\([^()\s]{1,300}\))?\)")
_PEOPLE = re.compile(r"\b(?:contributors?|thanks|credits|acknowledge?ments)\b", re.I)
_RST_SIGN = re.compile(r":(?:pr|issue):`|(?<!`)``(?!`)|\n\.\. ")
_LESSER = re.compile(r"\*\*(?P<bold>[^*]{2,60}?):?\*\*:?|(?P<plain>[A-Z][^:*`]{2,60}):")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_QUIET: dict[Category, str] = {
    "Documentation": r"\bdoc",
    "Dependencies": r"\bdep(?:s|end)",
    "Internal": r"\b(?:intern|develop|mainten|chore|under the hood)",
}
"""What concerns users least, and what a heading for it says."""
_ENOUGH_BULLETS = 12
_RECENT_BULLETS = 60
_ENOUGH_NUMBERS = 5
_RARE = 0.08
"""The share of the items below which a kind of change is an exception."""
_ENOUGH_LINES = 3000
_ENOUGH_CHARACTERS = 400_000
_LONGEST_LINE = 1000
"""Read from the top: old notes say little about how the next one should look."""


def learn_note_style(text: str, name: str = "") -> NoteStyle:
    """The style of the newest notes in a changelog; Keep a Changelog for an empty or a foreign one.

    `name` is that of the file: one that ends in `.rst` takes reStructuredText, one in `.md` Markdown.
    """
    is_rst_file = name.lower().endswith((".rst", ".rest"))
    is_markdown_file = name.lower().endswith((".md", ".markdown"))
    text = text[:_ENOUGH_CHARACTERS].removeprefix("\ufeff").replace("\r\n", "\n")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    lines = [line[:_LONGEST_LINE] for line in text.split("\n", _ENOUGH_LINES)[:_ENOUGH_LINES]]
    headings = [found for found in _headings(lines, is_markdown_file) if not is_unreleased(found[2])]
    versions = [found for found in headings if found[3] is not None] or _plain_headings(lines)
    if not versions:
        return PRESETS["rst" if is_rst_file else "keepachangelog"]
    at, mark, title, version = next(
        (found for found in versions if found[3] and found[3].is_final), versions[0]
    )
    assert version is not None
    is_plain = mark in ("bold", "bare")
    underline = mark if mark[0] != "#" and not is_plain else ""
    body = _recent(lines, at + (2 if underline else 1), [found[0] for found in versions], headings)
    # Underlines alone are Markdown too; roles, literals and directives are not.
    rst = bool(underline) and (is_rst_file or (not is_markdown_file and _RST_SIGN.search(text) is not None))
    heading, date_format = _template(title, version)
    if not underline and not is_plain:
        heading = f"{mark} {heading}"
    date_line = ""
    if "{date}" not in heading:
        first = next((line.strip() for line in body[:4] if line.strip()), "")
        shown, found_format = _date_template(first)
        if found_format and len(first) <= 40 and not _BULLET.match(first):
            date_line, date_format = shown, found_format
    bullets = _bullets(body, is_indented=mark == "bare")
    sections = [
        found for found in headings if found[3] is None and found[0] > at and _is_below(found[1], mark)
    ]
    if not sections and mark != "bare":
        sections = list(_lesser_headings(lines))
        headings = sorted([*headings, *sections])
    labelled = sum(1 for line in body if _LABELLED.match(line))
    layout: Literal["sections", "flat", "labels"] = "flat" if bullets and not sections else "sections"
    if mark == "bare":
        layout = "flat"
    if bullets and labelled * 2 >= len(bullets):
        layout = "labels"
    bullet = Counter(bullets).most_common(1)[0][0] if bullets else "- "
    if mark == "bare" and bullet[0] not in " \t":
        # The lines below a bare version are indented, or it would be no heading.
        bullet = f"  {bullet}" if not bullets else bullet
    titles = [found[2] for found in sections]
    language = language_of(title for title in titles if not is_english_heading(title))
    without = _learn_silence(titles, body) if len(bullets) >= _ENOUGH_BULLETS else ()
    names = _learn_names(titles, language, without)
    return NoteStyle(
        heading=heading,
        without=without,
        markup="rst" if rst else "plain" if mark == "bare" else "markdown",
        underline=underline,
        below=_learn_below([found[1] for found in sections], rst),
        layout=layout,
        names=names,
        sequence=learn_sequence(_orders(lines, headings, versions, layout == "labels")),
        bullet=bullet if len(bullet) <= (9 if mark == "bare" else 5) else "  * " if mark == "bare" else "- ",
        date_line=date_line,
        date_format=date_format or "%Y-%m-%d",
        refs=_learn_refs(body),
        linked=_learn_linked(body),
        pulls=_learn_pulls(body, rst),
        capitals=_learn_capitals(body),
        full_stops=_learn_full_stops(body),
        language=language.code if language else "",
        compare_line="full changelog" in text.lower(),
    )


def _headings(lines: list[str], is_markdown: bool = False) -> Iterator[tuple[int, str, str, Version | None]]:
    """(line, its hashes or underline sign, title, version) of each heading outside code blocks."""
    fence = ""
    is_underline = False
    for at, line in enumerate(lines):
        if is_underline:  # it may look like the start of a code block
            is_underline = False
            continue
        if match := _FENCE.match(line):
            fence = "" if fence == match[1] else fence or match[1]
        if fence:
            continue
        if match := _ATX.match(line):
            yield at, match[1], match[2], version_in_heading(match[2])
        elif at + 1 < len(lines) and line.strip() and line[0].isprintable() and not line[0].isspace():
            under = _UNDERLINE.match(lines[at + 1])
            if under is None or (is_markdown and under[1] not in "=-") or _UNDERLINE.match(line):
                continue
            if len(lines[at + 1].strip()) >= len(line.strip()) // 2:
                is_underline = True
                yield at, under[1], line.strip(), version_in_heading(line)


def _lesser_headings(lines: list[str]) -> Iterator[tuple[int, str, str, Version | None]]:
    """Lines such as `**Bugfixes**` and `Bug fixes:` that stand above lists without being headings."""
    for at, line in enumerate(lines):
        match = _LESSER.fullmatch(line.rstrip())
        if match and category_of_heading(match["bold"] or match["plain"]):
            yield at, "**" if match["bold"] else ":", match["bold"] or match["plain"], None


def _plain_headings(lines: list[str]) -> list[tuple[int, str, str, Version | None]]:
    """Lines that announce versions without being headings to Markdown: all of the kind of the first one."""
    found: list[tuple[int, str, str, Version | None]] = []
    for at, line in enumerate(lines):
        kind = kind_of_plain_heading(line)
        if not kind or (found and found[0][1] != kind):
            continue
        below = next((after for after in lines[at + 1 : at + 20] if after.strip()), "")
        if kind == "bare" and not (below[:1].isspace() or _BULLET.match(below)):
            continue
        if version := version_in_heading(line):
            found.append((at, kind, line.strip(), version))
    return found


def _recent(
    lines: list[str], start: int, versions: list[int], headings: list[tuple[int, str, str, Version | None]]
) -> list[str]:
    """The lines of the newest notes that say how entries look: no link definitions, no lists of people."""
    kept: list[str] = []
    starts, ends = {found[0]: found[2] for found in headings}, set(versions)
    is_about_people = False
    bullets = 0
    for at in range(start, len(lines)):
        if bullets >= _RECENT_BULLETS and at in ends:
            break
        if at in starts:
            is_about_people = _PEOPLE.search(starts[at]) is not None
        if not is_about_people and not lines[at].startswith("["):
            kept.append(lines[at])
            bullets += _SHIFTED.match(lines[at]) is not None
    return kept


def _bullets(lines: list[str], *, is_indented: bool) -> list[str]:
    """The bullets of the outer lists, with the blanks before them."""
    if is_indented:
        return [match.group() for line in lines if (match := _INDENTED.match(line))]
    found: list[str] = []
    outer: int | None = None
    for line in lines:
        match = _SHIFTED.match(line)
        if match and (outer is None or len(match[1]) <= outer):
            outer = len(match[1])
            found.append(match.group())
        elif match is None and line[:1].strip():
            outer = None  # text or a heading: the next list begins anew
    return found


def _orders(
    lines: list[str],
    headings: list[tuple[int, str, str, Version | None]],
    versions: list[tuple[int, str, str, Version | None]],
    labelled: bool,
) -> list[list[Category]]:
    """The kinds of change of each version, in their order: by its headings, or by labels before entries."""
    kinds: list[tuple[int, str]] = [(found[0], category_of_heading(found[2])) for found in headings]
    if labelled:
        category_of = {label: category for category, label in LABELS.items()}
        kinds = [
            (at, category_of.get(match[1], ""))
            for at, line in enumerate(lines)
            if (match := _LABELLED.match(line))
        ]
    starts = [found[0] for found in versions]
    orders: list[list[Category]] = [[] for _ in range(len(starts) + 1)]
    for at, kind in kinds:
        if kind:
            orders[bisect_right(starts, at)].append(cast("Category", kind))
    return orders


def _is_below(mark: str, top: str) -> bool:
    if mark[0] == "#" and top[0] == "#":
        return len(mark) > len(top)
    if top == "bold":
        return len(mark) > 2 and mark[0] == "#"
    return mark != top and mark != "="


def _template(title: str, version: Version) -> tuple[str, str]:
    """The title with places for version and date; words that belong to one release are dropped."""
    linked = f"[{version.name}](" in title or f"[v{version.name}](" in title
    if linked:
        title = re.sub(r"\]\([^)\s]*\)", "]", title, count=1)
    shown, date_format = _date_template(title.replace(version.name, "{version}", 1))
    before, _, after = shown.partition("{version}")
    if not re.fullmatch(r"[\w .\[*_-]{0,30}", before):
        before = ""
    end = after.find("{date}")
    if end >= 0 and re.fullmatch(r"[\]\s()/,:*_–—-]{0,6}|\]? \(?released:? ", after[:end], re.I):
        closing = re.match(r"[\])*_]*", after[end + 6 :])
        after = after[: end + 6] + (closing.group() if closing else "")
    else:
        closing = re.match(r"[\]*_]*", after)
        after = closing.group() if closing else ""
        date_format = ""
    heading = f"{before}{{version}}{after}"
    if linked:
        heading = heading.replace("{version}]", "{version}]({compare})", 1)
    return heading, date_format


def _date_template(text: str) -> tuple[str, str]:
    for pattern, format_ in _DATES:
        shown, count = re.subn(pattern, "{date}", text, count=1)
        if count:
            return shown, format_
    return text, ""


def read_date(text: str) -> str:
    """The first date in a heading or line as ISO; empty when it has none that notes have."""
    for pattern, format_ in _DATES:
        if match := re.search(pattern, text[:_LONGEST_LINE]):
            try:
                return datetime.strptime(match.group(), format_).date().isoformat()
            except ValueError:
                return ""
    return ""


def _learn_below(marks: list[str], rst: bool) -> str:
    """The sign of the headings below a version: their hashes, or what underlines them."""
    usual = Counter(marks).most_common(1)[0][0] if marks else ""
    fits = usual in ("**", ":") or (not usual.startswith("#") if rst else usual[:1] in ("#", "=", "-"))
    return usual if fits else ""


def _learn_refs(lines: list[str]) -> Literal["pull", "both"]:
    """Whether most items lead to a commit as well as to a pull request."""
    items = _items(lines)
    return (
        "both" if 2 * sum(_COMMIT.search(item[-1000:]) is not None for item in items) > len(items) else "pull"
    )


def _learn_names(
    titles: list[str], language: NoteLanguage | None, without: tuple[Category, ...]
) -> tuple[tuple[str, str], ...]:
    names: dict[str, str] = {}
    for title in titles:
        category = category_of_heading(title)
        if category:
            names.setdefault(category, title)
    if "Internal" in names and "Dependencies" not in without:
        names.setdefault("Dependencies", names["Internal"])
    if language is not None:
        return tuple((fitting_headings(language, names.values()) | names).items())
    if {"Added", "Fixed", "Changed"} & set(names.values()):
        for category, title in _KEEP_A_CHANGELOG.items():
            names.setdefault(category, title)
    return tuple(names.items())


def _learn_silence(titles: list[str], lines: list[str]) -> tuple[Category, ...]:
    """What concerns users least, where no heading of the notes is for it, and hardly an item is about it."""
    said = "\n".join(titles).lower()
    items = _items(lines)
    counted = Counter(category_of_words(_SCOPE.sub("", item, count=1)[:200]) for item in items)
    frequent = {kind for kind, count in counted.items() if count >= _RARE * len(items)}
    known = {category_of_heading(title) for title in titles}
    return tuple(
        kind for kind, words in _QUIET.items() if kind not in known | frequent and not re.search(words, said)
    )


def _learn_linked(lines: list[str]) -> bool:
    """Whether numbers of pull requests are links, where the notes have enough of them to tell."""
    text = "\n".join(lines[:1000])
    linked, bare = len(re.findall(r"#\d{1,9}\]", text)), len(re.findall(r"[(, ]#\d{1,9}\b(?!\])", text))
    return linked >= bare or bare < _ENOUGH_NUMBERS


def _learn_pulls(lines: list[str], rst: bool) -> Literal["brackets", "bare", "role"]:
    text = "\n".join(lines[:1000])
    if rst and ":pr:`" in text:
        return "role"
    bare = len(re.findall(r"[^(\[,] #\d+(?:, #\d+)*$", text, re.M))
    bracketed = len(re.findall(r"\(\[?#\d+", text))
    return "bare" if bare > bracketed else "brackets"


def _items(lines: list[str]) -> list[str]:
    """The items of the lists, each on one line without its bullet."""
    items: list[str] = []
    is_open = False
    for line in lines[:1000]:
        bare = line.strip()
        if match := _BULLET.match(bare):
            items.append(bare[match.end() :])
            is_open = True
        elif not bare or not line[0].isspace():
            is_open = False
        elif is_open:
            items[-1] = f"{items[-1]} {bare}"
    return items


def _learn_capitals(lines: list[str]) -> bool:
    items = (_SCOPE.sub("", item, count=1) for item in _items(lines))
    firsts = [item[0] for item in items if item[:1].isalpha()]
    return 2 * sum(first.isupper() for first in firsts) >= len(firsts)


def _learn_full_stops(lines: list[str]) -> bool:
    """Whether most items end with one; numbers of pull requests and issues may follow it."""
    items = [_REFERENCES.sub("", item[-300:]).rstrip() for item in _items(lines)]
    return 2 * sum(item.endswith(".") for item in items) > len(items)
