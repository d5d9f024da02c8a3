"""Is the cache never a folder of the repository that somebody happens to stand in?"""

from __future__ import annotations

from pathlib import Path

import pytest

from gitnotes.draft.models.gguf import cache_folder


def test_a_relative_folder_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITNOTES_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    assert cache_folder().is_absolute() and not cache_folder().is_relative_to(Path.cwd())
