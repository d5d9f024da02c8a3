"""How does `gitnotes commit` make a commit? git runs it, and opens us in the place of an editor.

So everything that git can do with a commit works as it does without us: -a, -p, paths, --amend, -s,
templates, hooks. The text that was chosen is kept until git has made the commit of it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gitnotes.changes import read_staged_change
from gitnotes.customs import MAX_MESSAGE, message_customs, read_input, repository_settings
from gitnotes.errors import GitnotesError, InputError, UsageError
from gitnotes.read.git import Git, open_git
from gitnotes.recipes.drafting import suggest_message
from gitnotes.recipes.grading import grade_text

if TYPE_CHECKING:
    from gitnotes.config import Settings
    from gitnotes.recipes.grading import Graded
    from gitnotes.records import Change
    from gitnotes.write.message_file import MessageFile

OPTIONS = "GITNOTES_COMMIT"
"""The variable that hands our options to the process that git starts as its editor."""
_TAKEN = ("-m", "--message", "-F", "--file", "-C", "--reuse-message", "--no-edit", "--fixup", "--squash")
"""Options of git that bring the message, so that there is nothing to choose."""
_SHORT = re.compile(r"-[aepsnvqioz]*[mFC]")
"""The same in one word with others, as in -am."""
_CANDIDATES = 5


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked `gitnotes commit` for."""

    why: str = ""
    amend: bool = False
    resume: bool = False
    editor: str = ""
    """The editor that git would have opened."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A message to choose, and what it is worth for the change."""

    text: str
    source: str
    """`draft`, `yours`, `kept`."""
    graded: Graded


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
        self.candidates: list[Candidate] = []

    def add(self, text: str, source: str) -> Candidate:
        """Grades a message and puts it to the others; the one that is there already when it is."""
        for known in self.candidates:
            if known.text == text:
                return known
        graded = grade_text(self.git, self.settings, text, change=self.change)
        candidate = Candidate(text, source, graded)
        self.candidates.append(candidate)
        return candidate

    def add_why(self, candidate: Candidate, why: str) -> Candidate:
        """The same message with a reason as a paragraph of its own, above its trailers."""
        from gitnotes.draft.repair import add_paragraph

        return self.add(add_paragraph(candidate.text, why), candidate.source)

    def accept(self, candidate: Candidate) -> None:
        """Writes the message into git's file and keeps it until the commit is made."""
        from gitnotes.write.atomic import replace_file

        self.keep(candidate.text)
        replace_file(self.path, _filled(self.git, self._parsed, candidate.text))

    def keep(self, text: str) -> None:
        """Remembers a text for `gitnotes commit --resume`."""
        from gitnotes.write.atomic import replace_file

        kept = _kept_file(self.git)
        kept.parent.mkdir(exist_ok=True)
        replace_file(kept, text.encode("utf-8", "replace"))


def edit_message(session: Session, candidate: Candidate) -> Candidate | None:
    """Opens the user's own editor on the message; what it holds then, or None when it was left empty.

    git starts the editor, by its own rules for what an editor may be.
    """
    from gitnotes.customs import read_stored_message

    session.accept(candidate)
    code = session.git.hand_over(
        "config",
        "--file",
        str(session.path.resolve()),
        "--edit",
        variables={"GIT_EDITOR": session.options.editor},
    )
    if code:
        return candidate
    text = read_stored_message(session.git, session.path).strip()
    if not text:
        return None
    return candidate if text == candidate.text else session.add(text, "yours")


def run_commit(git: Git, options: Options, arguments: Sequence[str]) -> int:
    """`git commit ARGUMENTS` with us as the editor; git's exit code.

    Raises UsageError when the arguments bring a message, InputError when nothing was kept to resume.
    """
    for argument in arguments:
        if argument == "--":
            break
        name = argument.partition("=")[0]
        if name in _TAKEN or _SHORT.match(argument):
            raise UsageError(f"With {name} there is no message to choose.", "Use git commit.")
    kept = _kept_file(git)
    if options.resume and not kept.is_file():
        raise InputError("No text was kept.", "Leave out --resume.")
    known = json.dumps(
        {
            "why": options.why,
            "amend": options.amend or "--amend" in arguments,
            "resume": options.resume,
            "editor": git.text("var", "GIT_EDITOR"),
        }
    )
    me = " ".join(map(shlex.quote, [sys.executable, "-m", "gitnotes", "choose-message"]))
    code = git.hand_over(
        "-c",
        "advice.waitingForEditor=false",
        "commit",
        *arguments,
        variables={OPTIONS: known, "GIT_EDITOR": me},
    )
    if code == 0:
        kept.unlink(missing_ok=True)
    return code


def has_kept_text(git: Git) -> bool:
    """Whether a text waits for `gitnotes commit --resume`."""
    return _kept_file(git).is_file()


def read_options() -> Options:
    """The options that `run_commit` handed on. Raises UsageError when it is not git that called us."""
    try:
        known = json.loads(os.environ[OPTIONS])
        return Options(
            why=str(known["why"]),
            amend=bool(known["amend"]),
            resume=bool(known["resume"]),
            editor=str(known["editor"]),
        )
    except (KeyError, TypeError, ValueError):
        raise UsageError("This is what git runs as its editor.", "Run: gitnotes commit") from None


def open_session(path: Path, options: Options) -> Session:
    """Reads git's message file and the change, drafts and grades; the best candidate comes first.

    Raises GitnotesError: file unreadable, nothing to describe and no text either.
    """
    from gitnotes.write.message_file import MessageFile, comment_string

    git = open_git()
    settings = repository_settings(git)
    data = read_input(path, MAX_MESSAGE)
    parsed = MessageFile.parse(data, comment_string(data, message_customs(git).comment))
    session = Session(git, settings, path, options, read_staged_change(git, amend=options.amend), parsed)
    if options.resume:
        session.add(_kept_file(git).read_text(encoding="utf-8", errors="replace"), "kept")
    own, _ = _own_text(parsed)
    if own:
        session.add(own, "yours")
    try:
        drafts = suggest_message(git, settings, amend=options.amend, count=_CANDIDATES).candidates
    except GitnotesError:
        if not session.candidates:
            raise
        drafts = ()
    for text in drafts:
        candidate = session.add(text, "draft")
        if options.why:
            session.candidates.remove(candidate)
            session.add_why(candidate, options.why)
    return session


def _kept_file(git: Git) -> Path:
    return git.path("gitnotes/message")


def _own_text(parsed: MessageFile) -> tuple[str, str]:
    """What a person or git wrote above the comments, and the trailers at its end."""
    from gitnotes.messages import trailer_start

    text = parsed.text.decode("utf-8", "replace").replace("\r\n", "\n").strip()
    lines = text.split("\n")
    start = trailer_start(lines)
    return "\n".join(lines[:start]).strip(), "\n".join(lines[start:]).strip()


def _filled(git: Git, parsed: MessageFile, text: str) -> bytes:
    """git's file with `text` in the place of what a person wrote; the rest stays byte for byte."""
    from gitnotes.write.message_file import comment_string, insert_suggestion

    own, trailers = _own_text(parsed)
    customs = message_customs(git)
    kept = trailers.encode() if own else parsed.text
    # An edited message has its sign-off already.
    said = set(text.encode().split(b"\n"))
    lines = [line for line in kept.splitlines(keepends=True) if line.strip() not in said - {b""}]
    rest = b"".join(lines) + (b"\n" if own and lines else b"") + parsed.comments + parsed.below
    comment = comment_string(rest, customs.comment)
    return insert_suggestion(rest, text, comment, customs.encoding)
