"""Which of several subjects is most likely the one that a person would have written?

A candidate is described by numbers (where it comes from, how much of it the change shows, how far the
others agree with it), and the weighted sum of them decides. The weights are in data/choice.json;
`python -m bench.drafting.fit` makes them from the history of other repositories.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

from gitnotes.draft.candidates import Candidate
from gitnotes.draft.evidence import Evidence, conventional_type, gather, haystack
from gitnotes.draft.features import describe
from gitnotes.draft.neighbours import propose_from_history
from gitnotes.draft.prefixes import learn_from_neighbours, learn_type
from gitnotes.draft.structure import propose, write_message
from gitnotes.draft.style import Style
from gitnotes.records import Change, Neighbour

OWN, PAST = 8, 14
"""Candidates made of the change, and of its neighbours, that are compared."""
_WEIGHTS = Path(__file__).parent.parent / "data" / "choice.json"


def draft_best(
    change: Change, style: Style, count: int = 1, neighbours: Sequence[Neighbour] = ()
) -> list[str]:
    """Up to `count` distinct messages, best first, made of the change itself or of what was written for
    the earlier changes that are nearest; every name in them is in the change.

    There is always at least one message.
    """
    candidates, evidence, style, shown = find_candidates(change, style, neighbours)
    ranked = rank(candidates, evidence, style, neighbours)
    return _write(ranked, evidence, style, shown, count)


def draft_from_history(
    change: Change, style: Style, count: int = 1, neighbours: Sequence[Neighbour] = ()
) -> list[str]:
    """As `draft_best`, but what the change itself says comes last."""
    candidates, evidence, style, shown = find_candidates(change, style, neighbours)
    past = [item for item in candidates if item.neighbour is not None]
    own = [item for item in candidates if item.neighbour is None]
    ranked = [*rank(past, evidence, style, neighbours), *rank(own, evidence, style, neighbours)]
    return _write(ranked, evidence, style, shown, count)


def find_candidates(
    change: Change, style: Style, neighbours: Sequence[Neighbour]
) -> tuple[list[Candidate], Evidence, Style, str]:
    """The candidates of all drafters, with the evidence, the style for this change, and its haystack."""
    evidence, shown = gather(change), haystack(change)
    style = learn_from_neighbours(style, evidence, neighbours)
    kind = learn_type(style, conventional_type(evidence), evidence, neighbours)
    # It is decided; no other type of its family takes its place.
    style = dataclasses.replace(style, types={kind: 1})
    own = islice(propose(evidence, style, shown, kind), OWN)
    past = islice(propose_from_history(neighbours, evidence, style, shown, kind), PAST)
    return [*own, *past], evidence, style, shown


def rank(
    candidates: Sequence[Candidate], evidence: Evidence, style: Style, neighbours: Sequence[Neighbour]
) -> list[Candidate]:
    """The candidates, the most likely first; equal ones keep their order."""
    if len(candidates) < 2:
        return list(candidates)
    weights = _weights()
    scores = [
        sum(weights.get(name, 0.0) * value for name, value in numbers.items())
        for numbers in describe(candidates, evidence, style, neighbours)
    ]
    order = sorted(range(len(candidates)), key=lambda at: -scores[at])
    return [candidates[at] for at in order]


@cache
def _weights() -> dict[str, float]:
    found: dict[str, float] = json.loads(_WEIGHTS.read_text("utf-8"))["weights"]
    return found


def _write(
    ranked: Iterable[Candidate], evidence: Evidence, style: Style, shown: str, count: int
) -> list[str]:
    drafts: dict[str, str] = {}
    for candidate in ranked:
        message = write_message(candidate, evidence, style, shown)
        if message is not None:
            drafts.setdefault(candidate.subject.lower(), message)
        if len(drafts) >= max(count, 1):
            break
    return list(drafts.values())
