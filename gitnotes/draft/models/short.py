"""How is a model asked that was taught to answer one question, and so needs no instructions?

The same words are asked when it is taught and when it drafts. Its budget counts characters, three to
a token, so that a data set is made without knowing the model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from gitnotes.draft.models.prompt import Prompt, render_change
from gitnotes.generation import Turn
from gitnotes.guard.fences import tame
from gitnotes.guard.secrets import mask_text
from gitnotes.messages import is_bot, is_fixup, is_merge_subject, is_revert_subject
from gitnotes.records import Change, Neighbour, Omission

BUDGET = 256
"""Tokens of the change, unless another number is asked for."""
SIMILAR = 3
"""Subjects of earlier changes that are shown."""
_LONGEST_SUBJECT = 100
_SYSTEM = "You write commit messages."
_REFERENCE = re.compile(r"\s*\((?:#|GH-)\d+\)\s*$")


def count_characters(text: str) -> int:
    """Tokens of `text`, about, whatever the model: code has some three characters to each."""
    return (len(text) + 2) // 3


def render_briefly(change: Change, budget: int = BUDGET) -> tuple[str, list[Omission], Counter[str]]:
    """The change in about `budget` tokens, what of it is not in there, and the secrets that were masked."""
    masked: Counter[str] = Counter()
    shown, omitted = render_change(change, budget=budget, count=count_characters, masked=masked)
    return shown, omitted, masked


def ask_briefly(shown: str, similar: Sequence[str], drafts: Sequence[str] = ()) -> tuple[Turn, ...]:
    """The question for the subject of a change that is rendered already; `drafts` are subjects that
    were made without a model."""
    parts = []
    if similar:
        parts.append("Earlier subjects:\n" + "\n".join(similar))
    parts.append(f"Change:\n{shown}")
    if drafts:
        parts.append("Drafts:\n" + "\n".join(drafts))
    parts.append("Subject of this change:")
    return Turn("system", _SYSTEM), Turn("user", "\n\n".join(parts))


def build_short_prompt(
    change: Change, *, budget: int = BUDGET, examples: Sequence[str] = (), drafts: Sequence[str] = ()
) -> Prompt:
    """The question for a message for `change`; `examples` are subjects of the most similar earlier
    commits, `drafts` what was drafted without a model. Secrets are masked.

    Raises UsageError when the check for secrets is not installed.
    """
    shown, omitted, masked = render_briefly(change, budget)
    similar = [tame_subject(text) for text in examples[:SIMILAR]]
    turns = ask_briefly(shown, similar, [tame_subject(text.partition("\n")[0]) for text in drafts])
    return Prompt(turns, shown, tuple(omitted), masked)


def pick_similar(neighbours: Iterable[Neighbour]) -> tuple[str, ...]:
    """The subjects of the nearest of `neighbours` that a person wrote, each once: by their words, then
    by their files, then the newest, which at least show how subjects are written."""
    found: dict[str, None] = {}
    for item in sorted(neighbours, key=lambda item: (-item.words, -item.files, item.age)):
        if len(found) < SIMILAR and is_told(item.subject, item.author):
            found[without_reference(item.subject)] = None
    return tuple(found)


def is_told(subject: str, author: str) -> bool:
    """Whether a person wrote the subject, rather than git, a host or a program."""
    return bool(subject.strip()) and not (
        is_bot(author) or is_fixup(subject) or is_merge_subject(subject) or is_revert_subject(subject)
    )


def without_reference(subject: str) -> str:
    """`subject` without the number of a pull request at its end, which no change shows."""
    return _REFERENCE.sub("", subject)


def tame_subject(subject: str) -> str:
    """`subject` as a model may read it: masked, without tokens of chat templates, not too long."""
    return tame(mask_text(without_reference(subject))[0])[:_LONGEST_SUBJECT]
