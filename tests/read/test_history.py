from __future__ import annotations

import pytest

from gitnotes.errors import UnknownRevision
from gitnotes.read.git import open_git
from gitnotes.read.history import read_changes, read_range, read_recent
from gitnotes.read.log_format import split_message
from gitnotes.read.trailers import parse_trailers
from gitnotes.records import CommitTree, from_json, to_json
from tests.conftest import START, Repo


def test_range_in_one_pass(repo: Repo) -> None:
    first = repo.commit("First", {"a": "1\n"})
    second = repo.commit("Second\n\nBody line.\n\nRefs: #1", {"b c": "1\n"})
    tree = read_range(open_git(), first, "HEAD", files=True)
    (commit,) = tree.commits
    assert (commit.sha, commit.parents, commit.time) == (second, (first,), START + 120)
    assert (commit.subject, commit.body) == ("Second", "Body line.\n\nRefs: #1")
    assert commit.trailers == (("Refs", "#1"),)
    assert commit.files is not None
    assert [(file.path, file.status) for file in commit.files] == [("b c", "A")]
    assert from_json(CommitTree, to_json(tree)) == tree


def test_renames_empty_commits_and_empty_messages(repo: Repo) -> None:
    repo.commit("First", {"old": "line\n" * 9})
    repo.git("mv", "old", "new")
    repo.commit("Move")
    repo.commit("Nothing")
    repo.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    commits = read_range(open_git(), None, "HEAD", files=True).commits
    assert [commit.subject for commit in commits] == ["", "Nothing", "Move", "First"]
    assert [len(commit.files or ()) for commit in commits] == [0, 0, 1, 1]
    assert commits[2].files is not None
    assert (commits[2].files[0].old_path, commits[2].files[0].path) == ("old", "new")


def test_message_in_latin_1(repo: Repo) -> None:
    repo.git("config", "i18n.commitEncoding", "ISO-8859-1")
    repo.write("a", "1")
    repo.run("git", "commit", "-q", "-F", "-", input="Café\n".encode("latin-1"))
    assert read_range(open_git(), None, "HEAD").commits[0].subject == "Café"


def test_settings_change_nothing(repo: Repo) -> None:
    repo.commit("First", {"old": "line\n" * 9})
    repo.git("mv", "old", "new")
    repo.commit("Move")
    before = read_range(open_git(), None, "HEAD", files=True)
    for key, value in {
        "log.showRoot": "false",
        "log.decorate": "full",
        "log.showSignature": "true",
        "diff.renames": "false",
        "i18n.logOutputEncoding": "latin1",
        "color.ui": "always",
        "log.date": "relative",
        "format.pretty": "oneline",
        "log.follow": "true",
    }.items():
        repo.git("config", key, value)
    assert read_range(open_git(), None, "HEAD", files=True) == before


def test_main_line_and_what_merges_brought_in(repo: Repo) -> None:
    root = repo.commit("Root", {"a": "1"})
    repo.branch("topic")
    one = repo.commit("One", {"b": "1"})
    two = repo.commit("Two", {"b": "2"})
    repo.switch("main")
    side = repo.commit("Side", {"c": "1"})
    merge = repo.merge("topic", "Merge topic")
    tree = read_range(open_git(), root, "HEAD")
    assert [commit.sha for commit in tree.first_parent_line()] == [merge, side]
    assert [commit.sha for commit in tree.brought_in()[merge]] == [two, one]


def test_changes_of_a_range(repo: Repo) -> None:
    repo.commit("Root", {"a": "1\n"})
    repo.branch("topic")
    repo.commit("Odd\n\n\0diff --git".replace("\0", ""), {"ü x": "\n\n2\n"})
    repo.switch("main")
    repo.commit("Binary", {"b": b"\0\0\n\0\0"})
    repo.merge("topic", "Merge topic")
    found = list(read_changes(open_git(), None, "HEAD"))
    assert [commit.subject for commit, _ in found] == ["Merge topic", "Odd", "Binary", "Root"]
    assert [[file.path for file in change.files] for _, change in found] == [[], ["ü x"], ["b"], ["a"]]


def test_forced_text_with_nul_bytes_is_no_border(repo: Repo) -> None:
    repo.commit("Attributes", {".gitattributes": "*.dat diff\n"})
    repo.commit("Data", {"x.dat": b"\0\0\n\0\0\n\0\0abc\n"})
    found = list(read_changes(open_git(), None, "HEAD"))
    assert [commit.subject for commit, _ in found] == ["Data", "Attributes"]
    assert found[0][1].files[0].added == 3


def test_recent_on_an_unborn_branch(repo: Repo) -> None:
    assert read_recent(open_git(), "HEAD", 10) == ()


def test_unknown_range(repo: Repo) -> None:
    repo.commit("Root", {"a": "1"})
    with pytest.raises(UnknownRevision):
        read_range(open_git(), "nothing", "HEAD")


@pytest.mark.parametrize(
    ("body", "trailers"),
    [
        ("Text.\n\nSigned-off-by: A <a@b>\nCo-authored-by: C <c@d>", ["Signed-off-by", "Co-authored-by"]),
        ("Signed-off-by: A <a@b>", ["Signed-off-by"]),
        ("Note: this is\nprose over lines", []),
        ("Text\nSigned-off-by: A <a@b>", ["Signed-off-by"]),
        ("Long: one\n  continued\nRefs: x", ["Long", "Refs"]),
        ("", []),
    ],
)
def test_trailers(body: str, trailers: list[str]) -> None:
    assert [key for key, _ in parse_trailers(body)] == trailers


def test_subject_may_span_lines() -> None:
    assert split_message("one\ntwo\n\n\nbody\n") == ("one two", "body")
    assert split_message("\n\n") == ("", "")
