"""Does a message hold what no message should: hidden characters, a model's chatter, words for a grader?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitnotes.grade import phrases
from gitnotes.grade.lexicon import words_of
from gitnotes.grade.message import Message
from gitnotes.grade.rules.leaks import find_leak
from gitnotes.grade.rules.settings import Fault
from gitnotes.guard.text import hidden_characters, shorten


def check_safety(parts: Message) -> Iterator[Fault]:
    """The faults of any message, whoever wrote it."""
    raw = parts.raw
    if not raw.isascii() or not raw.isprintable():
        hidden = hidden_characters(_without_joined_emoji(raw).replace("\t", " "))
        if hidden:
            names = ", ".join(hidden[:4])
            yield Fault(
                "control-character", f"The message holds {names}.", "Remove what cannot be seen.", None
            )
    if not raw.isascii():
        for number, line in enumerate(parts.lines, 1):
            word = None if line.isascii() else _mixed_word(line)
            if word:
                yield Fault(
                    "mixed-script", f"“{shorten(word)}” mixes letters of look-alike scripts.",
                    "Type the word again in one script.", number,
                )  # fmt: skip
                break
    leak = find_leak(parts.lines)
    if leak:
        yield Fault(
            "leaked-model-text", f"The message holds {leak[1]}.", "Keep the message alone.", leak[0] + 1
        )
    for number in phrases.find_instructions(parts.lines):
        yield Fault(
            "instruction-text",
            "This text speaks to whoever grades the message; it changed no score.",
            "Remove it.",
            number + 1,
        )
        break


def _without_joined_emoji(text: str) -> str:
    if "\u200d" in text:  # the pattern takes 4 ms to compile
        text = re.sub("(?<=[\u2190-\U0001faff\ufe0f])\u200d(?=[\u2190-\U0001faff])", "", text)
    return text.removeprefix("\ufeff")


def _mixed_word(line: str) -> str | None:
    for word in words_of(line):
        if word.isascii():
            continue
        plain = phrases.plain_letters(word)
        # A word wholly in Cyrillic keeps some letter without a Latin look-alike; a forged one keeps none.
        if plain != word and any("a" <= letter.lower() <= "z" for letter in word):
            return word
    return None
