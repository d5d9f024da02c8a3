"""Are dependency changes read from whole manifests, merged with lock files, and never an exception?"""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from gitnotes.read import manifests
from gitnotes.read.diff import parse_patch, read_commit, read_staged, read_work_tree
from gitnotes.read.git import open_git
from gitnotes.read.manifests import add_dependencies, format_of
from gitnotes.records import DependencyChange
from tests.conftest import Repo

Told = tuple[str, str, str, bool | None]


def read(
    repo: Repo, old: dict[str, str | bytes], new: dict[str, str | bytes]
) -> tuple[DependencyChange, ...]:
    """The dependency changes of a commit that turns the files `old` into `new`."""
    repo.commit("before", old)
    repo.commit("after", new)
    git = open_git(repo.path)
    return add_dependencies(git, read_commit(git, "HEAD")).dependencies


def told(found: tuple[DependencyChange, ...]) -> list[Told]:
    return [(item.name, item.old, item.new, item.direct) for item in found]


PACKAGE = '{"name": "app", "version": "1.0.0", "dependencies": {"left-pad": "^1.0.0"}}'
LOCK = """{"name": "app", "version": "1.0.0", "lockfileVersion": 3, "packages": {
 "": {"name": "app", "version": "1.0.0", "dependencies": {"left-pad": "^1.0.0"}},
 "node_modules/left-pad": {"version": "1.0.0"}, "node_modules/deep": {"version": "2.0.0"}}}"""


def test_manifest_and_lock_are_one_direct_change(repo: Repo) -> None:
    found = read(
        repo,
        {"package.json": PACKAGE, "package-lock.json": LOCK},
        {
            "package.json": PACKAGE.replace("^1.0.0", "^1.3.0"),
            "package-lock.json": LOCK.replace('pad": "^1.0.0', 'pad": "^1.3.0')
            .replace('{"version": "1.0.0"}', '{"version": "1.3.0"}')
            .replace("2.0.0", "2.0.1"),
        },
    )
    assert told(found) == [("left-pad", "1.0.0", "1.3.0", True), ("deep", "2.0.0", "2.0.1", False)]
    assert [item.path for item in found] == ["package.json", "package-lock.json"]


def test_a_requirement_at_another_revision_of_its_repository(repo: Repo) -> None:
    text = "-e git+https://x.org/y@{0}#egg=y\nz @ git+https://x.org/z@{0}\ngit+https://x.org/w@{0}\n"
    found = read(repo, {"requirements.txt": text.format("v1")}, {"requirements.txt": text.format("v2")})
    assert told(found) == [(name, "v1", "v2", True) for name in "yzw"]


def test_the_projects_own_version_is_told_once(repo: Repo) -> None:
    (item,) = read(
        repo,
        {"package.json": PACKAGE, "package-lock.json": LOCK},
        {
            "package.json": PACKAGE.replace('"1.0.0"', '"1.1.0"'),
            "package-lock.json": LOCK.replace('"version": "1.0.0", "', '"version": "1.1.0", "'),
        },
    )
    assert (item.name, item.old, item.new, item.project) == ("app", "1.0.0", "1.1.0", True)
    assert item.direct is None and not item.added


def test_an_unchanged_manifest_tells_what_of_a_lock_file_is_direct(repo: Repo) -> None:
    lock = '[[package]]\nname = "Click"\nversion = "{}"\n\n[[package]]\nname = "colorama"\nversion = "{}"\n'
    found = read(
        repo,
        {
            "sub/pyproject.toml": '[tool.poetry.dependencies]\nclick = "^8"\n',
            "sub/poetry.lock": lock.format(1, 1),
        },
        {"sub/poetry.lock": lock.format(2, 2)},
    )
    assert told(found) == [("click", "1", "2", True), ("colorama", "1", "2", False)]


def test_without_any_manifest_nobody_knows_what_is_direct(repo: Repo) -> None:
    lock = '[[package]]\nname = "click"\nversion = "{}"\n'
    assert told(read(repo, {"poetry.lock": lock.format(1)}, {"poetry.lock": lock.format(2)})) == [
        ("click", "1", "2", None)
    ]


def test_what_moves_between_files_is_no_change(repo: Repo) -> None:
    found = read(
        repo,
        {"requirements.txt": "click>=8\nflask>=2\n", "pyproject.toml": "[project]\nname = 'x'\n"},
        {
            "requirements.txt": "# moved\n",
            "pyproject.toml": "[project]\nname = 'x'\ndependencies = ['click>=8', 'flask>=3']\n",
        },
    )
    assert [(item.name, item.old, item.new, item.added, item.removed) for item in found] == [
        ("flask", "2", "3", False, False)
    ]


