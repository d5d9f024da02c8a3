"""What really changed inside the hunks: words, names, comments, or only the layout?"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from typing import NamedTuple

from gitnotes.draft.sources import family_of, is_comment
from gitnotes.guard.patterns import late
from gitnotes.kinds import kind_of
from gitnotes.records import Change, Hunk

LINE_CAP = 400
_PAIRS = 300
"""Changed lines compared word by word; beyond that a change is no small edit."""
TOKEN = re.compile(r"[\w$]+(?:[-.'][\w$]+)*|[^\w\s]")
_YEARS = late(r"(?:19|20)\d\d")
_STRING = late(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`")
_INDENT_MATTERS = late(r"\.(?:py|pyi|pyx|ya?ml|coffee|pug|haml|sass|nim|hs|fs)$|(?:^|/)Makefile[^/]*$|\.mk$")


class Edits(NamedTuple):
    """What the changed lines have in common; a field that does not hold is false or empty."""

    formatting_only: bool = False
    comments_only: bool = False
    text_only: bool = False
    """Only text inside triple-quoted strings: a docstring."""
    years_only: tuple[str, str] | None = None
    """The old and the new year of a licence header."""
    typo: tuple[tuple[str, str], ...] = ()
    """Misspelt words and what they became."""
    swap: tuple[str, str] | None = None
    """The one token that was replaced by another one everywhere."""
    swaps: int = 0


def find_edits(change: Change) -> Edits:
    """The small-edit facts of a change; all empty when it has added or removed whole blocks."""
    hunks = [hunk for hunk in change.hunks if kind_of(hunk.path) not in {"lock", "vendored", "generated"}]
    if not hunks or any(item.status in "AD" for item in change.files):
        return Edits(comments_only=bool(hunks) and all(_only_comments(hunk) for hunk in hunks))
    formatting = all(_same_tokens(hunk) for hunk in hunks)
    if formatting:
        return Edits(formatting_only=True)
    comments = all(_only_comments(hunk) for hunk in hunks)
    if not comments and all(_only_docstring(hunk) for hunk in hunks if kind_of(hunk.path) != "changelog"):
        return Edits(text_only=any(kind_of(hunk.path) == "code" for hunk in hunks))
    deciding = [hunk for hunk in hunks if kind_of(hunk.path) != "changelog"] or hunks
    replaced = _replacements(deciding)
    if replaced is None:
        return Edits(comments_only=comments)
    pairs = Counter(replaced)
    years = {pair for pair in pairs if _YEARS().fullmatch(pair[0]) and _YEARS().fullmatch(pair[1])}
    if pairs and years == set(pairs) and len(years) == 1:
        return Edits(comments_only=comments, years_only=next(iter(years)))
    typo = tuple(pair for pair in pairs if _is_typo(*pair))
    if (
        typo
        and len(typo) == len(pairs)
        and (comments or all(_is_prose(hunk) for hunk in deciding) or len(pairs) == 1)
    ):
        return Edits(comments_only=comments, typo=typo)
    swap = (
        next(iter(pairs))
        if len(pairs) == 1 and all(re.fullmatch(r"[\w$.'-]{2,60}", word) for word in next(iter(pairs)))
        else None
    )
    return Edits(comments_only=comments, swap=swap, swaps=sum(pairs.values()) if swap else 0)


def _sides(hunk: Hunk) -> tuple[list[str], list[str]]:
    old = [line[1 : LINE_CAP + 1] for line in hunk.lines if line[:1] == "-"]
    new = [line[1 : LINE_CAP + 1] for line in hunk.lines if line[:1] == "+"]
    return old, new


def _same_tokens(hunk: Hunk) -> bool:
    """No token changed: only blanks and line breaks, and no indentation where it has a meaning."""
    old, new = _sides(hunk)
    if any(len(line) > LINE_CAP for line in hunk.lines):
        return False
    one, other = ("".join("".join(side).split()) for side in (old, new))
    # A comma before a closing bracket comes and goes with the line break after it.
    if one != other and re.sub(r",(?=[)\]}])", "", one) != re.sub(r",(?=[)\]}])", "", other):
        return False
    if _STRING().findall("\n".join(old)) != _STRING().findall("\n".join(new)):
        return False
    if hunk.path.endswith((".py", ".pyi")) and len(old) != len(new):
        return _statements(old) == _statements(new)
    if _INDENT_MATTERS().search(hunk.path):
        kept = [line for line in old if line.strip()]
        made = [line for line in new if line.strip()]
        return len(kept) == len(made) and all(
            _indent(a) == _indent(b) for a, b in zip(kept, made, strict=True)
        )
    return True


def _statements(lines: list[str]) -> list[tuple[int, str]]:
    """Indentation and text without blanks of each statement, however many lines it takes."""
    found: list[tuple[int, str]] = []
    depth = 0
    for line in lines:
        text = _STRING().sub("", line).partition("#")[0]
        if depth <= 0 and line.strip():
            found.append((_indent(line), ""))
        if found:
            found[-1] = (found[-1][0], found[-1][1] + "".join(line.split()))
        depth = max(0, depth) + sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))
    return [(indent, re.sub(r",(?=[)\]}])", "", text)) for indent, text in found]


def _indent(text: str) -> int:
    return len(text.expandtabs()) - len(text.expandtabs().lstrip())


def _only_comments(hunk: Hunk) -> bool:
    old, new = _sides(hunk)
    return any(text.strip() for text in old + new) and all(
        is_comment(text, hunk.path) for text in old + new if text.strip()
    )


def _only_docstring(hunk: Hunk) -> bool:
    """Every changed line stands between triple quotes, or reads as prose before the closing ones."""
    if family_of(hunk.path) != "python":
        return False
    inside = False
    prose = 0
    closed = False
    for line in hunk.lines:
        text = line[1 : LINE_CAP + 1]
        quotes = text.count('"""') + text.count("'''")
        if line[:1] in "+-" and text.strip() and not inside and not quotes:
            if closed or re.search(
                r"[=;{}]|\)\s*:?$|^\s*(?:def|class|if|for|return|import|from|raise|with|@)\b", text
            ):
                return False
            prose += 1
        if quotes and line[:1] == "-":
            if quotes == 1:
                return False
            continue
        if quotes % 2:
            if prose and not inside:
                prose, closed = 0, True
            else:
                inside = not inside
                closed = closed or not inside
    return prose == 0


