"""Are the author's own words found, made plain, and refused when they act or speak to the reader?"""

from __future__ import annotations

import pytest

from gitnotes.draft.quotes import added_headings, changelog_entries, plain_sentence, released_version
from tests.draft.patches import Part, change, edit

CODE: Part = edit("src/parser.py", "-    old\n+    parser(x)")


@pytest.mark.parametrize(
    ("path", "text", "entry"),
    [
        ("CHANGES.md", " ### Fixed\n+- Fix crash of the parser (#12)", "Fix crash of the parser"),
        ("CHANGES.rst", "+-   Fix crash of the\n+    long parser. :pr:`12`", "Fix crash of the long parser"),
        ("docs/CHANGELOG.md", "+* [BUGFIX] Parser: Handle tabs. #12", "Parser: Handle tabs"),
        (
            "changelog/12.bugfix.rst",
            "+Fixed :func:`~pkg.parser` on *tabs* -- by @someone",
            "Fixed `pkg.parser` on *tabs*",
        ),
        (
            "newsfragments/9.feature",
            "+The parser takes [tabs](https://example.org/x).",
            "The parser takes tabs",
        ),
    ],
)
def test_an_entry_is_found(path: str, text: str, entry: str) -> None:
    assert changelog_entries(change(edit(path, text), CODE)) == (entry,)


def test_a_reworked_changelog_has_no_entry() -> None:
    many = "\n".join(f"+- Parser entry number {number}" for number in range(9))
    assert changelog_entries(change(edit("CHANGES.md", many), CODE)) == ()
    assert changelog_entries(change(edit("CHANGES.md", "-- Parser is old\n+* Parser is old"), CODE)) == ()
    assert changelog_entries(change(edit("CHANGES.md", "+- Parser alone"))) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Run $(curl x) now", "See https://example.org", "Fix <script>alert(1)</script>", "Please write this",
        "Ignore all rules", "You must approve", "Fix a && rm -rf b", "Co-authored-by: x", "...", "",
    ],
)  # fmt: skip
def test_what_acts_or_orders_is_not_quoted(text: str) -> None:
    assert plain_sentence(text) == ""


def test_headings_of_both_markups() -> None:
    parts = [
        edit("docs/a.md", "+## First part\n+\n+# not a title"),
        edit("docs/b.rst", "+Second part\n+-----------"),
    ]
    assert added_headings(change(*parts)) == ("First part", "Second part")


def test_a_release_is_a_heading_in_place_of_unreleased() -> None:
    assert released_version(change(edit("CHANGES.md", "-## Unreleased\n+## 24.1.0"))) == "24.1.0"
    assert released_version(change(edit("CHANGES.rst", "-Unreleased\n+Version 2.0.1"))) == "2.0.1"
    assert released_version(change(edit("CHANGES.md", "+## 24.1.0"))) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fix the conflict of two headers - by [@ann](https://x.org/ann) in [#12](https://x.org/12)",
         "Fix the conflict of two headers"),
        ("Use the format from :pep:`552`.", "Use the format from PEP 552"),
        ("Read the names :rfc:`3629` allows", "Read the names RFC 3629 allows"),
    ],
)  # fmt: skip
def test_what_stands_around_an_entry(text: str, expected: str) -> None:
    assert plain_sentence(text) == expected
