"""Are the words of a commit in the log the same as those of its change?"""

from __future__ import annotations

from gitnotes.read.diff import BIG_FILE, read_commit
from gitnotes.read.git import open_git
from gitnotes.read.words import SIDE, read_changed_words, words_of
from tests.conftest import Repo


def test_both_readers_tell_the_same_words(repo: Repo) -> None:
    repo.commit("Add", {"src/a.py": "def parse_header(text):\n    return text\n", "b c.txt": "two words\n"})
    repo.commit("Edit", {"src/a.py": "def parse_header(text):\n    return text.strip()\n"})
    repo.git("mv", "src/a.py", "src/moved.py")
    repo.commit("Move", {"b c.txt": "@@ -1 +1 @@\ndiff --git a/x b/x\n"})
    repo.git("rm", "-q", "b c.txt")
    repo.git("commit", "-q", "-m", "Remove")
    git = open_git(repo.path)
    found = list(read_changed_words(git, "HEAD", [], 100))
    assert [item.commit.subject for item in found] == ["Remove", "Move", "Edit", "Add"]
    for item in found:
        change = read_commit(git, item.commit.sha)
        assert item.paths == tuple(file.path for file in change.files)
        assert item.words == words_of(change)
    assert found[2].words == [
        *("src", "py", "return", "text", "return", "text", "strip"),
    ]


def test_known_commits_and_merges(repo: Repo) -> None:
    first = repo.commit("Add", {"a.py": "x = 1\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Beside", {"b.py": "y = 2\n"})
    repo.git("checkout", "-q", "-")
    repo.commit("Here", {"c.py": "z = 3\n"})
    repo.git("merge", "-q", "--no-edit", "side")
    git = open_git(repo.path)
    found = list(read_changed_words(git, "HEAD", [git.resolve(first or "HEAD~2")], 100))
    assert len(found) == 3
    merge = next(item for item in found if item.commit.is_merge)
    assert (merge.paths, merge.words) == ((), [])
    assert len(list(read_changed_words(git, "HEAD", [], 2))) == 2


def test_a_long_change_counts_up_to_a_limit(repo: Repo) -> None:
    repo.commit("Add", {"a.txt": "".join(f"word{number}\n" for number in range(3000))})
    git = open_git(repo.path)
    (found,) = read_changed_words(git, "HEAD", [], 10)
    assert len(found.words) == len(words_of(read_commit(git, "HEAD"))) == SIDE + 1


def test_a_file_too_big_to_be_read_has_no_words_in_either(repo: Repo) -> None:
    repo.commit("Add", {"data.txt": "word\n" * (BIG_FILE // 5 + 1), "a.py": "x = 1\n"})
    git = open_git(repo.path)
    (found,) = read_changed_words(git, "HEAD", [], 10)
    assert found.words == words_of(read_commit(git, "HEAD")) == ["py", "data", "txt"]
