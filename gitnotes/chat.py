"""Which words show that a line is part of a chat with a language model, and not of a text it was asked for?

Regular expressions for the beginning of a line, in small letters. Only what no commit message would say
stands here: a reply that is taken apart may look for more.
"""

from __future__ import annotations

GREETINGS = (r"sure", r"certainly", r"of course", r"okay", r"absolutely", r"great")
"""Said before the answer, with a stop or a comma behind."""
OFFERS = (
    r"let me know if you(?:['’]d)? (?:want|need|would|have|prefer|like)",
    r"i hope this helps",
    r"feel free to",
    r"(?:would|do) you (?:like|want) me to\b",
)
"""Said after it."""
REFUSALS = (
    r"as an ai\b",
    r"(?:i am|i['’]m) an ai\b",
    r"as a (?:large )?language model\b",
    r"(?:i['’]m|i am) (?:sorry|unable|not able)\b",
    r"(?:sorry|unfortunately|apologies),? (?:but )?i\b",
    r"i (?:can['’]?t|cannot|can not|won['’]t)"
    r" (?:help|assist|generate|create|provide|write|comply|fulfill?|see)\b",
)
"""Said in place of it."""
