"""How does the sentence of an entry begin and end, so that all entries of a note look alike?

The words stay the author's own: only a capital letter at the start and a full stop at the end are
matters of style.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from gitnotes.guard.patterns import late
from gitnotes.records import Commit
from gitnotes.verbs import forms

_FIRST = late(r"([a-z]+(?:-[a-z]+)*(?:'[a-z]+)?)(?=[ ,]|$)")
_PART = late(r"[a-z]{2,40}")
# Names that are written without a capital wherever they stand.
_LOWER_NAMES = """
apt bash black brew cargo clang cmake conda cron curl dbus docker-compose eslint etcd flake git gitea gitlab
gofmt golang gpg gradle grep gunicorn iptables jq kubectl lld llvm macos make mypy npm npx numpy pandas pip
pipx pnpm poetry protobuf protoc pytest rsync ruff rustc rustfmt scipy sed sqlite ssh sudo systemd tox uv
venv vite vim webpack wget yarn zlib zsh stdin stdout stderr
"""
_LOWER = frozenset(_LOWER_NAMES.split())
_ABBREVIATIONS = (" etc.", " al.", " e.g.", " i.e.", " vs.", " approx.", " no.", " incl.", " inc.", " ltd.")


def names_of_code(commits: Iterable[Commit]) -> frozenset[str]:
    """The lower-case words that name files and folders of the range: they are no plain words."""
    pattern = _PART()
    paths = {change.path for commit in commits for change in commit.files or ()}
    return frozenset(word for path in paths for word in pattern.findall(path))


def with_capital(text: str, names: frozenset[str] = frozenset()) -> str:
    """`text` with a capital at the start, unless its first word is a name, an identifier or a path."""
    match = _FIRST().match(text)
    if match is None:
        return text
    word = match[1]
    if word in forms() or (word not in names and word not in _LOWER and not _is_short_name(word)):
        return text[0].upper() + text[1:]
    return text


@cache
def _is_short_name(word: str) -> bool:
    """Whether a word is an abbreviation in small letters, such as `sd` or `xds`: it has no vowel."""
    return len(word) > 1 and not re.search("[aeiouy]", word)


def with_stop(text: str, wanted: bool) -> str:
    """`text` with one full stop at the end, or without; other signs stay."""
    if text.endswith("..") or text.lower().endswith(_ABBREVIATIONS):
        return text
    bare = text.removesuffix(".")
    if not wanted:
        # Several sentences keep theirs.
        return text if ". " in bare else bare or text
    return f"{bare}." if bare[-1:].isalnum() or bare[-1:] in ("`", ")", '"', "'") else text
