"""Is the house style learned from subjects, and does a subject take its shape?"""

from __future__ import annotations

import pytest

from gitnotes.codec import from_json, to_json
from gitnotes.draft.style import Style, apply, change_case, change_tense, learn_style, prefix_for
from gitnotes.guard.width import columns
from tests.draft.patches import commits

PLAIN = [
    "Fix crash on empty input",
    "Add support for wheels",
    "Remove old cache",
    "Update the parser",
    "Fix the docs",
]
CONVENTIONAL = [
    "fix(cli): handle empty input",
    "feat(cli): add colour",
    "docs: explain hooks",
    "feat!: drop 3.8",
    "chore: tidy",
]


def test_no_history_gives_the_defaults() -> None:
    assert learn_style([]) == Style()


def test_plain_subjects() -> None:
    style = learn_style(commits(PLAIN))
    assert (style.conventional, style.case, style.tense, style.stop, style.types) == (
        False,
        "upper",
        "imperative",
        False,
        {},
    )
    assert apply(style, "Add retry to fetch", paths=["a.py"], kind="feat") == "Add retry to fetch"


def test_conventional_subjects() -> None:
    style = learn_style(commits(CONVENTIONAL))
    assert style.conventional
    assert style.types == {"feat": 2, "fix": 1, "docs": 1, "chore": 1}
    assert style.scopes == {"cli": 2}
    assert apply(style, "Add retry to fetch", paths=["a.py"], kind="feat") == "feat: add retry to fetch"


def test_scope_comes_from_the_folder() -> None:
    history = commits(["fix(cli): a b", "feat(cli): c d", "feat(cli): e f"], "src/cli/main.py")
    history += commits(["docs: g h", "docs: i j", "docs: k l"], "docs/index.md")
    style = learn_style(history)
    assert (
        apply(style, "Add quiet option", paths=["src/cli/args.py"], kind="feat")
        == "feat(cli): add quiet option"
    )
    assert (
        apply(style, "Update index docs", paths=["docs/hooks.md"], kind="docs") == "docs: update index docs"
    )


def test_label_of_a_folder_and_of_its_unseen_sister() -> None:
    history = commits(["tsdb: fix head", "tsdb: add block", "tsdb: remove x"], "tsdb/head.go")
    history += commits(["promql: fix parser", "promql: add y", "promql: z"], "promql/engine.go")
    style = learn_style(history)
    assert apply(style, "Update Head", paths=["tsdb/wal.go"]) == "tsdb: update Head"
    assert apply(style, "Update Manager", paths=["scrape/manager.go"]) == "scrape: update Manager"


def test_a_label_that_the_change_does_not_touch_is_not_used() -> None:
    style = Style(commits=9, folder_prefixes={"web": "histograms: "})
    assert prefix_for(style, ["web/app.ts"], "fix") == ""


@pytest.mark.parametrize(
    ("subjects", "expected"),
    [
        (["Added a thing", "Fixed the bug", "Removed it all"], "Added retry"),
        (["Adds a thing", "Fixes the bug", "Removes it all"], "Adds retry"),
        (["add a thing", "fix the bug", "remove it all"], "add retry"),
        (["Add a thing.", "Fix the bug.", "Remove it all."], "Add retry."),
        (["✨ Add a thing", "🐛 Fix the bug", "🔥 Remove it all"], "✨ Add retry"),
        ([":sparkles: Add a thing", ":bug: Fix the bug", ":fire: Remove it"], ":sparkles: Add retry"),
    ],
)
def test_shape(subjects: list[str], expected: str) -> None:
    assert apply(learn_style(commits(subjects)), "Add retry", paths=["a.py"], kind="feat") == expected


def test_words_for_types_follow_the_house() -> None:
    history = commits(["chore: bump a", "chore: bump b", "tests: add c", "fix: d e"])
    style = learn_style(history)
    assert prefix_for(style, ["a.py"], "build") == "chore: "
    assert prefix_for(style, ["a.py"], "test") == "tests: "


def test_release_and_phrases_are_learned() -> None:
    history = commits(
        ["release version 2.1.0", "release version 2.0.0", "start version 2.1.1", "start version 2.0.1"],
        "CHANGES.rst",
    )
    history += commits(["update dependencies"] * 4, "requirements/dev.txt", "requirements/docs.txt")
    style = learn_style(history)
    assert (style.release, style.start) == ("release version {version}", "start version {version}")
    assert style.phrases["dependencies"] == "update dependencies"


def test_merges_reverts_and_fixups_do_not_teach() -> None:
    assert learn_style(commits(["Merge branch 'a' into b", 'Revert "x: y"', "fixup! feat: z"])).commits == 0


def test_names_keep_their_case() -> None:
    assert change_case("HTTPServer is closed", "lower") == "HTTPServer is closed"
    assert change_case("Add x", "lower") == "add x"
    assert change_case("parse_line is faster", "upper") == "parse_line is faster"
    assert change_tense("Rewrite the lexer", "past") == "Rewrote the lexer"
    assert change_tense("Parser", "past") == "Parser"


def test_never_wider_than_72_columns() -> None:
    style = learn_style(
        commits([f"feat(a-rather-long-scope): {word}." for word in ("add x", "fix y", "drop z")], "src/a.py")
    )
    for text in ("Add " + "word " * 40, "Add " + "语" * 60, "Add " + "x" * 200):
        assert columns(apply(style, text, paths=["src/a.py"], kind="feat")) <= 72


def test_a_style_survives_json() -> None:
    style = learn_style(commits(CONVENTIONAL, "src/cli/a.py"))
    assert from_json(Style, to_json(style)) == style


def test_escape_sequences_in_history_are_not_learned() -> None:
    style = learn_style(
        commits(["\x1b[31mtsdb\x1b[0m: fix a", "\x1b]0;x\x07tsdb: add b", "tsdb: c d"], "tsdb/a.go")
    )
    assert "\x1b" not in repr(to_json(style))


@pytest.mark.parametrize(
    ("subjects", "expected"),
    [
        (["release: v3.5.40", "release: v3.5.39"], "v{version}"),
        (["5.1.0", "5.0.1"], "{version}"),
        (["Release v2.1.0", "Release v2.0.0"], "Release v{version}"),
        (["ignore-0.4.33", "globset-0.4.20", "grep-cli-0.1.13"], "{name}-{version}"),
        (["Release :gem: v4.4.1", "Release :gem: v4.4.0"], "Release :gem: v{version}"),
        (["Fix parser 2.0", "Support Python 3.15"], ""),
    ],
)
def test_releases_are_called_as_before(subjects: list[str], expected: str) -> None:
    assert learn_style(commits([*subjects, "Fix a leak", "Add a thing"], "package.json")).release == expected


@pytest.mark.parametrize(
    ("scope", "kind", "expected"),
    [("docs", "docs", "docs: "), ("tests", "test", "test: "), ("docs", "fix", "fix(docs): ")],
)
def test_a_scope_does_not_repeat_the_type(scope: str, kind: str, expected: str) -> None:
    style = Style(commits=9, conventional=True, nearest=f"{{type}}({scope}): ", types={kind: 9})
    assert prefix_for(style, ["README.md"], kind) == expected
