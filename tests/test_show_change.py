"""Does `gitnotes show-change` show what was seen, and say what was not?"""

from __future__ import annotations

from typing import Any

from gitnotes.codec import from_json
from gitnotes.read.diff import read_commit, read_staged
from gitnotes.read.git import open_git
from gitnotes.records import Change, DefinitionChange, DependencyChange, FileChange, SubmoduleMove
from gitnotes.show.changes import change_text
from tests.conftest import Repo
from tests.test_cli import assert_sentence, run


def _history(repo: Repo) -> None:
    repo.commit("First", {"old name.py": "line\n" * 20, "run.sh": "x\n"})
    repo.git("mv", "old name.py", "new name.py")
    repo.write("new name.py", "line\n" * 20 + "more\n")
    repo.write("pic", b"\0" * 2000)
    repo.git("update-index", "--chmod=+x", "run.sh")


def test_staged_change_as_text(repo: Repo) -> None:
    _history(repo)
    base = repo.git("rev-parse", "HEAD")[:12]
    for options in ([], ["--staged"]):
        result = run("show-change", *options)
        assert (result.code, result.err) == (0, "")
        assert result.out.splitlines() == [
            f"the staged change against {base}: 3 files, +1 -0",
            "  R old name.py -> new name.py  95% the same, +1 -0",
            "  A pic  lines not counted, 2,000 bytes",
            "  M run.sh  mode 100644 -> 100755, +0 -0",
            "  left out",
            "    pic: binary (2.0 kB)",
        ]


def test_tree_on_a_terminal(repo: Repo) -> None:
    _history(repo)
    out = run("show-change", FORCE_COLOR="1").out
    assert "├── " in out and "\x1b[36mR old name.py -> new name.py" in out


def test_json_is_the_record(repo: Repo) -> None:
    _history(repo)
    commit = repo.commit("Second")
    found: dict[str, Any] = run("show-change", "HEAD", "--json").json()
    assert (found.pop("schema"), found.pop("kind")) == (1, "change")
    change = from_json(Change, found)
    plain = read_commit(open_git(), commit)
    assert (change.files, change.hunks, change.target) == (plain.files, plain.hunks, commit)


def test_definitions_and_dependencies_are_shown(repo: Repo) -> None:
    repo.commit("First", {"requirements.txt": "requests==1.0\n", "a.py": "def one():\n    return 1\n"})
    repo.commit(
        "Second",
        {
            "requirements.txt": "requests==2.0\n",
            "a.py": "def one():\n    return 1\n\n\ndef fetch(url):\n    return url\n",
        },
    )
    found = run("show-change", "HEAD", "--json").json()
    assert [(item["action"], item["name"]) for item in found["definitions"]] == [("added", "fetch")]
    assert [(item["name"], item["old"], item["new"]) for item in found["dependencies"]] == [
        ("requests", "1.0", "2.0")
    ]
    out = run("show-change", "HEAD").out
    assert "    added function fetch\n" in out
    assert "    requests 1.0 -> 2.0 in requirements.txt\n" in out


def test_copies_on_demand(repo: Repo) -> None:
    repo.commit("First", {"a": "line\n" * 20})
    repo.write("a", "line\n" * 20 + "more\n")
    repo.write("b", "line\n" * 20)
    assert "  A b  +20 -0\n" in run("show-change").out
    assert "  C a -> b  100% the same, +0 -0\n" in run("show-change", "--copies").out


def test_submodule_with_its_subjects(repo: Repo, make_repo: object) -> None:
    inner: Repo = make_repo("inner")  # type: ignore[operator]
    commits = [inner.commit(f"Subject {number}\x1b[31m", {"a": f"{number}"}) for number in range(2)]
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "lib")
    repo.git("-C", "lib", "checkout", "-q", commits[0])
    repo.git("add", "-A")
    repo.commit("Add lib")
    repo.git("-C", "lib", "checkout", "-q", commits[1])
    repo.git("add", "-A")
    out = run("show-change").out
    assert f"lib moved from {commits[0][:12]} to {commits[1][:12]}\n      Subject 1^[[31m\n" in out


def test_nothing_staged_is_an_answer(repo: Repo) -> None:
    repo.commit("First", {"a": "1\n"})
    result = run("show-change")
    assert result.code == 0
    assert result.out.endswith(": nothing\n")
    assert run("show-change", "--json").json()["files"] == []


def test_errors_are_one_sentence(repo: Repo) -> None:
    assert_sentence(run("show-change", "HEAD", "--staged"), 2)
    assert_sentence(run("show-change", "nothing"), 3)
    assert_sentence(run("show-change", "HEAD"), 3)


def test_nothing_hostile_reaches_the_terminal() -> None:
    bad = "x\x1b[2J\n\u202e\udce9"
    definition = DefinitionChange("renamed", "function", bad, bad, 1, bad, bad, bad, (bad,), (bad,), bad)
    change = Change(
        "b" * 40,
        "index",
        (FileChange(bad, "R", bad, 1, 1, similarity=90),),
        definitions=(definition,),
        dependencies=(DependencyChange(bad, bad, bad, bad, tool=bad),),
        submodules=(SubmoduleMove(bad, "1" * 40, "2" * 40, (bad,), reason=bad),),
    )
    text = change_text(change)
    assert not set(text) & set("\x1b\u202e\udce9")
    assert text.count("\n") == 8


def test_json_of_a_wide_change_reads_back(repo: Repo) -> None:
    for number in range(2600):
        (repo.path / f"f{number}").write_text(f"line {number}\n")
    repo.git("add", "-A")
    result = run("show-change", "--json")
    found: dict[str, Any] = result.json()
    assert (found.pop("schema"), found.pop("kind")) == (1, "change")
    assert from_json(Change, found).files == read_staged(open_git()).files
    assert len(found["hunks"]) == 2600
    assert result.out.count("\n") < 6000  # a record a line
