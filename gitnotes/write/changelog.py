"""Where in a changelog does a release note belong, and how is it put there without touching the rest?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gitnotes.errors import InputError, UsageError
from gitnotes.guard.text import show
from gitnotes.versioning import Version, is_unreleased, read_version, version_in_heading
from gitnotes.write.atomic import lock, replace_file

_LARGEST = 50_000_000
"""Bytes; a larger file is no changelog."""
_ATX = re.compile(r"(#{1,6})[ \t]+(\S.*)$")
_UNDERLINE = re.compile(r"([=\-~^\"'`+#*])\1{2,}[ \t]*$")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_DEFINITION = re.compile(r" {0,3}\[[^\]]+\]:[ \t]*\S|\.\. _[^:]+:[ \t]*\S")
_SUFFIXES_RST = (".rst", ".rest")


@dataclass(frozen=True, slots=True)
class _Section:
    """A part of the changelog: from its heading to before the next one."""

    start: int
    end: int
    """Offsets of the first character, and after the last one that is not blank."""
    version: Version | None
    """None for what is not released yet."""
    underlined: bool


def insert_section(text: str, section: str, version: str, *, replace: bool = False) -> str:
    """`text`, a changelog, with `section`, the note of `version`, at its place.

    Above the first older version, below the title, the preamble and what is unreleased. All other
    characters stay as they are: line ends, byte order mark, link definitions at the bottom, a
    missing last line end. When the same section is there already, nothing changes.

    Raises UsageError when the version is there with another text and `replace` is false, or when
    `section` does not start with a heading for `version`.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    plain = section.replace("\r\n", "\n").strip("\n")
    wanted = read_version(version)
    _check_section(plain, version, wanted)
    new = plain.replace("\n", newline)
    underlined = not plain.startswith("#")
    if not text.removeprefix("\ufeff").strip():
        title = f"Changelog{newline}========={newline}" if underlined else f"# Changelog{newline}"
        return f"{text[: text.startswith(chr(0xFEFF))]}{title}{newline}{new}{newline}"
    sections = _sections(text)
    known = next((item for item in sections if _is_version(item, wanted)), None)
    if known is not None:
        if _same(text[known.start :], text[known.start : known.end], plain):
            return text
        if not replace:
            raise UsageError(
                f"The changelog has a section for {show(version)} already, with another text.",
                "Write over it with --replace.",
            )
        return text[: known.start] + new + text[known.end :]
    at = _place(text, sections, wanted)
    before, after = text[:at], text[at:]
    blank = _blank_lines(text, sections)
    is_bottom = not any(item.start == at for item in sections)
    wanted_ends = blank + 1 if is_bottom and sections else 2
    lead = newline * max(0, wanted_ends - _line_ends(before)) if before.strip("\ufeff") else ""
    if not after.strip():
        trail = newline if text.endswith("\n") else ""
    elif is_bottom:
        trail = newline if after.startswith(("\n", "\r")) else 2 * newline
    else:
        trail = newline * (blank + 1)
    result = f"{before}{lead}{new}{trail}{after}"
    if not any(_is_version(item, wanted) for item in _sections(result)):
        # Written where no heading counts, it would be written again by the next run.
        raise InputError(
            "The changelog has a code block or comment that is never closed, which hides the note.",
            "Close it, then run this again.",
        )
    return result


def write_changelog(path: Path | str, section: str, version: str, *, replace: bool = False) -> bool:
    """Puts the note of `version` into the changelog at `path`; whether the file changed.

    A missing file is made. The file is replaced as a whole or not at all, and two runs at once wait
    for each other. A `.rst` file takes a section in reStructuredText, any other one in Markdown.

    Raises InputError when the file cannot be read as text or written, UsageError as `insert_section`.
    """
    place = Path(path)
    shown = show(str(path))
    if place.is_dir():
        raise InputError(f"Cannot write {shown}: it is a folder.", "Name a file, such as CHANGELOG.md.")
    if not place.parent.is_dir():
        raise InputError(f"Cannot write {shown}: its folder does not exist.", "Create the folder first.")
    if place.suffix.lower() in _SUFFIXES_RST and section.lstrip().startswith("#"):
        raise InputError(
            f"{shown} is reStructuredText, and this note is Markdown.",
            "Draft it in the style of that file, or name a Markdown file.",
        )
    if place.exists() and not place.is_file():
        raise InputError(f"Cannot write {shown}: it is a device, pipe or socket.", "Name an ordinary file.")
    with lock(place):
        data = _read(place, shown)
        old = data.decode("utf-8")
        new = insert_section(old, section, version, replace=replace).encode("utf-8")
        if new == data:
            return False
        replace_file(place, new)
    return True


def _read(place: Path, shown: str) -> bytes:
    try:
        data = place.read_bytes() if place.exists() else b""
    except OSError as problem:
        raise InputError(
            f"Cannot read {shown}: {problem.strerror}.", "Check the file's permissions."
        ) from problem
    if len(data) > _LARGEST:
        raise InputError(f"{shown} is larger than {_LARGEST // 1_000_000} MB.", "Is it the changelog?")
    if b"\0" in data:
        raise InputError(f"{shown} holds NUL characters, so it is no text file.", "Is it the changelog?")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise InputError(
            f"{shown} is not UTF-8 (byte {problem.start}).", "Convert it first, for example with iconv."
        ) from problem
    return data


