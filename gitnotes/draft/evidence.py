"""What is known about a change before a word is written, and which names may be written?"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from gitnotes.draft.edits import Edits, find_edits
from gitnotes.draft.quotes import changelog_entries, is_quotable, released_version
from gitnotes.draft.words import split_name
from gitnotes.guard.patterns import late
from gitnotes.kinds import Kind, kind_of, theme_of
from gitnotes.records import Change, DefinitionChange, DependencyChange, FileChange

_SAFE_NAME = late(r"[\w@.][\w@./+:#~-]{0,58}|--?[A-Za-z][\w.-]{0,58}")
_SAFE_PATH = late(r"[\w@.][\w@./+~-]{0,99}")
_NAME_LIKE = late(r"\w[_./:]+\w|\d|[a-z][A-Z]|[A-Z]{2}[a-z]")
_RELEASE = late(r"(?:([a-z][a-z_-]{1,40})[-@/])?v?(\d+\.\d+[\w.+-]*)")
_FIX_WORDS = late(
    r"(?:^|_)(?:fix|fixes|fixed|regression|bug|crash|issue|panic|race|deadlock|leak)(?:_|\d|$)|gh_?\d+",
    re.IGNORECASE,
)
LINE_CAP = 4096


class Evidence(NamedTuple):
    """The facts of a change that its subjects are made of."""

    change: Change
    paths: tuple[str, ...]
    theme: str
    kinds: dict[Kind, int]
    """Kind of file to its changed lines."""
    code: tuple[DefinitionChange, ...]
    tests: tuple[DefinitionChange, ...]
    settings: tuple[DefinitionChange, ...]
    dependencies: tuple[DependencyChange, ...]
    edits: Edits
    entries: tuple[str, ...]
    """What the change says about itself in a changelog."""
    released: str = ""
    """The version that a changelog heading announces."""

    def files(self, *kinds: Kind) -> list[FileChange]:
        return [item for item in self.change.files if kind_of(item.path) in kinds]

    @property
    def project(self) -> DependencyChange | None:
        """The move of the project's own version; a lock file lists other projects of the tree as well."""
        stated = (item for item in self.dependencies if item.project and item.new)
        return next((item for item in stated if kind_of(item.path) != "lock"), None)


def gather(change: Change) -> Evidence:
    """Everything that the drafter knows about `change`, letters with accents written as one sign."""
    change = _composed(change)
    definitions = tuple(item for item in change.definitions if is_safe(item.name))
    kinds: Counter[Kind] = Counter()
    for item in change.files:
        kinds[kind_of(item.path)] += (item.added or 0) + (item.removed or 0)
    return Evidence(
        change=change,
        paths=tuple(item.path for item in change.files),
        theme=theme_of(item.path for item in change.files),
        kinds=dict(kinds),
        code=tuple(
            item
            for item in definitions
            if kind_of(item.path) not in {"test", "config", "manifest", "ci", "docs"}
        ),
        tests=tuple(item for item in definitions if kind_of(item.path) == "test"),
        settings=tuple(item for item in definitions if kind_of(item.path) in {"config", "manifest", "ci"}),
        dependencies=tuple(item for item in change.dependencies if not item.name or is_safe(item.name)),
        edits=find_edits(change),
        entries=changelog_entries(change),
        released=released_version(change),
    )


