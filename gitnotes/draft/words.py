"""How are names, verbs and sentences put into the words of a subject line?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitnotes.guard.patterns import late
from gitnotes.guard.width import columns
from gitnotes.identifiers import split_identifier
from gitnotes.verbs import forms, imperative_of

SPOKEN = 4
"""Words of an identifier up to which it is said rather than quoted."""
LIMIT = 72
"""Display columns that a subject never exceeds."""


def bag(text: str) -> frozenset[str]:
    """The words of `text`."""
    return frozenset(text.split())


_PASSIVE = late(
    r"((?:[\w`.()*-]{1,40} ){0,5}[\w`.()*-]{1,40})"
    r" (?:is|are|was|were|has been|have been) (?:now )?(\w+)\b(.*)$"
)
_NOW = late(r"\w+ now (?:\w+ly )?(\w+)\b(.*)$")
_SHOUTED = late(r"[A-Z]{3,}_[A-Z]{3,}.*[a-z]|[a-z].*[A-Z]{3,}_[A-Z]{3,}")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_PREDICATES = bag("is are has have can should was")
"""First words that make a sentence of a name: `is_prime` in words is none to put after a verb."""
_UNSPOKEN = _PREDICATES | bag("new to from with as on of for in by at into and or not no all any")
"""First words after which a name in words would read as a part of the sentence around it."""
_STATEMENTS = bag("does is are has can cannot should must will works fails preserves")
_DANGLING = bag(
    "a an and as at but by for from if in into is of on or than that the their this to via when where"
    " which while with without be are was not its it e.g. i.e. only using over has have can will would"
)
_OPENERS = bag("when if while where because since after before although unless until once as")
"""First words after which a sentence has its verb twice."""


def split_name(name: str) -> str:
    """An identifier as lower-case words, acronyms as they are: `parseHTTPHeader` -> `parse HTTP header`."""
    return " ".join(
        piece if piece[1:] != piece[1:].lower() and not name.isupper() else piece.lower()
        for piece in split_identifier(name)
    )


def reads_as_words(name: str) -> bool:
    """Whether the split name is at least two words that a person would say."""
    pieces = split_name(name.strip("_")).split()
    return 2 <= len(pieces) <= 7 and all(piece.isalpha() and len(piece) > 1 for piece in pieces)


def say_name(name: str) -> str:
    """The name in words where that reads naturally, else as it is."""
    words = split_name(name).split()
    natural = (
        len(words) <= SPOKEN and reads_as_words(name) and "." not in name and not _SHOUTED().search(name)
    )
    natural = natural and not name.startswith("__")
    # A constructor is called after what it makes: `NewQueryTracker` -> `query tracker`.
    if natural and words[0] == "new" and len(words) > 2:
        return " ".join(words[1:])
    return " ".join(words) if natural and words[0].lower() not in _UNSPOKEN else name


def names_predicate(words: str) -> bool:
    """Whether the words are those of a question that a function answers: `is prime`, `has body`."""
    first, _, rest = words.lower().partition(" ")
    return first in _PREDICATES and len(rest.split()) in (1, 2)


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


def to_imperative(sentence: str) -> str:
    """A changelog sentence as an order: `Fixed x` -> `Fix x`, `x is now deprecated` -> `Deprecate x`."""
    match = _PASSIVE().match(sentence)
    if match and not _is_clause(match[1]):
        form = forms().get(match[2].lower())
        if form and form.tense == "past" and not match[3].startswith((" by ", " to be ")):
            thing = re.sub("^(?:The|An?|All|Many|Some|Any) ", lambda article: article[0].lower(), match[1])
            return f"{form.verb.capitalize()} {thing}{match[3]}"
    match = _NOW().match(sentence)
    if match:
        form = forms().get(match[1].lower())
        if form and form.tense == "third":
            return f"{form.verb.capitalize()}{match[2]}"
    word, space, rest = sentence.partition(" ")
    verb = imperative_of(word, rest.partition(" ")[0]) if space else None
    return sentence if verb is None else verb.capitalize() + space + rest


def _is_clause(text: str) -> bool:
    """Whether the words before a passive are more than the name of a thing."""
    words = text.lower().split()
    form = forms().get(words[0])
    opens = words[0] in _OPENERS or not _DANGLING.isdisjoint(words[1:])
    return opens or (form is not None and not form.is_noun)


def starts_with_verb(text: str) -> bool:
    """Whether the text begins as a statement of what something does: `does not block`, `keeps order`."""
    word = text.partition(" ")[0].lower()
    form = forms().get(word)
    return word in _STATEMENTS or (form is not None and form.tense == "third" and not form.is_noun)


def ends_loosely(text: str) -> bool:
    """Whether the last word of the text asks for another one."""
    return text.rpartition(" ")[2].lower().strip("`\"'(,") in _DANGLING


def shorten(text: str, limit: int = LIMIT, words: int = 0) -> str:
    """`text` cut between words to at most `limit` columns (and `words`, if given), without a loose end."""
    kept = text[: 8 * limit].split()
    if words and len(kept) > words:
        kept = kept[:words]
        clipped = True
    else:
        clipped = False
    while kept and columns(" ".join(kept)) > limit:
        kept.pop()
        clipped = True
    if not kept:
        return _clip(text, limit)
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


def _clip(text: str, limit: int) -> str:
    clipped = text.strip()[:limit]
    while columns(clipped) > limit:
        clipped = clipped[:-1]
    return clipped


def first_sentence(text: str) -> str:
    """Up to the first full stop that ends a sentence, without it."""
    match = re.search(r"(?<![.\s]\w)(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)[.!;](?=\s|$)", text)
    return (text[: match.start()] if match else text).strip()
