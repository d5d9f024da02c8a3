"""Does the form of a commit message follow the customs of git and of its repository?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from gitnotes.conventional import TYPES, read_gitmoji, read_head
from gitnotes.grade import phrases
from gitnotes.grade.lexicon import stems_of, total_weight, words_of
from gitnotes.grade.message import Message, looks_like_type, split_message
from gitnotes.guard import text as guard
from gitnotes.guard.patterns import late
from gitnotes.guard.width import columns
from gitnotes.messages import tickets
from gitnotes.records import Finding, Severity
from gitnotes.verbs import imperative_of

RULES: dict[str, str] = {
    "empty": "The message says nothing at all.",
    "too-short": "The subject has fewer columns than anyone needs to say what changed.",
    "subject-length": "The subject is wider than the limit, counted in display columns.",
    "subject-cut": "The subject was cut and goes on in the body.",
    "blank-second-line": "The line after the subject is not blank, so git takes it as part of the subject.",
    "imperative": "The subject opens with a verb in the past, third person or -ing form.",
    "trailing-stop": "The subject ends with a full stop or other closing punctuation.",
    "capital": "The subject starts with a small letter.",
    "type-missing": "The repository uses Conventional Commits and the subject has no type.",
    "type-unknown": "The type is not one that the repository uses.",
    "type-case": "The type is not in small letters.",
    "type-spacing": "The type is not followed by a colon and one blank.",
    "scope": "The scope is empty or not one that the repository uses.",
    "description-empty": "There is nothing after the type.",
    "vague": "The subject would fit any commit.",
    "wip": "The commit is marked as work in progress.",
    "fixup-left": "A fixup!, squash! or amend! commit was never squashed.",
    "body-width": "A body line that could be wrapped is wider than the limit.",
    "leaked-text": "Text of a language model is left around the message.",
    "control-character": "The message holds control or invisible characters.",
    "mixed-script": "A word mixes letters of scripts that look alike.",
    "instruction-text": "The message holds text that is addressed to whoever grades it; it changes no score.",
    "ticket-missing": "The repository wants an issue reference and the message has none.",
    "sign-off-missing": "The repository wants a Signed-off-by line and the message has none.",
}
"""Rule id to description; every finding of `check_form` has one of these ids."""

_WIP = late(r"\W*(?:wip|work in progress|do not merge|dnm|tbd|todo)\b", re.I)
_WIP_INSIDE = late(r"[\[(](?:wip|do not merge)[\])]", re.I)
_DISABLE = late(r"\W*gitnotes: ?disable=([a-z, -]+)", re.I)
_ISSUE_LINK = late(r"/(?:issues|pull|merge_requests)/\d+")
_QUOTED = (" " * 4, "\t", ">", "|", "+", "$ ", "```")


class FormSettings(NamedTuple):
    """What a repository asks of the form of its messages."""

    subject_limit: int = 72
    """Columns."""
    body_limit: int = 72
    """Columns; 0 switches the rule off."""
    shortest: int = 6
    """Columns of the description, below which a subject is too short."""
    types: tuple[str, ...] = TYPES
    scopes: tuple[str, ...] = ()
    """Empty: any scope."""
    imperative: bool = True
    capital: bool = True
    ticket: bool = False
    sign_off: bool = False
    disabled: frozenset[str] = frozenset()
    """Ids of rules that do not report."""


DEFAULTS = FormSettings()


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
    64 KiB are read.
    """
    parts = split_message(message, parents=parents, author=author)
    return check_parts(parts, settings=settings, conventional=conventional)


def check_parts(
    parts: Message, *, settings: FormSettings = DEFAULTS, conventional: bool = False
) -> tuple[Finding, ...]:
    """As `check_form`, for a message that is split already."""
    disabled = settings.disabled
    for line in parts.lines[1:]:
        if "gitnotes" in line and (match := _DISABLE().match(line)):
            disabled = disabled | {name.strip() for name in match.group(1).lower().split(",")}
    found = [
        finding
        for finding in _all_findings(parts, settings, conventional)
        if not disabled or finding.rule not in disabled
    ]
    return tuple(found)


