"""Are the forms of a verb made and read back?"""

from __future__ import annotations

import pytest

from gitnotes.identifiers import split_identifier
from gitnotes.verbs import forms, imperative_of, inflect, is_verb


@pytest.mark.parametrize(
    ("verb", "third", "past", "gerund"),
    [
        ("add", "adds", "added", "adding"), ("drop", "drops", "dropped", "dropping"),
        ("fix", "fixes", "fixed", "fixing"), ("copy", "copies", "copied", "copying"),
        ("remove", "removes", "removed", "removing"), ("write", "writes", "wrote", "writing"),
        ("set", "sets", "set", "setting"), ("undo", "undoes", "undid", "undoing"),
        ("free", "frees", "freed", "freeing"),
    ],
)  # fmt: skip
def test_inflections(verb: str, third: str, past: str, gerund: str) -> None:
    assert is_verb(verb)
    assert (inflect(verb, "third"), inflect(verb, "past"), inflect(verb, "gerund")) == (third, past, gerund)
    for form in {third, past, gerund} - {verb}:
        assert forms()[form].verb == verb


def test_nouns_stay_nouns() -> None:
    assert imperative_of("Fixes", "the") == "Fix"
    assert imperative_of("Updates", "to") is None
    assert imperative_of("Add", "x") is None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("parseHTTPHeader2", ["parse", "HTTP", "Header2"]), ("utf8_name", ["utf8", "name"]),
        ("IPv6Address", ["IPv6", "Address"]), ("größe_x", ["gr", "öß", "e", "x"]), ("__", []),
    ],
)  # fmt: skip
def test_split_identifier(name: str, words: list[str]) -> None:
    assert split_identifier(name) == words
