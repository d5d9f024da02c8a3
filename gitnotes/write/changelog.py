"""Where in a changelog does a release note belong, and how is it put there without touching the rest?"""

from __future__ import annotations

from pathlib import Path

from gitnotes.errors import InputError, UsageError
from gitnotes.guard.text import show
from gitnotes.versioning import Key, Version, is_unreleased, read_version
from gitnotes.write.atomic import check_target, lock, replace_file
from gitnotes.write.outline import (
    Outline,
    Section,
    below_preamble,
    ends_clearly,
    is_same_kind,
    line_at,
    read_outline,
)
from gitnotes.write.unreleased import body_of, has_entries, merge_notes, move_links, split_template

_LARGEST = 50_000_000
"""Bytes; a larger file is no changelog."""
_SUFFIXES_RST = (".rst", ".rest")


def insert_section(
    text: str, section: str, version: str, *, replace: bool = False, move: bool = False
) -> str:
    """`text`, a changelog, with `section`, the note of `version`, at its place.

    Above the first older version, below the title, the preamble and what is unreleased. All other
    characters stay as they are: line ends, byte order mark, link definitions at the bottom, a
    missing last line end. When the same section is there already, nothing changes.

    With `move` what stands under Unreleased becomes part of the section (`unreleased.merge_notes`), a
    section of Unreleased takes what it lacks, and link definitions follow.

    Raises UsageError when the version is there with another text and `replace` is false, or when
    `section` does not start with a heading for `version`.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    body = text[len(mark) :]
    # Lines of old Macs: what is done to the others can be done to them as well.
    if "\r" in body and "\n" not in body:
        result = _insert(body.replace("\r", "\n"), section, version, replace, move).replace("\n", "\r")
    else:
        result = _insert(body, section, version, replace, move)
    return mark + result


def _insert(text: str, section: str, version: str, replace: bool, move: bool) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    plain = section.replace("\r\n", "\n").strip("\n")
    wanted = read_version(version)
    heading = _check_section(plain, version, wanted)
    outline = read_outline(text)
    if move and not replace:
        text, plain, outline = _move(text, outline, plain, wanted)
    new = plain.replace("\n", newline)
    if not text.strip():
        is_underlined = heading.mark[0] not in "#b"
        title = f"Changelog{newline}========={newline}" if is_underlined else f"# Changelog{newline}"
        return f"{title}{newline}{new}{newline}"
    sections = outline.sections
    known = next((item for item in sections if _is_version(item, wanted)), None)
    if known is not None:
        lines = text.count("\n", known.start, known.end) + 1
        is_there = _begins_with(text, known, plain)
        if is_there and lines <= plain.count("\n") + 1:
            return text
        if move and not replace and wanted is None and len(sections) > 1:
            return text[: known.start] + new + text[known.end :]
        # Below the only version may stand what the file said before.
        has_end = len(sections) > 1 or ends_clearly(text, known, outline.tail)
        if is_there and len(sections) == 1 and not (replace and has_end):
            return text
        if not replace:
            raise UsageError(
                f"The changelog has a section for {show(version)} already, with another text.",
                "Write over it with --replace.",
            )
        if not has_end:
            raise UsageError(
                f"Nothing shows where the section for {show(version)} ends and older text begins.",
                "Put a heading with a version between them, then run this again.",
            )
        return text[: known.start] + new + text[known.end :]
    at = _place(text, outline, wanted)
    before, after = text[:at], text[at:]
    blank = _blank_lines(text, sections)
    is_bottom = not any(item.lead == at for item in sections)
    wanted_ends = blank + 1 if is_bottom and sections else 2
    lead = newline * max(0, wanted_ends - _line_ends(before)) if before.strip() else ""
    if not after or after.isspace():
        trail = newline if text.endswith("\n") else ""
    elif is_bottom:
        trail = newline if after.startswith(("\n", "\r")) else 2 * newline
    else:
        trail = newline * (blank + 1)
    # Written where no heading counts, it would be written again by the next run.
    if outline.unclosed is not None and outline.unclosed < at:
        raise InputError(
            "The changelog has a code block or comment that is never closed, which hides the note.",
            "Close it, then run this again.",
        )
    like = next((item for item in sections if item.version), sections[0] if sections else None)
    if like is not None and not is_same_kind(heading.mark, like.mark):
        raise InputError(
            "The headings of versions in the changelog are of another kind than that of the note.",
            "Draft the note in the style of that file.",
        )
    return f"{before}{lead}{new}{trail}{after}"


def _move(text: str, outline: Outline, plain: str, wanted: Version | None) -> tuple[str, str, Outline]:
    """The changelog without what the new section takes from Unreleased, that section, and the outline."""
    known = next((item for item in outline.sections if _is_version(item, wanted)), None)
    if known is not None:
        # A section that took something over before takes the same again.
        merged = merge_notes(plain, text[known.start : known.end].replace("\r\n", "\n"))
        there = text[known.start : known.end].replace("\r\n", "\n")
        return text, merged if wanted is None or merged == there else plain, outline
    coming = next((item for item in outline.sections if item.version is None), None)
    if wanted is None or wanted.key < _newest_key(outline):
        return text, plain, outline
    heading = next(iter(read_outline(plain).sections))
    title = line_at(plain, heading.start)
    if f"[{wanted.name}]" in title and f"[{wanted.name}](" not in title:
        text = move_links(text, outline, wanted, wanted.name)
    if coming is not None:
        start, end = body_of(text, coming)
        newline = "\r\n" if "\r\n" in text else "\n"
        body, template = split_template(text[start:end].replace("\r\n", "\n"))
        if has_entries(body):
            plain = merge_notes(plain, f"# Unreleased\n{body}")
            kept = f"\n\n{template}".replace("\n", newline) if template else ""
            text = text[:start].rstrip("\r\n") + kept + text[end:]
    return text, plain, read_outline(text)


def _newest_key(outline: Outline) -> Key:
    return max((item.version.key for item in outline.sections if item.version), default=(0, (), ()))


def write_changelog(
    path: Path | str, section: str, version: str, *, replace: bool = False, move: bool = False
) -> bool:
    """Puts the note of `version` into the changelog at `path`; whether the file changed.

    A missing file is made. The file is replaced as a whole or not at all, and two runs at once wait
    for each other. A `.rst` file takes a section in reStructuredText, any other one in Markdown.

    Raises InputError when the file cannot be read as text or written, or is none (`check_target`
    tells beforehand), UsageError as `insert_section`.
    """
    place = Path(path)
    check_target(path)
    with lock(place):
        data, new = _plan(place, show(str(path)), section, version, replace, move)
        if new == data:
            return False
        replace_file(place, new)
    return True


def preview_changelog(
    path: Path | str, section: str, version: str, *, replace: bool = False, move: bool = False
) -> str:
    """The text that `write_changelog` would give the file; raises the same, and writes nothing."""
    check_target(path)
    return _plan(Path(path), show(str(path)), section, version, replace, move)[1].decode("utf-8")


def _plan(
    place: Path, shown: str, section: str, version: str, replace: bool, move: bool
) -> tuple[bytes, bytes]:
    """The content of the file as it is and as it is to be."""
    if place.suffix.lower() in _SUFFIXES_RST and section.lstrip().startswith("#"):
        raise InputError(
            f"{shown} is reStructuredText, and this note is Markdown.",
            "Draft it in the style of that file, or name a Markdown file.",
        )
    data = _read(place, shown)
    text = insert_section(data.decode("utf-8"), section, version, replace=replace, move=move)
    return data, text.encode("utf-8")


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


def _check_section(section: str, version: str, wanted: Version | None) -> Section:
    first = next(iter(read_outline(section).sections), None)
    if wanted is None and not is_unreleased(version):
        raise UsageError(f"'{show(version)}' is no version.", "Name one such as 1.2.0, or Unreleased.")
    if first is None or first.start != 0 or not _is_version(first, wanted):
        raise UsageError(
            f"The note does not start with a heading for {show(version)}.",
            "Start it with `## [VERSION] - DATE`.",
        )
    return first


def _is_version(section: Section, wanted: Version | None) -> bool:
    if wanted is None or section.version is None:
        return wanted is section.version
    return (
        section.version.key == wanted.key
        and section.version.name.partition("+")[2] == wanted.name.partition("+")[2]
    )


def _begins_with(text: str, known: Section, new: str) -> bool:
    """Whether `new` stands where the section is; link definitions after it may be part of it."""
    at = known.start
    for line in new.split("\n"):
        if line_at(text, at).rstrip() != line.rstrip():
            return False
        at += _rest_of_line(text, at)
    return True


def _place(text: str, outline: Outline, wanted: Version | None) -> int:
    """The offset at which the new section starts."""
    sections = outline.sections
    released = [(item, item.version.key) for item in sections if item.version is not None]
    if not sections:
        return below_preamble(text, outline.tail)
    bottom = sections[-1].end + _rest_of_line(text, sections[-1].end)
    if wanted is None:
        return released[0][0].lead if released else bottom
    keys = [key for _, key in released]
    oldest_first = len(keys) > 1 and keys == sorted(keys)
    for item, key in released:
        if (key > wanted.key) if oldest_first else (key < wanted.key):
            return item.lead
    return bottom


def _rest_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return (end + 1 if end >= 0 else len(text)) - at


def _blank_lines(text: str, sections: tuple[Section, ...]) -> int:
    """How many blank lines the file has above a section."""
    if len(sections) < 2:
        return 1
    return max(1, min(3, _line_ends(text[sections[0].end : sections[1].lead]) - 1))


def _line_ends(text: str) -> int:
    """How many line ends stand at the end of `text`."""
    count, at = 0, len(text)
    while at and text[at - 1] in "\r\n":
        at -= 1
        count += text[at] == "\n"
    return count
