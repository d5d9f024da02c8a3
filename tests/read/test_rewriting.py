"""Is a person told who has the commits that are about to be made again?"""

from __future__ import annotations

import pytest

from gitnotes.errors import BareRepository
from gitnotes.read.git import open_git
from gitnotes.read.rewriting import Obstacles, find_obstacles
from tests.conftest import Repo


def look(repo: Repo, *revisions: str) -> Obstacles:
    shas = [repo.git("rev-parse", name) for name in revisions]
    return find_obstacles(open_git(repo.path), shas, repo.git("rev-parse", "HEAD"))


def test_nothing_in_the_way(repo: Repo) -> None:
    repo.commit("one", {"a": "1\n"})
    repo.commit("two", {"a": "2\n"})
    (repo.path / "untracked").write_text("")
    assert look(repo, "HEAD~1", "HEAD") == Obstacles(0, 0, False, False, ())


def test_published_dirty_and_named(repo: Repo) -> None:
    repo.commit("one", {"a": "1\n"})
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.commit("two", {"a": "2\n"})
    repo.git("branch", "other")
    repo.tag("v1", "-a", "-m", "Version 1")
    repo.commit("three", {"a": "3\n"})
    (repo.path / "a").write_text("4\n")
    assert look(repo, "HEAD~2", "HEAD~1", "HEAD") == Obstacles(1, 0, True, False, ("other", "v1"))
    assert look(repo, "HEAD").published == 0 and look(repo, "HEAD").names == ()


def test_signed_commits_are_counted_without_a_key(repo: Repo) -> None:
    repo.commit("one", {"a": "1\n"})
    plain = repo.run("git", "cat-file", "commit", "HEAD").stdout
    header, _, message = plain.partition(b"\n\n")
    signature = b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    made = repo.run(
        "git", "hash-object", "-t", "commit", "-w", "--stdin", input=header + signature + b"\n\n" + message
    )
    repo.git("reset", "-q", "--hard", made.stdout.decode().strip())
    repo.commit("two\n\ngpgsig is only text here\ngpgsig ", {"a": "2\n"})
    assert look(repo, "HEAD~1", "HEAD").signed == 1


def test_rebase_that_goes_on(repo: Repo) -> None:
    repo.commit("one", {"a": "1\n"})
    repo.commit("two", {"a": "2\n"})
    repo.run("git", "rebase", "-i", "HEAD~1", GIT_SEQUENCE_EDITOR="echo break >")
    assert look(repo, "HEAD").busy


def test_bare_repository(repo: Repo) -> None:
    repo.commit("one", {"a": "1\n"})
    repo.git("clone", "-q", "--bare", ".", "../bare")
    with pytest.raises(BareRepository):
        find_obstacles(open_git(repo.path / "../bare"), ["HEAD"], "HEAD")
