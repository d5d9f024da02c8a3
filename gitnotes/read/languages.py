"""Which language is a file written in, and which parser reads it?

Grammars are the official tree-sitter wheels, each imported when the first file of its language
comes, so that a change in Python never pays for the grammar of C++.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser

# Language: module of its grammar, function of that module.
_GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "bash": ("tree_sitter_bash", "language"),
    "json": ("tree_sitter_json", "language"),
    "yaml": ("tree_sitter_yaml", "language"),
    "toml": ("tree_sitter_toml", "language"),
}
# A header may be C or C++; the grammar of C++ reads both.
_SUFFIXES = {
    "python": "py pyi pyw", "javascript": "js jsx mjs cjs", "typescript": "ts mts cts", "tsx": "tsx",
    "go": "go", "rust": "rs", "java": "java", "c": "c", "cpp": "cc cpp cxx c++ h hh hpp hxx ipp cu",
    "csharp": "cs", "ruby": "rb rake gemspec ru", "php": "php phtml", "bash": "sh bash ksh bats",
    "json": "json jsonc webmanifest", "yaml": "yaml yml", "toml": "toml",
}  # fmt: skip
_NAMES = {
    "rakefile": "ruby", "gemfile": "ruby", "podfile": "ruby", "vagrantfile": "ruby", ".bashrc": "bash",
    ".profile": "bash", "pkgbuild": "bash", ".clang-format": "yaml", "pipfile": "toml",
}  # fmt: skip
_LANGUAGE_OF = {suffix: language for language, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}

KEYED = frozenset({"json", "yaml", "toml"})
"""Languages whose definitions are keys."""


def language_of(path: str) -> str:
    """The language of the file at `path`, by its name; empty when there is no grammar for it."""
    name = path.rpartition("/")[2].lower()
    return _NAMES.get(name) or (_LANGUAGE_OF.get(name.rpartition(".")[2], "") if "." in name else "")


@cache
def parser_of(language: str) -> Parser | None:
    """A parser for `language`; None when its wheel is missing or does not fit the installed tree-sitter."""
    if language not in _GRAMMARS:
        return None
    module, function = _GRAMMARS[language]
    try:
        from tree_sitter import Language, Parser

        return Parser(Language(getattr(import_module(module), function)()))
    except (ImportError, AttributeError, ValueError):
        return None
