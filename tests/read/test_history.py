from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from gitnotes.codec import from_json, to_json
from gitnotes.errors import UnknownRevision
from gitnotes.read.diff import read_commit
from gitnotes.read.git import open_git
from gitnotes.read.history import list_omitted, read_changes, read_notes, read_range, read_recent
from gitnotes.read.log_format import parse_log, split_message
from gitnotes.records import Commit, CommitTree, FileChange
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


SETTINGS = {
    "color.diff": "always",
    "color.ui": "always",
    "core.abbrev": "4",
    "core.attributesFile": "{folder}/attributes",
    "core.bigFileThreshold": "1",
    "core.commentChar": ";",
    "core.notesRef": "refs/notes/other",
    "core.pager": "false",
    "core.quotePath": "true",
    "diff.algorithm": "patience",
    "diff.context": "0",
    "diff.external": "false",
    "diff.ignoreSubmodules": "all",
    "diff.indentHeuristic": "false",
    "diff.interHunkContext": "9",
    "diff.mnemonicPrefix": "true",
    "diff.noprefix": "true",
    "diff.orderFile": "{folder}/order",
    "diff.relative": "true",
    "diff.renameLimit": "1",
    "diff.renames": "false",
    "diff.submodule": "log",
    "diff.suppressBlankEmpty": "true",
    "diff.wordRegex": ".",
    "format.notes": "true",
    "format.pretty": "oneline",
    "i18n.logOutputEncoding": "latin1",
    "log.abbrevCommit": "true",
    "log.date": "relative",
    "log.decorate": "full",
    "log.diffMerges": "first-parent",
    "log.follow": "true",
    "log.mailmap": "true",
    "log.showRoot": "false",
    "log.showSignature": "true",
    "notes.displayRef": "refs/notes/*",
    "trailer.separators": "=",
}


@pytest.fixture
def varied(repo: Repo) -> Repo:
    """Renames, a merge, a submodule, an odd encoding and counts on which algorithms do not agree."""
    repo.commit("Früh\n\nRefs: #1", {"old": "line\n" * 9, "b/é": "1\n", "c": "x\n" * 600})
    repo.git("mv", "old", "new")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    repo.commit("Move", {"b/é": "2\n"})
    repo.git("update-index", "--cacheinfo", f"160000,{'2' * 40},sub")
    repo.commit("Submodule")
    repo.commit("Before", {"d": "a\nb\nc\na\nb\nb\na\n" * 9})
    repo.branch("topic")
    repo.commit("After", {"d": "c\nb\na\nb\na\nc\n" * 9})
    repo.switch("main")
    repo.commit("Side", {"e": "1\n"})
    repo.merge("topic", "Merge topic")
    repo.git("notes", "add", "-m", "Note")
    repo.git("notes", "--ref=other", "add", "-m", "Other note")
    for name, text in (
        ("order", "sub\nnew\n"),
        ("attributes", "* -diff\n"),
        (".mailmap", "X <x> <ada@example.org>\n"),
    ):
        (repo.path / name).write_text(text)
    return repo


@pytest.mark.parametrize("key", [*SETTINGS, "GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF", "all of them"])
def test_settings_change_nothing(varied: Repo, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read_range(open_git(), None, "HEAD", counts=True)
    assert sum(file.status == "R" for each in before.commits for file in each.files or ()) == 1
    if key.startswith("GIT_"):
        monkeypatch.setenv(key, "-u0" if key == "GIT_DIFF_OPTS" else "false")
    for name, value in SETTINGS.items():
        if key in (name, "all of them"):
            varied.git("config", name, value.format(folder=varied.path))
    (varied.path / "b").mkdir(exist_ok=True)
    monkeypatch.chdir(varied.path / "b")
    git = open_git()
    assert read_range(git, None, "HEAD", counts=True) == before
    assert list(read_notes(git, None, "HEAD").values()) == ["Note"]


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


def test_changes_are_those_of_each_commit_alone(repo: Repo) -> None:
    body = "".join(f"        value{number} = {number}\n" for number in range(12))
    source = f"class Reader:\n    def parse_header(self):\n{body}"
    repo.commit("Add", {"reader.py": source})
    repo.commit("Correct", {"reader.py": source.replace("= 10", "= 11")})
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'1' * 64}\nsize 12345\n"
    repo.commit("Keep", {"picture.bin": pointer})
    git = open_git()
    found = [change for _, change in read_changes(git, None, "HEAD")]
    assert found[0].files[0].size == 12345
    assert found[0].files[0].lfs
    assert found[1].hunks[0].heading.strip() == "def parse_header(self):"
    for change in found[:2]:
        assert change == read_commit(git, change.target)


