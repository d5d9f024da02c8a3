"""Which definitions does a change touch, judged by the lines of its hunks alone?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from gitnotes.guard.patterns import late
from gitnotes.kinds import kind_of
from gitnotes.read.compare import RENAMED, are_alike, common_share, telling_lines
from gitnotes.read.line_patterns import LINE_CAP, Found, definition_in, family_of, parameter_in, read_line
from gitnotes.records import Change, DefinitionChange, Hunk

Action = Literal["added", "removed", "changed", "renamed", "moved"]


_GOES_ON = late(
    "[\\ufffd\\u00ad\\u0300-\\u036f\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff\\ud800-\\udfff]"
)
_OWN_LINE = late(r"^\s+([*&]{0,2}(?:mut )?\w+\s*[:=?,\s][^()]{0,120}),\s*(?:(?:#|//).*)?$")
_OPTION = late(
    r"""(?:add_argument|option|Option|Flag|flag|arg|Arg)\w*\(.{0,80}?["'](?:-\w["'],\s*["'])?(--?[a-z][\w.-]{1,60})["']"""
)
_GO_FLAG = late(
    r"""\.(?:Flag|String|Bool|Int|Duration|StringVar|BoolVar|IntVar|DurationVar)\((?:&[\w.]+,\s*)?"([a-z][\w.-]{2,60})","""
)
_TAG_KEY = late(r'`[^`]{0,60}?(?:yaml|json|toml|mapstructure):"([a-z][\w.-]+)')


def enclosing_definition(hunk: Hunk) -> tuple[str, str] | None:
    """Kind and name of the definition around the first changed line: context first, then git's heading."""
    last: tuple[str, str] | None = None
    for line in hunk.lines:
        if line[:1] != " ":
            break
        last = definition_in(line[1:], hunk.path) or last
    return last or definition_in(hunk.heading, hunk.path)


def definitions_from_hunks(change: Change) -> tuple[DefinitionChange, ...]:
    """Every definition that the change touches, the one with most changed lines first.

    For a bare diff. Only what the lines of the hunks and their headings tell is known.
    """
    old_paths = {item.path: item.old_path for item in change.files if item.old_path}
    added: dict[tuple[str, str, str], Found] = {}
    removed: dict[tuple[str, str, str], Found] = {}
    touched: dict[tuple[str, str, str], Found] = {}
    lines: dict[tuple[str, str, str], int] = defaultdict(int)
    neighbours: dict[tuple[str, str, str], int] = {}
    parameters: dict[tuple[str, str, str], dict[str, list[str]]] = defaultdict(lambda: {"+": [], "-": []})
    for number, hunk in enumerate(change.hunks):
        if kind_of(hunk.path) in {"lock", "vendored", "generated", "changelog"}:
            continue
        for sign, found, count in _walk(hunk):
            if sign[1:] == "p":
                parameters[found.path, found.owner, found.base][sign[0]].append(found.name)
                continue
            key = (found.path, found.owner, found.name)
            lines[key] += count
            if sign == "+":
                added.setdefault(key, found)
                neighbours.setdefault(key, number)
            elif sign == "-":
                removed.setdefault(key, found)
                neighbours.setdefault(key, number)
            elif sign:
                touched.setdefault(key, found)
    result: list[DefinitionChange] = []
    for key in [key for key in added if key in removed]:
        result.append(_changed(added.pop(key), removed.pop(key), lines[key]))
        touched.pop(key, None)
    result.extend(_moved(added, removed, lines))
    result.extend(_renamed(added, removed, lines, neighbours, change.hunks))
    for key, found in added.items():
        result.append(_record("added", found, lines[key]))
    for key, found in removed.items():
        result.append(_record("removed", found, lines[key]))
    for key, found in touched.items():
        if key not in added and key not in removed:
            result.append(_relisted(_record("changed", found, lines[key]), parameters.get(key)))
    moved_files = {path for path, old in old_paths.items() if old}
    by_path: dict[str, list[Hunk]] = defaultdict(list)
    for hunk in change.hunks:
        by_path[hunk.path].append(hunk)
    result = [item for item in result if not is_cut(item.name, by_path[item.path])]
    return tuple(sorted(result, key=lambda item: (-item.lines, item.path in moved_files)))


