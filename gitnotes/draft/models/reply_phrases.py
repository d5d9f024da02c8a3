"""By which words does a line of a model's reply show that it is no part of the message?"""

from __future__ import annotations

import re

from gitnotes.chat import GREETINGS, OFFERS, REFUSALS


def _any_of(*phrases: str) -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(phrases)})", re.IGNORECASE)


_NOT = "(?:not|n?['’]?t)"

GREETING = _any_of(
    rf"(?:{'|'.join(GREETINGS)}|ok|alright|got it|no problem|here you go|hello|hi)\b(?:[!,.:\s].*)?$",
)
"""Says yes before it answers."""

ANNOUNCEMENT = _any_of(
    r"(?:here(?:['’]s| is| are)|below is|this is|the following is|based on|given|my suggestion|the"
    r"|after (?:reviewing|analy[sz]ing)|i(?:['’]d| would)? suggest|a (?:good|suitable|possible))\b.*"
    r"(?:messages?|commit|suggestions?|options?|subject|one|draft|diff|changes?)\b.*[:：]\s*$",
    r"(?:voici|aqu[ií] (?:tienes|est[aá])|hier ist|ecco|以下|这是).*[:：]\s*$",
)
"""Says that the message follows."""

CLOSING = _any_of(
    *OFFERS,
    r"(?:please )?let me know",
    r"feel free",
    r"i hope",
    r"hope this",
    r"would you like",
    r"do you want",
    r"if you(?:['’]d| would)? (?:like|want|need)",
    r"is there anything",
    r"you can (?:adjust|modify|use)",
    r"this (?:commit )?message (?:follows|is|describes|captures|summari[sz]es|clearly|accurately|uses)",
    r"(?:this|the above) follows the conventional",
    r"(?:\*\*)?explanation(?:\*\*)?:",
    r"(?:\*\*)?note(?:\*\*)?: (?:this|the|i|you) ",
)
"""Talks to the user after the message."""

REFUSAL = _any_of(
    *REFUSALS,
    r"i(?:['’]?m| am) (?:not able|sorry|unable|afraid|an ai|just)",
    rf"i (?:can ?{_NOT}|do ?{_NOT} (?:have|see|know)|won['’]t|will not|could ?{_NOT}|was unable)",
    r"i (?:need (?:more|the|to see)|apologi[sz]e)",
    r"sorry(?:[,.!]| (?:but|about|for|i)\b)",
    r"my apologies",
    r"apologies[,.]",
    r"unfortunately[, ]",
    r"as an? (?:ai|artificial|large|language)\b",
    r"(?:could|can|would) you (?:please )?(?:provide|share|give|paste|clarify)",
    r"please (?:provide|share|paste|give me)",
    r"it (?:looks|seems|appears) (?:like|that) (?:you|there|the diff|no)",
    r"(?:there (?:are|is|were|was)|i see) no (?:changes|diff|staged)",
    r"no (?:changes|diff) (?:were|was|to|provided|detected|found)",
    r"unable to (?:generate|create|provide|process)",
    r"lo siento",
    r"je suis d[ée]sol",
    r"es tut mir leid",
    r"leider kann",
    r"mi dispiace",
    r"desculpe",
    r"извините",
    r"к сожалению",
    r"抱歉",
    r"对不起",
    r"很抱歉",
    r"申し訳",
    r"죄송",
)
"""Refuses, or asks back; no subject speaks of its author as `I`."""

FAILURE = _any_of(
    r"<!doctype",
    r"<html",
    r"<\?xml",
    r"(?:http[/ ])?(?:1\.[01] )?[45]\d\d[: ]",
    r"http error",
    r"(?:api|request|server|internal(?: server)?|openai|model|connection|authentication|rate limit|timeout)"
    r" ?errors?\b[.:]",
    r"rate limit (?:reached|exceeded)",
    r"too many requests",
    r"(?:invalid|incorrect) api key",
    r"unauthorized",
    r"forbidden\b",
    r"(?:quota exceeded|insufficient[_ ]quota)",
    r"traceback \(most",
    r"data: \{",
    r"error: (?:\d|model|api|invalid|the model|connection|rate|timeout)",
)
"""Is what a server says instead of a reply."""
