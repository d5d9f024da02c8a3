"""Which words of a message name a kind of change that no line spells out, and which lines show that kind?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from functools import cache, lru_cache

from gitnotes.grade.lexicon import IDENTIFIER, stem
from gitnotes.guard.patterns import late

_YEAR = late(r"(?<!\d)20\d\d(?!\d)")
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
    "blanks": "format formatting whitespace indent indentation lint style reformat black gofmt line blank"
    " space spaces spacing newline",
    "year": "year years copyright license licence date",
    "checks": "lint linter linting format formatting formatter hook hooks style precommit automatic",
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
QUOTED_TEXT = r"[\"'`][\w<\[{%-][\w<>\[\]{}.:%/-]{0,40} [\w<\[{%-]"
"""The pattern of a string of several words: what a program tells people."""
_CONSTRUCTS: dict[str, str] = {
    "for |while |foreach": "loop loops iterate iterates iteration iterator",
    "except|catch|raise |throw|rescue|panic|errors?\\b|err ": "error errors exception exceptions catch handle"
    " handling raise throw fail fails failure crash swallow",
    "if |else|switch |case |unless ": "check checks condition conditional guard",
    "none\\b|null|nil\\b|undefined|optional": "none null nil undefined empty missing optional unset",
    QUOTED_TEXT: "message messages text wording string label output warning",
    "https?:": "link links url urls page site website address",
    "https": "secure security https ssl tls",
    "regex|re\\.|pattern": "regex regexp regular expression pattern match",
    "log[.(]|logger|logging|console": "log logs logging logger message",
    "async|await|lock|mutex|thread|go func|atomic": "race concurrency concurrent asynchronous lock deadlock"
    " thread parallel",
    "sleep|timeout|time\\.|wait": "flaky timing wait timeout delay slow",
    "display:|hidden|visib": "hide hidden show visible invisible display",
    "color|margin|padding|width:|height:|font": "style styling layout color look",
    "assert|expect": "test tests assertion assert verify check",
    "publish|upload|deploy|twine": "release releases releasing publish deploy upload",
    "cache|memo": "performance speed faster cache caching",
}
"""What people call the constructs of a program: a pattern of changed lines, in small letters, to words."""
_SYNONYMS = (
    "dict dictionary mapping map", "arg argument param parameter option flag", "env environment",
    "config configuration setting settings preference", "auth authentication authorization login",
    "msg message", "err error exception", "str string text", "dir directory folder", "cmd command",
    "repo repository", "req request", "resp response", "conn connection", "init initialize constructor",
    "len length size", "num number count", "max maximum", "min minimum", "ref reference", "pkg package",
    "dep dependency", "lib library", "prop property", "attr attribute", "var variable", "tmp temporary",
    "cert certificate", "func function", "sidebar navigation menu nav", "cb callback", "ctx context",
    "db database", "sync synchronous", "regex regexp", "del delete remove", "char character", "col column",
    "addr address", "buf buffer", "idx index", "img image", "info information", "int integer",
    "bool boolean", "iter iterator", "obj object", "pos position", "prev previous", "proc process",
    "src source", "stmt statement", "val value", "win window", "util utility helper", "getattr attribute",
    "hasattr attribute", "extras extra", "py python", "js javascript", "ts typescript", "rb ruby",
    "md markdown", "stdin stdout stderr output input", "exec execute run", "eval evaluate",
    "ssl tls https secure", "url link", "pytest test", "docs documentation",
)  # fmt: skip
"""Words that people write for one another, in code and in prose."""


def stems_for(concepts: Iterable[str]) -> frozenset[str]:
    """The stems of the words that people use for kinds of change; kinds with no words add none."""
    return frozenset().union(*(_stems_for(concept) for concept in concepts))


@lru_cache(maxsize=64)
def _stems_for(concept: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _CONCEPTS.get(concept, "").split())


def related_stems(changed: str, stems: Set[str]) -> frozenset[str]:
    """The stems of words for the constructs in `changed`, changed lines in small letters, and of other
    words for its `stems`."""
    found: set[str] = set()
    for pattern, named in _constructs():
        if pattern().search(changed):
            found |= named
    for group in _synonyms():
        if not group.isdisjoint(stems):
            found |= group
    return frozenset(found)


@cache
def _constructs() -> list[tuple[Callable[[], re.Pattern[str]], frozenset[str]]]:
    return [(late(pattern), frozenset(map(stem, words.split()))) for pattern, words in _CONSTRUCTS.items()]


@cache
def _synonyms() -> list[frozenset[str]]:
    return [frozenset(map(stem, group.split())) for group in _SYNONYMS]


def read_edit(before: str, after: str) -> set[str]:
    """The kinds of change that one line, before and after, shows."""
    if "".join(before.split()) == "".join(after.split()):
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
        return {"version", "year"} if _YEAR().search(after) else {"version"}
    if len(old) <= 8 and len(new) <= 8 and start + end >= 10 and (old + new).isalpha():
        return {"typo"}
    if IDENTIFIER.findall(before) == IDENTIFIER.findall(after):
        return {"punctuation"}
    if len(old) + len(new) <= 4:
        return {"typo"}
    return set()
