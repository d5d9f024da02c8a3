"""Which of the author's own words inside the change say what it is for?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gitnotes.draft.words import first_sentence
from gitnotes.guard.patterns import late
from gitnotes.guard.text import clean
from gitnotes.kinds import kind_of
from gitnotes.records import Change, Hunk

LINE_CAP = 600
_ENTRIES = 4
"""With more new entries than this the changelog is being written, not added to."""
_ITEM = late(r"^(\s*)(?:[-*+]|\d+\.|\* \[[^\]]{1,30}\])\s+(.*)$")
_FRAGMENT = late(r"(?:^|/)(?:changelog|changes|changelog\.d|newsfragments|news|unreleased)/[^/]+$")
_ROLE = late(r":[\w:+-]{2,30}:`([^`<>]{1,120})(?:\s<[^`>]{0,200}>)?`")
_RST_LINK = late(r"`([^`<>]{1,120})\s<[^`>]{1,200}>`__?")
_MD_LINK = late(r"\[([^\]\[]{1,120})\]\([^()\s]{1,300}\)")
_REFERENCE = late(r"[\s(\[,.]*(?:\bin )?(?:[\w./-]{0,60}#\d+|PR[- ]#?\d+|GH-\d+|by @[\w-]+)[\])\s,.]*$")
_STANDARD = late(r":(pep|rfc):`(\d{1,5})`", re.IGNORECASE)
_ISSUE_ROLE = late(r"\(?:(?:issue|pr|pull|gh|user|ghsa):`[^`]{1,60}`\)?[,.]?\s*")
_CAPS_TAG = late(r"^\[[A-Z][A-Z /_-]{2,20}\]:?\s+")
# Text that does something where it is shown or run, or that closes one region and opens another.
_ACTIVE = late(
    r"\$[({]|<[|/!a-zA-Z][^>]{0,200}>|\|>|\[/?INST|&&|\|\||[\x00-\x08\x0b-\x1f\x7f-\x9f]|`[^`]*\brm\s+-|://"
)
# Text that speaks to whoever reads the change instead of about the change.
_ADDRESSED = late(
    r"\b(?:commit (?:message|subject)s?|ignore (?:all|any|the|previous|every)|disregard|instructions?|prompt"
    r"|assistant|language model|reviewers?|summari[sz]er|grader|you (?:must|should|are)|please|write the"
    r"|co-authored-by|signed-off-by)\b",
    re.IGNORECASE,
)
_VERSION_HEADING = late(
    r"(?:#{1,3}\s*)?(?:[Vv]ersion\s+|[Rr]elease\s+)?\[?v?(\d+\.\d+[\w.-]*)\]?(?:\s*[(/,:-].*)?\s*$"
)
_CODE_NAME = late(r"`{1,2}([\w.@-][\w.@/:=-]{2,38})`{1,2}")
# One `#` is as often a comment in a block of code as a title.
_HEADING = late(r"#{2,5}\s+(\S.{1,69}?)[\s#]*$")
_ESCAPED = late(r"\\([*_`#<>\[\]])")
_WORD = late(r"[A-Za-z]{4,}")


def changelog_entries(change: Change) -> tuple[str, ...]:
    """The entries that the change adds to a changelog next to other changes, as plain sentences.

    Empty when there is nothing else in the change, when the changelog is being rewritten, or when an
    entry has no word in common with the rest of the change: then it does not speak about it.
    """
    logs = [hunk for hunk in change.hunks if kind_of(hunk.path) == "changelog"]
    if not logs or len({hunk.path for hunk in logs}) == len(change.files):
        return ()
    removed = {_key(line[1:LINE_CAP]) for hunk in logs for line in hunk.lines if line[:1] == "-"}
    found: list[str] = []
    for hunk in logs:
        for entry in _added_items(hunk):
            sentence = plain_sentence(entry)
            if sentence and _key(entry) not in removed and sentence not in found:
                found.append(sentence)
    if len(found) > _ENTRIES or not found:
        return ()
    evidence = _evidence(change)
    return tuple(
        item
        for item in found
        if _WORD().search(item) and any(word[:5].lower() in evidence for word in _WORD().findall(item))
    )


def changelog_sentences(change: Change) -> tuple[str, ...]:
    """The entries of a change that touches nothing but the changelog."""
    found: list[str] = []
    for hunk in change.hunks:
        if kind_of(hunk.path) == "changelog" and len(found) < 50:
            found.extend(sentence for entry in _added_items(hunk) if (sentence := plain_sentence(entry)))
    return tuple(dict.fromkeys(found))


def added_headings(change: Change) -> tuple[str, ...]:
    """The headings that the change adds to documents, top level first as they stand."""
    found: list[str] = []
    for hunk in change.hunks:
        if kind_of(hunk.path) not in {"docs", "other"}:
            continue
        previous = ""
        for line in hunk.lines:
            text = line[1:LINE_CAP].rstrip()
            if line[:1] == "+":
                match = _HEADING().match(text) if hunk.path.endswith((".md", ".mdx")) else None
                if match:
                    found.append(plain_sentence(match[1]))
                elif re.fullmatch(r"([=\-~^\"'`#*+])\1{2,}", text) and 1 < len(previous) <= len(text) + 2:
                    found.append(plain_sentence(previous))
            previous = text.strip() if line[:1] == "+" else ""
    return tuple(dict.fromkeys(item for item in found if item))


def released_version(change: Change) -> str:
    """The version whose heading the change puts into a changelog in place of `Unreleased`; else empty."""
    for hunk in change.hunks:
        if kind_of(hunk.path) != "changelog":
            continue
        removed = "\n".join(line[1:LINE_CAP] for line in hunk.lines if line[:1] == "-")
        for line in hunk.lines:
            match = _VERSION_HEADING().match(line[1:LINE_CAP]) if line[:1] == "+" else None
            if match and re.search(r"(?i)unreleased|\bnext\b|-rc|-dev|tbd", removed):
                return match[1]
    return ""


def added_code_names(change: Change) -> tuple[str, ...]:
    """The names in code marks that the added lines of documents have and the other lines have not."""
    found: dict[str, None] = {}
    others: list[str] = []
    for hunk in change.hunks:
        for line in hunk.lines:
            if line[:1] != "+":
                others.append(line[1:LINE_CAP])
            else:
                for name in _CODE_NAME().findall(line[1:LINE_CAP]):
                    found[name] = None
    known = "\n".join(others)
    return tuple(name for name in found if name not in known and is_quotable(name))


def plain_sentence(text: str) -> str:
    """The first sentence of a marked-up text without links and references; '' when it is unsafe to quote."""
    text = clean(text[: LINE_CAP * 4]).replace("\n", " ")
    text = _ISSUE_ROLE().sub("", text)
    text = _STANDARD().sub(lambda match: f"{match[1].upper()} {match[2]}", text)
    text = _ROLE().sub(lambda match: f"`{match[1].lstrip('~.!')}`", text)
    text = _RST_LINK().sub(r"\1", text)
    text = _MD_LINK().sub(r"\1", text)
    text = _ESCAPED().sub(r"\1", text.replace("``", "`").replace("**", ""))
    text = _CAPS_TAG().sub("", " ".join(text.split()))
    text = first_sentence(_without_references(text[:LINE_CAP]))
    text = _without_references(text)
    if _ACTIVE().search(text) or _ADDRESSED().search(text) or not re.search(r"\w", text):
        return ""
    if text.count("`") % 2:
        text = text.replace("`", "")
    return text.strip(" .:;,-")


def _without_references(text: str) -> str:
    for _ in range(4):
        shorter = _REFERENCE().sub("", text)
        if shorter == text:
            break
        text = shorter
    return text


def is_quotable(text: str) -> bool:
    """Whether words from the change may be repeated: they neither act nor speak to the reader."""
    return not _ACTIVE().search(text) and not _ADDRESSED().search(text)


def _added_items(hunk: Hunk) -> Iterator[str]:
    """Each added list item, whole; a fragment file is one item.

    The lines below the first one belong to it whether they are added or were there before. An item
    that goes on where the hunk ends is told up to its last full stop, and one that is an older item in
    other words is left out.
    """
    fragment = bool(_FRAGMENT().search(hunk.path))
    item: list[str] = []
    fresh: list[str] = []
    indent = 0
    is_new = complete = False
    removed = set(_words_of(line[1:LINE_CAP] for line in hunk.lines if line[:1] == "-"))
    for line in (*hunk.lines, ""):
        text = line[1:LINE_CAP]
        if line[:1] == "-":
            continue
        match = _ITEM().match(text)
        heading = text.lstrip().startswith(("#", "<!--", "===", "---"))
        goes_on = bool(line) and bool(text.strip()) and not match and not heading
        if item and goes_on and len(text) - len(text.lstrip()) > indent:
            item.append(text.strip())
            complete = line[:1] == "+"
            fresh.extend(item[-1:] if complete else ())
            continue
        if item and is_new:
            told = " ".join(item) if line or complete else _up_to_full_stop(" ".join(item))
            if told and not _is_reworded(fresh, removed):
                yield told
        item, indent = ([match[2]], len(match[1])) if match else ([], 0)
        is_new = complete = line[:1] == "+"
        if fragment and is_new and goes_on:
            item, indent = [text.strip()], -1
        fresh = list(item)


def _up_to_full_stop(text: str) -> str:
    return first_sentence(text) if first_sentence(text) != text else ""


def _words_of(lines: Iterable[str]) -> Iterator[str]:
    return (word.lower() for text in lines for word in _WORD().findall(text))


def _is_reworded(lines: Iterable[str], removed: set[str]) -> bool:
    """Whether most words of an item's new lines stood in the lines that were taken away next to it."""
    words = list(_words_of(lines))
    return len(words) > 2 and sum(word in removed for word in words) * 3 >= len(words) * 2


def _key(text: str) -> str:
    return re.sub(r"\W+", "", text.lower())


def _evidence(change: Change) -> str:
    """Paths and changed lines outside the changelog, in lower case, to look words up in."""
    parts = [item.path for item in change.files]
    size = 0
    for hunk in change.hunks:
        if kind_of(hunk.path) == "changelog":
            continue
        parts.append(hunk.heading[:LINE_CAP])
        for line in hunk.lines:
            parts.append(line[1:LINE_CAP])
            size += len(parts[-1])
        if size > 400_000:
            break
    return "\n".join(parts).lower()
