from __future__ import annotations

import multiprocessing
import os
import time
from pathlib import Path

import pytest

from gitnotes.errors import InputError, UsageError
from gitnotes.write.changelog import insert_section, write_changelog

NOTE = "## [1.1.0] - 2024-05-01\n\n### Features\n\n- Add x\n"
KEEP = """\
# Changelog

All notable changes.

## [Unreleased]

- Coming

## [1.0.0] - 2024-01-02

### Added

- First

## [0.9.0] - 2023-01-02

- Older

[Unreleased]: https://host/compare/1.0.0...HEAD
[1.0.0]: https://host/compare/0.9.0...1.0.0
"""


def without(text: str, section: str) -> str:
    """The text with the section and the blank lines after it cut out."""
    at = text.index(section.strip())
    rest = text[at + len(section.strip()) :]
    return text[:at] + rest.lstrip("\r\n")


def test_a_section_goes_between_unreleased_and_the_older_version() -> None:
    result = insert_section(KEEP, NOTE, "1.1.0")
    assert "- Coming\n\n## [1.1.0] - 2024-05-01\n\n### Features\n\n- Add x\n\n## [1.0.0]" in result
    assert without(result, NOTE) == KEEP
    assert insert_section(result, NOTE, "1.1.0") == result


def test_an_older_version_goes_to_its_place() -> None:
    note = NOTE.replace("1.1.0", "0.9.5")
    result = insert_section(KEEP, note, "v0.9.5")
    assert result.index("[1.0.0] -") < result.index("[0.9.5] -") < result.index("[0.9.0] -")
    assert without(result, note) == KEEP


def test_the_oldest_version_goes_above_the_link_definitions() -> None:
    note = NOTE.replace("1.1.0", "0.1.0")
    result = insert_section(KEEP, note, "0.1.0")
    assert "- Older\n\n## [0.1.0] - 2024-05-01\n\n### Features\n\n- Add x\n\n[Unreleased]: https" in result
    assert insert_section(result, note, "0.1.0") == result


def test_order_is_by_version_not_by_text() -> None:
    text = "# Log\n\n## 0.9.0\n\n- a\n\n## 0.2.0\n\n- b\n"
    note = "## 0.10.0\n\n- c\n"
    assert insert_section(text, note, "0.10.0").startswith("# Log\n\n## 0.10.0\n\n- c\n\n## 0.9.0")
    candidate = insert_section(insert_section(text, note, "0.10.0"), "## 0.10.0-rc.1\n\n- d\n", "0.10.0-rc.1")
    assert candidate.index("## 0.10.0\n") < candidate.index("## 0.10.0-rc.1") < candidate.index("## 0.9.0")


def test_a_changelog_with_the_oldest_first_grows_at_its_end() -> None:
    text = "# Log\n\n## 1.0.0\n\n- a\n\n## 1.1.0\n\n- b\n"
    assert insert_section(text, "## 1.2.0\n\n- c\n", "1.2.0") == text + "\n## 1.2.0\n\n- c\n"


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_a_new_changelog_gets_a_title(text: str) -> None:
    result = insert_section(text, NOTE, "1.1.0")
    assert result.removeprefix("\ufeff") == f"# Changelog\n\n{NOTE}"
    assert result.startswith("\ufeff") == text.startswith("\ufeff")
    assert insert_section(result, NOTE, "1.1.0") == result


def test_a_changelog_without_versions_keeps_its_preamble() -> None:
    text = "# Changelog\n\nAll changes.\n"
    assert insert_section(text, NOTE, "1.1.0") == f"{text}\n{NOTE}"
    alone = "# Changelog\n\n## Unreleased\n\n- Coming\n\n[x]: y\n"
    assert insert_section(alone, NOTE, "1.1.0") == alone.replace("[x]: y", f"{NOTE}\n[x]: y")