def test_added_and_removed(repo: Repo) -> None:
    found = read(repo, {"requirements.txt": "old==1.0\nkept\n"}, {"requirements.txt": "kept\nnew\n"})
    assert [(item.name, item.old, item.new, item.added, item.removed) for item in found] == [
        ("old", "1.0", "", False, True),
        ("new", "", "", True, False),
    ]


def test_one_version_more_in_a_lock_file_is_an_update(repo: Repo) -> None:
    block = '[[package]]\nname = "{}"\nversion = "{}"\nsource = "registry+x"\n\n'
    base = "version = 4\n\n" + block.format("a", "1.0.0") + block.format("syn", "1.0.0")
    (item,) = read(repo, {"Cargo.lock": base}, {"Cargo.lock": base + block.format("syn", "2.0.0")})
    assert (item.name, item.old, item.new, item.added) == ("syn", "1.0.0", "2.0.0", False)


def test_the_index_and_the_work_tree_are_read_too(repo: Repo) -> None:
    repo.commit("before", {"requirements.txt": "click==8.0\n"})
    repo.write("requirements.txt", "click==8.1\n")
    git = open_git(repo.path)
    assert told(add_dependencies(git, read_staged(git)).dependencies) == [("click", "8.0", "8.1", True)]
    (repo.path / "requirements.txt").write_text("click==8.2\n")
    assert told(add_dependencies(git, read_work_tree(git)).dependencies) == [("click", "8.0", "8.2", True)]


def test_a_link_in_the_work_tree_is_not_followed(repo: Repo) -> None:
    repo.commit("before", {"requirements.txt": "click==8.0\n"})
    (repo.path / "secret").write_text("hidden==1.0\n")
    (repo.path / "requirements.txt").unlink()
    (repo.path / "requirements.txt").symlink_to("secret")
    git = open_git(repo.path)
    assert "hidden" not in {item.name for item in add_dependencies(git, read_work_tree(git)).dependencies}


def test_a_bare_diff_is_read_by_its_lines(repo: Repo) -> None:
    patch = (
        "diff --git a/requirements.txt b/requirements.txt\n--- a/requirements.txt\n+++ b/requirements.txt\n"
        "@@ -1 +1 @@\n-click==8.0\n+click==8.1\n"
    )
    change = add_dependencies(open_git(repo.path), parse_patch(patch))
    assert told(change.dependencies) == [("click", "8.0", "8.1", True)]


def test_a_program_that_states_a_version_is_read_by_its_lines(repo: Repo) -> None:
    (item,) = read(
        repo, {"x/__init__.py": '__version__ = "1.0"\n'}, {"x/__init__.py": '__version__ = "1.1"\n'}
    )
    assert (item.project, item.old, item.new) == (True, "1.0", "1.1")


def test_renames_modes_and_vendored_files_say_nothing(repo: Repo) -> None:
    repo.commit("before", {"requirements.txt": "click==8.0\n", "vendor/x/package.json": PACKAGE})
    repo.git("mv", "requirements.txt", "requirements-dev.txt")
    repo.write("vendor/x/package.json", PACKAGE.replace("^1", "^2"))
    repo.commit("after")
    git = open_git(repo.path)
    assert add_dependencies(git, read_commit(git, "HEAD")).dependencies == ()


NEW = '{"dependencies": {"left-pad": "^1.3.0"}}'
BOMB = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 30)}]\n" for i in range(1, 20))


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("package.json", PACKAGE, NEW[:-1]),
        ("package.json", PACKAGE, "[" * 200_000),
        ("package.json", PACKAGE, b"\xff\xfe\x00"),
        ("package.json", PACKAGE, "[]"),
        ("package.json", PACKAGE, '{"dependencies": 5, "version": ' + "9" * 5000 + "}"),
        ("pyproject.toml", "[project]\nname = 'x'\n", "a = " + "[" * 100_000),
        ("pyproject.toml", "[project]\nname = 'x'\n", "a." * 60_000 + "b = 1\n"),
        ("pyproject.toml", "[project]\nname = 'x'\n", "[project]\nname = 1\nname = 2\n"),
        ("poetry.lock", "[[package]]\nname = 1\n", "package = 3\n"),
        ("setup.cfg", "[metadata]\nname = x\n", "no section\n"),
        ("pom.xml", "<project/>", '<!DOCTYPE p [<!ENTITY a "b">]><project>&a;</project>'),
        ("pom.xml", "<project/>", "<a>" * 100_000),
        (".github/workflows/a.yml", "on: push\n", BOMB),
        (".github/workflows/a.yml", "on: push\n", "a: &a [*a]\n"),
        (".github/workflows/a.yml", "on: push\n", "[" * 100_000),
        (".github/workflows/a.yml", "on: push\n", "jobs: [1, 2]\nruns: x\n"),
        ("pnpm-lock.yaml", "packages:\n", "packages: {1: 2, 'x@1': 3}\n"),
        ("yarn.lock", "# yarn lockfile v1\n", "\x00\x01\n"),
        ("Gemfile.lock", "GEM\n", "DEPENDENCIES\n  " + "a" * 5000 + "\n"),
        ("go.mod", "module x\n", "require (\nrequire (\n)\n)\n=> => v1\n"),
        ("Dockerfile", "FROM scratch\n", "ARG A=$A\nFROM ${A:-$A}\nFROM\nCOPY\n"),
    ],
)
def test_hostile_files_are_no_exception(repo: Repo, path: str, old: str, new: str | bytes) -> None:
    for item in read(repo, {path: old}, {path: new}):
        assert len(item.name) <= 214 and item.name.isprintable()


