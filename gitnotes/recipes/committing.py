"""How does `gitnotes commit` make a commit? git runs it, and opens us in the place of an editor.

So everything that git can do with a commit works as it does without us: -a, -p, paths, --amend, -s,
templates, hooks. The text that was chosen is kept until git has made the commit of it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gitnotes.changes import read_staged_change
from gitnotes.customs import MAX_MESSAGE, message_customs, read_input, repository_settings
from gitnotes.errors import GitnotesError, InputError, UsageError
from gitnotes.read.git import Git, open_git
from gitnotes.read.squashes import read_merge_squash
from gitnotes.recipes.drafting import suggest_anyway
from gitnotes.recipes.grading import grade_text

if TYPE_CHECKING:
    from gitnotes.config import Settings
    from gitnotes.recipes.grading import Graded
    from gitnotes.records import Change
    from gitnotes.write.message_file import MessageFile

OPTIONS = "GITNOTES_COMMIT"
"""The variable that hands our options to the process that git starts as its editor."""
_TAKEN = ("--message", "--file", "--reuse-message", "--no-edit", "--fixup", "--squash")
"""Options of git that bring the message, so that nothing is left to choose; git takes them cut short, too."""
_SHORT = re.compile(r"-[aepsnvqioz]*[mFC]")
"""The same in one word with others, as in -am."""
_TEMPLATE = re.compile(r"-[aepsnvqioz]*t")
_START = (
    "import sys; sys.path[:] = [*filter(None, sys.path), sys.argv.pop(1)]; "
    "from gitnotes.__main__ import main; main()"
)
"""How Python starts us: `-m` would import from the current folder, which is what somebody else wrote."""
_CANDIDATES = 5


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked `gitnotes commit` for."""

    why: str = ""
    amend: bool = False
    resume: bool = False
    editor: str = ""
    """The editor that git would have opened."""
    template: str = ""
    """The file that git begins the message with, where the command names one."""
    model: str | None = None
    """The model that drafts as well."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A message to choose, and what it is worth for the change."""

    text: str
    source: str
    """`draft`, `yours`, `improved`, `kept`."""
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
        self.own, _ = _own_text(parsed)
        self._keeps_text = self.own != "" and self.own == _template_text(git, options.template, parsed)
        """Whether the text above git's comments is a template, which stays below the message."""
        if self._keeps_text:
            self.own = ""
        self.candidates: list[Candidate] = []
        self.told: tuple[str, ...] = ()
        self._drafter = settings.drafter

    def add(self, text: str, source: str) -> Candidate:
        """Grades a message and puts it to the others; the one that is there already when it is."""
        for known in self.candidates:
            if known.text == text:
                return known
        graded = grade_text(self.git, self.settings, text, change=self.change)
        candidate = Candidate(text, source, graded)
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
        self._drafter = found.signature.settings.get("model", self.settings.drafter)
        known = len(self.candidates)
        added = [self.add(text, "draft") for text in found.candidates]
        return next((item for item in added if item in self.candidates[known:]), added[0])

    def improve(self) -> None:
        """Puts the user's own text, mended, to the others where that grades higher."""
        from gitnotes.recipes.improving import improve_text

        found = improve_text(
            self.git, self.settings, self.own, minimum=self.settings.min_score, amend=self.options.amend
        )
        if found.better:
            self.add(found.better, "improved")

    def remember(self) -> None:
        """Notes what was suggested, where the user wants to know later what became of it."""
        from gitnotes.recipes.feedback import remember_suggestion

        drafted = next((item.text for item in self.candidates if item.source == "draft"), "")
        if drafted:
            remember_suggestion(self.git, drafted, self._drafter)

    def add_why(self, candidate: Candidate, why: str) -> Candidate:
        """The same message with a reason as a paragraph of its own, above its trailers."""
        from gitnotes.draft.repair import add_paragraph

        added = self.add(add_paragraph(candidate.text, why), candidate.source)
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

        kept = _kept_file(self.git)
        with suppress(InputError, OSError):
            kept.parent.mkdir(exist_ok=True)
            replace_file(kept, text.encode("utf-8", "replace"))