def test_recent_on_an_unborn_branch(repo: Repo) -> None:
    assert read_recent(open_git(), "HEAD", 10) == ()


def test_unknown_range(repo: Repo) -> None:
    repo.commit("Root", {"a": "1"})
    with pytest.raises(UnknownRevision):
        read_range(open_git(), "nothing", "HEAD")


def test_subject_may_span_lines() -> None:
    assert split_message("one\ntwo\n\n\nbody\n") == ("one two", "body")
    assert split_message("\n\n") == ("", "")
    assert split_message("one  \n two\n \t\nbody\n") == ("one  two", "body")
    assert split_message(" \n\n one\n\n\n  body") == ("one", "  body")
    assert split_message("one\r\n\r\nbody\r\nmore\r\n") == ("one", "body\nmore")


def put_commit(
    repo: Repo, message: bytes, *headers: bytes, author: bytes = b"A <a@example.org> 1 +0000"
) -> str:
    """A commit object with exactly these bytes, at the tip of main."""
    tree = repo.git("write-tree").encode()
    data = b"tree %s\nauthor %s\ncommitter A <a@example.org> 1 +0000\n" % (tree, author)
    data += b"".join(header + b"\n" for header in headers) + b"\n" + message
    done = repo.run("git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally", input=data)
    sha = done.stdout.decode().strip()
    repo.git("update-ref", "refs/heads/main", sha)
    return sha


def read_one(repo: Repo) -> Commit:
    (found,) = read_range(open_git(repo.path), None, "main").commits
    return found


@pytest.mark.parametrize(
    ("message", "subject", "body"),
    [
        (b"", "", ""),
        (b"\n\n\nLate\n\n\n\nBody\n\n\n", "Late", "Body"),
        (b"Caf\xe9 \xc3\xa9\n", "Café é", ""),
        (b"Bad \x80 \xff\n", "Bad \ufffd ÿ", ""),
        (b"One\r\n\r\nTwo\r\n", "One", "Two"),
        (b"Cut\n\nhere\0not there\n", "Cut", "here"),
        (b"No line end", "No line end", ""),
        (b":100644 100644 a b M\n\n:x\n", ":100644 100644 a b M", ":x"),
        (b"x\n\n" + b"y" * (1 << 20), "x", "y" * (1 << 20)),
    ],
    ids=["empty", "blank", "latin-1", "bytes", "crlf", "nul", "short", "raw", "long"],
)
def test_odd_messages(repo: Repo, message: bytes, subject: str, body: str) -> None:
    put_commit(repo, message)
    found = read_one(repo)
    assert (found.subject, found.body) == (subject, body)
    (with_files,) = read_range(open_git(), None, "main", files=True).commits
    assert (with_files.subject, with_files.body, with_files.files) == (subject, body, ())


@pytest.mark.parametrize(
    ("author", "name", "time"),
    [
        (b"A <a@example.org> 0 +0000", "A", 0),
        (b"A <a@example.org> 99999999999 -1200", "A", 99999999999),
        (b"A <a@example.org>", "A", 0),
        (b"A <a@example.org> -5 +0000", "A", 0),
        (b"A <a@example.org> x y", "A", 0),
        (b" <> 7 +0000", "", 7),
        (b"Ren\xe9 <r@example.org> 7 +0000", "René", 7),
    ],
)
def test_odd_authors_and_dates(repo: Repo, author: bytes, name: str, time: int) -> None:
    put_commit(repo, b"x\n", author=author)
    found = read_one(repo)
    assert (found.author, found.subject, found.time) == (name, "x", time)


