"""Do names, verbs and sentences come out as people say them?"""

from __future__ import annotations

import pytest

from gitnotes.draft.condense import condense
from gitnotes.draft.words import (
    first_sentence,
    join_names,
    reads_as_words,
    say_count,
    shorten,
    split_name,
    to_imperative,
)
from gitnotes.guard.width import columns
from gitnotes.verbs import inflect


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("parse_patch", "parse patch"),
        ("parseHTTPHeader", "parse HTTP header"),
        ("MAX_FILE_SIZE", "max file size"),
        ("IPv6Address", "IPv6 address"),
        ("XOR2Encoding", "XOR2 encoding"),
        ("x", "x"),
    ],
)
def test_split_name(name: str, words: str) -> None:
    assert split_name(name) == words


def test_a_cipher_is_not_said() -> None:
    assert reads_as_words("open_stream")
    assert not any(map(reads_as_words, ("open", "sha256_x1", "a_b", "")))


@pytest.mark.parametrize(
    ("verb", "past", "third"),
    [
        ("add", "added", "adds"),
        ("fix", "fixed", "fixes"),
        ("drop", "dropped", "drops"),
        ("rewrite", "rewrote", "rewrites"),
    ],
)
def test_inflect(verb: str, past: str, third: str) -> None:
    assert (inflect(verb, "past"), inflect(verb, "third"), inflect(verb, "imperative")) == (past, third, verb)


@pytest.mark.parametrize(
    ("entry", "order"),
    [
        ("Fixed a crash", "Fix a crash"),
        ("Fixing a crash", "Fix a crash"),
        ("`a` is now deprecated", "Deprecate `a`"),
        ("The `b` option has been removed", "Remove the `b` option"),
        ("Black now supports Python 3", "Support Python 3"),
        (
            "Fix bug where the cache was shared between runs",
            "Fix bug where the cache was shared between runs",
        ),
        ("The cache is shared by all", "The cache is shared by all"),
        ("Parentheses matter", "Parentheses matter"),
    ],
)
def test_to_imperative(entry: str, order: str) -> None:
    assert to_imperative(entry) == order


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("Fix the crash of the parser", "Fix the crash"),
        ("Fix `one two three` now", "Fix one two"),
        ("Fix it", "Fix it"),
        ("x" * 40, "x" * 16),
        ("語" * 40, "語" * 8),
    ],
)
def test_shorten_leaves_no_loose_end(text: str, short: str) -> None:
    assert shorten(text, 16) == short
    assert columns(shorten(text, 16)) <= 16


def test_small_words() -> None:
    assert join_names(["a", "b", "c"]) == "a, b and c"
    assert (say_count(1, "file"), say_count(2, "dependency"), say_count(40, "file")) == (
        "one file",
        "two dependencies",
        "several files",
    )
    assert first_sentence("Fix v1.2 e.g. this. And that.") == "Fix v1.2 e.g. this"


@pytest.mark.parametrize(
    "sentence",
    [
        "When `strict` is enabled, marker names used in `-m` expressions are now validated against the list",
        "A `RecursionError` whose recursion origin cannot be located now shows only the first and last 10"
        " stack frames, matching what was done",
    ],
)
def test_a_statement_is_not_cut_before_what_it_says(sentence: str) -> None:
    assert condense(sentence) == ""
