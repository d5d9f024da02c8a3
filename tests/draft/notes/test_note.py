from __future__ import annotations

import itertools
import time
from collections import Counter
from dataclasses import replace

import pytest

from gitnotes.draft.notes.bumps import Bump
from gitnotes.draft.notes.entries import Entry, read_entries
from gitnotes.draft.notes.markup import markdown, restructured
from gitnotes.draft.notes.note import draft_note, learn_note_style
from gitnotes.draft.notes.presets import PRESETS
from gitnotes.draft.notes.titles import breaking_notes, read_title
from gitnotes.draft.notes.wording import with_capital, with_stop
from gitnotes.errors import UsageError
from gitnotes.records import Commit, CommitTree, FileChange, Omission


class Pages:
    """Links of a project on a host like GitHub."""

    pull_mark = "#"

    def commit_url(self, sha: str) -> str:
        return f"https://host/p/commit/{sha}"

    def pull_url(self, number: int) -> str:
        return f"https://host/p/pull/{number}"

    def issue_url(self, number: int) -> str:
        return f"https://host/p/issues/{number}"

    def compare_url(self, start: str, end: str) -> str:
        return f"https://host/p/compare/{start}...{end}"


class Range:
    """Commits from the oldest to the newest; each one's parent is the one before, unless told."""

    def __init__(self) -> None:
        self.commits: list[Commit] = []
        self._ids = itertools.count(1)
        self.tip = "0" * 40

    def add(
        self,
        subject: str,
        body: str = "",
        *,
        parents: tuple[str, ...] | None = None,
        author: tuple[str, str] = ("Ada", "ada@example.org"),
        trailers: tuple[tuple[str, str], ...] = (),
        paths: tuple[str, ...] | None = None,
    ) -> str:
        sha = f"{next(self._ids):040x}"[::-1]
        files = None if paths is None else tuple(FileChange(path, "M") for path in paths)
        on = (self.tip,) if parents is None else parents
        self.commits.append(Commit(sha, on, *author, 0, subject, body, trailers, files))
        if parents is None or self.tip in parents:
            self.tip = sha
        return sha

    def branch(self, *subjects: str, base: str | None = None, body: str = "") -> str:
        """Commits beside the main line; the id of the last one."""
        at, tip = base or self.tip, self.tip
        for subject in subjects:
            at = self.add(subject, body, parents=(at,))
            self.tip = tip
        return at

    def merge(self, subject: str, other: str, body: str = "") -> str:
        return self.add(subject, body, parents=(self.tip, other))

    def tree(self, start: str | None = "v1.0.0", end: str = "v1.1.0") -> CommitTree:
        return CommitTree(start, end, tuple(reversed(self.commits)))

    def entries(self) -> list[Entry]:
        return check(self.tree())[0]

    def texts(self) -> list[str]:
        return [entry.text for entry in self.entries()]


def check(tree: CommitTree) -> tuple[list[Entry], list[Omission]]:
    """The entries, after a look that every commit is accounted for exactly once."""
    entries, omitted = read_entries(tree)
    used = [sha for entry in entries for sha in entry.commits] + [item.path for item in omitted]
    assert Counter(used) == Counter(commit.sha for commit in tree.commits)
    assert all(item.reason for item in omitted)
    return list(entries), list(omitted)


def note(made: Range, **options: object) -> str:
    return draft_note(made.tree(), version="1.1.0", date="2024-05-01", **options).text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        ("Merge pull request #7 from ada/frob", "feat: add frobnicator"),
        ("feat: add frobnicator (#7)", ""),
        ("Merge pull request #7 in PROJ/repo from frob to main", "feat: add frobnicator\n\n* commit 'abc':"),
        ("Merged in frob (pull request #7)", "feat: add frobnicator\n\nApproved-by: Bob"),
        ("Merge pull request 'feat: add frobnicator' (#7) from frob into main", ""),
        ("Merge #7", "7: feat: add frobnicator r=bob a=ada\n\ntext"),
        ("Auto merge of #7 - ada:frob, r=bob", "feat: add frobnicator\n\ntext"),
    ],
)
def test_a_merged_pull_request_is_said_once(subject: str, body: str) -> None:
    made = Range()
    tip = made.branch("feat: add frobnicator", "wip")
    made.merge(subject, tip, body)
    (entry,) = made.entries()
    assert (entry.text, entry.category, entry.pulls) == ("add frobnicator", "Features", ("#7",))
    assert len(entry.commits) == 3


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        ("Merge branch 'frob' into 'main'", "Add frobnicator\n\nCloses #3\n\nSee merge request group/proj!7"),
        ("Merged PR 7: Add frobnicator", ""),
    ],
)
def test_merge_requests_keep_their_own_mark(subject: str, body: str) -> None:
    made = Range()
    made.merge(subject, made.branch("wip"), body)
    (entry,) = made.entries()
    assert (entry.text, entry.pulls) == ("Add frobnicator", ("!7",))


