"""How are names, verbs and sentences put into the words of a subject line?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

Tense = Literal["imperative", "past", "third"]

SPOKEN = 4
"""Words of an identifier up to which it is said rather than quoted."""
LIMIT = 72
"""Display columns that a subject never exceeds."""


def bag(text: str) -> frozenset[str]:
    """The words of `text`."""
    return frozenset(text.split())


_PASSIVE = re.compile(
    r"((?:[\w`.()*-]{1,40} ){0,5}[\w`.()*-]{1,40})"
    r" (?:is|are|was|were|has been|have been) (?:now )?(\w+)\b(.*)$"
)
_NOW = re.compile(r"\w+ now (?:\w+ly )?(\w+)\b(.*)$")
_PIECES = re.compile(r"IPv\d|[A-Z]{2,}(?![a-z])\d*|[A-Z]?[a-z]+\d*|[A-Z]\d*|\d+|[^\W\d_A-Za-z]+")
VERBS = bag(
    "accept account adapt add address adjust adopt advance align allow annotate append apply ask"
    " assert assign attach avoid backport begin block build bump bundle cache call cap catch change"
    " check clarify clean cleanup clear clone close collect combine comment compact compare compile"
    " complete compress compute configure convert copy correct count cover create cut decode"
    " deduplicate define deflake delete deprecate derive detect disable disallow discard document"
    " downgrade drop embed emit enable encode enforce ensure escape exclude expand expect expire"
    " explain export expose extend extract factor fail fall favor fetch filter find fix flatten flush"
    " fold follow forbid force format gate gather generate get give go group guarantee guard hand"
    " handle help hide highlight honor honour ignore implement import improve include increase infer"
    " inform inherit inject inline insert install interpret introduce invalidate invert invoke isolate"
    " join keep limit link lint list load lock log look lower make map mark match measure memoize"
    " mention merge migrate mmap mock modernize modify mount move name need normalize note offer omit"
    " open optimize order organize override parametrize parse pass patch persist pick pin plan plumb"
    " point poll populate post prefer prepare preserve prevent print probe process propagate provide"
    " publish purge query quote raise read rearrange rebuild record recover redirect reduce refactor"
    " refer refine reflect refresh register reject relax release reload relocate rely remove rename"
    " render reorder reorganize repair replace report require reset resolve respect restore restrict"
    " resume retain retarget retry return reuse revert review revise rework rewrite rotate route run"
    " sample sanitize save scale scan scope seed select send separate serialize serve set shard share"
    " shift shorten show sign silence simplify skip sleep slice sort specify speed spell split"
    " stabilize standardize start stop store stream streamline strengthen strip support suppress swap"
    " switch sync tag teach test throw tidy tighten tokenize track transform translate treat trigger"
    " trim truncate tune turn tweak unblock undo unexport unify unpin unquote unskip unwrap update"
    " upgrade upload use validate vendor verify visit volunteer wait warn weaken widen wire work wrap"
    " write"
)
_IRREGULAR = {
    "begin": "began", "build": "built", "catch": "caught", "cut": "cut", "fall": "fell", "find": "found",
    "forbid": "forbade", "get": "got", "give": "gave", "go": "went", "hide": "hid", "keep": "kept",
    "make": "made", "override": "overrode", "read": "read", "rebuild": "rebuilt", "reset": "reset",
    "rewrite": "rewrote", "run": "ran", "send": "sent", "set": "set", "show": "showed", "sleep": "slept",
    "speed": "sped", "split": "split", "teach": "taught", "throw": "threw", "undo": "undid",
    "write": "wrote",
}  # fmt: skip
_DOUBLED = bag("cap cut drop log map pin plan run scan set skip split stop strip trim unpin unwrap wrap")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_STATEMENTS = bag("does is are has can cannot should must will works fails preserves")
_DANGLING = bag(
    "a an and as at but by for from if in into is of on or than that the their this to via when where"
    " which while with without be are was not its it e.g. i.e. only using over has have can will would"
)


def split_name(name: str) -> str:
    """An identifier as lower-case words, acronyms as they are: `parseHTTPHeader` -> `parse HTTP header`."""
    pieces = _PIECES.findall(name)
    return " ".join(
        piece if piece[1:] != piece[1:].lower() and not name.isupper() else piece.lower() for piece in pieces
    )


def reads_as_words(name: str) -> bool:
    """Whether the split name is at least two words that a person would say."""
    pieces = split_name(name.strip("_")).split()
    return 2 <= len(pieces) <= 7 and all(piece.isalpha() and len(piece) > 1 for piece in pieces)


def say_name(name: str) -> str:
    """The name in words where that reads naturally, else as it is."""
    spoken = split_name(name)
    return spoken if len(spoken.split()) <= SPOKEN and reads_as_words(name) and "." not in name else name


def say_count(number: int, noun: str) -> str:
    """`two files`, `one file`, `several files`."""
    word = _NUMBERS[number] if number < len(_NUMBERS) else "several"
    return f"{word} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def join_names(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


@lru_cache(maxsize=1024)
def inflect(verb: str, tense: Tense) -> str:
    """An imperative verb in the given tense."""
    if tense == "imperative":
        return verb
    if tense == "third":
        if verb.endswith(("s", "x", "ch", "sh", "z", "o")):
            return verb + "es"
        return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return f"{verb}{verb[-1]}ed" if verb in _DOUBLED else verb + "ed"


@lru_cache(maxsize=1)
def verb_forms() -> dict[str, tuple[str, Tense]]:
    """Every known form of a verb to its imperative and its tense."""
    tenses: tuple[Tense, ...] = ("third", "past", "imperative")
    return {inflect(verb, tense): (verb, tense) for tense in tenses for verb in sorted(VERBS)}


def to_imperative(sentence: str) -> str:
    """A changelog sentence as an order: `Fixed x` -> `Fix x`, `x is now deprecated` -> `Deprecate x`."""
    match = _PASSIVE.match(sentence)
    if match and match[2].lower() in verb_forms() and not _is_clause(match[1]):
        verb, tense = verb_forms()[match[2].lower()]
        if tense == "past" and not match[3].startswith((" by ", " to be ")):
            thing = re.sub("^(?:The|An?) ", lambda article: article[0].lower(), match[1])
            return f"{verb.capitalize()} {thing}{match[3]}"
    match = _NOW.match(sentence)
    if match and match[1].lower() in verb_forms() and verb_forms()[match[1].lower()][1] == "third":
        return f"{verb_forms()[match[1].lower()][0].capitalize()}{match[2]}"
    word, space, rest = sentence.partition(" ")
    verb = gerund_to_imperative(word.lower())
    found = verb_forms().get(verb)
    if not space or found is None or (found[1] == "imperative" and verb == word.lower()):
        return sentence
    return found[0].capitalize() + space + rest


def _is_clause(text: str) -> bool:
    """Whether the words before a passive are more than the name of a thing."""
    words = text.lower().split()
    return words[0] in verb_forms() or not _DANGLING.isdisjoint(words[1:])


def starts_with_verb(text: str) -> bool:
    """Whether the text begins as a statement of what something does: `does not block`, `keeps order`."""
    word = text.partition(" ")[0].lower()
    found = verb_forms().get(word)
    return word in _STATEMENTS or (found is not None and found[1] == "third")


def gerund_to_imperative(word: str) -> str:
    """`fixing` -> `fix`; the word itself when it is no gerund of a known verb."""
    if word.endswith("ing"):
        stem = word[:-3]
        for verb in (stem, stem + "e", stem[:-1]):
            if verb in VERBS:
                return verb
    return word


def width(text: str) -> int:
    """Display columns: wide and full-width characters are two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(mark) or mark in "\u200d\ufe0f"
        else 1 + (unicodedata.east_asian_width(mark) in "WF")
        for mark in text
    )


