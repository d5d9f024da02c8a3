"""Do the notes look like those that the project wrote itself?"""

from __future__ import annotations

import pytest

from gitnotes.draft.notes.categories import category_of, plumbing
from gitnotes.draft.notes.note_order import complete_sequence, learn_sequence
from gitnotes.draft.notes.note_style import learn_note_style
from gitnotes.draft.notes.titles import is_step, read_title
from gitnotes.draft.notes.writer import NoteWriter

UNDERLINED = "CHANGELOG\n=========\n\n{version}\n-----\n{body}\n"


def entries(bullet: str, *texts: str, times: int = 1) -> str:
    return "".join(f"{bullet}{text}\n" for text in texts * times)


@pytest.mark.parametrize(
    ("name", "body", "markup"),
    [
        ("CHANGELOG.md", "- Add `x`\n  ```sh\n  x --all\n  ```", "markdown"),
        ("CHANGELOG.md", "- Add ``x``", "markdown"),
        ("", "- Add `x`\n\n```sh\nx\n```", "markdown"),
        ("", "- Add ``x``", "rst"),
        ("CHANGES.rst", "- Add x", "rst"),
    ],
)
def test_underlines_are_no_sign_of_restructured_text(name: str, body: str, markup: str) -> None:
    style = learn_note_style(UNDERLINED.format(version="1.0.0", body=body), name)
    assert (style.markup, style.underline) == (markup, "-")


def test_an_underline_opens_no_code_block() -> None:
    sections = "".join(f"{name}\n{'~' * len(name)}\n\n- x\n\n" for name in ("Features", "Fixes", "Internal"))
    text = UNDERLINED.format(version="1.0.0", body=sections)
    assert learn_note_style(text, "NEWS.rst").sequence == ("Features", "Fixes", "Internal")
    code = "- Add x\n\nAs in:\n~~~~~~\n## 9.9.9\n~~~~~~\n\n## Fixes\n"
    assert learn_note_style(f"# 1.0.0\n\n{code}", "NEWS.md").names == (("Fixes", "Fixes"),)


@pytest.mark.parametrize(
    ("body", "bullet"),
    [
        ("### Fixes\n\n  * One\n    - part\n    - part\n  * Two\n", "  * "),
        ("### Fixes\n\n- One\n  - part\n  - part\n  - part\n- Two\n", "- "),
        ("### Fixes\n\n* One\n  goes on\n\n### Features\n\n* Two\n", "* "),
    ],
)
def test_the_bullet_is_that_of_the_outer_list(body: str, bullet: str) -> None:
    assert learn_note_style(f"## 1.1.0\n\n{body}").bullet == bullet


def test_people_are_no_entries() -> None:
    thanks = entries("- ", "Ada", times=9)
    style = learn_note_style(f"## 1.1.0\n\n### Fixes\n\n* **x:** repair\n\n### Contributors\n\n{thanks}")
    assert (style.bullet, style.capitals) == ("* ", False)


def test_old_notes_do_not_outvote_new_ones() -> None:
    new = "".join(f"## 2.{minor}.0\n\n{entries('- ', 'Add this', times=20)}\n" for minor in (4, 3, 2))
    old = f"## 1.0.0\n\n{entries('* ', 'add that.', times=200)}"
    style = learn_note_style(f"{new}{old}")
    assert (style.bullet, style.capitals, style.full_stops) == ("- ", True, False)


def test_kinds_stand_in_the_order_of_the_project() -> None:
    body = "### Fixed\n\n- a\n\n### Added\n\n- b\n\n"
    assert learn_note_style(f"## 1.1.0\n\n{body}## 1.0.0\n\n{body}").sequence == ("Fixes", "Features")
    labels = "## 1.1.0\n\n* [CHANGE] a\n* [FEATURE] b\n* [ENHANCEMENT] c\n* [BUGFIX] d\n"
    assert learn_note_style(labels).sequence == ("Breaking", "Features", "Changes", "Fixes")


def test_a_sequence_goes_by_most_notes() -> None:
    known = learn_sequence(
        [["Fixes", "Features"], ["Fixes", "Features"], ["Features", "Fixes"], ["Security"]]
    )
    assert known == ("Fixes", "Features")
    whole = complete_sequence(known)
    assert whole[:4] == ("Breaking", "Fixes", "Performance", "Security")
    assert (
        whole[-1] == "Internal"
        and whole.index("Features") < whole.index("Documentation")
        and len(whole) == len(set(whole)) == 11
    )
    assert complete_sequence(())[:3] == ("Breaking", "Features", "Fixes")


def test_headings_below_keep_their_level() -> None:
    style = learn_note_style("# [1.1.0](https://x/1) (2024-05-01)\n\n### Features\n\n* **a:** b\n")
    assert NoteWriter(style, None).subheading("Features") == ["### Features"]
    markdown = learn_note_style("1.1.0\n=====\n\nFixes\n-----\n\n- a\n", "NEWS.md")
    assert NoteWriter(markdown, None).subheading("Fixes") == ["Fixes\n-----"]


@pytest.mark.parametrize(
    ("item", "linked", "refs"),
    [
        ("Add this (#1)", False, "pull"),
        ("Add this ([#1](https://x/pull/1))", True, "pull"),
        ("add this ([#1](https://x/1)) ([0f1e2d3](https://x/commit/0f1e2d3))", True, "both"),
        ("Add this", True, "pull"),
    ],
)
def test_references_lead_where_those_of_the_project_do(item: str, linked: bool, refs: str) -> None:
    style = learn_note_style(f"## 1.1.0\n\n{entries('- ', item, times=6)}")
    assert (style.linked, style.refs) == (linked, refs)


