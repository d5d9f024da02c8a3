"""Which kind of change is a title about, when its type, its words or its paths say so?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Literal

from gitnotes.kinds import Kind, kind_of

Category = Literal[
    "Breaking",
    "Features",
    "Fixes",
    "Performance",
    "Security",
    "Deprecations",
    "Changes",
    "Reverted",
    "Documentation",
    "Dependencies",
    "Internal",
]

_TYPE_WORDS: tuple[tuple[Category, str], ...] = (
    ("Features", "feat feature features feats add new enhancement"),
    ("Fixes", "fix fixes bugfix bugfixes bug hotfix"),
    ("Performance", "perf performance optimization optimisation"),
    ("Security", "sec security"),
    ("Deprecations", "deprecate deprecated deprecation"),
    ("Documentation", "doc docs documentation readme"),
    ("Dependencies", "dep deps dependencies"),
    ("Changes", "change changed improve improvement ux"),
    ("Reverted", "revert"),
    ("Internal", "chore ci test tests testing refactor refactoring style build lint cleanup types typing"),
    ("Internal", "internal dev maint maintenance release wip infra comment comments l10n i18n"),
)
TYPES: dict[str, Category] = {word: category for category, words in _TYPE_WORDS for word in words.split()}
"""Conventional types, and the labels that projects put into brackets or before a colon."""

_TOOLING = (
    r"flake8|mypy|pyright|ruff|pylint|rubocop|golangci-lint|eslint|clippy|coverage|pip-compile|dependabot|tox"
    r"|maintainers"
)
_TESTING = (
    rf"(?:tests?|test cases?|test suite|unit tests?|benchmarks?|ci|linters?|linting|codeowners|{_TOOLING})"
)
_TOOLS = r"(?:tests?|ci|lint\w*|mypy|ruff|flake8|pre-commit|(?:gh|github) actions|workflows?)"
_TOUCH = r"(?:add|fix|update|improve|remove|refactor|simplify|clean ?up|move|extend|enable|use)\w*"
_DOCUMENT = r"(?:docs?|documentation|docstrings?|readme(?:\.\w+)?|changelog|typos?(?: in .*)?)"
_BROKEN = r"(?:crash|panic|deadlock|leak|race|overflow|exception|error|corruption)"

_UNUSED = r"unused \w+|dead (?:code|test ?cases?)|code clean-?ups?|license headers?"
_DEV_ONLY = (
    rf"\b(?:in|on|for|from|to) (?:the )?(?:ci|tests?|test suite|pre-commit|(?:gh|github) actions)(?: job)?$"
    rf"|\bactions/[\w-]+|\bpre-commit\b|\b(?:{_UNUSED})\b"
)
_PAPERS = r"\btypos?\b|\b(?:contributing|sponsors?|readmes?)\b|\bdocs/|\b[\w-]+\.(?:md|rst)\b|\bdocstrings?\b"

# In order: the first that matches the start of the sentence decides.
_SENTENCES: tuple[tuple[Category, str], ...] = (
    ("Security", r"(?:fix|address|mitigate|prevent)\w*\b.{0,80}\bCVE-\d|CVE-\d|fix\w* .{0,40}\bvulnerabilit"),
    ("Internal", rf"{_TOOLS}\b"),
    ("Internal", r"\w+ ['\"`]?(?:\w+\.)?(?:Test|Benchmark)[A-Z]\w+"),
    ("Internal", rf"{_TOUCH} (?:[\w.-]+ ){{0,4}}{_TESTING}\b"),
    ("Dependencies", r"(?:fix|change|adjust|sync)\w* (?:[\w-]+ ){0,2}(?:dependencies|deps)(?: to .*)?$"),
    (
        "Dependencies",
        r"(?:update|upgrade|bump|refresh|pin)\w* (?:[\w-]+ ){0,2}(?:requirements|dependenc(?:y|ies)|deps)\b",
    ),
    ("Dependencies", r"(?:bump|update)\w* the [\w./-]+ group (?:across|with|in)\b"),
    ("Internal", rf"(?:upgrade|bump|downgrade)\w* (?:to )?(?:{_TOOLING})\b"),
    ("Internal", r"(?:refactor|clean ?up|reformat|tidy|lint|apply formatting)\w*\b"),
    ("Documentation", rf"(?:\w+ ){{0,4}}{_DOCUMENT}$"),
    ("Documentation", rf"{_TOUCH} (?:[\w.-]+ ){{0,2}}(?:docs|documentation|docstrings?|readme)\b"),
    ("Documentation", r"(?:docs?|document|documentation|readme|typos?)\b"),
    ("Documentation", r"(?:fix|correct)\w* (?:a )?(?:\w+ )?(?:typo|spelling)"),
    ("Deprecations", r"deprecat\w+\b"),
    ("Internal", rf".{{0,200}}?(?:{_DEV_ONLY})"),
    ("Documentation", rf".{{0,200}}?(?:{_PAPERS})"),
    ("Fixes", r"(?:fix|bug ?fix|hot ?fix|repair|correct|resolve)(?:es|ed|s|d|ing)?\b"),
    ("Fixes", rf"(?:prevent|avoid)\w* .{{0,60}}\b{_BROKEN}"),
    (
        "Performance",
        r"(?:speed ?up|optimi[sz]e|faster|accelerate|reduce (?:memory|allocation|cpu|latency))\w*\b",
    ),
    ("Features", r"(?:add|implement|introduce|support|allow|enable|provide|new|expose)(?:s|es|ed|d|ing)?\b"),
)
_OF_KIND: dict[str, Category] = {"test": "Internal", "ci": "Internal", "docs": "Documentation"}
QUIET: tuple[Category, ...] = ("Internal", "Documentation", "Dependencies")
"""What concerns users least."""
_CERTAIN, _SURE, _LIKELY = 0.85, 0.6, 0.45
_STAGE = r"(?:[.+-]?[A-Za-z][\w.+-]*|[ ](?:alpha|beta|rc|pre|dev)[.-]?\d*)?"
_NUMBER = rf"v?\d+(?:\.\d+)*{_STAGE}"
_DOTTED = rf"v?\d+(?:\.\d+)+{_STAGE}"
_FILLER = r"(?: (?:for|the|a|of|new|next|release|version))*"
_VERSION_FILES = frozenset(
    ["version", "version.txt", "version.py", "_version.py", "__version__.py", "version.go", "version.rb"]
)
_PEOPLE = frozenset(
    ["maintainers", "codeowners", "authors", "contributors", "owners", "owners_aliases", "thanks"]
)
_DEVELOPERS = re.compile(
    r"(?:^|/)(?:\.pre-commit-config\.ya?ml|\.git(?:ignore|attributes|pod[^/]*)|\.git-blame-ignore-revs|\.mailmap"
    r"|\.editorconfig|\.flake8|\.pylintrc|\.coveragerc|mypy\.ini|pytest\.ini|\.golangci\.ya?ml|\.rubocop[^/]*"
    r"|\.eslint[^/]*|\.prettier[^/]*|renovate\.json5?|(?:\.devcontainer|\.vscode|\.idea|\.github)/.*"
    r"|requirements[-_/](?:dev|tests?|testing|docs?|build|typing|lint|ci)[\w-]*\.(?:txt|in))$",
    re.I,
)
_OF_USERS = re.compile(
    r"\b(?:drop|support|requires?|minimum|min|python|node|ruby|licen[sc]e|wheels?|packag\w+|install\w*)\b",
    re.I,
)
_DROPS = re.compile(r"(?:drop|remove|end)\w* (?:[\w.-]+ ){0,2}(?:support|compatibility)\b", re.I)
"""To a classifier that knows the word from `add support`, these are features."""
_UPDATES = re.compile(r"(?:bump|update|upgrade|downgrade|pin|unpin|refresh|sync|lock)\w*\b", re.I)
_PLUMBING = [
    re.compile(pattern, re.I)
    for pattern in (
        rf"(?:\w+ )?(?:release|releasing|released|version|tag|cut|start|begin){_FILLER} {_NUMBER}\.?",
        rf"(?:prepare|prep)\w*{_FILLER} {_DOTTED}",
        rf"(?:prepare|prep|create|make|finali[sz]e|do)\w*{_FILLER} (?:release|version) {_NUMBER}\.?",
        r"(?:prepare|prep|start|begin|open)\w*(?: (?:for|the|a|new|next))* (?:release|development|dev cycle)",
        rf"{_DOTTED}(?: release)?",
        rf"(?:(?:start|begin|open)\w* )?(?:the )?(?:{_DOTTED} cycle|[\w-]{{1,30}} batch)(?: \(.*\)| for .*)?",
        r"(?:bump|set|update|increase|increment)\w*(?: (?:the|package|project|crate|our))* version:?(?: .*)?",
        r"\[maven-release-plugin\].*",
        rf"(?:[\w-]{{1,20}}: )?(?:version )?bump\w*(?: (?:to|version|release))* \(?{_DOTTED}\)?",
        rf"[a-z][\w./-]{{1,60}}-v?\d+\.\d+(?:\.\d+)+{_STAGE}\.?",
        rf"(?:[\w-]{{1,20}}: )?(?:auto-?release|(?:bump|update)(?: \w{{1,20}})? version(?: to)?):? {_NUMBER}",
    )
]
_CHANGELOG = [
    re.compile(pattern, re.I)
    for pattern in (
        r"(?:(?:add|new|update|regenerate|prepare|create|fix|edit|tweak)\w*"
        r"(?: (?:the|a|an|new|next|missing|template for))* )?"
        r"(?:change ?log|release notes?|release template|news)(?:\.\w+)?"
        r"(?: (?:entry|entries|template))?(?: (?:for|of|with|about) .{1,80}|: .{1,80})?",
        r"add .{1,60} to (?:the )?change ?log",
        r"(?:\w+ ){1,5}history(?:\.(?:md|markdown|rst)| doc(?:ument)?)(?: (?:entry|for|of|to)\b.{0,80})?",
        r"update (?:the )?history to reflect .{1,80}",
        rf"\w+ (?:the )?history entry for {_NUMBER}",
        r"add\w* (?:[\w.-]+ ){0,3}release (?:history|post|announcement)"
        r"(?: (?:&|and) (?:history|post|change ?log))?(?: (?:for|to) .{1,80})?",
    )
]


_SHORTCODE = re.compile(r" :[a-z0-9_+-]{2,30}:(?= )")


@lru_cache(maxsize=8192)
def plumbing(text: str) -> str:
    """Why a change with this title is no news to a reader; empty when it may be."""
    text = _SHORTCODE.sub("", text)
    if any(pattern.fullmatch(text) for pattern in _PLUMBING):
        return "prepares a release"
    if any(pattern.fullmatch(text) for pattern in _CHANGELOG):
        return "edits the changelog"
    return ""


def housekeeping(paths: Sequence[str] | None) -> str:
    """Why a change that touches only these files is no news, whatever its title says; else empty.

    `paths` is None when nobody looked.
    """
    names = {path.rpartition("/")[2].lower() for path in paths or ()}
    kinds = {kind_of(path) for path in paths or ()}
    if kinds == {"changelog"}:
        return "edits the changelog"
    others = {
        name
        for name, path in ((path.rpartition("/")[2].lower(), path) for path in paths or ())
        if kind_of(path) not in ("changelog", "manifest", "lock")
    }
    if others and others <= _VERSION_FILES and (kinds > {"changelog"} or names <= _VERSION_FILES):
        return "prepares a release"
    return ""


@cache
def _sentences() -> list[tuple[Category, re.Pattern[str]]]:
    return [(category, re.compile(pattern, re.I)) for category, pattern in _SENTENCES]


def category_of(
    text: str,
    paths: Sequence[str] | None = (),
    declared: Category | None = None,
    scope: str = "",
    *,
    is_new: bool = False,
) -> Category:
    """The kind of a change: as its title declares it, else from words and paths, else `Changes`.

    An area before a colon (`promql: fix x`) decides only when it is a type itself (`docs: ...`).
    Words do not make news for users of what touches tests or people's names alone. `is_new` says that
    every file is a new one; what only seems a fix by its nouns is then none.
    """
    kinds = {kind_of(path) for path in paths or ()}
    names = {path.rpartition("/")[2].partition(".")[0].lower() for path in paths or ()}
    if names and names <= _PEOPLE:
        return "Internal"
    concern = _concern_of_paths(text, paths or (), kinds)
    if declared in ("Features", "Fixes", "Changes") and kinds == {"test"}:
        return "Internal"
    if declared is not None:
        is_test = scope.lower() in ("test", "tests", "testing", "ci") or kind_of(scope) == "test"
        return "Internal" if is_test and declared in ("Features", "Fixes", "Changes") else declared
    if concern == "Internal":
        return concern
    found = _category_by_words(text)
    # Nouns such as `errors` are in most fixes; where nothing stood before, nothing was mended.
    if is_new and found == "Fixes" and category_of_words(text) != "Fixes":
        found = "Changes"
    return concern if concern and found != "Internal" else found


def _concern_of_paths(text: str, paths: Sequence[str], kinds: set[Kind]) -> Category | None:
    """What kind of change it is, judged by where it was made, whatever the title says; None when that does
    not tell. What has an entry in the changelog, or changes what a package needs, is for its users."""
    if not kinds:
        return None
    if kinds <= {"docs", "licence", "changelog", "image"} and kinds != {"image"}:
        return "Documentation"
    is_update = kinds == {"lock"} or _UPDATES.match(text) is not None
    if kinds <= {"manifest", "lock"} and is_update and not _OF_USERS.search(text):
        return "Dependencies"
    own = [path for path in paths if kind_of(path) not in ("test", "ci") and not _DEVELOPERS.search(path)]
    others = {kind_of(path) for path in own}
    if len(own) == len(paths) or not others <= {"docs", "image", "lock", "manifest"}:
        return None
    return None if "manifest" in others and _OF_USERS.search(text) else "Internal"


def _category_by_words(text: str) -> Category:
    """What rules for the start of the sentence say, and where they leave it open what the words weigh.

    To be hidden from users takes more certainty than to stand under another heading, and to be called a
    fix, which says that something was broken, more than to be called a feature.
    """
    from gitnotes.draft.notes.classifier import guess_category

    ruled = category_of_words(text)
    if ruled != "Changes" or _DROPS.match(text):
        return ruled
    guess = guess_category(text)
    wanted = _CERTAIN if guess.category in QUIET else _SURE if guess.category == "Fixes" else _LIKELY
    return guess.category if guess.likelihood >= wanted else ruled


def category_of_words(text: str) -> Category:
    """What rules for the start of the sentence say; `Changes` where they leave it open."""
    sentence = text.lstrip("*_`([ ")
    area, _, rest = sentence.partition(": ")
    candidates = [sentence]
    if rest and len(area) <= 40:
        first = area.lower().partition("/")[0]
        if first in TYPES:
            return TYPES[first]
        if found := _OF_KIND.get(kind_of(area)):
            return found
        candidates = [rest.lstrip("*_`([ "), sentence]
    for candidate in candidates:
        for category, pattern in _sentences():
            if pattern.match(candidate):
                return category
    return "Changes"
