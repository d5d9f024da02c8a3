"""Does each family of formats say what its files say?"""

from __future__ import annotations

import pytest

from gitnotes.read.manifests import format_of
from gitnotes.read.manifests.entries import Entry, decode, tidy

Row = tuple[str, str, str, bool | None]


def entries(path: str, text: str) -> list[Entry]:
    found = format_of(path)
    assert found is not None
    return list(tidy(found.read(text)))


def rows(path: str, text: str) -> list[Row]:
    """Name, version, tool (`project` for the project itself) and whether it is direct."""
    return [
        (item.name, item.version, "project" if item.project else item.tool, item.direct)
        for item in entries(path, text)
    ]


def pairs(path: str, text: str) -> list[tuple[str, str]]:
    return [(item.name, item.version) for item in entries(path, text)]


def test_pyproject_standard_tables() -> None:
    text = """
[build-system]
requires = ["hatchling>=1.25"]
[project]
name = "My_App"
version = "1.2.3"
requires-python = ">=3.10"
dependencies = ["Typing_Extensions>=4.0; python_version < '3.11'", "rich[all]>=13,<15",
  "kit @ git+https://example.org/kit.git@v2.0", "{root:uri}/x"]
[project.optional-dependencies]
fast = ["numpy==1.26"]
[dependency-groups]
test = ["pytest~=8.2", {include-group = "lint"}]
[tool.uv]
dev-dependencies = ["mypy"]
[tool.pdm.dev-dependencies]
doc = ["sphinx>=7"]
[tool.hatch.envs.docs]
extra-dependencies = ["mkdocs==1.6"]
"""
    assert rows("pyproject.toml", text) == [
        ("my-app", "1.2.3", "project", True),
        ("requires-python", "3.10", "language", True),
        ("typing-extensions", "4.0", "", True),
        ("rich", "<15,>=13", "", True),
        ("kit", "v2.0", "", True),
        ("hatchling", "1.25", "", True),
        ("numpy", "1.26", "", True),
        ("pytest", "8.2", "", True),
        ("sphinx", "7", "", True),
        ("mypy", "", "", True),
        ("mkdocs", "1.6", "", True),
    ]


def test_pyproject_of_poetry() -> None:
    text = """
[tool.poetry]
name = "x"
version = "0.1"
[tool.poetry.dependencies]
python = "^3.9"
Flask = "^3.0"
any = "*"
tool = {git = "https://example.org/t.git", rev = "0123456789012345678901234567890123456789"}
multi = [{version = "1.0", python = "<3"}, {version = "2.0", python = ">3"}]
[tool.poetry.group.dev.dependencies]
black = {version = "24.1", extras = ["d"]}
"""
    assert rows("pyproject.toml", text)[1:] == [
        ("python", "3.9", "language", True),
        ("flask", "3.0", "", True),
        ("any", "", "", True),
        ("tool", "0123456", "", True),
        ("multi", "1.0", "", True),
        ("multi", "2.0", "", True),
        ("black", "24.1", "", True),
    ]


def test_requirements() -> None:
    text = (
        "-r base.txt\n--index-url https://example.org\n# note\nclick==8.1 # pinned\n"
        "a.b_c>=1 \\\n    --hash=sha256:00\n-e git+https://example.org/k.git@v1#egg=kit\nnot a requirement\n"
    )
    assert pairs("requirements.txt", text) == [("click", "8.1"), ("a-b-c", "1"), ("kit", "v1")]


@pytest.mark.parametrize(
    ("line", "pair"),
    [
        ("-e git+https://x.org/y@v1#egg=z", ("z", "v1")),
        ("--editable=git+https://x.org/y@v1#egg=z&subdirectory=a", ("z", "v1")),
        ("-e git+https://x.org/y@v1", ("y", "v1")),
        ("z @ git+https://x.org/y@v1", ("z", "v1")),
        ("z[all]@git+https://x.org/a/y.git@feature/b ; python_version > '3'", ("z", "feature/b")),
        ("git+https://x.org/y@v1", ("y", "v1")),
        ("git+https://x.org/a/y.git", ("y", "")),
        ("git+https://user@x.org/a/y", ("y", "")),
        ("git+ssh://git@x.org/a/y@1.0", ("y", "1.0")),
        ("git+git@x.org:a/y@1.0", ("y", "1.0")),
        ("hg+https://x.org/y@0123456789abcdef0123456789abcdef01234567#egg=z", ("z", "0123456")),
        ("z @ https://x.org/z-1.2.0-py3-none-any.whl", ("z", "1.2.0")),
        ("z @ https://x.org/a/z/archive/refs/tags/v1.2.tar.gz#sha256=ab", ("z", "1.2")),
    ],
)
def test_requirements_at_an_address(line: str, pair: tuple[str, str]) -> None:
    assert pairs("requirements.txt", line + "\n") == [pair]


