from __future__ import annotations

import pytest

from gitnotes.codec import from_json, to_json
from gitnotes.read.git import open_git
from gitnotes.read.history import read_range
from gitnotes.read.relations import (
    find_reverts,
    patch_ids,
    pull_numbers,
    read_left_side,
    read_relations,
)
from gitnotes.read.squashes import split_squash
from gitnotes.records import Commit, CommitTree
from gitnotes.relations import Pick, Relations, Revert
from tests.conftest import Repo


def commit(subject: str, body: str = "", *, sha: str = "a" * 40, parents: int = 1) -> Commit:
    return Commit(sha, ("b" * 40,) * parents, "Ada", "ada@example.org", 0, subject, body)


def tree(*commits: tuple[str, str]) -> CommitTree:
    """Newest first; the ids are 1111..., 2222..., so that 9 is older than 1."""
    made = [commit(subject, body, sha=str(number) * 40) for number, (subject, body) in enumerate(commits, 1)]
    return CommitTree(None, "HEAD", tuple(made))


def reverts(*commits: tuple[str, str]) -> list[tuple[str, str, str]]:
    return [(item.sha[0], item.target[0], item.how) for item in find_reverts(tree(*commits))]


def test_what_git_revert_writes(repo: Repo) -> None:
    repo.commit("Root", {"a": "1\n"})
    first = repo.commit("Add b", {"b": "1\n"})
    repo.git("revert", "--no-edit", first)
    undone = repo.git("rev-parse", "HEAD")
    repo.git("revert", "--no-edit", undone)
    again = repo.git("rev-parse", "HEAD")
    found = read_relations(open_git(), read_range(open_git(), None, "HEAD"))
    assert found.reverts == (Revert(again, undone, "id"), Revert(undone, first, "id"))
    assert found.undone() == {undone}
    assert from_json(Relations, to_json(found)) == found


def test_the_revert_of_a_merge_names_the_merge_only(repo: Repo) -> None:
    repo.commit("Root", {"a": "1\n"})
    repo.branch("topic")
    repo.commit("Add b", {"b": "1\n"})
    repo.switch("main")
    merge = repo.merge("topic", "Merge topic")
    repo.git("revert", "--no-edit", "-m", "1", merge)
    found = read_relations(open_git(), read_range(open_git(), None, "HEAD"))
    assert [item.target for item in found.reverts] == [merge]


def test_reverts_by_title_and_number() -> None:
    assert reverts(('Revert "Add x"', ""), ("Add x", "")) == [("1", "2", "title")]
    assert reverts(('Revert "Add x" (#9)', ""), ("Add x (#8)", "")) == [("1", "2", "title")]
    assert reverts(('Revert "Add x"  (#9)', "Reverts acme/proj#8"), ("Add x (#8)", "")) == [
        ("1", "2", "pull")
    ]
    assert reverts(("Revert x", "This reverts merge request !8"), ("Merge x", "See merge request a/b!8")) == [
        ("1", "2", "pull")
    ]
    assert reverts(('Reapply "Add x"', ""), ('Revert "Add x"', ""), ("Add x", "")) == [
        ("1", "2", "title"),
        ("2", "3", "title"),
    ]
    assert reverts(('Revert "Revert "Add x""', ""), ('Revert "Add x"', ""), ("Add x", ""))[0] == (
        "1",
        "2",
        "title",
    )


def test_a_title_that_two_commits_have_says_nothing() -> None:
    assert reverts(('Revert "Add x"', ""), ("Add x", ""), ("Add x", "")) == []
    assert reverts(("Add x", ""), ('Revert "Add x"', "")) == []


def test_ids_may_be_short_many_wrapped_or_elsewhere() -> None:
    body = "This reverts commits 2222222,\n3333333 and 4444444."
    assert reverts(("Undo", body), ("a", ""), ("b", ""), ("c", "")) == [
        ("1", "2", "id"),
        ("1", "3", "id"),
        ("1", "4", "id"),
    ]
    assert reverts(("Undo", "This reverts\ncommit 2222222."), ("a", "")) == [("1", "2", "id")]
    (found,) = find_reverts(tree(("Undo", "This reverts commit fffffff.")))
    assert found.target == "fffffff"
    merge = "This reverts commit 2222222, reversing\nchanges made to 3333333."
    assert reverts(("Undo", merge), ("a", ""), ("b", "")) == [("1", "2", "id")]


