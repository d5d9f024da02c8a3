"""How does an author's sentence become a subject that says the same in less room?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gitnotes.draft.words import LIMIT, bag, ends_loosely, to_imperative
from gitnotes.guard.patterns import late
from gitnotes.guard.width import columns
from gitnotes.verbs import forms, inflect, is_verb

_FEWEST = 3
"""Words that must be left of a sentence that was cut."""
_CODE = late(r"`[^`]*`")
_ASIDE = late(r" \([^()]*\)")
_ARTICLES = late(r"(?<=\s)(?:the|an?) (?=\S)")
# A clause may go where the rest stands alone.
_CLAUSE = late(
    r",? (?:which|who|whose|where|whereby|when|whenever|while|because|since|if|so that|that|even if"
    r"|instead of|rather than|due to|thanks to|such as|including|using|like"
    r"|by(?= (?:no longer |not )?\w+ing\b)"
    r"|and(?= (?:other|similar)\b))(?= )"
    r"| to(?= (?:avoid|prevent|ensure|allow|enable|reduce|improve|support|make|match|distinguish)\b)"
    r"|, (?=(?:\w+ing|but|as|for|to|so|particularly|especially|not|now|previously|a|an|the|both|with)\b)"
    r"|[:;] | [-\u2013\u2014] "
)
_JOINED = late(r",? and (?=(\w+) )")
_GOES_ON = bag("can could is are was were will would does has have")
_CONDITION = late(
    r",? (?:which|who|whose|where|when|whenever|while(?! \w+ing\b)|if|that|such as|including|like)\b"
)
_PHRASE = late(
    r" (?:in|on|onto|with|for|from|during|at|inside|within|across|around|between|before|after|by|immediately"
    r"|containing|holding|covering|starting|used|introduced|(?<!groups )(?<!number )(?<!use )of)(?= )"
)
_SUBORDINATOR = late(r" (?:which|who|whose|where|when|whenever|while|because|since|if|that|whether|how)(?= )")
_FINITE = late(
    r" (?:is|are|was|were|be|been|being|would|will|has|have|had|does|do|did|can|could|may|must|should|\w+n't"
    r"|(?:when|while|if|after|before) \w+ing)(?= |$)"
)
_HANGING = late(r"followed$|(?:^|[^\w])(?:is|are|was|were|be|been|being|not|\w+ing|[\w-]+ed)$")
_PASSIVE = late(r" (?:is|are|was|were|be|been|being) (?:\w+ly )?\w+ed$")
# What an order forbids or refuses is another thing when a part of it is told.
_STRICT = bag("don't do never always disable reject require ignore only refuse deny collapse limit restrict")
_OF_CLAUSE = bag("note say tell mention ensure check state warn show verify assert guarantee clarify")
_EMPTY = late(r" (?:on|in|with|for) (?:files|lines|code|functions|cases|things)$")
_LIMITS = late(r"\b(?:unless|except|until|only|without|other than|down to|no longer|not)\b")
_POINTER = late(r"\b(?:it|this|they|them|these|those|its|their|he|she)\b", re.I)
_WORDS = r"(?:`[^`]{1,60}`|[\w.*=-]{1,40})"
_THING = rf"((?:The |An? |All |Many |Some )?{_WORDS}(?:(?:,? (?:and |or )?|/){_WORDS}){{0,7}}?)"
_FRONTED = late(r"((?:In|For|On|With|Under) (?:`[^`]{1,40}`|[\w. -]){2,40}), (\w+ .+)$")
_ARTICLE = late(r"^(?:The|An?|All|Many|Some)\b")


def condense(sentence: str, limit: int = LIMIT, *, code_marks: bool = True) -> str:
    """`sentence` as an order of at most `limit` columns; '' when it is no order or says too much.

    It is kept whole, or without its asides and articles, or without the clauses at its end; it is
    never cut inside of a phrase, nor before what limits it.
    """
    front = _FRONTED().match(sentence)
    if front and _is_order(front[2]):
        tail = f" {front[1][:1].lower()}{front[1][1:]}"
        tail = tail if code_marks else tail.replace("`", "")
        head = condense(front[2][:1].upper() + front[2][1:], limit - columns(tail), code_marks=code_marks)
        return head + tail if head else ""

    def width(text: str) -> int:
        return columns(text if code_marks else text.replace("`", ""))

    order = to_order(sentence)
    bare = _without_asides(order)
    whole = (order, _ARTICLES().sub("", order), bare, _ARTICLES().sub("", bare))
    told = next((text for text in whole if width(text) <= limit), None)
    if told is None:
        told = _shortened(bare, lambda text: width(text) <= limit)
    return told if code_marks else told.replace("`", "")


def _shortened(text: str, fits: Callable[[str], bool]) -> str:
    """`text` up to the last place where it may end and fits; '' when there is none."""
    masked = _mask(text)
    clauses = {match.start() for pattern in (_CLAUSE, _JOINED) for match in pattern().finditer(masked)}
    for start in _ends(masked, text.partition(" ")[0].lower()):
        head, dropped = text[:start].rstrip(" ,;:-"), masked[start:]
        head = head if fits(head) else _ARTICLES().sub("", head)
        if not fits(head):
            continue
        contrast = dropped.lstrip(", ").startswith(("instead of", "rather than", "by "))
        if not contrast and _LIMITS().search(dropped[:24]):
            return ""
        enough = _FEWEST - ("`" in head) + (start not in clauses)
        long = len(_ARTICLES().sub("", head).split()) >= enough
        if (
            long
            and not _EMPTY().search(head)
            and not ends_loosely(head)
            and head.count("(") == head.count(")")
        ):
            return head
    return ""


def _ends(masked: str, verb: str) -> Iterator[int]:
    """Where the sentence may end, the last place first: clauses, then phrases of what may be told in part."""
    places: set[int] = set()
    for match in _CLAUSE().finditer(masked):
        head, dropped = masked[: match.start()], masked[match.start() :]
        if verb in _STRICT and _CONDITION().match(dropped):
            continue
        if verb in _OF_CLAUSE and match[0].strip(" ,") in {"that", "when", "if", "where"}:
            continue
        listed = "," in head and match[0] == ", "
        if not listed:
            places.add(match.start())
    places.update(match.start() for match in _JOINED().finditer(masked) if _opens_action(match[1]))
    # What an order forbids may lose a phrase only where its condition has begun.
    opening = _SUBORDINATOR().search(masked) if verb in _STRICT else None
    floor = opening.end() if opening else len(masked) if verb in _STRICT | _OF_CLAUSE else 0
    places.update(
        match.start()
        for match in _PHRASE().finditer(masked)
        if match.start() > floor and _is_closed(masked[: match.start()])
    )
    yield from sorted(places, reverse=True)


def _is_closed(head: str) -> bool:
    """Whether nothing is missing where the text ends: the verb of a clause, or what a verb asks for."""
    last = 0
    for match in _SUBORDINATOR().finditer(head):
        last = match.start()
    clause = head[last:] if last else ""
    if clause and not _FINITE().search(clause) and not any(map(_is_third, clause.split()[1:])):
        return False
    word = head.rpartition(" ")[2]
    if _is_third(word) or (
        (form := forms().get(word.lower())) and form.tense == "imperative" and not form.is_noun
    ):
        return False
    return not _HANGING().search(head) or (
        _PASSIVE().search(head) is not None and not head.endswith("followed")
    )


def _opens_action(word: str) -> bool:
    form = forms().get(word.lower())
    return (
        word in _GOES_ON
        or (form is not None and form.tense != "gerund" and not form.is_noun)
        or is_verb(word)
    )


def _is_third(word: str) -> bool:
    form = forms().get(word.lower())
    return form is not None and form.tense == "third" and not form.is_noun


def _mask(text: str) -> str:
    """`text` with the words in code marks made unlike any word, at the same places."""
    return _CODE().sub(lambda match: "`" + "x" * (len(match[0]) - 2) + "`", text)


def _without_asides(text: str) -> str:
    """`text` without what stands in parentheses outside of code marks."""
    masked = _mask(text)
    for match in reversed(list(_ASIDE().finditer(masked))):
        text = text[: match.start()] + text[match.end() :]
    return text


def to_order(sentence: str) -> str:
    """`sentence` in the imperative; '' when it states something that no order says as well."""
    order = to_imperative(sentence)
    states = re.match(r"\S+ (?:now|no longer|can|does not|doesn't) ", sentence)
    if _is_order(order) and (order != sentence or not states):
        return order
    for pattern, say in _STATEMENTS:
        match = pattern().match(sentence)
        if match and (told := say(match)):
            clause = _SUBORDINATOR().search(match[1])  # it would be cut before what it does
            return "" if clause or _POINTER().search(match[3]) else told
    lacking = re.match(r"No (?!longer\b|more\b)(.+)", sentence)
    if lacking:
        return f"Avoid {lacking[1]}"
    label, colon, rest = sentence.partition(": ")
    if colon and re.fullmatch(r"[\w./-]{2,24}", label) and (told := to_order(rest)):
        return f"{label}: {told}"
    return ""


def _is_order(text: str) -> bool:
    word, _, rest = text.partition(" ")
    if not rest:
        return False
    return is_verb(word) or text.lower().startswith(
        ("don't ", "do not ", "never ", "always ", "parenthesize ", "enforce ")
    )


def _lower(thing: str) -> str:
    return _ARTICLE().sub(lambda match: match[0].lower(), thing)


def _past(word: str) -> str:
    """The imperative of a verb in the past; '' for any other word."""
    form = forms().get(word.lower())
    return form.verb if form is not None and form.tense == "past" else ""


def _base(word: str) -> str:
    """The imperative of a verb in the present; '' for any other word."""
    form = forms().get(word.lower())
    return form.verb if form is not None and form.tense in ("third", "imperative") else ""


def _say_can_be(match: re.Match[str]) -> str:
    known = _past(match[2]) or match[2].endswith("ed")
    return f"Allow {_lower(match[1])} to be {match[2]}{match[3]}" if known else ""


def _say_now(match: re.Match[str]) -> str:
    verb = _base(match[2])
    return f"Make {_lower(match[1])} {verb}{match[3]}" if verb else ""


def _say_marked(match: re.Match[str]) -> str:
    form = forms().get(match[2].lower())
    if form is None or form.tense != "third":
        return ""
    sure = not form.is_noun or re.match(r" (?:an?|the|all|no|its|any|`)", match[3])
    return f"Make {match[1]} {form.verb}{match[3]}" if sure else ""


def _say_no_longer(match: re.Match[str]) -> str:
    verb = _base(match[2])
    if verb == "support":
        return f"Drop support for{match[3]}"
    return f"Stop {_lower(match[1])} from {inflect(verb, 'gerund')}{match[3]}" if verb else ""


def _say_does_not(match: re.Match[str]) -> str:
    verb = _base(match[2])
    return f"Keep {_lower(match[1])} from {inflect(verb, 'gerund')}{match[3]}" if verb else ""


def _say_has(match: re.Match[str]) -> str:
    verb = _past(match[2])
    return f"{verb.capitalize()} {_lower(match[1])}{match[3]}" if verb else ""


_STATEMENTS: tuple[tuple[Callable[[], re.Pattern[str]], Callable[[re.Match[str]], str]], ...] = (
    (late(rf"{_THING} can (?:now )?be (\w+)\b(.*)$"), _say_can_be),
    (late(rf"{_THING} no longer (\w+)\b(.*)$"), _say_no_longer),
    (late(rf"{_THING} (?:does not|doesn't|do not|don't) (\w+)\b(.*)$"), _say_does_not),
    (late(rf"{_THING} now (\w+)\b(.*)$"), _say_now),
    (late(rf"{_THING} (?:has|have) (\w+)\b(.*)$"), _say_has),
    (late(r"(`[^`]{1,60}`) (\w+)\b(.*)$"), _say_marked),
)
