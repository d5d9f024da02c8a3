"""Is the head of a subject read the same way by whoever asks?"""

from __future__ import annotations

import pytest

from gitnotes.conventional import (
    TYPES,
    USED_TYPES,
    gitmoji_for,
    gitmoji_types,
    is_conventional,
    keep_conventional,
    read_gitmoji,
    read_head,
)
from gitnotes.draft.notes.categories import TYPES as CATEGORIES
from gitnotes.draft.style import learn_style
from gitnotes.records import Commit


@pytest.mark.parametrize(
    ("subject", "parts"),
    [
        ("fix(parser)!: keep order", ("fix", "parser", True, "keep order", True)),
        ("Fix: keep order", ("Fix", "", False, "keep order", True)),
        ("fix:keep order", ("fix", "", False, "keep order", False)),
        ("fix (parser): keep order", ("fix", "parser", False, "keep order", False)),
        ("fix(): keep order", ("fix", "", False, "keep order", False)),
        ("fix : keep order", ("fix", "", False, "keep order", False)),
        ("fix:", ("fix", "", False, "", False)),
        ("cmd/go, go/build: keep order", ("cmd/go, go/build", "", False, "keep order", True)),
    ],
)
def test_read_head(subject: str, parts: tuple[str, str, bool, str, bool]) -> None:
    head = read_head(subject)
    assert head is not None
    assert (head.type, head.scope, head.breaking, head.description, head.is_strict) == parts


def test_no_head() -> None:
    assert read_head("Keep the order") is None
    assert read_head("(x): y") is None


@pytest.mark.parametrize(
    ("subject", "answer"),
    [
        ("feat: add x", True), ("docs(api)!: drop x", True), ("DEPS: bump x", True), ("✨ feat: add x", True),
        (":bug: fix: keep x", True), ("parser: keep x", False), ("feat:add x", False), ("Add x", False),
    ],
)  # fmt: skip
def test_is_conventional(subject: str, answer: bool) -> None:
    assert is_conventional(subject) is answer


@pytest.mark.parametrize(
    ("subject", "sign", "rest"),
    [
        ("🐛 Fix x", "🐛", "Fix x"), (":bug: Fix x", ":bug:", "Fix x"), ("♻️ Split x", "♻", "Split x"),
        ("👨‍💻 Help x", "👨", "Help x"), ("Fix :bug:", "", "Fix :bug:"), ("`x` is :y:", "", "`x` is :y:"),
    ],
)  # fmt: skip
def test_read_gitmoji(subject: str, sign: str, rest: str) -> None:
    assert read_gitmoji(subject) == (sign, rest)


def test_gitmoji_there_and_back() -> None:
    for kind in ("feat", "fix", "docs", "test", "build", "refactor"):
        for code in (True, False):
            sign = gitmoji_for(kind, code=code)
            assert gitmoji_types()[read_gitmoji(f"{sign} x")[0]] == kind
    assert gitmoji_for("unheard", code=True) == ":wrench:"


def test_every_type_has_a_section() -> None:
    assert set(TYPES) <= USED_TYPES <= set(CATEGORIES)


def _commit(subject: str) -> Commit:
    return Commit("", ("0",), "A", "a@example.org", 0, subject, "")


@pytest.mark.parametrize(
    "subjects",
    [
        ["feat: a", "fix: b", "Add c"],
        ["Feat: a", "✨ fix: b", "Add c"],
        ['Revert "feat: a"', "Merge branch 'x'", "fixup! feat: a", "feat: a", "parser: b"],
        ["feat: a", *["Add b"] * 99, *["feat: c"] * 300],
        ["feat: a"] * 60 + ["Add b"] * 300,
        [],
    ],
)
def test_the_drafter_and_the_grader_see_one_custom(subjects: list[str]) -> None:
    assert learn_style([_commit(text) for text in subjects]).conventional == keep_conventional(subjects)