def test_the_header_says_the_encoding(repo: Repo) -> None:
    put_commit(repo, b"\xa4\n", b"encoding ISO-8859-15")
    assert read_one(repo).subject == "€"


def test_replaced_and_grafted_history(repo: Repo) -> None:
    first = repo.commit("First", {"a": "1\n"})
    second = repo.commit("Second", {"a": "2\n"})
    third = repo.commit("Third", {"a": "3\n"})
    other = repo.git("commit-tree", "-m", "Another second", "-p", first, f"{second}^{{tree}}")
    repo.git("replace", second, other)
    found = read_range(open_git(), None, "HEAD").commits
    assert [(each.sha, each.subject) for each in found][:2] == [(third, "Third"), (second, "Another second")]
    (repo.path / ".git" / "info").mkdir(exist_ok=True)
    (repo.path / ".git" / "info" / "grafts").write_text(f"{third} {first}\n")
    found = read_range(open_git(), None, "HEAD", files=True).commits
    assert [each.sha for each in found] == [third, first]
    assert found[0].parents == (first,)


def test_line_counts_renames_binaries_and_modes(repo: Repo) -> None:
    repo.commit("First", {"old\tname": "line\n" * 9, "b": b"\0", "c": "1\n", "d": "1\n", "e": "1\n"})
    repo.git("mv", "old\tname", "new\nname")
    repo.write("new\nname", "line\n" * 9 + "more\n")
    repo.write("b", b"\0\1")
    repo.git("rm", "-q", "c")
    repo.git("update-index", "--chmod=+x", "d")
    (repo.path / "e").unlink()
    (repo.path / "e").symlink_to("d")
    repo.git("add", "e")
    repo.commit("Second")
    (second, first) = read_range(open_git(), None, "HEAD", counts=True).commits
    assert first.files is not None and second.files is not None
    assert {(file.path, file.status, file.added, file.removed) for file in second.files} == {
        ("new\nname", "R", 1, 0),
        ("b", "M", None, None),
        ("c", "D", 0, 1),
        ("d", "M", 0, 0),
        ("e", "T", 1, 1),
    }
    renamed = next(file for file in second.files if file.status == "R")
    assert (renamed.old_path, renamed.similarity) == ("old\tname", 90)
    removed = next(file for file in second.files if file.status == "D")
    assert (removed.new_id, removed.new_mode) == ("", "")
    assert removed.old_id == repo.git("rev-parse", "HEAD^:c")
    assert [file.added for file in first.files if file.path == "old\tname"] == [9]
    names = read_range(open_git(), None, "HEAD", files=True).commits
    assert [file.path for file in names[0].files or ()] == [file.path for file in second.files]


def test_paths_that_are_not_utf_8_and_submodules(repo: Repo) -> None:
    name = "caf\udce9 \udcff"
    repo.write(name, "1\n")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    repo.commit("First")
    (found,) = read_range(open_git(), None, "HEAD", counts=True).commits
    files = {file.path: file for file in found.files or ()}
    assert set(files) == {name, "sub"}
    assert files["sub"].submodule == ("", "1" * 40)
    assert (files["sub"].added, files["sub"].removed) == (None, None)
    assert files[name].added == 1


def test_records_are_like_any_other(repo: Repo) -> None:
    repo.commit("First\n\nBody.\n\nRefs: #1", {"a": "1\n"})
    (found,) = read_range(open_git(), None, "HEAD", files=True).commits
    assert type(found) is Commit and found.files is not None and type(found.files[0]) is FileChange
    rebuilt = Commit(**{item.name: getattr(found, item.name) for item in dataclasses.fields(Commit)})
    assert (rebuilt, hash(rebuilt), repr(rebuilt)) == (found, hash(found), repr(found))
    (file,) = found.files
    again = FileChange(**{item.name: getattr(file, item.name) for item in dataclasses.fields(FileChange)})
    assert (again, hash(again)) == (file, hash(file))
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.subject = "Other"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        file.path = "other"  # type: ignore[misc]
    assert dataclasses.replace(file, size=3).size == 3


