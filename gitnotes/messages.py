"""Which parts of a message are written by a rule: git's own subjects, trailers, tickets, bots' names?

The facts stand here once; what a room makes of them (a release note, a grade) is its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from gitnotes.guard.patterns import late

_FIXUP = re.compile(r"(?:fixup|squash|amend)! ?")
_MERGE = late(
    r"Merge (?:(?:remote-tracking )?branch(?:es)? '|tags? '|commits? '|branch \S+ of |"
    r"pull request #\d+ (?:from|in) )"
)
_REVERT = late(r'(?:Revert|Reapply) ".*"[ )(#0-9]*$')
_REVERT_LINE = late(r"This reverts commit [0-9a-f]{7,64}")
# `Key: value`; unlike git, which asks for no blank, so that neither a link nor a C++ name is one.
_TRAILER = late(r"[A-Za-z0-9][A-Za-z0-9-]*[ \t]*:[ \t]+\S")
# The footers of Conventional Commits that git does not know.
_FOOTER = late(r"BREAKING[ -]CHANGES?: *\S|[A-Za-z][A-Za-z-]{0,40} #\d")
_PICKED = "(cherry picked from commit"
_BOT = late(
    r"\[bot\]|-[Bb]ot\b|(?:\b[Bb]|[a-z]B)ot(?: *<|$)"
    r"|(?:^|[\s<])(?i:dependabot|renovate|pre-commit-ci|github-actions|greenkeeper)\b",
    re.MULTILINE,
)
_CI_ORDER = late(r"\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]|\*{3}NO_CI\*{3}", re.IGNORECASE)
_DEFAULT = late(
    r"Squashed commit of the following:|(?:# )?This is a combination of \d+ commits\.|Add files via upload$"
)
_CREDIT = late(
    r"[ \t]*(Co-authored-by|Co-developed-by|Assisted-by|Generated-by)"
    r"[ \t]*:[ \t]*([^<\n]{0,200})(?:<([^>\n]{0,254}))?",
    re.I,
)
_TOOLS = (
    r"(?:claude|(?:github )?copilot|chatgpt|gpt|codex|cursor(?: ?agent)?|gemini|aider|devin|windsurf|amazon q"
    r"|(?:google-labs-)?jules|opencode|cline)"
)
_TOOL_NAME = late(rf"{_TOOLS}(?=$|[ \d(\[-])", re.I)
_TOOL_ADDRESS = late(
    r"[^@]*@(?:[\w-]{1,60}\.)?(?:anthropic\.com|openai\.com|cursor\.com|aider\.chat|cognition\.ai|opencode\.ai)$"
    r"|[^@]*\+copilot@users\.noreply\.github\.com$",
    re.I,
)
_NOBODYS_ADDRESS = late(r"no-?reply@|[^@]*\[bot\]@", re.I)
_MADE_WITH = late(
    rf"\W*(?:generated|written|made|created) (?:with|by|using) \W?{_TOOLS}(?: code| cli)?\W*(?:$|[\](])", re.I
)
_TICKET = late(r"(?<![\w&/-])(?:#\d{1,9}|GH-\d{1,9}|([A-Z][A-Z0-9]{1,9})-\d{1,9})\b")
_STANDARDS = frozenset(["UTF", "ISO", "SHA", "RFC", "PEP", "AES", "RSA", "HTTP", "MD5", "X11", "IEEE"])


def is_fixup(subject: str) -> bool:
    """Whether the commit waits for `git rebase --autosquash`."""
    return _FIXUP.match(subject) is not None


def without_fixup(subject: str) -> str:
    """`subject` without the marks fixup!, squash! and amend!."""
    while match := _FIXUP.match(subject):
        subject = subject[match.end() :]
    return subject


def is_merge_subject(subject: str) -> bool:
    """Whether git, or the button of a host, wrote the subject of a merge."""
    return subject.startswith("Merge ") and _MERGE().match(subject) is not None


def is_revert_subject(subject: str) -> bool:
    """Whether git wrote the subject of a revert, or of the revert of one."""
    return subject.startswith("Re") and _REVERT().match(subject) is not None


def is_revert_line(line: str) -> bool:
    """Whether git wrote this line into the body of a revert."""
    return _REVERT_LINE().match(line) is not None


@lru_cache(maxsize=8192)
def is_bot(author: str) -> bool:
    """Whether "Name <email>" is a program's."""
    return _BOT().search(author) is not None


def is_trailer(line: str) -> bool:
    """Whether a line is one that ends a message: git's trailers, and footers of Conventional Commits."""
    return bool(_TRAILER().match(line) or _FOOTER().match(line) or line.lower().startswith(_PICKED))


def trailer_start(lines: Sequence[str]) -> int:
    """The index at which the trailers of a body begin; len(lines) when it has none.

    The rule of git-interpret-trailers(1) for the last paragraph: every line is one or goes on with
    one, or git's own are among them and the trailers make up a quarter of the lines. It tells where
    prose ends, so footers of Conventional Commits count; what git itself finds is told by the
    reader of the history.
    """
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    start = end
    while start and lines[start - 1].strip():
        start -= 1
    trailers = others = 0
    own = False
    for line in lines[start:end]:
        if is_trailer(line):
            trailers += 1
            own = own or line.lower().startswith(("signed-off-by:", _PICKED))
        elif not (line[:1] in " \t" and trailers):
            others += 1
    if not trailers or (others and not (own and trailers * 3 >= others)):
        return len(lines)
    return start


def tickets(text: str) -> list[str]:
    """The references to issues: `#12`, `GH-12`, `ABC-12`; names of standards such as UTF-8 are none."""
    if "#" not in text and "-" not in text:
        return []
    return [match.group() for match in _TICKET().finditer(text) if match[1] not in _STANDARDS]


def leading_tracker(subject: str) -> str:
    """The tracker's key that a subject begins with (`ABC` for `ABC-12: ...`), `#` for a number, else ''."""
    subject = subject.lstrip("[")
    match = _TICKET().match(subject)
    if match is None or match[1] in _STANDARDS or subject[match.end() :].lstrip("]:")[:1] != " ":
        return ""
    return match[1] or "#"


def without_ci_orders(text: str) -> str:
    """`text` without marks that tell a service to run nothing, such as `[skip ci]`."""
    return _CI_ORDER().sub("", text) if "[" in text or "***" in text else text


def is_default_subject(subject: str) -> bool:
    """Whether git, for commits squashed into one, or a host, for an upload, proposed this subject."""
    return subject[:1] in "SAT#" and _DEFAULT().match(subject) is not None


def credit_of(line: str) -> Literal["", "person", "tool"]:
    """Whom a line credits beside the author; '' when it is no line of that kind.

    A tool is told by the address it signs with, or by its name where the address is nobody's: people
    share their names with tools. Assisted-by and Generated-by credit tools alone; programs that keep
    a repository in order, such as formatters, count as persons.
    """
    match = _CREDIT().match(line)
    if match is None:
        return "tool" if _MADE_WITH().match(line) else ""
    key, name, address = match[1].lower(), match[2].strip(), (match[3] or "").strip()
    if key in ("assisted-by", "generated-by"):
        return "tool"
    if _TOOL_ADDRESS().match(address):
        return "tool"
    is_open = not address or _NOBODYS_ADDRESS().match(address)
    return "tool" if is_open and _TOOL_NAME().match(name) else "person"
