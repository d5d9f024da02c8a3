"""What the words of a title weigh, and when they give way to what is declared or seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gitnotes
from gitnotes.draft.notes.categories import category_of
from gitnotes.draft.notes.classifier import guess_category, title_features

DATA = Path(gitnotes.__file__).parent / "data" / "categories.json"


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("No longer crash on empty input", "Fixes"),
        ("Handle redirects without a host", "Fixes"),
        ("update dependency foo to v2", "Dependencies"),
        ("clarify how to install", "Documentation"),
        ("extract a helper and simplify the tests", "Internal"),
    ],
)
def test_titles_without_a_type(text: str, category: str) -> None:
    assert guess_category(text).category == category


def test_likelihoods_are_shares() -> None:
    for text in ("", "x", "Handle redirects", "word " * 5000):
        assert 0.1 < guess_category(text).likelihood <= 1.0


def test_what_is_declared_or_seen_wins() -> None:
    title = "extract a helper and simplify the tests"
    assert category_of(title, None, "Features") == "Features"
    assert category_of("No longer crash on empty input", ["docs/a.md"]) == "Documentation"
    assert category_of("No longer crash on empty input", ["tests/test_a.py"]) == "Internal"
    assert category_of("Deprecate the old reader") == "Deprecations"


def test_a_guess_alone_hides_nothing_that_may_be_news() -> None:
    doubtful = "Make it possible to set a timeout"
    assert guess_category(doubtful).category == "Internal"
    assert category_of(doubtful) == "Changes"


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("ci/release: trust the publisher", "Internal"),
        ("scrape_test.go: wait longer", "Internal"),
        ("release-checklist.md: add a tip", "Documentation"),
        ("l10n: update the Catalan translation", "Internal"),
        ("Remove dead code", "Internal"),
        ("Some typos", "Documentation"),
        ("Add caution to sponsors.md", "Documentation"),
        ("Format scripts in CI", "Internal"),
        ("Support reading pyproject.toml", "Features"),
    ],
)
def test_areas_and_words_that_tell_for_whom_it_is(text: str, category: str) -> None:
    assert category_of(text) == category


def test_features_are_bounded_and_lower() -> None:
    assert title_features("promql: Fix It") == {"promql", "fix", "it", "^promql", "^promql fix", "promql:"}
    assert len(title_features("a1b2 " * 10_000)) < 200
    assert title_features("") == set()


def test_the_weights_are_small_and_whole() -> None:
    found = json.loads(DATA.read_text("utf-8"))
    assert DATA.stat().st_size < 100_000
    assert len(found["categories"]) == len(found["intercept"])
    assert {len(row) for row in found["words"].values()} == {len(found["categories"])}
