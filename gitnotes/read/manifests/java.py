"""What do the build files of Maven and Gradle ask for?

pom.xml and version catalogs are parsed. build.gradle and build.gradle.kts are programs: their
lines are matched by patterns, which see literal versions only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gitnotes.guard.patterns import late
from gitnotes.read.manifests.entries import Entry, Format, load_toml, load_xml, table, text_of

_PROPERTY = late(r"\$\{([\w.-]{1,200})\}")
_JAVA = ("java.version", "maven.compiler.release", "maven.compiler.source", "maven.compiler.target")
_CONTAINERS = {"dependency": "", "plugin": "org.apache.maven.plugins", "extension": "", "parent": ""}
_V = r"[\w.+-]{1,100}"
_COORDINATES = late(rf"[\"']([\w.-]{{1,200}}):([\w.-]{{1,200}}):({_V})(?:@\w+)?[\"']")
_MAP = late(
    rf"group\s?[:=]\s?[\"']([\w.-]{{1,200}})[\"'],\s?name\s?[:=]\s?[\"']([\w.-]{{1,200}})[\"']"
    rf"(?:,\s?version\s?[:=]\s?[\"']({_V})[\"'])?"
)
_PLUGIN = late(rf"\bid\s?\(?\s?[\"']([\w.-]{{1,200}})[\"']\s?\)?\s+version\s?\(?\s?[\"']({_V})[\"']")
_KOTLIN = late(rf"\bkotlin\(\"([\w.-]{{1,200}})\"\)\s+version\s+\"({_V})\"")
_OWN = late(rf"version\s?=?\s?[\"']({_V})[\"']")
_WRAPPER = late(rf"^distributionUrl\s?=.{{0,300}}/gradle-({_V}?)-(?:bin|all)\.zip", re.M)
_LINE = 500


def format_of(path: str, name: str) -> Format | None:
    """How the file is read, judged by its lower-case path and name."""
    if name == "pom.xml":
        return Format("java", _pom)
    if name.endswith(".versions.toml"):
        return Format("java", _catalog)
    if name in ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"):
        return Format("java", _gradle)
    if name in ("gradle.lockfile", "buildscript-gradle.lockfile"):
        return Format("java", _gradle_lock, lock=True, manifests=("build.gradle", "build.gradle.kts"))
    if name == "gradle-wrapper.properties":
        return Format("java", _wrapper)
    return None


def _pom(text: str) -> Iterator[Entry]:
    root = load_xml(text)
    properties = {
        _tag(item): (item.text or "").strip()
        for block in root
        if _tag(block) == "properties"
        for item in block
    }
    own = {_tag(item): (item.text or "").strip() for item in root}
    for key in ("version", "groupId", "artifactId"):
        properties.setdefault(f"project.{key}", own.get(key, ""))
    if version := _resolve(own.get("version", ""), properties):
        yield Entry(own.get("artifactId", ""), version, project=True)
    for key in _JAVA:
        if version := _resolve(properties.get(key, ""), properties):
            yield Entry("java", version, "language")
    for element in root.iter():
        tag = _tag(element)
        if tag not in _CONTAINERS:
            continue
        found = {_tag(item): _resolve((item.text or "").strip(), properties) for item in element}
        group, artifact = found.get("groupId") or _CONTAINERS[tag], found.get("artifactId", "")
        if artifact:
            yield Entry(f"{group}:{artifact}" if group else artifact, found.get("version", ""))


def _tag(element: Any) -> str:
    """The name of the element without its namespace; comments have none."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _resolve(value: str, properties: dict[str, str]) -> str:
    """The value with the file's own properties put in, a few levels deep."""
    for _ in range(4):
        if "${" not in value or len(value) > _LINE:
            break
        value = _PROPERTY().sub(lambda match: properties.get(match[1], match[0])[:_LINE], value)
    return value


def _catalog(text: str) -> Iterator[Entry]:
    data = load_toml(text)
    versions = {key: _rich(value) for key, value in table(data, "versions").items()}
    for group in ("libraries", "plugins"):
        for alias, value in table(data, group).items():
            if isinstance(value, str):
                name, _, version = value.rpartition(":")
                yield Entry(name or alias, version)
                continue
            item = table(value)
            pair = f"{text_of(item.get('group'))}:{text_of(item.get('name'))}"
            name = text_of(item.get("module")) or text_of(item.get("id")) or pair
            stated = item.get("version")
            reference = text_of(table(stated).get("ref"))
            yield Entry(name, versions.get(reference, "") if reference else _rich(stated))


def _rich(value: Any) -> str:
    """A version, or the strongest demand of a rich one."""
    if isinstance(value, dict):
        keys = ("strictly", "require", "prefer")
        return next((text_of(value[key]) for key in keys if text_of(value.get(key))), "")
    return text_of(value)


def _gradle(text: str) -> Iterator[Entry]:
    for line in text.split("\n"):
        line = line[:_LINE]
        code = line.strip()
        if code.startswith(("//", "*", "/*")):
            continue
        for match in _COORDINATES().finditer(code):
            yield Entry(f"{match[1]}:{match[2]}", match[3])
        for match in _MAP().finditer(code):
            yield Entry(f"{match[1]}:{match[2]}", match[3] or "")
        for match in _PLUGIN().finditer(code):
            yield Entry(match[1], match[2])
        for match in _KOTLIN().finditer(code):
            yield Entry(f"org.jetbrains.kotlin.{match[1]}", match[2])
        if line[:1] == "v" and (own := _OWN().match(line)):
            yield Entry("", own[1], project=True)


def _gradle_lock(text: str) -> Iterator[Entry]:
    for line in text.split("\n"):
        parts = line.partition("=")[0].split(":")
        if len(parts) == 3 and not line.startswith("#"):
            yield Entry(f"{parts[0]}:{parts[1]}", parts[2], direct=None)


def _wrapper(text: str) -> Iterator[Entry]:
    if match := _WRAPPER().search(text.replace("\\:", ":")):
        yield Entry("gradle", match[1], "language")
