"""What does a repository ask of the form of its messages, and what is one breach of it?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from gitnotes.conventional import TYPES
from gitnotes.findings import Finding, Level, Severity
from gitnotes.rulebook import RULES

Case = Literal["any", "upper", "lower", "untyped"]
Attribution = Literal["allowed", "no-tools", "forbidden", "required"]

_AS_LISTED: Mapping[str, Level] = {}


class FormSettings(NamedTuple):
    """What a repository asks of the form of its messages."""

    subject_limit: int = 72
    """Columns."""
    subject_min: int = 0
    """Columns of the whole subject; a description wants a few of its own besides."""
    body_limit: int = 72
    """Columns; 0 switches the rule off."""
    types: tuple[str, ...] = TYPES
    """Empty: any type."""
    scopes: tuple[str, ...] = ()
    """Empty: any scope."""
    capital: Case = "any"
    """How a description begins; 'untyped' is 'upper' where neither type nor area stands before it."""
    subject_pattern: str = ""
    """A regular expression that the subject matches from its start."""
    ticket: str = ""
    """'any' for any reference to an issue, or a regular expression that is found in the message."""
    sign_off: bool = False
    attribution: Attribution = "allowed"
    trailers: tuple[str, ...] = ()
    """Keys that every message has."""
    levels: Mapping[str, Level] = _AS_LISTED
    """Rule id to how serious a breach is, where it is not as `RULES` says."""


DEFAULTS = FormSettings()


class Fault(NamedTuple):
    """One breach of a rule, before the settings say how serious it is."""

    rule: str
    message: str
    remedy: str
    line: int | None = 1
    """1-based; None when it is about the whole."""
    level: Severity | None = None
    """Where a breach is worse than `RULES` says."""


def judge(fault: Fault, settings: FormSettings) -> Finding | None:
    """What is reported of a fault; None for a rule that is off."""
    level = settings.levels.get(fault.rule) or fault.level or RULES[fault.rule].level
    if level == "off":
        return None
    return Finding(fault.rule, level, fault.message, fault.remedy, fault.line)