def _check_section(section: str, version: str, wanted: Version | None) -> None:
    first = next(iter(_sections(section)), None)
    if wanted is None and not is_unreleased(version):
        raise UsageError(f"'{show(version)}' is no version.", "Name one such as 1.2.0, or Unreleased.")
    if first is None or first.start != 0 or not _is_version(first, wanted):
        raise UsageError(
            f"The note does not start with a heading for {show(version)}.",
            "Start it with `## [VERSION] - DATE`.",
        )


def _sections(text: str) -> list[_Section]:
    """The parts with a version or `Unreleased` in their heading, in the order of the file."""
    # (offset, level or underline sign, title)
    headings: list[tuple[int, str, str]] = []
    lines = _lines(text)
    offset, fence, in_comment = 0, "", False
    tail = len(text)  # where the link definitions at the bottom start
    for at, line in enumerate(lines):
        bare = line.rstrip("\r\n")
        start = offset
        offset += len(line)
        if at == 0 and bare.startswith("\ufeff"):
            bare, start = bare[1:], 1
        if match := _FENCE.match(bare):
            fence = "" if fence == match[1] else fence or match[1]
        in_comment = (in_comment or "<!--" in bare) and "-->" not in bare[max(bare.rfind("<!--"), 0) :]
        if fence or in_comment:
            tail = len(text)
        elif _DEFINITION.match(bare):
            tail = min(tail, start)
        elif bare.strip():
            tail = len(text)
            if match := _ATX.match(bare):
                headings.append((start, match[1], match[2]))
            elif not bare[0].isspace() and at + 1 < len(lines):
                under = _UNDERLINE.match(lines[at + 1].rstrip("\r\n"))
                # A longer line over a short rule is a paragraph and a separator.
                if (
                    under
                    and not _UNDERLINE.match(bare)
                    and 2 * len(under.group().rstrip()) >= len(bare.rstrip())
                ):
                    over = at > 0 and lines[at - 1].rstrip() == under.group().rstrip()
                    headings.append((start - len(lines[at - 1]) if over else start, under[1], bare.strip()))
    return _cut(text, headings, tail)


def _cut(text: str, headings: list[tuple[int, str, str]], tail: int) -> list[_Section]:
    marked = [(*found, version_in_heading(found[2])) for found in headings]
    # A version is announced at the level of the first one; deeper ones belong to its own text.
    top = next((mark for _, mark, title, version in marked if version or is_unreleased(title)), "")
    found: list[_Section] = []
    open_at: tuple[int, Version | None, str] | None = None
    for start, mark, title, version in [*marked, (tail, "", "", None)]:
        announces = (version is not None or is_unreleased(title)) and _reaches(mark, top)
        if open_at is not None and (announces or start == tail or _closes(mark, open_at[2])):
            end = open_at[0] + len(text[open_at[0] : start].rstrip())
            found.append(_Section(open_at[0], end, open_at[1], open_at[2][:1] != "#"))
            open_at = None
        if announces:
            open_at = (start, version, mark)
    return found


def _reaches(mark: str, top: str) -> bool:
    """Whether a heading is of the kind that announces versions; `#` and `##` are mixed by some tools."""
    if mark[:1] == "#" and top[:1] == "#":
        return len(mark) <= max(len(top), 2)
    return mark == top


def _closes(mark: str, opened: str) -> bool:
    if mark[:1] == "#" and opened[:1] == "#":
        return len(mark) <= len(opened)
    return mark == opened or (mark == "=" and opened == "-")


def _is_version(section: _Section, wanted: Version | None) -> bool:
    if wanted is None or section.version is None:
        return wanted is section.version
    return (
        section.version.key == wanted.key
        and section.version.name.partition("+")[2] == wanted.name.partition("+")[2]
    )


def _same(text: str, old: str, new: str) -> bool:
    """Whether `new` stands at the start of `text` and covers `old`; link definitions may be part of it."""
    wanted = _bare_lines(new)
    return _bare_lines(text)[: len(wanted)] == wanted and len(_bare_lines(old)) <= len(wanted)


def _bare_lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\r\n").split("\n")]


def _place(text: str, sections: list[_Section], wanted: Version | None) -> int:
    """The offset at which the new section starts."""
    released = [(item, item.version.key) for item in sections if item.version is not None]
    if wanted is None:
        return released[0][0].start if released else _bottom(text, sections)
    keys = [key for _, key in released]
    oldest_first = len(keys) > 1 and keys == sorted(keys)
    for item, key in released:
        if (key > wanted.key) if oldest_first else (key < wanted.key):
            return item.start
    return _bottom(text, sections)


def _bottom(text: str, sections: list[_Section]) -> int:
    """After the last section, or before the link definitions that end a file without sections."""
    if sections:
        return sections[-1].end + _rest_of_line(text, sections[-1].end)
    lines = _lines(text)
    at = len(text)
    while lines and (not lines[-1].strip() or _DEFINITION.match(lines[-1])):
        line = lines.pop()
        if _DEFINITION.match(line):
            at = len("".join(lines))
    return at


def _rest_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return (end + 1 if end >= 0 else len(text)) - at


def _blank_lines(text: str, sections: list[_Section]) -> int:
    """How many blank lines the file has between two sections."""
    if len(sections) < 2:
        return 1
    return max(1, min(3, text[sections[0].end : sections[1].start].count("\n") - 1))


def _lines(text: str) -> list[str]:
    """The lines with their ends; only `\\n` ends one, as in git and in editors."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _line_ends(text: str) -> int:
    """How many line ends stand at the end of `text`."""
    tail = text[len(text.rstrip("\r\n")) :]
    return tail.count("\n")
