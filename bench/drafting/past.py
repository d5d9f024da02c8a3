"""Which commits are drafted, and what could be known before each of them?

A commit is drafted from its ancestors alone: not from what lies beside it on other branches, nor
from anything later.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice

from gitnotes.errors import GitError
from gitnotes.messages import is_bot, is_revert_subject
from gitnotes.read.git import Git
from gitnotes.read.history import read_changes, read_range
from gitnotes.records import Change, Commit

SIDE = 400
"""Words of the removed and of the added lines that are compared, each."""
_WORD = re.compile(r"\w\w+")
_REFERENCE = re.compile(r"\s*\(#\d+\)\s*$")


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """A commit of a person with what it changed."""

    place: int
    """In the history as git lists it; 0 is the newest."""
    commit: Commit
    paths: tuple[str, ...]
    diff: tuple[str, ...]
    """The words of the paths, then of the removed and of the added lines."""
    words: Counter[str]

    @property
    def subject(self) -> str:
        return without_reference(self.commit.subject)


class History:
    """The commits of HEAD, and who descends from whom."""

    def __init__(self, git: Git) -> None:
        shared: dict[str, str] = {}
        # By the time of the commit, as `git log` lists them: branches side by side are equally new.
        self.places = {sha: place for place, sha in enumerate(git.text("rev-list", "HEAD", "--").split())}
        self._parents: list[list[int]] = [[] for _ in self.places]
        for commit in read_range(git, None, "HEAD").commits:
            known = [self.places[sha] for sha in commit.parents if sha in self.places]
            self._parents[self.places[commit.sha]] = known
        self._lone: list[Commit] = []
        self.people: list[Past] = []
        self.unread = ""
        """Why the oldest commits are not known; empty when all are."""
        try:
            for commit, change in read_changes(git, None, "HEAD"):
                if not commit.is_merge:
                    self._lone.append(replace(commit, files=change.files))
                if not commit.is_merge and change.files and _is_by_a_person(commit):
                    self.people.append(_read_past(self.places[commit.sha], commit, change, shared))
        except GitError as problem:  # a partial clone has no old contents
            self.unread = problem.message
        self.people.sort(key=lambda item: item.place)
        self._lone.sort(key=lambda commit: self.places[commit.sha])

    def newest(self, count: int, skip: int = 0) -> list[Past]:
        """`count` commits of people, newest first, after the `skip` newest."""
        return self.people[skip : skip + count]

    def before(self, item: Past, recent: int) -> tuple[list[Past], list[Commit]]:
        """The commits of people among the ancestors of a commit, and the `recent` newest of anyone but
        merges with their files; newest first."""
        todo, seen = list(self._parents[item.place]), bytearray(len(self._parents))
        while todo:
            place = todo.pop()
            if not seen[place]:
                seen[place] = 1
                todo.extend(self._parents[place])
        lone = (commit for commit in self._lone if seen[self.places[commit.sha]])
        return [other for other in self.people if seen[other.place]], list(islice(lone, recent))


def without_reference(subject: str) -> str:
    """A subject without the number of its pull request, which no draft can know."""
    return _REFERENCE.sub("", subject)


def read_words(change: Change, shared: dict[str, str]) -> list[str]:
    """The words of a change as NNGen compares them, each word that is alike stored once."""
    found = [word for item in change.files for word in _WORD.findall(item.path.lower())]
    for sign in "-+":
        found.extend(_first_words(change, sign))
    return [shared.setdefault(word, word) for word in found]


def _first_words(change: Change, sign: str) -> list[str]:
    found: list[str] = []
    for line in change.lines(sign):
        found.extend(_WORD.findall(line.lower()))
        if len(found) >= SIDE:
            break
    return found[:SIDE]


def _is_by_a_person(commit: Commit) -> bool:
    bot = is_bot(f"{commit.author} <{commit.email}>") or re.search(r"(?i)\[bot\]|\bbot$", commit.author)
    return bool(commit.subject.strip()) and not bot and not is_revert_subject(commit.subject)


def _read_past(place: int, commit: Commit, change: Change, shared: dict[str, str]) -> Past:
    words = read_words(change, shared)
    return Past(place, commit, tuple(item.path for item in change.files), tuple(words), Counter(words))
