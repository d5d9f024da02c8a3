"""Which faults of a message explain its grade, and what can be done about each?"""

from __future__ import annotations

from gitnotes.grade.evidence import Evidence, Text
from gitnotes.guard.text import show
from gitnotes.records import Finding

_NO_REASON = 1.5
"""The score of `why` below which a reader does not learn the reason."""


def explain(
    text: Text, evidence: Evidence, scores: dict[str, float | None], *, vague: bool, elsewhere: bool
) -> list[Finding]:
    """The main reasons of a low score, each with what to do, named after the change where possible."""
    found: list[Finding] = []
    target = f"`{show(evidence.largest[:80])}`" if evidence.largest else ""
    consistency = scores["consistency"]
    opposites = evidence.opposites or evidence.body_opposites
    if opposites:
        names = ", ".join(f"`{show(name[:60])}`" for name in opposites[:3])
        found.append(
            Finding("direction", "warning", f"The message says the opposite of what happened to {names}.",
                    "Check whether it was added or removed.", 1 if evidence.opposites else None)
        )  # fmt: skip
    elif evidence.reversed:
        found.append(
            Finding("direction", "warning", "The message says the opposite of what the lines of the"
                                            " change do.",
                    "Check whether something was added or removed.", 1)
        )  # fmt: skip
    if evidence.names_missing and evidence.assessable:
        names = ", ".join(f"`{show(name[:60])}`" for name in evidence.names_missing[:3])
        found.append(
            Finding("name-not-in-change", "info", f"The change does not hold {names}.", "Check the name.")
        )
    if evidence.kind_wrong:
        found.append(
            Finding(
                "kind",
                "warning",
                f"The message says {evidence.kind_wrong}, and the change holds none.",
                "Say what the files of the change show.",
                1,
            )
        )
    if evidence.scope_found is False:
        found.append(
            Finding("scope-not-in-change", "info", "The scope names a part that the change does not touch.",
                    f"Name the part of {target}." if target else "Name a part that it touches.", 1)
        )  # fmt: skip
    for claim in evidence.claims[:1]:
        found.append(
            Finding("unsupported-claim", "warning", f"“{show(claim[:80])}” cannot be seen from the change.",
                    "Leave it out, or say how it was checked.")
        )  # fmt: skip
    contradicted = bool(opposites or evidence.kind_wrong or evidence.reversed)
    if evidence.where_only and not text.sentences and target:
        found.append(
            Finding("where-only", "warning", "The subject names a place and not what happened there.",
                    f"Say what is different in {target} now.", 1)
        )  # fmt: skip
    elif (
        evidence.assessable
        and not (vague or contradicted)
        and consistency is not None
        and consistency < 1.6
        and text.message.kind != "revert"
    ):
        found.append(
            Finding("not-in-change", "warning", "Hardly a word of the subject occurs in the change.",
                    f"Name what changed, such as {target}." if target else "Name what changed.", 1)
        )  # fmt: skip
    elif (vague or (scores["what"] or 0) < 2.0) and target:
        found.append(
            Finding(
                "what-missing",
                "warning",
                "The subject does not say what changed.",
                f"Say what happened to {target}.",
                1,
            )
        )
    elif evidence.unsaid >= 0.5 and evidence.unsaid_part and len(evidence.anchors) > 0:
        part = show(evidence.unsaid_part[:80])
        found.append(
            Finding(
                "unsaid",
                "info",
                f"No word of the message touches `{part}`.",
                f"Say what happened to `{part}`.",
            )
        )
    if (scores["why"] or 0) < _NO_REASON and elsewhere:
        found.append(
            Finding("why-elsewhere", "info", "The reason shares no word with the change.",
                    "Name the part of the change that it is about.")
        )  # fmt: skip
    elif (scores["why"] or 0) < _NO_REASON:
        found.append(
            Finding("why-missing", "info", "The message gives no reason.",
                    "Add a sentence on what was wrong before, or name the issue.")
        )  # fmt: skip
    return found
