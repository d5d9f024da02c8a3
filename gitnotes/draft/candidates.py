"""What is a subject before it is chosen?"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitnotes.draft.evidence import unknown_names
from gitnotes.records import Neighbour


class Candidate(NamedTuple):
    """A subject that could be drafted, and where it comes from."""

    subject: str
    """In the shape of the repository."""
    words: str
    """In the imperative, without the prefix."""
    source: str
    """The name of what it is made of in `subjects`, or `history`."""
    place: int
    """Among the candidates of its drafter, the best first."""
    neighbour: Neighbour | None = None
    """The earlier change whose subject it was."""


def prefix_invents(subject: str, words: str, shown: str) -> bool:
    """Whether the learned prefix names a part of the project that the change does not touch."""
    match = re.match(r"[^:\s(]*\(([^)]*)\)!?: ", subject)
    return match is not None and bool(unknown_names(match[1], shown)) and match[1] not in words
