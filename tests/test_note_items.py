"""Which entries does a note have, in every markup, and how long does a hostile one take?"""

from __future__ import annotations

import time

import pytest

from gitnotes.note_items import category_of_heading, plain_text, read_items


def test_markdown() -> None:
    first, second, nested, prose = read_items(
        "## [1.0](https://h/c) (2024-01-01)\n\n### :bug: Bug Fixes ###\n\n* **core:** say `__init__` \\<T>\n"
        "  over two lines ([#12](https://h/pull/12)) ([abcdef1](https://h/commit/abcdef1234))\n"
        "* Next, closes #3\n"
        "  - inside\n\nSome prose.\n\n```\n- code\n```\n<!-- - comment -->\n[x]: https://h/\n"
    )
    assert first.text == "core: say __init__ <T> over two lines"
    assert (first.numbers, first.line, first.heading) == (frozenset({"12"}), 5, "Bug Fixes")
    assert "abcdef1" in first.commits
    assert second.numbers == frozenset({"3"}) and nested.depth == 1
    assert (prose.text, prose.is_entry) == ("Some prose.", False)


def test_restructured_text_and_tables() -> None:
    items = read_items(
        "Version 1.0\n-----------\n\n-   Fix ``x`` and\n    more. :pr:`12` `#5 <https://h/5>`__\n\nAdded\n~~~~~\n\n"
        "- Door\n\n| Type | Link |\n| --- | --- |\n| Fix the roof | [#7](https://h/7) |\n"
    )
    assert [item.text for item in items] == ["Fix x and more.", "Door", "Type | Link", "Fix the roof |"]
    assert items[0].numbers == frozenset({"12", "5"}) and items[3].numbers == frozenset({"7"})
    assert items[1].heading == "Added"


def test_headings_tell_the_kind() -> None:
    assert category_of_heading("### 🐛 Bug Fixes") == "Fixes"
    assert category_of_heading("Added") == "Features"
    assert category_of_heading("Command line") == ""


def test_plain_text_loses_references_alone() -> None:
    assert plain_text("Fix a_b in [the docs](https://h/d) (#1, #2)") == "Fix a_b in the docs"
    assert plain_text("Say 1234567 and a&amp;b") == "Say 1234567 and a&b"


@pytest.mark.parametrize(
    "line",
    [
        "# a" + " #" * 1900 + "b",
        "- " + " " * 3900 + "(x",
        "- " + "`" * 3900,
        "- " + "[" * 3900,
        "- " + "(,," * 1300,
    ],
)
def test_hostile_lines_take_no_time(line: str) -> None:
    started = time.perf_counter()
    read_items(f"## 1.0\n{line}\n" * 100)
    assert time.perf_counter() - started < 5
