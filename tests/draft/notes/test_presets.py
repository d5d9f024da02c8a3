"""Each named layout tells what it says it tells, and accounts for the rest."""

from __future__ import annotations

import pytest

from gitnotes.draft.notes.note import draft_note
from gitnotes.draft.notes.presets import PRESETS
from gitnotes.draft.notes.voice import choose_style, voice_features
from gitnotes.records import Commit, CommitTree, Draft

SUBJECTS = (
    "v1.1.0",
    "docs: say how to start",
    "fix(core): repair the lock (#12)",
    "refactor: split the reader",
    "build(deps): bump alpha from 1.0 to 1.1 (#9)",
    "feat: add a timeout",
    "Fix the colours",
)


class Pages:
    pull_mark = "#"

    def commit_url(self, sha: str) -> str:
        return f"https://host/p/commit/{sha}"

    def pull_url(self, number: int) -> str:
        return f"https://host/p/pull/{number}"

    def issue_url(self, number: int) -> str:
        return f"https://host/p/issues/{number}"

    def compare_url(self, start: str, end: str) -> str:
        return f"https://host/p/compare/{start}...{end}"


def tree_of(*subjects: str) -> CommitTree:
    """A line of commits, newest first."""
    ids = [f"{number}abcdef{number:033}" for number in range(len(subjects) + 1)]
    return CommitTree(
        "v1.0.0",
        "v1.1.0",
        tuple(
            Commit(sha, (parent,), "Ada", "ada@example.org", 0, subject, "")
            for sha, parent, subject in zip(ids, ids[1:], subjects, strict=False)
        ),
    )


def note(style: str, *subjects: str, remote: Pages | None = None) -> Draft:
    return draft_note(
        tree_of(*(subjects or SUBJECTS)),
        version="1.1.0",
        date="2024-05-01",
        style=style,
        heading=False,
        remote=remote,
    )


EXPECTED = {
    "conventional": """
### Bug Fixes

* **core:** repair the lock (#12) (2abcdef)

### Features

* add a timeout (5abcdef)""",
    "maintenance": """
### Bug Fixes

* **core:** repair the lock (2abcdef)

### Features

* add a timeout (5abcdef)

### Maintenance Improvements

* split the reader (3abcdef)""",
    "github": """
### What's Changed

* Fix the colours by Ada in 6abcdef
* feat: add a timeout by Ada in 5abcdef
* build(deps): bump alpha from 1.0 to 1.1 by Ada in #9
* refactor: split the reader by Ada in 3abcdef
* fix(core): repair the lock by Ada in #12
* docs: say how to start by Ada in 1abcdef""",
    "commits": """
### Changelog

* 1abcdef docs: say how to start
* 2abcdef fix(core): repair the lock
* 3abcdef refactor: split the reader
* 4abcdef build(deps): bump alpha from 1.0 to 1.1
* 5abcdef feat: add a timeout
* 6abcdef Fix the colours""",
    "table": """
| Type | Description | Link |
| --- | --- | --- |
| Fix | Fix the colours | 6abcdef |
| Feature | Add a timeout | 5abcdef |
| Improvement | alpha 1.0 -> 1.1 | #9 |
| Fix | **core:** Repair the lock | #12 |""",
    "bullets": """
- Fix the colours
- Add a timeout
- alpha 1.0 -> 1.1
- **core:** Repair the lock""",
}


@pytest.mark.parametrize("style", EXPECTED)
def test_the_look_of_a_preset(style: str) -> None:
    assert f"\n{note(style).text}" == EXPECTED[style]


@pytest.mark.parametrize("style", PRESETS)
def test_every_commit_is_told_or_left_out_with_a_reason(style: str) -> None:
    made = note(style)
    left_out = {omission.path for omission in made.omitted}
    told = [
        commit
        for commit, words in zip(
            tree_of(*SUBJECTS).commits,
            ("1.1.0", "how to start", "the lock", "the reader", "alpha", "a timeout", "the colours"),
            strict=True,
        )
        if words in made.text
    ]
    assert {commit.sha for commit in told} | left_out == {commit.sha for commit in tree_of(*SUBJECTS).commits}
    assert not {commit.sha for commit in told} & left_out
    assert all(omission.reason for omission in made.omitted)


def test_links_of_commits_and_pulls() -> None:
    text = note("conventional", "fix: repair (#12)", remote=Pages()).text
    sha = tree_of("x").commits[0].sha
    assert f"([#12](https://host/p/pull/12)) ([0abcdef](https://host/p/commit/{sha}))" in text


def test_a_note_is_not_empty_while_there_is_news() -> None:
    assert "- Add a timeout" in note("conventional", "Add a timeout").text.replace("* ", "- ").replace(
        "add", "Add"
    )


def test_breaking_changes_have_a_place_in_every_style() -> None:
    for style in PRESETS:
        assert "drop the old reader" in note(style, "chore!: drop the old reader").text.lower(), style


def test_auto_reads_the_voice_of_a_history() -> None:
    typed = tree_of(
        "chore(release): 1.2.0 [skip ci]",
        "fix: a (#2)",
        "feat(x): b (#3)",
        "chore: c",
        "docs: d",
        "fix(y): e",
    )
    plain = tree_of(
        "Autorelease 0.198.5", "Make #close safer. (#4651)", "[Timelock] Part 3: Fix cache (#4666)"
    )
    assert choose_style(typed) in ("conventional", "semantic", "maintenance")
    assert choose_style(plain) == "table"
    made = draft_note(typed, version="1.2.0", date="2024-05-01", style="auto")
    assert made.signature.settings["style"] == f"auto {choose_style(typed)}"
    assert choose_style(CommitTree(None, "HEAD", ())) == "keepachangelog"


def test_features_do_not_grow_with_the_history() -> None:
    few, many = tree_of(*["fix: a"] * 10), tree_of(*["fix: a"] * 900)
    assert set(voice_features(few)) == set(voice_features(many))
