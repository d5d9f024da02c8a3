"""Is the body of a message there, apart from its subject, and wrapped?"""

from __future__ import annotations

from collections.abc import Iterator

from gitnotes.grade.message import Message
from gitnotes.grade.rules.settings import Fault, FormSettings
from gitnotes.guard.patterns import late
from gitnotes.guard.width import columns

_QUOTED = (" " * 4, "\t", ">", "|", "+", "$ ")
"""Code, quotes, tables and commands, which are not wrapped."""
_FENCES = ("```", "~~~")
_TRAILER = late(
    r"(?:[A-Za-z][A-Za-z-]{0,40}-[Bb]y|[Ff]ixes|[Cc]loses|[Rr]efs|[Ss]ee|Cc|Link|Change-Id|Reviewed-on)"
    r": |\(cherry picked "
)
_TABLE = late(r"[-:| ]*-[-:| ]*\|[-:| ]*$")
_LINK = late(r"\S*://\S+")


def check_body(parts: Message, settings: FormSettings) -> Iterator[Fault]:
    """The faults of all that follows the subject."""
    body = parts.body
    if body and body[0].strip():
        yield Fault(
            "blank-second-line", "The second line is not blank.",
            "Put a blank line after the subject; without it git joins both.", 2,
        )  # fmt: skip
    if parts.kind == "plain" and not any(line.strip() for line in body):
        yield Fault(
            "body-missing", "There is no body.", "Say below the subject why the change is made.", None
        )
    wide = _find_wide(body, settings.body_limit) if settings.body_limit and parts.kind != "revert" else []
    if wide:
        lines = "A body line is" if len(wide) == 1 else f"{len(wide)} body lines are"
        widest = max(width for _, width in wide)
        yield Fault(
            "body-width", f"{lines} wider than {settings.body_limit} columns, the widest {widest}.",
            f"Wrap the body at {settings.body_limit} columns.", wide[0][0],
        )  # fmt: skip


def _find_wide(body: tuple[str, ...], limit: int) -> list[tuple[int, int]]:
    """1-based line and width of each line that is too wide and could be wrapped."""
    # No character takes more than two columns.
    found = [at for at, line in enumerate(body) if len(line) * 2 > limit and not line.startswith(_QUOTED)]
    wide = [(at, width) for at in found if (width := columns(body[at])) > limit]
    if not wide:
        return []
    code = _fenced_lines(body)
    return [
        (at + 2, width)
        for at, width in wide
        if at not in code and _can_be_wrapped(body[at], limit) and not _is_in_table(body, at)
    ]


def _can_be_wrapped(line: str, limit: int) -> bool:
    if _TRAILER().match(line):
        return False
    # A link is not broken; the words around it may be.
    words = _LINK().sub("", line) if "://" in line else line
    return columns(words) > limit and " " in words.strip()[: limit + 1]


def _fenced_lines(body: tuple[str, ...]) -> set[int]:
    """The lines between fences; a fence that never ends is none."""
    code: set[int] = set()
    start, mark = -1, ""
    for at, line in enumerate(body):
        text = line.lstrip()
        if start < 0 and text.startswith(_FENCES):
            start, mark = at, text[:3]
        elif start >= 0 and text.startswith(mark):
            code.update(range(start, at + 1))
            start = -1
    return code


def _is_in_table(body: tuple[str, ...], at: int) -> bool:
    """Whether the line has cells and stands in a block that holds the rule of a Markdown table."""
    if body[at].count("|") < 1:
        return False
    start = at
    while start and "|" in body[start - 1]:
        start -= 1
    return any("|" in line and _TABLE().match(line.strip()) for line in body[start : start + 2])
