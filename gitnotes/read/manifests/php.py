"""What do composer.json and composer.lock ask for?"""

from __future__ import annotations

from collections.abc import Iterator

from gitnotes.read.manifests.entries import Entry, Format, items, load_json, table, text_of


def format_of(path: str, name: str) -> Format | None:
    """How the file is read, judged by its lower-case path and name."""
    if name == "composer.json":
        return Format("php", _manifest, fold=str.lower)
    if name == "composer.lock":
        return Format("php", _lock, lock=True, fold=str.lower, manifests=("composer.json",))
    return None


def _manifest(text: str) -> Iterator[Entry]:
    data = load_json(text)
    if version := text_of(data.get("version")):
        yield Entry(text_of(data.get("name")), version, project=True)
    for group in ("require", "require-dev"):
        for name, value in table(data, group).items():
            version = "" if value == "*" else text_of(value)
            yield Entry(name, version, "language" if name.lower() in ("php", "php-64bit", "hhvm") else "")


def _lock(text: str) -> Iterator[Entry]:
    data = load_json(text)
    for group in ("packages", "packages-dev"):
        for package in items(data.get(group)):
            name, version = (text_of(table(package).get(key)) for key in ("name", "version"))
            yield Entry(name, version, direct=None)