def is_cut(name: str, hunks: Sequence[Hunk]) -> bool:
    """Whether the name is only a part of what stands in the hunks wherever it stands.

    A byte that is not UTF-8, an accent of its own, a sign that cannot be seen or that turns the
    direction of writing ends a word for patterns and parsers, not for people.
    """
    around = [
        line[max(match.start() - 1, 0) : match.start()] + line[match.end() : match.end() + 1]
        for hunk in hunks
        for line in (hunk.heading, *hunk.lines)
        if not line.isascii() and name in line
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", line[: LINE_CAP + 1])
    ]
    return bool(around) and all(_GOES_ON().search(signs) for signs in around)


def options_in(change: Change) -> Iterator[DefinitionChange]:
    """Options of a command line and keys of a configuration, which are calls and tags, not definitions."""
    seen: dict[Found, set[str]] = defaultdict(set)
    for hunk in change.hunks:
        for line in hunk.lines:
            if line[:1] in {"+", "-"}:
                for sign, found, _ in _options(line[1 : LINE_CAP + 1], hunk.path, line[:1]):
                    seen[found].add(sign)
    for found, signs in seen.items():
        action: Action = "changed" if len(signs) == 2 else "added" if "+" in signs else "removed"
        yield _record(action, found, len(signs))


def _record(action: Action, found: Found, lines: int) -> DefinitionChange:
    return DefinitionChange(action, found.kind, found.name, found.path, lines, found.owner, base=found.base)


def _relisted(item: DefinitionChange, sides: dict[str, list[str]] | None) -> DefinitionChange:
    """`item` with the parameters that came or went on lines of their own."""
    if not sides:
        return item
    gained = tuple(name for name in sides["+"] if name not in sides["-"])
    lost = tuple(name for name in sides["-"] if name not in sides["+"])
    return replace(item, added_parameters=gained, removed_parameters=lost)


def _changed(new: Found, old: Found, lines: int) -> DefinitionChange:
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    if new.parameters is not None and old.parameters is not None:
        gained = tuple(name for name in new.parameters if name not in old.parameters)
        lost = tuple(name for name in old.parameters if name not in new.parameters)
    return DefinitionChange(
        "changed",
        new.kind,
        new.name,
        new.path,
        lines,
        new.owner,
        added_parameters=gained,
        removed_parameters=lost,
    )


def _moved(
    added: dict[tuple[str, str, str], Found],
    removed: dict[tuple[str, str, str], Found],
    lines: dict[tuple[str, str, str], int],
) -> Iterator[DefinitionChange]:
    by_name: dict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
    for key, found in removed.items():
        by_name[found.kind, found.name].append(key)
    for key, found in list(added.items()):
        sources = by_name.get((found.kind, found.name), [])
        if (
            len(sources) == 1
            and found.kind not in {"key", "option"}
            and sources[0] in removed
            and sources[0][0] != found.path
        ):
            old = removed.pop(sources[0])
            del added[key]
            yield DefinitionChange(
                "moved", found.kind, found.name, found.path, lines[key], found.owner, old_path=old.path
            )


def _renamed(
    added: dict[tuple[str, str, str], Found],
    removed: dict[tuple[str, str, str], Found],
    lines: dict[tuple[str, str, str], int],
    numbers: dict[tuple[str, str, str], int],
    hunks: Sequence[Hunk],
) -> Iterator[DefinitionChange]:
    """One definition out and one of the same kind in, in the same hunk, whose other lines agree."""
    gone: dict[tuple[int, str], list[tuple[str, str, str]]] = defaultdict(list)
    come: dict[tuple[int, str], list[tuple[str, str, str]]] = defaultdict(list)
    for key, found in removed.items():
        gone[numbers[key], found.kind].append(key)
    for key, found in added.items():
        come[numbers[key], found.kind].append(key)
    for place, keys in come.items():
        others = gone.get(place, [])
        if len(keys) != 1 or len(others) != 1 or place[1] in {"option", "class-section"}:
            continue
        new, old = added[keys[0]], removed[others[0]]
        alike = are_alike(new.name, old.name)
        if not alike and not (new.parameters and new.parameters == old.parameters):
            continue
        if _share(hunks[place[0]], old, new) >= (RENAMED / 2 if alike else RENAMED):
            del added[keys[0]], removed[others[0]]
            yield DefinitionChange(
                "renamed", new.kind, new.name, new.path, lines[keys[0]], new.owner, old_name=old.name
            )


