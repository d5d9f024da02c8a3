"""Do the reports hold what a machine expects, whatever a message holds?"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from gitnotes.recipes.gate import Gate, Judged, Tally, judge
from gitnotes.recipes.grading import Graded
from gitnotes.recipes.rule_list import list_rules
from gitnotes.records import Finding, Grade, Signature
from gitnotes.show.reports import FORMATS, Shape, find_report
from gitnotes.show.reports.escaping import github_data, github_property, markdown, plain, xml
from tests.conftest import Repo
from tests.gate.conftest import HOSTILE
from tests.gate.conftest import Grade as Run
from tests.test_cli import PARSER, RETRY

SIGNATURE = Signature("grade", "0", {})
SHA = "0123456789abcdef" * 2 + "01234567"


def make(subject: str = HOSTILE, overall: float | None = 12.0, **changes: Any) -> Graded:
    findings = (
        Finding("vague", "error", f"“{subject}” would fit any commit.", subject, 1),
        Finding("body-width", "info", "A body line is wider.", "", 3),
        Finding("made-up", "warning", subject, subject),
    )
    unscored = {} if overall is not None else {"overall": subject}
    grade = Grade(overall, {"what": 1.0}, findings, SIGNATURE, unscored=unscored)
    item = Graded(SHA, subject, grade, message=subject, email="a@example.org", time=7)
    return dataclasses.replace(item, **changes)


def render(name: str, *items: Graded | Judged, many: bool = True, gate: Gate | None = None) -> str:
    gate = gate or Gate(50.0)
    tally = Tally()

    def stream() -> Iterator[Judged]:
        for item in items:
            one = judge(item, gate) if isinstance(item, Graded) else item
            tally.add(one)
            yield one

    return "\n".join(find_report(name)(stream(), tally, Shape(many, gate.minimum, True)))


@pytest.fixture(autouse=True)
def no_build_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "subject", [HOSTILE, "", "\udc80\ud800", "x" * 100_000, "\n\r\n", "\0", "€ 日本 👩‍💻"]
)
def test_no_text_acts_or_breaks_a_report(name: str, subject: str) -> None:
    suggestion = (f"{subject}\n\n{subject}", 80.0)
    unjudged = make(subject, None, unreadable=subject or "gone", evidence=(("in the change", subject),))
    shown = render(
        name, make(subject), make(subject, None), unjudged, Judged(make(subject), suggestion=suggestion)
    )
    shown.encode("utf-8")
    if name == "json":
        assert json.loads(shown)["commits"][0]["subject"] == subject
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u2028]", shown)
    assert len(shown) < 3_000_000


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_at_all_is_a_report(name: str) -> None:
    shown = render(name)
    if name in ("json", "sarif"):
        assert json.loads(shown)
    elif name == "junit":
        assert ElementTree.fromstring(shown).get("tests") == "0"
    else:
        assert "nothing to grade" in shown


# SARIF


def test_sarif_names_rules_commits_and_lasting_fingerprints() -> None:
    log = json.loads(render("sarif", make(), make("Add a parser", 80.0)))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(list_rules())
    assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in rules)
    results = run["results"]
    first, second = ["vague", "body-width", "made-up", "score"], ["vague", "body-width", "made-up"]
    assert [item["ruleId"] for item in results] == [*first, *second]
    assert [item["level"] for item in results[:4]] == ["error", "note", "warning", "error"]
    for item in results:
        if "ruleIndex" in item:
            assert rules[item["ruleIndex"]]["id"] == item["ruleId"]
        (location,) = item["locations"]
        assert location["logicalLocations"][0]["name"] == SHA
        assert location["physicalLocation"]["region"]["startLine"] >= 1
    prints = [item["partialFingerprints"]["primaryLocationLineHash"] for item in results]
    assert len(set(prints)) == len(prints)
    again = json.loads(render("sarif", make(sha="f" * 40)))["runs"][0]["results"]
    assert [item["partialFingerprints"]["primaryLocationLineHash"] for item in again] == prints[:4]
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]


def test_sarif_says_what_could_not_be_judged() -> None:
    (run,) = json.loads(render("sarif", make(overall=None, unreadable="a blob is missing")))["runs"]
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 3)
    assert "a blob is missing" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_every_rule_of_a_finding_is_described() -> None:
    """What the graders can find and what the rules table says are written in different places."""
    folder = Path(__file__).parents[2] / "gitnotes"
    source = "\n".join(path.read_text() for path in (folder / "grade").rglob("*.py"))
    found = set(re.findall(r"Finding\(\s*(?:rule=)?\"([a-z][a-z-]+)\"", source))
    assert len(found) >= 8
    assert found <= set(list_rules())


# JUnit


def test_junit_tells_failures_errors_and_skips() -> None:
    root = ElementTree.fromstring(
        render(
            "junit",
            make(),
            make(overall=80.0),
            make(overall=None),
            make(overall=None, unreadable="a blob is missing"),
        )
    )
    (suite,) = root
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4", "failures": "1", "errors": "1", "skipped": "1",
    }  # fmt: skip
    kinds = [[child.tag for child in case] for case in suite]
    assert kinds == [["failure"], ["system-out"], ["skipped"], ["error"]]
    failure = suite[0][0]
    assert failure.get("type") == "score"
    assert "12 of 100" in (failure.text or "") and "12 of 100" in (failure.get("message") or "")


# GitHub


def test_annotations_are_one_line_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = tmp_path / "summary.md"
    place.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(place))
    shown = render(
        "github", make(), make(overall=80.0), make(overall=None), make(overall=None, unreadable="x")
    )
    lines = shown.splitlines()
    assert [line.split(" ")[0] for line in lines if line.startswith("::")] == [
        "::error", "::warning", "::warning", "::error",
    ]  # fmt: skip
    for line in lines:
        if line.startswith("::"):
            assert line.count("::") >= 2
            head, _, data = line[2:].partition("::")
            assert re.fullmatch(r"(?:error|warning) title=[^:,\r\n]*", head)
            assert not re.search(r"%(?!25|0A|0D)", data)
        assert "##[" not in line
    summary = place.read_text()
    assert summary.startswith("before\n### ")
    rows = [line for line in summary.splitlines() if line.startswith("| ")]
    assert len(rows) == 5 and all(line.count("|") == 6 for line in rows)


def test_summary_that_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "no" / "folder"))
    assert "::error" in render("github", make())
    assert "cannot be written" in capsys.readouterr().err


def test_summary_of_a_long_history_is_cut(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(place))
    render("github", *[make("Add a parser", 80.0)] * 1500)
    assert place.stat().st_size < 1 << 20
    assert "1,000 more rows" in place.read_text()


# escapes


def test_escapes() -> None:
    assert github_data("100% of\r\n::x") == "100%25 of%0D%0A::x"
    assert github_property("a:b,c%") == "a%3Ab%2Cc%25"
    assert xml('<a b="c">&\x1b\x0b\ufffe\udc80é') == "&lt;a b=&quot;c&quot;&gt;&amp;^[^K&#65533;\\x80&#233;"
    assert "|" not in markdown("a|b") and "<" not in markdown("<img>") and "@" not in markdown("@all")
    assert plain("##[warning]x ##vso[task]y ## Head") == "# #[warning]x # #vso[task]y ## Head"
    assert plain("a\x1b[31m\nb") == "a^[[31m\\nb"


def test_markdown_row_has_five_cells() -> None:
    rows = [line for line in render("markdown", make()).splitlines() if line.startswith("|")]
    assert len(rows) == 3
    assert rows[-1].count("|") == 6
    assert "**score**" in rows[-1]


# from end to end


def test_hostile_commits_in_every_format(repo: Repo, grade: Run) -> None:
    repo.commit("Start", {"README.md": "x\n"})
    repo.commit(HOSTILE.replace("\x0b", ""), {"src/parser.py": PARSER})
    repo.commit("a|b `c` <i>\n\n::set-output name=x::y\n##[group]z", {"src/client.py": RETRY})
    for name in FORMATS:
        found = grade("HEAD~2..HEAD", "--format", name, "--min", "99", "--strict")
        assert (found.code, found.err) == (1, ""), name
        assert "\x1b" not in found.out
        assert not re.search("(?m)^::set-output", found.out) and "##[" not in found.out
        if name == "junit":
            assert ElementTree.fromstring(found.out).get("failures") == "2"
        if name == "sarif":
            assert json.loads(found.out)["runs"][0]["results"]


def test_one_text_in_every_format(repo: Repo, grade: Run) -> None:
    repo.commit("Start", {"README.md": "x\n"})
    for name in FORMATS:
        assert grade("-m", "stuff", "--rules", "--format", name, "--fail-on", "vague").code == 1
    assert grade("-m", "stuff", "--rules", "--format", "json").json()["kind"] == "grade"


def test_json_of_a_range_is_the_object_that_it_was(repo: Repo, grade: Run) -> None:
    repo.commit("Start", {"README.md": "x\n"})
    repo.commit("Add a parser", {"src/parser.py": PARSER})
    found = grade("HEAD~1..HEAD", "--json").json()
    assert list(found) == ["schema", "kind", "commits", "summary"]
    one = grade("HEAD", "--json").json()
    assert {key: value for key, value in one.items() if key not in ("schema", "kind")} == found["commits"][0]


def test_every_field_is_documented(history: Repo, grade: Run) -> None:
    text = (Path(__file__).parents[2] / "docs" / "json.md").read_text("utf-8")
    section = text.partition("`gitnotes grade --json`")[2].partition("## `gitnotes release --json`")[0]
    found = grade("HEAD~2..HEAD", "--json", "--explain", "--suggest", "--min", "40").json()
    fields = {*found, *found["summary"]}.union(
        *found["commits"], *(item["findings"][0] for item in found["commits"])
    )
    assert len(fields) > 20
    assert {name for name in fields if f"`{name}`" not in section} <= {"signature"}
