"""How does what people wrote under Unreleased become part of the note of the next version?

Their lines go as they stand: where a drafted entry is about the same change (the same number of a pull
request or issue, or the same words) theirs takes its place, and what no entry tells is added under its
heading. The heading of Unreleased stays, empty, and link definitions at the bottom follow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gitnotes.note_items import NoteItem, category_of_heading, read_items
from gitnotes.versioning import Version
from gitnotes.write.outline import Outline, Section, line_at

_NOTHING = re.compile(
    r"\W*(?:nothing|none|no (?:\w+ )?changes|n/a|tbd|tba|unreleased changes|(?:release )?notes have not)\b"
    r".{0,60}$",
    re.IGNORECASE,
)
_ATX = re.compile(r"#{1,6}[ \t]")
_COMPARE = re.compile(
    r"^(\[unreleased\]:[ \t]*)(\S{1,500}/(?:-/)?compare/)(\S{1,200}?)\.\.\.(\S{1,200})[ \t]*(\r?)$",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSING = re.compile(r"(?:\*\*)?full changelog|\[[^\]]{1,100}\]:", re.IGNORECASE)


@dataclass(slots=True)
class _Group:
    """A heading of a note with what stands under it; the first group has the lines above any heading."""

    title: str
    head: list[str]
    items: list[list[str]] = field(default_factory=list)
    """The lines of each outermost entry with all that is inside of it."""
    prose: list[list[str]] = field(default_factory=list)
    taken: int = 0
    """How many of the entries, from the first, a person wrote."""


@dataclass(slots=True)
class _Note:
    heading: list[str]
    groups: list[_Group]
    closing: list[str]
    """What stands below all entries: a link to all changes, link definitions."""


def has_entries(body: str) -> bool:
    """Whether something is written under a heading, apart from `Nothing yet` and empty headings."""
    return any(not _NOTHING.match(item.text) for item in read_items(f"# x\n{body}"))


def split_template(body: str) -> tuple[str, str]:
    """What people wrote under Unreleased, and the template that stays there for what comes next: comments
    and the headings between them. Without comments there is none."""
    written: list[str] = []
    blocks: list[str] = []
    comment: list[str] = []
    has_comments = False
    for line in body.split("\n"):
        is_open = bool(comment) or line.lstrip().startswith("<!--")
        if not is_open or (not comment and "-->" in line and not line.rstrip().endswith("-->")):
            written.append(line)
            if _ATX.match(line):
                blocks.append(line)
            continue
        comment.append(line)
        if "-->" in line:
            blocks.append("\n".join(comment))
            comment, has_comments = [], True
    if comment or not has_comments:  # one that is never closed hides nothing
        return body, ""
    return "\n".join(written), "\n\n".join(blocks)


def body_of(text: str, section: Section) -> tuple[int, int]:
    """Where what stands under the heading of a section begins and ends."""
    at = section.start
    for _ in range(1 if section.mark[0] in "#b" else 2):
        at += len(_with_end(text, at))
    if section.mark[0] not in "#b" and line_at(text, section.start).strip(section.mark) == "":
        at += len(_with_end(text, at))  # a line above the title as well
    return min(at, section.end), section.end


def merge_notes(drafted: str, written: str) -> str:
    """The note `drafted` with the entries of the section `written`, whose lines go before its own.

    Both begin with a heading and end in `\\n` or nothing. Merging the result again changes nothing.
    """
    ours, theirs = _read(drafted), _read(written)
    drafted_items = read_items(drafted)
    seen = {lines[0] for group in ours.groups for lines in group.items}
    for group in theirs.groups:
        home = _home(ours, group)
        home.prose.extend(prose for prose in group.prose if prose not in home.prose)
        for lines in group.items:
            told = _same_change(lines, drafted_items)
            _put(ours, home, lines, told)
            # Looking for what is said twice at every line would be quadratic in a long section.
            if told or lines[0] in seen:
                _drop_doubles(ours, lines, told)
            seen.add(lines[0])
    return _write(ours)


def move_links(text: str, outline: Outline, version: Version, name: str) -> str:
    """The changelog with a definition for `version` (written `name`) beside that of Unreleased.

    `[Unreleased]: .../compare/v1.0.0...HEAD` becomes two lines; any other form stays.
    """
    tail = text[outline.tail :]
    match = _COMPARE.search(tail)
    if match is None or re.search(rf"^\[{re.escape(name)}\]:", tail, re.MULTILINE):
        return text
    before, address, start, end, ending = match.groups()
    prefix = re.match(r"[^0-9]{0,100}", start)
    tag = f"{prefix.group() if prefix else ''}{version.name}"
    newline = f"{ending}\n"
    lines = f"{before}{address}{tag}...{end}{newline}[{name}]: {address}{start}...{tag}{ending}"
    at = outline.tail + match.start()
    return text[:at] + lines + text[outline.tail + match.end() :]


def _read(section: str) -> _Note:
    """The section taken apart; every line of it is in exactly one place, blank ones apart."""
    lines = section.rstrip("\n").split("\n")
    size = 1 if _ATX.match(lines[0]) or lines[0].startswith(("*", "_")) or len(lines) < 2 else 2
    note = _Note(lines[:size], [_Group("", [])], [])
    items = {item.line: item for item in read_items(section)}
    at = size
    open_lines: list[str] | None = None
    while at < len(lines):
        line = lines[at]
        item = items.get(at + 1)
        if title := _title_at(lines, at):
            note.groups.append(_Group(title, lines[at : at + _title_size(lines, at)]))
            at += _title_size(lines, at)
            open_lines = None
            continue
        if _CLOSING.match(line) or note.closing:
            note.closing.append(line)
        elif item is not None and item.is_entry and not (item.depth and open_lines is not None):
            open_lines = [line]
            note.groups[-1].items.append(open_lines)
        elif item is not None and not item.is_entry:
            open_lines = [line]
            if not _NOTHING.match(item.text):
                note.groups[-1].prose.append(open_lines)
        elif open_lines is not None:
            open_lines.append(line)
        elif line.strip() and not line.startswith("<!--"):
            note.groups[-1].prose.append([line])
        at += 1
    for group in note.groups:
        for block in (*group.items, *group.prose):
            while block and not block[-1].strip():
                block.pop()
    while note.closing and not note.closing[-1].strip():
        note.closing.pop()
    return note


def _title_at(lines: list[str], at: int) -> str:
    line = lines[at]
    if _ATX.match(line):
        return line.strip("# \t")
    return line.strip() if _title_size(lines, at) == 2 else ""


def _title_size(lines: list[str], at: int) -> int:
    """2 where the line is underlined, else 1."""
    line = lines[at].rstrip()
    if not line or line[0].isspace() or line[0] in "-*+#" or at + 1 >= len(lines):
        return 1
    under = lines[at + 1].rstrip()
    is_rule = len(under) >= 3 and len(set(under)) == 1 and under[0] in "=-~^\"'`+*#:."
    return 2 if is_rule and 2 * len(under) >= len(line) else 1


def _home(note: _Note, group: _Group) -> _Group:
    """The group of the note with the same heading, or for the same kind of change, which then gets the
    heading of the other; a new one if none."""
    if not group.title:
        return note.groups[0]
    wanted = category_of_heading(group.title)
    for known in note.groups:
        if known.title.casefold() == group.title.casefold():
            return known
    for known in note.groups:
        if wanted and category_of_heading(known.title) == wanted:
            known.title, known.head = group.title, group.head  # as the project calls it
            return known
    if not (group.items or group.prose):
        return _Group("", [])
    made = _Group(group.title, list(group.head))
    note.groups.append(made)
    return made


def _same_change(lines: list[str], drafted: tuple[NoteItem, ...]) -> set[str]:
    """The first lines of the drafted entries that are about the same change as these lines."""
    if any(item.is_entry and item.raw[0] == lines[0] for item in drafted):
        return {lines[0]}  # drafted itself: others with its number are other changes
    found = read_items("# x\n" + "\n".join(lines))
    numbers = frozenset(number for item in found for number in item.numbers)
    words = {item.text.casefold().rstrip(".") for item in found}
    return {
        item.raw[0]
        for item in drafted
        if item.is_entry and (numbers & item.numbers or item.text.casefold().rstrip(".") in words)
    }


def _put(note: _Note, home: _Group, lines: list[str], told: set[str]) -> None:
    """Puts the lines of a person under their heading, before what was drafted there; under none, in the
    place of what was drafted for the same change, or at the end."""
    places = ((group, at) for group in note.groups for at, item in enumerate(group.items) if item[0] in told)
    place = next(places, None) if told else None
    if home.title or place is None:
        group, at = home, home.taken if home.title else len(home.items)
        group.items.insert(at, lines)
        home.taken += 1
    else:
        group, at = place
        group.items[at] = lines


def _drop_doubles(note: _Note, lines: list[str], told: set[str]) -> None:
    """Takes out what `lines` say as well: the same lines elsewhere, and what was drafted of the change."""
    for group in note.groups:
        kept = [item for item in group.items if item is lines or (item[0] not in told and item != lines)]
        places = {id(item) for item in kept}
        group.taken -= sum(id(item) not in places for item in group.items[: group.taken])
        group.items = kept


def _write(note: _Note) -> str:
    blocks = ["\n".join(note.heading)]
    for group in note.groups:
        if group.head and (group.items or group.prose):
            blocks.append("\n".join(group.head))
        blocks.extend("\n".join(prose) for prose in group.prose)
        if group.items:
            blocks.append(_joined(group.items))
    if note.closing:
        blocks.append("\n".join(note.closing))
    return "\n\n".join(blocks)


def _joined(items: list[list[str]]) -> str:
    """The items line below line; one that is several blocks has blank lines around it, as in
    reStructuredText."""
    text = ""
    for lines in items:
        is_loose = any(not line.strip() for line in lines)
        gap = "\n\n" if text and (is_loose or text.endswith("\0")) else "\n" if text else ""
        text = text.rstrip("\0") + gap + "\n".join(lines) + ("\0" if is_loose else "")
    return text.rstrip("\0")


def _with_end(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[at : end + 1 if end >= 0 else len(text)]
