"""What is the stem of an English word, exactly as nltk's Porter stemmer has it?

The rules are those of Porter, An algorithm for suffix stripping, Program 14 (1980), with the changes
that nltk makes by default: a few irregular words, `-ied` and `-ies` after one letter, `-y` after a
consonant only, `-alli` before the rest of step 2, `-fulli`, `-bli` and `-logi`. nltk's own class asks
for the kind of each letter again and again, which takes ten times as long as all the rest of a score.
"""

from __future__ import annotations

import re

IRREGULAR = {
    **{"sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news"},
    **{f"{word}{end}": word for word in ("inning", "outing", "canning") for end in ("", "s")},
    **{word: word for word in ("howe", "proceed", "exceed", "succeed")},
}

Rules = dict[str, list[tuple[str, str]]]
"""The last two letters of a word to the endings that it may have and what takes their place."""


def _index(rules: str) -> Rules:
    """The rules in `ending:replacement` form; where one ending ends with another, the longer is first."""
    found: Rules = {}
    for rule in rules.split():
        ending, _, replacement = rule.partition(":")
        found.setdefault(ending[-2:], []).append((ending, replacement))
    return found


_STEP_2 = _index(
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous"
    " ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive"
    " biliti:ble fulli:ful logi:log"
)
_STEP_3 = _index("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
_STEP_4 = _index(
    "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive: ize:"
)

# All endings that a rule is for, so that most words are seen at once to be their own stems.
_ENDINGS = frozenset((*_STEP_2, *_STEP_3, *_STEP_4, "ed", "ng", "ll"))

_KINDS = bytes(ord("v" if chr(code) in "aeiou" else "y" if code == 121 else "c") for code in range(256))
_RUN = re.compile(b"y+")


def stem(word: str) -> str:
    """The stem of `word`, which is in lower case; takes time in proportion to its length."""
    if len(word) <= 2 or (word[-1] not in "sye" and word[-2:] not in _ENDINGS):
        return word
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith("s"):
        word = _without_s(word)
    if word.endswith(("ed", "ing")):
        word = _without_ed(word)
    if word.endswith("y") and len(word) > 2 and kinds(word[:-1]).endswith(b"c"):
        word = word[:-1] + "i"
    word = _step_2(word)
    ending, replacement = _find(word, _STEP_3)
    if ending and measure(word[: -len(ending)]):
        word = word[: -len(ending)] + replacement
    ending, _ = _find(word, _STEP_4)
    if ending:
        rest = word[: -len(ending)]
        if (ending != "ion" or rest.endswith(("s", "t"))) and measure(rest) > 1:
            word = rest
    if word.endswith("e"):
        rest = word[:-1]
        turns = measure(rest)
        if turns > 1 or (turns == 1 and not _is_short(rest)):
            word = rest
    if word.endswith("ll") and measure(word[:-1]) > 1:
        word = word[:-1]
    return word


def _find(word: str, rules: Rules) -> tuple[str, str]:
    """The ending of `word` that a rule is for, and its replacement; empty when there is none."""
    for rule in rules.get(word[-2:], ()):
        if word.endswith(rule[0]):
            return rule
    return "", ""


def kinds(word: str) -> bytes:
    """For each letter `v` or `c`, vowel or consonant; y is a vowel after a consonant."""
    found = word.encode("ascii", "replace").translate(_KINDS)
    return _RUN.sub(_tell_y, found) if b"y" in found else found


def _tell_y(run: re.Match[bytes]) -> bytes:
    start, end = run.span()
    first = b"vc" if start and run.string[start - 1 : start] == b"c" else b"cv"
    return (first * (end - start))[: end - start]


def measure(word: str) -> int:
    """How often a consonant follows a vowel."""
    return kinds(word).count(b"vc")


def _is_short(word: str) -> bool:
    """Whether `word` ends as `hop` does, or is as `at`."""
    found = kinds(word)
    return (found.endswith(b"cvc") and word[-1] not in "wxy") or found == b"vc"


def _without_s(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word if word.endswith("ss") else word[:-1]


def _without_ed(word: str) -> str:
    """`word` without -ed or -ing; an -e is put back where it needs one."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if measure(word[:-3]) else word
    rest = word[: -2 if word.endswith("d") else -3]
    found = kinds(rest)
    if b"v" not in found:
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if rest[-2:-1] == rest[-1] and found.endswith(b"c"):
        return rest if rest[-1] in "lsz" else rest[:-1]
    if rest.endswith("*d"):
        return rest[:-2] + "d"  # nltk takes its own mark for double consonants for letters
    return rest + "e" if found.count(b"vc") == 1 and _is_short(rest) else rest


def _step_2(word: str) -> str:
    ending, replacement = _find(word, _STEP_2)
    if not ending or not measure(word[:-3] if ending == "logi" else word[: -len(ending)]):
        return word
    word = word[: -len(ending)] + replacement
    return _step_2(word) if ending == "alli" else word
