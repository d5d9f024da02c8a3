"""Which records hold what is asked of the form of a message, and what is found against it?

They belong to `gitnotes.records`, where they can be had as well, but stand alone because the hook that
checks the form alone would make all the others for nothing, in a tenth of its time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Severity = Literal["error", "warning", "info"]
Level = Literal["error", "warning", "info", "off"]
"""How serious the breach of a rule is; a rule that is off does not report."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a grader noticed."""

    rule: str
    severity: Severity
    message: str
    remedy: str
    line: int | None = None
    """1-based line of the message; None when the finding is about the whole."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """What the configuration of other tools asks of messages; None and empty say nothing."""

    sources: tuple[str, ...]
    """The files that it was read from."""
    conventional: bool | None = None
    """Whether subjects keep to Conventional Commits."""
    types: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    subject_limit: int | None = None
    subject_min: int | None = None
    body_limit: int | None = None
    """Columns of a line; 0 for no limit."""
    subject_case: Literal["", "lower", "upper"] = ""
    """Of the first letter of the description."""
    subject_pattern: str = ""
    """A regular expression that subjects match from their start."""
    ticket: str = ""
    """'any' for any reference to an issue, or a regular expression that is found in the message."""
    trailers: tuple[str, ...] = ()
    """Keys that every message has."""
    levels: dict[str, Level] = field(default_factory=dict)
    """Rule id to how serious a breach is."""
    notes: tuple[str, ...] = ()
    """A sentence for each thing that could not be taken over."""
