"""What is read from a message and its change before anything is scored?"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitnotes.grade.evidence import Evidence, Text, weigh_text
from gitnotes.grade.footprint import read_footprint
from gitnotes.grade.rules import is_vague
from gitnotes.grade.signals import names_version, read_signals, read_stems
from gitnotes.grade.why import Reasons, find_reasons
from gitnotes.guard.patterns import late
from gitnotes.records import Change

_RELEASE = late(
    r"(?:(?:prepare|bump|tag|cut)(?: for| to)? )?(?:(?:release|version):? )?"
    r"v?\d{1,9}(?:\.\d{1,9}){1,5}(?:[-.]?(?:a|b|rc|alpha|beta|dev|pre|post)[-.]?\d{0,9})?\.?"
    r"(?: \(#\d{1,9}\))?",
    re.I,
)


class Case(NamedTuple):
    """A message beside its change, as the dimensions are scored on it."""

    text: Text
    evidence: Evidence
    reasons: Reasons
    vague: bool
    """Whether the subject fits any commit, and the change does not make a name of it."""
    named: bool
    """Whether the change holds the words of the subject: even one then says something."""
    releases: bool
    """Whether the subject is a version alone, and the change brings it."""
    signals: dict[str, float]
    stems: frozenset[str]

    @property
    def is_told(self) -> bool:
        """Whether the body says more about the change; words that have nothing to do with it do not."""
        if self.evidence.assessable:
            return self.evidence.body_found >= 0.4
        return bool(self.reasons.told)


def read_case(text: Text, change: Change | None) -> Case:
    """What a message holds and what `change` bears out of it; None when the change is not known."""
    evidence = weigh_text(text, None if change is None else read_footprint(change))
    reasons = find_reasons(text.subject, list(text.sentences), text.trailers, evidence.anchors or None)
    releases = (
        _RELEASE().fullmatch(text.subject) is not None
        and evidence.echoes.get("version_found", 0.0) > 0
        and not evidence.echoes.get("version_wrong")
    )
    named = releases or (evidence.found >= 0.75 and not evidence.where_only)
    # "Update to 4.6" has a verb that fits any commit, and says what it does.
    numbered = names_version(text.subject)
    vague = is_vague(text.subject) and not (named or numbered or text.message.kind == "revert")
    if evidence.opposites or evidence.kind_wrong or evidence.where_only:
        reasons = reasons._replace(evident=0.0)
    elif evidence.docs_only and not vague and reasons.cause == reasons.fault == 0:
        # A better text is a reason by itself.
        reasons = reasons._replace(evident=0.5)
    signals = read_signals(text, evidence, reasons, vague=vague)
    return Case(text, evidence, reasons, vague, named, releases, signals, read_stems(text, reasons))