def test_line_ends_mark_and_missing_last_line_end_stay() -> None:
    text = "\ufeff" + KEEP.rstrip("\n").replace("\n", "\r\n")
    result = insert_section(text, NOTE, "1.1.0")
    assert "\n" not in result.replace("\r\n", "")
    assert without(result, NOTE.replace("\n", "\r\n")) == text
    assert insert_section(result, NOTE, "1.1.0") == result
    short = "# Log\n\n## 2.0.0\n\n- x"
    assert insert_section(short, NOTE, "1.1.0") == f"{short}\n\n{NOTE.rstrip()}"


def test_a_heading_on_the_first_line_is_found_behind_the_mark() -> None:
    text = "\ufeff## 1.0.0\n\n- a\n"
    result = insert_section(text, NOTE, "1.1.0")
    assert result == f"\ufeff{NOTE}\n## 1.0.0\n\n- a\n"


def test_another_text_for_the_version_wants_replace() -> None:
    result = insert_section(KEEP, NOTE, "1.1.0")
    other = NOTE.replace("Add x", "Add y")
    with pytest.raises(UsageError) as caught:
        insert_section(result, other, "1.1.0")
    assert "--replace" in caught.value.hint
    assert insert_section(result, other, "1.1.0", replace=True) == result.replace("Add x", "Add y")
    last = NOTE.replace("1.1.0", "0.9.0")
    replaced = insert_section(KEEP, last, "0.9.0", replace=True)
    assert replaced.endswith(
        f"{last}\n[Unreleased]: https://host/compare/1.0.0...HEAD\n"
        "[1.0.0]: https://host/compare/0.9.0...1.0.0\n"
    )


def test_a_section_that_ends_in_link_definitions_is_known_again() -> None:
    note = f"{NOTE}\n[1.1.0]: https://host/1.1.0\n"
    result = insert_section("", note, "1.1.0")
    assert insert_section(result, note, "1.1.0") == result


def test_a_prefix_or_date_does_not_hide_the_version() -> None:
    text = "# Log\n\n## v1.1.0 (2024-05-01)\n\n- a\n"
    with pytest.raises(UsageError):
        insert_section(text, NOTE, "1.1.0")


def test_versions_in_code_and_comments_do_not_count() -> None:
    hidden = "# Log\n\n```\n## 1.1.0\n```\n\n<!--\n## [0.5.0]\n-->\n\n## 1.0.0\n\n- a\n"
    result = insert_section(hidden, NOTE, "1.1.0")
    assert result == hidden.replace("## 1.0.0", f"{NOTE}\n## 1.0.0")
    with pytest.raises(InputError, match="never closed"):
        insert_section("# Log\n\n## 2.0.0\n\n```\ncode\n", NOTE, "1.1.0")
    with pytest.raises(InputError, match="never closed"):
        insert_section("# Log\n\n## 2.0.0\n\n<!-- note\n", NOTE, "1.1.0")
    inner = "# Log\n\n## 2.0.0\n\n````\n```\n## 1.0.0\n````\n\n- ``` and <!-- in a line\n"
    assert insert_section(inner, NOTE, "1.1.0") == f"{inner}\n{NOTE}"
    assert insert_section("# Log\n\n```\ncode\n", NOTE, "1.1.0") == f"# Log\n\n{NOTE}\n```\ncode\n"


def test_headings_of_two_levels_are_both_versions() -> None:
    text = "# [2.0.0](x) (2024-01-02)\n\n### Features\n\n* a\n\n## [1.9.1](x) (2024-01-01)\n\n* b\n"
    result = insert_section(text, "## [1.9.2](x) (2024-01-01)\n\n* c\n", "1.9.2")
    assert result == text.replace("## [1.9.1]", "## [1.9.2](x) (2024-01-01)\n\n* c\n\n## [1.9.1]")


def test_subheadings_that_name_a_version_stay_inside() -> None:
    text = "# Log\n\n## 1.0.0\n\n### 0.9 compatibility\n\n- a\n\n## 0.8.0\n\n- b\n"
    note = "## 0.8.5\n\n- c\n"
    assert insert_section(text, note, "0.8.5") == text.replace("## 0.8.0", f"{note}\n## 0.8.0")


def test_unreleased_goes_on_top() -> None:
    text = "# Log\n\n## 1.0.0\n\n- a\n"
    note = "## [Unreleased]\n\n- b\n"
    result = insert_section(text, note, "Unreleased")
    assert result == f"# Log\n\n{note}\n## 1.0.0\n\n- a\n"
    assert insert_section(result, note, "Unreleased") == result


