"""What would be a message for another change than the one it stands for?

Labels nobody had to give: the message of another commit, the same message with the opposite verb,
with a name of another change, twice, or with a sentence that fits any commit.
"""

from __future__ import annotations

import math
import random
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gitnotes.grade.lexicon import words_of
from gitnotes.grade.message import split_message
from gitnotes.read.git import open_git
from gitnotes.read.history import read_changes
from gitnotes.records import Change
from gitnotes.verbs import Tense, imperative_of, inflect

OPPOSITES = {
    "add": "remove", "introduce": "drop", "create": "delete",
    "remove": "add", "drop": "introduce", "delete": "create",
}  # fmt: skip
_TENSES: tuple[Tense, ...] = ("imperative", "third", "past", "gerund")
_NAME = re.compile(r"\b(?:[A-Za-z]\w*_\w+|[a-z][a-z0-9]*[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)\b")
_MOST_LINES = 4000


@dataclass(frozen=True, slots=True)
class Case:
    """One commit that is no merge, and what it changed."""

    message: str
    change: Change
    author: str = ""

    @property
    def title(self) -> str:
        return self.message.partition("\n")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Swap:
    """Indexes into the cases: the own one, others by chance, and the one whose change is most alike."""

    own: int
    random: tuple[int, ...]
    nearest: int | None


def read_cases(folder: Path, last: int) -> list[Case]:
    """The newest `last` commits of a repository that are no merges. Raises GitError."""
    cases: list[Case] = []
    for commit, change in read_changes(open_git(folder), None, "HEAD"):
        if commit.is_merge:
            continue
        cases.append(Case(_whole_message(commit.message, commit.trailers), change, commit.author))
        if len(cases) >= last:
            break
    return cases


def _whole_message(message: str, trailers: Sequence[tuple[str, str]]) -> str:
    missing = [f"{key}: {value}" for key, value in trailers if value not in message]
    return message + ("\n\n" + "\n".join(missing) if missing else "")


def draw_swaps(cases: Sequence[Case], *, others: int = 3, seed: int = 0) -> list[Swap]:
    """For each case `others` messages by chance and that of the nearest change, never of the same title."""
    chance = random.Random(seed)
    ranked = rank_neighbours([case.change for case in cases])
    swaps: list[Swap] = []
    for own, case in enumerate(cases):
        choice = [at for at, other in enumerate(cases) if other.title != case.title]
        nearest = next((at for at in ranked[own] if cases[at].title != case.title), None)
        swaps.append(Swap(own, tuple(chance.sample(choice, min(others, len(choice)))), nearest))
    return swaps


def rank_neighbours(changes: Sequence[Change]) -> list[list[int]]:
    """For each change the others, most alike first: cosine of paths and identifiers, rare ones weigh more."""
    terms = [_terms(change) for change in changes]
    holders: dict[str, list[int]] = defaultdict(list)
    for at, found in enumerate(terms):
        for term in found:
            holders[term].append(at)
    weights = {term: math.log(len(changes) / len(places)) for term, places in holders.items()}
    lengths = [math.sqrt(sum(weights[term] ** 2 for term in found)) or 1.0 for found in terms]
    ranked: list[list[int]] = []
    for at, found in enumerate(terms):
        alike: dict[int, float] = defaultdict(float)
        for term in found:
            if len(holders[term]) < len(changes) / 2:
                for other in holders[term]:
                    alike[other] += weights[term] ** 2
        alike.pop(at, None)
        ranked.append(sorted(alike, key=lambda other: (-alike[other] / lengths[other], other)))
    return ranked


def _terms(change: Change) -> set[str]:
    found = {f"path {file.path}" for file in change.files}
    for file in change.files:
        found.update(f"in path {word.lower()}" for word in words_of(file.path))
    lines = [line[1:400] for hunk in change.hunks for line in hunk.lines if line[:1] in "+-"]
    for line in lines[:_MOST_LINES]:
        found.update(word.lower() for word in words_of(line))
    return found


def flip_direction(message: str) -> str | None:
    """`message` with the opposite verb at its head; None when it adds and removes nothing."""
    description = split_message(message).description
    word = (words_of(description) or [""])[0]
    verb = (imperative_of(word, "the") or word).lower()
    if verb not in OPPOSITES or not description.startswith(word):
        return None
    tense = next((tense for tense in _TENSES if inflect(verb, tense) == word.lower()), _TENSES[0])
    opposite = inflect(OPPOSITES[verb], tense)
    return message.replace(description, (opposite.title() if word[0].isupper() else opposite)
                           + description[len(word):], 1)  # fmt: skip


def swap_name(message: str, own: Change, other: Change) -> str | None:
    """`message` with a name of code of its subject, which the change holds, replaced by one of `other`.

    None when the subject has no such name, or `other` has none that is not in `own` too.
    """
    held, foreign = _names(own), _names(other)
    name = next((found for found in _NAME.findall(message.partition("\n")[0]) if found in held), None)
    strangers = sorted(foreign - held - set(_NAME.findall(message)))
    if name is None or not strangers:
        return None
    return message.replace(name, strangers[len(message) % len(strangers)])


def _names(change: Change) -> set[str]:
    lines = [line[:400] for sign in "+-" for line in change.lines(sign)][:_MOST_LINES]
    return {name for line in lines for name in _NAME.findall(line)}
