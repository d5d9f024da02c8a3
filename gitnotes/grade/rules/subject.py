"""Does the subject of a message read as it should?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitnotes.conventional import read_gitmoji
from gitnotes.grade.lexicon import stems_of, total_weight
from gitnotes.grade.message import Message
from gitnotes.grade.rules.settings import Fault, FormSettings
from gitnotes.guard.patterns import late
from gitnotes.guard.regexes import LONGEST_TEXT, compile_foreign
from gitnotes.guard.text import shorten, show
from gitnotes.guard.width import columns
from gitnotes.messages import is_default_subject
from gitnotes.verbs import imperative_of

_WIP = late(r"\W*(?:wip|work in progress|do not merge|dnm|tbd|todo)\b", re.I)
_WIP_INSIDE = late(r"[\[(](?:wip|do not merge)[\])]", re.I)
_SHORTEST = 6
"""Columns of a description, below which nobody can say what changed."""
_FAR = 28
"""Columns over the limit, beyond which a subject is no subject any more."""
_VAGUE = 0.3


def check_subject(parts: Message, settings: FormSettings) -> Iterator[Fault]:
    """The faults of a subject that a person wrote."""
    subject = parts.subject
    description = read_gitmoji(parts.description)[1]
    yield from _length(subject, settings)
    if _goes_on(parts):
        yield Fault("subject-cut", "The subject goes on in the body.", "Write a subject that fits the line.")
    elif description[-1:] in ".。,;:" and description and not description.endswith(("..", "etc.", "e.g.")):
        yield Fault("trailing-stop", f"The subject ends with “{description[-1]}”.", "Drop it.")
    yield from _content(parts, description, settings)
    pattern = settings.subject_pattern
    # The wider one is too long whatever it matches.
    if pattern and len(subject) <= LONGEST_TEXT and not compile_foreign(pattern).match(subject):
        yield Fault(
            "subject-pattern",
            "The subject does not match the pattern that this repository asks for.",
            f"Write it in the form of `{shorten(pattern)}`.",
        )
    yield from _first_word(parts, description, settings)


def is_vague(description: str) -> bool:
    """Whether no word of `description` says anything about one commit rather than any."""
    return informative_weight(description) < _VAGUE


def informative_weight(text: str) -> float:
    """The sum of the weights of the different stems in `text`, and a little for each number."""
    total = total_weight(stems_of(text, 4))
    # A version number or a ticket alone is not a description, but it narrows one down.
    return total + (0.2 if any(character.isdigit() for character in text) else 0.0)


def _length(subject: str, settings: FormSettings) -> Iterator[Fault]:
    width = columns(subject)
    over = width - settings.subject_limit
    if over > 0:
        yield Fault(
            "subject-length", f"The subject takes {width} columns, {over} too many.",
            "Shorten it and move the detail to the body.", level="error" if over > _FAR else None,
        )  # fmt: skip


def _goes_on(parts: Message) -> bool:
    dots = ("…", "...")
    return parts.subject.endswith(dots) and any(line.lstrip().startswith(dots) for line in parts.body)


def _content(parts: Message, description: str, settings: FormSettings) -> Iterator[Fault]:
    subject = parts.subject
    if is_default_subject(subject):
        yield Fault(
            "default-text", f"“{show(subject)}” is what git or a host proposed.",
            "Say in one line what the commits do together.",
        )  # fmt: skip
    elif _WIP().match(description) or _WIP().match(subject) or _WIP_INSIDE().search(subject):
        yield Fault("wip", "The commit is marked as work in progress.", "Finish it, then say what it does.")
    elif is_vague(description):
        yield Fault(
            "vague", f"“{show((description or subject)[:60])}” would fit any commit.",
            "Name what changed and what is different now.",
        )  # fmt: skip
    elif columns(description) < _SHORTEST or columns(subject) < settings.subject_min:
        yield Fault(
            "too-short", f"“{show(description)}” is too short to say what changed.",
            "Name what changed and where.",
        )  # fmt: skip


def _first_word(parts: Message, description: str, settings: FormSettings) -> Iterator[Fault]:
    words = description.split(None, 2)
    if not words:
        return
    first = words[0]
    if first.isalpha():
        better = imperative_of(first, words[1] if len(words) > 1 else "")
        if better is not None:
            yield Fault(
                "imperative", f"“{first}” is not in the imperative.",
                f"Write “{better}” in place of “{first}”.",
            )  # fmt: skip
    # An acronym, a name in the code or a script without case is spelled in one way only.
    if not first.rstrip(",.").isalpha():
        return
    is_upper = settings.capital == "upper" or (settings.capital == "untyped" and not parts.prefix)
    if is_upper and first.islower():
        yield Fault(
            "capital", f"The subject starts with the small letter “{first[0]}”.",
            f"Write “{first[0].upper()}{first[1:]}”.",
        )  # fmt: skip
    elif settings.capital == "lower" and first[0].isupper() and (first[1:].islower() or len(first) == 1):
        yield Fault(
            "capital", f"The subject starts with the capital letter “{first[0]}”.",
            f"Write “{first[0].lower()}{first[1:]}”.",
        )  # fmt: skip