@pytest.mark.parametrize("section", ["", "- Add x\n", "## 1.2.0\n\n- x\n", "text\n\n## 1.1.0\n"])
def test_a_section_without_its_heading_is_refused(section: str) -> None:
    with pytest.raises(UsageError):
        insert_section(KEEP, section, "1.1.0")
    with pytest.raises(UsageError):
        insert_section(KEEP, NOTE, "soon")


RST = """\
.. currentmodule:: flask

Version 3.0.0
-------------

Released 2023-09-30

-   Remove code. :pr:`5223`


Version 2.3.3
-------------

-   Python 3.12.
"""


def test_underlined_headings_are_sections() -> None:
    note = "Version 3.0.1\n-------------\n\n-   Fix it.\n"
    result = insert_section(RST, note, "3.0.1")
    assert result == RST.replace("Version 3.0.0", f"{note}\n\nVersion 3.0.0")
    assert insert_section(result, note, "3.0.1") == result
    older = note.replace("3.0.1", "2.3.4")
    assert insert_section(RST, older, "2.3.4") == RST.replace("Version 2.3.3", f"{older}\n\nVersion 2.3.3")
    oldest = note.replace("3.0.1", "1.0.0")
    assert insert_section(RST, oldest, "1.0.0") == f"{RST}\n\n{oldest}"


def test_a_rule_is_no_underline_and_wide_headings_are() -> None:
    text = (
        "Log\n===\n\nバージョン 1.0.0\n================\n\n"
        "A long paragraph about 9.9.9 that goes on.\n-----\n\n- a\n"
    )
    note = "1.1.0\n=====\n\n- b\n"
    assert insert_section(text, note, "1.1.0") == text.replace("バージョン", f"{note}\nバージョン")


def test_the_file_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "CHANGELOG.md"
    assert write_changelog(path, NOTE, "1.1.0")
    first = path.read_bytes()
    stamp = path.stat().st_mtime_ns
    assert first == f"# Changelog\n\n{NOTE}".encode()
    assert not write_changelog(path, NOTE, "1.1.0")
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (first, stamp)
    assert [item.name for item in tmp_path.iterdir()] == ["CHANGELOG.md"]
    with pytest.raises(UsageError):
        write_changelog(path, NOTE.replace("Add", "Drop"), "1.1.0")
    assert path.read_bytes() == first
    assert write_changelog(path, NOTE.replace("Add", "Drop"), "1.1.0", replace=True)


def test_line_ends_of_the_file_are_kept_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "CHANGELOG.md"
    path.write_bytes(KEEP.replace("\n", "\r\n").encode())
    assert write_changelog(path, NOTE, "1.1.0")
    data = path.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n")


@pytest.mark.parametrize(
    ("data", "word"),
    [(b"# caf\xe9\n", "UTF-8"), (b"# a\0b\n", "NUL"), ("# x\n".encode("utf-16"), "NUL")],
)
def test_what_is_no_text_is_left_alone(tmp_path: Path, data: bytes, word: str) -> None:
    path = tmp_path / "CHANGELOG.md"
    path.write_bytes(data)
    with pytest.raises(InputError, match=word):
        write_changelog(path, NOTE, "1.1.0")
    assert path.read_bytes() == data


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="folder"):
        write_changelog(tmp_path, NOTE, "1.1.0")
    with pytest.raises(InputError, match="does not exist"):
        write_changelog(tmp_path / "none" / "CHANGELOG.md", NOTE, "1.1.0")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe"):
        write_changelog(tmp_path / "pipe", NOTE, "1.1.0")
    with pytest.raises(InputError, match="reStructuredText"):
        write_changelog(tmp_path / "CHANGES.rst", NOTE, "1.1.0")


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_protected_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "CHANGELOG.md"
    path.write_text(KEEP)
    path.chmod(0o444)
    with pytest.raises(InputError, match="permission"):
        write_changelog(path, NOTE, "1.1.0")
    assert path.read_text() == KEEP


