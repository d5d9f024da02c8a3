"""Which line of a message did a language model leave around it?"""

from __future__ import annotations

import re

from gitnotes.chat import GREETINGS, OFFERS, REFUSALS
from gitnotes.guard.patterns import late

_CHAT = late(
    rf"[#*_>\s]{{0,6}}(?:(?:{'|'.join(GREETINGS)})[!,.:]|{'|'.join((*OFFERS, *REFUSALS))}"
    r"|here(?:['’]s| is| are)\b[^\n]{0,50}\b(?:commit|message|summary|suggestion)"
    r"|(?:the |your |suggested |generated |final )?commit message(?: is| would be)?\s*:"
    r"|based on (?:the|your) (?:diff|changes|provided|code)|let me think|let['’]s (?:think|analy[sz]e))",
    re.I,
)
_THINK = late(r"</?(?:think|thinking|thought|reasoning|analysis|scratchpad)>", re.I)
_WRAPPER = late(r"<(commit[_-]?message|commit|message|answer|output|response)>", re.I)
_TURN = late(r"<\|(?:im_start|im_end|end|endoftext|assistant|user|system|eot_id|channel|message)\|>", re.I)


def find_leak(lines: tuple[str, ...]) -> tuple[int, str] | None:
    """0-based line and kind of text that a language model left around the message, if any."""
    first = lines[0].strip() if lines else ""
    if first.startswith(("```", "~~~")) or _is_in_backticks(first):
        return 0, "a code fence around the message"
    if _is_json(first, lines):
        return 0, "a JSON object in place of the message"
    for number, line in enumerate(lines):
        if "<" in line:
            if _THINK().search(line):
                return number, "the thinking of a model"
            if _TURN().search(line):
                return number, "a mark of a chat"
    tag = _WRAPPER().match(first) if first.startswith("<") else None
    if tag and any(f"</{tag[1]}>" in line for line in lines):
        return 0, "a tag around the message"
    if _CHAT().match(first):
        return 0, "the words of a chat reply"
    last = lines[-1].strip() if len(lines) > 2 else ""
    if last and _CHAT().match(last):
        return len(lines) - 1, "the closing words of a chat reply"
    return None


def _is_in_backticks(line: str) -> bool:
    return len(line) > 2 and line[0] == line[-1] == "`" and line.count("`") == 2


def _is_json(first: str, lines: tuple[str, ...]) -> bool:
    if first in ("{", "[", "[{"):
        return len(lines) > 1 and lines[1].lstrip().startswith(('"', "{"))
    return first.startswith(("{", "[{")) and '"' in first and ":" in first