def _all_findings(parts: Message, settings: FormSettings, conventional: bool) -> Iterator[Finding]:
    yield from _safety(parts)
    if not parts.subject:
        yield _finding("empty", "error", "The message is empty.", "Say what the change does, and why.")
        return
    if parts.kind in ("merge", "bot"):
        return
    if parts.kind == "fixup":
        mark = parts.subject.split("!", 1)[0] + "!"
        yield _finding(
            "fixup-left", "error", f"This is {'an' if mark == 'amend!' else 'a'} {mark} commit.",
            "Squash it with `git rebase -i --autosquash` before it is merged.", 1,
        )  # fmt: skip
    elif parts.kind == "plain":
        if conventional:
            yield from _grammar(parts, settings)
        yield from _subject(parts, settings)
    yield from _body(parts, settings)
    if settings.ticket and not any(tickets(line) or _ISSUE_LINK().search(line) for line in parts.lines):
        yield _finding("ticket-missing", "error", "No issue is named.", "Add a line such as `Refs: #123`.")
    if settings.sign_off and not any(line.lower().startswith("signed-off-by: ") for line in parts.lines):
        yield _finding("sign-off-missing", "error", "The message is not signed off.", "Commit with `-s`.")


def _safety(parts: Message) -> Iterator[Finding]:
    raw = parts.raw
    if not raw.isascii() or not raw.isprintable():
        hidden = guard.hidden_characters(_without_joined_emoji(raw).replace("\t", " "))
        if hidden:
            names = ", ".join(hidden[:4])
            yield _finding(
                "control-character", "error", f"The message holds {names}.", "Remove what cannot be seen."
            )
    if not raw.isascii():
        for number, line in enumerate(parts.lines):
            word = None if line.isascii() else _mixed_word(line)
            if word:
                yield _finding(
                    "mixed-script", "warning", f"“{guard.show(word)}” mixes letters of look-alike scripts.",
                    "Type the word again in one script.", number + 1,
                )  # fmt: skip
                break
    leak = phrases.find_leak(parts.lines)
    if leak:
        yield _finding(
            "leaked-text", "error", f"The message holds {leak[1]}.", "Keep the message alone.", leak[0] + 1
        )
    for number in phrases.find_instructions(parts.lines):
        yield _finding(
            "instruction-text", "warning", "This text speaks to whoever grades the message; it changed no"
                                           " score.",
            "Remove it.", number + 1,
        )  # fmt: skip
        break


def _grammar(parts: Message, settings: FormSettings) -> Iterator[Finding]:
    head = read_head(read_gitmoji(parts.subject)[1])
    usual = ", ".join(settings.types)
    if head is None or (head.type.lower() not in settings.types and " " in head.type):
        yield _finding("type-missing", "error", "The subject has no type.", f"Begin with one of: {usual}.", 1)
        return
    name = head.type
    if name.lower() not in settings.types:
        yield _finding(
            "type-unknown", "error", f"“{guard.show(name)}” is not a type here.", f"Use one of: {usual}.", 1
        )
    elif name != name.lower():
        yield _finding("type-case", "warning", "The type has capitals.", f"Write `{name.lower()}`.", 1)
    if head.has_space_before or (head.space_after != " " and head.description):
        yield _finding(
            "type-spacing",
            "error",
            "The type wants a colon and one blank.",
            f"Write `{guard.show(name)}: …`.",
            1,
        )
    if not head.description.strip():
        yield _finding(
            "description-empty", "error", "Nothing follows the type.", "Say what the change does.", 1
        )
    if head.has_empty_scope:
        yield _finding(
            "scope", "error", "The scope is empty.", "Name a part of the project or drop the brackets.", 1
        )
    elif settings.scopes and parts.scope:
        for scope in re.split(r"[,/]", parts.scope):
            if scope.strip() not in settings.scopes:
                yield _finding(
                    "scope", "error", f"“{guard.show(scope.strip())}” is not a scope here.",
                    f"Use one of: {', '.join(settings.scopes[:12])}.", 1,
                )  # fmt: skip
                break