@pytest.mark.parametrize("line", ["-e .", "-e ./pkg", "--editable ../x@v1", "git+", "https://x.org"])
def test_requirements_without_a_name(line: str) -> None:
    assert pairs("requirements.txt", line + "\n") == []


def test_compiled_requirements_tell_what_is_direct() -> None:
    text = (
        "click==8.1\n    # via -r requirements.in\nnumpy==2\n    # via\n    #   -r dev.in\n    #   pandas\n"
        "colorama==0.4\n    # via click\nlone==1\n"
    )
    assert [(item.name, item.direct) for item in entries("requirements.txt", text)] == [
        ("click", True),
        ("numpy", True),
        ("colorama", False),
        ("lone", None),
    ]


def test_setup_cfg() -> None:
    text = (
        "[metadata]\nname = x\nversion = 1.0\n[options]\npython_requires = >=3.8\ninstall_requires =\n"
        "    click>=8.0\n    tomli>=1; python_version < '3.11'\n[options.extras_require]\nd = aiohttp>=3\n"
    )
    assert rows("setup.cfg", text) == [
        ("x", "1.0", "project", True),
        ("requires-python", "3.8", "language", True),
        ("click", "8.0", "", True),
        ("tomli", "1", "", True),
        ("aiohttp", "3", "", True),
    ]
    assert entries("setup.cfg", "[metadata]\nversion = attr: x.y\n") == []


def test_lock_files_of_python() -> None:
    text = (
        'version = 1\n\n[[package]]\nname = "app"\nversion = "1.0"\nsource = { editable = "." }\n'
        'dependencies = [{ name = "click" }]\n\n[[package]]\nname = "click"\nversion = "8.1"\n'
        'source = { registry = "r" }\n\n[[package]]\nname = "colorama"\nversion = "0.4"\n'
    )
    assert rows("uv.lock", text) == [
        ("app", "1.0", "project", True),
        ("click", "8.1", "", True),
        ("colorama", "0.4", "", False),
    ]
    assert rows("Pipfile.lock", '{"_meta": {}, "default": {"A_b": {"version": "==1.0"}}}') == [
        ("a-b", "1.0", "", None)
    ]
    assert pairs(
        "Pipfile", '[packages]\nx = "*"\ny = {version = "==2"}\n[requires]\npython_version = "3.11"\n'
    ) == [
        ("x", ""),
        ("y", "2"),
        ("python", "3.11"),
    ]
    assert rows("pylock.toml", '[[packages]]\nname = "click"\nversion = "8.1"\n') == [
        ("click", "8.1", "", None)
    ]


def test_package_json() -> None:
    text = """{"name": "app", "version": "2.0.0", "packageManager": "pnpm@9.1.0+sha512.aa",
 "engines": {"node": ">=20"}, "dependencies": {"@a/b": "~1.2.0", "any": "*", "same": "workspace:*"},
 "devDependencies": {"git": "github:o/git#semver:^3"}, "resolutions": {"**/@c/d": "1.0.0"},
 "overrides": {"nested": {"x": "1"}, "e": "5.0.0"}}"""
    assert rows("package.json", text) == [
        ("app", "2.0.0", "project", True),
        ("@a/b", "1.2.0", "", True),
        ("any", "", "", True),
        ("same", "workspace:*", "", True),
        ("git", "3", "", True),
        ("@c/d", "1.0.0", "", True),
        ("e", "5.0.0", "", True),
        ("node", "20", "language", True),
        ("pnpm", "9.1.0", "", True),
    ]


