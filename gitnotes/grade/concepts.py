"""Which words of a message name a kind of change that no line spells out, and which lines show that kind?"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from gitnotes.grade.lexicon import IDENTIFIER, stem

_CONCEPTS: dict[str, str] = {
    "docs": "doc docs documentation document readme guide docstring comment changelog tutorial reference"
    " wording link example clarify explain describe",
    "comment": "comment comments docstring doc docs documentation document note explain",
    "test": "test tests testing coverage spec fixture regression case benchmark unittest mock",
    "ci": "ci workflow workflows github action actions pipeline travis build job runner release",
    "manifest": "dependency dependencies dep deps bump upgrade pin unpin version requirement requirements"
    " package update lock build",
    "changelog": "changelog release version prepare news cut bump changes note",
    "version": "bump upgrade version release update dependency dependencies deps pin downgrade",
    "rename": "rename move relocate reorganize",
    "typo": "typo typos spelling misspelling grammar wording spell capitalization",
    "blanks": "format formatting whitespace indent indentation lint style reformat black gofmt line blank",
    "import": "import imports",
    "image": "image images icon logo picture screenshot asset banner favicon",
    "submodule": "submodule bump update",
    "mode": "executable permission permissions mode",
    "less": "remove delete drop unused dead cleanup clean unneeded redundant obsolete unnecessary",
    "typing": "type types typing annotation annotations mypy pyright hint hints",
    "lint": "lint lints linter mypy ruff flake8 eslint golangci noqa warning warnings",
    "punctuation": "syntax parentheses comma quote quotes punctuation markup format formatting markdown",
    "deleted": "remove delete drop",
    "created": "add introduce create new",
}


def stems_for(concepts: Iterable[str]) -> frozenset[str]:
    """The stems of the words that people use for kinds of change; kinds with no words add none."""
    return frozenset().union(*(_stems_for(concept) for concept in concepts))


@lru_cache(maxsize=64)
def _stems_for(concept: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _CONCEPTS.get(concept, "").split())


def read_edit(before: str, after: str) -> set[str]:
    """The kinds of change that one line, before and after, shows."""
    if before.split() == after.split():
        return {"blanks"}
    shortest = min(len(before), len(after))
    start = 0
    while start < shortest and before[start] == after[start]:
        start += 1
    end = 0
    while end < shortest - start and before[-1 - end] == after[-1 - end]:
        end += 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if any(character.isdigit() for character in old + new) and len(old) <= 12 and len(new) <= 12:
        return {"version"}
    if len(old) <= 8 and len(new) <= 8 and start + end >= 10 and (old + new).isalpha():
        return {"typo"}
    if IDENTIFIER.findall(before) == IDENTIFIER.findall(after):
        return {"punctuation"}
    if len(old) + len(new) <= 4:
        return {"typo"}
    return set()
