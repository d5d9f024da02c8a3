"""What do Python's manifests and lock files ask for?

pyproject.toml (PEP 621, PEP 735, build-system, Poetry, uv, PDM, Hatch), requirements and
constraints files, setup.cfg, Pipfile, and the locks of Poetry, uv, PDM, Pipenv and PEP 751.
setup.py is a program: it is left to the hunk lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gitnotes.guard.patterns import late
from gitnotes.read.manifests.entries import (
    Blocks,
    Entry,
    Format,
    items,
    load_json,
    load_toml,
    split_toml,
    table,
    text_of,
)

_SEPARATORS = late(r"[-_.]+")
_NAME = late(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}")
_EGG = late(r"[#&]egg=([A-Za-z0-9._-]{1,200})")
_VCS = late(r"(?:git|hg|svn|bzr)\+[^\s#]{1,500}")
_ARCHIVE = late(r"[/-]v?(\d[\w.+]{0,60}?)(?:-[\w.-]{1,80})?\.(?:whl|zip|tar\.gz|tar\.bz2|tgz)(?:[#?]|$)")
_REQUIREMENTS = late(
    r"(?:^|/)(?:[\w.-]*requirements[\w.-]*\.(?:txt|in)|requirements/[^/]+\.(?:txt|in)|[\w.-]*constraints[\w.-]*\.txt)$"
)
_DEPTH = 8


def fold(name: str) -> str:
    """The name as PEP 503 normalises it."""
    return _SEPARATORS().sub("-", name).lower()


def format_of(path: str, name: str) -> Format | None:
    """How the file is read, judged by its lower-case path and name."""
    if name == "pyproject.toml":
        return Format("python", _pyproject, fold=fold)
    if name == "setup.cfg":
        return Format("python", _setup_cfg, fold=fold)
    if name == "pipfile":
        return Format("python", _pipfile, fold=fold)
    if name == "pipfile.lock":
        return Format("python", _pipfile_lock, lock=True, fold=fold, manifests=("Pipfile",))
    if name in ("poetry.lock", "pdm.lock"):
        return Format("python", _lock, True, fold, ("pyproject.toml",), split_toml)
    if name == "uv.lock":
        return Format("python", _uv_lock, True, fold, ("pyproject.toml",), _split_uv)
    if name == "pylock.toml" or (name.startswith("pylock.") and name.endswith(".toml")):
        return Format("python", _lock, True, fold, ("pyproject.toml",), _split_pylock)
    if name.endswith((".txt", ".in")) and _REQUIREMENTS().search(path):
        return Format("python", _requirements, fold=fold)
    return None


def _requirement(text: Any, tool: str = "", direct: bool | None = True) -> Iterator[Entry]:
    """The PEP 508 requirement as an entry; nothing when it is none."""
    from packaging.requirements import InvalidRequirement, Requirement

    if not isinstance(text, str) or len(text) > 2000:
        return
    try:
        found = Requirement(text)
    except InvalidRequirement:
        return
    yield Entry(fold(found.name), _revision(found.url) if found.url else str(found.specifier), tool, direct)


def _revision(url: str) -> str:
    """The tag, branch or commit behind the `@` of the path, else the version in the name of an archive."""
    if found := _VCS().search(url):
        # An `@` before the path belongs to the user of the host.
        _, at, revision = _path(found[0]).rpartition("@")
        return revision if at else ""
    match = _ARCHIVE().search(url[:1000])
    return match[1] if match else ""


def _path(url: str) -> str:
    host, _, path = (url.partition("://")[2] or url).partition("/")
    return path if host else ""


def _repository(url: str) -> str:
    """The last part of the path of a repository, without `.git` and what follows the `@`."""
    found = _VCS().search(url)
    path = _path(found[0]).rpartition("@")[0] or _path(found[0]) if found else ""
    return path.rstrip("/").rpartition("/")[2].removesuffix(".git")


def _all(lists: Iterable[Any]) -> Iterator[Entry]:
    for found in lists:
        for text in items(found):
            yield from _requirement(text)


def _pyproject(text: str) -> Iterator[Entry]:
    data = load_toml(text)
    project, tools = table(data, "project"), table(data, "tool")
    poetry = table(tools, "poetry")
    name, version = (text_of(project.get(key)) or text_of(poetry.get(key)) for key in ("name", "version"))
    if version:
        yield Entry(fold(name), version, project=True)
    if python := text_of(project.get("requires-python")):
        yield Entry("requires-python", python, "language")
    yield from _all([project.get("dependencies"), table(data, "build-system").get("requires")])
    yield from _all(table(project, "optional-dependencies").values())
    yield from _all(table(data, "dependency-groups").values())
    yield from _all(table(tools, "pdm", "dev-dependencies").values())
    uv = table(tools, "uv")
    yield from _all(value for key, value in uv.items() if key.endswith("dependencies"))
    yield from _hatch(table(tools, "hatch"), 0)
    for group in (
        poetry.get("dependencies"),
        poetry.get("dev-dependencies"),
        *(table(group).get("dependencies") for group in table(poetry, "group").values()),
    ):
        yield from _poetry(table(group))


def _hatch(data: Any, depth: int) -> Iterator[Entry]:
    """The lists called `dependencies`, `extra-dependencies` at any depth: environments and build hooks."""
    for key, value in table(data).items():
        if isinstance(value, list) and key in ("dependencies", "extra-dependencies", "require-runtime"):
            yield from _all([value])
        elif isinstance(value, dict) and depth < _DEPTH:
            yield from _hatch(value, depth + 1)


def _poetry(group: dict[str, Any]) -> Iterator[Entry]:
    for name, value in group.items():
        for one in value if isinstance(value, list) else [value]:
            yield Entry(fold(name), _table_version(one), "language" if fold(name) == "python" else "")


def _table_version(value: Any) -> str:
    """The version of `"^1"` or `{version = "^1"}`, or what a git dependency is fixed to."""
    if isinstance(value, dict):
        keys = ("version", "tag", "rev", "ref", "branch")
        return next((text_of(value[key]) for key in keys if text_of(value.get(key))), "")
    return "" if value == "*" else text_of(value)


def _pipfile(text: str) -> Iterator[Entry]:
    data = load_toml(text)
    for key, group in data.items():
        if key not in ("source", "requires", "scripts", "pipenv"):
            for name, value in table(group).items():
                yield Entry(fold(name), _table_version(value))
    for key in ("python_version", "python_full_version"):
        if version := text_of(table(data, "requires").get(key)):
            yield Entry("python", version, "language")


def _pipfile_lock(text: str) -> Iterator[Entry]:
    for key, group in load_json(text).items():
        if key != "_meta":
            for name, value in table(group).items():
                yield Entry(fold(name), _table_version(value), direct=None)


def _lock(text: str) -> Iterator[Entry]:
    data = load_toml(text)
    for package in items(data.get("package") or data.get("packages")):
        if name := text_of(table(package).get("name")):
            source = table(package, "source")
            pin = text_of(source.get("resolved_reference")) or text_of(package.get("revision"))
            yield Entry(fold(name), text_of(package.get("version")), direct=None, pin=pin)


_OWN_SOURCES = ("editable", "virtual", "directory")


def _is_own(block: str) -> bool:
    """Whether a package of uv.lock is the project or a member of its workspace."""
    return any(f"\nsource = {{ {source} = " in block for source in _OWN_SOURCES)


def _split_uv(text: str) -> Blocks:
    return split_toml(text, keep=_is_own)


def _split_pylock(text: str) -> Blocks:
    return split_toml(text, "[[packages]]")


def _uv_lock(text: str) -> Iterator[Entry]:
    packages = [table(package) for package in items(load_toml(text).get("package"))]
    own = [package for package in packages if set(table(package, "source")) & set(_OWN_SOURCES)]
    direct: set[str] = set()
    for package in own:
        groups = [
            package.get("dependencies"),
            *table(package, "optional-dependencies").values(),
            *table(package, "dev-dependencies").values(),
        ]
        direct.update(text_of(table(item).get("name")) for group in groups for item in items(group))
    for package in packages:
        name, version = fold(text_of(package.get("name"))), text_of(package.get("version"))
        if package in own:
            if version:
                yield Entry(name, version, project=True)
        else:
            pin = text_of(table(package, "source").get("git")).partition("#")[2]
            yield Entry(name, version, direct=name in direct if own else None, pin=pin)


def _setup_cfg(text: str) -> Iterator[Entry]:
    import configparser

    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as problem:
        raise ValueError(str(problem)) from problem
    version = parser.get("metadata", "version", fallback="").strip()
    if version and ":" not in version:
        yield Entry(fold(parser.get("metadata", "name", fallback="")), version, project=True)
    if python := parser.get("options", "python_requires", fallback="").strip():
        yield Entry("requires-python", python, "language")
    lists = [parser.get("options", key, fallback="") for key in ("install_requires", "setup_requires")]
    lists.append(parser.get("options", "tests_require", fallback=""))
    if parser.has_section("options.extras_require"):
        lists.extend(value or "" for _, value in parser.items("options.extras_require"))
    for value in lists:
        for line in value.replace(";\n", "\n").split("\n"):
            yield from _requirement(line.partition(" #")[0])


def _requirements(text: str) -> Iterator[Entry]:
    """Lines as pip reads them. In a compiled file the `# via` comments tell what is direct."""
    lines = text.replace("\\\n", " ").split("\n")
    compiled = any(line.lstrip().startswith("# via") for line in lines)
    for number, line in enumerate(lines):
        code = line.strip() if line.lstrip().startswith("-") else line.partition(" #")[0].strip()
        if not code or code.startswith("#"):
            continue
        direct = _is_asked_for(lines, number) if compiled else True
        if code.startswith(("-e", "--editable")) or "://" in code.partition("@")[0] or _VCS().match(code):
            egg = _EGG().search(code)
            if name := egg[1] if egg else _repository(code):
                yield Entry(fold(name), _revision(code), direct=direct)
        elif not code.startswith("-"):
            yield from _requirement(code.partition(" --")[0].strip(), direct=direct)


def _is_asked_for(lines: list[str], number: int) -> bool | None:
    """Whether the comment on or below a compiled requirement names a file that asks for it."""
    seen = "# via" in lines[number]
    reasons = [lines[number].partition("# via")[2]]
    for line in lines[number + 1 : number + 200]:
        text = line.strip()
        if not (line[:1] in (" ", "\t") and text.startswith("#")):
            break
        seen = seen or text.startswith("# via")
        reasons.append(text.lstrip("# ").removeprefix("via").strip())
    files = ("-r ", "-c ", "pyproject.toml", "setup.py", "setup.cfg")
    if not seen:
        return None
    return any(mark in reason or ".toml" in reason for reason in reasons for mark in files)