@pytest.mark.parametrize("size", [1, 2, 7, 64, 4096])
def test_blocks_may_end_anywhere(repo: Repo, size: int) -> None:
    repo.commit("Früh\n\nBody.", {"ä": "1\n" * 5, "b": "x\n"})
    repo.git("mv", "ä", "ö")
    repo.commit("Move")
    repo.commit("Empty")
    options = ("--raw", "-M", "--numstat", "--no-abbrev", "--topo-order")
    form = "--format=%H%x00%P%x00%an%x00%ae%x00%at%x00%B"
    output = repo.run("git", "log", "-z", form, *options).stdout
    blocks = [output[at : at + size] for at in range(0, len(output), size)]
    found = tuple(parse_log(blocks, files=True))
    assert found == read_range(open_git(), None, "HEAD", counts=True).commits
    assert [len(each.files or ()) for each in found] == [0, 1, 2]


def test_with_paths_parents_lead_past_other_commits(repo: Repo) -> None:
    root = repo.commit("Root", {"pkg/a": "1\n", "x": "1\n"})
    repo.commit("Elsewhere", {"x": "2\n"})
    last = repo.commit("Package", {"pkg/a": "2\n"})
    git = open_git()
    tree = read_range(git, None, "HEAD", paths=["pkg"])
    assert [(each.sha, each.parents) for each in tree.commits] == [(last, (root,)), (root, ())]
    assert [each.sha for each in tree.first_parent_line()] == [last, root]
    reasons = [item.reason for item in list_omitted(git, tree, None, "HEAD", ["pkg"])]
    assert reasons == ["files were not asked for", "1 commits that touch none of the paths"]


def test_people_of_the_mailmap_and_notes_on_demand(repo: Repo) -> None:
    first = repo.commit("First")
    second = repo.commit("Second")
    (repo.path / ".mailmap").write_text("Ada Lovelace <lady@example.org> <ada@example.org>\n")
    git = open_git()
    repo.git("config", "log.mailmap", "true")
    assert read_range(git, None, "HEAD").commits[0].author == "Ada Example"
    assert read_range(git, None, "HEAD", mailmap=True).commits[0].email == "lady@example.org"
    assert read_notes(git, None, "HEAD") == {}
    repo.git("notes", "add", "-m", "One\n\ntwo", first)
    repo.git("notes", "--ref=other", "add", "-m", "Elsewhere", second)
    assert read_notes(git, None, "HEAD") == {first: "One\n\ntwo"}
    assert read_notes(git, None, "HEAD", "refs/notes/other") == {second: "Elsewhere"}


def test_a_long_line_of_merges_takes_linear_time() -> None:
    commits: list[Commit] = []
    for number in range(20_000, 0, -2):
        side, merge = str(number - 1), str(number)
        before = (str(number - 2),) if number > 2 else ()
        commits.append(Commit(merge, (*before, side), "A", "a", 0, "m", ""))
        commits.append(Commit(side, before, "A", "a", 0, "s", ""))
    brought = CommitTree(None, "HEAD", tuple(commits)).brought_in()
    assert len(brought) >= 9_999
    assert [each.sha for each in brought["20000"]] == ["19999"]


def test_a_repository_with_long_object_ids(make_repo, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    repo: Repo = make_repo("long", "--object-format=sha256")
    first = repo.commit("First", {"a": "1\n"})
    repo.commit("Second", {"a": "2\n"})
    found = read_range(open_git(repo.path), None, "HEAD", counts=True).commits
    assert (len(first), found[0].parents) == (64, (first,))
    assert [(file.path, file.added) for file in found[0].files or ()] == [("a", 1)]
    assert len((found[0].files or ())[0].new_id) == 64


def test_without_renames_a_move_is_two_files_and_needs_no_content(repo: Repo) -> None:
    repo.commit("First", {"old.py": "x = 1\n" * 20})
    repo.git("mv", "old.py", "new.py")
    repo.commit("Move it")
    git = open_git(repo.path)
    moved = read_range(git, None, "HEAD", files=True).commits[0].files or ()
    assert [(change.status, change.path, change.old_path) for change in moved] == [("R", "new.py", "old.py")]
    apart = read_range(git, None, "HEAD", files=True, renames=False).commits[0].files or ()
    assert sorted((change.status, change.path) for change in apart) == [("A", "new.py"), ("D", "old.py")]
