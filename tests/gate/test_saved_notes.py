"""Does `gitnotes grade --save-notes` keep grades where git finds them?"""

from __future__ import annotations

import json

from gitnotes.write.notes import REF
from tests.conftest import Repo
from tests.gate.conftest import Grade


def test_grades_are_kept_once(history: Repo, grade: Grade) -> None:
    found = grade("HEAD~2..HEAD", "--save-notes", "--json")
    assert found.code == 0
    assert "2 of 2" in found.err
    for item in found.json()["commits"]:
        note = json.loads(history.git("notes", "--ref=gitnotes", "show", item["sha"]))
        assert note["overall"] == item["overall"]
        assert note["signature"] == item["signature"]
        assert "\n" not in history.git("notes", "--ref=gitnotes", "show", item["sha"])
    tip = history.git("rev-parse", REF)
    assert "0 of 2" in grade("HEAD~2..HEAD", "--save-notes").err
    assert "0 of 1" in grade("HEAD", "--save-notes").err
    assert history.git("rev-parse", REF) == tip


def test_notes_are_not_pushed_with_the_branch(history: Repo, grade: Grade) -> None:
    grade("HEAD", "--save-notes")
    history.git("init", "-q", "--bare", "../remote.git")
    history.git("push", "-q", "../remote.git", "--all")
    assert history.git("ls-remote", "../remote.git", "refs/notes/*") == ""
