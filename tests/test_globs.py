"""Do patterns match as git's own do?"""

from __future__ import annotations

import time

from gitnotes.globs import matches_author, matches_path
from tests.conftest import Repo

PATHS = ["a.md", "docs/a.md", "docs/api/b.md", "src/docs/a.py", "src/x/y/z.py", "x[1].txt", "src/md"]
PATTERNS = [
    "*.md", "/*.md", "docs/", "/docs/", "docs", "/docs/*", "docs/**", "**/docs", "**/docs/*.py",
    "src/**/z.py",
    "src/*.py", "src/**", "*", "x[[]1].txt", "?.md", "**", "src/*/y", "md/", "a/**/b", "**/**/y/",
]  # fmt: skip


def test_as_git_ignores(repo: Repo) -> None:
    for pattern in PATTERNS:
        (repo.path / ".gitignore").write_text(pattern + "\n")
        ignored = repo.git("check-ignore", "--no-index", *PATHS, check=False).splitlines()
        assert [path for path in PATHS if matches_path(path, [pattern])] == ignored, pattern


def test_the_last_pattern_counts() -> None:
    patterns = ["docs/**", "!docs/api/**", "docs/api/keep.md"]
    assert matches_path("docs/a.md", patterns)
    assert not matches_path("docs/api/b.md", patterns)
    assert matches_path("docs/api/keep.md", patterns)
    assert not matches_path("a.md", [])


def test_authors() -> None:
    bot = "dependabot[bot] <support@github.com>"
    assert matches_author(bot, ["Dependabot[bot] <*>"])
    assert matches_author("Ada Example <ada@example.org>", ["*@other.org>", "*@EXAMPLE.org>"])
    assert not matches_author("dependabotb <x@y>", ["dependabot[bot]*"])


def test_hostile_patterns_stay_fast() -> None:
    start = time.process_time()
    matches_path("a" * 4000, ["*a" * 100 + "b"])
    matches_path("a/" * 2000 + "a", ["**/a/" * 100 + "b"])
    matches_author("a" * 4000, ["*a" * 100 + "b"])
    assert time.process_time() - start < 0.5
