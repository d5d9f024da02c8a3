"""Is every kind of repository and every kind of change read as git has it?"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import pytest

from gitnotes.codec import from_json, to_json
from gitnotes.errors import CannotJudge, GitError
from gitnotes.read.diff import MAX_PATCH, read_commit, read_staged, read_work_tree
from gitnotes.read.git import Git, open_git
from gitnotes.read.raw import cut_raw, read_raw
from gitnotes.read.submodules import add_submodules
from gitnotes.records import Change, FileChange, SubmoduleMove
from tests.conftest import Repo

MakeRepo = Callable[..., Repo]


def staged(git: Git | None = None) -> Change:
    return read_staged(git or open_git())


def reasons(change: Change) -> dict[str, str]:
    return {item.path: item.reason for item in change.omitted}


# Repositories.


def test_sha256(make_repo: MakeRepo) -> None:
    made = make_repo("sha256", "--object-format=sha256")
    first = made.commit("First", {"a": "1\n", "bin": b"\0"})
    assert len(first) == 64
    made.write("a", "2\n")
    made.write("bin", b"\0\0")
    git = open_git(made.path)
    change = staged(git)
    assert change.base == first
    assert [(len(file.old_id), len(file.new_id)) for file in change.files] == [(64, 64)] * 2
    assert reasons(change) == {"bin": "binary (2 bytes)"}
    assert [file.path for file in read_commit(git, first).files] == ["a", "bin"]
    assert git.blobs([change.files[0].new_id], limit=9) == {change.files[0].new_id: b"2\n"}


def test_linked_worktree(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit("First", {"a": "1\n"})
    repo.git("worktree", "add", "-q", "-b", "other", "../linked")
    linked = Repo(repo.path.parent / "linked")
    linked.write("a", "2\n")
    repo.write("b", "in the first\n")
    assert [file.path for file in staged(open_git(linked.path)).files] == ["a"]
    monkeypatch.chdir(linked.path)
    assert [file.path for file in staged().files] == ["a"]


def test_bare_repository(repo: Repo, make_repo: MakeRepo) -> None:
    repo.commit("First", {"a": "1\n"})
    repo.git("clone", "-q", "--bare", ".", "../bare.git")
    git = open_git(repo.path.parent / "bare.git")
    assert [file.path for file in read_commit(git, "HEAD").files] == ["a"]
    with pytest.raises(GitError):
        read_work_tree(git)


def test_partial_clone_with_a_dead_remote_is_an_error_and_no_hang(repo: Repo) -> None:
    for number in range(3):
        repo.commit("Change", {"a": f"{number}\n" * 40, "b": f"{number}{number}\n" * 40})
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repo.path}", "../partial")
    repo.path.rename(repo.path.parent / "gone")
    os.chdir(repo.path.parent)
    git = open_git(repo.path.parent / "partial")
    with pytest.raises(GitError, match="partial clone") as caught:
        read_commit(git, "HEAD")
    assert "git fetch --refetch" in caught.value.hint
    tree = git.text("rev-parse", "HEAD:a", "HEAD:b").split()
    assert git.blob_sizes(tree) == {}
    assert git.blobs(tree, limit=1000) == {}


def test_partial_clone_reads_what_it_has(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit("First", {f"f{number}": f"old {number}\n" for number in range(30)})
    repo.commit("Second", {f"f{number}": f"new {number}\n" for number in range(30)})
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--filter=blob:none", f"file://{repo.path}", "../partial")
    git = open_git(repo.path.parent / "partial")
    ids = {
        name: git.text("rev-parse", f"{name}:f{number}")
        for number in range(30)
        for name in ("HEAD", "HEAD~1")
        if name == "HEAD" or number < 25
    }
    old = [git.text("rev-parse", f"HEAD~1:f{number}") for number in range(25)]
    assert git.blobs([*old, ids["HEAD"]], limit=99) == {ids["HEAD"]: b"new 29\n"}


def test_shallow_clone(repo: Repo) -> None:
    repo.commit("First", {"a": "1\n"})
    repo.commit("Second", {"a": "2\n"})
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", "../shallow")
    shallow = Repo(repo.path.parent / "shallow")
    git = open_git(shallow.path)
    for read in (lambda: read_commit(git, "HEAD"), lambda: read_staged(git, amend=True)):
        with pytest.raises(CannotJudge) as caught:
            read()
        assert "git fetch --unshallow" in caught.value.hint
    with pytest.raises(GitError, match="does not know") as unknown:
        read_commit(git, "HEAD~1")
    assert "--unshallow" in unknown.value.hint
    shallow.write("a", "3\n")
    assert [file.added for file in staged(git).files] == [1]


def test_detached_head(repo: Repo) -> None:
    first = repo.commit("First", {"a": "1\n"})
    repo.commit("Second", {"a": "2\n"})
    repo.git("checkout", "-q", first)
    repo.write("b", "1\n")
    assert staged().base == first
    assert [file.path for file in staged().files] == ["b"]


def test_unborn_branch(repo: Repo) -> None:
    assert staged().files == ()
    assert read_work_tree(open_git()).files == ()
    assert read_staged(open_git(), amend=True).files == ()
    with pytest.raises(CannotJudge, match="no commits yet"):
        read_commit(open_git(), "HEAD")


def test_graft_and_replacement_are_seen_as_git_sees_them(repo: Repo) -> None:
    repo.commit("First", {"a": "1\n"})
    second = repo.commit("Second", {"b": "1\n"})
    third = repo.commit("Third", {"c": "1\n"})
    repo.git("replace", "--graft", second)
    assert [file.path for file in read_commit(open_git(), second).files] == ["a", "b"]
    repo.git("replace", "-d", second)
    (repo.path / ".git" / "info").mkdir(exist_ok=True)
    (repo.path / ".git" / "info" / "grafts").write_text(f"{third}\n")
    assert [file.path for file in read_commit(open_git(), third).files] == ["a", "b", "c"]


def test_sparse_checkout(repo: Repo) -> None:
    repo.commit("First", {"in/a": "1\n", "out/b": "1\n", "top": "1\n"})
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    assert not (repo.path / "out").exists()
    repo.write("in/a", "2\n")
    assert [file.path for file in staged().files] == ["in/a"]
    assert [file.path for file in read_work_tree(open_git()).files] == ["in/a"]


# Changes.


def test_submodule_with_its_subjects(repo: Repo, make_repo: MakeRepo) -> None:
    inner = make_repo("inner")
    commits = [inner.commit(f"Subject {number}", {"a": f"{number}"}) for number in range(4)]
    repo.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "lib dir/lib"
    )
    repo.git("-C", "lib dir/lib", "checkout", "-q", commits[0])
    repo.git("add", "-A")
    repo.commit("Add lib")
    repo.git("-C", "lib dir/lib", "checkout", "-q", commits[3])
    repo.git("add", "-A")
    git = open_git()
    change = add_submodules(git, staged())
    subjects = ("Subject 3", "Subject 2", "Subject 1")
    assert change.files[0].submodule == (commits[0], commits[3])
    assert change.submodules == (SubmoduleMove("lib dir/lib", commits[0], commits[3], subjects),)
    assert from_json(Change, to_json(change)) == change
    repo.commit("Move lib")
    repo.git("-C", "lib dir/lib", "checkout", "-q", commits[0])
    repo.git("add", "-A")
    assert add_submodules(git, staged()).submodules == (
        SubmoduleMove("lib dir/lib", commits[3], commits[0], subjects, backward=True),
    )
    # Not checked out: git keeps the repository of the submodule.
    repo.git("submodule", "--quiet", "deinit", "--force", "--all")
    repo.git("update-index", "--cacheinfo", f"160000,{commits[0]},lib dir/lib")
    (move,) = add_submodules(git, staged()).submodules
    assert (move.subjects, move.backward) == (subjects, True)


def test_submodule_that_is_not_here(repo: Repo) -> None:
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
    repo.commit("Add lib")
    repo.git("update-index", "--cacheinfo", f"160000,{'2' * 40},lib")
    (repo.path / "lib").mkdir(exist_ok=True)
    (move,) = add_submodules(open_git(), staged()).submodules
    assert move.subjects == ()
    assert "not checked out" in move.reason
    (repo.path / "lib" / ".git").write_text("gitdir: ../nowhere\n")
    (move,) = add_submodules(open_git(), staged()).submodules
    assert move.reason


def test_submodule_that_becomes_a_file(repo: Repo) -> None:
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
    repo.commit("Add lib")
    repo.git("rm", "-q", "--cached", "lib")
    repo.write("lib", "text\n")
    (file,) = staged().files
    assert (file.status, file.old_mode, file.submodule) == ("T", "160000", ("1" * 40, ""))


def test_pure_rename_mode_change_and_copy(repo: Repo) -> None:
    repo.commit("First", {"one": "line\n" * 9, "two": "other\n" * 9, "run": "x\n", "src": "copied\n" * 9})
    ids = {name: repo.git("rev-parse", f":{name}") for name in ("one", "run", "src")}
    repo.git("mv", "one", "moved")
    repo.git("update-index", "--chmod=+x", "run")
    repo.write("src", "copied\n" * 9 + "more\n")
    repo.write("copy", "copied\n" * 9)
    files = {file.path: file for file in staged().files}
    regular = "100644"
    assert files["moved"] == FileChange(
        "moved", "R", "one", 0, 0, regular, regular, 100, None, ids["one"], ids["one"]
    )
    assert files["run"] == FileChange(
        "run", "M", None, 0, 0, regular, "100755", None, None, ids["run"], ids["run"]
    )
    assert files["copy"].status == "A"
    found = {file.path: file for file in read_staged(open_git(), copies=True).files}["copy"]
    assert (found.status, found.old_path, found.similarity) == ("C", "src", 100)


def test_case_only_rename(repo: Repo) -> None:
    repo.commit("First", {"readme": "line\n" * 9})
    repo.git("mv", "readme", "README")
    (file,) = staged().files
    assert (file.status, file.old_path, file.path) == ("R", "readme", "README")


def test_names_are_swapped(repo: Repo) -> None:
    repo.commit("First", {"a": "one\n" * 9, "b": "two\n" * 9})
    repo.write("a", "two\n" * 9)
    repo.write("b", "one\n" * 9)
    assert {(file.path, file.status, file.added) for file in staged().files} == {("a", "M", 9), ("b", "M", 9)}


def test_git_lfs_pointer(repo: Repo) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n"
    repo.commit("First", {"model": pointer.format("a" * 64, 100), "old": pointer.format("c" * 64, 7)})
    repo.write("model", pointer.format("b" * 64, 123_456_789))
    repo.write("new", pointer.format("d" * 64, 1))
    repo.write("real", pointer.format("d" * 64, 1) + "and more\n")
    repo.git("rm", "-q", "old")
    change = staged()
    assert {file.path: (file.lfs, file.size) for file in change.files} == {
        "model": (True, 123_456_789),
        "new": (True, 1),
        "old": (True, 7),
        "real": (False, None),
    }
    assert reasons(change)["model"] == "kept by git-lfs (123.5 MB)"
    assert {hunk.path for hunk in change.hunks} == {"real"}


def test_large_and_binary_files_are_named_with_their_size(repo: Repo) -> None:
    repo.commit("First", {"big": "x\n" * 600_000, "small.bin": b"\0" * 1500})
    repo.write("big", "y\n" * 700_000)
    repo.git("rm", "-q", "small.bin")
    repo.write("new.bin", b"\0" * 12)
    change = staged()
    assert reasons(change) == {
        "big": "larger than 1 MB (1.4 MB)",
        "small.bin": "binary (1.5 kB)",
        "new.bin": "binary (12 bytes)",
    }
    assert {file.path: (file.size, file.added) for file in change.files} == {
        "big": (1_400_000, None),
        "small.bin": (1500, None),
        "new.bin": (12, None),
    }
    (repo.path / "new.bin").write_bytes(b"\0" * 13)
    work = {file.path: file.size for file in read_work_tree(open_git()).files}
    assert work["new.bin"] == 13


def test_a_large_file_that_attributes_call_text_is_cut(repo: Repo) -> None:
    repo.write(".gitattributes", "*.sql diff\n")
    repo.write("dump.sql", "insert into t values (1);\n" * 300_000)
    change = staged()
    file = next(file for file in change.files if file.path == "dump.sql")
    assert file.added == 300_000
    assert "dump.sql" in reasons(change)
    assert sum(map(len, change.lines("+"))) < 1_000_000


def test_many_files_are_counted_when_they_are_too_much_to_hold(repo: Repo) -> None:
    line = "a line of some length that is repeated\n"
    for number in range(30):
        (repo.path / f"f{number:02}").write_text(f"{number}\n" + line * 20_000)
    repo.git("add", "-A")
    change = staged()
    assert [file.added for file in change.files] == [20_001] * 30
    assert 0 < sum(len(line) for hunk in change.hunks for line in hunk.lines) <= MAX_PATCH
    assert "only counted" in reasons(change)["f29"]


def test_intent_to_add(repo: Repo) -> None:
    repo.commit("First", {"a": "1\n"})
    (repo.path / "announced").write_text("text\n")
    repo.git("add", "-N", "announced")
    assert staged().files == ()
    (file,) = read_work_tree(open_git()).files
    assert (file.path, file.status, file.added) == ("announced", "A", 1)


def test_unmerged_entries_are_named(repo: Repo) -> None:
    repo.commit("First", {"a": "1\n", "b": "1\n"})
    repo.branch("topic")
    repo.commit("Topic", {"a": "2\n", "c": "new\n"})
    repo.switch("main")
    repo.commit("Main", {"a": "3\n"})
    repo.git("merge", "-q", "topic", check=False)
    change = staged()
    assert [file.path for file in change.files] == ["c"]
    assert reasons(change) == {"a": "its merge conflict is not resolved"}


def test_time_that_changed_without_content_is_no_change(repo: Repo) -> None:
    repo.commit("First", {"a": "1\n", "bin": b"\0" * 9, "big": "x" * 1_200_000})
    before = (repo.path / ".git" / "index").read_bytes()
    for name in ("a", "bin", "big"):
        os.utime(repo.path / name, (1, 1))
    assert read_work_tree(open_git()).files == ()
    assert (repo.path / ".git" / "index").read_bytes() == before


def test_empty_files_come_and_go(repo: Repo) -> None:
    repo.commit("First", {"gone": "", "filled": ""})
    repo.write("new", "")
    repo.write("filled", "text\n")
    repo.git("rm", "-q", "gone")
    found = {file.path: (file.status, file.added, file.removed) for file in staged().files}
    assert found["filled"] == ("M", 1, 0)
    assert found["new"] == ("R", 0, 0) or (found["new"], found["gone"]) == (("A", 0, 0), ("D", 0, 0))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
@pytest.mark.parametrize(
    "name",
    [
        "d/" * 1999 + "ef",
        "x" * 4000,
        "a\nb/c\td",
        '"',
        '"a" "b"',
        "a b/c d",
        "-p",
        "--staged",
        "caf\udce9/\udcff",
        "a b/a b/",
        "\x01\x7f",
        ":(top)x",
    ],
    ids=lambda name: ascii(name[:12]),
)
def test_paths_of_every_kind(repo: Repo, name: str) -> None:
    name = name.rstrip("/") + ("file" if name.endswith("/") else "")
    blobs = []
    for text in (b"one\n" * 9, b"one\n" * 9 + b"two\n"):
        done = repo.run("git", "hash-object", "-w", "--stdin", input=text)
        blobs.append(done.stdout.decode().strip())
    rows = f"100644 {blobs[0]}\t{name}\x00100644 {blobs[0]}\tplain\x00"
    repo.run("git", "update-index", "-z", "--index-info", input=os.fsencode(rows))
    commit = repo.git("commit-tree", "-m", "First", repo.git("write-tree"))
    repo.git("update-ref", "HEAD", commit)
    rows = f"100644 {blobs[1]}\t{name}\x000 {'0' * 40}\tplain\x00100755 {blobs[1]}\t{name}.moved\x00"
    done = repo.run("git", "update-index", "-z", "--index-info", input=os.fsencode(rows))
    assert done.returncode == 0
    change = staged()
    assert {(file.status, file.old_path, file.path, file.added) for file in change.files} == {
        ("M", None, name, 1),
        ("R", "plain", f"{name}.moved", 1),
    }
    assert {hunk.path for hunk in change.hunks} == {name, f"{name}.moved"}
    assert from_json(Change, to_json(change)) == change


def test_rows_and_patch_are_parted_wherever_the_blocks_end() -> None:
    row = f":100644 100644 {'1' * 40} {'2' * 40} M\0a\0".encode()
    data = row + b"\0diff --git a/a b/a\n"
    for cut in range(1, len(data)):
        raw, rest = cut_raw(iter([data[:cut], data[cut:]]))
        assert (raw, b"".join(rest)) == (row, b"diff --git a/a b/a\n")
    assert [entry.file.path for entry in read_raw(row)] == ["a"]
    assert cut_raw(iter([]))[0] == b""


def test_a_path_that_is_empty_is_a_broken_index() -> None:
    with pytest.raises(GitError, match="damaged"):
        read_raw(f":000000 100644 {'0' * 40} {'2' * 40} A\0\0".encode())
