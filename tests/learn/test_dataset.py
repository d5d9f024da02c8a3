"""Is what is learned from a person's, in order of time, apart from what is held out, and free of secrets?"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("detect_secrets")

from gitnotes.config import load_settings
from gitnotes.draft.models.short import pick_similar
from gitnotes.errors import CannotJudge, InputError, UsageError
from gitnotes.learn.dataset import (
    LEAST,
    MOST_FILES,
    Example,
    check_size,
    day_of,
    split_by_time,
    target_of,
    why_unfit,
)
from gitnotes.learn.licences import is_permissive, name_licences
from gitnotes.learn.near import drop_near_duplicates
from gitnotes.learn.past import Past
from gitnotes.read.git import open_git
from gitnotes.recipes.cases import read_cases
from gitnotes.recipes.collecting import Wanted
from gitnotes.recipes.learning import check_place, load_dataset, make_dataset, save_dataset
from gitnotes.records import Change, Commit, FileChange
from gitnotes.show.learning import report_text
from tests.conftest import Repo

TOKEN = "gh" + "p_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d"
PARTS = ("parser", "reader", "writer", "cache", "server", "client", "router", "loader")
ALL = Wanted(min_grade=0)
VERBS = ("Add", "Remove", "Rename", "Split", "Speed up", "Document", "Test", "Simplify")


def grow(repo: Repo, count: int) -> None:
    """Commits that each change another function of a small project, in words of their own."""
    for number in range(count):
        part, verb = PARTS[number % 8], VERBS[number // 8 % 8]
        body = f"def {part}_{number}(value_{number}):\n    return check_{number}(value_{number}) + {number}\n"
        repo.commit(f"{verb} the {part} of step {number}", {f"src/{part}{number // 8}.py": body})


def example(**given: object) -> Example:
    known: dict[str, object] = {"repository": "r", "id": "1", "time": 1, "message": "Add it", "change": "x"}
    return Example(**{**known, **given})  # type: ignore[arg-type]


def commit_of(subject: str, author: str = "Ada", body: str = "") -> Commit:
    return Commit("0" * 40, (), author, "ada@example.org", 1, subject, body)


CHANGE = Change("", "", (FileChange("a.py", "M", added=2, removed=1),))


@pytest.mark.parametrize(
    ("subject", "author", "reason"),
    [
        ("Add a parser for lines", "Ada", ""),
        ("パーサーを追加する", "Ada", ""),
        ("Bump six from 1.0 to 2.0", "dependabot[bot]", "bots"),
        ('Revert "Add a parser"', "Ada", "git"),
        ("fixup! Add a parser", "Ada", "git"),
        ("Merge branch 'main' into x", "Ada", "merges"),
        ("Update", "Ada", "two words"),
        ("Add " + "very " * 40 + "much", "Ada", "characters"),
    ],
)
def test_what_teaches_nothing(subject: str, author: str, reason: str) -> None:
    found = why_unfit(commit_of(subject, author), CHANGE)
    assert reason in found if reason else found == ""


def test_giant_and_empty_changes_teach_nothing() -> None:
    many = Change("", "", tuple(FileChange(f"{n}.py", "A", added=1) for n in range(MOST_FILES + 1)))
    long = Change("", "", (FileChange("a.py", "A", added=6000, removed=0),))
    for change in (many, long):
        assert "more than" in why_unfit(commit_of("Add the vendored parser"), change)
    assert why_unfit(commit_of("Add the parser"), Change("", "")) == "no changed file"


def test_answers_leave_trailers_out() -> None:
    commit = commit_of("Add it", body="It was missing.\n\nSigned-off-by: Ada <ada@example.org>")
    assert target_of(commit, body=False) == "Add it"
    assert target_of(commit, body=True) == "Add it\n\nIt was missing."


def test_each_repository_is_split_by_time() -> None:
    examples = [example(repository=name, time=100 - n, id=str(n)) for name in "ab" for n in range(20)]
    found = split_by_time(examples)
    for name in "ab":
        mine = [item for item in found if item.repository == name]
        assert Counter(item.split for item in mine) == {"train": 16, "valid": 2, "test": 2}
        latest = {split: max(i.time for i in mine if i.split == split) for split in ("train", "valid")}
        earliest = {split: min(i.time for i in mine if i.split == split) for split in ("valid", "test")}
        assert latest["train"] < earliest["valid"] and latest["valid"] < earliest["test"]


def test_near_duplicates_of_what_is_held_out_go() -> None:
    words = [f"word{n}" for n in range(40)]
    held = example(split="test", message="Add the parser", change=" ".join(words))
    near = example(message="Add the parser", change=" ".join([*words[:-1], "other"]))
    far = example(message="Add the parser", change=" ".join(f"thing{n}" for n in range(40)))
    valid = example(split="valid", message="Add the parser", change=" ".join(words))
    kept, dropped = drop_near_duplicates([near, far, valid, held])
    assert kept == [far, held] and dropped == 2


def test_earlier_changes_are_found_by_their_rare_words() -> None:
    past = Past()
    assert past.nearest(Counter(["parse"])) == []
    for number in range(10):
        past.add(Counter(["common", f"rare{number}"]), f"Subject {number}", "Ada <ada@example.org>")
    found = past.nearest(Counter(["common", "rare3"]))
    assert found[0].subject == "Subject 3" and 0.9 < found[0].words <= 1.0
    # What all have in common says nothing; the newest follow whatever their words.
    assert [item.subject for item in found[1:]] == [f"Subject {number}" for number in (9, 8, 7, 6, 5)]
    assert all(item.words == 0 for item in found[1:])


def test_licences_are_told_by_their_words() -> None:
    mit = "Permission is hereby granted, free of charge, to any person\nobtaining a copy of this"
    free = "This is free and unencumbered software released into the public domain."
    assert name_licences({"LICENSE-MIT": mit, "UNLICENSE": free}) == "MIT OR Unlicense"
    assert (
        name_licences({"LICENSE": "                 Apache License\n           Version 2.0"}) == "Apache-2.0"
    )
    assert name_licences({"COPYING": "GNU GENERAL PUBLIC LICENSE"}) == "GPL"
    assert name_licences({"LICENSE": "All rights reserved."}) == ""
    assert is_permissive("GPL OR MIT") and not is_permissive("GPL") and not is_permissive("")


def test_a_history_becomes_a_data_set(repo: Repo, tmp_path: Path) -> None:
    repo.write("LICENSE", "Permission is hereby granted, free of charge, to any person obtaining a copy")
    grow(repo, 70)
    repo.commit("Bump six", {"r.txt": "six==2\n"}, "--author", "dependabot[bot] <bot@example.org>")
    repo.commit(f"Read {TOKEN} from the file (#12)", {"key.py": f"x = '{TOKEN}'\nuse(x)\n"})
    data = make_dataset([str(repo.path)], [], ALL, processes=1)
    report = data.report
    assert report.dropped["written by bots"] == 1
    assert report.origins[0].licence == "MIT" and report.origins[0].head == repo.git("rev-parse", "HEAD")
    assert report.splits["test"] == 7 and report.splits["valid"] == 7
    newest = max(data.examples, key=lambda item: item.time)
    assert newest.split == "test" and newest.message == "Read <redacted:github-token> from the file"
    assert TOKEN not in json.dumps([item.change for item in data.examples]) and "key.py" in newest.change
    assert report.masked["github-token"] >= 2
    # What resembles a change is always older, and the oldest has nothing before it.
    times = {item.message: item.time for item in data.examples}
    for item in data.examples:
        assert all(times.get(text, 0) < item.time for text in item.similar)
    assert any(len(item.similar) == 3 for item in data.examples)

    for name in ("a.jsonl", "a.parquet"):
        if name.endswith("parquet"):
            pytest.importorskip("pyarrow")
        save_dataset(tmp_path / name, data)
        assert load_dataset(tmp_path / name) == data


def test_several_processes_find_the_same(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(repo, 70)
    monkeypatch.setattr("gitnotes.recipes.collecting._SHARE", 20)
    alone = make_dataset([str(repo.path)], [], ALL, processes=1)
    assert make_dataset([str(repo.path)], [], ALL, processes=2) == alone


@pytest.mark.skipif(sys.platform != "linux", reason="the stand-in reaches the process by fork")
def test_a_process_that_is_killed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(repo, 4)
    monkeypatch.setattr("gitnotes.recipes.collecting._SHARE", 2)
    monkeypatch.setattr(
        "gitnotes.recipes.collecting._look_at", lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    )
    with pytest.raises(InputError, match="was killed") as problem:
        make_dataset([str(repo.path)], [], ALL, processes=2)
    assert "--processes 1" in problem.value.hint


def test_memory_that_is_used_up_is_told_in_a_sentence(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from gitnotes.__main__ import run

    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("gitnotes.recipes.learning.make_dataset", fail)
    assert run(["-C", str(repo.path), "dataset", "--out", str(tmp_path / "mine.jsonl")]) == 3
    told = capsys.readouterr()
    assert told.out == "" and told.err.startswith("gitnotes: the memory is used up.")


def test_what_is_graded_below_the_bar_is_left_out(repo: Repo) -> None:
    grow(repo, 70)
    told = make_dataset([str(repo.path)], [], ALL, processes=1).examples
    grades = sorted(item.grade for item in told if item.grade is not None)
    bar = next(grade for grade in grades if grade > grades[0])
    data = make_dataset([str(repo.path)], [], Wanted(min_grade=bar), processes=1)
    assert data.report.dropped == {f"graded below {bar:g}": sum(grade < bar for grade in grades)}
    assert min(item.grade or 0 for item in data.examples) == bar


def test_drafts_come_with_the_changes(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(repo, 70)
    monkeypatch.setattr("gitnotes.recipes.cases._SHARE", 30)
    data = make_dataset([str(repo.path)], [], Wanted(min_grade=0, drafts=2), processes=2)
    assert all(1 <= len(item.drafts) <= 2 for item in data.examples)
    assert data.report.signature.settings["drafts"] == "2"
    # They are those of the verb that drafts the same commit.
    newest = max(data.examples, key=lambda item: item.time)
    (case,) = read_cases(open_git(repo.path), load_settings(), 1)
    assert case.sha == newest.id and list(newest.drafts) == case.draft(2)
    assert newest.similar == pick_similar(case.neighbours)


def test_several_repositories(make_repo: Callable[..., Repo]) -> None:
    places = []
    for name in ("one", "two"):
        made = make_repo(name)
        grow(made, 40)
        places.append(str(made.path))
    data = make_dataset(places, [], ALL, processes=1)
    assert {item.name for item in data.report.origins} == {"one", "two"}
    assert {item.repository for item in data.examples if item.split == "test"} == {"one", "two"}


def test_too_few_commits_says_how_many(repo: Repo) -> None:
    grow(repo, 5)
    with pytest.raises(CannotJudge, match=f"at least {LEAST} are needed"):
        make_dataset([str(repo.path)], [], ALL, processes=1)


def test_a_shallow_clone_says_how_to_get_more(repo: Repo, tmp_path: Path) -> None:
    grow(repo, 12)
    repo.git("clone", "--quiet", "--depth=3", repo.path.as_uri(), str(tmp_path / "shallow"))
    with pytest.raises(CannotJudge) as problem:
        make_dataset([str(tmp_path / "shallow")], [], ALL, processes=1)
    assert "git fetch --unshallow" in problem.value.hint


def test_a_history_of_bots_alone(repo: Repo) -> None:
    for number in range(3):
        repo.commit(
            "Bump six to the next", {"r.txt": f"{number}\n"}, "--author", "renovate[bot] <b@example.org>"
        )
    with pytest.raises(CannotJudge, match="written by bots"):
        make_dataset([str(repo.path)], [], ALL, processes=1)


def test_an_empty_repository(repo: Repo) -> None:
    with pytest.raises(CannotJudge, match="no commits"):
        make_dataset([str(repo.path)], [], ALL, processes=1)


def test_a_history_in_another_language_is_kept(repo: Repo) -> None:
    verbs = ("Добавить", "Удалить", "Исправить", "Ускорить", "Упростить", "Описать", "Проверить", "Разделить")
    parts = ("разбор", "чтение", "запись", "кэш", "сервер", "клиент", "поиск", "журнал", "ввод")
    for number, (verb, part) in enumerate((verb, part) for verb in verbs for part in parts):
        repo.commit(f"{verb} {part} для файлов", {f"a{number}.py": f"read_{number} = {number}\n"})
    data = make_dataset([str(repo.path)], [], ALL, processes=1)
    assert data.report.ungraded == len(data.examples) > LEAST


def test_only_commits_that_are_asked_for(repo: Repo) -> None:
    grow(repo, 4)
    wanted = Wanted(min_grade=0, only=frozenset([repo.git("rev-parse", "HEAD")]))
    with pytest.raises(CannotJudge, match=r"1 example is left.*3 without a suggestion"):
        make_dataset([str(repo.path)], [], wanted, processes=1)


def test_notes_by_version(repo: Repo) -> None:
    sections = ""
    for number in range(70):
        repo.commit(f"Add step {number} to the parser", {f"s{number}.py": f"step_{number} = {number}\n"})
        section = f"## 0.{number}.0\n\n- The parser has got its step {number}, which reads numbers.\n\n"
        sections = section + sections
        repo.commit(f"Release 0.{number}.0", {"CHANGELOG.md": f"# Changelog\n\n{sections}"})
        repo.tag(f"v0.{number}.0")
    data = make_dataset([str(repo.path)], [], ALL, notes=True, processes=1)
    note = next(item for item in data.examples if item.id == "v0.7.0")
    assert note.kind == "note" and note.message == "- The parser has got its step 7, which reads numbers."
    assert "Add step 7 to the parser" in note.change and "step 6 " not in note.change


def test_notes_need_a_changelog(repo: Repo) -> None:
    repo.commit("First step here", {"a.py": "a = 1\n"})
    with pytest.raises(CannotJudge, match="tagged and described"):
        make_dataset([str(repo.path)], [], ALL, notes=True, processes=1)


@pytest.mark.parametrize("content", ["", "{}\n", "[1]\n", '{"message": 1, "change": "x"}\n', "{\n"])
def test_what_is_no_data_set(content: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(content)
    with pytest.raises(InputError):
        load_dataset(path)


def test_what_a_tokenizer_would_not_take_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    rows = [{"repository": "r", "id": "1", "time": 1, "message": "Fix \ud800 it", "change": "x"}]
    rows.append({**rows[0], "similar": ["a \udcff b"]})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    first, second = load_dataset(path).examples
    assert (first.message, first.similar, second.similar) == ("Fix ? it", (), ("a ? b",))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"message": " ", "change": "x"}, "line 1: the message is empty"),
        ({"message": "Fix it", "change": "x", "time": "soon"}, "line 1: time: int is wanted"),
        ({"message": "Fix it", "change": "x", "split": "holdout"}, "line 1: split: 'holdout' is not one of"),
    ],
)
def test_a_row_that_is_none_names_its_field(row: dict[str, str], told: str, tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({"repository": "r", "id": "1", "time": 1, **row}) + "\n")
    with pytest.raises(InputError, match=re.escape(told)):
        load_dataset(path)


def test_no_option_is_named_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_bytes('{"message": "Fix it", "change": "x"}\n'.encode("utf-16-le"))
    with pytest.raises(InputError) as problem:
        load_dataset(path)
    assert problem.value.hint == "Write it as UTF-8."


@pytest.mark.parametrize("card", ["[" * 100_000, '{"origins": ' + "[" * 100_000, "[]", "null", '{"a": NaN}'])
def test_a_damaged_card_is_passed_over(card: str, tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    row = {"repository": "r", "id": "1", "time": 10**30, "message": "Fix it", "change": "x"}
    path.write_text(json.dumps(row) + "\n")
    (tmp_path / "set.card.json").write_text(card)
    data = load_dataset(path)
    assert data.report.signature.settings == {"report": "none"}
    assert "-" in report_text(data.report, path)


def test_a_moment_that_no_calendar_has() -> None:
    assert day_of(86_400) == "1970-01-02"
    assert [day_of(moment) for moment in (0, 10**30, -(10**30), 10**12, 10**15)] == [""] * 5


def test_where_it_can_go(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not tell its format"):
        check_place(tmp_path / "a.txt")
    with pytest.raises(InputError):
        check_place(tmp_path / "none" / "a.jsonl")


def test_size_counts_what_is_learned_from() -> None:
    check_size([example()] * LEAST, Counter())
    with pytest.raises(CannotJudge):
        check_size([example(split="test")] * 1000, Counter())


def test_a_bare_repository(repo: Repo, tmp_path: Path) -> None:
    grow(repo, 70)
    repo.git("clone", "--quiet", "--bare", str(repo.path), str(tmp_path / "bare.git"))
    data = make_dataset([str(tmp_path / "bare.git")], [], ALL, processes=2)
    assert open_git(tmp_path / "bare.git").resolve("HEAD") == data.report.origins[0].head
