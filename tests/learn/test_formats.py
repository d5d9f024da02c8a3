"""Are the public sets read by their fields, and is what is damaged in them told?"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

pytest.importorskip("detect_secrets")

from gitnotes.errors import InputError, UsageError
from gitnotes.learn.formats import Row, read_public, untokenise
from gitnotes.recipes.collecting import Wanted, collect_file

PATCH = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@ def read\n-x = 1\n+x = 2\n"


def rows_of(path: Path) -> list[Row]:
    found = list(read_public(path))
    assert all(isinstance(row, Row) for row in found), found
    return [row for row in found if isinstance(row, Row)]


def test_nngen(tmp_path: Path) -> None:
    (tmp_path / "cleaned.valid.diff").write_text(
        "mmm a / pom . xml <nl> ppp b / pom . xml <nl> + < b / > <nl>\n"
    )
    (tmp_path / "cleaned.valid.msg").write_text("Remove module from pom . xml\n")
    for name in ("cleaned.valid.diff", "cleaned.valid.msg"):
        (row,) = rows_of(tmp_path / name)
        assert row.message == "Remove module from pom.xml" and row.split == "valid"
        assert row.patch.split("\n")[0] == "mmm a/pom.xml"
    (found,) = collect_file(tmp_path / "cleaned.valid.diff", Wanted()).examples
    assert "pom.xml" in found.change and found.repository == "cleaned.valid.diff"


def test_mcmd(tmp_path: Path) -> None:
    for name, text in {"diff": "a <nl> b", "msg": "Add it", "repo": "o/r", "sha": "12ab", "time": ""}.items():
        (tmp_path / f"train.{name}.txt").write_text(text + "\n")
    (row,) = rows_of(tmp_path / "train.diff.txt")
    assert row == Row("12ab", "o/r", 0, "Add it", "a\nb", split="train")


def test_a_half_of_a_pair(tmp_path: Path) -> None:
    (tmp_path / "train.diff").write_text("a\n")
    with pytest.raises(InputError, match=r"train\.msg"):
        list(read_public(tmp_path / "train.diff"))


def test_commitbench(tmp_path: Path) -> None:
    path = tmp_path / "commitbench.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["hash", "diff", "message", "project", "split", "diff_languages"])
        writer.writerow(["1f", PATCH, "Set x to 2\n\nIt was 1.", "o/r", "test", "py"])
        writer.writerow(["2f", PATCH, " ", "o/r", "train", "py"])
    found = collect_file(path, Wanted())
    (example,) = found.examples
    assert example.message == "Set x to 2" and example.split == "test" and "+x = 2" in example.change
    assert found.dropped == {"empty rows": 1}


def test_commitchronicle(tmp_path: Path) -> None:
    mods = [
        {
            "change_type": "MODIFY",
            "old_path": "a.py",
            "new_path": "a.py",
            "diff": "@@ -1 +1 @@\n-x = 1\n+x = 2",
        },
        {"change_type": "ADD", "old_path": None, "new_path": "b.py", "diff": "@@ -0,0 +1 @@\n+y = 1\n"},
        {"change_type": "RENAME", "old_path": "c.py", "new_path": "d.py", "diff": ""},
    ]
    row = {
        "hash": "1f", "repo": "o/r", "date": "31.12.2020 23:59:59", "message": "set x", "mods": mods,
        "original_message": "Set x to 2", "license": "MIT", "author": 7,
    }  # fmt: skip
    path = tmp_path / "train.jsonl"
    path.write_text(json.dumps(row) + "\n" + json.dumps({**row, "mods": 3}) + "\n")
    found = collect_file(path, Wanted())
    (example,) = found.examples
    assert (example.message, example.licence, example.time) == ("Set x to 2", "MIT", 1609459199)
    for part in ("modified a.py +1 -1", "added b.py", "d.py from c.py", "+y = 1"):
        assert part in example.change
    assert found.dropped == {"rows with fields of another kind": 1}


def test_releaseeval(tmp_path: Path) -> None:
    path = tmp_path / "train.csv"
    path.write_text('commits,release\n"* 5a9c7a17 Fix it\n* 2c0a3559 Add it","Fixes\n- it"\n')
    (example,) = collect_file(path, Wanted()).examples
    assert example.kind == "note" and example.message == "Fixes\n- it" and "5a9c7a17" in example.change
    told = [{"instruction": "Write", "input": "* 1 Fix it", "output": "Fixes it"}, {"instruction": 1}, 3]
    (tmp_path / "t.json").write_text(json.dumps(told))
    found = collect_file(tmp_path / "t.json", Wanted())
    assert [item.message for item in found.examples] == ["Fixes it"] and sum(found.dropped.values()) == 2


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.csv", "one,two\n1,2\n", UsageError),
        ("a.json", "{}", InputError),
        ("a.json", "[", InputError),
        ("a.json", '[{"a": 1}]', UsageError),
        ("a.xyz", "", UsageError),
    ],
)
def test_what_is_no_set(name: str, content: str, problem: type[Exception], tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(problem):
        list(read_public(tmp_path / name))


def test_hostile_rows_are_counted_and_left_out(tmp_path: Path) -> None:
    rows: list[object] = [
        {"message": None, "diff": None},
        {"message": {}, "diff": []},
        {"message": "Fix \ud800 it", "diff": "--- a\n+++ b\n@@ -1 +1 @@\n-\x00\n+\ud800\n"},
        {
            "message": "Fix it",
            "diff": "diff --git a/\x1b]0;x\x07 b/y\n@@ -1,99999999999999999999 +1 @@\n+a\n",
        },
        {"message": "Fix it", "diff": "x", "split": {"a": 1}, "hash": [1], "project": None},
        ["a"],
    ]
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"message": "a", "message": "b"}\n')
    found = collect_file(path, Wanted())
    assert len(found.examples) == 3
    assert found.dropped == {"rows with fields of another kind": 2, "rows that cannot be read (not-json)": 2}
    assert not any("\x1b" in item.change for item in found.examples)


def test_a_list_of_changes_that_is_nested_too_deeply(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({"hash": "h", "message": "Fix it", "mods": "[" * 100_000}) + "\n")
    assert list(read_public(path)) == ["rows with fields of another kind"]


def test_secrets_in_a_set_are_masked(tmp_path: Path) -> None:
    token = "gh" + "p_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d"
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"message": f"Add {token}", "diff": f"no patch {token}"}))
    (example,) = collect_file(path, Wanted()).examples
    assert token not in example.message + example.change


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Updated FML , should fix it .", "Updated FML, should fix it."),
        ("a / b / c_d . py", "a/b/c_d.py"),
        ("call ( x )", "call (x)"),
        ("plain words", "plain words"),
    ],
)
def test_untokenise(text: str, plain: str) -> None:
    assert untokenise(text) == plain
