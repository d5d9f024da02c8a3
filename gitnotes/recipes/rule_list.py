"""Which rules can a finding have, what does each ask, and did a person spell one right?"""

from __future__ import annotations

from gitnotes.errors import UsageError
from gitnotes.guard.text import shorten
from gitnotes.recipes.grading import REPEATED
from gitnotes.rulebook import RULES

SCORE = "score"
"""The finding of the gate itself, for a message below the bar."""
_EVIDENCE_RULES = {
    "direction": "Does the message say added where the change adds, and removed where it removes?",
    "name-not-in-change": "Does the change hold every name, path and version of the subject?",
    "kind": "Does the change hold what the message says it is about: tests, documents, a fix?",
    "scope-not-in-change": "Does the change touch the part that the scope names?",
    "unsupported-claim": "Can everything that the message claims be seen from the change?",
    "where-only": "Does the subject say what happened, not only where?",
    "not-in-change": "Do the words of the subject occur in the change?",
    "what-missing": "Does the subject say what changed?",
    "unsaid": "Is every large part of the change mentioned?",
    "why-missing": "Does the message give a reason?",
    "why-elsewhere": "Is the reason about this change?",
    "language": "Is the message in a language whose words can be compared with the change?",
    REPEATED: "Is the text different from that of the other commits?",
    SCORE: "Does the message reach the bar?",
}


def list_rules() -> dict[str, str]:
    """Every rule id with the question that it asks of a message."""
    return {**{name: rule.question for name, rule in RULES.items()}, **_EVIDENCE_RULES}


def check_rule(name: str, others: tuple[str, ...] = ()) -> str:
    """The rule, or one of the `others`, that a person means; raises UsageError with a suggestion."""
    wanted = name.strip().lower().replace("_", "-")
    known = [*others, *(rule for rule in list_rules() if rule != SCORE)]
    if wanted in known:
        return wanted
    import difflib

    near = difflib.get_close_matches(wanted[:60], known, 2)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Known are: {', '.join(known)}."
    raise UsageError(f"There is no rule '{shorten(name)}'.", hint)
