"""Which definitions does a source file hold, and on which lines?"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from gitnotes.guard.patterns import late
from gitnotes.kinds import kind_of
from gitnotes.read.languages import KEYED, parser_of
from gitnotes.read.syntax_rules import KEY_DEPTH, Item, Rules, default_item, parameter_names, text_of
from gitnotes.read.syntax_tables import rules_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

MAX_DEFINITIONS = 5_000
"""Definitions that are kept of one file."""
MAX_DEPTH = 60
"""Nesting of nodes that is followed."""
_CHUNK = 1 << 16

_MARKER = re.compile(rb"^(?:<{7}|\|{7}|>{7})(?: .*)?$|^={7}$", re.MULTILINE)
_YAML_INDICATOR = re.compile(rb"[-?:](?=\s|$)")
_TEST_NAME = late(r"(?:test|Test|Benchmark|Fuzz|Example)(?![a-z])")
_TEST_MARK = late(
    r"\[\s*(?:\w+::)*test\b|@(?:\w*Test)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b|#\[Test\]"
)


class Definition(NamedTuple):
    """One definition; lines are counted from 0, `last` is part of it."""

    kind: str
    name: str
    scope: tuple[str, ...]
    """Names of the definitions around it, outermost first."""
    first: int
    """First line, with the comment, decorators and attributes just above."""
    start: int
    """First line without the comment above."""
    last: int
    parameters: tuple[str, ...] | None
    base: str
    holds: bool
    """Whether other definitions can be inside."""
    begin: int = 0
    end: int = 0
    """Where its text begins and ends, in bytes, without the comment above; 0 where only lines are known."""

    @property
    def owner(self) -> str:
        if not self.scope:
            return ""
        return ".".join(part for part in self.scope if part) if self.kind == "key" else self.scope[-1]


Edit = tuple[int, int, int]
"""Lines from here on, so many out, so many in; the first counted from 0 in the old version."""


def parse(
    source: bytes,
    language: str,
    *,
    deadline: float,
    before: tuple[Tree, bytes] | None = None,
    edits: Sequence[Edit] = (),
) -> Tree | None:
    """The syntax tree of a file; `source` ends with a line end.

    With the tree and source of the version `before` and the `edits` between them, sorted by line,
    what stayed is not parsed again. None when there is no grammar, or it is not done at `deadline`,
    as `time.monotonic` counts.
    """
    parser = parser_of(language)
    if parser is None:
        return None
    if language == "yaml" and not _is_shallow(source):
        return None
    tree = _edited(before[0], before[1], source, edits) if before is not None else None
    source = _without_markers(source)

    def read(offset: int, _: object) -> bytes:
        return source[offset : offset + _CHUNK]

    def is_late(*_: object) -> bool:
        return time.monotonic() > deadline

    parser.reset()
    try:
        if tree is None:
            return parser.parse(read, progress_callback=is_late)
        return parser.parse(read, tree, progress_callback=is_late)
    except ValueError:  # that is how the parser says that it was stopped
        return None


def _edited(tree: Tree, old: bytes, new: bytes, edits: Sequence[Edit]) -> Tree | None:
    """A copy of the tree with everything moved to its place in the new version.

    None when the edits do not lead from the one version to the other.
    """
    old_starts, new_starts = _line_starts(old), _line_starts(new)
    moves: list[tuple[int, int, int, tuple[int, int], tuple[int, int], tuple[int, int]]] = []
    place = shift = 0
    for row, gone, come in (*edits, (len(old_starts) - 1, 0, 0)):
        here = row + shift
        if row + gone >= len(old_starts) or not place <= row or not 0 <= here + come < len(new_starts):
            return None
        kept = old[old_starts[place] : old_starts[row]]
        if new[new_starts[place + shift] : new_starts[here]] != kept:
            return None
        start, length = old_starts[row], new_starts[here + come] - new_starts[here]
        moves.append(
            (start, old_starts[row + gone], start + length, (row, 0), (row + gone, 0), (row + come, 0))
        )
        place = row + gone
        shift += come - gone
    if len(old_starts) + shift != len(new_starts):
        return None
    tree = tree.copy()
    # From the last to the first, so that the places of the earlier ones still hold.
    for move in reversed(moves[:-1]):
        tree.edit(*move)
    return tree


def _line_starts(source: bytes) -> list[int]:
    """Where each line starts, and where the file ends."""
    return [0, *accumulate(len(line) + 1 for line in source.split(b"\n")[:-1])]


def definitions_in(
    tree: Tree, source: bytes, language: str, path: str, *, deadline: float
) -> tuple[Definition, ...] | None:
    """The definitions of a parsed file, outer ones first; what is around an error is still read.

    None when there is nothing but errors, or the walk is not done at `deadline`.
    """
    found = _Walk(source, rules_of(language), path, language, deadline).run(tree.root_node)
    if found is None or (not found and tree.root_node.has_error):
        return None
    return tuple(sorted(found, key=lambda item: (item.first, -item.last)))


def broken_lines(tree: Tree) -> list[tuple[int, int]]:
    """First and last line of what the parser could not make sense of, outside of any definition."""
    root = tree.root_node
    nodes = [root] if root.type == "ERROR" else [node for node in root.named_children if node.type == "ERROR"]
    return [(node.start_point[0], _last_row(node)) for node in nodes]


def _is_shallow(source: bytes) -> bool:
    """Whether YAML nests so little that its parser, which crashes from 250 levels on, can be trusted.

    A level is either as deep as the spaces in front of a line, or one of the indicators in it.
    """
    return all(
        len(line) < 2 * MAX_DEPTH
        or (len(line) - len(line.lstrip()) < MAX_DEPTH and len(_YAML_INDICATOR.findall(line)) < MAX_DEPTH)
        for line in source.split(b"\n")
    )


def _without_markers(source: bytes) -> bytes:
    """The source with the marks of a merge conflict blanked, so that both sides are read."""
    if b"<<<<<<<" not in source and b">>>>>>>" not in source:
        return source
    return _MARKER.sub(lambda match: b" " * len(match.group()), source)


@dataclass(slots=True)
class _Place:
    """A node that holds definitions, and what is around it."""

    node: Node
    scope: tuple[str, ...]
    kind: str
    """Kind of the innermost definition around it."""
    depth: int
    outer: Node | None = None
    """The wrapper whose lines belong to the definition inside."""
    first: int | None = None


class _Walk:
    """One walk over the tree, without recursion, since hostile files nest as deep as they like."""

    def __init__(self, source: bytes, rules: Rules, path: str, language: str, deadline: float) -> None:
        self.source = source
        self.rules = rules
        self.language = language
        self.deadline = deadline
        self.is_test = kind_of(path) == "test" or path.endswith(("_test.go", ".bats"))
        self.keyed = language in KEYED
        self.is_header = path.endswith((".h", ".hh", ".hpp", ".hxx"))
        self.found: list[Definition] = []

    def run(self, root: Node) -> list[Definition] | None:
        todo = [_Place(root, (), "", 0)]
        while todo and len(self.found) < MAX_DEFINITIONS:
            place = todo.pop()
            if time.monotonic() > self.deadline:
                return None
            if place.depth < MAX_DEPTH:
                todo.extend(self._read_children(place))
        return self.found

    def _read_children(self, place: _Place) -> Iterator[_Place]:
        lead: int | None = place.first
        lead_end = place.node.start_point[0] if lead is not None else -2
        rules = self.rules
        before = -1
        for node in place.node.named_children:
            kind = node.type
            row, end = node.start_point[0], node.end_point[0]
            if kind in rules.leading:
                if row == before:  # a comment after code on the same line belongs to that code
                    continue
                if lead is None or row > lead_end + 1:
                    lead = row
                lead_end = _last_row(node)
                continue
            first = lead if lead is not None and row <= lead_end + 1 else row
            lead = None
            outer = place.outer or node
            if place.outer is not None and place.first is not None:
                first = min(first, place.first)
            if kind in rules.wrappers:
                around = place.outer if place.outer is not None else node
                yield _Place(node, place.scope, place.kind, place.depth + 1, self._sole(node, around), first)
            elif kind in rules.through or (kind == "ERROR" and node.named_child_count):
                yield _Place(node, place.scope, place.kind, place.depth + 1)
            elif kind in rules.definitions:
                name, holds = rules.definitions[kind]
                item = default_item(self.source, node, name, holds)
                if item is not None:
                    yield from self._take(item, node, outer, first, place)
            elif rules.handlers and kind in rules.handlers:
                for item in rules.handlers[kind](self.source, node, place.scope):
                    yield from self._take(item, node, outer, first, place)
            before = end

    @staticmethod
    def _sole(node: Node, around: Node) -> Node | None:
        """`around` when the wrapper holds one definition; a group of them has lines of its own."""
        inside = [
            child for child in node.named_children if child.type.endswith(("_spec", "declarator", "_alias"))
        ]
        return around if len(inside) < 2 else None

    def _take(self, item: Item, node: Node, outer: Node, first: int, place: _Place) -> Iterator[_Place]:
        """Keeps what the node defines; gives the places inside it."""
        scope = place.scope
        if self.keyed and item.owner:
            scope = tuple(part for part in item.owner if part)
        elif item.owner:
            scope = item.owner
        kind = item.kind
        if kind in {"", "namespace"}:
            # An `impl`, a namespace, a function that is called on the spot: around, but no definition.
            if item.body is not None:
                inner = (*scope, item.name) if item.name and kind == "" else scope
                around = place.kind if not item.name else "class" if not kind else ""
                yield _Place(item.body, inner, around, place.depth + 1)
            return
        if kind == "function" and place.kind in {"class", "type"}:
            kind = "method"
        if self._is_left_out(item, node, kind, place):
            return
        if kind in {"function", "method"} and self._is_test(item, node, outer, first):
            kind = "test"
        parameters = None
        if item.parameters is not None:
            parameters = parameter_names(self.source, item.parameters)
        elif kind in {"function", "method"}:
            parameters = ()
        start = outer.start_point[0]
        self.found.append(
            Definition(
                kind,
                item.name,
                scope,
                min(first, start),
                start,
                max(_last_row(outer), start),
                parameters,
                item.base,
                item.body is not None,
                (item.span or outer).start_byte,
                (item.span or outer).end_byte,
            )
        )
        if item.body is not None and not (
            self.keyed and len(scope) + 1 >= KEY_DEPTH and node.type != "table"
        ):
            yield _Place(item.body, (*scope, item.name), kind, place.depth + 1)

    def _is_left_out(self, item: Item, node: Node, kind: str, place: _Place) -> bool:
        """Whether this kind of definition is noise where it stands."""
        if kind == "constant" and self.language == "rust":
            return place.kind in {"class", "type"}
        if node.type == "declaration" and self.language in {"c", "cpp"} and kind in {"function", "method"}:
            # A prototype; in a header or a class it is the only trace of the function.
            return not (self.is_header or place.kind in {"class", "type"})
        return False

    def _is_test(self, item: Item, node: Node, outer: Node, first: int) -> bool:
        if self.is_test and _TEST_NAME().match(item.name):
            return True
        if self.language in {"rust", "java", "csharp", "php"}:
            return bool(_TEST_MARK().search(self._head(node, first)))
        return False

    def _head(self, node: Node, first: int) -> str:
        """The attributes and modifiers of a definition, in front of its name."""
        if self.language == "rust":
            parts = []
            before = node.prev_named_sibling
            while before is not None and before.type in self.rules.leading and before.start_point[0] >= first:
                parts.append(text_of(self.source, before))
                before = before.prev_named_sibling
            return "\n".join(parts)
        name = node.child_by_field_name("name")
        return self.source[node.start_byte : name.start_byte if name else node.end_byte][:2000].decode(
            "utf-8", "replace"
        )


def _last_row(node: Node) -> int:
    """The last line that has something of the node; some nodes end at the start of the next line."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row


def innermost(definitions: Sequence[Definition], rows: Sequence[int]) -> list[list[int]]:
    """For each of the sorted `rows`, the positions of the smallest definitions around it.

    `definitions` are in the order of `find_definitions`. Several names on the same lines share them.
    """
    result: list[list[int]] = []
    stack: list[int] = []
    position = 0
    for row in rows:
        while position < len(definitions) and definitions[position].first <= row:
            while stack and definitions[stack[-1]].last < definitions[position].first:
                stack.pop()
            stack.append(position)
            position += 1
        while stack and definitions[stack[-1]].last < row:
            stack.pop()
        alive = [index for index in stack if definitions[index].last >= row]
        if not alive:
            result.append([])
            continue
        top = definitions[alive[-1]]
        result.append(
            [
                index
                for index in alive
                if (definitions[index].first, definitions[index].last) == (top.first, top.last)
                and definitions[index].scope == top.scope
            ]
        )
    return result
