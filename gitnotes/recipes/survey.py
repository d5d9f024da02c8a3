"""What was the custom when each commit of a range was made, and who said the same before?"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gitnotes.config import Settings, wants_conventional
from gitnotes.conventional import RECENT, Habits, Marks, is_habit, marks_of
from gitnotes.messages import is_bot, trailer_start
from gitnotes.read.git import Git
from gitnotes.read.texts import CommitText, stream_texts

OLDER = 300
"""Commits before a range that are looked at for the same text."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What the other messages say about each commit of a range, by its place, newest first."""

    order: Sequence[str]
    """The ids of the commits."""
    habits: Sequence[Habits]
    """What the history before the commit has in common."""
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
        self.is_merge = array("b")
        self.marks = [array("b") for _ in Marks._fields]
        """Of each subject, one array for each of the marks."""

    def read(self, texts: Iterable[CommitText]) -> int:
        before = len(self.order)
        for text in texts:
            subject = text.message.lstrip("\n").partition("\n")[0]
            marks = marks_of(subject)
            comparable = not (marks.conventional < 0 or text.is_merge or is_bot(text.author))
            plain = _plain(text.message) if comparable else ""
            self.order.append(text.sha)
            self.digests.append(hash(plain) or 1 if plain else 0)
            self.copies.append(hash((text.author, text.time, plain)))
            self.is_merge.append(text.is_merge)
            for column, mark in zip(self.marks, marks, strict=True):
                column.append(mark)
        return len(self.order) - before

    def survey(self, count: int, settings: Settings) -> Survey:
        return Survey(
            tuple(self.order[:count]), self._find_habits(count, settings), self._find_repeated(count)
        )

    def _find_habits(self, count: int, settings: Settings) -> Sequence[Habits]:
        window = min(settings.history, RECENT)
        wanted = wants_conventional(settings)
        plain = [place for place, is_merge in enumerate(self.is_merge) if not is_merge]
        sums = [_running_sums([column[place] for place in plain]) for column in self.marks]
        result: list[Habits] = []
        known: dict[Habits, Habits] = {}
        seen = 0  # commits so far that are no merges
        for place in range(count):
            seen += not self.is_merge[place]
            last = min(seen + window, len(plain))
            (typed, of), capitals, stops = (
                (yes[last] - yes[seen], all_[last] - all_[seen]) for yes, all_ in sums
            )
            habits = Habits(
                typed * 2 > of if wanted is None else wanted, is_habit(*capitals), is_habit(*stops)
            )
            result.append(known.setdefault(habits, habits))
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


def _running_sums(marks: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """How many of the first n marks say yes, and how many say anything, for every n."""
    yes, seen = array("l", [0]), array("l", [0])
    for mark in marks:
        yes.append(yes[-1] + (mark == 1))
        seen.append(seen[-1] + (mark >= 0))
    return yes, seen


def _plain(message: str) -> str:
    """The words of a message without its trailers."""
    text = message.rstrip()
    if ":" in text.rpartition("\n\n")[2] and "\n\n" in text:
        lines = text.split("\n")
        text = "\n".join(lines[: trailer_start(lines[1:]) + 1])
    return " ".join(text.lower().split())
