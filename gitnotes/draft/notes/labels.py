"""Which changes has a heading of `.github/release.yml` labels for, when git knows no labels?

A label is one that a trailer gives, a word for the kind of change, or the area before a colon.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gitnotes.draft.notes.categories import TYPES, Category
from gitnotes.note_items import category_of_heading
from gitnotes.note_rules import LabelGroup, NoteRules
from gitnotes.records import Commit

if TYPE_CHECKING:
    from gitnotes.draft.notes.entries import Entry

OTHERS = "Other Changes"
"""Where GitHub puts what no heading is for."""
_KEYS = frozenset(["label", "labels", "kind", "type", "category", "changelog"])
_WORDS: dict[str, Category] = {
    "breaking": "Breaking",
    "semver major": "Breaking",
    "major": "Breaking",
    "semver minor": "Features",
    "minor": "Features",
    "semver patch": "Fixes",
    "patch": "Fixes",
    "regression": "Fixes",
    "vulnerability": "Security",
    "github actions": "Internal",
}
_BETTER = frozenset(["enhancement", "improvement", "enhancements", "improvements"])
_GROUPS = frozenset(
    [
        "kind",
        "type",
        "change",
        "changelog",
        "category",
        "pr",
        "semver",
        "release note",
        "release notes",
        "relnotes",
    ]
)
"""What stands before the mark in labels for kinds of change."""
_ANY_INTERNAL = frozenset(["internal", "chore", "maintenance", "maint", "dev", "infra", "other"])
_ACCOUNT = re.compile(r"(?:\d+\+)?([^@\s]+)@users\.noreply\.")


def labels_of(commits: Sequence[Commit]) -> frozenset[str]:
    """The labels that trailers of the commits give, in small letters."""
    return frozenset(
        label
        for commit in commits
        for key, value in commit.trailers
        if key.lower() in _KEYS
        for part in value[:500].split(",")
        if (label := part.strip().casefold())
    )


def excluded_by(group: LabelGroup, entry: Entry, commits: Sequence[Commit]) -> str:
    """The label or account for which the group does not take a change; empty when it may."""
    given = labels_of(commits)
    for label in group.without_labels:
        # What breaks, or is about security, a guess does not hide.
        is_guess = entry.category not in ("Breaking", "Security") and _is_about(label, entry)
        if label in given or is_guess:
            return f"the label {label}"
    plain = [commit for commit in commits if not commit.is_merge] or list(commits)
    for author in group.without_authors:
        if plain and all(_bare(author) in _accounts(commit) for commit in plain):
            return author
    return ""


def heading_by_labels(rules: NoteRules, entry: Entry, commits: Sequence[Commit]) -> str:
    """The title of the first group that takes a change; `Other Changes` when none does."""
    given = labels_of(commits)
    groups = [group for group in rules.labels if not excluded_by(group, entry, commits)]
    for group in groups:
        if given & set(group.labels):
            return group.title
    for group in groups:
        if any(_is_special(label, entry) for label in group.labels):
            return group.title
    for group in groups:
        if any(_is_about(label, entry) for label in group.labels):
            return group.title
    return next((group.title for group in groups if "*" in group.labels), OTHERS)


def _is_about(label: str, entry: Entry) -> bool:
    category, word = _category_of(label), _word(label)
    if not category:
        return False
    kind = entry.kind
    if word in _BETTER and entry.text[:6].lower() in ("improv", "enhanc"):
        return True
    if category == "Internal":
        # `tests` is not for every internal change.
        is_same = word in _ANY_INTERNAL or (bool(kind) and word.rstrip("s") == kind.rstrip("s"))
        return is_same and "Internal" in (entry.category, TYPES.get(kind))
    return category in (entry.category, TYPES.get(kind))


def _is_special(label: str, entry: Entry) -> bool:
    """Whether a label says more than the kind of a change: that it breaks something, or its area."""
    if _category_of(label) == "Breaking" == entry.category:
        return True
    return len(entry.scope) > 1 and _word(label) == _plain(entry.scope) and not _category_of(label)


def _category_of(label: str) -> str:
    """The kind of change that a label is about; empty when it is about something else.

    `package::docs` is about packages, `kind/docs` about kinds.
    """
    group, mark, _ = label[:100].rpartition(_mark_in(label))
    if mark and _plain(group) not in _GROUPS:
        return ""
    word = _word(label)
    named = (_WORDS.get(one) or TYPES.get(one) or category_of_heading(one) for one in (word, *word.split()))
    return next((found for found in named if found), "")


def _mark_in(label: str) -> str:
    return next((mark for mark in ("::", ":", "/") if mark in label), ":")


def _word(label: str) -> str:
    """The label without what groups labels: `kind/bug`, `type: bug`, `C-bug`."""
    plain = re.split(r"[:/]|^[a-z]-", label[:100])[-1]
    return _plain(plain) or _plain(label[:100])


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.casefold()))


def _accounts(commit: Commit) -> set[str]:
    """The names under which a host may know who made the commit."""
    match = _ACCOUNT.match(commit.email)
    return {_bare(commit.author.casefold()), *([_bare(match[1].casefold())] if match else [])}


def _bare(account: str) -> str:
    return account.removesuffix("[bot]").removeprefix("app/")


def commits_of(entry: Entry, by_sha: Mapping[str, Commit]) -> list[Commit]:
    return [by_sha[sha] for sha in (*entry.commits, entry.source) if sha in by_sha]
