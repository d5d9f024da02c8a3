"""Does the choice take what fits the change, and never a name that the change lacks?"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path

import pytest

import gitnotes
from gitnotes.draft import DRAFTERS, find_drafter
from gitnotes.draft.choose import draft_best, draft_from_history, find_candidates, find_doubt, rank
from gitnotes.draft.evidence import gather, haystack
from gitnotes.draft.features import overlap
from gitnotes.draft.neighbours import adapt, adapt_all
from gitnotes.draft.prefixes import learn_from_neighbours, learn_type
from gitnotes.draft.structure import draft_from_structure
from gitnotes.draft.style import Style
from gitnotes.records import Change, Neighbour
from tests.draft.patches import Part, add, change, edit

PARSER = edit("src/parser.py", " def parse_header(text):\n-    return text\n+    return text.strip()")
README = edit("README.md", " # Tool\n-Teh best tool\n+The best tool, see the guide")


def near(subject: str, *paths: str, words: float = 0.9, files: float = 1.0, age: int = 1) -> Neighbour:
    return Neighbour(subject, "Ann <ann@example.org>", paths, words, files, age)


def adapted(subject: str, told: Change, *paths: str) -> str:
    return adapt(near(subject, *paths), gather(told), haystack(told))


def test_a_repeated_change_gets_the_subject_that_it_always_had() -> None:
    told = change(edit("data/zones.txt", "-Europe 2\n+Europe 3"))
    past = [near("Refresh the list of zones", "data/zones.txt", age=age) for age in range(1, 5)]
    assert draft_from_structure(told, Style())[0] != "Refresh the list of zones"
    assert draft_best(told, Style(), 1, past)[0].split("\n")[0] == "Refresh the list of zones"
    assert draft_from_history(told, Style(), 1, past)[0].split("\n")[0] == "Refresh the list of zones"


def test_what_was_said_of_a_change_that_is_only_alike_is_not_repeated() -> None:
    told = change(PARSER)
    alike = near("Parse header lines of requests", "src/parser.py", "src/requests.py", words=0.7, files=0.5)
    ranked = rank(find_candidates(told, Style(), [alike]))
    assert ranked[0].neighbour is None and ranked[-1].neighbour == alike  # it can still be asked for
    typed = dataclasses.replace(alike, subject="perf: parse header lines of requests")
    found = find_candidates(told, Style(), [typed])
    (other,) = [at for at, item in enumerate(found.candidates) if item.neighbour]
    whole = find_candidates(told, Style(), [alike])
    assert 0 < find_doubt(found, other) < find_doubt(whole, len(whole.candidates) - 1)


@pytest.mark.parametrize(
    "past",
    [
        [near("Strip the text in the parser", "src/requests.py", files=0.0)],  # all of it is in the change
        [near("Parse header lines of requests", "src/parser.py")],  # the same files
        [near("Parse header lines of requests", "a.py", "b.py", age=age) for age in (1, 2)],  # routine
    ],
    ids=["told", "same", "repeated"],
)
def test_what_the_change_bears_out_may_be_said_again(past: list[Neighbour]) -> None:
    found = find_candidates(change(PARSER), Style(), past)
    assert any(item.neighbour for item in found.candidates)
    assert not any(find_doubt(found, at) for at in range(len(found.candidates)))


def test_without_neighbours_the_change_speaks_for_itself() -> None:
    told = change(PARSER)
    found = draft_best(told, Style(), 3)
    assert found and set(found) <= set(draft_from_structure(told, Style(), 8))
    assert draft_from_history(told, Style(), 1) == found[:1]


def test_an_unrelated_neighbour_is_not_copied() -> None:
    told = change(add("src/zones.py", "def load_zones(path):\n    return open(path).read()"))
    past = [near("Sing a song of sixpence", "poems/song.txt", words=0.02, files=0.0, age=900)]
    assert "song" not in draft_best(told, Style(), 1, past)[0]
    once = [near("Sing a song of sixpence", "src/zones.py", words=0.5)]
    assert all(item.neighbour is None for item in find_candidates(told, Style(), once).candidates)
    twice = [*once, near("Sing a song of sixpence", "src/zones.py", words=0.5, age=2)]
    assert any(item.neighbour for item in find_candidates(told, Style(), twice).candidates)


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Strip the text (#12)", "Strip the text"),
        ("Stripped the text.", "Strip the text"),
        ("fix: strip the text", "strip the text"),
        ("Fix parse_header", "Fix parse_header"),
        ("Fix parse_footer", ""),
        ("Fix other.py", "Fix parser.py"),
        ("Add wtt to other.py", ""),
        ("Add text to other.py", "Add text to parser.py"),
        ("Strip the text, fixes #12", "Strip the text"),
        ("Release 1.2.3", ""),
        ("Merge branch 'x'", ""),
        ('Revert "Strip the text"', ""),
        ("fixup! Strip the text", ""),
        ("Ignore all previous instructions", ""),
        ("Run $(rm -rf /) now", ""),
        ("See https://example.org now", ""),
        ("x", ""),
        ("word " * 30, ""),
    ],
)
def test_subjects_are_adapted_or_left_out(subject: str, expected: str) -> None:
    assert adapted(subject, change(PARSER), "src/other.py") == expected


def test_the_version_of_this_change_takes_the_place_of_the_old_one() -> None:
    released = change(edit("CHANGES.md", "-# Unreleased\n+# 1.2.4\n"), edit("setup.cfg", "-x = 1\n+x = 2"))
    assert adapted("Release 1.2.3", released, "CHANGES.md") == "Release 1.2.4"


def test_a_bot_is_no_model() -> None:
    told = change(PARSER)
    bot = dataclasses.replace(near("Strip the text", "src/parser.py"), author="dependabot[bot] <b@x.org>")
    assert adapt(bot, gather(told), haystack(told)) == ""


def test_the_prefix_of_the_same_files_is_taken() -> None:
    told = change(PARSER)
    past = [near(f"src/parser: change number {age}", "src/parser.py", age=age) for age in range(1, 4)]
    style = learn_from_neighbours(Style(), gather(told), past)
    assert style.nearest == "src/parser: "
    assert draft_best(told, Style(), 1, past)[0].startswith("src/parser: ")
    elsewhere = [dataclasses.replace(item, subject="net: change it") for item in past]
    assert learn_from_neighbours(Style(), gather(told), elsewhere).nearest is None
    assert learn_from_neighbours(Style(), gather(told), past[:0]).nearest is None


def test_the_type_follows_the_files_and_then_the_neighbours() -> None:
    style = Style(conventional=True, types={"fix": 10, "perf": 5})
    past = [near(f"perf: make it fast {age}", "src/parser.py", age=age) for age in range(1, 5)]
    assert learn_type(style, "refactor", gather(change(PARSER)), past) == "perf"
    assert learn_type(style, "refactor", gather(change(PARSER)), []) == "refactor"
    assert learn_type(style, "docs", gather(change(README)), past) == "docs"


def test_the_order_of_equal_candidates_stands() -> None:
    found = find_candidates(change(PARSER), Style(), [])
    first, second = found.candidates[0], found.candidates[0]._replace(subject="Other")
    numbers = [found.numbers[0], found.numbers[0]]
    assert rank(found._replace(candidates=[first, second], numbers=numbers)) == [first, second]
    assert rank(found._replace(candidates=[], numbers=[])) == []


def test_every_weight_belongs_to_a_number() -> None:
    weights = json.loads((Path(gitnotes.__file__).parent / "data" / "choice.json").read_text("utf-8"))[
        "weights"
    ]
    past = [near("Strip the text", "src/parser.py"), near("Fix parse_header", "src/parser.py", age=3)]
    rows = find_candidates(change(PARSER), Style(), past).numbers
    named = {name for row in rows for name in row if not name.startswith(("from ", "history, "))}
    assert named <= set(weights)
    assert {name for name in weights if not name.startswith(("from ", "history, "))} <= named


def test_overlap_of_bags() -> None:
    assert overlap(Counter(["add", "parse"]), Counter(["add", "parse"])) == 1
    assert overlap(Counter(["add"]), Counter(["parse"])) == overlap(Counter(), Counter()) == 0


@pytest.mark.parametrize("name", sorted(DRAFTERS))
def test_every_drafter_takes_neighbours_and_gives_messages(name: str) -> None:
    past = [near("Strip `the` text\x1b[31m", "src/parser.py"), near("", "x"), near("é" * 500, "y")]
    for told in (change(PARSER), change(README), Change("", "index")):
        found = find_drafter(name)(told, Style(), 3, past)
        assert found and all(text.split("\n")[0].strip() and "\x1b" not in text for text in found)


SCOPED = Style(
    commits=90, conventional=True, types={"fix": 60, "feat": 30}, scopes={"parser": 20, "cli": 20, "x-9": 5}
)


def test_the_scope_is_that_of_the_changes_like_it() -> None:
    told = change(PARSER)
    past = [near("fix(cli): strip the header", "src/parser.py", age=age) for age in range(1, 5)]
    assert draft_best(told, SCOPED, 1, past)[0].startswith("fix(cli): ")


def test_a_folder_that_is_a_scope_is_the_scope_where_nothing_else_speaks() -> None:
    past = [near("fix: strip more", "src/other.py", words=0.05, files=0.0, age=800)]
    assert draft_best(change(PARSER), SCOPED, 1, past)[0].startswith("fix(parser): ")


def test_a_scope_that_the_change_does_not_show_is_none() -> None:
    past = [near("fix(x-9): strip it", "src/parser.py", age=age) for age in range(1, 5)]
    assert "x-9" not in draft_best(change(PARSER), SCOPED, 1, past)[0]
    hostile = [near("fix(\x1b[31mred): strip it", "src/parser.py", age=age) for age in range(1, 5)]
    assert "\x1b" not in draft_best(change(PARSER), SCOPED, 1, hostile)[0]


CRATE = edit(
    "crates/ignore/Cargo.toml", ' [package]\n name = "ignore"\n-version = "0.4.29"\n+version = "0.4.30"'
)
PINS = edit("pyproject.toml", ' "cibuildwheel==4.1.0",\n-"myst-parser==5.0.0",\n+"myst-parser==5.1.0",')
LIST = edit("docs/third.md", " ## Hishel\n+## httpx-secure\n+Keeps requests inside.")
TESTED = edit("CHANGES.md", " ## 0.28.0\n+* Handle an empty zstd response in the decoder.")


@pytest.mark.parametrize(
    ("subject", "told", "expected"),
    [
        ("Bump to grep-printer 0.4.30", CRATE, ""),
        ("Bump cibuildwheel to 5.1.0", PINS, "Bump myst-parser to 5.1.0"),
        ("Bump myst-parser to 5.1.0", PINS, "Bump myst-parser to 5.1.0"),
        ("Add Hishel into the list", LIST, ""),
        ("Add httpx-secure into the list", LIST, "Add httpx-secure into the list"),
        ("Explain Hishel in the list", LIST, "Explain Hishel in the list"),
    ],
)
def test_what_stands_beside_a_change_has_not_changed(subject: str, told: Part, expected: str) -> None:
    path = told[0].path
    found = adapt_all([near(subject, path)], gather(change(told)), haystack(change(told)))
    assert [words for words, _ in found] == ([expected] if expected else [])


def test_a_change_with_tests_is_no_release() -> None:
    told = change(TESTED, add("tests/test_decoder.py", "def test_zstd_empty():\n    pass"))
    assert adapt(near("Version 0.28.0", "CHANGES.md"), gather(told), haystack(told)) == ""


def test_a_subject_loses_the_mark_at_its_end() -> None:
    assert adapted("Strip the text;", change(PARSER), "src/other.py") == "Strip the text"


def test_a_release_has_the_scope_of_releases() -> None:
    told = change(edit("package.json", ' "name": "tool",\n-"version": "1.7.8",\n+"version": "1.7.9",'))
    past = [near(f"chore(release): v1.7.{age}", "package.json", age=age) for age in range(1, 8)]
    style = Style(
        commits=60,
        conventional=True,
        types={"chore": 9},
        scopes={"release": 7, "ci": 30},
        release="v{version}",
    )
    assert draft_best(told, style, 1, past)[0] == "chore(release): v1.7.9"
    code = change(PARSER)
    assert "(release)" not in draft_best(code, style, 1, past)[0]


GONE = edit("docs/guide.md", "\n".join(f"-line {number} of the guide" for number in range(12)), status="D")
SHORTER = edit("docs/guide.md", " # Guide\n" + "\n".join(f"-line {number}" for number in range(12)))
LONGER = edit("docs/guide.md", " # Guide\n+how to begin")


@pytest.mark.parametrize(
    ("subject", "told", "fits"),
    [
        ("Add the guide", SHORTER, False),
        ("Add the guide", LONGER, True),
        ("Remove the guide", SHORTER, True),
        ("Remove the guide", LONGER, False),
        ("Update the guide", LONGER, True),
        ("Update the guide", GONE, False),
    ],
)
def test_an_earlier_verb_must_fit_what_happens(subject: str, told: Part, fits: bool) -> None:
    found = list(adapt_all([near(subject, "docs/guide.md")], gather(change(told)), haystack(change(told))))
    assert bool(found) is fits
