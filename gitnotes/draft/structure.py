"""What does the change itself say, as a commit message, with no model and no network?"""

from __future__ import annotations

import re

from gitnotes.draft.bullets import bullets_of, without_told
from gitnotes.draft.clean import clean_message
from gitnotes.draft.evidence import conventional_type, gather, haystack, unknown_names
from gitnotes.draft.style import Style, apply, room_for
from gitnotes.draft.subjects import subjects, untold
from gitnotes.draft.words import say_count
from gitnotes.guard.width import columns
from gitnotes.records import Change


def draft_from_structure(change: Change, style: Style, count: int = 1) -> list[str]:
    """Up to `count` distinct messages for `change`, best first, each with a subject of at most 72 columns.

    Every name in them is in the change. A body is written when the change has several parts: one
    bullet a part, the largest first. There is always at least one message.
    """
    evidence = gather(change)
    kind = conventional_type(evidence)
    shown = haystack(change)
    bullets = [bullet for bullet in bullets_of(evidence) if not unknown_names(bullet, shown)]
    room = room_for(style, evidence.paths, kind)
    drafts: list[str] = []
    seen: set[str] = set()
    last = f"Update {say_count(len(evidence.paths), 'file')}"
    for words in (*subjects(evidence, style), last):
        if words == last and drafts:
            break  # it would fit any commit, and is only better than nothing
        if columns(words if style.code_marks else words.replace("`", "")) > room and words != last:
            continue
        subject = apply(style, words, paths=evidence.paths, kind=kind)
        key = re.sub(r"\W+", "", subject.lower())
        if key in seen or unknown_names(words, shown) or _prefix_invents(subject, words, shown):
            continue
        seen.add(key)
        sentence = untold(evidence, style, words)
        sentence = "" if unknown_names(sentence, shown) else sentence
        parts = (subject, sentence, "\n".join(without_told(bullets, words)))
        message = clean_message("\n\n".join(filter(None, parts)))
        if message is not None:
            drafts.append(message)
        if len(drafts) >= max(count, 1):
            break
    return drafts


def _prefix_invents(subject: str, words: str, shown: str) -> bool:
    """Whether the learned prefix names a part of the project that the change does not touch."""
    match = re.match(r"[^:\s(]*\(([^)]*)\)!?: ", subject)
    return match is not None and bool(unknown_names(match[1], shown)) and match[1] not in words
