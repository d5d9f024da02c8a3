from __future__ import annotations

import json

import pytest

from gitnotes.codec import from_json, to_json
from gitnotes.records import (
    Change,
    Commit,
    CommitTree,
    FileChange,
    Finding,
    Grade,
    Hunk,
    Match,
    Omission,
    Score,
    Signature,
)

SIGNATURE = Signature("log-mnext", "0.1.0", {"alpha": "0.85", "stem": "porter"})
CHANGE = Change(
    "base",
    "index",
    (
        FileChange("caf\udce9", "R", "old", 1, 2, "100644", "100755", 90),
        FileChange("lib", "M", submodule=("a" * 40, "b" * 40)),
    ),
    (Hunk("a", 1, 2, 3, 4, "def f():", ("+x", "-\x1b")),),
    (Omission("big", "binary"),),
)


@pytest.mark.parametrize(
    "record",
    [
        CHANGE,
        CommitTree(None, "v1", (Commit("a", ("b",), "A", "a@b", 1, "s", "b", (("K", "v"),), CHANGE.files),)),
        Grade(None, {"why": None, "form": 3.5}, (Finding("r", "error", "m", "x", 2),), SIGNATURE),
        Score(0.5, SIGNATURE, matches=(Match(0, 1, "stem"),), prediction=("a",)),
    ],
    ids=lambda record: type(record).__name__,
)
def test_json_round_trip_is_exact(record: object) -> None:
    assert from_json(type(record), json.loads(json.dumps(to_json(record)))) == record


@pytest.mark.parametrize(
    "data",
    [
        [],
        {"nothing": 1},
        {"base": "b"},
        {"base": 1, "target": "t"},
        {"base": "b", "target": "t", "files": {}},
        {"base": "b", "target": "t", "files": [{"path": "p", "status": "X"}]},
        {"base": "b", "target": "t", "files": [{"path": "p", "status": "M", "submodule": ["a"]}]},
    ],
)
def test_json_of_another_shape_is_refused(data: object) -> None:
    with pytest.raises(ValueError):
        from_json(Change, data)


def test_signature_is_one_line() -> None:
    assert str(SIGNATURE) == "log-mnext|alpha:0.85|stem:porter|version:0.1.0"


def _commit(sha: str, *parents: str) -> Commit:
    return Commit(sha, parents, "A", "a@b", 0, sha, "")


def test_a_commit_belongs_to_the_oldest_merge_that_reaches_it() -> None:
    tree = CommitTree(
        None,
        "m2",
        (
            _commit("m2", "m1", "t2"),
            _commit("t2", "t1"),
            _commit("m1", "a", "t1"),
            _commit("t1", "a"),
            _commit("a"),
        ),
    )
    assert [commit.sha for commit in tree.first_parent_line()] == ["m2", "m1", "a"]
    found = {merge: [commit.sha for commit in mine] for merge, mine in tree.brought_in().items()}
    assert found == {"m1": ["t1"], "m2": ["t2"]}