def test_what_a_flat_list_tells_is_told() -> None:
    plain = entries("- ", "Add this", "Fix that", times=8)
    assert learn_note_style(f"## 1.1.0\n\n{plain}").without == ("Documentation", "Dependencies", "Internal")
    updates = entries("- ", "Update dependencies", times=4)
    assert learn_note_style(f"## 1.1.0\n\n{plain}{updates}").without == ("Documentation", "Internal")


def test_a_heading_need_not_be_a_known_one_to_tell() -> None:
    text = (
        f"## 1.1.0\n\n### Internal Implementation, Development Support etc.\n\n{entries('- ', 'x', times=12)}"
    )
    assert "Internal" not in learn_note_style(text).without


def test_updates_stand_where_the_work_of_developers_does() -> None:
    items = entries("- ", "Bump rubocop", "Update dependencies", times=6)
    style = learn_note_style(f"## 1.1.0\n\n### Development Fixes\n\n{items}")
    assert style.name_of("Dependencies") == style.name_of("Internal") == "Development Fixes"


@pytest.mark.parametrize(
    ("subject", "paths", "category"),
    [
        ("Add gha-update", ("pyproject.toml", "tox.ini"), "Internal"),
        ("Fix min python for pip-compile", ("requirements/dev.txt", "tox.ini"), "Internal"),
        ("Add *.py diff=python to .gitattributes", (".gitattributes",), "Internal"),
        ("Add the scorecard action and its badge", (".github/workflows/s.yml", "README.md"), "Internal"),
        ("Add a sponsor", ("docs/img/a.png", "docs/nav.html", "mkdocs.yml"), "Documentation"),
        ("fix(bump): add a case", ("tests/test_bump.py",), "Internal"),
        ("Update acme/common", ("go.mod", "go.sum"), "Dependencies"),
        ("Drop support for Python 3.8", ("pyproject.toml", "tox.ini", "tests/test_x.py"), "Changes"),
        ("Drop support for CPython 3.7", ("setup.py", "src/compat.py"), "Changes"),
        ("Require acme 2.2", ("pyproject.toml",), "Changes"),
        ("Allow empty names", ("CHANGES.md", "tests/test_names.py"), "Features"),
        ("Add a button", ("icons/a.png",), "Features"),
        ("Bump the actions group with 3 updates", (), "Dependencies"),
        ("Upgrade to golangci-lint v1.62.0", (), "Internal"),
    ],
)
def test_where_a_change_was_made_tells_whom_it_concerns(
    subject: str, paths: tuple[str, ...], category: str
) -> None:
    title = read_title(subject)
    assert category_of(title.text, paths, title.category, title.scope) == category


@pytest.mark.parametrize(
    ("subject", "is_news"),
    [
        ("Update history to reflect merge of #9167 [ci skip]", False),
        ("Fix History entry for v4.3.2", False),
        ("added history.md entry", False),
        ("Strip extra newlines in History document", False),
        ("Add Jekyll 3.10.0 release post & history", False),
        ("Release :gem: v4.3.1", False),
        ("globset-0.4.8", False),
        ("The third batch", False),
        ("Start 2.50 cycle (batch #1)", False),
        ("Fix history search in the shell", True),
        ("Fix history entry that is said twice", True),
        ("Add release notes to the page of a package", True),
        ("Use utf-8", True),
        ("Send mail in a batch", True),
    ],
)
def test_papers_of_a_release_are_no_news(subject: str, is_news: bool) -> None:
    assert (not plumbing(read_title(subject).text)) == is_news


def test_a_title_ends_where_its_list_begins() -> None:
    assert read_title("perf: tune the order: - Do not sort - Do not copy").text == "tune the order"
    assert read_title("Explain a: b - c").text == "Explain a: b - c"
    assert read_title("Fix x [skip ci] (#7)").pulls == ("#7",)
    assert read_title("[ci skip]").text == "[ci skip]"


@pytest.mark.parametrize(
    ("part", "is_told"),
    [
        ("feat: read files", True),
        ("fix: close the file", True),
        ("refactor!: drop the reader", True),
        ("fix: tweaks", False),
        ("feat: update src/lib.rs", False),
        ("fix: apply suggestions from code review", False),
        ("fix: fix failing tests", False),
        ("docs: add dash", False),
        ("test: cover it", False),
        ("fix: typo in the name of the header", True),
    ],
)
def test_steps_of_the_work_are_no_parts_of_the_change(part: str, is_told: bool) -> None:
    assert is_step(read_title(part)) != is_told


@pytest.mark.parametrize(
    ("line", "below"), [("**Bugfixes**", "**"), ("**Bugfixes:**", "**"), ("Bugfixes:", ":")]
)
def test_lines_above_lists_are_headings_where_there_are_no_others(line: str, below: str) -> None:
    style = learn_note_style(f"1.1.0\n-----\n\n{line}\n- Repair x\n\nNote:\n- y\n", "HISTORY.md")
    assert (style.layout, style.below, style.names) == ("sections", below, (("Fixes", "Bugfixes"),))
    shown = {"**": "**Bugfixes**", ":": "Bugfixes:"}[below]
    assert NoteWriter(style, None).subheading("Bugfixes") == [shown]
    known = learn_note_style(f"## 1.1.0\n\n### Added\n\n{line}\n\n- x\n")
    assert known.below == "###"


def test_issues_have_the_role_of_the_project() -> None:
    style = learn_note_style("1.1.0\n-----\n\n-   Add x. :pr:`1`\n", "CHANGES.rst")
    assert NoteWriter(style, None).escape("Fix #7: close") == "Fix :issue:`7`: close"


def test_what_the_title_says_is_no_part() -> None:
    part = read_title("feat: support bumping version based on custom pattern")
    assert is_step(part, "support bumping based on custom pattern")
    assert not is_step(part, "support a pattern")
