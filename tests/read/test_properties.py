"""Does the record of any change equal what git's plumbing says of it?"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitnotes.codec import from_json, to_json
from gitnotes.read.diff import BIG_FILE, read_commit, read_staged
from gitnotes.read.git import Git, open_git
from gitnotes.records import Change

MODES = {"file": b"100644", "program": b"100755", "link": b"120000", "submodule": b"160000"}
Tree = dict[bytes, tuple[str, bytes]]

_name = st.one_of(
    st.binary(min_size=1, max_size=8).map(lambda raw: raw.translate(None, b"\0/")),
    st.sampled_from([b"a b", b'"', b"new\nline", b"tab\t", b"-p", b"\xff.py", b"back\\slash", b"b", b"a"]),
).filter(lambda name: name not in (b"", b".", b"..") and name.lower() != b".git")
_path = st.tuples(st.sampled_from([b"", b"d/", b"a b/c/"]), _name).map(b"".join)
_line = st.sampled_from(
    [
        b"",
        b"one",
        b"two",
        b"-- x",
        b"++ y",
        b"@@ -1 +1 @@",
        b"diff --git a/x b/x",
        b"\r",
        b"caf\xe9",
        b"\\ No",
    ]
)
_text = st.tuples(st.lists(_line, max_size=12), st.sampled_from([b"", b"\n"])).map(
    lambda parts: b"\n".join(parts[0]) + parts[1]
)
_content = st.one_of(_text, _text.map(lambda text: text * 20), st.binary(max_size=40))
_entry = st.tuples(st.sampled_from([*MODES, "file", "file", "file"]), _content)
_tree = st.dictionaries(_path, _entry, max_size=6)
_message = st.one_of(st.text(max_size=60).map(str.encode), st.binary(max_size=60))


def _without_clashes(tree: Tree) -> Tree:
    """No path is the folder of another one."""
    return {
        path: entry
        for path, entry in tree.items()
        if not any(other.startswith(path + b"/") for other in tree)
    }


@st.composite
def _two_trees(draw: st.DrawFn) -> tuple[Tree, Tree]:
    """A tree, and one that keeps, edits, moves, copies and drops some of it."""
    old = _without_clashes(draw(_tree))
    new = dict(draw(_tree))
    for path, (kind, content) in old.items():
        fate = draw(st.sampled_from(["keep", "edit", "move", "copy", "drop", "mode"]))
        if fate in ("keep", "copy"):
            new[path] = (kind, content)
        if fate == "edit":
            new[path] = (kind, content + b"more\n")
        if fate in ("move", "copy"):
            new[draw(_path)] = (kind, content)
        if fate == "mode":
            new[path] = (draw(st.sampled_from([*MODES])), content)
    return old, _without_clashes(new)


@contextmanager
def _repository(old: Tree, new: Tree, message: bytes) -> Iterator[Git]:
    """A bare repository with two commits; what the second has is also in the index."""
    stream = bytearray()
    for tree in (old, new):
        stream += b"commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\n"
        stream += b"data %d\n%s\ndeleteall\n" % (len(message), message)
        for number, (path, (kind, content)) in enumerate(tree.items()):
            quoted = b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"'
            if kind == "submodule":
                identity = b"%040x" % (1 + number + len(content))
                stream += b"M 160000 %s %s\n" % (identity, quoted)
            else:
                stream += b"M %s inline %s\ndata %d\n%s\n" % (MODES[kind], quoted, len(content), content)
    with tempfile.TemporaryDirectory() as folder:
        for command, data in (
            (["git", "init", "-q", "--bare", "--initial-branch=main", folder], b""),
            (["git", f"--git-dir={folder}", "fast-import", "--quiet"], bytes(stream)),
            (["git", f"--git-dir={folder}", "read-tree", "main"], b""),
        ):
            subprocess.run(command, input=data, check=True, capture_output=True)
        yield open_git(Path(folder), light=True)


def _raw(git: Git, *trees: str) -> set[tuple[object, ...]]:
    fields = iter(
        git.run("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "-M", "-l1000", *trees).split(b"\0")
    )
    rows: set[tuple[object, ...]] = set()
    for field in fields:
        if field:
            old_mode, new_mode, old_id, new_id, status = field[1:].decode().split(" ")
            old = next(fields) if status[0] in "RC" else None
            rows.add((status[0], old, next(fields), old_mode, new_mode, old_id, new_id, status[1:]))
    return rows


def _record_rows(change: Change) -> set[tuple[object, ...]]:
    zeros = "0" * 40
    return {
        (
            file.status,
            None if file.old_path is None else os.fsencode(file.old_path),
            os.fsencode(file.path),
            file.old_mode or "000000",
            file.new_mode or "000000",
            file.old_id or zeros,
            file.new_id or zeros,
            "" if file.similarity is None else f"{file.similarity:03}",
        )
        for file in change.files
    }


def _counts(git: Git, *trees: str) -> dict[bytes, tuple[int | None, int | None]]:
    output = git.run(
        *("-c", f"core.bigFileThreshold={BIG_FILE}", "diff-tree", "-r", "-z", "--numstat", "-M", "-l1000"),
        *("--diff-algorithm=histogram", *trees),
    )
    fields = iter(output.split(b"\0"))
    found: dict[bytes, tuple[int | None, int | None]] = {}
    for field in fields:
        if field:
            added, removed, path = field.split(b"\t", 2)
            if not path:
                next(fields)
                path = next(fields)
            found[path] = (None, None) if added == b"-" else (int(added), int(removed))
    return found


def _apply(old: bytes, change: Change, path: str) -> str:
    """The new content: the old one with the hunks of `path` applied to it."""
    lines = old.decode("utf-8", "replace").split("\n")
    result: list[str] = []
    position = 0
    ends_with_newline = True
    for hunk in change.hunks_of(path):
        start = hunk.old_start - (1 if hunk.old_count else 0)
        result += lines[position:start]
        position = start + hunk.old_count
        body = [line for line in hunk.lines if line[:1] in " +"]
        assert len(body) == hunk.new_count
        assert [line[1:] for line in hunk.lines if line[:1] in " -"] == lines[start:position]
        result += [line[1:] for line in body]
        signs = [line[:1] for line in hunk.lines]
        ends_with_newline = not (signs[-1] == "\\" and signs[-2] in " +")
    rest = lines[position:]
    if rest and rest != [""]:
        return "\n".join(result + rest)
    return "\n".join(result) + ("\n" if ends_with_newline and result else "")


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(trees=_two_trees(), message=_message)
def test_record_equals_the_plumbing(trees: tuple[Tree, Tree], message: bytes) -> None:
    message = message.replace(b"\0", b"")
    with _repository(*trees, message) as git:
        change = read_commit(git, "main")
        assert _record_rows(change) == _raw(git, "main^", "main")
        binary = {item.path for item in change.omitted if item.reason.startswith("binary")}
        for path, (added, removed) in _counts(git, "main^", "main").items():
            file = next(file for file in change.files if os.fsencode(file.path) == path)
            if file.submodule is not None:
                continue
            if file.status == "T":
                # The patch removes one thing and adds another; the numbers compare both as text.
                signs = [line[:1] for hunk in change.hunks_of(file.path) for line in hunk.lines]
                ours = (None, None) if file.path in binary else (signs.count("+"), signs.count("-"))
                assert (file.added, file.removed) == ours
            elif file.old_id == file.new_id:
                assert (file.added, file.removed) == (0, 0)
            else:
                assert (file.added, file.removed) == (added, removed)
        for file in change.files:
            if file.submodule or file.status in "TD" or file.path in binary or file.old_id == file.new_id:
                continue
            blobs = git.blobs([file.old_id, file.new_id], limit=BIG_FILE)
            new = blobs[file.new_id].decode("utf-8", "replace")
            assert _apply(blobs.get(file.old_id, b""), change, file.path) == new
        data = json.dumps(to_json(change))
        assert from_json(Change, json.loads(data)) == change


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(trees=_two_trees())
def test_the_index_is_read_as_the_commit_that_it_becomes(trees: tuple[Tree, Tree]) -> None:
    with _repository(*trees, b"message") as git:
        committed = read_commit(git, "main")
        amended = read_staged(git, amend=True)
        assert (amended.files, amended.hunks, amended.omitted) == (
            committed.files,
            committed.hunks,
            committed.omitted,
        )
        assert amended.target == "index"
