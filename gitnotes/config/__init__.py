"""Which settings hold, and where does each of them come from?

Defaults < configuration of other tools < user file < repository file < git configuration < environment
< flags. The user file is `gitnotes/config.toml` in the configuration folder of the platform; the
repository file is `.gitnotes.toml`, or else `[tool.gitnotes]` in `pyproject.toml`, at the top of the
work tree; git's own are `gitnotes.*`. The repository's file comes with a clone, so it cannot lower what
a user has set to be safe.
"""

from __future__ import annotations

from gitnotes.config.layers import (
    Layer,
    load_settings,
    merge_layers,
    read_layers,
    repository_file,
    user_file,
)
from gitnotes.config.table import TABLE, Override, Refusal, Setting, Settings, wants_conventional

__all__ = [
    "TABLE",
    "Layer",
    "Override",
    "Refusal",
    "Setting",
    "Settings",
    "load_settings",
    "merge_layers",
    "read_layers",
    "repository_file",
    "user_file",
    "wants_conventional",
]