@pytest.mark.parametrize("path", ["action.yml", "x.gemspec", "build.gradle", "Gemfile", "requirements.txt"])
def test_no_pattern_is_slow_on_a_file_of_nothing_much(path: str) -> None:
    found = format_of(path)
    assert found is not None
    start = time.process_time()
    for text in ("\n" * 200_000, " " * 200_000, "a" * 200_000, "a: 'b'," * 25_000):
        manifests._parse(found, text)
    assert time.process_time() - start < 4


@pytest.mark.parametrize(
    "path", ["package.json", "pyproject.toml", "go.mod", "Dockerfile", "a.gemspec", "pom.xml"]
)
def test_deleted_emptied_and_binary_files_are_no_exception(repo: Repo, path: str) -> None:
    read(repo, {path: b"\x00\x01" * 50}, {path: b""})
    repo.git("rm", "-q", path)
    repo.commit("gone")
    git = open_git(repo.path)
    assert add_dependencies(git, read_commit(git, "HEAD")).dependencies == ()


def test_a_damaged_manifest_falls_back_to_its_lines(repo: Repo) -> None:
    text = '{\n  "dependencies": {\n    "left-pad": "^1.0.0",\n  }\n}\n'
    assert told(read(repo, {"package.json": text}, {"package.json": text.replace("1.0", "1.3")})) == [
        ("left-pad", "1.0.0", "1.3.0", True)
    ]


def test_bom_crlf_and_utf_16_are_read(repo: Repo) -> None:
    found = read(
        repo,
        {"requirements.txt": "click==8.0\r\n".encode("utf-8-sig"), "package.json": PACKAGE},
        {
            "requirements.txt": "click==8.1\r\n".encode("utf-16"),
            "package.json": b"\xef\xbb\xbf" + PACKAGE.replace("^1", "^2").replace("\n", "\r\n").encode(),
        },
    )
    assert told(found) == [("left-pad", "1.0.0", "2.0.0", True), ("click", "8.0", "8.1", True)]


def test_long_lists_are_cut_and_the_cut_is_named(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifests, "MAX_CHANGES", 3)
    repo.commit("before")
    repo.commit("after", {"requirements.txt": "".join(f"p{i}\n" for i in range(5))})
    git = open_git(repo.path)
    change = add_dependencies(git, read_commit(git, "HEAD"))
    assert len(change.dependencies) == 3
    assert [item.reason for item in change.omitted] == ["only the first 3 of 5 dependency changes are listed"]


def test_a_large_file_is_left_to_its_lines(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifests, "MAX_BYTES", 10)
    assert told(read(repo, {"requirements.txt": "click==8.0\n"}, {"requirements.txt": "click==8.1\n"})) == [
        ("click", "8.0", "8.1", True)
    ]


def test_a_change_without_manifests_is_left_alone(repo: Repo) -> None:
    repo.commit("before", {"a.py": "x = 1\n"})
    git = open_git(repo.path)
    change = read_commit(git, "HEAD")
    assert add_dependencies(git, change) == replace(change, dependencies=())


@pytest.mark.parametrize(
    ("path", "ecosystem"),
    [
        ("pyproject.toml", "python"),
        ("requirements/dev.in", "python"),
        ("docs/requirements.txt", "python"),
        ("web/package.json", "javascript"),
        (".github/workflows/ci.yml", "ci"),
        ("docker-compose.override.yml", "images"),
        ("gradle/libs.versions.toml", "java"),
        ("x.gemspec", "ruby"),
        ("node_modules/x/package.json", ""),
        ("notes.txt", ""),
        ("setup.py", ""),
    ],
)
def test_formats_are_known_by_their_path(path: str, ecosystem: str) -> None:
    found = format_of(path)
    assert (found.ecosystem if found else "") == ecosystem
