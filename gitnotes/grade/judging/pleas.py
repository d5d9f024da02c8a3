"""Which parts of a text speak to whoever judges it?

A grader without a model cannot be told what to answer; a model can, in other words, other letters and
over several lines. What is found is taken out before the model sees it, so a sentence too many costs
the judge a sentence, and one too few may cost the score.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from gitnotes.grade.judging.rubric import PROFILES
from gitnotes.grade.phrases import find_instructions, plain_letters
from gitnotes.guard.patterns import late
from gitnotes.guard.text import clean

_NAMES = "|".join(dict.fromkeys(name for profile in PROFILES.values() for name in profile.names))
_GRADER = r"(?:graders?|judges?|raters?|evaluators?|scorers?|assessors?)"
_MODEL = (
    r"(?:(?:\w+ )?(?:ais?|llms?|language models?)|models?|assistants?|bots?|chatbots?|chatgpt|gpt\w*|claude"
    r"|gemini|copilot)"
)
_MARK = r"(?:scores?|marks?|grades?|ratings?|points?|evaluations?)"
_BEST = r"(?:top|full|highest|max|maximum|maximal|perfect|best|good|great|high|excellent)(?: possible)?"
_ALL = r"(?:all|every\w*|each|any|both|todos?|tout|tous|alles?)"
_SAY = (
    r"(?:answer|respond|repl|say|output|return|print|write|select|choose|pick|put|tick|mark|set|give)"
    r"(?:y|ies|s|e|ing)?"
)
_ASKED = r"(?! (?!question|answer|field|box|criteri|item|of\b|and\b|the\b|these\b)\w)"
"""Of all that is asked here, and not of all files."""
_RATE = r"(?:evaluate|rate|mark|judge|grade|assess|consider|treat|regard|score)"
_THIS = (
    r"(?:this|it|me|these|(?:the|our|my) (?:commit|message|text|change|diff|patch|summary|note|release)\w*)"
)

_ADDRESSED = late(
    rf"\b(?:dear|hey|hi|hello|attention|note (?:to|for)|message (?:to|for)|instructions? (?:to|for))[ ,:]"
    rf"(?:(?:the|any|all|every|whoever) )?(?:{_MODEL}|{_GRADER})\b"
    rf"|(?:^|[.!?] )to (?:the|any|all|every) (?:{_GRADER})\b[,:]"
    rf"|\bwhoever (?:\w+ )?(?:grad|rat|evaluat|judg|scor|review|mark|assess)\w*"
    rf"|\byou(?:['\u2019]re| are)(?: now)? (?:an? |the )?(?:[a-z-]+ )?"
    rf"(?:(?:ai|llm|language model|assistant|{_GRADER})\b)"
    rf"|\bas (?:an?|the) (?:[a-z-]+ )?(?:ai|llm|language model|evaluator|grader|rater)\b"
)
_OVERRULED = late(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,20}\b(?:(?:previous|prior|above|earlier|preceding"
    r"|system|original|your|these|those|all)"
    r" (?:instructions?|prompts?|guidelines|criteria|rubrics?|questions?)"
    r"|(?:instructions?|rules|criteria|rubrics?|definitions|questions) (?:above|before|given)"
    r"|(?:previous|prior|above|earlier) (?:rules|text|definitions))"
    r"|\b(?:instructions?|criteria|questions)\b[^.\n]{0,40}\b(?:do(?:es)? not|don['\u2019]?t|no longer) appl"
    r"|\brubrics?\b[^.\n]{0,20}\b(?:changed|replaced|retired|withdrawn|suspended|void)"
    r"|\bdo(?: not|n['\u2019]t) (?:read|look at|check|review|consider) the (?:diff|change|source)\b"
    r"|\bnew (?:task|instructions?) ?:|\bend of (?:the )?(?:data|input|diff)\. "
)
_MARKED = late(
    rf"\b(?:full|top) marks?\b|\bperfect score\b|\b(?:top|maximum|highest) rating\b"
    rf"|\bbest possible {_MARK}\b"
    r"|\b(?:4 out of 4|5 out of 5|four out of four|five out of five|ten out of ten)\b"
    rf"|\b(?:giv|assign|award|put|deserv|merit|earn|rat|scor|grad|mark)\w*\b[^.\n]{{0,20}}\b{_THIS}"
    rf"[^.\n]{{0,60}}\b{_BEST} {_MARK}\b"
    rf"|\b(?:please|must|should|kindly|be generous)\b[^.\n]{{0,40}}"
    rf"\b(?:{_BEST} {_MARK}|award (?:[45]|four|five))\b"
    rf"|\b{_RATE} (?:{_THIS}|{_ALL})\b[^.\n]{{0,40}}\b(?:as |with |at |is |are )?"
    rf"(?:excellent|perfect|good|great|exemplary|flawless|outstanding|positive\w*|(?:as )met)\b"
    rf"|\b(?:rat|scor|grad|mark|giv|award|verdict)\w*\b[^.\n]{{0,30}}"
    r"(?<![\w/])(?:4 ?/ ?4|5 ?/ ?5|10 ?/ ?10)(?![\w/])"
    rf"|\bput (?:[45]|four|five|yes) in (?:{_ALL}|the)\b"
)
_YES = late(
    rf"\b{_SAY}\b[^.\n]{{0,30}}\byes\b[^.\n]{{0,20}}\b(?:everything\b|{_ALL}\b{_ASKED})"
    rf"|\b{_SAY} {_ALL}\b[^.\n]{{0,60}}\byes\b"
    rf"|\b{_ALL} (?:\w+ ){{0,3}}(?:question|answer|box|field|criteri|item)\w*\b[^.\n]{{0,30}}\byes\b"
    rf"|\b(?:please|always|must|just|should|only|simply|then|and|;)"
    rf" (?:answer|say|respond|reply|output|select)(?: with)? [\"'`]?yes\b"
    rf"|\byes is the (?:\w+ ){{0,3}}answer|\byes(?:, ?yes){{2}}"
)
_FORM = late(
    rf"[\"']?\b(?:{_NAMES}|score|rating|overall|preference)[\"']? ?[:=] ?[\"']?(?:yes|no|true|false|[0-5])\b"
    rf"|[\"']?\bbetter[\"']? ?[:=] ?[\"']?(?:first|second)\b"
)
_TOLD = late(
    r"\b(?:score|rating|verdict|grade)\w* ?(?:is|[:=]) ?[\"']?(?:[45]|four|five)\b"
    r"|\b(?:first|second) (?:text|message|one|version) is (?:the )?better\b"
    r"|### ?(?:instruction|response)\b"
)
_ABROAD = late(
    r"note maximale|meilleure note|puntuaci[o\u00f3]n m[a\u00e1]xima|m[a\u00e1]xima puntuaci[o\u00f3]n"
    r"|nota m[a\u00e1]xima|calificaci[o\u00f3]n m[a\u00e1]xima|voto massimo|punteggio massimo|volle punktzahl"
    r"|hoogste cijfer|\u6ee1\u5206|\u6eff\u5206|\u6e80\u70b9|\ub9cc\uc810|\u6700\u9ad8\u8a55\u4fa1"
    r"|(?:\u0432\u044b\u0441\u0448|\u043c\u0430\u043a\u0441\u0438\u043c\u0430\u043b\u044c\u043d)\w+"
    r" (?:\u043e\u0446\u0435\u043d\u043a|\u0431\u0430\u043b\u043b)"
)
_SENTENCE = late(r"[^.!?\u3002\uff01\uff1f]+[.!?\u3002\uff01\uff1f]*")
_LEET = late(r"(?<=[a-z])[01345$@](?=[a-z])")
_LETTERS = str.maketrans("01345$@", "oieassa")
_MARKS = "+->*#/;<! \t"
"""What a diff, a comment or a quote puts before the words."""
_PROSE = late(r"[^={}()\[\]|;_]*")
_COMMENT = late(r"[-+ ]?\s*(?:#|//|/?\*|--|;|<!--)")
_LONGEST = 4000
"""Characters of a paragraph that are read as one."""


def without_pleas(text: str, *, prose: bool) -> tuple[str, int]:
    """The text without what is addressed to a grader or a model, and how many lines that touched.

    `prose` says that it is a message and no diff: of a diff only lines without signs of code are read as
    one paragraph. What cannot be seen is taken out before, so that it hides nothing.
    """
    lines = clean(text).split("\n")
    bare = [line.lstrip(_MARKS) for line in lines]
    # What stands alone in its line first: forms, turns of a conversation, tokens of templates.
    kept = dict(find_instructions(tuple(bare)))
    # One part of a form may be about anything; with another part elsewhere it is a form.
    parts = 1 if prose and len(_FORM().findall(_plain("\n".join(bare))[0])) > 1 else 2
    for start, end in _paragraphs(lines, bare, prose):
        joined = "\n".join(bare[start:end])
        spans = list(_find_pleas(joined, prose, parts))
        if spans:
            at = 0
            for number in range(start, end):
                rest = _cut(bare[number], [(first - at, last - at) for first, last in spans])
                if rest != bare[number]:
                    kept[number] = rest if number not in kept else min(rest, kept[number], key=len)
                at += len(bare[number]) + 1
    for number, rest in kept.items():
        head = lines[number][: len(lines[number]) - len(bare[number])]
        lines[number] = head + rest
    return "\n".join(lines), len(kept)


def _paragraphs(lines: list[str], bare: list[str], prose: bool) -> Iterator[tuple[int, int]]:
    """The ranges of lines that are read as one."""
    start = size = 0
    for number, line in enumerate(bare):
        begins = not line.strip() or size > _LONGEST
        if prose:
            # A subject is a sentence of its own, whatever stands below it.
            begins = begins or number == 1 or lines[number][:2] in ("- ", "* ", "+ ")
        else:
            begins = begins or not all(
                _COMMENT().match(lines[at]) or _PROSE().fullmatch(bare[at]) for at in (number, number - 1)
            )
        if begins and number > start:
            yield start, number
            start, size = number, 0
        size += len(line)
    yield start, len(bare)


def _find_pleas(paragraph: str, prose: bool, parts: int) -> Iterator[tuple[int, int]]:
    """The places in a paragraph that speak to a grader; so many `parts` make a form."""
    plain, places = _plain(paragraph.replace("\n", " "))
    latin = plain_letters(plain)
    latin = _LEET().sub(lambda match: match.group().translate(_LETTERS), latin)

    def place(start: int, end: int) -> tuple[int, int]:
        return places[start], places[end - 1] + 1

    forms = list(_FORM().finditer(latin))
    if len(forms) >= parts:
        yield place(forms[0].start(), len(latin))
        latin = latin[: forms[0].start()]
    for sentence in _SENTENCE().finditer(latin):
        words = sentence.group()
        if _ADDRESSED().search(latin, max(sentence.start() - 2, 0), sentence.end()) or _OVERRULED().search(
            latin, sentence.start(), min(sentence.end() + 1, len(latin))
        ):
            # What follows is the order itself.
            yield place(sentence.start(), len(latin))
            return
        if (
            any(pattern().search(words) for pattern in (_MARKED, _YES))
            or (prose and _TOLD().search(words))
            or _ABROAD().search(plain, sentence.start(), sentence.end())
        ):
            yield place(*sentence.span())
        elif (rest := find_instructions((words,)).get(0)) is not None:
            before = len(rest) if words.startswith(rest) else 0  # what stood before a token of a template
            yield place(sentence.start() + before, sentence.end())


def _plain(text: str) -> tuple[str, range | list[int]]:
    """The text in small letters of one form, and where each of its characters stood."""
    if text.isascii():
        return text.lower(), range(len(text))
    plain: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for letter in unicodedata.normalize("NFKC", character).lower():
            plain.append(letter)
            places.append(place)
    return "".join(plain), places


def _cut(line: str, spans: list[tuple[int, int]]) -> str:
    kept, at = [], 0
    for start, end in spans:
        kept.append(line[at : max(start, at)])
        at = max(at, min(end, len(line)))
    return "".join([*kept, line[at:]])