def test_package_lock_of_each_version() -> None:
    first = """{"lockfileVersion": 1, "dependencies": {"a": {"version": "1.0.0",
 "dependencies": {"b": {"version": "2.0.0"}}}}}"""
    assert rows("package-lock.json", first) == [("a", "1.0.0", "", None), ("b", "2.0.0", "", False)]
    third = """{"lockfileVersion": 3, "packages": {"": {"dependencies": {"a": "1"}},
 "packages/w": {"name": "w", "version": "0.1.0", "devDependencies": {"c": "1"}},
 "node_modules/w": {"link": true}, "node_modules/a": {"version": "1.0.0"},
 "node_modules/c": {"version": "1.1.0"},
 "node_modules/a/node_modules/@s/c": {"version": "2.0.0"}}}"""
    assert rows("package-lock.json", third) == [
        ("w", "0.1.0", "project", True),
        ("a", "1.0.0", "", True),
        ("c", "1.1.0", "", True),
        ("@s/c", "2.0.0", "", False),
    ]


def test_yarn_lock_classic_and_berry() -> None:
    classic = (
        '# yarn lockfile v1\n\n"@a/b@^1.0.0", "@a/b@^1.1.0":\n  version "1.2.0"\n'
        '  dependencies:\n    version "9"\n\nc@^2:\n  version "2.0.1"\n'
    )
    assert pairs("yarn.lock", classic) == [("@a/b", "1.2.0"), ("c", "2.0.1")]
    berry = (
        '# x\n\n__metadata:\n  version: 8\n\n"@a/b@npm:^1, @a/b@npm:^2":\n'
        '  version: 1.10\n\n"app@workspace:.":\n  version: 0.0.0\n'
    )
    assert pairs("yarn.lock", berry) == [("@a/b", "1.10")]


@pytest.mark.parametrize("key", ["/@a/b/1.2.3", "/@a/b@1.2.3(peer@2.0.0)", "@a/b@1.2.3"])
def test_pnpm_lock_of_each_version(key: str) -> None:
    text = (
        f"importers:\n  .:\n    dependencies:\n"
        f"      '@a/b': {{specifier: ^1, version: 1.2.3}}\npackages:\n\n"
        f"  '{key}': {{}}\n\n  c@2.0.0: {{}}\n"
    )
    assert rows("pnpm-lock.yaml", text) == [("@a/b", "1.2.3", "", True), ("c", "2.0.0", "", False)]


def test_a_lock_file_is_taken_apart_without_loss() -> None:
    found = format_of("pnpm-lock.yaml")
    assert found is not None and found.split is not None
    text = (
        "lockfileVersion: '9.0'\n\npackages:\n\n  a@1.0.0:\n    x: y\n\n  b@2.0.0:\n"
        "    x: z\n\nsnapshots:\n\n  a@1.0.0: {}\n"
    )
    blocks = found.split(text)
    assert pairs("pnpm-lock.yaml", blocks.without(set(), set())) == pairs("pnpm-lock.yaml", text)
    assert pairs("pnpm-lock.yaml", blocks.without(set(blocks.blocks), set())) == []
    assert pairs("pnpm-lock.yaml", blocks.without(set(blocks.blocks), {"a"})) == [("a", "1.0.0")]


def test_cargo() -> None:
    text = """
[package]
name = "app"
version = "0.1.0"
rust-version = "1.74"
[dependencies]
serde = { version = "1.0.1", features = [] }
alias = { package = "real_name", version = "2" }
inherited = { workspace = true }
local = { path = "../x" }
[target.'cfg(unix)'.dev-dependencies]
libc = "=0.2"
[workspace.dependencies]
log = "0.4"
"""
    assert rows("Cargo.toml", text) == [
        ("app", "0.1.0", "project", True),
        ("rust-version", "1.74", "language", True),
        ("serde", "1.0.1", "", True),
        ("real_name", "2", "", True),
        ("local", "", "", True),
        ("log", "0.4", "", True),
        ("libc", "0.2", "", True),
    ]
    lock = (
        '[[package]]\nname = "app"\nversion = "0.1.0"\ndependencies = [\n "serde 1.0.1",\n]\n\n'
        '[[package]]\nname = "serde"\nversion = "1.0.1"\nsource = "registry+x"\n\n'
        '[[package]]\nname = "libc"\nversion = "0.2.1"\nsource = "git+https://x#abc"\n'
    )
    assert rows("Cargo.lock", lock) == [
        ("app", "0.1.0", "project", True),
        ("serde", "1.0.1", "", True),
        ("libc", "0.2.1", "", False),
    ]
    assert entries("Cargo.lock", lock)[2].pin == "abc"


