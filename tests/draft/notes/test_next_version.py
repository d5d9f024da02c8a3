"""Is the proposed version the one that each scheme asks for?"""

from __future__ import annotations

from datetime import date

import pytest

from gitnotes.draft.notes.entries import Entry
from gitnotes.draft.notes.next_version import propose_version
from gitnotes.versioning import read_version

FIX = Entry("Repair the lock", "Fixes")
NEW = Entry("Add a door", "Features")
BREAK = Entry("Drop the old key", "Breaking")
QUIET = Entry("Tidy up", "Internal")
TODAY = date(2024, 3, 9)


def propose(entries: list[Entry], *names: str, days: tuple[date, ...] = ()) -> tuple[str, str]:
    versions = [read_version(name) for name in names]
    dated = [(one, days[at] if days else date(2020, 1, 1)) for at, one in enumerate(versions) if one]
    found = propose_version(entries, dated, TODAY)
    return found.version, found.part


@pytest.mark.parametrize(
    ("last", "entries", "wanted"),
    [
        ("1.2.3", [FIX], ("1.2.4", "patch")),
        ("1.2.3", [FIX, NEW], ("1.3.0", "minor")),
        ("1.2.3", [FIX, NEW, BREAK], ("2.0.0", "major")),
        ("v1.2.3", [QUIET], ("1.2.4", "patch")),
        ("0.2.3", [BREAK], ("0.3.0", "minor")),
        ("0.2.3", [NEW], ("0.2.4", "patch")),
        ("1.2", [FIX], ("1.2.1", "patch")),
        ("1.2", [NEW], ("1.3", "minor")),
        ("1.2", [BREAK], ("2.0", "major")),
        ("1!1.2.3", [NEW], ("1!1.3.0", "minor")),
        ("2.0.0rc1", [FIX], ("2.0.0", "final")),
        ("2.0.0-rc.1", [BREAK], ("2.0.0", "final")),
        ("1.2.3.post1", [FIX], ("1.2.4", "patch")),
        ("pkg@1.2.3", [NEW], ("1.3.0", "minor")),
        ("1.2.3", [], ("1.2.3", "none")),
    ],
)
def test_numbers(last: str, entries: list[Entry], wanted: tuple[str, str]) -> None:
    assert propose(entries, last) == wanted


@pytest.mark.parametrize(
    ("names", "days", "wanted"),
    [
        (["2023.1.5", "2023.4.30", "2024.2.1"], [(2023, 1, 5), (2023, 4, 30), (2024, 2, 1)], "2024.3.9"),
        (["2024-01-05", "2024-02-30", "2024-03-09"], [(2024, 1, 5), (2024, 2, 30 - 1), (2024, 3, 9)], ""),
        (["23.1.0", "23.4.0", "24.3.0"], [(2023, 1, 5), (2023, 4, 3), (2024, 3, 1)], "24.3.1"),
        (["23.1.0", "23.4.0", "24.2.1"], [(2023, 1, 5), (2023, 4, 3), (2024, 2, 1)], "24.3.0"),
        (["2023.01.1", "2023.12.0", "2024.01.0"], [(2023, 1, 5), (2023, 12, 3), (2024, 1, 1)], "2024.03.0"),
        (["2022.0", "2023.0", "2024.4"], [(2022, 5, 5), (2023, 4, 3), (2024, 1, 1)], "2024.5"),
        (["2023.1.5"], [(2023, 1, 5)], "2024.3.9"),
    ],
)
def test_calendars(names: list[str], days: list[tuple[int, int, int]], wanted: str) -> None:
    found = propose([FIX], *names, days=tuple(date(*day) for day in days))
    if wanted:
        assert found == (wanted, "date")


def test_numbers_that_look_like_years_are_none() -> None:
    assert propose([NEW], "20.1.0", "21.0.0", "22.0.0") == ("22.1.0", "minor")


def test_the_reasons_are_the_changes_that_decide() -> None:
    version = read_version("1.2.3")
    assert version
    found = propose_version([FIX, NEW, BREAK], [(version, TODAY)], TODAY)
    assert found.reasons == ("Breaking: Drop the old key",)
    assert propose_version([FIX], [], TODAY).version == "0.1.0"
