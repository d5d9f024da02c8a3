"""Which layout suits a project whose own notes are not at hand, judging by its commits alone?

Tools leave marks in a history (`chore(release): 1.2.0`, `Autorelease 0.1`, numbers of pull requests, types,
areas before a colon), and the notes that they write have their own form. For each preset the coefficients
of `gitnotes/data/voices.json` estimate how near a note of this layout comes to the one that people wrote;
`bench/release/fit.py` fits them.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gitnotes.conventional import read_head
from gitnotes.draft.notes.categories import category_of
from gitnotes.draft.notes.titles import read_title
from gitnotes.guard.patterns import late
from gitnotes.records import CommitTree

_DATA = Path(__file__).parents[2] / "data" / "voices.json"
_MOST_COMMITS = 500
_WORD = late(r"[a-z]{2,30}")
_NUMBER = late(r"[0-9][0-9.]*")
_NEWEST = late(r"Merge pull request|[\w():.*+-]*[0-9](?: \w+)?|\w[\w():-]* ?(?:\w+ ){0,2}\(?v?0?")


@dataclass(frozen=True, slots=True)
class _Voices:
    styles: tuple[str, ...]
    intercept: tuple[float, ...]
    weights: dict[str, list[float]]
    """Feature to one weight a style."""


@cache
def _voices() -> _Voices:
    found = json.loads(_DATA.read_text("utf-8"))
    return _Voices(tuple(found["styles"]), tuple(found["intercept"]), found["weights"])


def choose_style(tree: CommitTree) -> str:
    """The name of the preset whose notes such a history has most likely."""
    voices = _voices()
    worth = list(voices.intercept)
    for name, value in voice_features(tree).items():
        for at, weight in enumerate(voices.weights.get(name, ())):
            worth[at] += weight * value
    return voices.styles[max(range(len(worth)), key=worth.__getitem__)] if tree.commits else "keepachangelog"


def voice_features(tree: CommitTree) -> dict[str, float]:
    """What the subjects of the newest 500 commits look like: shares of commits, and which words occur."""
    commits = tree.commits[:_MOST_COMMITS]
    if not commits:
        return {}
    counts: Counter[str] = Counter()
    words: set[str] = set()
    for commit in commits:
        title = read_title(commit.subject)
        head = read_head(commit.subject)
        category = category_of(title.text, None, title.category, title.scope)
        counts.update([f"category {category}", *([f"type {head.type.lower()}", "typed"] if head else [])])
        counts["pull"] += bool(title.pulls)
        counts["merge"] += commit.subject.startswith("Merge ")
        counts["merged pull"] += commit.subject.startswith("Merge pull request ")
        counts["scope"] += bool(title.scope)
        counts["capital"] += commit.subject[:1].isupper()
        counts["sign"] += not commit.subject[:1].isascii()
        counts["bracket"] += commit.subject.startswith("[")
        counts["stop"] += commit.subject.endswith(".")
        if not commit.subject.startswith("Merge "):  # names of people and branches
            words.update(_WORD().findall(title.text.lower()))
    found = {name: count / len(commits) for name, count in counts.items()}
    found["size"] = math.log(len(commits))
    # The newest commit is most often the one that made the release, and tools word theirs alike.
    start = _NEWEST().match(_NUMBER().sub("0", commits[0].subject))
    if start:
        found[f"newest {start.group().strip()}"] = 1.0
    return found | {f"word {word}": 2 / math.sqrt(len(words)) for word in words}
