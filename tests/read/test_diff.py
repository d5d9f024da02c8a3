from __future__ import annotations

import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitnotes.codec import from_json, to_json
from gitnotes.errors import CannotJudge
from gitnotes.read.diff import MAX_LINE, parse_patch, read_commit, read_staged, read_work_tree
from gitnotes.read.git import open_git
from gitnotes.read.patch import split_sections
from gitnotes.records import Change, FileChange
from tests.conftest import Repo


def staged() -> Change:
    return read_staged(open_git())


def test_first_commit_is_against_the_empty_tree(repo: Repo) -> None:
    repo.write("a.txt", "one\ntwo\n")
    change = staged()
    blob = repo.git("rev-parse", ":a.txt")
    assert change.files == (FileChange("a.txt", "A", added=2, removed=0, new_mode="100644", new_id=blob),)
    assert list(change.lines("+")) == ["one", "two"]


def test_nothing_staged(repo: Repo) -> None:
    repo.commit("First", {"a": "1\n"})
    (repo.path / "a").write_text("2\n")
    assert staged().files == ()
    assert [file.path for file in read_work_tree(open_git()).files] == ["a"]


def test_rename_with_edit_mode_change_deletion_and_binary(repo: Repo) -> None:
    repo.commit(
        "First",
        {"old name.py": "line\n" * 30, "gone": "x\n", "run.sh": "#!/bin/sh\n", "pic.bin": b"\0\1"},
    )
    repo.git("mv", "old name.py", "new name.py")
    repo.write("new name.py", "line\n" * 29 + "other\n")
    repo.git("rm", "-q", "gone")
    repo.git("update-index", "--chmod=+x", "run.sh")
    repo.write("pic.bin", b"\0\2")
    files = {file.path: file for file in staged().files}
    assert files["new name.py"].status == "R"
    assert files["new name.py"].old_path == "old name.py"
    assert (files["new name.py"].added, files["new name.py"].removed) == (1, 1)
    assert files["gone"].status == "D"
    assert (files["run.sh"].old_mode, files["run.sh"].new_mode) == ("100644", "100755")
    assert (files["pic.bin"].added, files["pic.bin"].removed) == (None, None)
    assert [omission.path for omission in staged().omitted] == ["pic.bin"]


ODD_NAMES = [
    "a b",
    'quo"te',
    "tab\there",
    "new\nline",
    "back\\slash",
    "-dash",
    "ünïcode",
    "b/ b",
    "x b/x",
    "diff --git a",
    "\x1b[31m",
]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names(repo: Repo, name: str) -> None:
    repo.commit("First", {name: "1\n", "moved": "content\n" * 9})
    repo.write(name, "2\n")
    repo.git("mv", "--", "moved", f"{name}.moved")
    repo.write(f"{name}.new", "")
    files = {file.path: file for file in staged().files}
    assert files[name].status == "M"
    assert files[name].added == 1
    assert files[f"{name}.moved"].old_path == "moved"
    assert files[f"{name}.new"].status == "A"
    assert len(files) == 3


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has names that are not UTF-8")
def test_name_that_is_not_utf8(repo: Repo) -> None:
    raw = b"caf\xe9.txt"
    (repo.path / os.fsdecode(raw)).write_text("x\n")
    repo.git("add", "-A")
    change = staged()
    assert [os.fsencode(file.path) for file in change.files] == [raw]
    assert from_json(Change, to_json(change)) == change


def test_content_that_looks_like_a_header(repo: Repo) -> None:
    lines = ["diff --git a/x b/y", "--- a/x", "+++ b/y", "@@ -1 +1 @@", "\\ No newline", "rename from z"]
    repo.commit("First", {"a": "\n".join(lines) + "\n"})
    repo.write("a", "\n".join(["-- " + line for line in lines]))
    change = staged()
    assert [file.path for file in change.files] == ["a"]
    assert list(change.lines("-")) == lines
    assert list(change.lines("+")) == ["-- " + line for line in lines]


def test_link_becomes_file(repo: Repo) -> None:
    (repo.path / "link").symlink_to("target")
    repo.git("add", "link")
    repo.commit("First")
    (repo.path / "link").unlink()
    repo.write("link", "text\n")
    (file,) = staged().files
    assert (file.status, file.old_mode, file.new_mode) == ("T", "120000", "100644")


