"""How does a language mark its comments and imports, and which versions go backwards?"""

from __future__ import annotations

from gitnotes.guard.patterns import late
from gitnotes.records import DependencyChange

_SUFFIXES = {
    "python": "py pyi pyx", "js": "js jsx mjs cjs ts tsx vue svelte mts cts", "go": "go", "rust": "rs",
    "c": "c h cc cpp cxx hpp hh m mm", "managed": "java kt kts cs php scala groovy swift", "ruby": "rb rake",
    "shell": "sh bash zsh", "settings": "toml yaml yml json ini cfg conf",
}  # fmt: skip
_FAMILY_OF = {suffix: family for family, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}
_COMMENT = {
    "python": ("#",), "ruby": ("#",), "shell": ("#",), "settings": ("#", ";", "//"),
    "js": ("//", "/*", "*", "*/"), "go": ("//", "/*", "*", "*/"), "rust": ("//", "/*", "*", "*/"),
    "c": ("//", "/*", "*", "*/"), "managed": ("//", "/*", "*", "*/", "#"),
}  # fmt: skip
_IMPORT = {
    "python": late(r"^\s*(?:from\s+([\w.]+)\s+import\b|import\s+([\w.]+))"),
    "js": late(r"""^\s*import\b[^'"]{0,200}['"]([^'"]{1,80})['"]"""),
    "go": late(r"""^\s*(?:import\s+)?(?:\w+\s+)?"([\w./-]+)"\s*$"""),
    "rust": late(r"^\s*use\s+([\w:]+)"),
    "managed": late(r"^\s*(?:import|using)\s+(?:static\s+)?([\w.]+)"),
    "c": late(r"""^\s*#\s*include\s*[<"]([\w./+-]+)[>"]"""),
}
_NUMBERS = late(r"v?(\d{1,9}(?:\.\d{1,9}){0,4})(?![\w.])")


def family_of(path: str) -> str:
    """The languages that look alike to which the file at `path` belongs; empty when unknown."""
    return _FAMILY_OF.get(path.rpartition(".")[2].lower() if "." in path else "", "")


def is_comment(text: str, path: str) -> bool:
    """Whether the line of the file at `path` is nothing but a comment."""
    return text.lstrip().startswith(_COMMENT.get(family_of(path), ("\0",)))


def imported_name(text: str, path: str) -> str:
    """The module that the line of the file at `path` imports; empty when it imports none."""
    pattern = _IMPORT.get(family_of(path))
    match = pattern().match(text) if pattern else None
    return next(group for group in match.groups() if group) if match else ""


def is_downgrade(item: DependencyChange) -> bool:
    """Whether the new version is the smaller one, judged by their leading numbers."""
    old, new = _numbers(item.old), _numbers(item.new)
    return bool(old and new) and new < old


def _numbers(version: str) -> tuple[int, ...]:
    match = _NUMBERS().match(version)
    return tuple(int(part) for part in match[1].split(".")) if match else ()
