"""What do definitions look like in the syntax tree of each language?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gitnotes.guard.patterns import late
from gitnotes.read.syntax_rules import Item, Rules, base_of, default_item, first_of, names, table, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_CONSTANT = late(r"_{0,2}[A-Z][A-Z0-9_]+$")
_PLAIN = late(r"[\w$.#]+$")
_BLOCKS = "ERROR if_statement else_clause try_statement finally_clause"


def _python_assignment(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    name, value = text_of(source, node.child_by_field_name("left")), node.child_by_field_name("right")
    if value is not None and value.type == "lambda" and _PLAIN().match(name):
        yield Item("function", name, value.child_by_field_name("parameters"))
    elif not owner and _CONSTANT().match(name):
        yield Item("constant", name)


def _python_type(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    name = text_of(source, node.child_by_field_name("left")).partition("[")[0]
    if name:
        yield Item("type", name)


_PYTHON = Rules(
    table("function_definition: function; class_definition: class+"),
    names("module block elif_clause except_clause with_statement match_statement case_clause " + _BLOCKS),
    names("decorated_definition expression_statement"),
    {"assignment": _python_assignment, "type_alias_statement": _python_type},
)

_FUNCTIONS = names("arrow_function function_expression generator_function function")
_JS_CASES = names("it test specify bench")
_JS_SUITES = names("describe context suite")


def _js_value(source: bytes, node: Node, name: str, kind: str, owner: tuple[str, ...] = ()) -> Item | None:
    """The definition that `name = node` makes, when `node` is a function or a class."""
    if node.type in _FUNCTIONS:
        list_ = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        return Item(kind, name, list_, owner=owner)
    if node.type == "class":
        return Item("class", name, base=base_of(source, node), body=node.child_by_field_name("body"))
    return None


def _js_variable(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    name, value = text_of(source, node.child_by_field_name("name")), node.child_by_field_name("value")
    if not _PLAIN().match(name) or owner:
        return
    if value is not None and (item := _js_value(source, value, name, "function")):
        yield item
        return
    declaration = node.parent
    around = declaration.parent if declaration is not None else None
    if _CONSTANT().match(name) or (around is not None and around.type == "export_statement"):
        yield Item("constant", name)


def _js_assignment(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    """`exports.f = function`, `Class.prototype.f = function`, `app.f = () =>`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "member_expression":
        return
    name = text_of(source, left.child_by_field_name("property"))
    of = text_of(source, left.child_by_field_name("object")).removesuffix(".prototype")
    if name == "exports" and of == "module":
        name, of = text_of(source, right.child_by_field_name("name")), ""
    plain = of in {"", "exports", "module.exports", "this", "window"} or not _PLAIN().match(of)
    if name and (
        item := _js_value(source, right, name, "function" if plain else "method", () if plain else (of,))
    ):
        yield item