def edit_message(session: Session, candidate: Candidate) -> Candidate | None:
    """Opens the user's own editor on the message; what it holds then, or None when it was left empty.

    git starts the editor, by its own rules for what an editor may be.
    """
    from gitnotes.customs import read_stored_message

    session.fill(candidate)
    code = _hand_over(
        session.git,
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
    if text == candidate.text:
        return candidate
    session.keep(text)
    return session.add(text, "yours")


def run_commit(git: Git, options: Options, arguments: Sequence[str]) -> int:
    """`git commit ARGUMENTS` with us as the editor; git's exit code.

    Raises UsageError when the arguments bring a message, InputError when nothing was kept to resume.
    """
    for argument in arguments:
        if argument == "--":
            break
        name = argument.partition("=")[0]
        if _SHORT.match(argument) or any(_stands_for(name, option) for option in _TAKEN):
            raise UsageError(f"With {name} there is no message to choose.", "Use git commit.")
    kept = _kept_file(git)
    if options.resume and not kept.is_file():
        raise InputError("No text was kept.", "Leave out --resume.")
    known = json.dumps(
        {
            "why": options.why,
            "amend": options.amend or any(_stands_for(argument, "--amend") for argument in arguments),
            "resume": options.resume,
            "model": options.model,
            "template": _named_template(git, arguments),
            "editor": git.text("var", "GIT_EDITOR"),
        }
    )
    before = git.find("HEAD")
    code = _hand_over(
        git,
        "-c",
        "advice.waitingForEditor=false",
        "commit",
        *arguments,
        variables={OPTIONS: known, "GIT_EDITOR": _editor()},
    )
    if code == 0 and git.find("HEAD") != before:  # --dry-run and its kind make no commit
        with suppress(OSError):
            kept.unlink()
    return code


def _hand_over(git: Git, *arguments: str, variables: dict[str, str]) -> int:
    """Runs `git ARGUMENTS` on the terminal; the exit code that a shell would give it.

    Ctrl-C is the business of git and of the editor that it starts: to some editors it is a key like
    others, and a git that is killed leaves its locks behind.
    """
    ours = signal.getsignal(signal.SIGINT)
    if ours is not signal.SIG_IGN:  # which git would inherit, unlike a handler
        signal.signal(signal.SIGINT, lambda *_: None)
    try:
        code = git.hand_over(*arguments, variables=variables)
    finally:
        signal.signal(signal.SIGINT, ours)
    return code if code >= 0 else 128 - code


def _editor() -> str:
    """The command that makes us git's editor, which git starts in the work tree."""
    home = os.fspath(Path(__file__).resolve().parents[2])
    words = [sys.executable, "-c", _START, home, "choose-message"]
    # A shell that waited for us would die of a Ctrl-C that was meant for the user's own editor.
    return "exec " + " ".join(map(shlex.quote, words))


def _stands_for(argument: str, option: str) -> bool:
    """Whether git may read `argument` as its long `option`, which may be cut short."""
    return len(argument) > 2 and option.startswith(argument)


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
            template=str(known["template"]),
            model=known["model"] and str(known["model"]),
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
    kept = _kept_file(git)
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
        if not session.candidates and not kept_text:
            raise
    if kept_text:  # the text that is accepted takes its place
        session.add(kept_text, "kept")
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


def _named_template(git: Git, arguments: Sequence[str]) -> str:
    """The template that the command names, else the configuration, as git finds it; empty for none."""
    named = ""
    following = iter(arguments)
    for argument in following:
        name, equals, value = argument.partition("=")
        if argument == "--":
            break
        if len(name) > 4 and _stands_for(name, "--template"):
            named = value if equals else next(following, "")
        elif _TEMPLATE.match(argument):
            named = _TEMPLATE.sub("", argument) or next(following, "")
    if not named:
        return git.text("config", "--path", "--get", "commit.template", ok=(0, 1))
    # git looks for it in the folder that it was called in, and starts its editor at the top.
    return str(Path(git.text("rev-parse", "--show-prefix")) / named)


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
