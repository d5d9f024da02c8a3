"""What was the custom when each commit of a range was made, and who said the same before?"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gitnotes.config import Settings
from gitnotes.conventional import RECENT, is_conventional
from gitnotes.messages import is_bot, is_fixup, is_merge_subject, is_revert_subject, trailer_start
from gitnotes.read.git import Git
from gitnotes.read.texts import CommitText, stream_texts

OLDER = 300
"""Commits before a range that are looked at for the same text."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What the other messages say about each commit of a range, by its place, newest first."""

    order: Sequence[str]
    """The ids of the commits."""
    conventional: Sequence[int]
    """1 where the history before the commit keeps to Conventional Commits."""
    repeated: dict[int, str]
    """Place of a commit to the id of an older one with the same text."""


def survey_commits(git: Git, settings: Settings, revisions: Sequence[str], end: str) -> Survey:
    """Surveys the commits that `git log REVISIONS` names, which `end` reaches.

    Two passes over messages alone, whatever the number of commits. Raises GitError.
    """
    texts = _Texts()
    count = texts.read(stream_texts(git, revisions))
    mine = set(texts.order)
    older = stream_texts(git, [end], skip=count, limit=OLDER)
    texts.read(text for text in older if text.sha not in mine)
    return texts.survey(count, settings)


def survey_commit(git: Git, settings: Settings, sha: str) -> Survey:
    """The same for one commit and what came before it."""
    texts = _Texts()
    texts.read(stream_texts(git, [sha], limit=OLDER + 1))
    return texts.survey(1, settings)


class _Texts:
    """What is kept of each message, newest first: a few bytes, so that ten thousand fit anywhere."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.digests = array("q")
        """Of the text; 0 where it may be the same as another's."""
        self.copies = array("q")
        """Of the author, the time and the text, which a rebase or a pick does not change."""
        self.styles = array("b")
        """1 conventional, 0 not, -1 written by git, -2 a merge."""

    def read(self, texts: Iterable[CommitText]) -> int:
        before = len(self.order)
        for text in texts:
            subject = text.message.lstrip("\n").partition("\n")[0]
            own = is_fixup(subject) or is_merge_subject(subject) or is_revert_subject(subject)
            comparable = not (own or text.is_merge or is_bot(text.author))
            plain = _plain(text.message) if comparable else ""
            self.order.append(text.sha)
            self.digests.append(hash(plain) or 1 if plain else 0)
            self.copies.append(hash((text.author, text.time, plain)))
            self.styles.append(-2 if text.is_merge else -1 if own else is_conventional(subject))
        return len(self.order) - before

    def survey(self, count: int, settings: Settings) -> Survey:
        return Survey(
            tuple(self.order[:count]), self._find_customs(count, settings), self._find_repeated(count)
        )

    def _find_customs(self, count: int, settings: Settings) -> Sequence[int]:
        if settings.conventional != "auto":
            return bytes([settings.conventional == "always"]) * count
        window = min(settings.history, RECENT)
        styles = [style for style in self.styles if style != -2]
        kept, known = [0], [0]
        for style in styles:
            kept.append(kept[-1] + (style == 1))
            known.append(known[-1] + (style >= 0))
        result = bytearray(count)
        seen = 0  # commits so far that are no merges
        for place in range(count):
            seen += self.styles[place] != -2
            last = min(seen + window, len(styles))
            result[place] = (kept[last] - kept[seen]) * 2 > known[last] - known[seen]
        return result

    def _find_repeated(self, count: int) -> dict[int, str]:
        first: dict[int, int] = {}
        found: dict[int, str] = {}
        for place in range(len(self.order) - 1, -1, -1):
            digest = self.digests[place]
            if not digest:
                continue
            oldest = first.setdefault(digest, place)
            if oldest != place and place < count and self.copies[oldest] != self.copies[place]:
                found[place] = self.order[oldest]
        return found


def _plain(message: str) -> str:
    """The words of a message without its trailers."""
    text = message.rstrip()
    if ":" in text.rpartition("\n\n")[2] and "\n\n" in text:
        lines = text.split("\n")
        text = "\n".join(lines[: trailer_start(lines[1:]) + 1])
    return " ".join(text.lower().split())