def test_a_merge_without_a_title_is_opened() -> None:
    made = Range()
    inner = Range()
    inner._ids = itertools.count(100)
    inner.tip = made.tip
    for number in (1, 2, 3):
        inner.merge(
            f"Merge pull request #{number} from x/y", inner.branch(f"wip {number}"), f"Add part {number}"
        )
    made.commits = inner.commits
    made.merge("Merge branch 'main' into release", inner.tip)
    assert made.texts() == ["Add part 1", "Add part 2", "Add part 3"]
    _, omitted = check(made.tree())
    assert [item.path for item in omitted] == [made.tip]


@pytest.mark.parametrize(
    "title", ["Merge main into release-3.0", "[Release 3.0] Sync with main", "Add #12 to rc0"]
)
def test_a_sync_that_is_itself_a_pull_request_is_opened(title: str) -> None:
    made = Range()
    made.merge("Merge pull request #9 from x/sync", made.branch("Fix one (#1)", "Fix two (#2)"), title)
    assert [(entry.text, entry.pulls) for entry in made.entries()] == [
        ("Fix one", ("#1",)),
        ("Fix two", ("#2",)),
    ]


def test_a_release_pull_request_does_not_hide_a_change() -> None:
    made = Range()
    tip = made.branch("Prepare release 1.1.0-rc.0", "Fix the crash (#5)", "Update CHANGELOG")
    made.merge("Merge pull request #9 from x/rel", tip, "Prepare release 1.1.0-rc.0")
    assert made.texts() == ["Fix the crash"]
    reasons = {item.reason for item in check(made.tree())[1]}
    assert reasons == {"prepares a release", "edits the changelog"}


def test_the_text_of_a_topic_merge_is_its_title() -> None:
    made = Range()
    made.merge(
        "Merge branch 'ab/topic'",
        made.branch("wip"),
        "The parser learned\nto skip blanks.\n\n* ab/topic:\n  wip",
    )
    assert made.texts() == ["The parser learned to skip blanks."]


def test_a_pull_request_without_a_title_gives_its_number() -> None:
    made = Range()
    made.merge("Merge pull request #8 from x/y", made.branch("Fix one", "Add two"))
    assert [(entry.text, entry.pulls) for entry in made.entries()] == [
        ("Fix one", ("#8",)),
        ("Add two", ("#8",)),
    ]


def test_a_revert_and_its_target_cancel() -> None:
    made = Range()
    target = made.add("feat: shiny")
    made.add('Revert "feat: shiny"', f"This reverts commit {target}.")
    made.add("fix: real fix")
    assert made.texts() == ["real fix"]
    assert {item.reason[:6] for item in check(made.tree())[1]} == {"undone", "undoes"}


def test_a_reverted_revert_keeps_the_change() -> None:
    made = Range()
    first = made.add("feat: shiny")
    second = made.add('Revert "feat: shiny"', f"This reverts commit {first}.")
    made.add('Reapply "feat: shiny"', f"This reverts commit {second}.")
    assert made.texts() == ["shiny"]


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        ('Revert "Shiny thing (#3)" (#4)', "Reverts acme/proj#3"),
        ('Revert "Shiny thing (#3)"', ""),
        ("Revert pull request #3", ""),
        ('Revert "Shiny thing"', ""),
    ],
)
def test_a_pull_request_is_reverted_by_number_or_title(subject: str, body: str) -> None:
    made = Range()
    made.merge("Merge pull request #3 from x/y", made.branch("one", "two"), "Shiny thing")
    made.add(subject, body)
    assert made.texts() == []


def test_a_reverted_merge_takes_its_branch_along() -> None:
    made = Range()
    merge = made.merge("Merge pull request #3 from x/y", made.branch("one", "two"), "Shiny thing")
    made.merge(
        "Merge pull request #4 from x/z",
        made.branch(
            'Revert "Merge pull request #3 from x/y"',
            body=f"This reverts commit {merge}, reversing\nchanges.",
        ),
        "[Release 1.1] Undo shiny",
    )
    assert made.texts() == []


def test_a_revert_of_what_was_released_is_told() -> None:
    made = Range()
    made.add('Revert "feat: shiny (#3)"', f"This reverts commit {'f' * 40}.")
    (entry,) = made.entries()
    assert (entry.category, entry.text) == ("Reverted", "Reverted: shiny")


def test_a_revert_of_a_part_does_not_cancel_the_whole() -> None:
    made = Range()
    made.merge("Merge pull request #3 from x/y", made.branch("one", "two"), "Shiny thing")
    part = made.commits[0].sha
    made.add('Revert "one"', f"This reverts commit {part}.")
    assert made.texts() == ["Shiny thing", "Reverted: one"]


