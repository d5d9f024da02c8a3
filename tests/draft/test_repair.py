"""Is a message mended without saying anything else, and without losing anything?"""

from __future__ import annotations

import time

import pytest

from gitnotes.draft.repair import Parts, mend_form, name_objects, redraft, take_apart
from gitnotes.draft.style import Style
from gitnotes.records import Change, DefinitionChange, FileChange, Hunk

TYPED = Style(conventional=True)


def mend(message: str, style: Style | None = None, prefix: str = "") -> str:
    return mend_form(take_apart(message), style or Style(), prefix=prefix).join()


@pytest.mark.parametrize(
    ("message", "mended"),
    [
        ("fixed the parser.", "Fix the parser"),
        ("  Adds   a parser  ", "Add a parser"),
        ("Add a parser etc.", "Add a parser etc."),
        ("Add a parser\nIt splits at commas.", "Add a parser\n\nIt splits at commas."),
        ("Add a parser that splits\nat commas", "Add a parser that splits at commas"),
        ("added x (#12)", "Add x (#12)"),
        ("added x. (#12)", "Add x (#12)"),
        ("ABC-12: fixed x", "ABC-12: fix x"),
        ("Fix : keep order", "fix: keep order"),
        ("Fix:keep order.", "fix: keep order"),
        ("feat(api)!:drop v1", "feat(api)!: drop v1"),
        ("Add x\n\n\n\nOne.\n\n\nTwo.\n\n", "Add x\n\nOne.\n\nTwo."),
        ("Add x\n\nWhy.\nSigned-off-by: A <a@e.org>", "Add x\n\nWhy.\n\nSigned-off-by: A <a@e.org>"),
        ("pytest: run the slow tests", "pytest: run the slow tests"),
        ("Add \x1b[31mx\u202e", "Add x"),
        ("", ""),
    ],
)
def test_form(message: str, mended: str) -> None:
    assert mend(message) == mended
    assert mend(mended) == mended


def test_missing_type_comes_from_the_draft() -> None:
    assert mend("fixed the parser", TYPED, "fix(core): ") == "fix(core): fix the parser"
    assert mend("docs: Say more", TYPED, "fix: ") == "docs: Say more"
    assert mend("fix: Say more", TYPED, "fix: ") == "fix: Say more"
    assert mend("fixed the parser", prefix="fix: ") == "Fix the parser"


def test_capital_of_the_author_stays() -> None:
    assert mend("Add x", Style(case="lower")) == "Add x"
    assert mend("add x", Style(case="lower")) == "add x"
    assert mend("add x") == "Add x"


def test_long_subject_is_parted_at_a_clause() -> None:
    long = "Retry a fetch because the server drops idle connections, and wait longer between the attempts"
    head, _, body = mend(long).partition("\n\n")
    assert head == "Retry a fetch because the server drops idle connections"
    assert body == "Wait longer between the attempts."
    head, _, body = mend(f"Retry the fetch of one page because {'the server drops it ' * 5}(#7)").partition(
        "\n\n"
    )
    assert head == "Retry the fetch of one page (#7)"
    assert body.startswith("Because the server drops it")


def test_long_subject_without_a_clause_stays() -> None:
    long = " ".join(["word"] * 30)
    assert mend(long) == "W" + long[1:]


def test_body_is_wrapped_but_not_what_has_a_form() -> None:
    prose = "a word " * 30
    code = "    " + "x = 1; " * 30
    link = "See https://example.org/" + "a" * 80
    fence = "```\n" + "y = 2; " * 30 + "\n```"
    message = f"Add x\n\n{prose.strip()}\n\n{code.rstrip()}\n\n{link}\n\n{fence}"
    mended = mend(message)
    assert code.rstrip() in mended and link in mended and fence.replace("; \n", ";\n") in mended
    assert all(len(line) <= 72 for line in mended.split("\n") if line.startswith("a word"))
    assert mended.split() == message.split()


def change(action: str = "changed", status: str = "M") -> Change:
    path = "src/cache.py"
    return Change(
        base="a",
        target="b",
        files=(FileChange(path, status, added=1, removed=1),),  # type: ignore[arg-type]
        hunks=(Hunk(path, 1, 1, 1, 1, "", ("-def evict(key):", "+def evict(key, force):")),),
        definitions=(DefinitionChange(action, "function", "evict", path, 2),),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("subject", "named"),
    [
        ("Fix crash", "Fix crash in evict"),
        ("Fix it", "Fix evict"),
        ("fix: crash (#3)", "fix: crash in evict (#3)"),
    ],
)
def test_object_is_named(subject: str, named: str) -> None:
    assert next(name_objects(Parts(subject, (), ()), change())).subject == named


def test_what_is_new_was_not_fixed() -> None:
    fixed = Parts("Fix it", (), ())
    assert list(name_objects(fixed, change("added", "A"))) == []
    added = Parts("Add it", (), ())
    assert [item.subject for item in name_objects(added, change("added", "A"))] == ["Add evict", "Add cache"]
    assert list(name_objects(added, change())) == []


def test_name_that_does_not_fit() -> None:
    assert list(name_objects(Parts("Fix " + "x" * 70, (), ()), change())) == []
    assert list(name_objects(Parts("WIP", (), ()), change())) == []


def test_one_name_is_enough() -> None:
    assert list(name_objects(Parts("Fix crash in evict", (), ()), change())) == []


def test_redraft_keeps_what_only_the_author_knows() -> None:
    old = take_apart(
        "feat(api)!: stuff (#12)\n\nUsers asked.\n\nBREAKING CHANGE: gone\nCo-authored-by: B <b@e>"
    )
    new = redraft(old, "feat: Add evict\n\n- one\n- two", Style())
    assert new.join() == (
        "feat(api)!: add evict (#12)\n\nUsers asked.\n\nBREAKING CHANGE: gone\nCo-authored-by: B <b@e>"
    )
    with_body = redraft(old, "Add evict\n\n- one\n- two", Style(), body=True)
    assert with_body.body == ("- one", "- two", "", "Users asked.")


def test_redraft_keeps_tickets_and_reasons() -> None:
    old = Parts("ABC-7: broken because of DEF-8", (), ())
    new = redraft(old, "Evict by age", Style(), keep_subject=True)
    assert new.join() == "ABC-7: evict by age (DEF-8)\n\nBroken because of DEF-8."
    long = redraft(Parts("stuff #9", (), ("Refs: x",)), "E" * 70, Style())
    assert long.trailers == ("Refs: #9", "Refs: x")


@pytest.mark.parametrize("text", ["because " * 40_000, ", and " * 40_000, "a" * 1_000_000, "(#1)" * 100_000])
def test_long_texts_take_no_time(text: str) -> None:
    started = time.perf_counter()
    for message in (text, f"Add x\n\n{text}"):
        mend_form(take_apart(message), Style())
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize("subject", ["-- --", "...", "!?"])
def test_signs_alone_are_no_subject_to_add_to(subject: str) -> None:
    assert list(name_objects(take_apart(subject), change())) == []
