"""Are two definitions taken for one only when what is inside of them says so?"""

from __future__ import annotations

import pytest

from gitnotes.read.compare import telling_lines
from gitnotes.read.definitions import add_definitions, definitions_from_hunks
from gitnotes.read.diff import read_staged
from gitnotes.read.git import open_git
from tests.conftest import Repo
from tests.draft.patches import change, edit


def actions(repo: Repo, path: str, old: str, new: str) -> list[tuple[str, str, str]]:
    repo.commit("First", {path: old})
    repo.write(path, new)
    git = open_git()
    found = add_definitions(git, read_staged(git)).definitions
    return sorted((item.action, item.old_name, item.name) for item in found)


APART = [
    ("a.go", "func a(x int) int {\n\treturn x * 2\n}\n", "func zed(x int) int {\n\tlog(x)\n}\n"),
    ("a.js", "function a(x) {\n  return x * 2;\n}\n", "function zed(x) {\n  log(x);\n}\n"),
    ("a.rb", "def a(x)\n  x * 2\nend\n", "def zed(x)\n  log x\nend\n"),
    ("a.sh", "a() {\n  ls\n}\n", "zed() {\n  pwd\n}\n"),
    ("a.go", "func a() error {\n\treturn nil\n}\n", "func zed() error {\n\treturn nil\n}\n"),
    (
        "a.go",
        "func a() error {\n\tx, err := b()\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n",
        "func zed() error {\n\ty, err := c()\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n",
    ),
    ("a.py", "def get_user(x):\n    return x.user\n", "def get_item(x):\n    return load(x)\n"),
    (
        "a.java",
        "class A {\n int a() {\n  return b;\n }\n}\n",
        "class A {\n int zed() {\n  return c;\n }\n}\n",
    ),
]
SAME = [
    ("a.go", "func a(x int) int {\n\treturn x * 2\n}\n", "func zed(x int) int {\n\treturn x * 2\n}\n"),
    (
        "a.py",
        "def a(x):\n    y = x + 1\n    log(y)\n",
        "def zed(x):\n    y = x + 1\n    log(y)\n    return y\n",
    ),
    ("a.rb", "def a(x)\n  log x\n  x * 2\nend\n", "def zed(x, y)\n  log x\n  x * 2\nend\n"),
    ("a.py", "def is_on(self):\n    return True\n", "def is_on_now(self):\n    return True\n"),
]


@pytest.mark.parametrize(("path", "old", "new"), APART)
def test_a_signature_and_braces_in_common_are_no_rename(repo: Repo, path: str, old: str, new: str) -> None:
    found = actions(repo, path, old, new)
    assert [item[0] for item in found if item[2] != "A"] == ["added", "removed"]


@pytest.mark.parametrize(("path", "old", "new"), SAME)
def test_a_body_in_common_is_a_rename(repo: Repo, path: str, old: str, new: str) -> None:
    ((action, old_name, name),) = actions(repo, path, old, new)
    assert action == "renamed"
    assert old_name and old_name != name


def test_a_common_name_is_no_move(repo: Repo) -> None:
    repo.commit("First", {"a.py": "class A:\n    def __init__(self, x):\n        self.x = x\n", "b.py": "\n"})
    repo.write("a.py", "\n")
    repo.write("b.py", "class B:\n    def __init__(self, x):\n        self.y = load(x)\n")
    git = open_git()
    found = add_definitions(git, read_staged(git)).definitions
    assert {item.action for item in found} == {"added", "removed"}


@pytest.mark.parametrize(("path", "old", "new"), APART[:4])
def test_hunks_alone_are_judged_alike(path: str, old: str, new: str) -> None:
    lines = [f"-{line}" for line in old.split("\n")[:-1]] + [f"+{line}" for line in new.split("\n")[:-1]]
    found = definitions_from_hunks(change(edit(path, "\n".join(lines))))
    assert {item.action for item in found} == {"added", "removed"}


def test_only_lines_that_tell_count() -> None:
    body = [
        b"@cached",
        b"def \0(self):",
        b"try:",
        b"x = load()",
        b"return x",
        b"} else {",
        b"return None",
        b"end",
    ]
    assert telling_lines(body) == [b"x = load()", b"return x"]
    assert telling_lines([b"return" + b"(" * 500_000 + b"x"]) != []


ONE_LINE = [
    ("a.json", '{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "b": 2\n}\n', [("added", "b")]),
    ("a.json", '{\n  "a": [\n    1\n  ],\n  "b": 2\n}\n', '{\n  "a": [\n    1\n  ]\n}\n', [("removed", "b")]),
    ("a.json", '{"a": 1, "b": 2}\n', '{"a": 1, "b": 3}\n', [("changed", "b")]),
    ("a.json", '{\n  "a": 1,\n  "b": 2\n}\n', '{\n  "a": 2,\n  "b": 2\n}\n', [("changed", "a")]),
    ("a.toml", "a = { b = 1 } # x\nc = 1\n", "a = { b = 1 } # y\nc = 1\n", [("changed", "a")]),
    ("a.js", "export const A = 1, B = 2;\n", "export const A = 1, B = 3;\n", [("changed", "B")]),
    ("a.go", "package a\n\nconst A, B = 1, 2\n", "package a\n\nconst A, B = 1, 3\n", [("changed", "B")]),
    (
        "a.cs",
        "class T {\n const int A = 1, B = 2;\n}\n",
        "class T {\n const int A = 1, B = 3;\n}\n",
        [("changed", "B")],
    ),
    ("a.py", "AA = 1; BB = 2\n", "AA = 1; BB = 3\n", [("changed", "BB")]),
    ("a.py", "MAX = 1  # one\n", "MAX = 1  # uno\n", [("changed", "MAX")]),
    ("a.py", "f = lambda a: a\n", "f = lambda a, b: a\n", [("changed", "f +b")]),
    (
        "a.py",
        "class A:\n    f = lambda self: 1\n",
        "class A:\n    f = lambda self, b: 1\n",
        [("changed", "f +b")],
    ),
    ("a.cs", "class A {\n}\n", "class A {\n  public int Size { get; set; }\n}\n", [("added", "Size")]),
    ("a.rb", "class A\n  x\nend\n", "class A\n  x\n  attr_reader :b\nend\n", [("added", "b")]),
    ("a.rb", "class A\n  attr_reader :b\nend\n", "class A\n  attr_accessor :b\nend\n", [("changed", "b")]),
    ("a.rb", "class A\n  attr_reader :b\nend\n", "class A\n  attr_reader :b, 'c'\nend\n", [("added", "c")]),
]


@pytest.mark.parametrize(("path", "old", "new", "expected"), ONE_LINE)
def test_what_shares_a_line_is_told_apart(
    repo: Repo, path: str, old: str, new: str, expected: list[tuple[str, str]]
) -> None:
    repo.commit("First", {path: old})
    repo.write(path, new)
    git = open_git()
    found = add_definitions(git, read_staged(git)).definitions
    told = [(item.action, " +".join([item.name, *item.added_parameters])) for item in found]
    assert [item for item in told if item[1] not in {"A", "T"} or item in expected] == expected