def test_fixups_picks_and_doubles_fold() -> None:
    made = Range()
    first = made.add("Add shiny thing")
    made.add("fixup! Add shiny thing")
    made.add("squash! fixup! Add shiny thing")
    made.add("Add shiny thing to 1.x", f"(cherry picked from commit {first})")
    made.add("add shiny thing. (#9)")
    (entry,) = made.entries()
    assert (entry.text, entry.pulls, len(entry.commits)) == ("Add shiny thing", ("#9",), 5)


def test_what_was_undone_and_picked_again_is_told() -> None:
    made = Range()
    first = made.add("feat: shiny")
    made.add('Revert "feat: shiny"', f"This reverts commit {first}.")
    made.add("feat: shiny", f"(cherry picked from commit {first})")
    (entry,) = made.entries()
    assert (entry.text, len(entry.commits)) == ("shiny", 1)


def test_two_commits_that_claim_each_other_are_not_lost() -> None:
    made = Range()
    made.add("Add one thing", f"(cherry picked from commit {'2'.ljust(40, '0')})")
    made.add("Add two thing", f"(cherry picked from commit {'1'.ljust(40, '0')})")
    made.add("fixup! fixup! Add three")
    made.add("fixup! Add three")
    assert made.commits[0].sha == "1".ljust(40, "0")
    assert made.texts() == ["Add one thing", "Add three"]


def test_a_trailer_cannot_hide_another_change() -> None:
    made = Range()
    first = made.add("Fix typo in docs")
    made.add("Remove the login check", f"(cherry picked from commit {first})")
    assert made.texts() == ["Fix typo in docs", "Remove the login check"]


def test_a_lost_fixup_stays() -> None:
    made = Range()
    made.add("fixup! Add what is not here")
    assert made.texts() == ["Add what is not here"]


def test_bumps_fold_by_name() -> None:
    made = Range()
    made.add("Bump foo from 1.0.0 to 1.0.1 (#1)")
    made.add("chore(deps): bump bar from 2 to 3 in /web")
    made.add("build(deps): bump foo from 1.0.1 to 1.2.0 (#5)")
    foo, bar = made.entries()
    assert foo.bumps == (Bump("foo", "1.0.0", "1.2.0", ("#1", "#5")),)
    assert len(foo.commits) == 2
    assert bar.bumps == (Bump("bar", "2", "3"),)
    assert "### Dependencies\n\n- foo 1.0.0 -> 1.2.0 (#1, #5)\n- bar 2 -> 3" in note(made)


def test_a_group_bump_is_read_from_its_body() -> None:
    made = Range()
    made.add(
        "Bump the k8s group with 2 updates (#3)",
        "Bumps the k8s group:\n\nUpdates `k8s.io/api` from 0.29.3 to 0.31.0\n- [Commits](x)\n\n"
        "Updates `@babel/core` from 7.1.0 to 8.0.0\n",
    )
    made.add("Bump k8s.io/api from 0.31.0 to 0.32.0 (#4)")
    (entry,) = made.entries()
    assert [(bump.name, bump.old, bump.new) for bump in entry.bumps] == [
        ("k8s.io/api", "0.29.3", "0.32.0"),
        ("@babel/core", "7.1.0", "8.0.0"),
    ]
    assert "- `@babel/core` 7.1.0 -> 8.0.0 (#3)" in note(made)


def test_a_bump_that_is_put_back_is_left_out() -> None:
    made = Range()
    made.add("Bump foo from 1.0 to 1.1")
    made.add("Bump foo from 1.1 to 1.0")
    assert made.texts() == []


PLUMBING = """
Release version 3.0.0
chore(release): 1.2.0
v1.2.0
1.2.0-rc.1
Prepare release 24.2.0 (#4226)
start version 3.0.0
Bump version to 1.2
Bump version: 1.1 → 1.2
Create release 2.55.0
New changelog
Add new release template
Update CHANGELOG.md
Add #14 to CHANGELOG
"""
NO_PLUMBING = """
Add changelog command to the CLI
Release the lock on error
Start 3 workers
Prepare statements once
Update year to 2024
Create release pages for 2 languages
Version the cache
Bump timeout to 30
"""


@pytest.mark.parametrize("subject", PLUMBING.strip().split("\n"))
def test_plumbing_is_left_out(subject: str) -> None:
    made = Range()
    made.add(subject)
    assert made.texts() == []
    assert "No changes beyond" in note(made)


@pytest.mark.parametrize("subject", NO_PLUMBING.strip().split("\n"))
def test_what_only_looks_like_plumbing_stays(subject: str) -> None:
    made = Range()
    made.add(subject)
    (entry,) = made.entries()
    assert entry.text == subject
    assert not entry.bumps


