"""Where does a project keep the fragments of its notes, and which of them came with a range?

towncrier has one file for an entry (`changelog/123.feature.rst`), reno one for a change, with a list
for each section (`releasenotes/notes/slug-0123456789abcdef.yaml`).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from gitnotes.guard.text import clean, shorten
from gitnotes.kinds import kind_of
from gitnotes.note_rules import Fragment, FragmentPlace, FragmentType, NoteRules
from gitnotes.read.git import Git
from gitnotes.read.manifests.entries import items, load_yaml, table, text_of
from gitnotes.records import CommitTree, FileChange

MAX_FRAGMENT = 100_000
"""Bytes of a file; a larger one is not read."""
_LINK = "120000"
"""The mode of a symbolic link in a tree of git."""
MAX_FRAGMENTS = 5000
"""Files of a range that are read."""
_LONGEST = 4000
"""Characters of an entry."""
_MOST_TOLD = 20
_MOST_TYPES = 60
_TOWNCRIER_TYPES = (
    FragmentType("feature", "Features"),
    FragmentType("bugfix", "Bugfixes"),
    FragmentType("doc", "Improved Documentation"),
    FragmentType("removal", "Deprecations and Removals"),
    FragmentType("misc", "Misc", shown=False),
)
_RENO_TYPES = (
    FragmentType("features", "New Features"),
    FragmentType("issues", "Known Issues"),
    FragmentType("upgrade", "Upgrade Notes"),
    FragmentType("deprecations", "Deprecation Notes"),
    FragmentType("critical", "Critical Issues"),
    FragmentType("security", "Security Issues"),
    FragmentType("fixes", "Bug Fixes"),
    FragmentType("other", "Other Notes"),
)
_NUMBER = re.compile(r"#?(\d{1,9})")
_NO_FRAGMENTS = frozenset([".gitignore", ".gitkeep", ".keep", "readme", "readme.rst", "readme.md"])


def read_towncrier(found: dict[str, Any], source: str) -> NoteRules:
    """The rules of a table `[tool.towncrier]`; towncrier.readthedocs.io has its keys."""
    notes: list[str] = []
    package = text_of(found.get("package")).replace(".", "/")
    usual = posixpath.join(text_of(found.get("package_dir")) or ".", package, "newsfragments")
    folder = _inside(text_of(found.get("directory")) or usual)
    if len(items(found.get("section"))) > 1:
        notes.append(f"{source}: the sections of towncrier are not told apart.")
    if not folder:
        notes.append(f"{source}: the folder of the fragments is outside of the project.")
        return NoteRules((source,), notes=tuple(notes))
    place = FragmentPlace("towncrier", folder, tuple(_towncrier_types(found)) or _TOWNCRIER_TYPES)
    changelog = _inside(text_of(found.get("filename")))
    return NoteRules((source,), changelog=changelog, place=place, notes=tuple(notes))


def _towncrier_types(found: dict[str, Any]) -> Iterator[FragmentType]:
    for one in items(found.get("type"))[:_MOST_TYPES]:
        shown = table(one)
        name, title = _name(shown.get("directory")), _name(shown.get("name"))
        if name or title:
            is_shown = shown.get("showcontent", True) is not False
            yield FragmentType((name or title).lower(), title or name.capitalize(), is_shown)
    for name, one in list(table(found, "fragment").items())[:_MOST_TYPES]:
        shown = table(one)
        title = _name(shown.get("name")) or _name(name).capitalize()
        yield FragmentType(_name(name).lower(), title, shown.get("showcontent", True) is not False)


def read_reno(found: dict[str, Any], source: str) -> NoteRules:
    """The rules of a `reno.yaml`, empty for a project that has none; docs.openstack.org/reno has its keys."""
    types: list[FragmentType] = []
    for one in items(found.get("sections"))[:_MOST_TYPES]:
        if len(pair := [_name(part) for part in items(one)]) >= 2 and pair[0]:
            types.append(FragmentType(pair[0], pair[1] or pair[0]))
    folder = _inside(posixpath.join("releasenotes", text_of(found.get("notesdir")) or "notes"))
    place = FragmentPlace("reno", folder, tuple(types) or _RENO_TYPES) if folder else None
    return NoteRules((source,), place=place)


def _inside(path: str) -> str:
    """A path from the top without `.` and slashes around it; empty when it leads out of the project."""
    path = posixpath.normpath(path).strip("/") if path and path.isprintable() and len(path) < 300 else ""
    return "" if path == "." or path.startswith("..") else path


def _name(found: Any) -> str:
    return " ".join(clean(text_of(found)[:100]).split())


def read_fragments(
    git: Git, place: FragmentPlace, tree: CommitTree
) -> tuple[tuple[Fragment, ...], list[str]]:
    """The fragments that commits of the tree added and none took back, oldest first, and what was not read.

    One that a release collected (the commit edits the changelog, or takes several away and adds none) is
    no longer a file at the end of the range, and counts. The tree must have files. Raises GitError.
    """
    start = f"{place.folder}/"
    added: dict[str, str] = {}
    blob: dict[str, str] = {}
    links: set[str] = set()
    for commit in reversed(tree.commits):
        mine = [change for change in commit.files or () if change.path.startswith(start)]
        collects = _collects(mine, commit.files or (), start)
        for change in mine:
            if change.status != "D":
                added.setdefault(change.path, commit.sha if change.status == "A" else "")
                blob[change.path] = change.new_id
                (links.add if change.new_mode == _LINK else links.discard)(change.path)
            elif not collects:
                added.pop(change.path, None)
                blob.pop(change.path, None)
    wanted = {path: sha for path, sha in added.items() if sha}
    told: list[str] = []
    if len(wanted) > MAX_FRAGMENTS:
        told.append(f"Only the first {MAX_FRAGMENTS:,} fragments are read.")
    wanted = dict(list(wanted.items())[:MAX_FRAGMENTS])
    contents = git.blobs([blob[path] for path in wanted], limit=MAX_FRAGMENT) if wanted else {}
    found: list[Fragment] = []
    for path, sha in wanted.items():
        data = contents.get(blob[path])
        why = "it is too large or not here"
        if data is not None and path in links:
            target = _target(path, data)
            # A link to a link would give its address as the text.
            data = None if target in links else contents.get(blob.get(target, ""))
            why = "it is a link that leads to no other fragment"
        if data is None:
            told.append(f"{shorten(path)} is not read: {why}.")
            continue
        try:
            text = clean(data.decode("utf-8-sig", "replace").replace("\r\n", "\n"))
            found.extend(_read_one(place, path, sha, text))
        except (ValueError, RecursionError):
            told.append(f"{shorten(path)} is not read: it is no YAML.")
    if len(told) > _MOST_TOLD:
        told[_MOST_TOLD:] = [f"{len(told) - _MOST_TOLD:,} more fragments are not read."]
    return tuple(found), told


def _target(link: str, content: bytes) -> str:
    """The path that a symbolic link of that content leads to; projects tell a text for two issues by one."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(link), content.decode("utf-8", "replace")))


