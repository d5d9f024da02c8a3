"""Does a message carry the references, signatures and credits that the repository wants, and no others?"""

from __future__ import annotations

from collections.abc import Iterator

from gitnotes.grade.message import Message
from gitnotes.grade.rules.settings import Fault, FormSettings
from gitnotes.guard.patterns import late
from gitnotes.guard.regexes import LONGEST_TEXT, compile_foreign
from gitnotes.guard.text import shorten
from gitnotes.messages import credit_of, tickets

_ISSUE_LINK = late(r"/(?:issues|pull|merge_requests|browse)/[A-Za-z0-9-]{0,20}\d")
_SEARCHED = 500
"""Lines of a message in which a ticket is looked for."""


def check_policies(parts: Message, settings: FormSettings) -> Iterator[Fault]:
    """The faults that only a repository's own policies make."""
    lines = parts.lines
    if settings.ticket and parts.kind == "plain" and not _has_ticket(lines, settings.ticket):
        pattern = "" if settings.ticket == "any" else f" that matches `{shorten(settings.ticket)}`"
        yield Fault(
            "ticket-missing", f"No issue{pattern} is named.", "Add a line such as `Refs: #123`.", None
        )
    if not (settings.sign_off or settings.trailers or settings.attribution != "allowed"):
        return
    keys = {line.partition(":")[0].strip().lower() for line in lines[1:] if ":" in line}
    if settings.sign_off and "signed-off-by" not in keys:
        yield Fault("sign-off-missing", "The message is not signed off.", "Commit with `-s`.", None)
    for key in settings.trailers:
        if key.lower() not in keys:
            shown = shorten(key)
            yield Fault(
                "trailer-missing", f"There is no line `{shown}: …`.",
                f"Add `{shown}: …` at the end of the message.", None,
            )  # fmt: skip
    if settings.attribution != "allowed":
        yield from _attribution(lines, settings)


def _has_ticket(lines: tuple[str, ...], pattern: str) -> bool:
    if pattern == "any":
        return any(tickets(line) or _ISSUE_LINK().search(line) for line in lines)
    compiled = compile_foreign(pattern, search=True)
    return any(compiled.search(line[:LONGEST_TEXT]) for line in lines[:_SEARCHED])


def _attribution(lines: tuple[str, ...], settings: FormSettings) -> Iterator[Fault]:
    credits = [(number, found) for number, line in enumerate(lines, 1) if (found := credit_of(line))]
    if settings.attribution == "required":
        if not credits:
            yield Fault(
                "attribution-missing", "Nobody is credited.",
                "Add a line such as `Co-authored-by: Name <email>`.", None,
            )  # fmt: skip
        return
    for number, found in credits:
        if found == "tool" or settings.attribution == "forbidden":
            what = "a tool" if found == "tool" else "a co-author"
            yield Fault(
                "attribution-forbidden", f"The message credits {what}, which this repository does not want.",
                "Remove the line.", number,
            )  # fmt: skip
            return
