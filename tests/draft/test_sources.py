"""Are comments, imports and downgrades told from what looks like them?"""

from __future__ import annotations

import pytest

from gitnotes.draft.sources import imported_name, is_comment, is_downgrade
from gitnotes.records import DependencyChange


@pytest.mark.parametrize(
    ("old", "new", "down"),
    [
        ("1.10", "1.9", True),
        ("1.9", "1.10", False),
        ("v2", "v1", True),
        ("main", "1", False),
        ("1.2", "1.2", False),
    ],
)
def test_a_downgrade_is_judged_by_numbers(old: str, new: str, down: bool) -> None:
    assert is_downgrade(DependencyChange("a", old, new, "Dockerfile")) is down


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("a.py", "from pathlib import Path", "pathlib"),
        ("a.ts", "import { x } from './y'", "./y"),
        ("a.go", '\t"net/http"', "net/http"),
        ("a.rs", "use std::io;", "std::io"),
        ("a.c", "#include <stdio.h>", "stdio.h"),
        ("a.py", "important = 1", ""),
        ("a.md", "import x", ""),
    ],
)
def test_an_import_names_its_module(path: str, line: str, name: str) -> None:
    assert imported_name(line, path) == name


def test_a_comment_is_one_only_in_its_language() -> None:
    assert is_comment("  # x", "a.py") and is_comment("// x", "a.go")
    assert not is_comment("# x", "a.go") and not is_comment("// x", "a.md")
