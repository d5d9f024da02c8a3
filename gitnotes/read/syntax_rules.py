"""Which nodes of a syntax tree are definitions, and what are they called?

One table a language says which nodes are definitions, which only hold them, and which wrap a
single one; what a table cannot say is said by a function. Bodies of functions are never entered:
what is defined in them is theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from gitnotes.guard.patterns import late

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_NAME = 120
"""Characters of a name that are kept."""
KEY_DEPTH = 3
"""Levels of a JSON or YAML document whose keys count as definitions."""


class Item(NamedTuple):
    """What one node defines; `body` holds what is defined inside it."""

    kind: str
    name: str
    parameters: Node | None = None
    base: str = ""
    owner: tuple[str, ...] = ()
    """Owner that is written on the definition itself: a Go receiver, `Class::` in C++."""
    body: Node | None = None
    span: Node | None = None
    """The part of the node that is this definition's own, where the node has several."""


Handler = Callable[[bytes, "Node", tuple[str, ...]], Iterator[Item]]
"""Source, node, names of the definitions around it -> what the node defines."""


class Rules(NamedTuple):
    """How the definitions of one language look in its syntax tree."""

    definitions: dict[str, tuple[str, bool]]
    """Type of node: kind, and whether it holds definitions."""
    through: frozenset[str]
    """Nodes that hold definitions without being one."""
    wrappers: frozenset[str] = frozenset()
    """Nodes around a single definition whose lines belong to it: decorators, `export`, `template`."""
    handlers: dict[str, Handler] | None = None
    leading: frozenset[str] = frozenset({"comment"})
    """Nodes just above a definition that belong to it."""


def text_of(source: bytes, node: Node | None) -> str:
    """The source of `node`, cut to the length of a name."""
    if node is None:
        return ""
    return source[node.start_byte : min(node.end_byte, node.start_byte + 4 * MAX_NAME)].decode(
        "utf-8", "replace"
    )[:MAX_NAME]


def first_of(node: Node) -> Node | None:
    """The first named child."""
    return node.named_child(0) if node.named_child_count else None


def default_item(source: bytes, node: Node, kind: str, holds: bool) -> Item | None:
    """The definition that a plain node is, by the fields that most grammars share."""
    name = text_of(source, node.child_by_field_name("name"))
    if not name:
        return None
    base = base_of(source, node) if holds else ""
    body = node.child_by_field_name("body") if holds else None
    return Item(kind, name, node.child_by_field_name("parameters"), base, body=body)


_BASES = frozenset(
    {"superclass", "argument_list", "class_heritage", "base_class_clause", "base_list", "base_clause"}
)
_BASE = late(r"[\s:<(]*(?:(?:extends|public|private|protected|virtual)\s+)*([A-Za-z_][\w.:\\]*)")


def base_of(source: bytes, node: Node) -> str:
    """The first thing that a class derives from; empty when there is none."""
    for child in node.named_children:
        if child.type in _BASES:
            match = _BASE().match(text_of(source, child))
            return match[1] if match and match[1] not in {"implements", "metaclass"} else ""
    return ""


_IDENTIFIERS = frozenset(
    {"identifier", "shorthand_property_identifier_pattern", "variable_name", "field_identifier", "constant"}
)
_NOT_PARAMETERS = frozenset(
    {"comment", "line_comment", "block_comment", "positional_separator", "keyword_separator",
     "self_parameter", "attribute_item", "variadic_parameter_marker", "receiver_parameter"}
)  # fmt: skip
_PATTERNS = frozenset({"object_pattern", "array_pattern", "tuple_pattern", "struct_pattern"})
_MAX_PARAMETERS = 60


def parameter_names(source: bytes, node: Node) -> tuple[str, ...]:
    """The names in a parameter list, in order, without `self`, `cls` and `this`."""
    if node.type in _IDENTIFIERS:  # x => x + 1
        return (text_of(source, node),)
    names: list[str] = []
    for child in node.named_children[:_MAX_PARAMETERS]:
        if child.type not in _NOT_PARAMETERS:
            names.extend(_names_in(source, child, 8))
    names.extend(text_of(source, item) for item in node.children_by_field_name("name") if item.is_named)
    found = (name.lstrip("$&*.") for name in names)
    return tuple(
        dict.fromkeys(name for name in found if name not in {"", "self", "cls", "this", "_", "void"})
    )


def _names_in(source: bytes, node: Node, depth: int) -> Iterator[str]:
    if node.type in _IDENTIFIERS:
        yield text_of(source, node)
        return
    if depth == 0:
        return
    if named := node.children_by_field_name("name"):
        yield from (text_of(source, item) for item in named if item.is_named)
        return
    for field in ("pattern", "declarator", "left", "value" if node.type == "pair_pattern" else "name"):
        if (child := node.child_by_field_name(field)) is not None:
            yield from _names_in(source, child, depth - 1)
            return
    if node.type in {"parameter_declaration", "type_identifier", "primitive_type"}:  # a type alone
        return
    for child in node.named_children:
        found = list(_names_in(source, child, depth - 1))
        yield from found
        if found and node.type not in _PATTERNS:
            return


def table(text: str) -> dict[str, tuple[str, bool]]:
    """`node: kind` pairs between semicolons; a `+` after the kind says that it holds definitions."""
    pairs = (item.split(":") for item in text.split(";"))
    return {name.strip(): (kind.strip(" +"), "+" in kind) for name, kind in pairs}


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())