def test_hostile_bodies_take_linear_time() -> None:
    body = (
        "This reverts commit "
        + "deadbee, " * 50_000
        + "\n* a" * 50_000
        + "(cherry picked from commit " * 9_000
    )
    (only,) = find_reverts(tree(("Revert x", body)))
    assert only.target == "deadbee"
    assert len(split_squash(commit("x", "* fix: a\n" * 50_000))) == 50_000
    assert pull_numbers(commit("(#1" * 100_000 + ")" * 10)) == ()


def test_picks_by_line_patch_and_pull(repo: Repo) -> None:
    repo.commit("Root", {"a": "1\n" * 20})
    repo.branch("stable")
    repo.switch("main")
    named = repo.commit("Fix one", {"a": "1\n" * 19 + "x\n"})
    same = repo.commit("Fix two", {"b": "1\n"})
    adapted = repo.commit("Fix three (#3)", {"c": "1\n"})
    repo.switch("stable")
    repo.git("cherry-pick", "-x", named)
    repo.git("cherry-pick", same)
    repo.git("commit", "--amend", "-qm", "Second fix")
    repo.commit("[stable] Fix three (#3)", {"c": "other\n"})
    git = open_git()
    found = read_range(git, "main", "stable")
    left = read_left_side(git, "main", "stable")
    ids = [each.sha for each in found.commits]
    assert [each.subject for each in left] == ["Fix three (#3)", "Fix two", "Fix one"]
    relations = read_relations(git, found, patches=True, outside=left)
    assert relations.picks == (
        Pick(ids[0], adapted, "pull"),
        Pick(ids[1], same, "patch"),
        Pick(ids[2], named, "line"),
    )
    without = read_relations(git, found, outside=left)
    assert [pick.how for pick in without.picks] == ["pull", "line"]
    assert read_left_side(git, None, "stable") == ()


def test_patch_ids_are_those_of_git(repo: Repo) -> None:
    shas = [repo.commit(f"Change {n}", {"a": f"{n}\n" * (n + 1)}) for n in range(5)]
    repo.git("config", "diff.noprefix", "true")
    repo.git("config", "diff.context", "0")
    empty = repo.commit("Empty")
    found = patch_ids(open_git(), [*shas, empty])
    assert list(found) == shas
    shown = repo.run("git", "-c", "diff.noprefix=false", "-c", "diff.context=3", "log", "-p", "--full-index")
    answer = repo.run("git", "patch-id", "--stable", input=shown.stdout).stdout.decode().split()
    assert found == dict(zip(answer[1::2], answer[::2], strict=True))


def test_a_revert_that_was_picked_undoes_the_copy(repo: Repo) -> None:
    repo.commit("Root", {"a": "1\n"})
    repo.branch("stable")
    repo.switch("main")
    original = repo.commit("Fix", {"b": "1\n"})
    repo.git("revert", "--no-edit", original)
    undo = repo.git("rev-parse", "HEAD")
    repo.switch("stable")
    repo.git("cherry-pick", "-x", original)
    copy = repo.git("rev-parse", "HEAD")
    repo.git("cherry-pick", "-x", undo)
    git = open_git()
    relations = read_relations(git, read_range(git, "main~2", "stable"))
    assert [item.target for item in relations.reverts] == [copy]


@pytest.mark.parametrize(
    ("subject", "body", "pulls"),
    [
        ("Add x (#12)", "", ("#12",)),
        ("Add x (#12) (#13)", "", ("#12", "#13")),
        ("Add x (#12, #13).", "", ("#12", "#13")),
        ("Add x (backport #12) (#13)", "", ("#12", "#13")),
        ("Merge pull request #7 from a/b", "Title", ("#7",)),
        ("Merge branch 'x' into 'main'", "Title\n\nSee merge request group/proj!8", ("!8",)),
        ("Merged in x (pull request #9)", "", ("#9",)),
        ("Merged PR 10: Title", "", ("!10",)),
        ("Merge pull request 'Title' (#11) from x into main", "", ("#11",)),
        ("Auto merge of #5 - a:b, r=c", "", ("#5",)),
        ("Fix #12", "", ()),
        ("See (issue #4)", "", ()),
        ("Add f(x)", "", ()),
        ("", "", ()),
    ],
)
def test_pull_numbers(subject: str, body: str, pulls: tuple[str, ...]) -> None:
    assert pull_numbers(commit(subject, body)) == pulls


