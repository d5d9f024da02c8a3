"""Do settings, other tools and the history give way to each other in the order that is promised?"""

from __future__ import annotations

from pathlib import Path

import pytest

from gitnotes.config import Settings, load_settings, wants_conventional
from gitnotes.conventional import TYPES, Habits, learn_habits
from gitnotes.form import form_settings
from gitnotes.grade.rules import FormSettings, check_form
from gitnotes.records import Conventions

ADA = "Ada Example <ada@example.org>"
FOUND = Conventions(
    ("commitlint.config.js",),
    conventional=True,
    types=("feat", "fix"),
    scopes=("core",),
    subject_limit=100,
    body_limit=0,
    subject_case="lower",
    trailers=("Signed-off-by", "Reviewed-by"),
    levels={"trailing-stop": "error"},
)


def form(settings: Settings, found: Conventions | None = None, **more: object) -> FormSettings:
    options: dict[str, object] = {"author": ADA, "paths": ("src/a.py",), **more}
    return form_settings(settings, found, **options)  # type: ignore[arg-type]


def load(tmp_path: Path, text: str) -> Settings:
    (tmp_path / ".gitnotes.toml").write_text(text)
    return load_settings(tmp_path)


def test_defaults() -> None:
    made = form(Settings())
    assert (made.subject_limit, made.body_limit, made.types, made.capital) == (72, 100, TYPES, "any")
    assert not made.levels and not made.sign_off and not made.trailers


def test_other_tools_win_over_defaults_only(tmp_path: Path) -> None:
    made = form(Settings(), FOUND)
    assert (made.subject_limit, made.body_limit, made.types, made.scopes) == (
        100,
        0,
        ("feat", "fix"),
        ("core",),
    )
    assert made.capital == "lower" and made.sign_off and made.trailers == ("Reviewed-by",)
    text = (
        "subject_limit = 72\nscopes = []\nsign_off = false\ncapital = 'any'\n[rules]\ntrailing-stop = 'off'"
    )
    made = form(load(tmp_path, text), FOUND)
    assert (made.subject_limit, made.body_limit, made.scopes, made.sign_off) == (72, 0, (), False)
    assert made.capital == "any" and made.levels == {"trailing-stop": "off"}


def test_habits_give_way() -> None:
    habits = Habits(capital=True, stop=True)
    assert form(Settings(), habits=habits).capital == "untyped"
    assert form(Settings(), habits=habits).levels == {"trailing-stop": "off"}
    assert form(Settings(), FOUND, habits=habits).capital == "lower"
    assert form(Settings(), FOUND, habits=habits).levels == {"trailing-stop": "error"}


OVERRIDES = """
subject_limit = 60
[rules]
vague = "warning"
[[overrides]]
paths = ["docs/**", "*.md"]
subject_limit = 80
ticket = ""
[overrides.rules]
vague = "off"
[[overrides]]
authors = ["*@example.org>"]
attribution = "no-tools"
[[overrides]]
paths = ["docs/**"]
authors = ["renovate[bot] *"]
body-limit = 0
"""


@pytest.mark.parametrize(
    ("author", "paths", "limit", "vague", "attribution", "body"),
    [
        (ADA, ("docs/a.rst", "b.md"), 80, "off", "no-tools", 100),
        (ADA, ("docs/a.rst", "a.py"), 60, "warning", "no-tools", 100),
        ("Bob <bob@other.org>", ("a.py",), 60, "warning", "allowed", 100),
        ("Bob <bob@other.org>", (), 60, "warning", "allowed", 100),
        ("renovate[bot] <r@other.org>", ("docs/a.rst",), 80, "off", "allowed", 0),
        ("renovate[bot] <r@other.org>", ("a.md",), 80, "off", "allowed", 100),
    ],
)
def test_overrides(
    tmp_path: Path, author: str, paths: tuple[str, ...], limit: int, vague: str, attribution: str, body: int
) -> None:
    made = form(load(tmp_path, OVERRIDES), author=author, paths=iter(paths))
    assert (made.subject_limit, made.levels["vague"], made.attribution, made.body_limit) == (
        limit, vague, attribution, body,
    )  # fmt: skip


def test_what_is_made_is_what_is_checked(tmp_path: Path) -> None:
    settings = load(tmp_path, 'ticket = "OPS-\\\\d+"\n[rules]\nticket-missing = "warning"\n')
    (finding,) = check_form("Add retry to client", settings=form(settings))
    assert (finding.rule, finding.severity) == ("ticket-missing", "warning")


@pytest.mark.parametrize(
    ("setting", "found", "answer"),
    [
        ("auto", None, None), ("auto", Conventions(()), None), ("auto", FOUND, True), ("never", FOUND, False),
        ("always", None, True),
    ],
)  # fmt: skip
def test_who_says_conventional(setting: str, found: Conventions | None, answer: bool | None) -> None:
    assert wants_conventional(Settings(conventional=setting, elsewhere=found)) is answer


def test_habits_of_a_history() -> None:
    subjects = ["Add a parser", "Fix the cache", "Drop retries"] * 4
    assert learn_habits(subjects) == Habits(False, True, False)
    assert learn_habits([f"{subject}." for subject in subjects]) == Habits(False, True, True)
    assert learn_habits(["add a parser", "Fix the cache"] * 10) == Habits()
    assert learn_habits(["fix: keep order", "feat: add x", "Merge branch 'a'"] * 5) == Habits(
        conventional=True
    )
    assert learn_habits(subjects[:3]) == Habits()
    assert learn_habits([]) == Habits()