def _share(hunk: Hunk, old: Found, new: Found) -> float:
    """How much of what is told below the two names is the same; 1 where nothing but the names changed."""
    sides = []
    for sign, found in (("-", old), ("+", new)):
        name = re.compile(rf"(?<!\w){re.escape(found.name)}(?!\w)")
        body = [name.sub("\0", line[1:]).strip() for line in hunk.lines if line[:1] in (sign, " ")]
        sides.append(telling_lines([line.encode("utf-8", "replace") for line in body if line]))
    changed = any(
        line[:1] in "+-" and line[1:].strip() and old.name not in line and new.name not in line
        for line in hunk.lines
    )
    return common_share(*sides) if changed else 1.0


def _walk(hunk: Hunk) -> Iterator[tuple[str, Found, int]]:
    """Each definition of the hunk, the sign of its line (' ' when only its body changed), its line count."""
    language = family_of(hunk.path)
    if not language:
        return
    stack: list[Found] = []
    open_list: Found | None = None
    counts: dict[Found, int] = defaultdict(int)
    seen: dict[Found, str] = {}
    heading = read_line(hunk.heading[:LINE_CAP], language, hunk.path)
    current = heading
    if heading and heading.kind in {"class", "type"}:
        stack.append(heading)
    for line in hunk.lines:
        sign, text = line[:1], line[1 : LINE_CAP + 1]
        if open_list is not None:
            if text.lstrip().startswith(")"):
                open_list = None
            elif sign in "+-" and (name := _listed_parameter(text, language)):
                yield sign + "p", Found("", name, hunk.path, 0, None, open_list.owner, open_list.name), 0
        found = read_line(text, language, hunk.path)
        if found is not None:
            while stack and stack[-1].indent >= found.indent:
                stack.pop()
            owner = stack[-1] if stack else None
            if owner and owner.kind in {"function", "method"} and found.kind in {"function", "constant"}:
                found = None
            elif owner and not found.owner and found.kind != "test":
                kind = (
                    "method" if found.kind == "function" and owner.kind in {"class", "type"} else found.kind
                )
                found = Found(
                    kind, found.name, found.path, found.indent, found.parameters, owner.name, found.base
                )
        if found is not None:
            if found.kind in {"class", "type", "function", "method"}:
                stack.append(found)
            if sign in "+-":
                if sign == "-" or not (found in seen and seen[found] == "+"):
                    yield sign, found, 1
                seen[found] = sign
            if found.kind in {"class", "type", "function", "method", "test"}:
                current = found
                opens = found.parameters is None and text.rstrip().endswith("(")
                open_list = found if opens and language in {"python", "js", "go", "rust", "managed"} else None
        if sign in "+-":
            if current is not None and text.strip():
                counts[current] += 1
            if sign == "+":
                yield from _options(text, hunk.path, "+")
            else:
                yield from _options(text, hunk.path, "-")
    for found, count in counts.items():
        yield "" if found in seen else " ", found, count


def _listed_parameter(text: str, language: str) -> str:
    """The parameter that stands alone on a line of a long parameter list."""
    match = _OWN_LINE().match(text)
    return parameter_in(match[1], language) if match else ""


def _options(text: str, path: str, sign: str) -> Iterator[tuple[str, Found, int]]:
    if kind_of(path) != "code":
        return
    if '"' in text or "'" in text:
        match = _OPTION().search(text)
        if match:
            yield sign, Found("option", match[1], path, 99, None, "", ""), 1
            return
        match = _GO_FLAG().search(text) if path.endswith(".go") else None
        if match:
            yield sign, Found("option", match[1], path, 99, None, "", ""), 1
            return
        match = _TAG_KEY().search(text)
        if match:
            yield sign, Found("key", match[1], path, 99, None, "", ""), 1
