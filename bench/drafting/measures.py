"""How near is a draft to what the person wrote, is it true, and is it written as the repository writes?"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from gitnotes.conventional import USED_TYPES, read_head
from gitnotes.draft.style import Style
from gitnotes.grade.log_mnext import find_value
from gitnotes.grade.mnext_f1 import MnextF1
from gitnotes.grade.words import split_words
from gitnotes.records import Change
from gitnotes.verbs import forms

ACCEPTED = 0.9
"""Edit similarity from which a draft counts as taken as it is."""
DRAWS = 1000
_NAME = re.compile(r"\w[_./:]+\w|\d|[a-z][A-Z]")
_FAMILIES = ({"test", "tests"}, {"docs", "doc"}, {"build", "deps"})
_F1 = MnextF1()


@dataclass(frozen=True, slots=True)
class Row:
    """The measures of one draft, 0 to 1; None where one does not apply."""

    log_mnext: float
    mnext_f1: float
    rouge_l: float
    edit: float
    hallucinated: float
    type_right: float | None
    style_right: float
    seconds: float
    repeated: float = 0.0
    """Whether an earlier commit has the same subject."""
    text: str = ""
    reference: str = ""

    @property
    def accepted(self) -> float:
        return float(self.edit >= ACCEPTED)


def measure(
    text: str, reference: str, shown: str, style: Style, seconds: float, earlier: Collection[str] = ()
) -> Row:
    """The measures of the message `text`; `shown` is what the change shows, and `earlier` are the
    subjects of its ancestors, both in lower case."""
    subject = text.partition("\n")[0]
    one, other = split_words(subject), split_words(reference)
    common = _longest_common(one, other)
    return Row(
        log_mnext=find_value(subject, reference),
        mnext_f1=_F1.score(subject, [reference]) or 0.0,
        rouge_l=2 * common / (len(one) + len(other)) if one or other else 0.0,
        edit=1 - _distance(one, other) / max(len(one), len(other), 1),
        hallucinated=float(bool(unknown_names(text, shown))),
        type_right=_same_type(subject, reference) if style.conventional else None,
        style_right=float(not style_faults(subject, style)),
        seconds=seconds,
        repeated=float(subject.lower() in earlier),
        text=text,
        reference=reference,
    )


def show_change(change: Change) -> str:
    """The paths, the headings and the lines of a change, in lower case."""
    parts = [name for item in change.files for name in (item.path, item.old_path or "")]
    parts.extend(name for item in change.files for name in item.submodule or ())
    parts.extend(mode for item in change.files for mode in (item.old_mode, item.new_mode))
    for hunk in change.hunks:
        parts.extend((hunk.heading, *(line[1:] for line in hunk.lines)))
    return "\n".join(parts).lower()


def unknown_names(text: str, shown: str) -> list[str]:
    """The words of a message that look like a name or number and are nowhere in the change.

    Of the label before the colon of a subject, which joins folders and names as it likes, each part
    counts by itself; a conventional type does not.
    """
    subject, _, body = text.partition("\n")
    head = read_head(subject)
    if head and " " not in head.type:
        label = "" if head.is_usual else re.sub(r"[/:._-]", " ", head.type)
        subject = f"{label} {head.scope} {head.description}"
    words = re.sub(r"[`'\"()\[\]{}<>*]", " ", f"{subject} {body}").split()
    names = [word.strip(".,;:!?-") for word in words]
    return [name for name in names if _NAME.search(name) and name.lower() not in shown]


def style_faults(subject: str, style: Style) -> list[str]:
    """Which habits of the repository a subject breaks: length, type, prefix, case, tense or full stop."""
    faults = ["length"] if len(subject) > 72 else []
    head = read_head(subject)
    usual = head is not None and head.is_usual
    if style.conventional and not usual:
        faults.append("type")
    if not style.conventional and usual and head and not (style.types or head.type.lower() in style.types):
        faults.append("prefix")
    rest = head.description if head and " " not in head.type else subject
    word = rest.partition(" ")[0]
    case = style.case_after_prefix if rest != subject else style.case
    form = forms().get(word.lower())
    if form is not None and word.isalpha() and (word[:1].isupper() != (case == "upper")):
        faults.append("case")
    if form is not None and form.tense not in (style.tense, "gerund") and not form.is_noun:
        faults.append("tense")
    if subject.endswith(".") != style.stop:
        faults.append("stop")
    return faults


def interval(rows: Sequence[Row], name: str, seed: int = 1) -> tuple[float, float]:
    """95 % of the bootstrap means over the commits."""
    values = [getattr(row, name) for row in rows]
    draw = random.Random(seed)
    means = sorted(sum(draw.choices(values, k=len(values))) / len(values) for _ in range(DRAWS))
    return means[int(0.025 * DRAWS)], means[int(0.975 * DRAWS)]


def summarise(rows: Sequence[Row]) -> dict[str, Any]:
    """The means over the commits; log-mnext and mnext-f1 with their intervals."""
    found: dict[str, Any] = {}
    for name in (
        "log_mnext",
        "mnext_f1",
        "rouge_l",
        "edit",
        "accepted",
        "hallucinated",
        "repeated",
        "style_right",
    ):
        found[name.replace("_", "-")] = _mean([getattr(row, name) for row in rows])
    typed = [row.type_right for row in rows if row.type_right is not None]
    found["type-right"] = _mean(typed) if typed else None
    found["typed"] = len(typed)
    found["seconds"] = _mean([row.seconds for row in rows])
    for name in ("log_mnext", "mnext_f1"):
        found[f"{name.replace('_', '-')}-interval"] = list(interval(rows, name))
    return found


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _same_type(subject: str, reference: str) -> float | None:
    """Whether both have the same conventional type; None where the person used none."""
    wanted, found = read_head(reference), read_head(subject)
    if wanted is None or wanted.type.lower() not in USED_TYPES:
        return None
    pair = {wanted.type.lower(), found.type.lower() if found else ""}
    return float(len(pair) == 1 or pair in _FAMILIES)


def _longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    row = [0] * (len(other) + 1)
    for word in one:
        before = 0
        for at, against in enumerate(other, 1):
            before, row[at] = row[at], before + 1 if word == against else max(row[at], row[at - 1])
    return row[-1]


def _distance(one: Sequence[str], other: Sequence[str]) -> int:
    row = list(range(len(other) + 1))
    for number, word in enumerate(one, 1):
        before, row[0] = row[0], number
        for at, against in enumerate(other, 1):
            before, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, before + (word != against))
    return row[-1]
