"""Under which licence does a repository stand, as far as its own files say?"""

from __future__ import annotations

import re
from collections.abc import Mapping

_FILE = re.compile(r"(?:licen[cs]e|copying|unlicense)(?:[.-][\w.-]{1,40})?", re.IGNORECASE)
_PHRASES = (
    ("AGPL-3.0", "gnu affero general public license"),
    ("LGPL", "gnu lesser general public license"),
    ("GPL", "gnu general public license"),
    ("Apache-2.0", "apache license version 2.0"),
    ("MPL-2.0", "mozilla public license version 2.0"),
    ("Unlicense", "this is free and unencumbered software released into the public domain"),
    ("ISC", "permission to use, copy, modify, and/or distribute this software for any purpose"),
    ("MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"),
    ("BSD-3-Clause", "neither the name"),
    ("BSD-2-Clause", "redistribution and use in source and binary forms"),
    ("CC0-1.0", "creative commons legal code cc0 1.0 universal"),
)
PERMISSIVE = frozenset(["Apache-2.0", "Unlicense", "ISC", "MIT", "BSD-3-Clause", "BSD-2-Clause", "CC0-1.0"])
"""Those that ask for no more than to be named."""


def is_permissive(licence: str) -> bool:
    """Whether one of the licences that somebody may choose from is permissive."""
    return not PERMISSIVE.isdisjoint(licence.split(" OR "))


def is_licence_file(name: str) -> bool:
    """Whether a file at the top of a repository says its licence, by its name."""
    return _FILE.fullmatch(name) is not None


def name_licences(texts: Mapping[str, str]) -> str:
    """The SPDX identifiers of the licences in these files by name, joined by OR; empty when none is known."""
    found = {identifier for text in texts.values() if (identifier := _name(text))}
    return " OR ".join(sorted(found))


def _name(text: str) -> str:
    plain = " ".join(text.lower().split())
    return next((identifier for identifier, phrase in _PHRASES if phrase in plain), "")