@pytest.mark.parametrize("marker", ["/dev/full", "/dev/stdout", "pipe", "circle", "one"])
def test_what_is_no_file_is_refused_before_it_is_read(tmp_path: Path, marker: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError):
        write_changelog(tmp_path / marker, NOTE, "1.1.0")
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "circle").is_symlink()


def test_a_link_to_a_changelog_stays_a_link(tmp_path: Path) -> None:
    for target in ("real.md", "new.md"):
        (tmp_path / f"to-{target}").symlink_to(target)
    (tmp_path / "real.md").write_text(KEEP)
    for target in ("real.md", "new.md"):
        assert write_changelog(tmp_path / f"to-{target}", NOTE, "1.1.0")
        assert (tmp_path / f"to-{target}").is_symlink()
        assert "- Add x" in (tmp_path / target).read_text()


@pytest.mark.parametrize(
    "anchor", ['<a id="old"></a>', '<a name="v1"/>', ".. _v1:", "<!-- old -->", "---", "[x]: y"]
)
def test_what_stands_above_the_next_heading_stays(anchor: str) -> None:
    text = f"# Log\n\n## 1.1.0\n\n- mine\n\n{anchor}\n## About old releases\n\nkept\n"
    result = insert_section(text, NOTE, "1.1.0", replace=True)
    assert result == f"# Log\n\n{NOTE}\n{anchor}\n## About old releases\n\nkept\n"


@pytest.mark.parametrize("anchor", ['<a id="v1"></a>\n', '<a id="a"></a>\n<a id="b"></a>\n\n', ".. _v1:\n\n"])
def test_an_anchor_stays_with_its_heading(anchor: str) -> None:
    text = f"# Log\n\n{anchor}## 1.0.0\n\n- a\n\n{anchor}## 0.9.0\n\n- b\n"
    result = insert_section(text, NOTE, "1.1.0")
    assert result == text.replace(anchor, f"{NOTE}\n{anchor}", 1)
    assert insert_section(result, NOTE, "1.1.0") == result


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("**1.0.0**\n\n- a\n\n**0.9.0** (2023-01-02)\n\n- b\n", "**1.1.0**\n\n- c\n"),
        ("__v1.0.0 - 2024-01-02__\n- a\n", "__v1.1.0 - 2024-05-01__\n\n- c\n"),
        ("v1.0.0\n  * a\n\nv0.9.0\n  * b\n", "v1.1.0\n  * c\n"),
        ("Version 1.0.0 (2024-01-02):\n\n - a\n", "Version 1.1.0 (2024-05-01):\n\n - c\n"),
        ("Frob 1.0.0\n\tA thing.\n", "Frob 1.1.0\n\tAnother.\n"),
        ("1.0.0\n- a\n\n0.9.0\n- b\n", "1.1.0\n- c\n"),
    ],
)
def test_plain_lines_announce_versions_too(text: str, note: str) -> None:
    for head in ("", "# Log\n\nAbout frobs.\n\n"):
        result = insert_section(head + text, note, "1.1.0")
        assert result == f"{head}{note}\n{text}"
        assert insert_section(result, note, "1.1.0") == result
        other = note.replace("c", "d").replace("Another", "Better")
        assert insert_section(result, other, "1.1.0", replace=True) == f"{head}{other}\n{text}"
        with pytest.raises(InputError, match="another kind"):
            insert_section(head + text, NOTE, "1.1.0")


def test_bold_and_plain_lines_are_text_where_headings_announce_versions() -> None:
    text = "# Log\n\n## 1.0.0\n\n**0.9.0**\n\n- a\n\n0.8.0\n  b\n\n## 0.7.0\n"
    note = "## 0.9.5\n\n- c\n"
    assert insert_section(text, note, "0.9.5") == text.replace("## 0.7.0", f"{note}\n## 0.7.0")
    prose = "# Log\n\n1.0.0\nwas fine.\n\n**Note 1.0** is bold.\n"
    assert (
        insert_section(prose, NOTE, "1.1.0")
        == f"# Log\n\n{NOTE}\n1.0.0\nwas fine.\n\n**Note 1.0** is bold.\n"
    )


