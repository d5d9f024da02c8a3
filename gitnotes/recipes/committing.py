"""Which messages are there to choose for `gitnotes commit`, and what becomes of the one that is taken?

git has opened us in the place of an editor. The text that was chosen is kept until git has made the
commit of it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gitnotes.changes import read_staged_change
from gitnotes.customs import MAX_MESSAGE, message_customs, read_input, repository_settings
from gitnotes.errors import GitnotesError, InputError
from gitnotes.read.git import Git, open_git
from gitnotes.read.squashes import read_merge_squash
from gitnotes.recipes.drafting import suggest_anyway
from gitnotes.recipes.grading import grade_text
from gitnotes.recipes.handing_over import Options, hand_over, kept_file

if TYPE_CHECKING:
    from gitnotes.config import Settings
    from gitnotes.recipes.grading import Graded
    from gitnotes.records import Change
    from gitnotes.write.message_file import MessageFile

_CANDIDATES = 5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A message to choose, and what it is worth for the change."""

    text: str
    source: str
    """`draft`, `yours`, `improved`, `kept`."""
    graded: Graded
    drafted: str = ""
    """The draft that it was made of; empty where it was made of none."""
    drafter: str = ""
    """Who wrote that draft."""


class Session:
    """The choice of one message; made by `open_session` in the process that git starts as its editor."""

    def __init__(
        self, git: Git, settings: Settings, path: Path, options: Options, change: Change, parsed: MessageFile
    ) -> None:
        self.git = git
        self.settings = settings
        self.path = path
        self.options = options
        self.change = change
        self._parsed = parsed
        self.own, _ = _own_text(parsed)
        self._keeps_text = self.own != "" and self.own == _template_text(git, options.template, parsed)
        """Whether the text above git's comments is a template, which stays below the message."""
        if self._keeps_text:
            self.own = ""
        self.candidates: list[Candidate] = []
        self.told: tuple[str, ...] = ()

    def add(self, text: str, source: str, *, drafted: str = "", drafter: str = "") -> Candidate:
        """Grades a message and puts it to the others; the one that is there already when it is."""
        for known in self.candidates:
            if known.text == text:
                return known
        graded = grade_text(self.git, self.settings, text, change=self.change)
        candidate = Candidate(text, source, graded, drafted, drafter)
        self.candidates.append(candidate)
        return candidate

    def draft(self, hint: str = "") -> Candidate:
        """Drafts, after the `hint` where a model does it too; the best of the new texts.

        What a model could not do is told in `told`. Raises GitnotesError: nothing to describe.
        """
        options = self.options
        found = suggest_anyway(
            self.git, self.settings, amend=options.amend, count=_CANDIDATES, why=options.why,
            model=options.model, hint=hint,
        )  # fmt: skip
        self.told = tuple(item.reason for item in found.omitted if not item.path)
        known = len(self.candidates)
        added = [
            self.add(text, "draft", drafted=text, drafter=drafter)
            for text, drafter in zip(found.candidates, found.drafters, strict=True)
        ]
        return next((item for item in added if item in self.candidates[known:]), added[0])

    def improve(self) -> None:
        """Puts the user's own text, mended, to the others where that grades higher."""
        from gitnotes.recipes.improving import improve_text

        found = improve_text(
            self.git, self.settings, self.own, minimum=self.settings.min_score, amend=self.options.amend
        )
        if found.better:
            self.add(found.better, "improved")

    def remember(self, chosen: Candidate) -> None:
        """Notes which draft was taken, or was shown and not taken, where the user wants to know later
        what became of it."""
        from gitnotes.recipes.feedback import remember_suggestion

        suggested = chosen if chosen.drafted else self.candidates[0]
        if suggested.drafted:
            remember_suggestion(self.git, suggested.drafted, suggested.drafter)

    def add_why(self, candidate: Candidate, why: str) -> Candidate:
        """The same message with a reason as a paragraph of its own, above its trailers."""
        from gitnotes.draft.repair import add_paragraph

        added = self.add(
            add_paragraph(candidate.text, why), candidate.source,
            drafted=candidate.drafted, drafter=candidate.drafter,
        )  # fmt: skip
        self.keep(added.text)
        return added

    def accept(self, candidate: Candidate) -> None:
        """Writes the message into git's file and keeps it until the commit is made."""
        self.keep(candidate.text)
        self.fill(candidate)

    def fill(self, candidate: Candidate) -> None:
        """Writes the message into git's file alone."""
        from gitnotes.write.atomic import replace_file

        filled = _filled(self.git, self._parsed, candidate.text, keep=self._keeps_text)
        replace_file(self.path, filled)

    def keep(self, text: str) -> None:
        """Remembers a text for `gitnotes commit --resume`; where it cannot be written git's file must do."""
        from gitnotes.write.atomic import replace_file

        kept = kept_file(self.git)
        with suppress(InputError, OSError):
            kept.parent.mkdir(exist_ok=True)
            replace_file(kept, text.encode("utf-8", "replace"))