def test_object_ids_of_both_sides(repo: Repo) -> None:
    repo.commit("First", {"a": "1\n", "gone": "x\n", "c": b"\0"})
    old = {name: repo.git("rev-parse", f":{name}") for name in ("a", "gone", "c")}
    repo.write("a", "2\n")
    repo.git("rm", "-q", "gone")
    repo.write("c", b"\0\0")
    repo.write("new", "")
    new = {name: repo.git("rev-parse", f":{name}") for name in ("a", "c", "new")}
    assert {file.path: (file.old_id, file.new_id) for file in staged().files} == {
        "a": (old["a"], new["a"]),
        "gone": (old["gone"], ""),
        "c": (old["c"], new["c"]),
        "new": ("", new["new"]),
    }


def test_abbreviated_ids_of_a_foreign_patch_are_not_taken() -> None:
    patch = "diff --git a/x b/x\nindex 0123456..89abcde 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n"
    (file,) = parse_patch(patch).files
    assert (file.old_id, file.new_id, file.new_mode) == ("", "", "100644")


def test_submodule_move(repo: Repo, make_repo: object) -> None:
    inner: Repo = make_repo("inner")  # type: ignore[operator]
    first = inner.commit("One", {"a": "1"})
    second = inner.commit("Two", {"a": "2"})
    for commit in (first, second):
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},lib")
        if commit == first:
            repo.commit("Add lib")
    (file,) = staged().files
    assert file.submodule == (first, second)
    assert staged().hunks == ()


def test_temporary_index_is_honoured(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit("First", {"a": "1\n", "b": "1\n"})
    repo.write("b", "2\n")
    other = repo.path / ".git" / "other-index"
    repo.git("read-tree", "HEAD", GIT_INDEX_FILE=str(other))
    (repo.path / "a").write_text("2\n")
    repo.git("add", "a", GIT_INDEX_FILE=str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other))
    assert [file.path for file in staged().files] == ["a"]


REPORT = (
    "from gitnotes.read.git import open_git; from gitnotes.read.diff import read_staged\n"
    "for light in (True, False):\n"
    "    print('|'.join(file.path for file in read_staged(open_git(light=light)).files))\n"
)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
@pytest.mark.parametrize(
    ("options", "answer", "expected"),
    [
        (["-m", "x"], b"", "staged"),
        (["-m", "x", "-a"], b"", "staged|tracked"),
        (["-m", "x", "--", "tracked"], b"", "tracked"),
        (["-m", "x", "-i", "tracked"], b"", "staged|tracked"),
        (["-m", "x", "-p"], b"n\ny\n", "staged|tracked"),
        (["-m", "x", "--amend"], b"", "staged"),
    ],
    ids=["plain", "-a", "FILE", "-i", "-p", "--amend"],
)
@pytest.mark.parametrize("hook", ["pre-commit", "prepare-commit-msg", "commit-msg"])
def test_the_index_of_a_real_commit(
    repo: Repo, hook: str, options: list[str], answer: bytes, expected: str
) -> None:
    repo.commit("First", {"a b/other": "1\n", "tracked": "1\n"})
    script = repo.path / ".git" / "hooks" / hook
    script.parent.mkdir(exist_ok=True)
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{REPORT}" >&2\n')
    script.chmod(0o755)
    repo.write("staged", "1\n")
    (repo.path / "a b" / "other").write_text("2\n")
    if "-a" in options or "-p" in options:
        (repo.path / "a b" / "other").write_text("1\n" if "-a" in options else "2\n")
    (repo.path / "tracked").write_text("2\n")
    done = repo.run("git", "commit", "-q", *options, input=answer)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stderr.decode().splitlines() if "staged" in line or "tracked" in line] == [
        expected
    ] * 2


def test_commit_root_and_merge(repo: Repo) -> None:
    root = repo.commit("Root", {"a": "1\n"})
    repo.branch("topic")
    repo.commit("On topic", {"b": "1\n"})
    repo.switch("main")
    repo.commit("On main", {"c": "1\n"})
    merge = repo.merge("topic", "Merge topic")
    git = open_git()
    assert [file.path for file in read_commit(git, root).files] == ["a"]
    assert [file.path for file in read_commit(git, merge).files] == ["b"]


