"""Are version moves read from the files people keep them in?"""

from __future__ import annotations

import pytest

from gitnotes.read.manifests import dependencies_from_hunks
from tests.draft.patches import change, edit


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("requirements/dev.txt", "-ruff==0.6.1\n+ruff==0.6.2", ("ruff", "0.6.1", "0.6.2")),
        (
            "requirements.txt",
            "-urllib3[socks]>=1.26 ; python_version > '3'\n+urllib3[socks]>=2.0",
            ("urllib3", "1.26", "2.0"),
        ),
        ("requirements.txt", "-git+https://x/a/y@v1\n+git+https://x/a/y@v2", ("y", "v1", "v2")),
        ("requirements.txt", "-z @ git+ssh://u@x/z.git@v1\n+z @ git+ssh://u@x/z.git@v2", ("z", "v1", "v2")),
        ("pyproject.toml", '-    "rich>=13.7",\n+    "rich>=14.0",', ("rich", "13.7", "14.0")),
        ("pyproject.toml", '-requests = "^2.31"\n+requests = "^2.32"', ("requests", "2.31", "2.32")),
        ("setup.cfg", "-    click>=8.0\n+    click>=8.1", ("click", "8.0", "8.1")),
        (
            "package.json",
            '-    "@types/node": "^20.1.0",\n+    "@types/node": "^22.0.0",',
            ("@types/node", "20.1.0", "22.0.0"),
        ),
        (
            "package-lock.json",
            '     "node_modules/jsonpath": {\n-      "version": "1.2.0",\n+      "version": "1.3.0",',
            ("jsonpath", "1.2.0", "1.3.0"),
        ),
        (
            "Cargo.toml",
            '-serde = { version = "1.0.1", features = [] }\n+serde = { version = "1.0.2", features = [] }',
            ("serde", "1.0.1", "1.0.2"),
        ),
        ("Cargo.lock", ' name = "libc"\n-version = "0.2.1"\n+version = "0.2.2"', ("libc", "0.2.1", "0.2.2")),
        (
            "go.mod",
            "-\tgolang.org/x/net v0.30.0\n+\tgolang.org/x/net v0.31.0",
            ("golang.org/x/net", "v0.30.0", "v0.31.0"),
        ),
        (
            ".github/workflows/ci.yml",
            "-      - uses: actions/checkout@v4\n+      - uses: actions/checkout@v5",
            ("actions/checkout", "v4", "v5"),
        ),
        (
            ".github/workflows/ci.yml",
            "-      - uses: actions/cache@"
            + "a" * 40
            + " # v4.0.1\n+      - uses: actions/cache@"
            + "b" * 40
            + " # v4.0.2",
            ("actions/cache", "v4.0.1", "v4.0.2"),
        ),
        (
            ".pre-commit-config.yaml",
            "   - repo: https://github.com/psf/black\n-    rev: 24.1.0\n+    rev: 24.2.0",
            ("black", "24.1.0", "24.2.0"),
        ),
        (
            "Dockerfile",
            "-FROM python:3.11-slim AS build\n+FROM python:3.12-slim AS build",
            ("python", "3.11-slim", "3.12-slim"),
        ),
        ("Gemfile", "-gem 'rails', '~> 7.0'\n+gem 'rails', '~> 7.1'", ("rails", "7.0", "7.1")),
        (
            "composer.json",
            '-        "monolog/monolog": "^2.0"\n+        "monolog/monolog": "^3.0"',
            ("monolog/monolog", "2.0", "3.0"),
        ),
        (
            "pom.xml",
            "   <artifactId>guava</artifactId>\n-  <version>32.1</version>\n+  <version>33.0</version>",
            ("guava", "32.1", "33.0"),
        ),
    ],
)
def test_a_bump_is_read(path: str, text: str, expected: tuple[str, str, str]) -> None:
    (item,) = dependencies_from_hunks(change(edit(path, text)))
    assert (item.name, item.old, item.new) == expected
    assert not (item.added or item.removed or item.project)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/pkg/__init__.py", '-__version__ = "1.2.3"\n+__version__ = "1.3.0"'),
        ("pyproject.toml", ' name = "x"\n-version = "1.2.3"\n+version = "1.3.0"'),
        ("package.json", '-  "version": "1.2.3",\n+  "version": "1.3.0",'),
        ("Cargo.toml", ' [package]\n-version = "1.2.3"\n+version = "1.3.0"'),
        ("VERSION", "-1.2.3\n+1.3.0"),
    ],
)
def test_the_project_itself_is_told_apart(path: str, text: str) -> None:
    (item,) = dependencies_from_hunks(change(edit(path, text)))
    assert (item.project, item.old, item.new) == (True, "1.2.3", "1.3.0")


def test_added_removed_pinned_and_unpinned() -> None:
    found = dependencies_from_hunks(
        change(edit("requirements.txt", "-old==1.0\n-free\n-tight==2.0\n+new==3.0\n+free==4.0\n+tight"))
    )
    told = {item.name: (item.added, item.removed, item.old, item.new) for item in found}
    assert told == {
        "old": (False, True, "1.0", ""),
        "new": (True, False, "", "3.0"),
        "free": (False, False, "", "4.0"),
        "tight": (False, False, "2.0", ""),
    }


def test_what_only_moved_is_no_change() -> None:
    assert (
        dependencies_from_hunks(change(edit("requirements.txt", "-ruff==0.6.1\n black==24.1\n+ruff==0.6.1")))
        == ()
    )


def test_settings_are_no_dependencies() -> None:
    assert (
        dependencies_from_hunks(
            change(edit("pyproject.toml", '-description = "1.0"\n+description = "2.0"\n+line-length = "88"'))
        )
        == ()
    )
