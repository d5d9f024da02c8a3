"""Which messages pass, which do not, and what does that mean for the exit code?"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gitnotes.messages import is_fixup
from gitnotes.recipes.grading import Graded
from gitnotes.recipes.rule_list import SCORE, check_rule
from gitnotes.records import Finding

if TYPE_CHECKING:
    pass

_SEVERITIES = ("error", "warning", "info")


class Gate(NamedTuple):
    """What a message has to have to pass; without anything all pass."""

    minimum: float | None = None
    rules: frozenset[str] = frozenset()
    severities: frozenset[str] = frozenset()
    known: frozenset[tuple[str, str]] = frozenset()
    """Key of a message and rule of the faults that were there before, which do not count."""

    @property
    def is_open(self) -> bool:
        return self.minimum is None and not self.rules and not self.severities


class Judged(NamedTuple):
    """A graded message with what fails it."""

    item: Graded
    faults: tuple[Finding, ...] = ()
    """The new findings that the gate does not let pass."""
    known: tuple[Finding, ...] = ()
    """Those that the baseline has."""
    suggestion: tuple[str, float] | None = None
    """A message that scores more, and its score, where it was asked for and found."""
    unimproved: str = ""
    """Why there is none, where it was asked for."""


class Tally:
    """What is counted on the way."""

    def __init__(self) -> None:
        self.commits = 0
        self.failed = 0
        self.known = 0
        """Faults that only the baseline lets pass."""
        self.unreadable = 0
        self.below = 0
        self.values = array("d")
        """The scores."""

    @property
    def exit_code(self) -> int:
        """3 when something could not be judged, else 1 when something failed, else 0."""
        return 3 if self.unreadable else 1 if self.failed else 0

    def add(self, judged: Judged) -> None:
        self.commits += 1
        self.failed += bool(judged.faults)
        self.known += len(judged.known)
        self.unreadable += bool(judged.item.unreadable)
        self.below += any(item.rule == SCORE for item in (*judged.faults, *judged.known))
        if judged.item.grade.overall is not None:
            self.values.append(judged.item.grade.overall)

    def summary(self) -> dict[str, float | int | None]:
        """The counts, and mean, median and lowest of the scores."""
        from statistics import median  # 4 ms that one message does not have to pay

        values = self.values
        return {
            "commits": self.commits,
            "graded": len(values),
            "unscored": self.commits - len(values),
            "mean": round(sum(values) / len(values), 2) if values else None,
            "median": round(median(values), 2) if values else None,
            "lowest": min(values) if values else None,
            "below": self.below,
            "failed": self.failed,
            "known": self.known,
            "unreadable": self.unreadable,
        }


def make_gate(
    minimum: float | None,
    fail_on: Sequence[str] = (),
    *,
    strict: bool = False,
    known: frozenset[tuple[str, str]] = frozenset(),
) -> Gate:
    """The gate that the options of a person describe.

    `fail_on` names rules and severities; a severity takes in the worse ones. `strict` is the same
    as `warning`. Raises UsageError for a name that is neither.
    """
    rules: set[str] = set()
    severities: set[str] = {"error", "warning"} if strict else set()
    for name in fail_on:
        found = check_rule(name, _SEVERITIES)
        if found in _SEVERITIES:
            severities.update(_SEVERITIES[: _SEVERITIES.index(found) + 1])
        else:
            rules.add(found)
    return Gate(minimum, frozenset(rules), frozenset(severities), known)


def judge(item: Graded, gate: Gate) -> Judged:
    """Which findings fail a message."""
    faults = [finding for finding in item.grade.findings if _fails(finding, gate)]
    below = _miss(item, gate.minimum) if gate.minimum else ""
    if below:
        faults.append(Finding(SCORE, "error", below, ""))
    known = tuple(fault for fault in faults if (item.key, fault.rule) in gate.known)
    return Judged(item, tuple(fault for fault in faults if fault not in known), known)


def judge_all(items: Iterable[Graded], gate: Gate, tally: Tally) -> Iterator[Judged]:
    """Judges one after the other and counts them."""
    for item in items:
        judged = judge(item, gate)
        tally.add(judged)
        yield judged


def is_below(item: Graded, minimum: float) -> bool:
    """Whether a message misses the bar: by its score, or because it was to be squashed and was not."""
    return bool(judge(item, Gate(minimum)).faults)


def _fails(finding: Finding, gate: Gate) -> bool:
    return finding.rule in gate.rules or finding.severity in gate.severities


def _miss(item: Graded, minimum: float) -> str:
    """How a message misses the bar; empty when it does not, or has no score for a good reason."""
    overall = item.grade.overall
    if overall is not None:
        bar = f"the bar is {minimum:g}"
        return f"The message scores {overall:.0f} of 100; {bar}." if overall < minimum else ""
    rules = {finding.rule for finding in item.grade.findings}
    # A repository may let such commits be; a message may not let itself through.
    if "fixup-left" in rules or ("rules-disabled" in rules and is_fixup(item.subject)):
        return "A commit that was to be squashed and was not misses every bar."
    return ""