def shorten(text: str, columns: int = LIMIT, words: int = 0) -> str:
    """`text` cut between words to at most `columns` (and `words`, if given), not ending in a loose end."""
    kept = text[: 8 * columns].split()
    if words and len(kept) > words:
        kept = kept[:words]
        clipped = True
    else:
        clipped = False
    while kept and width(" ".join(kept)) > columns:
        kept.pop()
        clipped = True
    if not kept:
        return _clip(text, columns)
    if clipped:
        while len(kept) > 1 and (
            kept[-1].lower().strip("`\"'(,") in _DANGLING or not kept[-1].strip("`\"'(,;:-")
        ):
            kept.pop()
        kept = _close(kept)
    return " ".join(kept).rstrip(",;:- ") if clipped else " ".join(kept)


def _close(kept: list[str]) -> list[str]:
    """Drop what follows a quote or bracket that the cut left open, unless nothing would stay."""
    text = " ".join(kept)
    for opening, closing in (("`", "`"), ("(", ")"), ('"', '"')):
        odd = text.count(opening) % 2 if opening == closing else text.count(opening) > text.count(closing)
        if odd:
            head = text[: text.rfind(opening)].rstrip(" ,;:-")
            if len(head.split()) < 2:
                return text.replace(opening, "").split()
            text = head
    words = text.split()
    while len(words) > 1 and words[-1].lower() in _DANGLING:
        words.pop()
    return words


def _clip(text: str, columns: int) -> str:
    clipped = text.strip()[:columns]
    while width(clipped) > columns:
        clipped = clipped[:-1]
    return clipped


def first_sentence(text: str) -> str:
    """Up to the first full stop that ends a sentence, without it."""
    match = re.search(r"(?<![.\s]\w)(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)[.!;](?=\s|$)", text)
    return (text[: match.start()] if match else text).strip()
