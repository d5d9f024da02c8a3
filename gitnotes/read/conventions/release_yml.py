"""Which headings does a `.github/release.yml` give the notes that GitHub generates?"""

from __future__ import annotations

from typing import Any

from gitnotes.guard.text import clean
from gitnotes.note_rules import LabelGroup, NoteRules
from gitnotes.read.manifests.entries import items, table, text_of

_MOST = 100
_LONGEST = 100


def read_release_yml(loaded: Any, source: str) -> NoteRules:
    """The rules of the loaded file.

    Its form: docs.github.com, "Automatically generated release notes". Raises ValueError when it is none.
    """
    if not isinstance(loaded, dict):
        raise ValueError("it is no table")
    changelog = table(loaded, "changelog")
    groups: list[LabelGroup] = []
    notes: list[str] = []
    for at, category in enumerate(items(changelog.get("categories"))[:_MOST]):
        title = _name(category.get("title")) if isinstance(category, dict) else ""
        labels = _names(category.get("labels")) if isinstance(category, dict) else ()
        if title and labels:
            groups.append(_group(title, labels, category))
        else:
            notes.append(f"{source}: category {at + 1} is left out, it has no title or no labels.")
    excluded = _group(source, (), changelog)
    has_excluded = excluded.without_labels or excluded.without_authors
    return NoteRules(
        (source,), labels=tuple(groups), excluded=excluded if has_excluded else None, notes=tuple(notes[:20])
    )


def _group(title: str, labels: tuple[str, ...], found: dict[str, Any]) -> LabelGroup:
    exclude = table(found, "exclude")
    return LabelGroup(title, labels, _names(exclude.get("labels")), _names(exclude.get("authors")))


def _names(found: Any) -> tuple[str, ...]:
    given = [found] if isinstance(found, str) else items(found)
    return tuple(name.casefold() for one in given[:_MOST] if (name := _name(one)))


def _name(found: Any) -> str:
    return " ".join(clean(text_of(found)[:_LONGEST]).split())
