"""What does the change itself say, as a commit message, with no model and no network?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gitnotes.draft.bullets import bullets_of, without_told
from gitnotes.draft.candidates import Candidate, prefix_invents
from gitnotes.draft.clean import clean_message
from gitnotes.draft.evidence import Evidence, conventional_type, gather, haystack, unknown_names
from gitnotes.draft.style import Style, apply, room_for
from gitnotes.draft.subjects import subjects, untold
from gitnotes.draft.words import say_count
from gitnotes.guard.width import columns
from gitnotes.records import Change, Neighbour


def draft_from_structure(
    change: Change, style: Style, count: int = 1, neighbours: Sequence[Neighbour] = ()
) -> list[str]:
    """Up to `count` distinct messages for `change`, best first, each with a subject of at most 72 columns.

    Every name in them is in the change. A body is written when the change has several parts: one
    bullet a part, the largest first. There is always at least one message.
    The neighbours have no say.
    """
    evidence = gather(change)
    shown = haystack(change)
    drafts: list[str] = []
    for candidate in propose(evidence, style, shown, conventional_type(evidence)):
        message = write_message(candidate, evidence, style, shown)
        if message is not None:
            drafts.append(message)
        if len(drafts) >= max(count, 1):
            break
    return drafts


def propose(evidence: Evidence, style: Style, shown: str, kind: str) -> Iterator[Candidate]:
    """Subjects made of the change alone, the best first, each once; `kind` is the conventional type."""
    room = room_for(style, evidence.paths, kind)
    seen: set[str] = set()
    place = 0
    last = f"Update {say_count(len(evidence.paths), 'file')}"
    for source, words in (*subjects(evidence, style), ("last", last)):
        if words == last and seen:
            break  # it would fit any commit, and is only better than nothing
        if columns(words if style.code_marks else words.replace("`", "")) > room and words != last:
            continue
        subject = apply(style, words, paths=evidence.paths, kind=kind)
        key = re.sub(r"\W+", "", subject.lower())
        if key in seen or unknown_names(words, shown) or prefix_invents(subject, words, shown):
            continue
        seen.add(key)
        yield Candidate(subject, words, source, place)
        place += 1


def write_message(candidate: Candidate, evidence: Evidence, style: Style, shown: str) -> str | None:
    """The whole message that begins with a candidate; None when nothing of the subject is left."""
    sentence = untold(evidence, style, candidate.words)
    sentence = "" if unknown_names(sentence, shown) else sentence
    bullets = [bullet for bullet in bullets_of(evidence) if not unknown_names(bullet, shown)]
    parts = (candidate.subject, sentence, "\n".join(without_told(bullets, candidate.words)))
    return clean_message("\n\n".join(filter(None, parts)))
