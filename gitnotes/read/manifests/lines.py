"""Which versions do the changed lines themselves tell, where the files cannot be parsed?

Patterns over the lines of the hunks: for bare diffs without a repository, for files that are
damaged or too large, and for programs that state a version (setup.py, `__version__`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gitnotes.guard.patterns import late
from gitnotes.kinds import kind_of
from gitnotes.read.manifests.entries import bare_version, short
from gitnotes.records import Change, DependencyChange, Hunk

LINE_CAP = 300
_LIMIT = 5000
"""Version lines read of one change; a lock file has thousands and the first ones tell."""


Pair = tuple[str, str, str]
"""Name ('' for the project itself), version, tool."""

_V = r"v?\d[\w.+*-]*"
_SPEC = rf"[\s^~><=!]*{_V}(?:\s*,?\s*[<>=!~]+\s*[\w.*]+){{0,4}}"
_REQUIREMENT = late(
    rf"^\s*[\"']?(?P<n>[A-Za-z][\w.-]*)(?:\[[\w,\s-]*\])?\s*(?P<v>(?:===?|>=|<=|~=|!=|>|<){_SPEC})?\s*(?:[\"';,#\\].*)?$"
)
_VCS = late(
    r"^\s*(?:(?:-e|--editable)[\s=]+)?(?:[A-Za-z][\w.-]*(?:\[[\w,\s-]*\])?\s*@\s*)?(?:git|hg|svn|bzr)\+"
    r"[^\s#]*/(?P<n>[\w.-]+?)(?:\.git)?@(?P<v>[^\s@#]+)"
)
_ASSIGNED = late(
    rf"^\s*[\"']?(?P<n>[@A-Za-z][\w.@/-]*)[\"']?\s*[:=]\s*(?:\{{[^}}]{{0,120}}?version\s*=\s*)?[\"'](?P<v>{_SPEC}|\*|latest|workspace:[^\"']*)[\"']"
)
_GO = late(rf"^\s*(?:require\s+)?(?P<n>[\w.-]+(?:/[\w.~-]+)+)\s+(?P<v>{_V})")
_GO_LANGUAGE = late(r"^(?P<n>go|toolchain)\s+(?:go)?(?P<v>\d[\w.]*)\s*$")
_USES = late(
    r"^\s*-?\s*uses:\s*[\"']?(?P<n>[\w.-]+/[\w./-]+)@(?P<v>[\w./-]+)[\"']?\s*(?:#\s*(?P<c>v?\d[\w.]*))?"
)
_REPO = late(r"^\s*-?\s*repo:\s*(?:https?://[\w.]+/)?(?P<n>[\w./-]+?)(?:\.git)?\s*$")
_REV = late(r"^\s*rev:\s*[\"']?(?P<v>[\w./-]+)[\"']?\s*(?:#\s*(?:frozen:\s*)?(?P<c>v?\d[\w.]*))?")
_EXTRA = late(rf"^\s*-\s+[\"']?(?P<n>@?[A-Za-z][\w./-]*?)(?:\[[\w,]*\])?(?:==|>=|~=|@)(?P<v>{_V})[\"']?\s*$")
_FROM = late(r"^\s*FROM\s+(?:--\S+\s+)?(?P<n>[\w./-]+):(?P<v>[\w.-]+)", re.I)
_GEM = late(rf"^\s*gem\s+[\"'](?P<n>[\w-]+)[\"'](?:\s*,\s*[\"'](?P<v>{_SPEC})[\"'])?")
_GEM_LOCK = late(rf"^\s{{4}}(?P<n>[\w-]+)\s+\((?P<v>{_V})\)")
_NAME = late(
    r"^\s*(?:(?:- )?\"?name\"?\s*[:=]\s*[\"'](?P<n>[@\w./-]+)[\"']"
    r"|\"(?:[\w@./-]{0,120}node_modules/)?(?P<m>[@\w./-]+)\":\s*\{|\"?(?P<y>@?[\w./-]+)@[^:]{1,200}:\s*$)"
)
_VERSION = late(rf"^\s*\"?version\"?\s*[:=]?\s*[\"'](?P<v>{_V})[\"']")
_GO_SUM = late(rf"^(?P<n>[\w.-]+(?:/[\w.~-]+)+)\s+(?P<v>{_V})\s+h1:")
_PNPM = late(rf"^\s{{2}}'?(?P<n>@?[\w./-]+)@(?P<v>{_V})'?:")
_ARTIFACT = late(r"<artifactId>(?P<n>[\w.-]+)</artifactId>")
_XML_VERSION = late(rf"<version>(?P<v>{_V})</version>")
_NUGET = late(rf"<PackageReference\s+Include=\"(?P<n>[\w.-]+)\"\s+Version=\"(?P<v>{_V})\"")
_GRADLE = late(rf"[\"'](?P<g>[\w.-]+):(?P<n>[\w.-]+):(?P<v>{_V})[\"']")
_OWN = late(
    rf"^\s*(?:__version__|VERSION|version_info|version|\"version\"|release|appVersion)\s*(?::\s*\w+\s*)?[:=]\s*[\"']?(?P<v>{_V})[\"']?\s*,?\s*(?:#.*)?$"
)
_BARE = late(r"^\s*(?P<v>v?\d+\.\d[\w.+-]*)\s*$")
_PYTHON = late(
    r"^\s*\"?(?P<n>requires-python|python_requires|node|rust-version|target-version)\"?\s*[:=]\s*[\"'\[]*(?P<v>[^\"'\]]{1,30})"
)
_NOT_DEPENDENCIES = {
    *("name", "version", "description", "homepage", "license", "licence", "author", "type", "main"),
    *("module", "types", "line-length", "minversion", "edition", "required-version", "resolver"),
    *("private", "sideeffects", "packagemanager", "msrv", "schema"),
}


def dependencies_from_hunks(change: Change) -> tuple[DependencyChange, ...]:
    """Every dependency or project version that differs, in the order of the diff, each name once.

    Never raises; whether a dependency is direct is not told by a line.
    A file whose lines only moved, or whose constraint is the same on both sides, gives nothing.
    """
    before: dict[tuple[str, str], tuple[str, str, str]] = {}
    after: dict[tuple[str, str], tuple[str, str, str]] = {}
    budget = _LIMIT
    for hunk in sorted(change.hunks, key=lambda item: kind_of(item.path) == "lock"):
        reader = _reader(hunk.path)
        if reader is None or budget <= 0:
            continue
        for sign, (name, version, tool) in reader(hunk):
            budget -= 1
            side = after if sign == "+" else before
            side.setdefault((name.lower().replace("_", "-"), tool), (name, version, hunk.path))
    renamed_only = {
        item.path for item in change.files if item.status == "R" and not item.added and not item.removed
    }
    result: list[DependencyChange] = []
    for key in {**before, **after}:
        old, new = before.get(key), after.get(key)
        found = new or old
        if found is None or found[2] in renamed_only or (old and new and old[1] == new[1]):
            continue
        name, _, path = found
        result.append(
            DependencyChange(
                name,
                bare_version(old[1]) if old else "",
                bare_version(new[1]) if new else "",
                path,
                added=old is None and key[0] != "",
                removed=new is None and key[0] != "",
                project=key[0] == "",
                tool=key[1],
            )
        )
    return tuple(item for item in result if item.old or item.new or item.added or item.removed)


Reader = Callable[[Hunk], Iterator[tuple[str, Pair]]]


def has_lines(path: str) -> bool:
    """Whether versions can be read from the changed lines of the file at `path`."""
    return _reader(path) is not None


def _reader(path: str) -> Reader | None:
    """The function that finds names and versions in this file, by its name; None when it has none."""
    name = path.rpartition("/")[2].lower()
    kind = kind_of(path)
    if kind in {"vendored", "generated"}:
        return None
    if kind == "ci" and name.endswith((".yml", ".yaml")):
        return _workflow
    if name == ".pre-commit-config.yaml":
        return _hooks
    if name.startswith("dockerfile") or name.endswith(".dockerfile"):
        return _lines(_FROM(), tool="image")
    if name == "go.mod":
        return _lines(_GO(), _GO_LANGUAGE())
    if name in {"gemfile", "gemfile.lock"} or name.endswith(".gemspec"):
        return _lines(_GEM(), _GEM_LOCK())
    if name in {"package.json", "composer.json", "cargo.toml", "pipfile", "libs.versions.toml"}:
        return _lines(_PYTHON(), _OWN(), _ASSIGNED())
    if name in {"pyproject.toml", "setup.cfg", "setup.py"}:
        return _lines(_PYTHON(), _OWN(), _ASSIGNED(), _REQUIREMENT(), quoted=name != "setup.cfg")
    if name == "pom.xml":
        return _named_blocks(_ARTIFACT(), _XML_VERSION())
    if name.endswith((".csproj", ".fsproj", ".props")):
        return _lines(_NUGET())
    if name.startswith("build.gradle"):
        return _lines(_GRADLE())
    if kind == "manifest" and name.endswith((".txt", ".in")):
        return _lines(_VCS(), _REQUIREMENT())
    if name == "go.sum":
        return _lines(_GO_SUM())
    if name == "pnpm-lock.yaml":
        return _lines(_PNPM())
    if kind == "lock":
        return _named_blocks(_NAME(), _VERSION()) if name.endswith((".lock", ".json")) else None
    if name in {"version", "version.txt", ".version"}:
        return _lines(_BARE())
    if name in {
        "__init__.py",
        "_version.py",
        "version.py",
        "__version__.py",
        "__about__.py",
        "version.go",
        "version.rb",
        "chart.yaml",
    }:
        return _lines(_OWN())
    return None


def _changed(hunk: Hunk) -> Iterator[tuple[str, str]]:
    return ((line[:1], line[1 : LINE_CAP + 1]) for line in hunk.lines if line[:1] in ("+", "-"))


def _lines(*patterns: re.Pattern[str], tool: str = "", quoted: bool = False) -> Reader:
    """A reader of files where one line holds a name and a version."""

    def read(hunk: Hunk) -> Iterator[tuple[str, Pair]]:
        for sign, text in _changed(hunk):
            for pattern in patterns:
                match = pattern.match(text)
                if match is None or (
                    pattern is _REQUIREMENT() and quoted and text.lstrip()[:1] not in ("'", '"')
                ):
                    continue
                groups = match.groupdict()
                name = groups.get("n") or ""
                version = groups.get("v") or ""
                if pattern is not _OWN() and pattern is not _BARE() and name.lower() in _NOT_DEPENDENCIES:
                    break
                if pattern is _REQUIREMENT() and not version and quoted and not text.rstrip().endswith(","):
                    break
                yield sign, (name, version, "language" if pattern in (_PYTHON(), _GO_LANGUAGE()) else tool)
                break

    return read


def _workflow(hunk: Hunk) -> Iterator[tuple[str, Pair]]:
    for sign, text in _changed(hunk):
        match = _USES().match(text)
        if match:
            yield sign, (match["n"], match["c"] or short(match["v"]), "action")


def _hooks(hunk: Hunk) -> Iterator[tuple[str, Pair]]:
    repository = {"+": "", "-": ""}
    for line in hunk.lines:
        sign, text = line[:1], line[1 : LINE_CAP + 1]
        match = _REPO().match(text)
        if match:
            for side in "+-" if sign == " " else sign:
                repository[side] = match["n"]
            continue
        match = _REV().match(text) if sign in ("+", "-") else None
        if match and repository[sign]:
            yield sign, (repository[sign].rpartition("/")[2], match["c"] or short(match["v"]), "hook")
        elif sign in ("+", "-") and (match := _EXTRA().match(text)):
            yield sign, (match["n"], match["v"], "hook")


def _named_blocks(name: re.Pattern[str], version: re.Pattern[str]) -> Reader:
    """A reader of files where the name stands on one line and the version below it."""

    def read(hunk: Hunk) -> Iterator[tuple[str, Pair]]:
        current = {"+": "", "-": ""}
        for line in hunk.lines:
            sign, text = line[:1], line[1 : LINE_CAP + 1]
            match = name.search(text)
            if match:
                for side in "+-" if sign == " " else sign:
                    current[side] = next(group for group in match.groups() if group)
                continue
            match = version.search(text) if sign in ("+", "-") else None
            if match and current[sign]:
                yield sign, (current[sign], match["v"], "")

    return read
