"""The bench of release notes: metrics as the paper's code has them, lists to beat, files as they come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rouge")
pytest.importorskip("rouge_score")
pytest.importorskip("rapidfuzz")

from bench.release import grade_facts, notes, releaseeval, tools
from bench.release.__main__ import main
from bench.release.echoes import ECHOES
from bench.release.measures import paper_scores, word_tokens
from bench.release.texts import read_items, shown_text
from gitnotes.records import Commit, CommitTree
from tests.conftest import Repo

TREE = (
    "* 1111111 chore(release): 1.1.0 [skip ci]\n"
    "*   2222222 Merge pull request #7 from ada/timeout\n"
    "|\\  \n"
    "| * 3333333 feat: add a timeout\n"
    "|/  \n"
    "* 4444444 fix(core): repair the lock (#5)\n"
    "* 5555555 docs: say how to start\n"
)
NOTE = "Bug Fixes\ncore: repair the lock () (4444444)\nFeatures\nadd a timeout (3333333)"


def row(**changed: Any) -> dict[str, Any]:
    """A version pair with a merge that has a body."""
    commits = [
        {
            "sha": "d",
            "parents": ["c", "b"],
            "subject": "Merge pull request #2 from x/y",
            "merge_body": "Add it",
        },
        {"sha": "b", "parents": ["a"], "subject": "work"},
        {"sha": "c", "parents": ["a"], "subject": "docs: say it"},
        {"sha": "a", "parents": ["z"], "subject": "Fix the lock (#1)"},
    ]
    made = {
        "repo": "o/p",
        "from": "v1",
        "to": "v2",
        "commits": commits,
        "note": "- Fix the lock (#1)\n- Add it.",
    }
    return {**made, **changed}


def write(path: Path, *rows: object) -> str:
    path.write_text("".join(json.dumps(item) + "\n" for item in rows), "utf-8")
    return str(path)


def test_scores_are_those_of_the_packages() -> None:
    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu
    from rouge import Rouge  # type: ignore[import-untyped]

    ours, theirs = "Fix the lock.\nAdd a timeout (#7)", "Bug fixes\nfix a lock\nadd the timeout"
    words, wanted = word_tokens(ours), word_tokens(theirs)
    assert words == ["fix", "the", "lock", ".", "add", "a", "timeout", "(", "#", "7", ")"]
    found = paper_scores(ours, theirs)
    assert found["bleu-4"] == pytest.approx(
        100 * corpus_bleu([[wanted]], [words], smoothing_function=SmoothingFunction().method3)
    )
    assert found["rouge-l"] == pytest.approx(
        100 * Rouge().get_scores(" ".join(words), " ".join(wanted))[0]["rouge-l"]["f"]
    )
    assert 0 < found["meteor"] < 100
    assert paper_scores(theirs, theirs)["meteor"] > 99
    assert set(paper_scores("", theirs).values()) == {0.0}
    assert paper_scores(". . .", theirs)["rouge-l"] == 0.0


def test_long_texts_do_not_exhaust_the_recursion() -> None:
    words = " ".join(f"word{number}" for number in range(600))
    assert paper_scores(words, words)["rouge-l"] == pytest.approx(100, abs=0.01)


def test_a_note_is_shown_as_the_references_are() -> None:
    note = (
        "## What's Changed\n\n* **core:** Fix `x` ([#5](https://h/5), [#6](https://h/6)) \\<b>\n\n"
        "| Type | Description | Link |\n| --- | --- | --- |\n| Fix | One \U0001f600 | [#1](https://h/1) |"
    )
    assert shown_text(note) == "What's Changed\ncore: Fix x () <b>\nType\nDescription\nLink\nFix\nOne"


def test_items_of_a_note() -> None:
    note = (
        "Released 2024-05-01\n\n-   Fix the lock, see :pr:`12` and\n    `the page <https://h>`__. (#13)\n"
        "-   Add it. [#14](https://h/pull/14)\n\nVersion 2\n---------\n"
    )
    items = read_items(note)
    assert [item.text for item in items] == [
        "Released 2024-05-01",
        "Fix the lock, see 12 and the page.",
        "Add it.",
        "Version 2",
    ]
    assert [sorted(item.numbers) for item in items] == [[], ["12", "13"], ["14"], []]
    assert [item.is_entry for item in items] == [False, True, True, False]


def test_the_lists_to_beat() -> None:
    pair = CommitTree(
        "v1",
        "v2",
        tuple(
            Commit(
                item["sha"], tuple(item["parents"]), "", "", 0, item["subject"], item.get("merge_body", "")
            )
            for item in row()["commits"]
        ),
    )
    assert ECHOES["flat"](pair) == ["work", "docs: say it", "Fix the lock (#1)"]
    assert ECHOES["tree"](pair) == ["Add it", "docs: say it", "Fix the lock (#1)"]
    assert ECHOES["tree-filtered"](pair) == ["Add it", "Fix the lock (#1)"]


def test_releaseeval_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "rows.jsonl", {"input": TREE, "note": NOTE})
    assert main(["--releaseeval", path, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == 1
    assert {name: found[name] for name in ("bleu-4", "rouge-l", "meteor")} == found["systems"]["gitnotes"]
    assert found["bleu-4"] > found["systems"]["echo"]["bleu-4"] > 0
    assert main(["--releaseeval", path]) == 0
    assert "echo" in capsys.readouterr().out


def test_messages_without_a_tree() -> None:
    tree = releaseeval.read_input(
        "Fix the lock\nAdd a timeout\n\n"
        "It was needed wherever nobody waits for an answer any more,\nas said before.\n"
        "Say how to start"
    )
    assert [commit.subject for commit in tree.commits] == [
        "Fix the lock",
        "Add a timeout",
        "Say how to start",
    ]


def test_version_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "pairs.jsonl", row(), row(**{"from": "v2", "to": "v3"}))
    assert main(["--notes", path, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == 2
    assert list(found["systems"]) == ["gitnotes", "flat", "tree", "tree-filtered", "tree-bodies"]
    assert found["systems"]["gitnotes"]["told"] == 100.0
    assert found["systems"]["gitnotes"]["mnext"] > found["systems"]["flat"]["mnext"]
    assert any("--repos was not given" in line for line in found["skipped"])
    assert found["accounted"] == 100.0
    assert found["invented"] == []


def test_what_no_commit_says_is_invented() -> None:
    tree = releaseeval.read_input("Fix it for @ada (#5), see https://h/a")
    said = "- Fix it for @ada ([#5](https://h/a))"
    assert notes.invented(said, tree) == []
    assert notes.invented(f"{said} by @bob in #6, https://h/b", tree) == ["@bob", "#6", "https://h/b"]


def test_the_voice_comes_from_earlier_notes_alone(tmp_path: Path) -> None:
    pairs = notes.read_pairs(
        Path(write(tmp_path / "p.jsonl", row(), row(to="v3"), row(repo="o/q", note="- Other")))
    )
    assert [[version for version, _ in pair.earlier] for pair in pairs] == [[], ["v2"], []]


@pytest.mark.parametrize("option", ["--releaseeval", "--notes"])
@pytest.mark.parametrize("text", ["{}\n", "no json\n", '{"input": 1, "note": 2}\n', "", "[1]\n"])
def test_files_that_are_none(
    option: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(text, "utf-8")
    assert main([option, str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 2
    assert main([option, str(tmp_path / "absent")]) == 2


def test_tools_that_are_not_here_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [line.split(":")[0] for line in tools.missing()] == list(tools.TOOLS)
    found = notes.measure(Path(write(tmp_path / "p.jsonl", row())), tmp_path)
    assert found["tools"] == {}
    assert any("none of the programs is here" in line for line in found["skipped"])


def test_one_section_of_what_a_tool_writes() -> None:
    text = "#  (2026)\n\n# [1.1.0](c) (2025)\n\n### Fixes\n\n* a 1.0\n\n## [1.0.0](c)\n\n* old\n"
    assert tools.section_of(text, "v1.1.0") == "# [1.1.0](c) (2025)\n\n### Fixes\n\n* a 1.0\n\n"
    assert tools.section_of(text, "1.0.0") == "## [1.0.0](c)\n\n* old\n"
    assert tools.section_of(text, "v3.0.0") == text


# grade_facts


def long_row(repo: str, words: str, first: int) -> dict[str, Any]:
    commits = [
        {
            "sha": f"{repo}{at}",
            "parents": [f"{repo}{at - 1}"],
            "subject": f"{verb} the {words} of part{at} (#{at})",
        }
        for at, verb in enumerate(
            ["Add", "Fix", "Add", "Fix", "Add", "Fix", "Add", "Fix", "Add", "Fix"], first
        )
    ]
    return row(repo=repo, commits=commits[::-1])


def test_each_way_of_spoiling_a_note_moves_its_own_dimension(tmp_path: Path) -> None:
    path = Path(
        write(tmp_path / "n.jsonl", long_row("o/p", "green door", 10), long_row("q/r", "wooden ceiling", 50))
    )
    found = grade_facts.measure(notes.read_pairs(path))
    assert found["notes"] == 2
    for way, values in found["ways"].items():
        assert values["right"] == 1.0, way
    assert main(["--grade-facts", str(path)]) == 0


def test_human_scores_that_follow_the_texts_would_be_seen(tmp_path: Path, capsys: Any) -> None:
    lines = ["predict,ground_truth,Completeness,Clarity,Conciseness,Organisation"]
    words = [f"w{at}" for at in range(9)]
    for at in range(1, 6):
        lines.append(f"{' '.join(words[:at])},{' '.join(words)},{at},3,{6 - at},{at % 2}")
    path = tmp_path / "scored.csv"
    path.write_text("\n".join(lines))
    found = grade_facts.weigh_human(path)
    assert found["rows"] == 5
    assert found["spearman"]["Completeness"]["rouge-l"] == pytest.approx(1.0)
    assert found["spearman"]["Conciseness"]["rouge-l"] == pytest.approx(-1.0)
    assert found["spearman"]["Clarity"]["rouge-l"] is None
    assert main(["--human", str(path)]) == 0
    assert "Spearman" in capsys.readouterr().out
    assert main(["--human", str(tmp_path / "missing.csv")]) == 2


# speed


def test_programs_are_timed_side_by_side_in_one_clone(repo: Repo) -> None:
    from bench.release import speed

    repo.commit("Begin", {"a.py": "1\n"})
    repo.tag("v1")
    repo.commit("Add a door", {"a.py": "2\n"})
    repo.tag("v2")
    timings = {one.name: one for one in speed.measure(repo.path, "v1..v2", runs=1)}
    assert {"git log", "gitnotes"} <= set(timings)
    assert not timings["gitnotes"].failed and len(timings["gitnotes"].seconds) == 1
    assert timings["gitnotes"].megabytes > 5 and timings["gitnotes"].worked[0] > 0
    assert "median s" in speed.table(list(timings.values()))
    broken = {one.name: one for one in speed.measure(repo.path, "v1..nothing", runs=1)}
    assert broken["gitnotes"].failed and not broken["gitnotes"].seconds


def test_every_commit_of_the_last_versions_is_counted(repo: Repo, capsys: Any) -> None:
    from bench.release import accounted

    for number in range(3):
        repo.commit(f"feat: add part {number}", {f"part{number}.py": "1\n"})
        repo.commit("Merge nothing")
        repo.tag(f"v1.{number}.0")
    assert accounted.main([str(repo.path)]) == 0
    assert capsys.readouterr().out == "4 ranges: 8 of 8 commits are in exactly one place\n"