@pytest.mark.parametrize(
    ("subject", "category", "text"),
    [
        ("feat: sparkle", "Features", "sparkle"),
        ("✨ feat: sparkle", "Features", "sparkle"),
        (":bug: fix the bug", "Fixes", "fix the bug"),
        ("🐛 fix(core): naïve café", "Fixes", "naïve café"),
        ("🏷️ Type the client", "Internal", "Type the client"),
        ("perf!: drop the cache", "Breaking", "drop the cache"),
        ("refactor(api)!: rename it", "Breaking", "rename it"),
        ("docs: explain", "Documentation", "explain"),
        ("ci: run twice", "Internal", "run twice"),
        ("[BUGFIX] TSDB: stop the leak (#3)", "Fixes", "TSDB: stop the leak"),
        ("[Release 2.55] [PERF] Go faster", "Performance", "Go faster"),
        ("promql: fix the parser", "Fixes", "promql: fix the parser"),
        ("Add List type", "Features", "Add List type"),
        ("Add tests for the parser", "Internal", "Add tests for the parser"),
        ("Fix typo in docs", "Documentation", "Fix typo in docs"),
        ("Deprecate old_call", "Deprecations", "Deprecate old_call"),
        ("Fix CVE-2024-1234 in the parser", "Security", "Fix CVE-2024-1234 in the parser"),
        ("Widen the response typing", "Changes", "Widen the response typing"),
        ("Speed up start", "Performance", "Speed up start"),
        ("", "Changes", "(no subject)"),
    ],
)
def test_categories(subject: str, category: str, text: str) -> None:
    made = Range()
    made.add(subject)
    (entry,) = made.entries()
    assert (entry.category, entry.text) == (category, text)


def test_paths_decide_when_words_do_not() -> None:
    made = Range()
    made.add("Say more", paths=("docs/a.rst", "README.md"))
    made.add("Widen", paths=("tests/test_a.py",))
    made.add("Tune", paths=("src/a.py", "docs/a.rst"))
    assert [entry.category for entry in made.entries()] == ["Documentation", "Internal", "Changes"]


def test_every_breaking_footer_is_told_whole() -> None:
    body = (
        "Text.\n\nBREAKING CHANGE: the first\nspans two lines\n"
        "BREAKING-CHANGE: the second\nReviewed-by: Bob <b@x>\n"
    )
    assert breaking_notes(body) == ("the first spans two lines", "the second")
    made = Range()
    made.add("feat: big (#1)", body)
    shown = note(made)
    assert "### Breaking\n\n- Big (#1)\n  - The first spans two lines\n  - The second" in shown


def test_parts_of_a_squashed_body_stand_below_it() -> None:
    made = Range()
    made.add(
        "feat: big thing (#12)",
        "* feat: big thing\n\n* feat: add part one\n\n* fix: repair part two\n\n"
        "BREAKING CHANGE: call b, not a",
    )
    made.add("feat: long history (#13)", "\n".join(f"* fix: step {number}" for number in range(20)))
    shown = note(made)
    assert "- Big thing (#12)\n  - Call b, not a\n  - Add part one\n  - Repair part two" in shown
    assert "step" not in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("add List<T> and <script> support", "add List&lt;T> and &lt;script> support"),
        ("handle `<b>` in code", "handle `<b>` in code"),
        ("handle ``a ` <b>`` and ` alone", "handle ``a ` <b>`` and \\` alone"),
        ("__init__ and *args in foo_bar_baz", "\\_\\_init\\_\\_ and \\*args in foo_bar_baz"),
        ("use @property decorator and utils@flatten", "use `@property` decorator and utils@flatten"),
        ("bump @babel/core to 8.", "bump `@babel/core` to 8."),
        ("mail bob@example.org", "mail `bob@example.org`"),
        ("see https://evil.example/x_y.", "see `https://evil.example/x_y`."),
        ("[click](https://evil.example)", "\\[click\\](`https://evil.example`)"),
        ("![x](y)", "!\\[x\\](y)"),
        ("# Heading", "\\# Heading"),
        ("> quote", "\\> quote"),
        ("- [ ] task", "\\- \\[ \\] task"),
        ("1. one", "1\\. one"),
        ("a ~~b~~ c ~ d", "a \\~\\~b\\~\\~ c ~ d"),
        ("&lt; and R&D", "&amp;lt; and R&D"),
        ("a\\b", "a\\\\b"),
        ("C# interop, see acme/other#12 and #34", "C# interop, see acme/other#12 and #34"),
    ],
)
def test_markdown_shows_text_as_it_is(text: str, shown: str) -> None:
    assert markdown(text, None) == shown


def test_numbers_link_only_with_a_remote() -> None:
    linked = markdown("C# interop, see acme/other#12, #34 and `#35`", Pages())
    assert linked == "C# interop, see acme/other#12, [#34](https://host/p/issues/34) and `#35`"
    made = Range()
    made.add("Fix it (#7)")
    assert "- Fix it ([#7](https://host/p/pull/7))" in note(made, remote=Pages())
    assert "http" not in note(made)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`__init__` and *args, foo_ |x|", "``__init__`` and \\*args, foo\\_ \\|x\\|"),
        ("ends in code::", "ends in code:\\:"),
        (".. include:: /etc/passwd", "\\.. include:: /etc/passwd"),
        ("- list", "\\- list"),
        ("__dunder__ #3", "\\_\\_dunder\\_\\_ `#3 <https://host/p/issues/3>`__"),
    ],
)
def test_restructured_text_shows_text_as_it_is(text: str, shown: str) -> None:
    assert restructured(text, Pages()) == shown


