"""What does a language model draft, from the plain diff and from our prompt, and chosen among our drafts?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gitnotes.config import Settings
from gitnotes.draft import find_drafter
from gitnotes.draft.models.asking import ANSWER_TOKENS, draft_with_model
from gitnotes.draft.models.replies import read_reply
from gitnotes.draft.style import Style
from gitnotes.errors import ModelError
from gitnotes.generation import Generator, Request, Turn
from gitnotes.read.git import Git
from gitnotes.recipes.asking import EXAMPLES, rank_texts
from gitnotes.records import Change, Neighbour

SECONDS = 600.0
_BUDGET = 1500
"""Tokens of a plain diff, which leave room for the answer in a context of 2,048."""
_ASKED = "Write the commit message for this change. Answer with one line of at most 72 characters.\n\n"
_DRAFTS = 3


def model_drafters(
    generator: Generator, git: Git, change: Change, style: Style, neighbours: Sequence[Neighbour]
) -> dict[str, Callable[[], str]]:
    """`plain-diff`: the diff as git prints it, cut at its end. `ranked-prompt`: our question, with what
    tells most first and the subjects of three changes like it. `with-model`: that text among our own
    drafts, chosen by grade and agreement. A reply that cannot be used is an empty draft.
    """
    known: list[str] = []

    def ask() -> str:
        try:
            found = draft_with_model(
                change, style, generator, seconds=SECONDS,
                examples=[item.subject for item in neighbours[:EXAMPLES]],
            )  # fmt: skip
        except ModelError:
            return ""
        known.extend(found.texts)
        return found.texts[0] if found.texts else ""

    def choose() -> str:
        settings = Settings()
        drafts = find_drafter(settings.drafter)(change, style, _DRAFTS, neighbours)
        return rank_texts(git, settings, change, known, drafts)[0]

    return {"plain-diff": lambda: _ask_plainly(generator, change), "ranked-prompt": ask, "with-model": choose}


def _ask_plainly(generator: Generator, change: Change) -> str:
    text = "\n".join(_print_diff(change))
    size = generator.count_tokens(text)
    if size > _BUDGET:
        text = text[: len(text) * _BUDGET // size]
    request = Request((Turn("user", _ASKED + text),), max_tokens=ANSWER_TOKENS, timeout=SECONDS)
    try:
        reply = read_reply(generator.complete(request)[0].text, known=text)
    except ModelError:
        return ""
    return reply.text or ""


def _print_diff(change: Change) -> list[str]:
    lines = []
    path = ""
    for hunk in change.hunks:
        if hunk.path != path:
            path = hunk.path
            lines += [f"--- a/{path}", f"+++ b/{path}"]
        lines += [f"@@ {hunk.heading}".rstrip(), *hunk.lines]
    return lines
