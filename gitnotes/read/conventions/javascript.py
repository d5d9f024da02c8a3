"""Which literal does a JavaScript or TypeScript file export, read without running anything?"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gitnotes.read.syntax import parse

if TYPE_CHECKING:
    from tree_sitter import Node

_SECONDS = 1.0
_DEPTH = 40
_MAX_NODES = 50_000
_WRAPPERS = frozenset(
    ["parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"]
)
_HELPERS = frozenset(["defineConfig", "Object.freeze"])
"""Functions that give back what they are given."""
_SEVERITIES = {"Disabled": 0, "Warning": 1, "Error": 2}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


@dataclass(frozen=True, slots=True)
class Computed:
    """Stands where a value is not a literal."""


COMPUTED = Computed()


def read_export(source: bytes, language: str) -> Any:
    """What the file exports by default, as dicts, lists and plain values, with `COMPUTED` for the rest.

    Follows names that are bound to a literal in the file. Raises ValueError when the file exports
    nothing, cannot be parsed in a second, or the grammar is not installed.
    """
    tree = parse(source + b"\n", language, deadline=time.monotonic() + _SECONDS)
    if tree is None:
        raise ValueError("it cannot be parsed here")
    reader = _Reader()
    exported: Node | None = None
    for node in tree.root_node.named_children:
        if node.type in ("lexical_declaration", "variable_declaration"):
            for declarator in node.named_children:
                name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
                if name is not None and value is not None:
                    reader.names[_text(name)] = value
        elif node.type == "export_statement":
            exported = node.child_by_field_name("value") or exported
        elif node.type == "expression_statement" and node.named_children:
            exported = _assigned_export(node.named_children[0]) or exported
    if exported is None:
        raise ValueError("it exports nothing by default")
    return reader.value(exported, 0)


def _assigned_export(node: Node) -> Node | None:
    left = node.child_by_field_name("left") if node.type == "assignment_expression" else None
    if left is None or _text(left) not in ("module.exports", "exports.default"):
        return None
    return node.child_by_field_name("right")


@dataclass(slots=True)
class _Reader:
    """Turns expressions into values; `names` are the expressions that names are bound to."""

    names: dict[str, Node] = field(default_factory=dict)
    nodes: int = 0

    def value(self, node: Node, depth: int) -> Any:
        self.nodes += 1
        if depth > _DEPTH or self.nodes > _MAX_NODES:
            return COMPUTED
        if node.type in _WRAPPERS:
            return self.value(node.named_children[0], depth + 1) if node.named_children else COMPUTED
        if node.type in _PLAIN:
            return _PLAIN[node.type]
        read = _READERS.get(node.type)
        return read(self, node, depth + 1) if read else COMPUTED

    def object(self, node: Node, depth: int) -> Any:
        found: dict[str, Any] = {}
        for child in node.named_children:
            if child.type == "pair":
                key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
                if key is not None and value is not None:
                    name = _string(key) if key.type == "string" else _text(key)
                    found[name] = self.value(value, depth)
            elif child.type == "shorthand_property_identifier":
                found[_text(child)] = self.name(child, depth)
            elif child.type == "spread_element":
                inner = self.value(child.named_children[0], depth) if child.named_children else COMPUTED
                found.update(inner if isinstance(inner, dict) else {f"...{_text(child)[3:40]}": COMPUTED})
            elif child.type == "method_definition":
                name = child.child_by_field_name("name")
                found[_text(name) if name is not None else ""] = COMPUTED
        return found

    def array(self, node: Node, depth: int) -> Any:
        found: list[Any] = []
        for child in node.named_children:
            if child.type == "spread_element":
                inner = self.value(child.named_children[0], depth) if child.named_children else COMPUTED
                found.extend(inner if isinstance(inner, list) else [COMPUTED])
            elif child.type != "comment":
                found.append(self.value(child, depth))
        return found

    def name(self, node: Node, depth: int) -> Any:
        text = _text(node)
        if text in self.names:
            return self.value(self.names[text], depth)
        return {"Infinity": float("inf"), "undefined": None}.get(text, COMPUTED)

    def member(self, node: Node, depth: int) -> Any:
        holder, key = node.child_by_field_name("object"), node.child_by_field_name("property")
        if holder is None or key is None:
            return COMPUTED
        if _text(holder).endswith("Severity"):
            return _SEVERITIES.get(_text(key), COMPUTED)
        inside = self.value(holder, depth)
        return inside.get(_text(key), COMPUTED) if isinstance(inside, dict) else COMPUTED

    def call(self, node: Node, depth: int) -> Any:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or arguments is None or _text(function) not in _HELPERS:
            return COMPUTED
        given = arguments.named_children
        return self.value(given[0], depth) if len(given) == 1 else COMPUTED

    def number(self, node: Node, depth: int) -> Any:
        text = _text(node).replace("_", "")
        try:
            return int(text) if len(text) < 12 else COMPUTED
        except ValueError:
            return COMPUTED

    def string(self, node: Node, depth: int) -> Any:
        return _string(node)


def _string(node: Node) -> Any:
    parts = []
    for child in node.named_children:
        if child.type == "escape_sequence":
            text = _text(child)[1:]
            if text[:1] in "ux" or (text[:1].isdigit() and text != "0"):
                return COMPUTED
            parts.append(_ESCAPES.get(text, text))
        elif child.type == "string_fragment":
            parts.append(_text(child))
        else:  # `${...}`
            return COMPUTED
    return "".join(parts)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


_PLAIN: dict[str, Any] = {"true": True, "false": False, "null": None}
_READERS: dict[str, Callable[[_Reader, Node, int], Any]] = {
    "object": _Reader.object,
    "array": _Reader.array,
    "string": _Reader.string,
    "template_string": _Reader.string,
    "number": _Reader.number,
    "identifier": _Reader.name,
    "member_expression": _Reader.member,
    "call_expression": _Reader.call,
}
