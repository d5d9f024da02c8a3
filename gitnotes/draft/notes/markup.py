"""How is text from a commit put into Markdown or reStructuredText so that it shows exactly itself?

Outside code spans every sign that could become markup, HTML, a link or a mention is made plain;
inside them nothing is touched. Numbers of issues become links only with a known remote.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol


class Links(Protocol):
    """Where the project's pages are."""

    @property
    def pull_mark(self) -> str: ...

    def commit_url(self, sha: str) -> str: ...

    def pull_url(self, number: int) -> str: ...

    def issue_url(self, number: int) -> str: ...

    def compare_url(self, start: str, end: str) -> str: ...


_RUNS = re.compile(r"(`+)")
_LOUD = (
    r"(?P<code>(?:https?|ftp)://[^\s<>`]{1,2000}|www\.[^\s<>`]{1,2000}"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,200}|(?<![\w/.@-])@\w[\w./-]{0,100})"
    r"|(?P<other>(?<![\w.-])[\w.-]{1,100}/[\w.-]{1,100}#\d+)"
    r"|(?P<issue>(?<![\w&/#-])#\d{1,9}\b)"
)
_MARKDOWN = re.compile(
    _LOUD + r"|(?P<sign>[\\`*<\[\]]|~(?=~)|(?<=~)~|&(?=#?\w{1,31};)|(?<![^\W_])_|_(?![^\W_])|\|)"
)
_RST = re.compile(_LOUD + r"|(?P<sign>[\\`*|]|(?<![^\W_])_|_(?![^\W_])|::$)")
_BLOCK_MD = re.compile(r"(?=[#>+=-])|\d{1,9}(?=[.)](?:\s|$))")
_BLOCK_RST = re.compile(r"(?=[-+•‣⁃#=~^\"'.:>|!$%&,/;?@{}()])|\w{1,9}(?=[.)]\s)")


def markdown(text: str, links: Links | None) -> str:
    """One line of text as Markdown that shows it literally."""

    def replace(match: re.Match[str]) -> str:
        if match["issue"]:
            number = match["issue"][1:]
            return f"[#{number}]({links.issue_url(int(number))})" if links else match["issue"]
        if match["code"]:
            return _as_code(match["code"], "`")
        if match["other"]:
            return match["other"].replace("_", "\\_")
        sign = match["sign"]
        return {"<": "&lt;", "&": "&amp;"}.get(sign, f"\\{sign}")

    shown = _outside_code(
        text, lambda part: _MARKDOWN.sub(replace, part), "\\`", lambda run, code: run + code + run
    )
    return _escape_start(shown, _BLOCK_MD)


def restructured(text: str, links: Links | None, role: str = "") -> str:
    """One line of text as reStructuredText that shows it literally; `code` becomes ``code``.

    `role` is that of the project for issues, where it has one.
    """

    def replace(match: re.Match[str]) -> str:
        if match["issue"]:
            number = match["issue"][1:]
            if role:
                return f":{role}:`{number}`"
            return f"`#{number} <{links.issue_url(int(number))}>`__" if links else match["issue"]
        if match["code"]:
            return _as_code(match["code"], "``")
        if match["other"]:
            return match["other"].replace("_", "\\_")
        return ":\\:" if match["sign"] == "::" else f"\\{match['sign']}"

    def code(run: str, inner: str) -> str:
        bare = inner.strip()
        return f"``{bare}``" if bare and "`" not in bare else _RST.sub(replace, run + inner + run)

    return _escape_start(_outside_code(text, lambda part: _RST.sub(replace, part), "\\`", code), _BLOCK_RST)


def _outside_code(text: str, plain: Callable[[str], str], tick: str, code: Callable[[str, str], str]) -> str:
    """Applies `plain` between code spans and `code` to them; a run of backticks without its twin is text."""
    parts = _RUNS.split(text)  # text, run, text, run, ..., text
    closing: dict[int, list[int]] = {}
    for at in range(len(parts) - 2, 0, -2):
        closing.setdefault(len(parts[at]), []).append(at)
    result = [plain(parts[0])]
    at = 1
    while at < len(parts):
        run = parts[at]
        twins = closing[len(run)]
        while twins and twins[-1] <= at:
            twins.pop()
        if twins:
            end = twins[-1]
            result.append(code(run, "".join(parts[at + 1 : end])))
            at = end
        else:
            result.append(tick * len(run))
        result.append(plain(parts[at + 1]))
        at += 2
    return "".join(result)


def _as_code(text: str, fence: str) -> str:
    bare = text.rstrip(".,;:!?)'\"")
    return f"{fence}{bare}{fence}{text[len(bare) :]}" if bare else text


def _escape_start(text: str, block: re.Pattern[str]) -> str:
    match = block.match(text)
    return f"{text[: match.end()]}\\{text[match.end() :]}" if match else text