def _js_field(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    value = node.child_by_field_name("value")
    if value is not None and (item := _js_value(source, value, text_of(source, name), "method")):
        yield item


def _js_call(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    """`describe("...", () => {})` and `it("...", ...)`; also a function that is called on the spot."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None:
        return
    if function.type == "parenthesized_expression" and not owner:
        for inner in function.named_children:
            if inner.type in _FUNCTIONS:
                yield Item("", "", body=inner.child_by_field_name("body"))
        return
    called = text_of(source, function).partition(".")[0]
    if called not in _JS_CASES and called not in _JS_SUITES:
        return
    title, body = "", None
    for argument in arguments.named_children[:4]:
        if argument.type in {"string", "template_string"}:
            title = title or text_of(source, argument)[1:-1]
        elif argument.type in _FUNCTIONS:
            body = argument.child_by_field_name("body")
    if title:
        yield Item("test", title, body=body if called in _JS_SUITES else None)


_JS = Rules(
    table(
        "function_declaration: function; generator_function_declaration: function;"
        "function_signature: function;"
        "class_declaration: class+; abstract_class_declaration: class+; method_definition: method;"
        "abstract_method_signature: method; interface_declaration: type; type_alias_declaration: type;"
        "enum_declaration: type; internal_module: namespace+"
    ),
    names("program class_body statement_block module " + _BLOCKS),
    names(
        "export_statement lexical_declaration variable_declaration expression_statement ambient_declaration"
    ),
    {
        "variable_declarator": _js_variable,
        "assignment_expression": _js_assignment,
        "field_definition": _js_field,
        "public_field_definition": _js_field,
        "call_expression": _js_call,
    },
    names("comment decorator"),
)


def _go_method(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    receiver = text_of(source, node.child_by_field_name("receiver"))
    match = re.match(r"\(\s*(?:\w+\s+)?\*?\s*(\w+)", receiver)
    name = text_of(source, node.child_by_field_name("name"))
    if name:
        yield Item("method", name, node.child_by_field_name("parameters"), owner=(match[1],) if match else ())


def _go_values(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    found = [name for name in node.children_by_field_name("name") if name.is_named]
    values = node.child_by_field_name("value")
    parts = values.named_children if values is not None else []
    for number, name in enumerate(found):
        if text_of(source, name) != "_":
            # Of `a, b = 1, 2` each is its value; nothing else tells the two apart.
            own = parts[number] if 1 < len(found) == len(parts) else None
            yield Item("constant", text_of(source, name), span=own)


_GO = Rules(
    table("function_declaration: function; type_spec: type; type_alias: type"),
    names("source_file var_spec_list ERROR"),
    names("type_declaration const_declaration var_declaration"),
    {"method_declaration": _go_method, "const_spec": _go_values, "var_spec": _go_values},
)


def _rust_impl(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    match = re.match(r"[&\s]*(?:dyn\s+)?(?:\w+::)*(\w+)", text_of(source, node.child_by_field_name("type")))
    if match:
        yield Item("", match[1], body=node.child_by_field_name("body"))


def _rust_mod(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    name, body = text_of(source, node.child_by_field_name("name")), node.child_by_field_name("body")
    yield Item("namespace" if body is not None else "type", name, body=body)


_RUST = Rules(
    table(
        "function_item: function; function_signature_item: function; struct_item: type; enum_item: type;"
        "union_item: type; type_item: type; trait_item: type+; macro_definition: function;"
        "const_item: constant; static_item: constant"
    ),
    names("source_file declaration_list foreign_mod_item ERROR"),
    frozenset(),
    {"impl_item": _rust_impl, "mod_item": _rust_mod},
    names("line_comment block_comment attribute_item"),
)


def _class_constants(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    """Constants of Java, C# and PHP, which stand in a class."""
    head = text_of(source, node)
    if node.type == "field_declaration" and not (
        re.search(r"\bconst\b", head) or (" final " in head and "static" in head) or "static readonly" in head
    ):
        return
    todo = list(node.named_children)
    found: list[Node] = []
    while todo:
        child = todo.pop(0)
        if child.type == "variable_declaration":
            todo.extend(child.named_children)
        elif child.type in {"variable_declarator", "const_element"}:
            found.append(child)
    for child in found:
        name = child.child_by_field_name("name") or first_of(child)
        yield Item("constant", text_of(source, name), span=child if len(found) > 1 else None)


_JAVA = Rules(
    table(
        "class_declaration: class+; record_declaration: class+; interface_declaration: type+;"
        "enum_declaration: type+; annotation_type_declaration: type; method_declaration: method;"
        "constructor_declaration: method; compact_constructor_declaration: method"
    ),
    names("program class_body interface_body enum_body enum_body_declarations ERROR"),
    frozenset(),
    {"field_declaration": _class_constants},
    names("line_comment block_comment"),
)
_CSHARP = Rules(
    table(
        "class_declaration: class+; record_declaration: class+; struct_declaration: type+;"
        "interface_declaration: type+; enum_declaration: type; delegate_declaration: type;"
        "method_declaration: method; constructor_declaration: method; property_declaration: method;"
        "namespace_declaration: namespace+"
    ),
    names("compilation_unit declaration_list file_scoped_namespace_declaration preproc_if ERROR"),
    frozenset(),
    {"field_declaration": _class_constants},
)
_PHP = Rules(
    table(
        "function_definition: function; class_declaration: class+; interface_declaration: type+;"
        "trait_declaration: type+; enum_declaration: type+; method_declaration: method;"
        "namespace_definition: namespace+"
    ),
    names("program declaration_list enum_declaration_list compound_statement " + _BLOCKS),
    frozenset(),
    {"const_declaration": _class_constants},
)


def _c_function(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    """A function, or a prototype; its name is at the bottom of a chain of declarators."""
    declarator = node.child_by_field_name("declarator")
    for _ in range(12):
        if declarator is None or declarator.type == "function_declarator":
            break
        declarator = declarator.child_by_field_name("declarator") or next(
            (item for item in declarator.named_children if item.type.endswith("declarator")), None
        )
    if declarator is None:
        for child in node.named_children:  # struct s { ... } x;
            yield from _c_type(source, child, owner)
        return
    inner = declarator.child_by_field_name("declarator")
    scope, _, name = text_of(source, inner).rpartition("::")
    if name and re.match(r"~?[\w]+$|operator\b", name):
        of = (re.sub(r"<.*", "", scope).rpartition("::")[2],) if scope else ()
        kind = "method" if of else "function"
        yield Item(kind, name, declarator.child_by_field_name("parameters"), owner=of)


def _c_type(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    body = node.child_by_field_name("body")
    if body is not None and node.type in _C_TYPES and (item := default_item(source, node, "class", True)):
        yield Item(
            "class" if node.type == "class_specifier" else "type", item.name, base=item.base, body=body
        )


def _c_typedef(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    name = node.child_by_field_name("declarator") or node.child_by_field_name("name")
    if name is not None and _PLAIN().match(text_of(source, name)):
        yield Item("type", text_of(source, name))


def _c_macro(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    if node.child_by_field_name("value") is not None:  # a guard has none
        name = text_of(source, node.child_by_field_name("name"))
        yield Item("constant", name, node.child_by_field_name("parameters"))


_C_TYPES = names("struct_specifier class_specifier union_specifier enum_specifier")
_C = Rules(
    table("namespace_definition: namespace+; concept_definition: type"),
    names(
        "translation_unit preproc_if preproc_ifdef preproc_else preproc_elif linkage_specification"
        " declaration_list field_declaration_list ERROR"
    ),
    names("template_declaration"),
    {
        **dict.fromkeys(("function_definition", "declaration", "field_declaration"), _c_function),
        **dict.fromkeys(_C_TYPES, _c_type),
        **dict.fromkeys(("type_definition", "alias_declaration"), _c_typedef),
        **dict.fromkeys(("preproc_def", "preproc_function_def"), _c_macro),
    },
)


def _ruby_constant(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    name = text_of(source, node.child_by_field_name("left"))
    if _CONSTANT().match(name):
        yield Item("constant", name)


def _ruby_call(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    """`describe "..." do`, `it "..." do`, `private def name`, and `attr_reader :name`."""
    called = text_of(source, node.child_by_field_name("method"))
    arguments, block = node.child_by_field_name("arguments"), node.child_by_field_name("block")
    if called in {"private", "protected", "public", "module_function", "private_class_method"}:
        yield Item("", "", body=arguments)
    elif called in {"attr", "attr_reader", "attr_writer", "attr_accessor"} and arguments is not None:
        fields = [item for item in arguments.named_children if item.type in {"simple_symbol", "string"}]
        for field in fields:
            yield Item("method", text_of(source, field).strip(":'\""), span=field)
    elif called in {"describe", "context", "it", "test", "specify"} and arguments is not None:
        title = text_of(source, first_of(arguments)).strip("'\"")
        holds = called in {"describe", "context"} and block is not None
        if title and block is not None:
            yield Item("test", title, body=block.child_by_field_name("body") if holds else None)


_RUBY = Rules(
    table("module: type+; class: class+; method: function; singleton_method: function"),
    names("program body_statement singleton_class begin if unless then else argument_list ERROR"),
    frozenset(),
    {"assignment": _ruby_constant, "call": _ruby_call},
)


def _bash_variable(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    name = text_of(source, node.child_by_field_name("name"))
    if _CONSTANT().match(name):
        yield Item("constant", name)


_BASH = Rules(
    table("function_definition: function"),
    names("program elif_clause list compound_statement " + _BLOCKS),
    names("declaration_command"),
    {"variable_assignment": _bash_variable},
)


def _pair(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    """A pair of JSON, YAML or TOML."""
    key = node.child_by_field_name("key") or first_of(node)
    value = node.child_by_field_name("value")
    name = text_of(source, key).strip("\"'")
    if name:
        holds = value is not None and value.type in {"object", "block_node", "flow_node"}
        yield Item("key", name, body=value if holds else None)


def _toml_table(source: bytes, node: Node, owner: tuple[str, ...]) -> Iterator[Item]:
    head = first_of(node)
    *around, name = re.findall(r'"[^"]*"|\'[^\']*\'|[^.\s]+', text_of(source, head)) or [""]
    if name:
        yield Item(
            "key", name.strip("\"'"), owner=tuple(part.strip("\"'") for part in around) or ("",), body=node
        )


_KEYS = Rules(
    {},
    names("document object stream block_node flow_node block_mapping flow_mapping ERROR"),
    frozenset(),
    {
        **dict.fromkeys(("pair", "block_mapping_pair", "flow_pair"), _pair),
        **dict.fromkeys(("table", "table_array_element"), _toml_table),
    },
)
_RULES = {
    "python": _PYTHON, "javascript": _JS, "typescript": _JS, "tsx": _JS, "go": _GO, "rust": _RUST,
    "java": _JAVA, "csharp": _CSHARP, "php": _PHP, "c": _C, "cpp": _C, "ruby": _RUBY, "bash": _BASH,
    "json": _KEYS, "yaml": _KEYS, "toml": _KEYS,
}  # fmt: skip


def rules_of(language: str) -> Rules:
    """The rules of a language that `languages.language_of` names."""
    return _RULES[language]