def _is_prose(hunk: Hunk) -> bool:
    if kind_of(hunk.path) in {"docs", "changelog", "licence"}:
        return True
    old, new = _sides(hunk)
    return all(
        is_comment(text, hunk.path) or '"' in text or "'" in text for text in old + new if text.strip()
    )


def _replacements(hunks: list[Hunk]) -> list[tuple[str, str]] | None:
    """Each token and what it became; None when anything but single tokens changed."""
    found: list[tuple[str, str]] = []
    total = 0
    for hunk in hunks:
        old, new = _sides(hunk)
        total += len(old) + len(new)
        if not old or not new or total > _PAIRS:
            return None
        for removed, added in (
            _pair_lines(hunk) if len(old) == len(new) else [("\n".join(old), "\n".join(new))]
        ):
            one, other = TOKEN.findall(removed), TOKEN.findall(added)
            if len(one) != len(other):
                return None
            found.extend((a, b) for a, b in zip(one, other, strict=True) if a != b)
            if len(found) > _PAIRS:
                return None
    return found


def _pair_lines(hunk: Hunk) -> list[tuple[str, str]]:
    old, new = _sides(hunk)
    return list(zip(old, new, strict=True))


def _is_typo(old: str, new: str) -> bool:
    """Two spellings of one word: like letters, no digits, and no change that means something else."""
    a, b = old.lower(), new.lower()
    if (
        a == b
        or min(len(a), len(b)) < 4
        or not (a.isalpha() and b.isalpha())
        or a.rstrip("s") == b.rstrip("s")
    ):
        return False
    if {a, b} & {"true", "false", "none", "null", "debug", "error", "info", "warn"}:
        return False
    if not a.isascii() or not b.isascii():
        return False
    return (
        SequenceMatcher(None, a, b, autojunk=False).ratio() >= 0.8 and old[:1].isupper() == new[:1].isupper()
    )
