"""Do a few kills and a few hooks at once leave every file whole? bench.robust does it with many."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bench import robust

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kill -9")


def test_files_stay_whole(tmp_path: Path) -> None:
    rows = robust.measure(tmp_path, kills=10, calls=6, seed=7)
    assert [row.what for row in rows if row.broken] == [], [row.broken for row in rows]
    assert sum(row.runs for row in rows) == 16 and sum(row.killed for row in rows) >= 1


def test_what_is_broken_is_seen(tmp_path: Path) -> None:
    place = robust.Place(tmp_path / "repo")
    found = {case.what: case for case in robust.cases(place)}
    message = place.folder / ".git" / "COMMIT_EDITMSG"
    message.write_bytes(robust.GIVEN[:5])
    assert "neither" in found["hook that suggests"].state()
    found["install"].reset()
    assert found["install"].state() == "before"
    (place.folder / ".git" / "hooks" / "commit-msg").write_text("#!/bin/sh\n")
    (place.folder / ".git" / "hooks" / "prepare-commit-msg").unlink()
    assert "gone" in found["install"].state() and "neither" in found["install"].state()
    index = place.folder / robust.INDEX
    index.parent.mkdir()
    index.write_bytes(b"not a database" * 1000)
    assert "damaged" in found["index building"].state()
