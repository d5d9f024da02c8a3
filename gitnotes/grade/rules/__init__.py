"""Does the form of a commit message follow the customs of git and of its repository?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitnotes.findings import Finding
from gitnotes.grade.message import Message, split_message
from gitnotes.grade.rules.body import check_body
from gitnotes.grade.rules.grammar import check_grammar
from gitnotes.grade.rules.policy import check_policies
from gitnotes.grade.rules.safety import check_safety
from gitnotes.grade.rules.settings import DEFAULTS, Fault, FormSettings, judge
from gitnotes.grade.rules.subject import check_subject, informative_weight, is_vague
from gitnotes.guard.patterns import late
from gitnotes.guard.text import shorten
from gitnotes.rulebook import PROTECTED, RULES, near_rule

_DISABLE = late(r"\W*gitnotes: ?disable=([a-z, -]{1,500})", re.I)


def check_form(
    message: str,
    *,
    settings: FormSettings = DEFAULTS,
    conventional: bool = False,
    parents: int | None = None,
    author: str = "",
) -> tuple[Finding, ...]:
    """The faults of form in `message`, in the order of its lines.

    `message` is the text as git stores it. `conventional` says that the repository uses
    Conventional Commits. `parents`, the number of parents, and `author`, "Name <email>", tell
    merges and bots from people where they are known; git's own merge, revert and fixup texts
    are told by their exact form. Linear in the length of the message, of which the first
    64 KiB are read. Raises ValueError for a pattern in the settings that cannot be run.
    """
    parts = split_message(message, parents=parents, author=author)
    return check_parts(parts, settings=settings, conventional=conventional)


def check_parts(
    parts: Message, *, settings: FormSettings = DEFAULTS, conventional: bool = False
) -> tuple[Finding, ...]:
    """As `check_form`, for a message that is split already.

    A line `gitnotes: disable=RULE,RULE` below the subject, whatever signs are before it, switches
    rules off, `all` those that can be; that is reported by the rule `rules-disabled`.
    """
    faults = list(_find_faults(parts, settings, conventional))
    if "disable=" in parts.raw.lower():
        faults = _without_disabled(faults, parts)
    found = [judge(fault, settings) for fault in faults]
    return tuple(finding for finding in found if finding is not None)


def _without_disabled(faults: list[Fault], parts: Message) -> list[Fault]:
    disabled: set[str] = set()
    told: list[Fault] = []
    for number, line in enumerate(parts.lines[1:], 2):
        if match := _DISABLE().match(line):
            names = [name.strip() for name in match[1].lower().split(",") if name.strip()]
            disabled.update(RULES if "all" in names else names)
            told.append(_disabling(names, number))
    return [fault for fault in faults if fault.rule in PROTECTED or fault.rule not in disabled] + told


def _disabling(names: list[str], number: int) -> Fault:
    known = [name for name in names if name == "all" or (name in RULES and name not in PROTECTED)]
    message = (
        f"The message switches off: {', '.join(known)}." if known else "The message switches off no rule."
    )
    odd = next((name for name in names if name not in RULES and name != "all"), "")
    kept = next((name for name in names if name in PROTECTED), "")
    if odd:
        message += f" There is no rule “{shorten(odd)}”."
    elif kept:
        message += f" “{kept}” cannot be switched off."
    remedy = near_rule(odd) if odd else "Mend what the rule is about and drop the line."
    return Fault("rules-disabled", message, remedy, number)


def _find_faults(parts: Message, settings: FormSettings, conventional: bool) -> Iterator[Fault]:
    yield from check_safety(parts)
    if not parts.subject:
        yield Fault("empty", "The message is empty.", "Say what the change does, and why.", None)
        return
    if parts.kind in ("merge", "bot"):
        return
    if parts.kind == "fixup":
        mark = parts.subject.split("!", 1)[0] + "!"
        yield Fault(
            "fixup-left", f"This is {'an' if mark == 'amend!' else 'a'} {mark} commit.",
            "Squash it with `git rebase -i --autosquash` before it is merged.",
        )  # fmt: skip
        yield from check_body(parts, settings)
        return
    if parts.kind == "plain":
        if conventional:
            yield from check_grammar(parts, settings)
        yield from check_subject(parts, settings)
    yield from check_body(parts, settings)
    yield from check_policies(parts, settings)


__all__ = [
    "DEFAULTS",
    "RULES",
    "FormSettings",
    "check_form",
    "check_parts",
    "informative_weight",
    "is_vague",
]
