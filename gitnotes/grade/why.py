"""Does a message say why the change was made, in the sense of Tian et al. (ICSE 2022)?

They count as a reason: a stated cause or goal, the fault that is repaired, a comparison with
the state before, and a reference to an issue where the reason is found.
"""

from __future__ import annotations

from typing import NamedTuple

from gitnotes.grade import phrases
from gitnotes.grade.lexicon import stem, stem_weight, stems_of, total_weight, words_of
from gitnotes.guard.patterns import late, late_words
from gitnotes.messages import tickets

_CAUSE = late_words(
    r"\b(?:because|so that|so as to|in order to|due to|as a result|therefore|hence|otherwise"
    r"|for the sake of|owing to"
    r"|since (?!v?\d)|the (?:reason|problem|issue|root cause|motivation) (?:is|was|being)|reason:"
    r"|motivation:|rationale"
    r"|which (?:means|meant|causes?|caused|leads?|led|made|makes|is needed|results?|breaks|broke)"
    r"|(?:this|that|it) (?:causes?|caused|leads?|led|means|meant|allows?|makes|avoids?|prevents?"
    r"|ensures?|lets|enables|helps|is needed|is required)"
    r"|(?:needed|required|necessary) (?:for|to|by|because|when)|(?:so|,) (?:we|users|it|they|that"
    r"|callers) (?:can|could|don|no longer|do not|need|must)|, so (?!that|on\b|forth|far|as\b|called)\w+"
    r"|makes? it (?:possible|easier|clear)|to (?:avoid|prevent|ensure|make sure|allow|let|enable|reduce"
    r"|keep|match|help|support|guard|protect|not|simplify|speed|save|comply|be able))\b"
)
_BEFORE = late_words(
    r"\b(?:previously|formerly|before (?:this|that|the|we)|until now|used to|at the moment|currently"
    r"|no longer|instead of|rather than"
    r"|would (?:be|have|not|cause|fail|lead|result|otherwise)|could (?:be|have|not|cause|fail|lead"
    r"|result)|can(?:not|'t)|couldn't|doesn't|didn't"
    r"|(?:was|were|is|are|has been|had been) (?:never|still|kept|always|only)|for ever|forever"
    r"|did not|does not|is not|isn't|was not|wasn't|won't|without (?:this|it|that|having|needing)"
    r"|even (?:if|when|though)|despite|whenever|if (?:the|a|an|we|you))\b"
)
_FAULT = late_words(
    r"\b(?:crash\w*|fail(?:s|ed|ing|ures?)?|broke(?:n)?|break(?:s|ing|age)|leak(?:s|ed|ing)?|race"
    r"|deadlocks?|regress\w*|hang(?:s|ing)?|panics?"
    r"|flak(?:y|iness)|overflow\w*|segfault\w*|corrupt\w*|vulnerab\w*|cve-\d+\S*|incorrect(?:ly)?"
    r"|wrong(?:ly)?|invalid|missing|mislead\w*"
    r"|confus\w*|quadratic|slow|stale|outdated"
    r"|unbounded|ran out|runs out|out of memory|without bound"
    r"|unused|obsolete|redundant|unnecessar\w*|unneeded"
    r"|duplicat\w*|dead|inconsisten\w*"
    r"|conflicts?|insecure|unsafe|ambigu\w*|avoid\w*|prevent\w*|lost|loss|too (?:many|large|long|slow"
    r"|strict|old|much)|not (?:work|needed|used|supported|found|available))\b"
)
# Upkeep whose reason everyone knows; as the object of the subject, not in passing.
_EVIDENT = late_words(
    r"\b(?:typos?|spelling|misspell\w*|grammar|wording|whitespace|spaces|indentation|formatting|format"
    r"|style|imports?|lint\w*|javadocs?|docstrings?"
    r"|comments?|readme\w*|contribut\w*|changelog|release notes|(?:update|bump|up|prepare|release|set"
    r"|start)\w* (?:the |to )?(?:version|release)?\s*v?\d\S*"
    r"|version|releases?|prepare for|copyright|licen[cs]e|documentation|docs?|links?|logo|(?:add|more"
    r"|extend|improve)\w* (?:\w+ ){0,2}tests?|tests? for|rename\w*)\b"
)
_CLOSES = late_words(
    r"\b(?:fix(?:es|ed)?|clos(?:e|es|ed)|resolv(?:e|es|ed)|refs?|see|related to|part of|bug|issue"
    r"|relates to)\b:? (?:issue )?(?:[\w./-]{0,60}#\d+|gh-\d+)"
)
_CLOSES_LINK = late_words(
    r"\b(?:fix(?:es|ed)?|clos(?:e|es|ed)|resolv(?:e|es|ed))\b:? (?:issue )?https?://\S+"
)
_LINK = late(r"https?://\S+")
_ISSUE_LINK = late(
    r"https?://[^\s/]{1,200}/\S{0,200}(?:issues?|pull|merge_requests|bugs?|tickets?|browse)/\S"
)
_HINT = 0.45
"""The strength of a word in the subject for what was wrong."""
# What such a word does not stand in for: "stale.yml", `missing_ok`.
_NAMES = late(r"`[^`\n]{0,200}`|\S{0,80}[./_]\w\S{0,80}")
_FEWEST = 5
"""Different words with a meaning that make a sentence worth reading where no change can tell."""
_MARKUP = late(r"<[^<>\n]{0,200}>|!?\[[^\[\]\n]{0,200}\]\([^()\s]{0,300}\)")


