"""Which sentences of a message speak to a grader, or claim what nothing in the change supports?"""

from __future__ import annotations

import re
from functools import lru_cache

from gitnotes.guard.patterns import late, late_words

# Look-alike letters of Cyrillic and Greek, so that they do not hide a phrase.
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u03bf\u03b1\u0410\u0415\u041e\u0420\u0421\u0425",
    "aeopcyxijsdoaAEOPCX",
)
_TEMPLATE = late(r"<\|[a-z_]{2,20}\|>|\[/?INST\]|<</?SYS>>|</?(?:system|assistant|user)>", re.I)
_ADDRESSED = late_words(
    r"\b(?:rubrics?|evaluation form|scores? only|graders?|grading (?:this|tool|model)"
    r"|(?:automated|ai|llm|language model) (?:reviewers?|judges?|evaluators?|summari[sz]ers?|assistants?)"
    r"|(?:reviewers?|judges?|evaluators?)\b[^.\n]{0,30}\b(?:language model|llm|ai)"
    r"|pruefer|pr\u00fcfer|h\u00f6chstnote|hoechstnote|bestnote)\b"
)
_ORDER = late_words(
    r"\b(?:(?:please|always|must|should|now|just|simply|to|and)\s+)?(?:give|assign|award|put|rate|score"
    r"|grade|answer|respond"
    r"|return|output|mark|ignore|disregard|forget|vergeben?|bewerte)\b"
)
_VALUE = late_words(
    r"\b(?:(?:top|full|highest|maximum|max|perfect|best|high) (?:score|mark|grade|rating)s?|four"
    r"|[45] ?/ ?[45]|[45]"
    r"|100 ?/ ?100|100|ten out of ten|10 ?/ ?10|every box|exemplary|h\u00f6chstnote|hoechstnote|bestnote)\b"
)
_FORM_HEAD = late(
    r"\s*(?:evaluation form\b[^.\n]{0,20}:|note to (?:the |whoever |any )?(?:grad|judge|evaluat|ai\b|llm))",
    re.I,
)
_SCORE_ME = late_words(
    r"\b(?:(?:give|assign|award|rate|score|grade|mark) (?:this|it|me|the) ?(?:commit|message|text"
    r"|change)?\b[^.\n]{0,40}"
    r"(?:\b(?:scores?|marks?|points|grades?|ratings?|high(?:est)?|top)\b|(?<![\w#.])\d)"
    r"|(?:deserves?|merits|worth) (?:a|the|an)? ?(?:high|highest|top|full|maximum|perfect|good"
    r"|\d+)[^.\n]{0,20}(?:score|marks?|grade|rating)?"
    r"|(?:ignore|disregard|forget) (?:all |any |the |your )*(?:(?:previous|prior|above"
    r"|earlier) (?:instructions?|prompts?|rules|guidelines|text)"
    r"|(?:diff|instructions?|rubrics?|guidelines)\b)"
    r"|(?:and|then) praise this|leave out every commit|stop reading here)"
)
_FORM_LINE = late(
    r"\s*[-*\"{]?\s*[\"']?(?:relevance|consistency|coherence|fluency|rationale|conciseness|overall|score"
    r"|rating|grade|what|why|form)"
    r"[\"']?\s*[:=]\s*[\"']?\d+(?:\s*/\s*\d+)?[\"'},.]*\s*$",
    re.I,
)
_ROLE_LINE = late(r"\s*(?:system|assistant|user|human)\s*:\s", re.I)

