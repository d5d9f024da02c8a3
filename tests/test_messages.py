"""Are the parts of a message that a rule writes told from what a person writes?"""

from __future__ import annotations

import pytest

from gitnotes.messages import (
    is_bot,
    is_fixup,
    is_merge_subject,
    is_revert_subject,
    is_trailer,
    leading_tracker,
    tickets,
    trailer_start,
    without_fixup,
)


def test_fixups() -> None:
    assert is_fixup("fixup! Add x") and is_fixup("amend! Add x") and not is_fixup("fixup Add x")
    assert without_fixup("squash! fixup! Add x") == "Add x"


@pytest.mark.parametrize(
    "subject",
    ["Merge branch 'a' into b", "Merge remote-tracking branch 'o/a'", "Merge tag 'v1'",
     "Merge pull request #1 from a/b", "Merge branch main of host:x"],
)  # fmt: skip
def test_merges_of_git(subject: str) -> None:
    assert is_merge_subject(subject)
    assert not is_merge_subject(subject.replace("Merge ", "Merge two ", 1))


def test_reverts_of_git() -> None:
    assert is_revert_subject('Revert "Add x"') and is_revert_subject('Reapply "Add x" (#12)')
    assert not is_revert_subject("Revert to the old parser")
    assert not is_revert_subject('Revert "Add x" because of y')


@pytest.mark.parametrize(
    ("author", "answer"),
    [
        ("dependabot[bot] <support@github.com>", True), ("Renovate Bot <bot@renovateapp.com>", True),
        ("PrometheusBot <x@example.org>", True), ("pre-commit-ci <x@example.org>", True),
        ("Jane Abbot <jane@example.org>", False), ("Bot Nguyen <b@example.org>", False),
        ("Renovator <r@example.org>", False),
    ],
)  # fmt: skip
def test_bots(author: str, answer: bool) -> None:
    assert is_bot(author) is answer


@pytest.mark.parametrize(
    ("lines", "start"),
    [
        (["Why.", "", "Fixes #12", "Signed-off-by: A <a@b>"], 2),
        (["Signed-off-by: A <a@b>"], 0),
        (["Why.", "", "BREAKING CHANGE: x goes", "  and more"], 2),
        (["Why.", "", "Some words", "Signed-off-by: A <a@b>"], 2),
        (["Why.", "", "Some words", "Note: more words", "and more"], 5),
        (["Why.", "", "https://example.org"], 3),
        (["Why.", "", "Refs: #1", ""], 2),
        ([], 0),
    ],
)
def test_where_trailers_begin(lines: list[str], start: int) -> None:
    assert trailer_start(lines) == start


def test_no_trailers() -> None:
    assert not any(map(is_trailer, ("std::move it", "see http://x", "a b: c", "http://x", "")))


def test_tickets() -> None:
    assert tickets("Fix #12, ABC-3 and GH-4") == ["#12", "ABC-3", "GH-4"]
    assert tickets("Read UTF-8 and SHA-256; a&#39; x-1 /#5") == []


@pytest.mark.parametrize(
    ("subject", "key"),
    [("ABC-1: Add x", "ABC"), ("[ABC-12] Add x", "ABC"), ("#12 Add x", "#"), ("GH-3: Add x", "#"),
     ("UTF-8 names", ""), ("Add x #12", ""), ("ABC-1", "")],
)  # fmt: skip
def test_leading_tracker(subject: str, key: str) -> None:
    assert leading_tracker(subject) == key