def _subject(parts: Message, settings: FormSettings) -> Iterator[Finding]:
    subject = parts.subject
    width = columns(subject)
    if width > settings.subject_limit:
        yield _finding(
            "subject-length", "error" if width > settings.subject_limit + 28 else "warning",
            f"The subject takes {width} columns, {width - settings.subject_limit} too many.",
            "Shorten it and move the detail to the body.", 1,
        )  # fmt: skip
    description = read_gitmoji(parts.description)[1]
    if subject.endswith(("…", "...")) and any(line.lstrip().startswith(("…", "...")) for line in parts.body):
        yield _finding(
            "subject-cut",
            "warning",
            "The subject goes on in the body.",
            "Write a subject that fits the line.",
            1,
        )
    elif description[-1:] in ".。,;:" and description and not description.endswith(("..", "etc.", "e.g.")):
        yield _finding("trailing-stop", "info", f"The subject ends with “{description[-1]}”.", "Drop it.", 1)
    if _WIP().match(description) or _WIP().match(subject) or _WIP_INSIDE().search(subject):
        yield _finding(
            "wip", "error", "The commit is marked as work in progress.",
            "Finish it, then say what it does.", 1,
        )  # fmt: skip
    elif is_vague(description):
        yield _finding(
            "vague", "error", f"“{guard.show(description[:60])}” would fit any commit.",
            "Name what changed and what is different now.", 1,
        )  # fmt: skip
    elif columns(description) < settings.shortest:
        yield _finding(
            "too-short", "warning", f"“{guard.show(description)}” is too short to say what changed.",
            "Name what changed and where.", 1,
        )  # fmt: skip
    yield from _first_word(parts, description, settings)


def _first_word(parts: Message, description: str, settings: FormSettings) -> Iterator[Finding]:
    words = description.split(None, 2)
    if not words:
        return
    first = words[0]
    if settings.imperative and first.isalpha():
        better = imperative_of(first, words[1] if len(words) > 1 else "")
        if better is not None:
            yield _finding(
                "imperative", "warning", f"“{first}” is not in the imperative.",
                f"Write “{better}” in place of “{first}”.", 1,
            )  # fmt: skip
    if (
        settings.capital
        and not parts.prefix
        and first[0].islower()
        and first.rstrip(",.").isalpha()
        and first.islower()
    ):
        yield _finding(
            "capital", "info", f"The subject starts with the small letter “{first[0]}”.",
            f"Write “{first[0].upper()}{first[1:]}”.", 1,
        )  # fmt: skip


def is_vague(description: str) -> bool:
    """Whether no word of `description` says anything about one commit rather than any."""
    return informative_weight(description) < 0.3


def informative_weight(text: str) -> float:
    """The sum of the weights of the different stems in `text`, and a little for each number."""
    total = total_weight(stems_of(text, 4))
    # A version number or a ticket alone is not a description, but it narrows one down.
    return total + (0.2 if any(character.isdigit() for character in text) else 0.0)


def _body(parts: Message, settings: FormSettings) -> Iterator[Finding]:
    body = parts.body
    if body and body[0].strip():
        yield _finding(
            "blank-second-line", "warning", "The second line is not blank.",
            "Put a blank line after the subject; without it git joins both.", 2,
        )  # fmt: skip
    limit = settings.body_limit
    if not limit or not body:
        return
    fenced = False
    first, widest, count = 0, 0, 0
    for number, line in enumerate(body, 2):
        if line.startswith("```"):
            fenced = not fenced
        # No character takes more than two columns.
        if fenced or len(line) * 2 <= limit or line.startswith(_QUOTED):
            continue
        width = columns(line)
        if width <= limit or "://" in line or " " not in line.strip()[: limit + 1]:
            continue
        if parts.kind == "revert" or line.lower().startswith("(cherry picked"):
            continue
        first = first or number
        widest = max(widest, width)
        count += 1
    if count:
        lines = "A body line is" if count == 1 else f"{count} body lines are"
        yield _finding(
            "body-width", "info", f"{lines} wider than {limit} columns, the widest {widest}.",
            f"Wrap the body at {limit} columns.", first,
        )  # fmt: skip


def _without_joined_emoji(text: str) -> str:
    if "\u200d" in text:  # the pattern takes 4 ms to compile
        text = re.sub("(?<=[\u2190-\U0001faff\ufe0f])\u200d(?=[\u2190-\U0001faff])", "", text)
    return text.removeprefix("\ufeff")


def _mixed_word(line: str) -> str | None:
    for word in words_of(line):
        if word.isascii():
            continue
        plain = phrases.plain_letters(word)
        # A word wholly in Cyrillic keeps some letter without a Latin look-alike; a forged one keeps none.
        if plain != word and any("a" <= letter.lower() <= "z" for letter in word):
            return word
    return None


def _finding(rule: str, severity: Severity, message: str, remedy: str, line: int | None = None) -> Finding:
    return Finding(rule=rule, severity=severity, message=message, remedy=remedy, line=line)


__all__ = [
    "DEFAULTS",
    "RULES",
    "FormSettings",
    "check_form",
    "check_parts",
    "informative_weight",
    "is_vague",
    "looks_like_type",
]
