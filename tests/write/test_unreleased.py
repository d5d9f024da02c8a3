"""Does what people wrote under Unreleased reach the version, once, and as it stands?"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gitnotes.errors import UsageError
from gitnotes.write.changelog import insert_section, write_changelog
from gitnotes.write.unreleased import has_entries, merge_notes, split_template

NOTE = "## [1.1.0] - 2024-05-01\n\n### Added\n\n- Add a parser (#7)\n\n### Fixed\n\n- Repair the lock (#8)\n"
FILE = """\
# Changelog

## [Unreleased]

### Added

- A **parser** for text, with care. (#7)
  It takes any encoding.
- Something of which no commit tells

### Removed

- The old flag

## [1.0.0] - 2024-01-02

- First

[Unreleased]: https://host/o/p/compare/v1.0.0...HEAD
[1.0.0]: https://host/o/p/releases/v1.0.0
"""
WANTED = """\
# Changelog

## [Unreleased]

## [1.1.0] - 2024-05-01

### Added

- A **parser** for text, with care. (#7)
  It takes any encoding.
- Something of which no commit tells

### Fixed

- Repair the lock (#8)

### Removed

- The old flag

## [1.0.0] - 2024-01-02

- First

[Unreleased]: https://host/o/p/compare/v1.1.0...HEAD
[1.1.0]: https://host/o/p/compare/v1.0.0...v1.1.0
[1.0.0]: https://host/o/p/releases/v1.0.0
"""


def test_what_people_wrote_moves_and_goes_before_what_was_drafted() -> None:
    result = insert_section(FILE, NOTE, "1.1.0", move=True)
    assert result == WANTED
    assert insert_section(result, NOTE, "1.1.0", move=True) == result


def test_line_ends_of_windows_stay() -> None:
    result = insert_section(FILE.replace("\n", "\r\n"), NOTE, "1.1.0", move=True)
    assert result == WANTED.replace("\n", "\r\n")
    assert insert_section(result, NOTE, "1.1.0", move=True) == result


def test_another_note_for_a_version_that_is_there_wants_replace() -> None:
    other = NOTE.replace("Repair the lock (#8)", "Repair the door (#9)")
    with pytest.raises(UsageError):
        insert_section(WANTED, other, "1.1.0", move=True)
    replaced = insert_section(WANTED, other, "1.1.0", move=True, replace=True)
    assert "Repair the door (#9)" in replaced and "old flag" not in replaced


def test_unreleased_grows_without_losing_a_line() -> None:
    coming = NOTE.replace("## [1.1.0] - 2024-05-01", "## [Unreleased]")
    result = insert_section(FILE, coming, "Unreleased", move=True)
    assert result.count("Unreleased") == 2
    assert "A **parser** for text" in result and "Add a parser" not in result
    assert "- Repair the lock (#8)" in result and "- The old flag" in result
    assert insert_section(result, coming, "Unreleased", move=True) == result


def test_what_is_coming_stays_when_an_older_version_is_written() -> None:
    note = NOTE.replace("1.1.0", "0.9.0")
    result = insert_section(FILE, note, "0.9.0", move=True)
    assert result.startswith(FILE[: FILE.index("## [1.0.0]")])


@pytest.mark.parametrize("body", ["\n", "\nNothing yet.\n", "\n### Added\n\n### Fixed\n", "\n- no changes\n"])
def test_an_empty_one_is_left_alone(body: str) -> None:
    text = f"# Changelog\n\n## Unreleased\n{body}\n## 1.0.0\n\n- First\n"
    assert not has_entries(body)
    result = insert_section(text, NOTE, "1.1.0", move=True)
    assert result.startswith(text[: text.index("## 1.0.0")])


def test_restructured_text_moves_with_its_nested_lists() -> None:
    text = (
        "Changes\n=======\n\nUnreleased\n----------\n\n-   Mine, :issue:`4`\n\n    -   and what is in it\n\n"
        "-   Other\n\nVersion 1.0\n-----------\n\n-   First\n"
    )
    note = "Version 1.1\n-----------\n\nReleased 2024-05-01\n\n-   Drafted :pr:`4`\n-   More :pr:`5`"
    result = insert_section(text, note, "1.1", move=True)
    assert (
        "Unreleased\n----------\n\nVersion 1.1\n-----------\n\nReleased 2024-05-01\n\n"
        "-   Mine, :issue:`4`\n\n"
        "    -   and what is in it\n\n-   More :pr:`5`\n-   Other\n\nVersion 1.0\n" in result
    )
    assert insert_section(result, note, "1.1", move=True) == result


def test_merging_again_changes_nothing() -> None:
    written = FILE[FILE.index("## [Unreleased]") : FILE.index("## [1.0.0]")]
    once = merge_notes(NOTE, written)
    assert merge_notes(NOTE, once) == once
    assert once.count("(#7)") == 1


def test_prose_moves_and_doubles_are_dropped() -> None:
    written = "## Unreleased\n\nThis one is *big*.\n\n- Repair the lock\n- Repair the lock (#8)\n"
    merged = merge_notes(NOTE, written)
    assert merged.startswith("## [1.1.0] - 2024-05-01\n\nThis one is *big*.\n\n")
    assert merged.count("Repair the lock") == 2


def test_the_file_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "CHANGELOG.md"
    path.write_text(FILE)
    assert write_changelog(path, NOTE, "1.1.0", move=True)
    assert path.read_text() == WANTED
    assert not write_changelog(path, NOTE, "1.1.0", move=True)


def test_thousands_of_waiting_lines_take_seconds_at_most() -> None:
    lines = "".join(f"- Change the thing number {at}\n" for at in range(5000))
    drafted = "## 1.1.0\n\n### Features\n\n- Add one (#1)\n"
    start = time.process_time()
    merged = merge_notes(drafted, f"# Unreleased\n{lines}")
    assert time.process_time() - start < 5
    assert lines.rstrip() in merged and "- Add one (#1)" in merged


TEMPLATE = """## Unreleased

<!-- PR authors:
     Name the number -->

### Highlights

<!-- Large changes -->

### Fixes

<!-- What was mended -->
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_template_stays_for_the_next_version(newline: str) -> None:
    filled = TEMPLATE.replace("mended -->\n", "mended -->\n\n- Mend the lock (#9)\n")
    text = f"# Changes\n\n{filled}\n## 1.0.0\n\n### Fixes\n\n- a\n".replace("\n", newline)
    note = "## 1.1.0\n\n### Fixes\n\n- Drafted"
    once = insert_section(text, note, "1.1.0", move=True)
    assert once.replace("\r\n", "\n") == (
        f"# Changes\n\n{TEMPLATE}\n## 1.1.0\n\n### Fixes\n\n- Mend the lock (#9)\n- Drafted\n\n"
        "## 1.0.0\n\n### Fixes\n\n- a\n"
    )
    assert once.count("\n") == once.count(newline)
    assert insert_section(once, note, "1.1.0", move=True) == once
    again = insert_section(once, note.replace("1.1.0", "1.2.0"), "1.2.0", move=True)
    assert again.replace("\r\n", "\n").startswith(
        f"# Changes\n\n{TEMPLATE}\n## 1.2.0\n\n### Fixes\n\n- Drafted\n"
    )


@pytest.mark.parametrize("body", ["- a\n<!-- never closed\n- b\n", "- a <!-- b -->\n", "<!-- a --> text\n"])
def test_what_only_looks_like_a_template_moves_whole(body: str) -> None:
    assert split_template(body) == (body, "")


def test_changes_of_one_pull_request_stay_apart_in_a_second_run() -> None:
    note = "## 1.1.0\n\n### Fixes\n\n- Mend a (#7)\n- Mend b (#7)\n\n### Changes\n\n- Move c (#7)\n"
    once = merge_notes(note, "# Unreleased\n\n### Fixes\n\n- Mend the lock (#9)\n")
    assert once.count("#7") == 3
    assert merge_notes(note, once) == once