def test_amend_is_against_the_parent(repo: Repo) -> None:
    repo.commit("First", {"a": "1\n"})
    repo.commit("Second", {"b": "1\n"})
    assert [file.path for file in read_staged(open_git(), amend=True).files] == ["b"]


def test_shallow_commit_without_its_parent(repo: Repo, tmp_path: object) -> None:
    repo.commit("First", {"a": "1\n"})
    repo.commit("Second", {"b": "1\n"})
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", "../shallow")
    with pytest.raises(CannotJudge, match="--unshallow"):
        read_commit(open_git(repo.path.parent / "shallow"), "HEAD")


def test_big_and_long_content_is_capped_and_said(repo: Repo) -> None:
    repo.write("big", "x" * 1_100_000)
    repo.write("wide", "y" * 10_000 + "\n")
    change = staged()
    assert {omission.path for omission in change.omitted} == {"big", "wide"}
    assert max(len(line) for line in change.lines("+")) < MAX_LINE


def test_plain_unified_diff() -> None:
    change = parse_patch("--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@ def f():\n a\n-b\n+c\n")
    assert change.files == (FileChange("x.py", "M", added=1, removed=1),)
    assert change.hunks[0].heading == "def f():"


def test_two_plain_files() -> None:
    one = "--- {0}\n+++ {0}\n@@ -1 +1 @@\n-b\n+c\n"
    assert [file.path for file in parse_patch(one.format("x") + one.format("y")).files] == ["x", "y"]


def test_signature_of_a_mail_is_no_removed_line() -> None:
    patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n-- \n2.39.5\n"
    (file,) = parse_patch(patch).files
    assert (file.added, file.removed) == (1, 1)


def test_sections_are_the_same_wherever_the_blocks_end() -> None:
    one = b"diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -1,2 +1,3 @@\n-b\n+c\n+d\n e\n"
    data = b"".join(one.replace(b"{0}", name) for name in (b"x", b"y", b"z"))
    whole = list(split_sections([data]))
    assert b"\n".join(section.data for section in whole) == data
    assert len(whole) == 3
    for cut in range(len(data)):
        assert list(split_sections([data[:cut], data[cut:]])) == whole
    for keep in (20, 40, 70):
        for size in (1, 7, 1000):
            blocks = [data[start : start + size] for start in range(0, len(data), size)]
            for section in split_sections(blocks, keep=keep):
                added = section.data.count(b"\n+") + section.more_added
                removed = section.data.count(b"\n-") + section.more_removed
                assert (added, removed) == (3, 2)  # with the names of the header


@given(st.binary(max_size=300))
def test_any_bytes_are_survived(data: bytes) -> None:
    parse_patch(data)
    parse_patch(b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n" + data)


def test_a_patch_is_read_alike_with_its_rows_and_without(repo: Repo) -> None:
    repo.commit(
        "First", {"a": "1\n", "b c": "2\n" * 9, 'q"': "3\n", "bin": b"\0", "run": "x\n", "type": "t\n"}
    )
    repo.git("mv", "b c", "d e")
    repo.write("d e", "2\n" * 9 + "more\n")
    repo.write("a", "1\n--- a/x\n+++ b/x\n@@ -1 +1 @@\nBinary files a and b differ\n")
    repo.write('q"', "4\n")
    repo.write("bin", b"\0\1")
    repo.write("empty", "")
    repo.git("update-index", "--chmod=+x", "run")
    (repo.path / "type").unlink()
    (repo.path / "type").symlink_to("a")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
    repo.git("add", "type")
    git = open_git()
    change = read_staged(git)
    patch = repo.run("git", "diff-index", "--cached", "-p", "-M", "--full-index", "HEAD", "--").stdout
    plain = parse_patch(patch)
    assert [hunk.lines for hunk in change.hunks] == [hunk.lines for hunk in plain.hunks if hunk.path != "lib"]
    counts = {file.path: (file.status, file.added, file.removed) for file in plain.files}
    assert {file.path: (file.status, file.added, file.removed) for file in change.files} == counts
    assert counts["a"] == ("M", 4, 0) and counts["type"][0] == "T" and counts["d e"][0] == "R"