def test_squashed_bodies_of_the_hosts() -> None:
    github = "* Add one\n\nWhy one.\n\n* Add two\n\n---------\n\nCo-authored-by: B <b@example.org>"
    parts = split_squash(commit("Add both (#3)", github))
    assert [(part.subject, part.body) for part in parts] == [("Add one", "Why one."), ("Add two", "")]
    bitbucket = "Title\n\n* one\n\n* two\n\nApproved-by: C"
    assert [part.subject for part in split_squash(commit("Merged in x", bitbucket))] == ["one", "two"]
    typed = "* feat: one\n* fix(core)!: two\n\nBREAKING CHANGE: x"
    assert [part.subject for part in split_squash(commit("feat: x (#1)", typed))] == [
        "feat: one",
        "fix(core)!: two",
    ]
    rebase = "# This is the 1st commit message:\n\nOne\n\n# This is the commit message #2:\n\nTwo\n\nWhy."
    parts = split_squash(commit("# This is a combination of 2 commits.", rebase))
    assert [(part.subject, part.body) for part in parts] == [("One", ""), ("Two", "Why.")]


@pytest.mark.parametrize(
    "body", ["", "* one", "Notes:\n* one\n* two", "Text * a\n\n- one\n\n- two", "*bold*\n*x*"]
)
def test_what_is_no_squash(body: str) -> None:
    assert split_squash(commit("Add x", body)) == ()
    assert split_squash(commit("Merge x", "* one\n\n* two", parents=2)) == ()


def test_what_git_merge_squash_writes(repo: Repo) -> None:
    repo.commit("Root", {"a": "1\n"})
    repo.branch("topic")
    one = repo.commit("One", {"b": "1\n"})
    two = repo.commit("Two\n\nBecause.\n\n* x", {"b": "2\n"})
    repo.switch("main")
    repo.git("merge", "--squash", "topic")
    repo.git("commit", "-q", "--no-edit")
    (squashed, _) = read_range(open_git(), None, "HEAD").commits
    assert squashed.subject == "Squashed commit of the following:"
    parts = split_squash(squashed)
    assert [(part.sha, part.subject, part.body) for part in parts] == [
        (two, "Two", "Because.\n\n* x"),
        (one, "One", ""),
    ]
    assert (parts[0].author, parts[0].email) == ("Ada Example", "ada@example.org")


@pytest.mark.parametrize(
    ("body", "counts"),
    [
        ("This reverts commit {0}.", True),
        ("Reason.\n\nThis reverts commit {0}, reversing\nchanges made to {1}.", True),
        ("This reverts commit {0}\n\nSigned-off-by: A <a@b>", True),
        ("This reverts commit {0} because it is slow.", True),
        ('Linux style.\n\nThis reverts commit {0} ("Add a").', True),
        ("This reverts commit {0}. It was slow.", True),
        ('Read "This reverts commit {0}." as git does.', False),
        ("> This reverts commit {0}.", False),
        ("    This reverts commit {0}.", False),
        ("It looks as if this reverts commit {0}.", False),
        ("This partially reverts commit {0}.", False),
        ("This reverts commit {0} only on Windows.", False),
        ("This reverts commit {0}, except for the tests.", False),
        ("This reverts commit nosuch.", False),
    ],
)
def test_only_the_sentence_of_git_reverts_by_id(repo: Repo, body: str, counts: bool) -> None:
    first = repo.commit("Add a", {"a": "1\n"})
    repo.commit("Say something\n\n" + body.format(first, "0" * 40), {"a": "2\n"})
    git = open_git()
    found = read_relations(git, read_range(git, None, "HEAD")).reverts
    assert [(item.target, item.how) for item in found] == ([(first, "id")] if counts else [])


def test_what_is_applied_again_is_no_pick(repo: Repo) -> None:
    repo.commit("Root", {"x": "1\n"})
    repo.commit("Add a", {"a": "1\n"})
    for _ in range(4):
        repo.clock += 60
        repo.git("revert", "--no-edit", "HEAD")
    git = open_git()
    found = read_relations(git, read_range(git, None, "HEAD"), patches=True)
    assert found.picks == ()
    assert len(found.reverts) == 4


@pytest.mark.parametrize(
    "subject", ["[release-1.x] fix: bug (#11) (#30)", "fix: bug (#11) (backport #11)", "[1.x] fix: bug (#11)"]
)
def test_a_port_is_paired_inside_of_one_range(repo: Repo, subject: str) -> None:
    repo.commit("Root", {"x": "1\n"})
    source = repo.commit("fix: bug (#11)", {"a": "1\n"})
    other = repo.commit("fix: other (#12)", {"b": "1\n"})
    port = repo.commit(subject, {"c": "1\n"})
    git = open_git()
    (pick,) = read_relations(git, read_range(git, None, "HEAD")).picks
    assert (pick.sha, pick.source, pick.how) == (port, source, "pull")
    assert other not in (pick.sha, pick.source)
