"""How does any draft text become a safe, well-formed message, or a refusal?"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection

from gitnotes.draft.words import LIMIT, shorten
from gitnotes.guard.text import clean
from gitnotes.guard.width import columns
from gitnotes.messages import is_trailer, without_ci_orders

BODY_WIDTH = 72
_SIZE_CAP = 64 * 1024
_LINES = 60
"""Body lines that are kept."""
_SUBSTITUTION = re.compile(r"\$\([^()\n]{0,200}\)?|\$\{[^{}\n]{0,200}\}?|<\|[^|\n]{0,60}\|?>?|\[/?INST\]")
_BULLET = re.compile(r"^([-*] |\d+[.)] )")


def clean_message(
    text: str, *, subject_limit: int = LIMIT, body_width: int = BODY_WIDTH, trailers: Collection[str] = ()
) -> str | None:
    """`text` as a message: one subject of at most `subject_limit` columns, a blank line, a wrapped body.

    Escape sequences, controls and invisible characters go, and so do shell substitutions, orders to a
    CI service, and trailer lines that are not in `trailers` (whole lines, as the user or git wrote them).
    A line that git could take for a comment is indented. None when no subject is left.
    """
    lines = [line.rstrip() for line in clean(text[:_SIZE_CAP]).replace("\t", " ").split("\n")]
    while lines and not lines[0].strip():
        lines.pop(0)
    if not lines:
        return None
    subject = shorten(_defuse(lines[0]).lstrip("#;> ").strip(), subject_limit)
    if not re.search(r"\w", subject):
        return None
    allowed = set(trailers)
    body: list[str] = []
    for line in lines[1 : _LINES + 1]:
        if is_trailer(line) and line not in allowed:
            continue
        line = line if line in allowed else _defuse(line)
        body.extend(wrap(line, body_width))
    body = squeeze(body)
    return f"{subject}\n\n" + "\n".join(body) if body else subject


def _defuse(line: str) -> str:
    return " ".join(without_ci_orders(_SUBSTITUTION.sub("", line)).split())


def wrap(line: str, width: int) -> list[str]:
    if line.startswith("#"):
        line = " " + line
    if columns(line) <= width or "://" in line:
        return [line]
    bullet = _BULLET.match(line)
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * len(bullet[1]) if bullet else "",
        break_long_words=False,
        break_on_hyphens=False,
    )


def squeeze(lines: list[str]) -> list[str]:
    """No blank line at either end, never two in a row."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    while kept and not kept[-1]:
        kept.pop()
    return kept
