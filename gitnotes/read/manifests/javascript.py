"""What do JavaScript's manifests and lock files ask for?

package.json, package-lock.json and npm-shrinkwrap.json (versions 1 to 3), yarn.lock (classic and
Berry), pnpm-lock.yaml (versions 5 to 9).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gitnotes.guard.patterns import late
from gitnotes.read.manifests.entries import Blocks, Entry, Format, load_json, load_yaml, table, text_of

_GROUPS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_PNPM = late(r"/?(?P<name>@?[^@/()]+(?:/[^@/()]+)?)[@/](?P<version>\d[^()_]*)")
_DEPTH = 40
_MODULES = "node_modules/"


def format_of(path: str, name: str) -> Format | None:
    """How the file is read, judged by its lower-case path and name."""
    manifests = ("package.json",)
    if name == "package.json":
        return Format("javascript", _package)
    if name in ("package-lock.json", "npm-shrinkwrap.json"):
        return Format("javascript", _package_lock, lock=True, manifests=manifests)
    if name == "yarn.lock":
        return Format("javascript", _yarn, lock=True, manifests=manifests)
    if name == "pnpm-lock.yaml":
        return Format("javascript", _pnpm, lock=True, manifests=manifests, split=_split_pnpm)
    return None


def _package(text: str) -> Iterator[Entry]:
    data = load_json(text)
    if version := text_of(data.get("version")):
        yield Entry(text_of(data.get("name")), version, project=True)
    for group in (*_GROUPS, "resolutions", "overrides"):
        for name, value in table(data, group).items():
            if isinstance(value, str):
                yield Entry(_last(name) if group == "resolutions" else name, _version(value))
    for name, value in table(data, "engines").items():
        yield Entry(name, text_of(value), "language")
    name, _, version = text_of(data.get("packageManager")).partition("@")
    yield Entry(name, version.partition("+")[0])


def _version(value: str) -> str:
    """What is asked for: a range, or the reference of a git address after `#`."""
    if value in ("*", "latest"):
        return ""
    if "://" in value or value.startswith(("github:", "git+")):
        return value.partition("#")[2].removeprefix("semver:")
    return value.removeprefix("npm:")


def _last(name: str) -> str:
    """The package of a resolution such as `**/@scope/name`."""
    parts = name.split("/")
    return "/".join(parts[-2:] if len(parts) > 1 and parts[-2].startswith("@") else parts[-1:])


def _package_lock(text: str) -> Iterator[Entry]:
    data = load_json(text)
    packages = table(data, "packages")
    if version := text_of(data.get("version")):
        yield Entry(text_of(data.get("name")), version, project=True)
    if not packages:
        yield from _version_1(table(data, "dependencies"), 0)
        return
    own = [table(value) for path, value in packages.items() if _MODULES not in path]
    direct = {name for package in own for group in _GROUPS for name in table(package, group)}
    for path, value in packages.items():
        head, found, name = path.rpartition(_MODULES)
        package = table(value)
        if not found:
            if path and text_of(package.get("version")):
                yield Entry(text_of(package.get("name")) or _last(path), package["version"], project=True)
        elif not package.get("link"):
            top = _MODULES not in head
            yield Entry(name, text_of(package.get("version")), direct=top and name in direct)


def _version_1(group: dict[str, Any], depth: int) -> Iterator[Entry]:
    for name, value in group.items():
        yield Entry(
            name, _version(text_of(table(value).get("version"))), direct=None if depth == 0 else False
        )
        if depth < _DEPTH:
            yield from _version_1(table(value, "dependencies"), depth + 1)


def _yarn(text: str) -> Iterator[Entry]:
    if "\n__metadata:" in text:
        for key, value in table(load_yaml(text)).items():
            if key != "__metadata" and "@workspace:" not in key and "@link:" not in key:
                yield Entry(_yarn_name(key), text_of(table(value).get("version")), direct=None)
        return
    name = ""
    for line in text.split("\n"):
        if line[:1] not in (" ", "#", ""):
            if not line.endswith(":"):
                raise ValueError("not a lock file of yarn")
            name = _yarn_name(line[:-1].strip('"'))
        elif name and line.startswith("  version "):
            yield Entry(name, line[10:].strip().strip('"'), direct=None)
            name = ""


def _yarn_name(key: str) -> str:
    """The package of `"@scope/name@^1.0, @scope/name@^1.1"`."""
    return key[:1] + key[1:].partition("@")[0]


def _split_pnpm(text: str) -> Blocks:
    """The packages; the snapshots behind them repeat the names."""
    head, mark, packages = text.partition("\npackages:\n")
    blocks = packages.partition("\nsnapshots:\n")[0].split("\n\n")
    return Blocks(f"{head}{mark}", "\n\n", blocks, lambda block: _yarn_name(block.lstrip(" \n'\"/")))


def _pnpm(text: str) -> Iterator[Entry]:
    data = table(load_yaml(text))
    direct: set[str] = set()
    for importer in (data, *table(data, "importers").values()):
        for group in _GROUPS:
            direct.update(table(importer, group))
    for key, value in table(data, "packages").items():
        if match := _PNPM().match(key):
            name, version = match["name"], match["version"]
        else:
            name, version = text_of(table(value).get("name")), text_of(table(value).get("version"))
        yield Entry(name, version, direct=name in direct)