def list_added(git: Git, place: FragmentPlace, start: str | None, end: str) -> frozenset[str]:
    """The paths of all fragments that commits of the range `start..end` added. Raises GitError."""
    wanted = [end] if start is None else [f"^{start}", end]
    shown = ("log", "--no-renames", "--diff-filter=A", "--format=", "--name-only", "-z")
    output = git.run(*shown, "--end-of-options", *wanted, "--", f":(top,literal){place.folder}")
    return frozenset(output.decode("utf-8", "surrogateescape").replace("\n", "").split("\0"))


def _collects(mine: list[FileChange], touched: Iterable[FileChange], start: str) -> bool:
    gone = sum(change.status == "D" for change in mine)
    others = [change for change in touched if not change.path.startswith(start)]
    return 0 < gone == len(mine) and (gone > 1 or any(kind_of(one.path) == "changelog" for one in others))


def _read_one(place: FragmentPlace, path: str, sha: str, text: str) -> Iterator[Fragment]:
    if place.tool == "reno":
        if path.endswith((".yaml", ".yml")):
            yield from _read_reno_note(place, path, sha, load_yaml(text))
        return
    name = path[len(place.folder) + 1 :].rpartition("/")[2]
    if name.lower() in _NO_FRAGMENTS or name.startswith("_"):
        return
    kinds = {kind.name: kind for kind in place.types}
    parts = name.split(".")
    at = next((at for at in range(len(parts) - 1, 0, -1) if parts[at].lower() in kinds), 0)
    if not at:
        return
    kind = kinds[parts[at].lower()]
    number = _NUMBER.fullmatch(".".join(parts[:at]))
    issues = (f"#{int(number[1])}",) if number else ()
    markup: Literal["rst", "markdown"] = "markdown" if name.endswith(".md") else "rst"
    body = text.strip()[:_LONGEST]
    if body or issues:
        yield Fragment(path, sha, body if kind.shown else "", kind, issues, markup)


def _read_reno_note(place: FragmentPlace, path: str, sha: str, loaded: Any) -> Iterator[Fragment]:
    found = loaded if isinstance(loaded, dict) else {}
    if prelude := text_of(found.get("prelude")).strip()[:_LONGEST]:
        yield Fragment(path, sha, prelude, FragmentType("prelude", "Prelude"), prelude=True)
    for kind in place.types:
        section = found.get(kind.name)
        for one in [section] if isinstance(section, str) else items(section)[:200]:
            if text := text_of(one).strip()[:_LONGEST]:
                yield Fragment(path, sha, text, kind)
