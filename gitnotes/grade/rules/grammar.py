"""Does a subject keep to the grammar of Conventional Commits, and to the repository's types and scopes?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from gitnotes.conventional import read_gitmoji, read_head
from gitnotes.grade.message import Message
from gitnotes.grade.rules.settings import Fault, FormSettings
from gitnotes.guard.text import shorten, show

_LISTED = 12
"""Types or scopes that a remedy names."""


def check_grammar(parts: Message, settings: FormSettings) -> Iterator[Fault]:
    """The faults of a subject in a repository that uses Conventional Commits."""
    head = read_head(read_gitmoji(parts.subject)[1])
    known = _by_small_letters(settings.types)
    if head is None or (" " in head.type and head.type.lower() not in known):
        remedy = f"Begin with one of: {_list(settings.types)}." if known else "Begin with a type and a colon."
        yield Fault("type-missing", "The subject has no type.", remedy)
        return
    name = head.type
    if not known or name in settings.types:
        pass
    elif name.lower() in known:
        yield Fault("type-case", "The type is in another case.", f"Write `{known[name.lower()]}`.")
    else:
        yield Fault(
            "type-unknown", f"“{show(name)}” is not a type here.", f"Use one of: {_list(settings.types)}."
        )
    if head.has_space_before or (head.space_after != " " and head.description):
        yield Fault("type-spacing", "The type wants a colon and one blank.", f"Write `{show(name)}: …`.")
    if not head.description.strip():
        yield Fault("description-empty", "Nothing follows the type.", "Say what the change does.")
    if head.has_empty_scope:
        yield Fault("scope", "The scope is empty.", "Name a part of the project or drop the brackets.")
    elif not head.scope:
        yield Fault("scope-missing", "The type has no scope.", "Name the part of the project in brackets.")
    elif settings.scopes and (odd := _odd_scope(head.scope, settings.scopes)) is not None:
        yield Fault(
            "scope", f"“{shorten(odd)}” is not a scope here.", f"Use one of: {_list(settings.scopes)}."
        )


@lru_cache(maxsize=8)
def _by_small_letters(names: tuple[str, ...]) -> dict[str, str]:
    return {name.lower(): name for name in names}


def _odd_scope(written: str, known: tuple[str, ...]) -> str | None:
    """The first of several scopes that is not known; a name may itself hold a slash."""
    if written in known:
        return None
    for scope in written.replace("/", ",").split(","):
        if scope.strip() not in known:
            return scope.strip()
    return None


@lru_cache(maxsize=8)
def _list(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(map(shorten, names[:_LISTED])) + more
