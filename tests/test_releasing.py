"""Whose style does a note have that is asked for without a file?"""

from __future__ import annotations

import pytest

from gitnotes import release_note
from gitnotes.errors import UsageError
from gitnotes.read.git import open_git
from gitnotes.recipes.releasing import NoteOptions, draft_release, find_changelog
from tests.conftest import Repo

NOTES = "Changes\n=======\n\nVersion 1.0.0\n-------------\n\nReleased 2023-01-02\n\n-   First one. :pr:`1`\n"


def release(repo: Repo, **files: str) -> None:
    repo.commit(
        "Begin", {"a.py": "x = 1\n", **{name.replace("_", "."): text for name, text in files.items()}}
    )
    repo.tag("v1.0.0")
    repo.commit("fix: repair the lock (#7)", {"a.py": "x = 2\n"})
    repo.tag("v1.1.0")


def test_the_changelog_of_the_project_sets_the_style(repo: Repo) -> None:
    release(repo, CHANGES_rst=NOTES)
    assert find_changelog(open_git(repo.path), "HEAD") == (NOTES, "CHANGES.rst")
    text = release_note("v1.0.0..v1.1.0", repo=repo.path).text
    assert text.startswith("Version 1.1.0\n-------------\n")
    assert text.endswith("-   Repair the lock. :pr:`7`")


def test_without_one_it_keeps_a_changelog(repo: Repo) -> None:
    release(repo)
    assert find_changelog(open_git(repo.path), "HEAD") == ("", "")
    assert release_note("v1.0.0..v1.1.0", repo=repo.path).text.startswith("## [1.1.0] - ")


def test_the_best_known_name_wins_and_folders_do_not_count(repo: Repo) -> None:
    repo.commit("Begin", {"HISTORY.md": "old\n", "changelog.md": "new\n", "CHANGES/x.md": "no\n"})
    assert find_changelog(open_git(repo.path), "HEAD") == ("new\n", "changelog.md")


def test_a_named_style_wins(repo: Repo) -> None:
    release(repo, CHANGES_rst=NOTES)
    text = release_note("v1.0.0..v1.1.0", repo=repo.path, style="conventional").text
    assert "### Bug Fixes\n\n* repair the lock (#7)" in text
    made = draft_release(open_git(repo.path), "v1.0.0..v1.1.0", NoteOptions(style="auto"))
    assert made.note.signature.settings["style"].startswith("auto ")
    with pytest.raises(UsageError, match="no note style"):
        release_note("v1.0.0..v1.1.0", repo=repo.path, style="nice")
