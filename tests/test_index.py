"""Does the index find the earlier changes that are alike, and survive whatever happens to it?"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sqlite3
import time
from pathlib import Path

import pytest

import gitnotes.index as module
from gitnotes.changes import read_staged_change
from gitnotes.index import fill_index, look_up, open_index
from gitnotes.read.diff import read_commit
from gitnotes.read.git import Git, open_git
from gitnotes.read.history import read_recent
from gitnotes.recipes.hooking import install_hooks
from gitnotes.records import Change, Neighbour
from tests.conftest import Repo


def fill(repo: Repo) -> None:
    repo.commit("Add the parser of headers", {"parser.py": "def parse_header(text):\n    return text\n"})
    repo.commit("Write records as JSON", {"writer.py": "def write_json(record):\n    return dumps(record)\n"})
    repo.commit("Describe the release", {"docs/release.md": "How a release is made\n"})
    repo.commit(
        "Strip blanks in headers", {"parser.py": "def parse_header(text):\n    return text.strip()\n"}
    )


def find_neighbours(git: Git, change: Change, *, build: bool = True) -> list[Neighbour]:
    return look_up(git, change, build=build)[0]


def newest(repo: Repo) -> tuple[Change, Path]:
    git = open_git(repo.path)
    return read_commit(git, "HEAD"), repo.path / ".git" / "gitnotes" / "history.sqlite"


def test_a_disk_that_is_full_is_told_as_such(repo: Repo, tmp_path: Path) -> None:
    """SQLite has then rolled back by itself, and would complain about the second time."""
    for number in range(4):
        lines = (f"word{number}x{line} = other{number}x{line}" for line in range(300))
        repo.commit(f"Add words {number}", {f"{number}.py": "\n".join(lines)})
    git = open_git(repo.path)
    index = open_index(git, tmp_path / "history.sqlite")
    assert index is not None
    with index:
        (pages,) = index._base.execute("PRAGMA page_count").fetchone()
        index._base.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(sqlite3.OperationalError, match="full"):
            index.update(git, git.resolve("HEAD"))


def test_the_nearest_change_comes_first_and_the_change_itself_is_unknown(repo: Repo) -> None:
    fill(repo)
    change, place = newest(repo)
    found = find_neighbours(open_git(repo.path), change)
    assert [item.subject for item in found] == [
        "Add the parser of headers",
        "Write records as JSON",  # has a word in common
        "Describe the release",
    ]
    first = found[0]
    assert first.paths == ("parser.py",) and first.files == 1 and 0.5 < first.words <= 1 and first.age == 2
    assert 0 < found[1].words < first.words and found[2].words == found[2].files == 0
    assert place.exists()


def test_only_ancestors_of_the_base_are_neighbours(repo: Repo) -> None:
    fill(repo)
    base = repo.git("rev-parse", "HEAD").strip()
    repo.git("checkout", "-q", "-b", "side", "HEAD~2")
    repo.commit("Parse headers beside", {"parser.py": "def parse_header(text):\n    return text[:9]\n"})
    git = open_git(repo.path)
    change, _ = newest(repo)
    with open_index(git) as index:  # type: ignore[union-attr]
        assert index.update(git, base) == 4
        assert index.update(git, change.target) == 1
        beside = {item.subject for item in index.neighbours(change, change.base)}
        assert beside == {"Add the parser of headers", "Write records as JSON"}
        assert "Parse headers beside" not in {item.subject for item in index.neighbours(change, base)}
        assert index.neighbours(change, "0" * 40) == []


def test_an_update_reads_only_what_is_new(repo: Repo) -> None:
    fill(repo)
    git = open_git(repo.path)
    with open_index(git) as index:  # type: ignore[union-attr]
        told: list[int] = []
        assert index.update(git, git.resolve("HEAD"), progress=told.append) == 4
        assert index.update(git, git.resolve("HEAD")) == 0
        repo.commit("Lower headers", {"parser.py": "def parse_header(text):\n    return text.lower()\n"})
        assert index.update(git, git.resolve("HEAD")) == 1
        assert len(index) == 5
        (row,) = index._base.execute("SELECT count, length(places) FROM words WHERE word = 'text'")
        assert row == (3, 12)


def test_history_that_was_thrown_away_does_not_hinder(repo: Repo) -> None:
    fill(repo)
    git = open_git(repo.path)
    with open_index(git) as index:  # type: ignore[union-attr]
        index.update(git, git.resolve("HEAD"))
        index._base.execute("UPDATE tips SET sha = ?", ("1" * 40,))
        repo.commit("Lower headers", {"parser.py": "def parse_header(text):\n    return text.lower()\n"})
        index.update(git, git.resolve("HEAD"))
        assert len(index) == 5


def test_first_commit_and_unknown_base_have_no_neighbours(repo: Repo) -> None:
    repo.commit("Add the parser", {"parser.py": "x = 1\n"})
    change, _ = newest(repo)
    assert find_neighbours(open_git(repo.path), change) == []


def test_without_leave_no_index_is_made(repo: Repo) -> None:
    fill(repo)
    change, place = newest(repo)
    assert find_neighbours(open_git(repo.path), change, build=False) == []
    assert not place.exists()


@pytest.mark.parametrize("content", [b"", b"not a database" * 200, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_index_is_made_anew(repo: Repo, content: bytes) -> None:
    fill(repo)
    change, place = newest(repo)
    place.parent.mkdir()
    place.write_bytes(content)
    assert len(find_neighbours(open_git(repo.path), change)) == 3


def test_another_version_is_made_anew(repo: Repo) -> None:
    fill(repo)
    change, place = newest(repo)
    find_neighbours(open_git(repo.path), change)
    base = sqlite3.connect(place)
    base.execute("PRAGMA user_version = 99")
    base.close()
    assert len(find_neighbours(open_git(repo.path), change)) == 3


def test_a_place_that_cannot_be_written_gives_no_neighbours(repo: Repo) -> None:
    fill(repo)
    change, place = newest(repo)
    place.parent.write_text("a file where the folder would be")
    assert find_neighbours(open_git(repo.path), change) == []


def test_a_locked_index_gives_no_neighbours(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(repo)
    change, place = newest(repo)
    monkeypatch.setattr(module, "_PATIENCE", 0.05)
    open_index(open_git(repo.path)).__exit__()  # type: ignore[union-attr]
    holder = sqlite3.connect(place, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    started = time.perf_counter()
    assert find_neighbours(open_git(repo.path), change) == []
    assert time.perf_counter() - started < 5
    holder.execute("ROLLBACK")
    holder.close()
    assert len(find_neighbours(open_git(repo.path), change)) == 3


def test_work_trees_share_one_index(repo: Repo, tmp_path: Path) -> None:
    fill(repo)
    _, place = newest(repo)
    other = tmp_path / "other"
    repo.git("worktree", "add", "-q", str(other), "HEAD")
    git = open_git(other)
    assert len(find_neighbours(git, read_commit(git, "HEAD"))) == 3
    assert place.exists()


def _update_for_ever(path: str) -> None:
    git = open_git(path)
    while True:
        index = open_index(git)
        if index is None:
            continue
        with index:
            index.update(git, git.resolve("HEAD"))
            index._base.execute("DELETE FROM tips")
            index._base.execute("DELETE FROM commits")
            index._base.execute("DELETE FROM files")
            index._base.execute("DELETE FROM words")


def test_a_killed_process_leaves_a_whole_index(repo: Repo) -> None:
    fill(repo)
    change, place = newest(repo)
    context = multiprocessing.get_context("spawn")
    for number in range(3):
        place.unlink(missing_ok=True)
        process = context.Process(target=_update_for_ever, args=(str(repo.path),))
        process.start()
        deadline = time.monotonic() + 30
        while not place.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.2 + 0.07 * number)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        process.join()
        base = sqlite3.connect(place)
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        base.close()
    place.unlink()
    assert len(find_neighbours(open_git(repo.path), change)) == 3


def _update(path: str, counts: multiprocessing.queues.Queue[int]) -> None:
    git = open_git(path)
    counts.put(len(find_neighbours(git, read_commit(git, "HEAD"))))


def test_two_processes_take_turns(repo: Repo) -> None:
    fill(repo)
    _, place = newest(repo)
    context = multiprocessing.get_context("spawn")
    counts = context.Queue()
    processes = [context.Process(target=_update, args=(str(repo.path), counts)) for _ in range(4)]
    for process in processes:
        process.start()
    assert [counts.get(timeout=60) for _ in processes] == [3] * 4
    for process in processes:
        process.join()
    base = sqlite3.connect(place)
    assert base.execute("SELECT count(*), count(DISTINCT sha) FROM commits").fetchone() == (3, 3)
    base.close()


def test_names_and_messages_that_are_not_utf_8(repo: Repo) -> None:
    (repo.path / os.fsdecode(b"caf\xe9.py")).write_text("def parse_header():\n    pass\n")
    repo.git("add", "-A")
    repo.git("-c", "i18n.commitEncoding=latin-1", "commit", "-q", "-m", "Add a caf\u00e9")
    repo.commit("Add more", {"b.py": "def parse_header():\n    pass\n"})
    change, _ = newest(repo)
    (found,) = find_neighbours(open_git(repo.path), change)
    assert found.subject.startswith("Add a caf")


def test_the_newest_commits_come_as_git_tells_them(repo: Repo) -> None:
    fill(repo)
    repo.commit("Say more\n\nA body of\ntwo lines", {"docs/release.md": "More\n", "a.py": "x = 1\n"})
    repo.commit("Last", {"b.py": "x = 1\n"})
    git = open_git(repo.path)
    change, _ = newest(repo)
    _, recent = look_up(git, change, 3)
    expected = read_recent(git, "HEAD^", 3, files=True)
    assert [
        (item.sha, item.parents, item.author, item.email, item.subject, item.body) for item in recent
    ] == [(item.sha, item.parents, item.author, item.email, item.subject, item.body) for item in expected]
    assert [{file.path for file in item.files or ()} for item in recent] == [
        {file.path for file in item.files or ()} for item in expected
    ]


def test_what_was_installed_has_an_index_that_hooks_add_to(repo: Repo) -> None:
    git = open_git(repo.path)
    assert fill_index(git) == 0  # no commits yet
    fill(repo)
    install_hooks(git)
    assert fill_index(git) == 0
    repo.commit("Lower headers", {"parser.py": "def parse_header(text):\n    return text.lower()\n"})
    change, _ = newest(repo)
    assert len(find_neighbours(git, change, build=False)) == 4
    assert fill_index(git) == 1


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE words SET places = x'0102'",
        "UPDATE words SET places = 'abcd'",
        "UPDATE graph SET norms = 'x'",
        "UPDATE graph SET times = x'00'",
        "UPDATE graph SET first = x'ffffffffffffffffffffffffffffffff'",
        "DELETE FROM graph",
        "UPDATE commits SET subject = CAST(x'ff41' AS TEXT)",
    ],
)
def test_values_that_cannot_be_are_damage(repo: Repo, damage: str) -> None:
    for number in range(3):
        repo.commit(f"Add fetch {number}", {"client.py": f"def fetch(url, retries={number}):\n    pass\n"})
    repo.write("client.py", "def fetch(url, retries=9):\n    pass\n")
    repo.git("add", ".")
    git = open_git()
    change = read_staged_change(git)
    wanted = look_up(git, change, 3)
    with contextlib.closing(sqlite3.connect(repo.path / ".git/gitnotes/history.sqlite")) as base:
        base.execute(damage)
        base.commit()
    assert look_up(git, change, 3) == ([], [])
    assert look_up(git, change, 3) == wanted  # made anew
