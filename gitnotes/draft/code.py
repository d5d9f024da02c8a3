"""Which subjects fit a change of source code?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from gitnotes.draft.evidence import Evidence, by_action, is_safe, shows_fix
from gitnotes.draft.naming import (
    full_name,
    inside,
    name_of,
    outer,
    place,
    say_definition,
    say_parameters,
    test_words,
)
from gitnotes.draft.sources import imported_name
from gitnotes.draft.style import Style
from gitnotes.draft.words import LIMIT, join_names, say_name, split_name, starts_with_verb
from gitnotes.kinds import kind_of
from gitnotes.records import DefinitionChange

_DEPRECATION = re.compile(r"DeprecationWarning|@[Dd]eprecated\b|//\s*Deprecated:|\[Obsolete|#\[deprecated")
_DECLARATION = re.compile(
    r"\s*(?:export|default|public|private|protected|internal|static|abstract|final|async|pub|def|class|func|fn"
    r"|function|type|struct|trait|interface|enum|const|var|let|fun|override|virtual)\b"
)
_COMPOUND = re.compile(r"\b[A-Za-z]{2,20}(?:_[a-z]|[a-z][A-Z])\w{1,30}\b")
_MAIN = frozenset({"function", "class", "type"})
_NAME_LINES = 2000
"""Lines searched for a new name; in a larger change no single name tells."""
_THEMES = frozenset({"code", "mixed", "config", "image", "other", "generated", "vendored", "manifest"})


def say_options(evidence: Evidence, style: Style) -> Iterator[str]:
    """New, dropped or replaced command line options and settings."""
    for kind, noun in (("option", "option"), ("key", "setting")):
        added, removed = by_action(evidence.code, "added", kind), by_action(evidence.code, "removed", kind)
        if added and len(added) <= 3 and not removed:
            yield f"Add {_listed(added, noun)}"
        elif removed and len(removed) <= 3 and not added:
            yield f"Remove {_listed(removed, noun)}"
        elif len(added) == len(removed) == 1:
            yield f"Replace {removed[0].name} {noun} with {added[0].name}"


def _listed(items: list[DefinitionChange], noun: str) -> str:
    if noun == "option" and not items[0].name.startswith("-"):
        noun = "flag"
    return f"{join_names([item.name for item in items])} {noun}{'s' if len(items) > 1 else ''}"


def say_code(evidence: Evidence, style: Style) -> Iterator[str]:
    """New, removed, renamed, moved and changed definitions, at the highest level that tells all."""
    if evidence.theme not in _THEMES:
        return
    items = [item for item in evidence.code if item.kind not in {"option", "key"}]
    files = evidence.files("code")
    created = [item.path for item in files if item.status == "A"]
    if created and len(created) == len(files):
        yield from _new_files(created, items)
    yield from _deprecations(evidence)
    yield from _pair(items)
    total = sum(item.lines for item in items) or 1
    for item in outer(items)[:4]:
        told = item.action in {"added", "removed", "moved"} and item.lines * 4 >= total
        if told or (item.action == "renamed" and item.lines * 8 >= total):
            yield say_definition(item)
    for item in items:
        if item.added_parameters or item.removed_parameters:
            yield say_parameters(item)
    yield from _imports(evidence)
    yield from _changed(evidence, items)
    for item in outer(items)[:2]:
        yield say_definition(item)


def _new_files(paths: list[str], items: list[DefinitionChange]) -> Iterator[str]:
    """New source files, with what one of them is for where it has one or two definitions for others."""
    where = place(paths)
    public = [item for item in outer(items) if not item.name.startswith("_") and item.kind in _MAIN]
    names = [item.name for item in public]
    # `session` with `Session` in it needs no second name.
    if len(paths) == 1 and 1 <= len(names) <= 2 and not any(where.lower() in name.lower() for name in names):
        listed = f"Add {where} with {join_names(names)}"
        if len(listed) <= LIMIT:
            yield listed
    yield f"Add {where}"


def _pair(items: list[DefinitionChange]) -> Iterator[str]:
    """Two new definitions of one file that are all the change has."""
    both = outer(items)
    if len(both) != 2 or {item.action for item in both} != {"added"} or both[0].path != both[1].path:
        return
    if all(item.kind in _MAIN for item in both):
        sentence = f"Add {join_names([full_name(item) for item in both])} to {name_of(both[0].path)}"
        if len(sentence) <= LIMIT:
            yield sentence


def _changed(evidence: Evidence, items: list[DefinitionChange]) -> Iterator[str]:
    changed = [item for item in outer(items) if item.action == "changed"]
    if not changed:
        return
    verb = "Fix" if shows_fix(evidence) else "Update"
    top = next((item for item in changed if item.kind in {"function", "method"}), changed[0])
    if top.lines * 2 < changed[0].lines:
        top = changed[0]
    if evidence.edits.text_only:
        yield f"Update {full_name(top)} docstring"
    tests = by_action(evidence.tests, "added", "test")
    # With many new tests no single one says what the change is for.
    words = test_words(tests[0].name) if 0 < len(tests) <= 4 else ""
    if words and not starts_with_verb(words) and split_name(top.name) not in words:
        yield f"{verb} {say_name(top.name)} for {words}"
    name = _new_name(evidence, top)
    if name and verb != "Fix" and len(name + full_name(top)) < 55:
        yield f"Use {say_name(name)} in {full_name(top)}"
    where = place(evidence.paths)
    yield f"{verb} {full_name(top)}" + (f" in {where}" if where.lower() not in full_name(top).lower() else "")


def _new_name(evidence: Evidence, top: DefinitionChange) -> str:
    """The compound name that the added code uses most and that the file did not show before; '' for none."""
    added: Counter[str] = Counter()
    known: set[str] = set()
    budget = _NAME_LINES
    for hunk in evidence.change.hunks_of(top.path):
        budget -= len(hunk.lines)
        if budget < 0:
            return ""
        known.update(_COMPOUND.findall(hunk.heading))
        for line in hunk.lines:
            names = _COMPOUND.findall(line[1:300])
            if line[:1] == "+":
                added.update(names)
            else:
                known.update(names)
    defined = {item.name for item in evidence.code if item.action != "changed"}
    for name, count in added.most_common(20):
        if count >= 2 and name not in known and name not in defined and is_safe(name):
            return name
    return ""


def _deprecations(evidence: Evidence) -> Iterator[str]:
    """The definitions that the change marks as deprecated."""
    names: list[str] = []
    known: dict[str, set[str]] = {}
    for item in evidence.code:
        # A class does not tell which of its methods the line is in.
        if item.kind in {"function", "method"} or item.action == "added":
            known.setdefault(item.path, set()).add(item.name)
    for hunk in evidence.change.hunks:
        mine = known.get(hunk.path)
        if mine is None:
            continue
        current = _declared(hunk.heading, mine)
        marked = False
        for line in hunk.lines:
            if line[:1] == "-":
                continue
            text = line[1:400]
            found = _declared(text, mine)
            if found:
                current = found
                if marked and is_safe(found):
                    names.append(found)
                    marked = False
            if line[:1] == "+" and _DEPRECATION.search(text):
                if re.search(r"@|//|#\[|\[Obs", text):
                    marked = True
                elif current and is_safe(current):
                    names.append(current)
    distinct = list(dict.fromkeys(names))
    if 1 <= len(distinct) <= 3:
        yield f"Deprecate {join_names(distinct)}"


def _declared(text: str, names: set[str]) -> str:
    """Which of the names the line declares; empty when it is no declaration of one of them."""
    text = text[:300]
    if _DECLARATION.match(text) is None:
        return ""
    return next((word for word in re.findall(r"\w+", text.partition("=")[0]) if word in names), "")


def _imports(evidence: Evidence) -> Iterator[str]:
    """One import in and one out, or only imports out."""
    sides: dict[str, dict[str, None]] = {"+": {}, "-": {}}
    others = 0
    for hunk in evidence.change.hunks:
        if kind_of(hunk.path) not in {"code", "test"}:
            continue
        for line in hunk.lines:
            if line[:1] not in sides:
                continue
            if name := imported_name(line[1:300], hunk.path):
                sides[line[:1]][name] = None
            elif line[1:].strip():
                others += 1
    gained = [name for name in sides["+"] if name not in sides["-"] and is_safe(name)]
    lost = [name for name in sides["-"] if name not in sides["+"] and is_safe(name)]
    if len(gained) == len(lost) == 1:
        if len(gained[0] + lost[0]) < 50 and gained[0][0] != "." != lost[0][0]:
            yield f"Use {gained[0]} instead of {lost[0]}"
    elif not others and lost and not gained and len(lost) <= 3:
        yield f"Remove import of {join_names(lost)} from {inside(evidence) or place(evidence.paths)}"