def test_go() -> None:
    text = (
        "module example.org/x // v9\n\ngo 1.22.0\ntoolchain go1.22.1\n"
        'require "example.org/one" v1.0.0\nrequire (\n'
        "\texample.org/two/v2 v2.1.0 // indirect\n)\nreplace example.org/one => example.org/fork v1.1.0\n"
        "replace example.org/y => ../y\nexclude example.org/z v1.0.0\n"
    )
    assert rows("go.mod", text) == [
        ("go", "1.22.0", "language", True),
        ("toolchain", "1.22.1", "language", True),
        ("example.org/one", "v1.0.0", "", True),
        ("example.org/two/v2", "v2.1.0", "", False),
        ("example.org/one", "v1.1.0", "replace", True),
    ]
    assert pairs("go.sum", "example.org/a v1.0.0 h1:x=\nexample.org/a v1.0.0/go.mod h1:y=\n") == [
        ("example.org/a", "v1.0.0")
    ]


def test_pom() -> None:
    text = """<?xml version="1.0" encoding="latin-1"?>
<project xmlns="http://maven.apache.org/POM/4.0.0"><!-- c -->
<parent><groupId>org.p</groupId><artifactId>parent</artifactId><version>3.0</version></parent>
<artifactId>app</artifactId><version>1.0-SNAPSHOT</version>
<properties><guava.version>33.0</guava.version><java.version>17</java.version></properties>
<dependencies><dependency><groupId>com.google.guava</groupId><artifactId>guava</artifactId>
<version>${guava.version}</version></dependency>
<dependency><groupId>${project.groupId}</groupId><artifactId>own</artifactId><version>${project.version}</version></dependency></dependencies>
<build><plugins><plugin><artifactId>maven-jar-plugin</artifactId><version>3.4</version></plugin></plugins></build>
</project>"""
    assert rows("pom.xml", text) == [
        ("app", "1.0-SNAPSHOT", "project", True),
        ("java", "17", "language", True),
        ("org.p:parent", "3.0", "", True),
        ("com.google.guava:guava", "33.0", "", True),
        ("own", "1.0-SNAPSHOT", "", True),
        ("org.apache.maven.plugins:maven-jar-plugin", "3.4", "", True),
    ]


def test_gradle() -> None:
    text = (
        "plugins {\n  id 'org.x.y' version '1.1'\n  kotlin(\"jvm\") version \"2.0\"\n}\nversion = '0.9'\n"
        "dependencies {\n  implementation \"g:n:1.2@jar\"\n  // 'old:gone:1'\n"
        "  api group: 'g2', name: 'n2', version: '3'\n}\n"
    )
    assert rows("build.gradle", text) == [
        ("org.x.y", "1.1", "", True),
        ("org.jetbrains.kotlin.jvm", "2.0", "", True),
        ("", "0.9", "project", True),
        ("g:n", "1.2", "", True),
        ("g2:n2", "3", "", True),
    ]
    catalog = """
[versions]
k = "2.0"
[libraries]
a = { module = "g:a", version.ref = "k" }
b = { group = "g", name = "b", version = { strictly = "1.1" } }
c = "g:c:3"
[plugins]
d = { id = "p.d", version = "4" }
"""
    assert pairs("gradle/libs.versions.toml", catalog) == [
        ("g:a", "2.0"),
        ("g:b", "1.1"),
        ("g:c", "3"),
        ("p.d", "4"),
    ]
    assert pairs("gradle.lockfile", "# c\ng:n:1.0=a,b\nempty=\n") == [("g:n", "1.0")]
    wrapper = "distributionUrl=https\\://services.gradle.org/distributions/gradle-8.10-bin.zip\n"
    assert pairs("gradle/wrapper/gradle-wrapper.properties", wrapper) == [("gradle", "8.10")]


