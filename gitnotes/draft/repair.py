"""What can be mended in a message without saying anything else than its author did?"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

from gitnotes.conventional import read_gitmoji, read_head
from gitnotes.draft.clean import squeeze
from gitnotes.draft.evidence import gather, haystack, unknown_names
from gitnotes.draft.naming import full_name, outer, place, say_test
from gitnotes.draft.style import Style, change_case
from gitnotes.draft.words import bag
from gitnotes.guard.text import clean
from gitnotes.guard.width import columns
from gitnotes.messages import is_trailer, leading_tracker, tickets, trailer_start
from gitnotes.records import Change
from gitnotes.verbs import imperative_of, is_verb

SHORTEST = 20
"""Columns that a long subject keeps at least when its end moves to the body."""
_LONGEST = 64 * 1024
_STOPS = ".。,;:"
_NO_STOP = ("..", "etc.", "e.g.")
_BREAK = re.compile(
    r"(?P<drop>; | [-\u2013\u2014] |\. |, and |, then | and then )"
    r"|(?P<keep>,? (?:so that|because|since|in order to|which|when|while|as|to avoid|to prevent|instead of) )"
)
_AS_WRITTEN = (" " * 4, "\t", ">", "|", "+", "$ ", "-", "*", "#")
_REFERENCE = re.compile(r"\s*\((?:#\d{1,9}|GH-\d{1,9}|[A-Z][A-Z0-9]{1,9}-\d{1,9})\)$")
_LEADING = re.compile(r"\[?(?:#\d{1,9}|GH-\d{1,9}|[A-Z][A-Z0-9]{1,9}-\d{1,9})\]?:?\s+")


_EMPTY = frozenset(["it", "this", "that", "stuff", "things", "something", "some", "wip", "wip:"])
_ANY_FAULT = bag(
    "a an the some any all minor small little various several few other more bug bugs bugfix bugfixes issue"
    " issues error errors problem problems fault faults mistake mistakes defect defects fix fixes change"
    " changes code"
)
"""Words that tell no fault and no change from another, so that a place does not make them say anything."""
_ACTIONS = dict.fromkeys(["add", "introduce", "create", "implement", "write"], "added") | dict.fromkeys(
    ["remove", "drop", "delete"], "removed"
)
"""What a verb says that happened; any other says that something changed."""


class Parts(NamedTuple):
    """A message taken apart; joined they are the message again, well spaced."""

    subject: str
    body: tuple[str, ...]
    """Lines of prose, without blank ones at the ends."""
    trailers: tuple[str, ...]
    """Trailers and footers as they were written."""

    def join(self) -> str:
        blocks = (self.subject, "\n".join(self.body), "\n".join(self.trailers))
        return "\n\n".join(block for block in blocks if block)


def take_apart(message: str, *, subject_limit: int = 72) -> Parts:
    """The parts of `message`, of which the first 64 KiB are read; no characters that cannot be seen.

    A subject that goes on in the second line is one again where it fits `subject_limit` columns.
    """
    lines = [line.rstrip() for line in clean(message[:_LONGEST]).strip().split("\n")]
    subject, rest = " ".join(lines[0].split()), lines[1:]
    if rest and rest[0][:1].islower() and columns(f"{subject} {rest[0]}") <= subject_limit:
        subject, rest = f"{subject} {rest[0]}", rest[1:]
    start = trailer_start(rest)
    # git takes prose that touches the trailers for one of them; a blank line parts the two.
    while start < len(rest) and not is_trailer(rest[start]):
        start += 1
    return Parts(subject, tuple(squeeze(rest[:start])), tuple(line for line in rest[start:] if line))


def add_paragraph(message: str, paragraph: str, *, width: int = 72) -> str:
    """`message` with `paragraph`, wrapped, as the first of its body; one that it has is not added again."""
    parts = take_apart(message)
    text = " ".join(clean(paragraph).split())
    if not text or text in " ".join(" ".join(parts.body).split()):
        return parts.join()
    gap = ("",) if parts.body else ()
    return parts._replace(body=(*textwrap.wrap(text, width), *gap, *parts.body)).join()


def mend_form(
    parts: Parts, style: Style, *, subject_limit: int = 72, body_limit: int = 72, prefix: str = ""
) -> Parts:
    """The same words in good form: mood, case, stop, length of the subject, width of the body.

    `prefix`, such as `fix: `, goes before a subject without a type where the style wants one. A long
    subject is parted where a clause ends, and what follows opens the body.
    """
    head, text = _split_head(parts.subject, prefix if style.conventional else "")
    reference = _REFERENCE.search(text)
    text, tail = (text[: reference.start()], reference.group()) if reference else (text, "")
    if text[-1:] and text[-1] in _STOPS and not text.endswith(_NO_STOP) and not style.stop:
        text = text[:-1].rstrip()
    first, _, following = text.partition(" ")
    if style.tense == "imperative" and (better := imperative_of(first, following.partition(" ")[0])):
        text = f"{better} {following}".rstrip()
    case = style.case_after_prefix if head else style.case
    # A capital is the author's own, unless it stood before the type did.
    if case == "upper" or (prefix and head.endswith(prefix) and prefix not in parts.subject):
        text = change_case(text, case)
    text, more = _part_long(text, subject_limit - columns(head + tail))
    body = [*([more, ""] if more else []), *parts.body]
    wrapped = squeeze(list(_wrap(body, body_limit)))
    return Parts(f"{head}{text}{tail}", tuple(wrapped), parts.trailers)


def _split_head(subject: str, prefix: str) -> tuple[str, str]:
    """What stands before the description, mended, and the description."""
    sign, rest = read_gitmoji(subject)
    sign = sign and f"{sign} "
    ticket = _LEADING.match(rest) if leading_tracker(rest) else None
    if ticket:
        sign, rest = sign + ticket.group(), rest[ticket.end() :]
    head = read_head(rest)
    if head is None or not head.type[0].isalpha() or (" " in head.type and "," not in head.type):
        return sign + prefix, rest
    if not head.is_usual and prefix:
        return sign + prefix, rest
    name = head.type.lower() if head.is_usual else head.type
    scope = f"({head.scope})" if head.scope else ""
    return f"{sign}{name}{scope}{'!' if head.breaking else ''}: ", head.description.strip()


def _part_long(text: str, limit: int) -> tuple[str, str]:
    """The text up to the last clause that fits, and the rest as a sentence; '' when it fits or cannot."""
    if columns(text) <= limit:
        return text, ""
    for found in reversed(list(_BREAK.finditer(text[: 4 * limit]))):
        kept = text[: found.start()].rstrip(" ,;.")
        if SHORTEST <= columns(kept) <= limit:
            rest = text[found.end() if found["drop"] else found.start() :].lstrip(" ,")
            return kept, f"{rest[:1].upper()}{rest[1:].rstrip('.')}."
    return text, ""


def _wrap(lines: list[str], width: int) -> Iterator[str]:
    fenced = False
    for line in lines:
        fenced ^= line.startswith("```")
        if fenced or columns(line) <= width or "://" in line or line.startswith((*_AS_WRITTEN, "```")):
            yield line
        else:
            yield from textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)


def name_objects(parts: Parts, change: Change, *, subject_limit: int = 72) -> Iterator[Parts]:
    """The message with what the change is about named in its subject, best first; none where it is."""
    head, text = _split_head(parts.subject, "")
    reference = _REFERENCE.search(text)
    text, tail = (text[: reference.start()], reference.group()) if reference else (text, "")
    shown = haystack(change)
    # `Fix` and `Update it` want an object, `Fix crash` a place.
    words = [word for word in text.split() if word.lower() not in _EMPTY]
    if not any(map(str.isalnum, text)):
        return
    is_bare = len(words) == 1 and is_verb(words[0])
    told = words[1:] if words and is_verb(words[0]) else words
    if not is_bare and {word.lower().strip(".,!") for word in told} <= _ANY_FAULT:
        return
    for name, action, is_place in _objects(change):
        if not words or name.lower() in text.lower():
            return
        if unknown_names(name, shown):
            continue
        # What is new was not fixed, and nothing is fixed in what is new.
        if is_bare and action != _ACTIONS.get(words[0].lower(), "changed"):
            continue
        if not (is_bare or is_place or action == "changed"):
            continue
        named = f"{words[0]} {name}" if is_bare else f"{text} in {name}"
        if columns(head + named + tail) <= subject_limit:
            yield parts._replace(subject=f"{head}{named}{tail}")


def _objects(change: Change) -> Iterator[tuple[str, str, bool]]:
    """What the change is about: a name, what happened to it, and whether it is a place."""
    evidence = gather(change)
    for item in outer(evidence.code or evidence.tests or evidence.settings)[:2]:
        action = item.action if item.action in ("added", "removed") else "changed"
        yield say_test(item.name) if item.kind == "test" else full_name(item), action, False
    statuses = {item.status for item in change.files}
    yield place(evidence.paths), {"A": "added", "D": "removed"}.get("".join(statuses), "changed"), True


def redraft(
    parts: Parts,
    draft: str,
    style: Style,
    *,
    subject_limit: int = 72,
    keep_subject: bool = False,
    body: bool = False,
) -> Parts:
    """The subject of `draft` over the author's own body and trailers.

    The author's type, scope, breaking mark and issue references stay. `keep_subject` puts the old
    subject into the body, for the reason that it gives; `body` adds that of the draft before the own.
    """
    drafted = take_apart(draft, subject_limit=subject_limit)
    head, old = _split_head(parts.subject, "")
    own = read_head(read_gitmoji(parts.subject)[1])
    subject = drafted.subject
    if (own and own.is_usual) or leading_tracker(parts.subject):
        _, text = _split_head(drafted.subject, "")
        subject = f"{head}{change_case(text, style.case_after_prefix)}"
    trailers = parts.trailers
    for ticket in tickets(parts.subject):
        if ticket in subject:
            continue
        if columns(f"{subject} ({ticket})") <= subject_limit:
            subject = f"{subject} ({ticket})"
        elif not any(ticket in line for line in (*parts.body, *trailers)):
            trailers = (f"Refs: {ticket}", *trailers)
    lines: list[str] = []
    if keep_subject:
        sentence = _REFERENCE.sub("", old)
        lines += [f"{sentence[:1].upper()}{sentence[1:].rstrip('.')}.", ""]
    if body and drafted.body:
        lines += [*drafted.body, ""]
    return Parts(subject, tuple(squeeze([*lines, *parts.body])), trailers)