def test_no_subject_reaches_the_layout() -> None:
    made = Range()
    made.add("Fix a\r## [9.9.9] - 2030-01-01\r\n\x1b[31m\u202ered\u2066")
    made.add("#" * 5 + " big")
    lines = note(made).split("\n")
    assert [line for line in lines if line.startswith("#")] == [
        "## [1.1.0] - 2024-05-01",
        "### Fixes",
        "### Changes",
    ]
    assert not set("\r\x1b\u202e\u2066") & set("\n".join(lines))


def test_contributors_are_named_once_and_bots_never() -> None:
    made = Range()
    made.add(
        "Fix it",
        trailers=(("Co-authored-by", "Bob <bob@x.org>"), ("Co-Authored-By", "Ada L. <ADA@example.org>")),
    )
    made.add("Fix that", author=("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"))
    assert note(made, contributors=True).endswith("### Contributors\n\n- Ada\n- Bob")
    assert "Contributors" not in note(made)


def test_the_heading_and_the_frame() -> None:
    made = Range()
    made.add("Add x (#1)")
    assert note(made, remote=Pages()) == (
        "## [1.1.0] - 2024-05-01\n\n### Features\n\n- Add x ([#1](https://host/p/pull/1))\n\n"
        "Full changelog: [v1.0.0...v1.1.0](https://host/p/compare/v1.0.0...v1.1.0)"
    )
    assert note(made, style="plain").startswith("## 1.1.0 (2024-05-01)\n")
    first = draft_note(made.tree(start=None), version="1.0.0", date="2024-05-01").text
    assert "\n\nFirst release.\n\n### Features" in first
    coming = draft_note(made.tree(end="HEAD"), version="Unreleased", date="2024-05-01", remote=Pages()).text
    assert coming.startswith("## [Unreleased]\n\n### Features")
    assert "compare" not in coming
    with pytest.raises(UsageError):
        note(made, style="nice")


def test_internal_changes_can_be_left_out_and_are_accounted_for() -> None:
    made = Range()
    made.add("ci: run twice")
    made.add("Add x")
    draft = draft_note(made.tree(), version="1.1.0", date="2024-05-01", internal=False)
    assert "run twice" not in draft.text
    assert draft.omitted == (Omission(made.commits[0].sha, "internal change"),)
    assert draft.kind == "note"


STYLES = {
    "keep": "# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2024-01-02"
    "\n\n### Added\n\n- Thing (#1)\n\n[1.0.0]: x\n",
    "plain": "# Log\n\n## 1.0.0 (Jan 2, 2024)\n\n### Bug Fixes\n\n* Thing ([#1](x))\n",
    "labels": "# Changelog\n\n## unreleased\n\n## 1.0.0 / 2024-01-02"
    "\n\n* [FEATURE] Thing. #1\n* [BUGFIX] Bug. #2, #3\n",
    "linked": "# Changelog\n\n## [1.0.0](https://host/p/compare/v0...v1) (2024-01-02)"
    "\n\n### Features\n\n* **x:** y\n",
    "rst": "Version 1.0.0\n-------------\n\nReleased 2024-01-02\n\n-   Use ``x``. :pr:`5`\n-   More.\n",
    "codename": "# Changelog\n\n## v1.0.0 - Big Bear\n\n- Thing\n- Other\n",
}
HEADS = {
    "keep": "## [1.1.0] - 2024-05-01\n\n### Added\n\n- Add x ([#1]",
    "plain": "## 1.1.0 (May 1, 2024)\n\n### Features\n\n* Add x ([#1]",
    "labels": "## 1.1.0 / 2024-05-01\n\n* [FEATURE] Add x. [#1]",
    "linked": "## [1.1.0](https://host/p/compare/v1.0.0...v1.1.0) (2024-05-01)\n\n### Features\n\n* Add x",
    "rst": "Version 1.1.0\n-------------\n\nReleased 2024-05-01\n\n-   Add x. :pr:`1`",
    "codename": "## v1.1.0\n\n- Add x ([#1]",
}


@pytest.mark.parametrize("name", STYLES)
def test_the_style_of_the_last_note_is_taken_up_and_stays(name: str) -> None:
    made = Range()
    made.add("Add x (#1)")
    style = learn_note_style(STYLES[name])
    text = note(made, style=style, remote=Pages())
    assert text.startswith(HEADS[name])
    again = learn_note_style(f"{text}\n\n{STYLES[name]}")
    assert note(made, style=again, remote=Pages()) == text


