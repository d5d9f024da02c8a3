"""Who judges, on which dimensions, by which definitions, and on which scale?

The roles and the four dimensions are those of CodeRPE (roles: code reviewer, original author, editor,
systems analyst; coherence, consistency, fluency, relevance, 0 to 4); definitions and anchors are in
our own words. `rationale` is added for commits and stays out of the overall, so that it compares
with CodeRPE's. The release profile has the dimensions and the scale of ReleaseEval, 1 to 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gitnotes.errors import UsageError
from gitnotes.guard.text import shorten

VERSION = "1"
"""Changes whenever a word changes that a model is shown."""

Form = Literal["score", "analyze-rate", "rate-explain"]
FORMS: tuple[Form, ...] = ("score", "analyze-rate", "rate-explain")
"""Score only; reason, then score; score, then reason."""


@dataclass(frozen=True, slots=True)
class Role:
    """As whom the model answers."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Dimension:
    """What is rated, and what the ends and the middle of the scale mean."""

    name: str
    text: str
    low: str
    middle: str
    high: str
    steps: tuple[str, ...] = ()
    """Evaluation steps, shown when they are asked for."""
    counts: bool = True
    """Whether it is a part of the overall."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a checklist; `good` is the answer that speaks for the text."""

    name: str
    text: str
    good: bool = True


@dataclass(frozen=True, slots=True)
class Profile:
    """What is judged, and how."""

    name: str
    subject: str
    """What the text is called in the questions."""
    source: str
    """What the thing is called that it is compared with."""
    low: int
    high: int
    dimensions: tuple[Dimension, ...] = ()
    questions: tuple[Question, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Of all that is asked."""
        return (*(item.name for item in self.dimensions), *(item.name for item in self.questions))


ROLES = {
    "reviewer": Role(
        "reviewer", "You review code. You hold the text against what was changed and trust nothing unproven."
    ),
    "author": Role(
        "author", "You wrote this change. You know what it was for and what somebody will want to know later."
    ),
    "editor": Role(
        "editor", "You edit technical prose. You care for plain, correct and economical language."
    ),
    "analyst": Role(
        "analyst",
        "You analyse systems. You ask what the change means for the program as a whole and its users.",
    ),
}

_COHERENCE = Dimension(
    "coherence",
    "The text gives one account of one change: its parts follow from each other and belong together.",
    "contradicts itself or is a heap of words",
    "can be read, but its parts disagree or topics are mixed",
    "one clear line from its first word to its last",
    (
        "Say to yourself in one sentence what the text is about.",
        "Check that each sentence adds to that and none works against it.",
        "Rate how well the whole holds together.",
    ),
)
_CONSISTENCY = Dimension(
    "consistency",
    "Every claim in the text can be found in the source or follows from it; nothing is made up or reversed.",
    "describes another change",
    "the main act is right, a detail is wrong or has no support",
    "nothing in it needs correcting",
    (
        "List what the text claims.",
        "Look for each claim in the source.",
        "Rate by how many claims have support and how heavy the unsupported ones are.",
    ),
)
_FLUENCY = Dimension(
    "fluency",
    "The text is well written: grammar, word order, spelling and form are right, and nothing is repeated.",
    "cannot be read",
    "can be understood in spite of its faults",
    "could be published as it is",
    (
        "Read the text as prose, without the source.",
        "Note faults of grammar, spelling, form and repetition.",
        "Rate by how much they disturb.",
    ),
)
_RELEVANCE = Dimension(
    "relevance",
    "The text names what matters in the source and leaves out what does not.",
    "says nothing that helps, or only what does not matter",
    "names a part of what matters, or buries it",
    "complete and lean",
    (
        "Decide what matters most in the source.",
        "Check whether the text names it.",
        "Check what in the text could be left out.",
        "Rate both together.",
    ),
)
_RATIONALE = Dimension(
    "rationale",
    "The text says why the change was made, or the reason is plain from the change itself.",
    "no reason is given and none is evident",
    "a reason is hinted at",
    "the reason is stated or evident",
    counts=False,
)
_FOUR = (_COHERENCE, _CONSISTENCY, _FLUENCY, _RELEVANCE)

PROFILES = {
    "coderpe": Profile("coderpe", "summary", "code", 0, 4, _FOUR),
    "commit": Profile("commit", "commit message", "change", 0, 4, (*_FOUR, _RATIONALE)),
    "release": Profile(
        "release",
        "release note",
        "list of commits",
        1,
        5,
        (
            # Completeness is counted from the answers about each commit, never asked as a number.
            Dimension(
                "clarity",
                "Each entry is correct and can be understood by somebody who did not write it.",
                "entries are cryptic or wrong",
                "most can be understood with knowledge of the code",
                "every entry can be understood at once",
            ),
            Dimension(
                "conciseness",
                "The note holds the changes that matter, each once, without needless detail.",
                "long-winded or full of repetition",
                "some entries are needless or too long",
                "nothing could be left out",
            ),
            Dimension(
                "organisation",
                "The entries are grouped and ordered so that a reader finds what concerns them.",
                "no order can be seen",
                "there are groups, but some entries are misplaced",
                "clear and logical throughout",
            ),
        ),
    ),
    "checklist": Profile(
        "checklist",
        "commit message",
        "change",
        0,
        4,
        questions=(
            Question("act", "Does the message say what was done, more precisely than 'update' or 'fix'?"),
            Question(
                "object", "Does it name the thing that was changed, so that it can be found in the change?"
            ),
            Question("supported", "Is every claim in the message borne out by the change?"),
            Question("direction", "Does it have the direction right: added, removed, enabled, disabled?"),
            Question("whole", "Does it cover the largest part of the change?"),
            Question("reason", "Does it say why, or is the reason plain from the change?"),
            Question("readable", "Is it grammatical and free of filler?"),
            Question("other", "Could the same message stand over many unrelated changes?", good=False),
        ),
    ),
}


def find_profile(name: str) -> Profile:
    """The profile called `name`. Raises UsageError when there is none."""
    if name not in PROFILES:
        raise UsageError(f"There is no profile '{shorten(name)}'.", f"Choose one of: {', '.join(PROFILES)}.")
    return PROFILES[name]


def find_roles(names: str) -> tuple[Role, ...]:
    """The roles in a comma-separated list, each once. Raises UsageError for an unknown one, or none."""
    wanted = list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    unknown = [name for name in wanted if name not in ROLES]
    if unknown or not wanted:
        raise UsageError(
            f"There is no role '{shorten(unknown[0] if unknown else names)}'.",
            f"Choose from: {', '.join(ROLES)}.",
        )
    return tuple(ROLES[name] for name in wanted)