def edit_message(session: Session, candidate: Candidate) -> Candidate | None:
    """Opens the user's own editor on the message; what it holds then, or None when it was left empty."""
    from gitnotes.customs import read_stored_message

    session.fill(candidate)
    if open_editor(session):
        return candidate
    text = read_stored_message(session.git, session.path).strip()
    if not text:
        return None
    if text == candidate.text:
        return candidate
    session.keep(text)
    return session.add(text, "yours", drafted=candidate.drafted, drafter=candidate.drafter)


def open_editor(session: Session) -> int:
    """Opens the user's own editor on git's file as it is; its exit code.

    git starts the editor, by its own rules for what an editor may be.
    """
    return hand_over(
        session.git, "config", "--file", str(session.path.resolve()), "--edit",
        variables={"GIT_EDITOR": session.options.editor},
    )  # fmt: skip


def open_session(path: Path, options: Options) -> Session:
    """Reads git's message file and the change, drafts and grades; the best candidate comes first.

    There is none for a commit without a change, as with --allow-empty, and without a text. Raises
    GitnotesError: file unreadable, nothing can be drafted and there is no text either.
    """
    from gitnotes.write.message_file import MessageFile, comment_string

    git = open_git()
    settings = repository_settings(git)
    data = read_input(path, MAX_MESSAGE)
    parsed = MessageFile.parse(data, comment_string(data, message_customs(git).comment))
    session = Session(git, settings, path, options, read_staged_change(git, amend=options.amend), parsed)
    kept = kept_file(git)
    kept_text = kept.read_text(encoding="utf-8", errors="replace") if kept.is_file() else ""
    if options.resume:
        session.add(kept_text, "kept")
    if session.own and not read_merge_squash(session.own):  # which is a list of what is yours
        session.add(session.own, "yours")
        with suppress(GitnotesError):
            session.improve()
    try:
        session.draft()
    except GitnotesError:
        if not session.candidates and not kept_text and session.change.files:
            raise
    if kept_text:  # the text that is accepted takes its place
        session.add(kept_text, "kept")
    return session


def _own_text(parsed: MessageFile) -> tuple[str, str]:
    """What a person or git wrote above the comments, and the trailers at its end."""
    from gitnotes.messages import trailer_start

    text = parsed.text.decode("utf-8", "replace").replace("\r\n", "\n").strip()
    lines = text.split("\n")
    start = trailer_start(lines)
    return "\n".join(lines[:start]).strip(), "\n".join(lines[start:]).strip()


def _template_text(git: Git, name: str, parsed: MessageFile) -> str:
    """What the template called `name` says beside comments; empty where it cannot be read."""
    from gitnotes.write.message_file import MessageFile, comment_string

    with suppress(GitnotesError):
        data = read_input(git.top() / name, MAX_MESSAGE) if name else b""
        comment = comment_string(parsed.comments, message_customs(git).comment)
        return _own_text(MessageFile.parse(data, comment))[0]
    return ""


def _filled(git: Git, parsed: MessageFile, text: str, *, keep: bool = False) -> bytes:
    """git's file with `text` in the place of what a person wrote, or above it where that is to `keep`;
    the rest stays byte for byte."""
    from gitnotes.write.message_file import comment_string, insert_suggestion

    own, trailers = ("", "") if keep else _own_text(parsed)
    customs = message_customs(git)
    kept = trailers.encode() if own else parsed.text
    # An edited message has its sign-off already.
    said = set(text.encode().split(b"\n"))
    lines = [line for line in kept.splitlines(keepends=True) if line.strip() not in said - {b""}]
    rest = b"".join(lines) + (b"\n" if own and lines else b"") + parsed.comments + parsed.below
    comment = comment_string(rest, customs.comment)
    return insert_suggestion(rest, text, comment, customs.encoding)