def test_ruby() -> None:
    assert rows(
        "Gemfile", "ruby '3.3.0'\ngem 'rails', '~> 7.1', '>= 7.1.2', require: false\ngem \"pg\"\n"
    ) == [
        ("ruby", "3.3.0", "language", True),
        ("rails", "~> 7.1, >= 7.1.2", "", True),
        ("pg", "", "", True),
    ]
    spec = (
        "Gem::Specification.new do |s|\n  s.name = 'x'\n  s.version = '1.0'\n"
        "  s.add_dependency 'rack', '>= 2'\n"
        "  s.add_development_dependency('rake', ['~> 13'])\nend\n"
    )
    assert rows("x.gemspec", spec) == [
        ("x", "1.0", "project", True),
        ("rack", "2", "", True),
        ("rake", "13", "", True),
    ]
    lock = (
        "GEM\n  remote: x\n  specs:\n    rack (3.0)\n    rails (7.1)\n"
        "      rack (>= 2)\n\nDEPENDENCIES\n  rails (~> 7.1)\n\nBUNDLED WITH\n   2.5.1\n"
    )
    assert rows("Gemfile.lock", lock) == [
        ("bundler", "2.5.1", "", False),
        ("rack", "3.0", "", False),
        ("rails", "7.1", "", True),
    ]


def test_php() -> None:
    text = """{"name": "a/b", "version": "1.0", "require": {"php": ">=8.1", "m/n": "^3.0"},
 "require-dev": {"p/q": "*"}}"""
    assert rows("composer.json", text) == [
        ("a/b", "1.0", "project", True),
        ("php", "8.1", "language", True),
        ("m/n", "3.0", "", True),
        ("p/q", "", "", True),
    ]
    assert rows(
        "composer.lock", '{"packages": [{"name": "m/n", "version": "3.0.1"}], "packages-dev": null}'
    ) == [("m/n", "3.0.1", "", None)]


def test_workflows() -> None:
    text = f"""
on: push
jobs:
  test:
    runs-on: x
    container: python:3.12
    services: {{db: {{image: "postgres:16.10"}}}}
    steps:
      - uses: actions/checkout@v4
      - uses: github/codeql-action/init@{"a" * 40} # v3.1.0
      - uses: ./local
      - uses: docker://alpine:3.20
  call:
    uses: o/r/.github/workflows/w.yml@v2
"""
    assert rows(".github/workflows/ci.yml", text) == [
        ("actions/checkout", "v4", "action", True),
        ("github/codeql-action", "v3.1.0", "action", True),
        ("alpine", "3.20", "image", True),
        ("python", "3.12", "image", True),
        ("postgres", "16.10", "image", True),
        ("o/r", "v2", "action", True),
    ]
    assert rows("action.yml", "runs:\n  using: composite\n  steps:\n    - uses: a/b@1.10\n") == [
        ("a/b", "1.10", "action", True)
    ]


def test_hooks() -> None:
    text = f"""
repos:
  - repo: https://github.com/psf/black.git
    rev: {"b" * 40} # frozen: 24.10.0
    hooks: [{{id: black, additional_dependencies: [click==8.1, "@s/p@2.0", plain]}}]
  - repo: local
    hooks: []
"""
    assert rows(".pre-commit-config.yaml", text) == [
        ("black", "24.10.0", "hook", True),
        ("click", "8.1", "hook", True),
        ("@s/p", "2.0", "hook", True),
    ]


def test_images() -> None:
    text = (
        "ARG V=3.12\n"
        "FROM --platform=linux/amd64 registry.example.org:5000/py:${V} AS build\n"
        "FROM build\nFROM scratch\n"
        "FROM $UNKNOWN\nCOPY --from=build a b\nCOPY --from=ghcr.io/x/uv:0.4 \\\n  a b\n"
        "from alpine@sha256:abc\n"
    )
    assert rows("Dockerfile", text) == [
        ("registry.example.org:5000/py", "3.12", "image", True),
        ("ghcr.io/x/uv", "0.4", "image", True),
        ("alpine", "sha256:abc", "image", True),
    ]
    compose = "services:\n  a: {image: 'redis:7'}\n  b: {build: .}\n  c: {image: '${I:-nginx:1.27}'}\n"
    assert pairs("docker-compose.yml", compose) == [("redis", "7"), ("nginx", "1.27")]


def test_text_is_decoded_whatever_its_bytes() -> None:
    assert decode("\ufeffa\r\nb\rc".encode()) == "a\nb\nc"
    assert decode("é".encode("utf-16")) == "é"
    assert decode(b"caf\xe9") == "caf\ufffd"