_CLAIM = late_words(
    r"\b(?:bug[- ]?free|no (?:known )?bugs|error[- ]free|fully (?:tested|verified|covered)"
    r"|thoroughly (?:tested|verified|reviewed)"
    r"|100 ?% (?:tested|coverage|safe|correct)|well[- ]tested|battle[- ]tested|production[- ]ready"
    r"|works? (?:perfectly|flawlessly)"
    r"|no (?:review|reviewing|testing)\b[^.\n]{0,24}\b(?:needed|required|necessary)|no side[- ]effects?"
    r"|completely safe|perfectly safe"
    r"|verified (?:as |to be )?(?:bug|safe|secure|correct|by )|verified\s*$|(?:approved|audited"
    r"|signed off) by (?:the )?security"
    r"|all tests (?:pass|green|passing|succeed)|guaranteed to work|industry[- ]standard|best practices?)"
)
_PRAISE = late_words(
    r"\b(?:excellent|exemplary|outstanding|perfect|flawless|superb|amazing|brilliant|world[- ]class"
    r"|high[- ]quality"
    r"|great) (?:commit|message|change|work|code|improvement|job|solution|quality)s?\b|\bthis (?:commit"
    r"|change|message) is (?:very |highly |extremely )?"
    r"(?:important|useful|good|clear|complete|excellent|well)|\b(?:overall|general) (?:code )?(?:quality"
    r"|maintainability|readability)\b"
)
_SENTENCE = late(r"[^.!?\n]+[.!?]*")
_CUES = (
    "rubric", "grade", "grading", "grader", "score", "rate ", "rating", "evaluat", "judge", "mark",
    "prüfer", "pruefer", "note",
    "ignore", "disregard", "forget", "praise", "reviewer", "deserve", "merits", "<|", "inst]", "sys>",
    "system", "assistant",
    "user", "human", "stop reading", "leave out", "relevance", "consistency", "coherence", "fluency",
    "answer", "summari", "why:", "what:",
)  # fmt: skip


def plain_letters(text: str) -> str:
    """`text` with look-alike letters of other scripts as the Latin ones they imitate."""
    return text if text.isascii() else text.translate(_LOOKALIKES)


@lru_cache(maxsize=4)
def find_instructions(lines: tuple[str, ...]) -> dict[int, str]:
    """0-based line -> what is left of it without the text that is addressed to a grader or a model.

    Lines without such text are not in the result.
    """
    found: dict[int, str] = {}
    whole = plain_letters("\n".join(lines)).lower()
    cues = [cue for cue in _CUES if cue in whole]
    for number, line in enumerate(lines):
        if len(line) < 5:
            continue
        plain = plain_letters(line)
        lowered = plain.lower()
        if not (plain[-1:].isdigit() or any(cue in lowered for cue in cues)):
            continue
        if number and (_FORM_LINE().match(plain) or _ROLE_LINE().match(plain)):
            found[number] = ""
            continue
        match = _TEMPLATE().search(plain)
        if match:
            # A chat template mark has no business in a message: nothing after it counts.
            found[number] = line[: match.start()].rstrip() if number == 0 or match.start() > 20 else ""
            continue
        kept, dropped = [], False
        for sentence in _SENTENCE().finditer(plain):
            if _is_instruction(sentence.group()):
                dropped = True
            else:
                kept.append(line[sentence.start() : sentence.end()])
        if dropped:
            found[number] = "".join(kept).strip()
    return found


def _is_instruction(sentence: str) -> bool:
    if _SCORE_ME(sentence):
        return True
    if _ADDRESSED(sentence):
        # A project may well have a grader of its own: only an order with a mark makes it speak to ours.
        return _FORM_HEAD().match(sentence) is not None or (
            _ORDER(sentence) is not None and _VALUE(sentence) is not None
        )
    return False


@lru_cache(maxsize=256)
def is_claim(sentence: str) -> bool:
    """Whether the sentence vouches for the change in a way that no change can show."""
    return _CLAIM(sentence) is not None


@lru_cache(maxsize=256)
def is_praise(sentence: str) -> bool:
    """Whether the sentence praises the change and would fit any."""
    return _PRAISE(sentence) is not None


def sentences(text: str) -> list[str]:
    """The sentences of `text`, in order; a line break ends one only before a list item or blank line."""
    return [
        found
        for found in (part.strip() for part in re.split(r"(?<=[.!?])\s+|\n\s*\n|\n\s*[-*] ", text))
        if found
    ]