def test_lines_of_old_macs_are_lines() -> None:
    text = "# Log\r\r## 1.0.0\r- x\r"
    result = insert_section(text, NOTE, "1.1.0")
    assert result == f"# Log\n\n{NOTE}\n## 1.0.0\n- x\n".replace("\n", "\r")
    assert insert_section(result, NOTE, "1.1.0") == result


@pytest.mark.parametrize(
    ("head", "rest"),
    [
        ("", "2024-01-02  Ada  <ada@example.org>\n\n\t* a.c: Fix.\n"),
        ("", "frob (1.0-1) unstable; urgency=low\n\n  * a\n"),
        ("# Log\n\nAll that\nhappened.\n\n", "- a\n- b\n"),
        ("Changes\n\n", "  * a\n"),
        ("---\ntitle: Version 1.0.0\n---\n\n# Log\n\n", "**May**\n\n- a\n"),
        ("Log\n===\n\n.. contents::\n   :local:\n\nIntroduction.\n\n", "May\n---\n\n- a\n"),
        ("<!-- licence -->\n\n# Log\n\n[![badge](x)](y)\n\n", "## Bugs\n\n- a\n\n## Features\n\n- b\n"),
        ("# Log\n\nIn May it began.\n\n", "".join(f"In month {n} much was done.\n\n" for n in "abcdef")),
    ],
)
def test_without_a_known_version_the_note_goes_below_the_preamble(head: str, rest: str) -> None:
    result = insert_section(head + rest, NOTE, "1.1.0")
    assert result == f"{head}{NOTE}\n{rest}"
    assert insert_section(result, NOTE, "1.1.0") == result


def test_old_text_without_a_heading_is_never_replaced() -> None:
    old = "# Log\n\n- a\n\nMore on a.\n"
    result = insert_section(old, NOTE, "1.1.0")
    with pytest.raises(UsageError, match="where the section"):
        insert_section(result, NOTE.replace("Add x", "Add y"), "1.1.0", replace=True)
    alone = insert_section("", f"{NOTE}\nFull changelog: x\n", "1.1.0")
    assert "Add y" in insert_section(alone, NOTE.replace("Add x", "Add y"), "1.1.0", replace=True)


def _write_some(path: str, first: int) -> None:
    for patch in range(first, first + 8):
        write_changelog(path, f"## 1.0.{patch}\n\n- Change {patch}\n", f"1.0.{patch}")


def test_two_runs_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "CHANGELOG.md"
    context = multiprocessing.get_context("spawn")
    runs = [context.Process(target=_write_some, args=(str(path), first)) for first in (0, 8, 16)]
    for run in runs:
        run.start()
    for run in runs:
        run.join(60)
        assert run.exitcode == 0
    lines = [line for line in path.read_text().split("\n") if line.startswith("## ")]
    assert lines == [f"## 1.0.{patch}" for patch in reversed(range(24))]


@pytest.mark.parametrize(
    "text",
    [
        "# Log\n\n" + "".join(f"## {n}.0.0\n\n- x\n\n" for n in range(20_000, 0, -1)),
        "# Log\n\n## 1.0.0\n" + "- line\n" * 1_000_000,
        "# Log\n" + "\n" * 3_000_000,
        "# " + "- " * 2_000_000,
        "# Log\n\n## " + "1." * 500_000,
        "# Log\n" + "[a]: b\n" * 200_000,
        "# Log\n\n## 1.0.0\n" + '<a id="x"></a>\n' * 100_000,
        "1.0.0" + "\n \n" * 300_000,
        "# Log\n" + "<!--" * 300_000,
        "**1.0.0" * 200_000 + "\n",
        "# Log\n" + "a" * 1_000_000 + "\n===\n",
    ],
    ids=range(11),
)
def test_a_large_changelog_takes_linear_time(text: str) -> None:
    begun = time.perf_counter()
    result = insert_section(text, "## 20001.0.0\n\n- y\n", "20001.0.0")
    assert time.perf_counter() - begun < 3
    assert 0 < len(result) - len(text) < 30