NUMBER_WORDS = frozenset(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"])


class Reasons(NamedTuple):
    """How strongly each kind of reason is present; 0 is none, 1 a clear reason."""

    cause: float
    before: float
    fault: float
    reference: float
    context: float
    evident: float
    """Upkeep that needs no reason: typos, versions, documentation."""
    elsewhere: bool = False
    """A reason is given that shares no word with the change; it counts for nothing."""
    told: tuple[str, ...] = ()
    """The sentences of the body that count, without markup and links."""
    closes: bool = False
    """Whether an issue is closed or named as the one that is repaired."""
    ticket: bool = False
    link: bool = False

    @property
    def refers(self) -> bool:
        """Whether an issue or a page is named where the reason may be found."""
        return self.reference > 0 or self.ticket

    @property
    def are_told(self) -> bool:
        """Whether words give a reason, or an issue is said to be repaired; a word in the subject for what
        was wrong is a hint at one."""
        return self.closes or self.cause + self.before + self.context > 0 or self.fault > _HINT


def find_reasons(
    subject: str, body: list[str], trailers: str, anchors: frozenset[str] | set[str] | None
) -> Reasons:
    """The reasons in a subject, the different sentences of its body, and its trailers.

    `anchors` are the stems of the change, None when it is not known. A sentence that shares no
    informative stem with them or with the subject does not count, so that padding does not pass
    for a reason; without a change a full sentence counts in part.
    """
    own = stems_of(subject, 4)
    cause, before, fault = 0.0, 0.0, 0.0
    context = 0.0
    if _has_cause(subject):
        cause += 0.9 * min(1.0, total_weight(own) / 1.5)
    if _BEFORE(subject):
        before += 0.35 * min(1.0, total_weight(own) / 1.5)
    if _FAULT(_NAMES().sub(" ", subject)):
        fault += _HINT * min(1.0, total_weight(own) / 1.5)
    elsewhere = False
    sincere: list[str] = []
    told: list[str] = []
    for sentence in body:
        if phrases.is_claim(sentence) or phrases.is_praise(sentence) or _stutters(sentence):
            continue
        sincere.append(sentence)
        plain = _without_markup(sentence)
        stems = stems_of(plain, 4)
        # What the subject said already is no context.
        news = total_weight(stems - own)
        if news < 0.8:
            continue
        shared = stems & own if anchors is None else (stems & own) | (stems & anchors)
        grip = 1.0 if total_weight(shared) >= 0.4 or _shares_number(plain, anchors) else 0.0
        meant = _words(plain) if not grip and anchors is None else []
        if len(meant) >= 8:
            # Without the change there is no telling padding from reason; a full sentence gets a part.
            grip = 0.4
        if grip or len({word.lower() for word in meant}) >= _FEWEST:
            told.append(plain)
        if _has_cause(plain):
            cause += 1.1 * grip
            elsewhere = elsewhere or not grip
        if _BEFORE(plain):
            before += 0.6 * grip
        if _FAULT(plain):
            fault += 0.6 * grip
        if grip == 1.0:
            context += 0.05 * min(news, 6.0)
    spoken = _without_tags("\n".join([subject, *sincere, trailers]))
    named = tickets(spoken)
    closes = _closes(spoken)
    closes_link = "://" in spoken and _CLOSES_LINK(spoken) is not None
    return Reasons(
        cause=min(cause, 1.6),
        before=min(before, 0.8),
        fault=min(fault, 0.9),
        reference=_reference(spoken, closes=closes, closes_link=closes_link, ticket=bool(named)),
        context=min(context, 0.7),
        evident=0.5 if cause == fault == 0 and _EVIDENT(subject[:400]) else 0.0,
        elsewhere=elsewhere,
        told=tuple(told),
        closes=closes or closes_link,
        ticket=bool(named),
        link="://" in spoken,
    )


def _has_cause(sentence: str) -> bool:
    """Whether a word of reason stands in it, and content after that word."""
    found = _CAUSE(sentence)
    if found is None:
        return False
    rest = _words(sentence[found.end() : found.end() + 400])
    return len({word.lower() for word in rest}) >= 2 or len(_words(sentence[: found.start()])) >= 4


def _stutters(sentence: str) -> bool:
    """Whether the sentence is mostly one word again and again."""
    words = words_of(sentence.lower())
    return len(words) >= 4 and 2 * len(set(words)) <= len(words)


def _shares_number(sentence: str, anchors: frozenset[str] | set[str] | None) -> bool:
    if anchors is None:
        return False
    return any(
        word in anchors
        for chunk in sentence.lower().split()
        if (word := chunk.strip(".,;:!?()")) in NUMBER_WORDS or word.isdecimal()
    )


def _without_markup(sentence: str) -> str:
    """`sentence` without tags, images and links: neither says anything by itself."""
    sentence = _without_tags(sentence)
    return _LINK().sub(" ", sentence) if "://" in sentence else sentence


def _without_tags(text: str) -> str:
    return _MARKUP().sub(" ", text) if "<" in text or "](" in text else text


def _closes(text: str) -> bool:
    return ("#" in text or "-" in text) and _CLOSES(text) is not None


def _reference(text: str, *, closes: bool, closes_link: bool, ticket: bool) -> float:
    if closes:
        return 0.8
    if closes_link:
        return 0.6
    if "://" in text:
        # A reader has to follow it to learn anything; an issue is the likelier place for a reason.
        return 0.42 if _ISSUE_LINK().search(text) else 0.15
    return 0.3 if ticket else 0.0


def _words(text: str) -> list[str]:
    """The words of `text` that carry meaning."""
    return [word for word in words_of(text) if stem_weight(stem(word)) > 0]
