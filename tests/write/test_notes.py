"""Do grades become git notes that lose nothing, merge, and stay where they are?"""

from __future__ import annotations

import json
import subprocess
import threading

import pytest

from gitnotes.errors import GitError, InputError
from gitnotes.read.git import Git, open_git
from gitnotes.write.notes import REF, read_lines, save_lines
from tests.conftest import Repo


def line(overall: int, **more: str) -> str:
    return json.dumps({"gitnotes": "1", "overall": overall, **more})


@pytest.fixture
def commits(repo: Repo) -> list[str]:
    return [repo.commit(f"Commit {number}", {"a": f"{number}\n"}) for number in range(3)]


def note(repo: Repo, sha: str) -> str:
    return repo.git("notes", "--ref=gitnotes", "show", sha)


def test_lines_become_notes(repo: Repo, commits: list[str]) -> None:
    git = open_git()
    assert save_lines(git, {sha: line(place) for place, sha in enumerate(commits)}) == 3
    assert [json.loads(note(repo, sha))["overall"] for sha in commits] == [0, 1, 2]
    tip = repo.git("rev-parse", REF)
    assert save_lines(git, {commits[0]: line(0)}) == 0
    assert repo.git("rev-parse", REF) == tip
    assert save_lines(git, {commits[0]: line(9), commits[1]: line(1)}) == 1
    assert note(repo, commits[0]) == line(9)
    assert note(repo, commits[2]) == line(2)
    assert repo.git("rev-list", "--count", REF) == "2"
    assert repo.git("fsck", "--strict") == ""


def test_lines_of_others_are_kept(repo: Repo, commits: list[str]) -> None:
    repo.git("notes", "--ref=gitnotes", "add", "-m", "Seen by Ada", commits[0])
    save_lines(open_git(), {commits[0]: line(5)})
    save_lines(open_git(), {commits[0]: line(6)})
    assert note(repo, commits[0]).splitlines() == [line(6), "Seen by Ada"]
    assert read_lines(note(repo, commits[0])) == [line(6)]


def test_histories_of_notes_merge(repo: Repo, commits: list[str]) -> None:
    save_lines(open_git(), {commits[0]: line(0)})
    repo.git("update-ref", "refs/notes/theirs", REF)
    save_lines(open_git(), {commits[0]: line(1), commits[1]: line(1)})
    save_lines(open_git(), {commits[0]: line(2), commits[2]: line(2)}, "refs/notes/theirs")
    repo.git("notes", "--ref=gitnotes", "merge", "-s", "cat_sort_uniq", "refs/notes/theirs")
    assert read_lines(note(repo, commits[0])) == [line(1), line(2)]
    assert [note(repo, commits[1]), note(repo, commits[2])] == [line(1), line(2)]
    save_lines(open_git(), {commits[0]: line(3)})
    assert note(repo, commits[0]) == line(3)


def test_many_notes_and_fan_out(repo: Repo, commits: list[str]) -> None:
    stream = "".join(
        f"commit refs/heads/many\ncommitter A <a@example.org> {1_700_000_000 + number} +0000\n"
        f"data 1\nx\nM 100644 inline a\ndata {len(str(number))}\n{number}\n"
        for number in range(700)
    )
    subprocess.run(["git", "fast-import", "--quiet"], input=stream.encode(), check=True)
    shas = repo.git("rev-list", "many").split()
    assert save_lines(open_git(), {sha: line(1) for sha in shas}) == 700
    assert save_lines(open_git(), {shas[5]: line(2)}) == 1
    assert (note(repo, shas[5]), note(repo, shas[699])) == (line(2), line(1))
    assert len(repo.git("notes", "--ref=gitnotes", "list").splitlines()) == 700


class Racing(Git):
    """git with another run that moves the reference once, just before ours writes."""

    rival: Repo | None = None

    def run(self, *arguments: str, ok: tuple[int, ...] = (0,), feed: bytes = b"") -> bytes:
        if arguments[0] == "fast-import" and self.rival:
            rival, self.rival = self.rival, None
            sha = rival.git("rev-parse", "HEAD")
            rival.git("notes", "--ref=gitnotes", "add", "-m", "First!", sha)
        return super().run(*arguments, ok=ok, feed=feed)


@pytest.mark.parametrize("before", [True, False])
def test_a_run_that_comes_between_loses_nothing(repo: Repo, commits: list[str], before: bool) -> None:
    if before:
        save_lines(open_git(), {commits[0]: line(0)})
    git = Racing(None, light=True)
    git.rival = repo
    save_lines(git, {commits[2]: line(2)})
    assert note(repo, commits[2]).splitlines() == [line(2), "First!"]


def test_two_runs_at_once(repo: Repo, commits: list[str]) -> None:
    threads = [
        threading.Thread(target=save_lines, args=(open_git(repo.path, light=True), {sha: line(1)}))
        for sha in commits
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [note(repo, sha) for sha in commits] == [line(1)] * 3


def test_machine_without_a_name(repo: Repo, commits: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"):
        monkeypatch.delenv(name, raising=False)
    repo.git("config", "user.useConfigOnly", "true")
    assert save_lines(open_git(), {commits[0]: line(1)}) == 1
    assert repo.git("log", "-1", "--format=%cn", REF) == "gitnotes"


def test_only_commits_have_notes(repo: Repo, commits: list[str]) -> None:
    for name in ("", "HEAD", f"{commits[0]}\ndata 3\nabc"):
        with pytest.raises(InputError):
            save_lines(open_git(), {name: line(1)})
    assert repo.git("for-each-ref", "refs/notes") == ""


def test_many_runs_at_once_lose_nothing_and_none_gives_up(repo: Repo) -> None:
    shas = [repo.commit(f"Commit {number}", {"a": f"{number}\n"}) for number in range(12)]
    failures: list[Exception] = []

    def save(sha: str) -> None:
        try:
            save_lines(open_git(), {sha: line(1)})
        except Exception as problem:
            failures.append(problem)

    threads = [threading.Thread(target=save, args=(sha,)) for sha in shas]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert all(note(repo, sha) == line(1) for sha in shas)


def test_a_reference_that_is_no_commit_is_said_so(repo: Repo, commits: list[str]) -> None:
    blob = repo.git("rev-parse", "HEAD:a")
    repo.git("update-ref", REF, blob)
    with pytest.raises(GitError, match="no commit"):
        save_lines(open_git(), {commits[0]: line(1)})
    assert repo.git("rev-parse", REF) == blob