def test_an_empty_changelog_gives_the_preset() -> None:
    assert learn_note_style("") == PRESETS["keepachangelog"]
    assert learn_note_style("", "CHANGES.rst") == PRESETS["rst"]
    assert learn_note_style("# About\n\nSome text.\n") == PRESETS["keepachangelog"]
    made = Range()
    made.add("Add x (#1)")
    made.add("feat: wide\n")
    for file in ("CHANGELOG.md", "CHANGES.rst"):
        text = note(made, style=learn_note_style("", file))
        assert note(made, style=learn_note_style(text, file)) == text


def test_an_underline_is_as_wide_as_its_heading() -> None:
    made = Range()
    made.add("Add x")
    style = learn_note_style("バージョン 1.0.0\n================\n\n- ``x``\n")
    head = note(made, style=style).split("\n")[:2]
    assert head == ["バージョン 1.1.0", "=" * 16]


def test_hostile_text_takes_linear_time() -> None:
    made = Range()
    for piece in (
        "`" * 5000,
        "a " * 50_000,
        "(#1)" * 20_000,
        "Merge " * 9000,
        "#1," * 9000,
        "[a](" * 9000,
        "@a." * 9000,
    ):
        made.add(piece, f"{piece}\n\nBREAKING CHANGE: {piece}\n" * 3)
        made.add(f"Revert {piece}", f"reverts commit {piece}")
        made.add(f"Bump {piece}", f"Updates `{piece}` from 1 to 2\n")
    begun = time.perf_counter()
    check(made.tree())
    text = note(made, remote=Pages())
    assert time.perf_counter() - begun < 5
    assert max(len(line) for line in text.split("\n")) < 100_000


def test_a_deep_chain_of_merges_does_not_recurse() -> None:
    made = Range()
    tip = made.branch("Fix the bottom (#1)")
    for number in range(3000):
        other = made.add(f"Merge branch 'b{number}'", parents=(f"{number:0>40}"[::-1], tip))
        tip = other
    assert "Fix the bottom" in made.texts()


def test_titles_hold_numbers_scopes_and_cuts() -> None:
    title = read_title("fix(io)!: stop it (#12) (!34)")
    assert (title.text, title.scope, title.breaking, title.pulls) == ("stop it", "io", True, ("#12", "!34"))
    assert read_title("x" * 1000).text == "x" * 399 + "…"


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("**1.0.0**\n\n- a\n\n**0.9.0**\n\n- b\n", "**1.1.0**\n\n- Add `__x__` (#3)"),
        ("**v1.0.0** (2024-01-02)\n\n- a\n", "**v1.1.0** (2024-05-01)\n\n- Add `__x__` (#3)"),
        ("v1.0.0\n  * a\n\nv0.9.0\n  * b\n", "v1.1.0\n\n  * Add `__x__` (#3)\n  * Add \\_y and *z*"),
        (
            "Frob 1.0.0 2024-01-02\n\n - a\n",
            "Frob 1.1.0 2024-05-01\n\n - Add `__x__` (#3)\n - Add \\_y and *z*",
        ),
        ("# Log\r\r## 1.0.0\r* a\r", "## 1.1.0\n\n* Add `__x__` (#3)"),
    ],
)
def test_the_style_of_plain_headings_is_learned(text: str, start: str) -> None:
    made = Range()
    made.add("Add `__x__` (#3)")
    made.add("Add \\_y and *z*")
    assert note(made, style=learn_note_style(text), remote=None).startswith(start)


def test_bold_headings_have_headings_by_kind_below_them() -> None:
    made = Range()
    made.add("feat: add x")
    text = "**1.0.0**\n\n### Added\n\n- a\n\n### Fixed\n\n- b\n"
    assert note(made, style=learn_note_style(text)).startswith("**1.1.0**\n\n### Added\n\n- ")


def test_the_style_of_a_huge_changelog_is_learned_at_once() -> None:
    texts = [
        "# Log\n\n## 1.0.0\n" + "- line\n" * 2_000_000,
        "# " + "x" * 16_000_000,
        "## 1.0.0" + " #" * 200_000 + "x",
    ]
    begun = time.perf_counter()
    for text in texts:
        learn_note_style(text)
    assert time.perf_counter() - begun < 1
    assert learn_note_style(texts[0]).layout == "flat"


@pytest.mark.parametrize(
    ("subject", "body", "texts"),
    [
        ("feat: add one", "feat: add two", ["add one", "add two"]),
        ("feat: add one feat: add two", "", ["add one", "add two"]),  # as git joins them
        (
            "feat: add one (#7)",
            "Why.\n\nfix(core): repair two\nfix: repair three",
            ["add one", "repair two", "repair three"],
        ),
        ("feat: add one", "feat: add one\n\n```\nfix: in code\n```\n  fix: indented\n", ["add one"]),
        ("feat: add one (#7)", "feat: add one", ["add one"]),
        ("feat: add one", "It is\nfix: not a line of its own", ["add one"]),
        ("Add one", "fix: untyped subjects have prose below", ["Add one"]),
        ("feat: add one", "fix: #12\ndocs: https://host/p", ["add one"]),
        ("feat: add one", "\n".join(f"fix: number {n}" for n in "abcdefgh"), ["add one"]),
        ("fix: docs: repair typo", "", ["repair typo"]),
    ],
)
def test_every_typed_line_of_a_message_is_a_change(subject: str, body: str, texts: list[str]) -> None:
    made = Range()
    sha = made.add(subject, body)
    entries = made.entries()
    assert [entry.text for entry in entries] == texts
    assert [entry.commits or (entry.source,) for entry in entries] == [(sha,)] * len(texts)
    assert all(entry.authors == ("Ada",) for entry in entries)


