"""Which of several subjects is most likely the one that a person would have written?

A candidate is described by numbers (where it comes from, how much of it the change shows, how far the
others agree with it), and the weighted sum of them decides. The weights are in data/choice.json;
`python -m bench.drafting.fit` makes them from the history of other repositories.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gitnotes.draft.candidates import Candidate
from gitnotes.draft.evidence import Evidence, conventional_type, gather, haystack
from gitnotes.draft.features import describe
from gitnotes.draft.neighbours import propose_from_history
from gitnotes.draft.prefixes import learn_from_neighbours, learn_scope, learn_type
from gitnotes.draft.structure import propose, write_message
from gitnotes.draft.style import Style
from gitnotes.records import Change, Neighbour

OWN, PAST = 8, 14
"""Candidates made of the change, and of its neighbours, that are compared."""
_IN_PATHS, _MUCH_ALIKE = 0.3, 0.4
"""The share of a subject's words in the paths, or the likeness of the changes, from which an earlier
subject whose words a large change happens to have is taken to speak of it."""
_REPEATS, _RESEMBLES = 1000.0, 2.0
"""Points that a subject loses that is taken over whole, and one with another prefix or a shorter end."""
_PULL_REQUEST = re.compile(r"[ ]\(#\d{1,9}\)$")
_WEIGHTS = Path(__file__).parent.parent / "data" / "choice.json"


class Found(NamedTuple):
    """The candidates for a change, and all that is needed to choose among them and write them out."""

    candidates: list[Candidate]
    numbers: list[dict[str, float]]
    """What describes each candidate; see `features`."""
    evidence: Evidence
    style: Style
    """With the prefix and the type of this change."""
    shown: str
    """The haystack of the change."""


def draft_best(
    change: Change, style: Style, count: int = 1, neighbours: Sequence[Neighbour] = ()
) -> list[str]:
    """Up to `count` distinct messages, best first, made of the change itself or of what was written for
    the earlier changes that are nearest; every name in them is in the change.

    There is always at least one message.
    """
    found = find_candidates(change, style, neighbours)
    return _write(rank(found), found, count)


def draft_from_history(
    change: Change, style: Style, count: int = 1, neighbours: Sequence[Neighbour] = ()
) -> list[str]:
    """As `draft_best`, but what the change itself says comes last."""
    found = find_candidates(change, style, neighbours)
    ranked = sorted(rank(found), key=lambda item: item.neighbour is None)
    return _write(ranked, found, count)


def find_candidates(change: Change, style: Style, neighbours: Sequence[Neighbour]) -> Found:
    """The candidates of all drafters, those left out that speak of what this change does not show."""
    evidence, shown = gather(change), haystack(change)
    style = learn_from_neighbours(style, evidence, neighbours)
    style = learn_scope(style, evidence, neighbours, shown)
    kind = learn_type(style, conventional_type(evidence), evidence, neighbours)
    # It is decided; no other type of its family takes its place.
    style = dataclasses.replace(style, types={kind: 1})
    own = islice(propose(evidence, style, shown, kind), OWN)
    past = islice(propose_from_history(neighbours, evidence, style, shown, kind), PAST)
    candidates = [*own, *past]
    numbers = describe(candidates, evidence, style, neighbours)
    kept = [at for at, item in enumerate(candidates) if item.neighbour is None or _is_backed(numbers[at])]
    return Found([candidates[at] for at in kept], [numbers[at] for at in kept], evidence, style, shown)


def _is_backed(numbers: dict[str, float]) -> bool:
    """Whether an earlier subject is more than what once was true: half of what it speaks of is in this
    change, or it was said before, or the changes are nearly the same."""
    return numbers["shown"] >= 0.5 or numbers["repeated"] > 0 or numbers["words"] > 0.6


def rank(found: Found) -> list[Candidate]:
    """The candidates, the most likely first; equal ones keep their order.

    One that only repeats what was said of a change that is no more than alike comes after all others.
    """
    weights = _weights()
    scores = [
        sum(weights.get(name, 0.0) * value for name, value in numbers.items()) - find_doubt(found, at)
        for at, numbers in enumerate(found.numbers)
    ]
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    return [found.candidates[at] for at in order]


def find_doubt(found: Found, at: int) -> float:
    """What a candidate loses for being an earlier subject that this change does not bear out.

    It is borne out where all that it speaks of is in this change, some of it in the paths or the
    changes being much alike; where it was said of several changes; or of just the same files.
    """
    item, numbers = found.candidates[at], found.numbers[at]
    if item.neighbour is None or numbers["adapted"]:
        return 0.0
    is_told = numbers["shown"] == 1.0 and (
        numbers["in paths"] >= _IN_PATHS or numbers["words"] >= _MUCH_ALIKE
    )
    is_same = set(item.neighbour.paths) == set(found.evidence.paths)
    if is_told or is_same or numbers["repeated"] > 0:
        return 0.0
    return _REPEATS if _plain(item.subject) == _plain(item.neighbour.subject) else _RESEMBLES


def _plain(subject: str) -> str:
    return _PULL_REQUEST.sub("", subject).strip(" .").lower()


@cache
def _weights() -> dict[str, float]:
    found: dict[str, float] = json.loads(_WEIGHTS.read_text("utf-8"))["weights"]
    return found


def _write(ranked: Iterable[Candidate], found: Found, count: int) -> list[str]:
    drafts: dict[str, str] = {}
    for candidate in ranked:
        message = write_message(candidate, found.evidence, found.style, found.shown)
        if message is not None:
            drafts.setdefault(candidate.subject.lower(), message)
        if len(drafts) >= max(count, 1):
            break
    return list(drafts.values())