def compose(text: str) -> str:
    """The text with each letter and its accents as one sign (NFC), as people and most editors write them."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _composed(change: Change) -> Change:
    """The change with its names and lines composed; paths come from file systems that take them apart."""
    if all(
        unicodedata.is_normalized("NFC", line) for hunk in change.hunks for line in (hunk.path, *hunk.lines)
    ) and all(unicodedata.is_normalized("NFC", item.path) for item in change.files):
        return change
    return replace(
        change,
        files=tuple(
            replace(item, path=compose(item.path), old_path=item.old_path and compose(item.old_path))
            for item in change.files
        ),
        hunks=tuple(
            replace(
                hunk, path=compose(hunk.path), heading=compose(hunk.heading),
                lines=tuple(map(compose, hunk.lines)),
            )
            for hunk in change.hunks
        ),
        definitions=tuple(
            replace(
                item, name=compose(item.name), path=compose(item.path), owner=compose(item.owner),
                old_name=compose(item.old_name), old_path=compose(item.old_path), base=compose(item.base),
                added_parameters=tuple(map(compose, item.added_parameters)),
                removed_parameters=tuple(map(compose, item.removed_parameters)),
            )
            for item in change.definitions
        ),
    )  # fmt: skip


def conventional_type(evidence: Evidence) -> str:
    """The conventional type that follows from the change; `fix` and `feat` only when something shows it."""
    theme = evidence.theme
    if (
        evidence.project
        and theme in {"dependencies", "changelog", "mixed", "code", "config", "other"}
        and _is_release(evidence)
    ):
        return "release"
    if theme in {"docs", "changelog", "licence"}:
        return "docs"
    if theme in {"test", "ci"}:
        return theme
    if theme in {"dependencies", "manifest", "lock", "vendored"}:
        return "build"
    if evidence.edits.formatting_only:
        return "style"
    if evidence.edits.comments_only or evidence.edits.text_only:
        return "docs"
    if shows_fix(evidence):
        return "fix"
    if any(item.action == "added" for item in evidence.code) or any(
        item.status == "A" and kind_of(item.path) == "code" for item in evidence.change.files
    ):
        return "feat"
    if theme in {"config", "generated", "image", "other", "nothing"}:
        return "chore"
    if evidence.code and all(item.action in {"renamed", "moved", "removed"} for item in evidence.code):
        return "refactor"
    if all(item.status in "RD" for item in evidence.change.files):
        return "refactor"
    return "fix" if evidence.tests else "refactor"


def shows_fix(evidence: Evidence) -> bool:
    """Whether something in the change says that it repairs: a changelog entry or the name of a new test."""
    if any(
        re.match(r"(?:fix|correct|repair|prevent|avoid|resolve)", entry, re.IGNORECASE)
        for entry in evidence.entries
    ):
        return True
    if any(
        re.search(r"\b(?:crash|bug|regression|panic)", entry, re.IGNORECASE) for entry in evidence.entries
    ):
        return True
    if any(re.search(r"\.(?:bugfix|fix|bug)\b", path) for path in evidence.paths):
        return True
    return any(
        item.action == "added" and _FIX_WORDS().search(split_name(item.name).replace(" ", "_"))
        for item in evidence.tests
    )


def _is_release(evidence: Evidence) -> bool:
    return sum(evidence.kinds.values()) < 400 and not any(item.action == "added" for item in evidence.code)


def is_safe(name: str) -> bool:
    """Whether a name from the change may be repeated: plain characters, and not a sentence."""
    return bool(_SAFE_NAME().fullmatch(name)) or (
        len(name) <= 80
        and name.isprintable()
        and bool(re.fullmatch(r"[\w' ,.()/+-]+", name))
        and is_quotable(name)
    )


def is_safe_path(path: str) -> bool:
    return bool(_SAFE_PATH().fullmatch(path))


def haystack(change: Change) -> str:
    """Everything the change shows, in lower case, to look names up in."""
    parts: list[str] = []
    for item in change.files:
        parts.extend((item.path, item.old_path or "", *(item.submodule or ()), item.old_mode, item.new_mode))
    for hunk in change.hunks:
        parts.append(hunk.heading[:LINE_CAP])
        parts.extend(line[1:LINE_CAP] for line in hunk.lines)
    return compose("\n".join(parts)).lower()


def names_in(text: str) -> list[str]:
    """The words of a text that name something: inner `_ . / :`, a digit, or mixed case."""
    words = (word.strip("`'\"()[]{},.;:!?*") for word in text.split())
    return [word for word in words if _NAME_LIKE().search(word)]


def unknown_names(text: str, shown: str) -> list[str]:
    """The names in `text` that the change (its `haystack`) does not show."""
    return [word for word in names_in(text) if not _is_shown(compose(word).lower(), shown)]


def _is_shown(name: str, shown: str) -> bool:
    """Of `v1.2` and `parser-1.2`, which name a release, the parts are enough."""
    release = _RELEASE().fullmatch(name)
    return name in shown or bool(release and release[2] in shown and (release[1] or "") in shown)


def by_action(items: Sequence[DefinitionChange], action: str, *kinds: str) -> list[DefinitionChange]:
    """The definitions with this action and one of these kinds (any, if none given), heaviest first."""
    return [item for item in items if item.action == action and (not kinds or item.kind in kinds)]
