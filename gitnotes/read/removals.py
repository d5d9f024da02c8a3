"""Which public definitions were there at the start of a range and are nowhere at its end?

What is told is certain: the definition is gone, its package offered it, and no code but tests has its
name any more, so that it neither moved nor lives on as an alias. What is likely, such as a lost
parameter, is told apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gitnotes.guard.text import clean
from gitnotes.kinds import kind_of
from gitnotes.read.definitions import add_definitions
from gitnotes.read.diff import read_between
from gitnotes.read.git import Git
from gitnotes.read.languages import language_of
from gitnotes.records import Change, DefinitionChange

MAX_NAMES = 60
"""Names that are looked for at both ends of the range."""
MAX_PATHS = 20
"""Files whose history is read for the commit that removed something."""
MAX_PATCHES = 4 << 20
"""Bytes of these histories."""
_NO_API = re.compile(
    r"(?:^|/)(?:_[^/]*|tests?|testing|docs?|examples?|bench(?:marks?)?|scripts?|tools?|internal|cmd|vendor|ci"
    r"|setup\.py|conftest\.py|noxfile\.py)(?:/|$)",
    re.I,
)
_PACKAGE = re.compile(r"(?:^|/)__(?:init|main)__\.py$")
_CODE = ("*.py", "*.pyi", "*.go", "*.rs", "*.js", "*.ts", "*.c", "*.h", "*.java", "*.rb", "*.sh")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{2,79}")
_OPTION = re.compile(r"--[a-z][a-z0-9-]{1,60}")
_KINDS = frozenset(["function", "method", "class", "type"])
_INSTEAD = re.compile(r"\b[Uu]se ([^.;\n]{2,90}?) instead\b")
_CODE_NAME = re.compile(r"(?:--)?[A-Za-z_][\w.:-]{1,80}(?:\(\))?")
_NEW_NAME = re.compile(r"\b(?:replaced (?:by|with)|renamed to|in favou?r of) (`[^`\n]{2,80}`|'[^'\n]{2,80}')")


@dataclass(frozen=True, slots=True)
class Removal:
    """One public definition or option that is gone."""

    name: str
    """As a reader knows it: `Flask.json_encoder`, `--fast`."""
    path: str
    commit: str
    """The commit that removed it."""
    hint: str = ""
    """What to use instead, in the words of the commit or of the code."""


@dataclass(frozen=True, slots=True)
class Removals:
    """What is gone from a range, what may break besides, and what was not looked at."""

    sure: tuple[Removal, ...] = ()
    possible: tuple[str, ...] = ()
    """A sentence each."""
    cut: str = ""


def find_removals(git: Git, start: str, end: str) -> Removals:
    """What became of the public definitions between two commits. Raises GitError."""
    change = add_definitions(git, read_between(git, start, end))
    gone = {(item.path, item.name) for item in change.definitions if item.action == "removed"}
    candidates = [item for item in change.definitions if _is_public(item)]
    removed = [
        item for item in candidates if item.action == "removed" and (item.path, item.owner) not in gone
    ]
    known = {_shown(item): item for item in removed}
    looked_at = dict(list(known.items())[:MAX_NAMES])
    left = _names_in(git, end, {item.name for item in looked_at.values()})
    offered = _offered(git, start, looked_at.values())
    absent = {shown: item for shown, item in looked_at.items() if item.name not in left}
    sure = {shown: item for shown, item in absent.items() if shown in offered}
    told = list(_attribute(git, start, end, sure))
    attributed = {removal.name for removal in told}
    possible = [
        f"`{shown}` is gone ({item.path})." for shown, item in absent.items() if shown not in attributed
    ]
    possible.extend(_lost_parameters(candidates))
    return Removals(tuple(told), tuple(dict.fromkeys(possible)), _cut(change, len(known)))


def _is_public(item: DefinitionChange) -> bool:
    path = item.old_path or item.path
    if kind_of(path) != "code" or _NO_API.search(_PACKAGE.sub("/", path)):
        return False
    if item.kind == "option":
        return _OPTION.fullmatch(item.name) is not None
    if item.kind not in _KINDS or not _NAME.fullmatch(item.name) or item.owner.startswith("_"):
        return False
    if item.kind == "function" and item.owner:  # inside of another one
        return False
    return language_of(path) != "go" or item.name[0].isupper()


def _shown(item: DefinitionChange) -> str:
    return f"{item.owner}.{item.name}" if item.kind == "method" and item.owner else item.name


def _names_in(git: Git, commit: str, names: set[str], paths: Sequence[str] = _CODE) -> set[str]:
    """Those of the names that the code of a commit has anywhere as a word, tests and documents apart."""
    found: set[str] = set()
    if not names:
        return found
    patterns = [part for name in sorted(names) for part in ("-e", name)]
    shown = ("grep", "-h", "-o", "-w", "-F", "-I", "--no-color", *patterns, commit, "--")
    output = git.run(*shown, *paths, ":(exclude,glob)**/test*/**", ":(exclude,glob)docs/**", ok=(0, 1))
    return names & set(output.decode("utf-8", "replace").split("\n"))


def _offered(git: Git, commit: str, items: Iterable[DefinitionChange]) -> set[str]:
    """Those definitions that the packages of a commit offer: what `__init__.py` has, and options."""
    python = [item for item in items if language_of(item.path) == "python" and item.kind != "option"]
    heads = {item.owner if item.kind == "method" else item.name for item in python}
    named = _names_in(git, commit, heads - {""}, ("*__init__.py",))
    return {
        _shown(item) for item in python if (item.owner if item.kind == "method" else item.name) in named
    } | {item.name for item in items if item.kind == "option"}


def _attribute(git: Git, start: str, end: str, items: dict[str, DefinitionChange]) -> Iterator[Removal]:
    """The removals with the newest commit that took the definition away."""
    by_path: dict[str, dict[str, DefinitionChange]] = {}
    for shown, item in items.items():
        by_path.setdefault(item.old_path or item.path, {})[shown] = item
    size = 0
    for path, mine in list(by_path.items())[:MAX_PATHS]:
        command = ("log", "--no-merges", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")
        form = ("-p", "-U0", "--format=%x00%H%n%B%x01", "--end-of-options")
        blocks: list[bytes] = []
        for block in git.stream(*command, *form, f"^{start}", end, "--", f":(top,literal){path}"):
            size += len(block)
            if size > MAX_PATCHES:
                return
            blocks.append(block)
        todo = dict(mine)
        for part in b"".join(blocks).decode("utf-8", "replace").split("\0"):
            sha, _, rest = part.partition("\n")
            message, mark, patch = rest.partition("\x01")
            if not mark or not re.fullmatch(r"[0-9a-f]{40,64}", sha):
                continue
            for shown, item in list(todo.items()):
                if (text := _removed_text(item, patch)) is not None:
                    del todo[shown]
                    yield Removal(shown, path, sha, _hint(message[:4000], text, item.name))


def _removed_text(item: DefinitionChange, patch: str) -> str | None:
    """What the patch removed of a definition, from its first line on; None when it did not remove it."""
    name = re.escape(item.name)
    word = (
        rf"{name}(?![\w-])"
        if item.kind == "option"
        else rf"\b(?:def|class|func|type)\b[^\n]{{0,80}}?\b{name}\b"
    )
    match = re.search(rf"^-(?!--)[^\n]{{0,200}}?{word}", patch, re.M)
    if match is None:
        return None
    lines = patch[match.start() : match.start() + 4000].split("\n")
    kept: list[str] = []
    for line in lines[:60]:
        if not line.startswith("-"):
            break
        kept.append(line[1:].strip())
    return re.sub(r"[\"'] [frb]?[\"']", "", " ".join(kept))


def _hint(message: str, code: str, name: str) -> str:
    """What the commit, or the warning in the code, says to use instead of the name; empty when neither does.

    Only what is written as a name is taken: a docstring may advise anything.
    """
    start = code.lower().find("deprecat")
    for text in (message, code[start : start + 600] if start >= 0 else ""):
        for pattern in (_INSTEAD, _NEW_NAME):
            for match in pattern.finditer(text):
                found = " ".join(clean(match[1]).split())
                bare = found.strip("\"'` ")
                if _CODE_NAME.fullmatch(bare) and bare != name and (found != bare or not bare.isalpha()):
                    return bare
    return ""


def _lost_parameters(items: Iterable[DefinitionChange]) -> Iterator[str]:
    for item in items:
        if item.action in ("changed", "moved") and item.removed_parameters and not item.added_parameters:
            lost = ", ".join(f"`{name}`" for name in item.removed_parameters[:5])
            yield f"`{_shown(item)}` lost {lost} ({item.path})."


def _cut(change: Change, count: int) -> str:
    """What of the range was not looked at, as a sentence; empty when all of it was."""
    unread = sum(kind_of(item.path) == "code" or not item.path for item in change.omitted)
    if count > MAX_NAMES:
        return f"Only {MAX_NAMES} of {count:,} removed definitions were looked up."
    return f"{unread:,} files were too many or too large to look for what was removed." if unread else ""
