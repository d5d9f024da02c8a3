"""Does the grade of a note fall where it was made worse, and are the reasons named?"""

from __future__ import annotations

import pytest

from gitnotes.grade.notes.matching import ChangeFact, match_items
from gitnotes.grade.notes.note_grade import DIMENSIONS, grade_note
from gitnotes.note_items import read_items

FACTS = [
    ChangeFact("Drop the old key format", "Breaking", frozenset({"1"}), ("a" * 40,)),
    ChangeFact("Add a parser for comma separated text", "Features", frozenset({"2"}), ("b" * 40,)),
    ChangeFact("Add a retry to the client", "Features", frozenset({"3"}), ("c" * 40,)),
    ChangeFact("Close idle connections of the proxy", "Fixes", frozenset({"4"}), ("d" * 40,)),
    ChangeFact("Repair the lock when two processes wait", "Fixes", frozenset({"5"}), ("e" * 40,)),
    ChangeFact("Sort imports", "Internal", frozenset({"6"}), ("f" * 40,), told=False),
    ChangeFact("Release 1.1.0", "plumbing", frozenset(), ("0a" * 20,), told=False),
]
NOTE = """\
## 1.1.0 (2024-05-01)

### Breaking

- Drop the old key format (#1)

### Features

- Add a parser for comma separated text (#2)
- Add a retry to the client (#3)

### Fixes

- Close idle connections of the proxy (#4)
- Repair the lock when two processes wait (#5)
"""


def moved(note: str) -> dict[str, float]:
    before, after = grade_note(NOTE, FACTS).scores, grade_note(note, FACTS).scores
    return {
        name: round((after[name] or 0) - (before[name] or 0), 2)
        for name in DIMENSIONS
        if after[name] != before[name]
    }


def test_a_whole_note_has_full_marks() -> None:
    found = grade_note(NOTE, FACTS)
    assert found.scores == dict.fromkeys(DIMENSIONS, 5.0)
    assert found.overall == 5.0
    assert (found.entries, found.changes) == (5, 5)
    assert not (found.missing or found.invented or found.doubles or found.unclear or found.misplaced)


def test_what_is_forgotten_is_named_and_breaking_weighs_twice() -> None:
    assert moved(NOTE.replace("- Add a retry to the client (#3)\n", "")) == {"completeness": -0.67}
    assert moved(NOTE.replace("- Drop the old key format (#1)\n", "")) == {"completeness": -1.33}
    gone = NOTE.replace("- Drop the old key format (#1)\n", "").replace(
        "- Add a retry to the client (#3)\n", ""
    )
    assert [fact.category for fact in grade_note(gone, FACTS).missing] == ["Breaking", "Features"]


def test_what_is_invented_is_named() -> None:
    spoiled = NOTE.replace("### Fixes\n", "- Teleport users to the moon (#99)\n\n### Fixes\n")
    assert set(moved(spoiled)) == {"accuracy"}
    (item,) = grade_note(spoiled, FACTS).invented
    assert (item.text, item.line) == ("Teleport users to the moon", 12)


def test_saying_it_twice_or_at_length_costs_conciseness_alone() -> None:
    line = "- Add a retry to the client (#3)\n"
    assert set(moved(NOTE.replace(line, line * 2))) == {"conciseness"}
    assert set(moved(NOTE.replace("client (#3)", f"client {'and more ' * 18}(#3)"))) == {"conciseness"}
    ((late, first),) = grade_note(NOTE.replace(line, line * 2), FACTS).doubles
    assert (late.line, first.line) == (11, 10)
    assert set(moved(NOTE + "- Release 1.1.0 (0a0a0a0a0)\n")) == {"conciseness"}


def test_saying_nothing_costs_clarity_alone() -> None:
    spoiled = NOTE.replace("Add a retry to the client", "Various fixes").replace(
        "Close idle connections of the proxy", "Various fixes"
    )
    assert set(moved(spoiled)) == {"clarity"}
    assert set(moved(NOTE.replace("Add a retry", "feat: add a retry"))) == {"clarity"}


def test_the_wrong_heading_costs_organisation_alone() -> None:
    swapped = NOTE.replace("parser for comma separated text (#2)", "@").replace(
        "Repair the lock when two processes wait (#5)", "Add a parser for comma separated text (#2)"
    )
    swapped = swapped.replace("Add a @", "Repair the lock when two processes wait (#5)")
    assert set(moved(swapped)) == {"organisation"}
    assert len(grade_note(swapped, FACTS).misplaced) == 2


def test_a_flat_list_is_ordered_when_like_stands_by_like() -> None:
    lines = [line for line in NOTE.split("\n") if line.startswith("- ")]
    flat = grade_note("## 1.1.0\n\n" + "\n".join(lines), FACTS).scores["organisation"]
    mixed = grade_note("## 1.1.0\n\n" + "\n".join(lines[at] for at in (3, 0, 1, 4, 2)), FACTS)
    assert flat is not None and mixed.scores["organisation"] is not None
    assert mixed.scores["organisation"] < flat <= 5


def test_words_of_people_find_their_change_without_numbers() -> None:
    note = (
        "1.1.0\n-----\n\n* The client now retries failed calls, with a parser for text that is separated by "
        "commas\n* Idle proxy connections are closed\n"
    )
    found = match_items(read_items(note), FACTS)
    assert found.facts[1] == (3,)
    assert not found.invented


def test_an_id_of_a_commit_is_enough() -> None:
    found = match_items(
        read_items("## 1.1.0\n\n- Something else ([bbbbbbb](https://h/commit/bbbbbbb))\n"), FACTS
    )
    assert found.facts == ((1,),)


def test_news_that_only_the_changelog_commit_names_is_news() -> None:
    facts = [
        *FACTS,
        ChangeFact("changelog: describe #77", "plumbing", frozenset({"77"}), ("9" * 40,), told=False),
    ]
    assert not grade_note(NOTE + "- Provide binaries for small machines (#77)\n", facts).needless


@pytest.mark.parametrize("note", ["", "## 1.1.0\n", "## 1.1.0\n\nReleased 2024-05-01\n"])
def test_an_empty_note_forgot_everything_and_has_no_other_score(note: str) -> None:
    found = grade_note(note, FACTS)
    assert found.scores["completeness"] == 1.0
    assert found.scores["clarity"] is None and "clarity" in found.unscored
    assert found.overall is None


def test_a_range_without_news_leaves_completeness_open() -> None:
    found = grade_note("## 1.1.0\n\n- Sort imports\n", FACTS[5:])
    assert found.scores["completeness"] is None and found.scores["accuracy"] == 5.0
    assert "completeness" in found.unscored and "overall" in found.unscored
