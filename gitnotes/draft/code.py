"""Which subjects fit a change of source code?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from gitnotes.draft.evidence import Evidence, by_action, is_safe, shows_fix
from gitnotes.draft.naming import (
    first_phrase,
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
from gitnotes.draft.words import LIMIT, bag, join_names, say_name, split_name
from gitnotes.guard.patterns import late
from gitnotes.kinds import kind_of
from gitnotes.records import DefinitionChange

_DEPRECATION = late(r"DeprecationWarning|@[Dd]eprecated\b|//\s*Deprecated:|\[Obsolete|#\[deprecated")
_DECLARATION = late(
    r"\s*(?:export|default|public|private|protected|internal|static|abstract|final|async|pub|def|class|func|fn"
    r"|function|type|struct|trait|interface|enum|const|var|let|fun|override|virtual)\b"
)
_COMPOUND = late(r"\b[A-Za-z]{2,20}(?:_[a-z]|[a-z][A-Z])\w{1,30}\b")
_MAIN = frozenset({"function", "class", "type"})
_CALL = late(r"\s*(?:await |defer |go )?(?:\w+\.)*([A-Za-z_]\w+)\([^{}]*\);?\s*$")
_IMPORTING = bag("import from use using static include")
_CALLS = 6
"""Lines with a call up to which they are one and the same edit."""
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
    yield from say_calls(evidence)
    yield from _pair(items)
    total = sum(item.lines for item in items) or 1
    for item in outer(items)[:4]:
        share = 2 if item.kind == "constant" else 3
        told = item.action in {"added", "removed", "moved"} and item.lines * share >= total
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
        yield f"Update {_short_name(top)} docstring"
    tests = by_action(evidence.tests, "added", "test")
    # With many new tests no single one says what the change is for.
    words = first_phrase(test_words(tests[0].name)) if 0 < len(tests) <= 4 else ""
    if 1 < len(words.split()) <= 8:
        # A phrase that repeats the name says by itself what is tested.
        alone = not set(words.split()).isdisjoint(split_name(top.name).split())
        if not alone:
            yield f"{verb} {say_name(top.name)} for {words}"
        elif len(words.split()) > 2:
            yield f"{verb} {words}"
    name = _new_name(evidence, top)
    if name and verb != "Fix" and len(name + _short_name(top)) < 55:
        yield f"Use {say_name(name)} in {_short_name(top)}"
    where = place(evidence.paths)
    yield f"{verb} {_short_name(top)}" + (
        f" in {where}" if where.lower() not in _short_name(top).lower() else ""
    )


def _short_name(item: DefinitionChange) -> str:
    """The name in words; with its class in front where it is a single word."""
    words = say_name(item.name)
    return words if " " in words else full_name(item)


def _new_name(evidence: Evidence, top: DefinitionChange) -> str:
    """The compound name that the added code uses most and that the file did not show before; '' for none."""
    added: Counter[str] = Counter()
    known: set[str] = set()
    budget = _NAME_LINES
    for hunk in evidence.change.hunks_of(top.path):
        budget -= len(hunk.lines)
        if budget < 0:
            return ""
        known.update(_COMPOUND().findall(hunk.heading))
        for line in hunk.lines:
            names = _COMPOUND().findall(line[1:300])
            if line[:1] == "+":
                added.update(names)
            else:
                known.update(names)
    defined = {item.name for item in evidence.code if item.action != "changed" and item.kind != "constant"}
    for name, count in added.most_common(20):
        if count >= 2 and name not in known and name not in defined and is_safe(name):
            return name
    return ""


def say_calls(evidence: Evidence) -> Iterator[str]:
    """A change that only adds or only removes calls of one function."""
    sides: dict[str, set[str]] = {"+": set(), "-": set()}
    lines = 0
    for hunk in evidence.change.hunks:
        for line in hunk.lines:
            if line[:1] in sides and line[1:].strip():
                match = _CALL().match(line[1:300])
                lines += 1
                if match is None or lines > _CALLS or kind_of(hunk.path) not in {"code", "test"}:
                    return
                sides[line[:1]].add(match[1])
    names = sides["+"] | sides["-"]
    if len(names) != 1 or bool(sides["+"]) == bool(sides["-"]) or not is_safe(name := names.pop()):
        return
    within = inside(evidence)
    within = f"{test_words(within)} test" if within.startswith(("test_", "Test")) else within
    where = within or place(evidence.paths)
    yield f"Remove call to {name} from {where}" if sides["-"] else f"Call {name} in {where}"


def _deprecations(evidence: Evidence) -> Iterator[str]:
    """The definitions that the change marks as deprecated."""
    names: list[str] = []
    known: dict[str, set[str]] = {}
    for item in evidence.code:
        # A class does not tell which of its methods the line is in.
        if item.action != "added" and item.kind in {"function", "method"}:
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
            if line[:1] == "+" and _DEPRECATION().search(text):
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
    if _DECLARATION().match(text) is None:
        return ""
    return next((word for word in re.findall(r"\w+", text.partition("=")[0]) if word in names), "")


def _imports(evidence: Evidence) -> Iterator[str]:
    """One import that takes the place of another, or only imports out."""
    gained: dict[str, str] = {}
    lost: dict[str, str] = {}
    used: dict[str, list[str]] = {"+": [], "-": []}
    for hunk in evidence.change.hunks:
        if kind_of(hunk.path) not in {"code", "test"}:
            continue
        for line in hunk.lines:
            if line[:1] not in used:
                continue
            text = line[1:300]
            if name := imported_name(text, hunk.path):
                (gained if line[:1] == "+" else lost).setdefault(name, text.strip())
            elif text.strip():
                used[line[:1]].append(text)
    come = [name for name in gained if name not in lost and is_safe(name)]
    gone = [name for name in lost if name not in gained and is_safe(name)]
    if len(come) == len(gone) == 1:
        new, old = come[0], gone[0]
        rest = gained[new].replace(new, "")
        same = rest == lost[old].replace(old, "") and bool(set(re.findall(r"\w+", rest)) - _IMPORTING)
        if len(new + old) < 50 and new[0] != "." != old[0] and (same or _takes_place(used, old, new)):
            yield f"Use {new} instead of {old}"
    elif not used["+"] and not used["-"] and gone and not come and len(gone) <= 3:
        yield f"Remove import of {join_names(gone)} from {inside(evidence) or place(evidence.paths)}"


def _takes_place(used: dict[str, list[str]], old: str, new: str) -> bool:
    """Whether a line that used the old module came back with the new one in its place."""
    before, after = re.split(r"\W+", old)[-1], re.split(r"\W+", new)[-1]
    gone = [
        set(re.findall(r"\w+", text))
        for text in used["-"][:200]
        if re.search(rf"\b{re.escape(before)}\b", text)
    ]
    come = [
        set(re.findall(r"\w+", text))
        for text in used["+"][:200]
        if re.search(rf"\b{re.escape(after)}\b", text)
    ]
    pairs = ((a - {before}, b - {after}) for a in gone[:20] for b in come[:20])
    return any(2 * len(a & b) >= max(len(a), len(b)) > 0 for a, b in pairs)
