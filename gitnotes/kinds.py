"""What kind of file is this, judged by its path alone?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from gitnotes.guard.patterns import late

Kind = Literal[
    "code",
    "test",
    "docs",
    "ci",
    "changelog",
    "manifest",
    "lock",
    "generated",
    "vendored",
    "licence",
    "image",
    "config",
    "other",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LOCKS = _words("package-lock.json npm-shrinkwrap.json pnpm-lock.yaml go.sum packages.lock.json")
_MANIFESTS = _words(
    "pyproject.toml setup.cfg setup.py package.json cargo.toml go.mod go.work gemfile"
    " composer.json pipfile dockerfile build.gradle build.gradle.kts pom.xml"
    " .pre-commit-config.yaml .gitmodules pnpm-workspace.yaml libs.versions.toml .nvmrc"
    " .python-version .tool-versions .go-version"
)
_REQUIREMENTS = late(
    r"(?:^|/)(?:[\w.-]*requirements[\w.-]*\.(?:txt|in)|requirements/[^/]+\.(?:txt|in)|constraints[\w.-]*\.txt)$"
)
_CHANGELOG = late(
    r"(?:^|/)(?:(?:changelog|changes|history|news|releases|release[-_]notes|whatsnew)(?:\.(?:md|markdown|rst|txt|adoc))?"
    r"|(?:changelog|changes|changelog\.d|newsfragments|news|\.changeset|unreleased)/[^/]+\."
    r"(?:md|rst|txt|ya?ml|\d+|feature|bugfix|removal|breaking|deprecation|improvement|doc|misc))$"
)
_TEST = late(
    r"(?:^|/)(?:tests?|testing|testdata|specs?|__tests__|e2e|fixtures|conftest\.py|test_[^/]*|[^/]*_test\.\w+|[^/]*_spec\.rb"
    r"|[^/]*\.(?:test|spec)\.\w+)(?:/|$)|Tests?\.(?:java|kt|cs|php|swift)$|\.test$"
)
_CI = late(
    r"^(?:\.github/(?:workflows|actions)/|\.circleci/|\.gitlab-ci|\.travis|\.buildkite/|\.azure|azure-pipelines|appveyor|\.appveyor"
    r"|\.github/dependabot|\.github/renovate|renovate\.json|jenkinsfile|\.codecov|codecov\.yml|\.drone|\.cirrus|tox\.ini$|noxfile)"
)
_DOCS = late(
    r"(?:^|/)(?:docs?|documentation|examples?|man)/|\.(?:md|markdown|rst|adoc|txt|mdx)$"
    r"|(?:^|/)(?:mkdocs\.ya?ml|\.readthedocs\.ya?ml|docusaurus\.config\.\w+)$"
    r"|(?:^|/)(?:readme|contributing|authors|security|maintainers|code_of_conduct|thanks|install|faq)[^/]*$"
)
_GENERATED = late(
    r"\.(?:pb\.go|pb\.cc|pb\.h|min\.js|min\.css|map|snap)$|_pb2(?:_grpc)?\.pyi?$|(?:^|/)(?:generated[^/]*$|(?:dist|generated|__generated__|__snapshots__)/)|\.gen\.\w+$|_generated\.\w+$"
)
_VENDORED = late(r"(?:^|/)(?:vendor|vendored|_vendor|third[_-]party|node_modules|external)/")
_CODE = _words(
    "py pyi pyx js jsx mjs cjs ts tsx vue svelte go rs java kt kts scala groovy c h cc cpp cxx"
    " hpp hh m mm cs fs vb rb php sh bash zsh ps1 pl pm lua swift dart ex exs erl hs ml clj r jl"
    " sql y l css scss less html tmpl jinja j2 vim el zig nim proto"
)
_IMAGES = _words("png jpg jpeg gif svg ico webp")
_CONFIG = _words("toml yaml yml json ini cfg conf xml properties env editorconfig lock tf hcl nix mk cmake")


@lru_cache(maxsize=1 << 17)
def kind_of(path: str) -> Kind:
    """The kind of the file at `path`; the first rule that fits wins."""
    low = path.lower()
    name = low.rpartition("/")[2]
    suffix = name.rpartition(".")[2]
    if _VENDORED().search(low):
        return "vendored"
    if name in _LOCKS or suffix == "lock":
        return "lock"
    if name in _MANIFESTS or _REQUIREMENTS().search(low) or name.startswith("dockerfile"):
        return "manifest"
    if _CHANGELOG().search(low):
        return "changelog"
    if name.startswith(("license", "licence", "copying", "notice")):
        return "licence"
    if _CI().search(low):
        return "ci"
    if _GENERATED().search(low):
        return "generated"
    if _TEST().search(low) or _TEST().search(path):
        return "test"
    # Dashboards and alerts stand next to the documents about them.
    if suffix in {"jsonnet", "libsonnet"}:
        return "config"
    if _DOCS().search(low):
        return "docs"
    if suffix in _IMAGES:
        return "image"
    if suffix in _CODE:
        return "code"
    if suffix in _CONFIG or name.startswith(".") or name in {"makefile", "justfile", "cmakelists.txt"}:
        return "config"
    return "other"


def theme_of(paths: Iterable[str]) -> str:
    """One word for what a set of files is about: a kind, `dependencies`, `mixed` or `nothing`.

    Files that follow from the others (lock files, a changelog entry) do not decide.
    """
    kinds = Counter(kind_of(path) for path in paths)
    if not kinds:
        return "nothing"
    if set(kinds) <= {"manifest", "lock"}:
        return "dependencies"
    deciding = set(kinds) - {"changelog", "lock", "generated"} or set(kinds)
    return deciding.pop() if len(deciding) == 1 else "code" if "code" in deciding else "mixed"


def common_folder(paths: Iterable[str]) -> str:
    """The deepest folder that holds every path; empty for the top."""
    folders = [path.split("/")[:-1] for path in paths]
    if not folders:
        return ""
    first, last = min(folders), max(folders)
    depth = 0
    while depth < min(len(first), len(last)) and first[depth] == last[depth]:
        depth += 1
    return "/".join(first[:depth])


def main_paths(paths: Iterable[str]) -> list[str]:
    """The paths that say where the change happened: code first, else what there is."""
    everything = list(paths)
    for wanted in ({"code"}, {"test", "config", "manifest", "ci", "image", "other"}, {"docs"}):
        found = [path for path in everything if kind_of(path) in wanted]
        if found:
            return found
    return everything


def stem_of(path: str) -> str:
    """What a person calls the file: its name without suffix and test marks; for `__init__.py` its folder."""
    parts = [part for part in path.split("/") if part]
    if not parts:
        return ""
    name = parts[-1]
    stem = name.partition(".")[0] if not name.startswith(".") else name
    if stem in {"__init__", "index", "mod", "main", "lib", "__main__"} and len(parts) > 1:
        return parts[-2]
    for mark in ("_test", "_spec"):
        stem = stem.removesuffix(mark)
    return stem.removeprefix("test_") or name