def test_typed_lines_below_keep_kind_scope_and_pull() -> None:
    made = Range()
    made.add("feat: add one (#7)", "fix(core): repair two\n\nperf!: speed up three (#8)")
    kinds = [(entry.category, entry.scope, entry.pulls) for entry in made.entries()]
    assert kinds == [("Features", "", ("#7",)), ("Fixes", "core", ("#7",)), ("Breaking", "", ("#8",))]


def test_co_authors_are_in_the_draft_and_in_the_note_when_asked_for() -> None:
    made = Range()
    people = ("Bob B <b@x.org>", "Cleo <c@x.org>", "Ada <ada@example.org>", "dependabot[bot] <d@x.org>")
    made.add("Add x", trailers=tuple(("Co-authored-by", person) for person in people))
    made.add("Release 1.1.0", author=("Zoe", "z@x.org"))
    draft = draft_note(made.tree(), version="1.1.0", date="2024-05-01")
    assert draft.contributors == ("Ada", "Bob B", "Cleo")
    assert "Bob" not in draft.text
    assert note(made, contributors=True).endswith("### Contributors\n\n- Ada\n- Bob B\n- Cleo")


def test_what_an_earlier_release_had_says_so() -> None:
    made = Range()
    picked = made.add("fix: repair x (#3)")
    made.add("fix: repair y")
    tip = made.branch("one", "two")
    both = made.commits[-2].sha, tip
    made.merge("Merge pull request #7 from ada/z", tip, "fix: repair z")
    shipped = dict.fromkeys((picked, *both), "v1.0.1")
    text = note(made, shipped=shipped)
    assert "- Repair x (#3) (already in v1.0.1)\n- Repair y\n- Repair z (#7) (already in v1.0.1)" in text
    # What a part of it had is news still.
    del shipped[tip]
    assert "- Repair z (#7)\n" in note(made, shipped=shipped) + "\n"
    assert "already" not in note(made)


@pytest.mark.parametrize(
    ("subject", "paths", "outcome"),
    [
        ("Add additional changelog entries", ("CHANGELOG.md",), "edits the changelog"),
        ("Fix a couple of PR links in changelog", ("CHANGELOG.md",), "edits the changelog"),
        ("Organise CHANGELOG", ("docs/CHANGELOG.md", "changelog.d/7.fix.md"), "edits the changelog"),
        ("feat: tell of the new API", ("CHANGES.rst",), "edits the changelog"),
        ("Get ready for 3.0", ("CHANGELOG.md", "VERSION", "web/package.json"), "prepares a release"),
        ("Cut release 3.0 beta.0", ("a.go",), "prepares a release"),
        ("Prepare 3.0.0-beta.1", ("a.go",), "prepares a release"),
        ("Prep release 3.0.0 rc.1", ("a.go",), "prepares a release"),
        ("Release 3.0.0 rc.0", ("a.go",), "prepares a release"),
        ("MAINTAINERS: Add Ada as maintainer", ("MAINTAINERS.md",), "Internal"),
        ("Add Ada to the owners", (".github/CODEOWNERS", "AUTHORS"), "Internal"),
        ("Fix flakiness of the query", ("tsdb/query_test.go",), "Internal"),
        ("fix(a/b_test.go): close the file", ("a/b_test.go",), "Internal"),
        ("Allow blank issue reports", (".github/ISSUE_TEMPLATE/config.yml",), "Internal"),
        ("Add a note on assets", ("docs/assets.md",), "Documentation"),
        ("Fix npm deps", ("package-lock.json",), "Dependencies"),
        ("Add x", ("CHANGELOG.md", "a.py"), "Features"),
        ("feat: run on pushes", (".github/workflows/ci.yml",), "Features"),
        ("Require 2.0", ("VERSION", "package.json"), "Changes"),
        ("Fix dependency injection", ("a.py",), "Fixes"),
        ("Prepare statements for 2.0 servers", ("a.py",), "Changes"),
    ],
)
def test_housekeeping_is_no_news(subject: str, paths: tuple[str, ...], outcome: str) -> None:
    made = Range()
    made.add(subject, paths=paths)
    entries, omitted = check(made.tree())
    assert [entry.category for entry in entries] + [item.reason for item in omitted] == [outcome]
    merged = Range()
    merged.merge("Merge pull request #7 from ada/x", merged.branch("wip"), subject)
    merged.commits[0] = replace(merged.commits[0], files=made.commits[0].files)
    entries, omitted = check(merged.tree())
    told = {item.reason for item in omitted} - {"merge without a title; what it brought in stands alone"}
    assert {entry.category for entry in entries} | told >= {outcome} or outcome == "prepares a release"


