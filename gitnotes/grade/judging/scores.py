"""Which score does a judge's reply give, if it gives one at all?

Strict on purpose: what is not plainly a score within the scale is unscored, never 0, never clamped.
Only the reply is read, so a form that somebody filled in inside the judged text cannot become a score.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Literal

from gitnotes.generation import Completion, Token
from gitnotes.grade.judging.questions import PREFERENCES
from gitnotes.grade.judging.rubric import Form
from gitnotes.guard.text import clean, shorten

MAX_REPLY = 64 * 1024
"""Characters of a reply; a longer one is no answer to the question."""
_MAX_DEPTH = 8
_LARGEST = 10_000
_THINK = re.compile(r"</(?:think|thinking|reasoning)>", re.I)
_NUMBER = (
    r"(?P<score>-?[0-9]{1,4}(?:\.[0-9]{1,3}|,[0-9]{1,2})?)(?![.,]?\d)"
    r"(?:\s{0,3}(?:/|(?:out )?of)\s{0,3}(?P<top>[0-9]{1,3}))?"
    # 3-4, 3 or 4, 3, 4 and 3 % are no score.
    r"(?!\s{0,3}(?:[-\u2010-\u2015~,;/%]|to\b|or\b|and\b)\s{0,3}\d)(?!\s{0,3}%)"
)
_BARE = re.compile(rf"[\s*_`\"'#]*{_NUMBER}[\s*_`\"'.]*$")
_REFUSAL = re.compile(
    r"\s*(?:i (?:will|can|do|am|wo|must)\s?(?:not|n['’]t)|i['’]?m (?:sorry|unable|not)|sorry|unfortunately"
    r"|as an ai)",
    re.I,
)
_LEAST_MASS = 0.5
"""Share of the probability that has to fall on scores before their mean says anything."""
_LEAST_SHARE = 0.01
_ROUNDING = 0.01
"""By how much a log-probability may be above 0."""

Source = Literal["logprobs", "sample"]


@dataclass(frozen=True, slots=True)
class Judged:
    """What one reply gave."""

    value: float | None
    source: Source = "sample"
    """Whether the value is the mean over the probabilities of the scores, or the score as written."""
    reason: str = ""
    """Why there is no value."""
    explanation: str = ""
    """What the judge says about it, safe to print."""
    reply: str = ""
    """The reply, kept when it could not be read."""


def read_score(completion: Completion, *, name: str, low: int, high: int, form: Form = "score") -> Judged:
    """The score for the dimension `name` in a judge's reply.

    JSON with a `score`, or a line `Name: 3`; of several lines the last one counts when the reason
    comes first, the first one when it comes last. Never raises for any reply.
    """
    reply = completion.text
    if len(reply) > MAX_REPLY:
        return _unread("the reply is too long", reply)
    if not reply.strip():
        return _unread("the reply is empty", reply)
    closed = list(_THINK.finditer(reply))
    start = closed[-1].end() if closed else 0
    text = reply[start:]
    found = (
        _read_json(text)
        if text.strip().lstrip("`json \n")[:1] in "{["
        else _read_text(text, name, high, form)
    )
    if isinstance(found, str):
        cut = " (it was cut off)" if completion.finish == "length" else ""
        return _unread(found + cut, reply)
    value, place, explanation = found
    if not low <= value <= high:
        return _unread(f"the score {value:g} is not between {low} and {high}", reply)
    mean = None
    if completion.tokens and value == int(value):
        mean = _expected(completion.tokens, start + place, int(value), low, high)
    told = shorten(clean(explanation).strip())
    if mean is None:
        return Judged(value, "sample", explanation=told)
    return Judged(mean, "logprobs", explanation=told)


def read_answers(completion: Completion, names: tuple[str, ...]) -> dict[str, bool] | str:
    """Yes or no for each of `names` in a JSON object; a phrase when they are not all there."""
    text = completion.text
    if len(text) > MAX_REPLY:
        return "the reply is too long"
    found = _load(_THINK.split(text)[-1])
    if not isinstance(found, dict):
        return found if isinstance(found, str) else "the reply is no JSON object"
    answers: dict[str, bool] = {}
    for name in names:
        value = found.get(name)
        if isinstance(value, str) and value.strip().lower() in ("yes", "no", "true", "false"):
            value = value.strip().lower() in ("yes", "true")
        if not isinstance(value, bool):
            return f"there is no yes or no for '{name}'"
        answers[name] = value
    return answers


def read_preference(completion: Completion) -> float | str:
    """What an answer to `ask_pair` is worth for the first text, 0 to 1; a phrase when it says nothing."""
    text = completion.text
    if len(text) > MAX_REPLY:
        return "the reply is too long"
    body = _THINK.split(text)[-1]
    found = _load(body)
    told = found.get("better") if isinstance(found, dict) else body
    word = told.strip().strip(".\"'*").lower() if isinstance(told, str) else ""
    if word not in PREFERENCES:
        return "the reply names neither of the texts"
    return PREFERENCES[word]


def _unread(reason: str, reply: str) -> Judged:
    return Judged(None, reason=reason, reply=clean(reply[:2000]))


def _read_json(text: str) -> tuple[float, int, str] | str:
    found = _load(text)
    if isinstance(found, str):
        return found
    if not isinstance(found, dict) or "score" not in found:
        return "the reply has no score"
    value = found["score"]
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?", value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "the score is no number"
    # Not isfinite: a whole number may be too large for it.
    if not -_LARGEST < value < _LARGEST:
        return "the score is far from any scale"
    match = re.search(r'"score"\s*:\s*"?', text)
    reason = found.get("reason", "")
    return float(value), match.end() if match else 0, reason if isinstance(reason, str) else ""


def _load(text: str) -> Any:
    """The JSON in `text`, fenced or not; a phrase (a str) when it is not exactly one value."""
    body = text.strip()
    if body.startswith("```"):
        body = body.partition("\n")[2].rpartition("```")[0].strip()
    depth = deepest = 0
    for character in body:
        depth += (character in "[{") - (character in "]}")
        deepest = max(deepest, depth)
    if deepest > _MAX_DEPTH:
        return "the reply is nested too deeply"
    try:
        value, end = json.JSONDecoder(strict=False, object_pairs_hook=_once_each).raw_decode(body)
    except _SaidTwice:
        return "the reply gives several scores"
    except (ValueError, RecursionError):
        return "the reply is no valid JSON"
    if body[end:].strip():
        return "the reply holds more than one answer"
    return "the reply is no JSON object" if isinstance(value, str) else value


class _SaidTwice(ValueError):
    pass


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of `pairs`; of two values for one name none is the answer."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _SaidTwice
    return found


def _read_text(text: str, name: str, high: int, form: Form) -> tuple[float, int, str] | str:
    if _REFUSAL.match(text):
        return "refusal"
    labelled = re.compile(
        rf"(?:^|(?<=[.;!?] ))[\s*_`#>-]*(?:{re.escape(name)}|overall rating|rating|score)[\s*_`]*"
        rf"(?:\([^()\n]{{0,30}}\))?[\s*_`]*[:=][\s*_`]*{_NUMBER}(?=[\s*_`.,;()\]\-–—]|$)",
        re.I | re.M,
    )
    matches = list(labelled.finditer(text))
    if matches:
        match = matches[0] if form == "rate-explain" else matches[-1]
        if form == "score" and len({found["score"] for found in matches}) > 1:
            return "the reply gives several scores"
    else:
        first = text.strip().partition("\n")[0] if form == "rate-explain" else text.strip()
        bare = _BARE.match(first)
        if bare is None:
            return "the reply has no score"
        offset = text.index(first)
        return _scored(bare, offset, text, high)
    return _scored(match, 0, text, high)


def _scored(match: re.Match[str], offset: int, text: str, high: int) -> tuple[float, int, str] | str:
    if match["top"] is not None and int(match["top"]) != high:
        return f"the score is out of {match['top']}, not of {high}"
    value = float(match["score"].replace(",", "."))
    explanation = (text[: match.start() + offset] + text[match.end() + offset :]).strip()
    return value, match.start("score") + offset, explanation


def _expected(tokens: tuple[Token, ...], place: int, value: int, low: int, high: int) -> float | None:
    """The mean score by the probabilities at the place where the score stands (G-Eval, Liu et al. 2023).

    None when the score does not begin a token of its own, or the scores have too little probability.
    """
    at = 0
    for token in tokens:
        end = at + len(token.text)
        if at <= place < end:
            if token.text.strip().strip('"') != str(value):
                return None
            shares: dict[int, float] = {}
            # A server may round the two figures of one token differently.
            for text, logprob in {**dict(token.alternatives), token.text: token.logprob}.items():
                word = text.strip().strip('"')
                # A share beyond 1, or none at all, is no probability.
                if not -math.inf < logprob <= _ROUNDING:
                    continue
                if word.isascii() and word.isdigit() and len(word) < 4 and low <= int(word) <= high:
                    shares[int(word)] = shares.get(int(word), 0.0) + math.exp(min(logprob, 0.0))
            shares = {score: share for score, share in shares.items() if share >= _LEAST_SHARE}
            mass = sum(shares.values())
            if mass < _LEAST_MASS:
                return None
            return sum(score * share for score, share in shares.items()) / mass
        at = end
    return None
