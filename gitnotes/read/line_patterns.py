"""Does this line start a definition, judged by the line alone?

For a bare diff, where there is no file to parse, and for files that no parser can read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from gitnotes.guard.patterns import late
from gitnotes.kinds import kind_of

LINE_CAP = 300
"""Characters of a line that are looked at, so that one endless line costs nothing."""
_PARAMETERS = 40


class Found(NamedTuple):
    """A definition in one line; `parameters` is None when the list does not end in it."""

    kind: str
    name: str
    path: str
    indent: int
    parameters: tuple[str, ...] | None
    owner: str
    base: str


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _compile(*patterns: str) -> Callable[[], re.Pattern[str]]:
    return late("|".join(patterns))


_W = r"[A-Za-z_$][\w$]*"
_JS = _compile(
    rf"^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(?P<function>{_W})\s*(?:<[^>(]*>)?\((?P<p1>[^)]*)",
    rf"^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+(?P<class>{_W})(?:\s+extends\s+(?P<base>[\w.]+))?",
    rf"^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?(?:interface|enum|type)\s+(?P<type>{_W})\b\s*[<={{e]",
    rf"^\s*(?:export\s+)?(?:const|let|var)\s+(?P<function2>{_W})\s*(?::[^=]*)?=\s*(?:async\s*)?(?:function\b|\((?P<p2>[^)]*)\)[^=]*=>|{_W}\s*=>)",
    r"^(?:export\s+)?const\s+(?P<constant>[A-Z][A-Z0-9_]{2,})\s*[:=]",
    rf"^\s+(?:public\s+|private\s+|protected\s+|static\s+|readonly\s+|override\s+|async\s+|get\s+|set\s+){{0,4}}(?P<method>#?{_W})\s*(?:<[^>(]*>)?\((?P<p3>[^)]*)\)\s*(?::[^{{]*)?\{{\s*$",
)
_C = _compile(
    r"^(?:typedef\s+)?(?:struct|union|enum(?:\s+class)?|class)\s+(?:[A-Z_]+_API\s+)?(?P<class>\w+)(?:\s+final)?\s*(?::[^{;]*)?\{?\s*$",
    r"^\s*#\s*define\s+(?P<constant>\w{3,})",
    r"^(?:namespace)\s+(?P<type>[\w:]+)",
    r"^(?![\s#/*}])(?:[\w:<>,*&~\[\]]+[ \t*&]+){1,6}[*&]*(?P<function>[\w:~]+)\s*\((?P<p1>[^;]*)$",
)
_MANAGED = _compile(
    r"^\s*(?:(?:public|private|protected|internal|abstract|final|sealed|static|partial|data|open|export)\s+){0,5}(?:class|record|object)\s+(?P<class>\w+)(?:[^{]*?(?:extends|:)\s*(?P<base>\w+))?",
    r"^\s*(?:(?:public|private|protected|internal|abstract|sealed|static|fun)\s+){0,4}(?:interface|enum|trait|struct|@interface)\s+(?:class\s+)?(?P<type>\w+)",
    r"^\s*(?:(?:public|private|protected|internal)\s+)?(?:static\s+final|const|const\s+val)\s+(?:[\w<>\[\]]+\s+)?(?P<constant>[A-Z][A-Z0-9_]{2,})\s*=",
    r"^\s*(?:(?:public|private|protected|internal|override|suspend|inline|open|operator|static|final|abstract)\s+){0,4}(?:fun|function)\s+(?:<[^>]*>\s*)?(?:\w+\.)?&?(?P<function>\w+)\s*\((?P<p1>[^)]*)",
    r"^\s+(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|synchronized|default|sealed|extern|new|unsafe)\s+){1,5}(?:<[^>]*>\s*)?[\w<>\[\],.?]+\s+(?P<method>\w+)\s*(?:<[^>]*>)?\((?P<p2>[^)]*)",
)
_LANGUAGES: dict[str, Callable[[], re.Pattern[str]]] = {
    "python": _compile(
        r"^\s*(?:async\s+)?def\s+(?P<function>\w+)\s*(?:\[[^\]]*\])?\((?P<p1>[^)]*)",
        r"^\s*class\s+(?P<class>\w+)\s*(?:\[[^\]]*\])?(?:\((?P<base>[\w.]*))?",
        r"^(?P<constant>[A-Z][A-Z0-9_]{2,})\s*(?::[^=]+)?=(?!=)",
        r"^type\s+(?P<type>\w+)\s*=",
    ),
    "js": _JS,
    "go": _compile(
        r"^func\s+\([^)]*?\*?(?P<owner>\w+)(?:\[[^\]]*\])?\)\s*(?P<method>\w+)\s*\((?P<p1>[^)]*)",
        r"^func\s+(?P<function>\w+)\s*(?:\[[^\]]*\])?\((?P<p2>[^)]*)",
        r"^type\s+(?P<type>\w+)\b",
        r"^\s*(?:const|var)\s+(?P<constant>\w+)\s.*=",
    ),
    "rust": _compile(
        r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:const\s+|async\s+|unsafe\s+|extern\s+\"[^\"]*\"\s+){0,3}fn\s+(?P<function>\w+)\s*(?:<[^(]*>)?\((?P<p1>[^)]*)",
        r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|union|trait|type|mod)\s+(?P<type>\w+)",
        r"^\s*impl(?:<[^>]*>)?\s+(?:[\w:<>']+\s+for\s+)?(?P<class>\w+)",
        r"^\s*macro_rules!\s*(?P<function2>\w+)",
        r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:const|static)\s+(?:mut\s+)?(?P<constant>[A-Z][A-Z0-9_]{2,})\s*:",
    ),
    "c": _C,
    "managed": _MANAGED,
    "ruby": _compile(
        r"^\s*def\s+(?:self\.)?(?P<function>\w+[?!=]?)\s*\(?(?P<p1>[^)]*)",
        r"^\s*class\s+(?P<class>[\w:]+)(?:\s*<\s*(?P<base>[\w:]+))?",
        r"^\s*module\s+(?P<type>[\w:]+)",
        r"^\s*(?P<constant>[A-Z][A-Z0-9_]{2,})\s*=(?!=)",
    ),
    "shell": _compile(
        r"^\s*(?:function\s+)?(?P<function>[\w.-]+)\s*\(\)",
        r"^\s*function\s+(?P<function2>[\w.-]+)",
        r"^(?:readonly\s+|export\s+)?(?P<constant>[A-Z][A-Z0-9_]{3,})=",
    ),
    "settings": _compile(
        r"^\s*\[+(?P<class>[\w.\"-]+)\]+\s*$",
        r"^\s*(?:- )?[\"']?(?P<key>[A-Za-z][\w.-]*)[\"']?\s*[:=](?!=)",
    ),
}
_SUFFIXES = {
    "python": "py pyi pyx", "js": "js jsx mjs cjs ts tsx vue svelte mts cts", "go": "go", "rust": "rs",
    "c": "c h cc cpp cxx hpp hh m mm", "managed": "java kt kts cs php scala groovy swift", "ruby": "rb rake",
    "shell": "sh bash zsh", "settings": "toml yaml yml json ini cfg conf",
}  # fmt: skip
_LANGUAGE_OF = {suffix: language for language, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}
_TEST_NAME = late(r"^(?:test(?=[_A-Z])|Test(?=[_A-Z])|Benchmark(?=[_A-Z])|Fuzz(?=[_A-Z]))_?")
_JS_TEST = late(r"""^\s*(?:it|test|describe)(?:\.\w+)?\(\s*["'`]([^"'`]{3,80})["'`]""")
_CONTROL = _words("if for while switch catch return else do new function elif match with constructor")
_NOT_NAMES = _words("_ __init__ __all__ main init setUp tearDown")


def family_of(path: str) -> str:
    """The name of the pattern set for the path's suffix; empty when there is none."""
    return _LANGUAGE_OF.get(path.rpartition(".")[2].lower() if "." in path else "", "")


def definition_in(line: str, path: str) -> tuple[str, str] | None:
    """Kind and name of the definition that starts in this line of the file at `path`."""
    found = read_line(line[:LINE_CAP], family_of(path), path)
    return (found.kind, found.name) if found else None


def read_line(text: str, language: str, path: str) -> Found | None:
    """The definition that starts in `text`, or None."""
    if not text or not language:
        return None
    match = _LANGUAGES[language]().match(text)
    if match is None:
        if language == "js" and (match := _JS_TEST().match(text)):
            return Found("test", match[1], path, len(text) - len(text.lstrip()), None, "", "")
        return None
    groups = match.groupdict()
    kind = next(
        (name for name in groups if groups[name] and name not in {"base", "owner"} and name[0] != "p"), ""
    )
    if not kind:
        return None
    name = groups[kind]
    kind = kind.rstrip("2")
    if name in _CONTROL or name in _NOT_NAMES:
        return None
    if (kind == "function" and _TEST_NAME().match(name) and kind_of(path) == "test") or (
        kind == "method" and name.startswith("test") and kind_of(path) == "test"
    ):
        kind = "test"
    listed = next((groups[key] for key in ("p1", "p2", "p3") if groups.get(key) is not None), None)
    closed = listed is not None and "(" in text and (")" in text or language == "c")
    return Found(
        kind,
        name,
        path,
        len(text) - len(text.lstrip()),
        _parameters(listed, language) if listed is not None and closed else None,
        groups.get("owner") or "",
        groups.get("base") or "",
    )


def _parameters(text: str, language: str) -> tuple[str, ...]:
    """The names of the parameters, in order."""
    names: list[str] = []
    depth = 0
    part: list[str] = []
    for character in text[:LINE_CAP] + ",":
        if character == "," and depth == 0:
            piece = "".join(part).partition("=")[0].strip()
            part.clear()
            name = parameter_in(piece, language)
            if name and name not in {"self", "cls", "this"} and len(names) < _PARAMETERS:
                names.append(name)
            continue
        depth += (character in "[{<(") - (character in "]}>)")
        part.append(character)
    return tuple(names)


def parameter_in(piece: str, language: str) -> str:
    """The name in one item of a parameter list; empty when it has none."""
    if language in {"c", "managed"} and ":" not in piece:
        words = re.findall(r"\w+", piece)
        return words[-1] if len(words) > 1 else ""
    match = re.match(r"[*&.\s]*(?:mut\s+|const\s+|final\s+)?[$]?(\w+)", piece)
    return match[1] if match else ""