def test_a_breaking_change_is_told_wherever_it_was_made() -> None:
    made = Range()
    made.add("docs: tell of it", "BREAKING CHANGE: x is gone", paths=("CHANGELOG.md",))
    (entry,) = made.entries()
    assert entry.breaking == ("x is gone",)


@pytest.mark.parametrize(
    "title", ["3.0 main sync 24-08-30", "main sync", "Merge main into 3.0", "Sync with upstream"]
)
def test_what_a_sync_brings_stands_alone(title: str) -> None:
    made = Range()
    made.merge("Merge pull request #7 from ada/3.0-sync", made.branch("Add x", "Add y"), title)
    assert made.texts() == ["Add x", "Add y"]


def test_a_branch_of_work_merged_into_main_is_one_change() -> None:
    made = Range()
    tip = made.branch("wip", "more wip")
    made.merge("Merge pull request #7 from org/mantine-ui", tip, "Merge new UI for 3.0 into main")
    assert made.texts() == ["Merge new UI for 3.0 into main"]
    back = Range()
    back.merge(
        "Merge pull request #7 from org/release-2.5", back.branch("Fix x"), "Merge 2.5 fixes into main"
    )
    assert back.texts() == ["Fix x"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("fix x", "Fix x"),
        ("minor issue", "Minor issue"),
        ("data race in x", "Data race in x"),
        ("in-memory store", "In-memory store"),
        ("don't stop", "Don't stop"),
        ("src/a.py: fix x", "src/a.py: fix x"),
        ("promql: fix x", "promql: fix x"),
        ("foo_bar is gone", "foo_bar is gone"),
        ("fooBar is gone", "fooBar is gone"),
        ("read() stops", "read() stops"),
        ("`x` is gone", "`x` is gone"),
        ("npm 10 works", "npm 10 works"),
        ("tsdb opens faster", "tsdb opens faster"),
        ("frob opens faster", "frob opens faster"),
        ("frobs open faster", "Frobs open faster"),
        ("äther", "äther"),
        ("", ""),
    ],
)
def test_a_plain_word_begins_with_a_capital(text: str, shown: str) -> None:
    assert with_capital(text, frozenset(["frob", "src"])) == shown


@pytest.mark.parametrize(
    ("text", "without", "stopped"),
    [
        ("Fix x.", "Fix x", "Fix x."),
        ("Fix `x`", "Fix `x`", "Fix `x`."),
        ("Fix a, b, etc.", "Fix a, b, etc.", "Fix a, b, etc."),
        ("Wait...", "Wait...", "Wait..."),
        ("Why?", "Why?", "Why?"),
        ("One. Two.", "One. Two.", "One. Two."),
        ("Cut…", "Cut…", "Cut…"),
    ],
)
def test_full_stops_are_alike(text: str, without: str, stopped: str) -> None:
    assert (with_stop(text, False), with_stop(text, True)) == (without, stopped)


def test_how_entries_begin_and_end_is_learned() -> None:
    made = Range()
    made.add("fix(core): repair x (#1)", paths=("a.py",))
    small = "# Log\n\n## 1.0.0\n\n- **a:** b\n- repair y\n- Add c\n- drop d\n"
    stops = "# Log\n\n## 1.0.0\n\n- Repair y,\n  which was\n  broken. ([#1](x))\n- Add c. #2\n"
    assert note(made, style=learn_note_style(small)).endswith("- **core:** repair x (#1)")
    assert note(made, style=learn_note_style(stops)).endswith("- **core:** Repair x. (#1)")


def test_steps_below_a_subject_are_no_changes() -> None:
    made = Range()
    body = "fix: added history.md entry\n\ndocs: mention it\n\nfix: close the file"
    made.add("fix: repair the reader (#1)", body)
    entries, _ = check(made.tree())
    assert [entry.text for entry in entries] == ["repair the reader", "close the file"]


def test_what_breaks_inside_a_pull_request_is_said() -> None:
    made = Range()
    made.add("feat: start")
    side = made.branch("fix(core)!: remove as_partial", "feat: copy it")
    made.merge("Merge pull request #7 from ada/copy", side, "feat: copy versions")
    entries, _ = check(made.tree())
    assert (entries[-1].category, entries[-1].breaking) == ("Breaking", ("remove as_partial",))


def test_updates_in_a_flat_list_say_what_they_are() -> None:
    made = Range()
    made.add("deps: send@0.18.0")
    assert note(made, style=PRESETS["bullets"]).endswith("deps: `send@0.18.0`")
