"""commit, choose-message: which message does the user want?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gitnotes.recipes.committing import Candidate, Session


def commit(
    context: typer.Context,
    why: Annotated[
        str, typer.Option("--why", metavar="TEXT", help="The reason; it becomes a paragraph of the message.")
    ] = "",
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="NAME", help="A model that drafts, too: openai:NAME, local:PATH; or none."
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Begin with the text of a commit that a hook has stopped.")
    ] = False,
) -> None:
    """Commit with a draft that you accept, edit or refuse.

    All other options go to `git commit`: -a, -p, --amend, -s, --no-verify, paths and so on. The draft
    is shown with its grade; nothing is committed before you accept it, and a text is never lost.
    With -m, -F, -C, --fixup, --squash or --no-edit git has its message, and nothing is asked; for a
    commit without a change (--allow-empty) your own editor opens.

    With a model, r asks it again after a hint of yours. A text of `commit.template` stays below the
    draft; after `git merge --squash` the messages of the commits become one.

    Examples: gitnotes commit -a; gitnotes commit --why "The proxy closes idle connections" src/

    Exit codes: 0 committed; 1 you quit, or git or a hook committed nothing; 130 Ctrl-C; others are git's.
    """
    import sys

    from gitnotes.customs import repository_settings
    from gitnotes.errors import UsageError
    from gitnotes.read.git import open_git
    from gitnotes.recipes.handing_over import Options, brings_message, has_kept_text, run_commit
    from gitnotes.recipes.models import chosen_model
    from gitnotes.show import console

    asks = not brings_message(context.args)
    if asks and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("`gitnotes commit` asks, and there is no terminal.", "Use: gitnotes suggest")
    git = open_git(context.obj.folder)
    options = Options(
        why=why, resume=resume, named_model=model is not None,
        model=chosen_model(repository_settings(git), model),
    )  # fmt: skip
    if asks and not resume and has_kept_text(git):
        console.note(
            "gitnotes: a text of yours is kept; n comes to it, and gitnotes commit --resume begins there"
        )
    code = run_commit(git, options, context.args)
    if code:
        if asks and has_kept_text(git):
            console.note("gitnotes: your text is kept; take it up again with: gitnotes commit --resume")
        raise typer.Exit(code)


def choose_message(
    file: Annotated[Path, typer.Argument(metavar="FILE", readable=False, help="git's message file.")],
) -> None:
    """What git runs as its editor for `gitnotes commit`."""
    from gitnotes.errors import GitnotesError
    from gitnotes.guard.text import show
    from gitnotes.read.git import open_git
    from gitnotes.recipes.committing import open_editor, open_session
    from gitnotes.recipes.handing_over import give_up, read_options
    from gitnotes.show import console

    options = read_options()
    try:
        session = open_session(file, options)
    except GitnotesError as problem:
        # git would go on to complain of its editor and show how it was started.
        console.note(f"gitnotes: {show(str(problem))}")
        raise typer.Exit(give_up(open_git())) from None
    if not session.candidates:
        console.note("gitnotes: there is no change to draft from, so your editor opens")
        if code := open_editor(session):
            raise typer.Exit(code)
        return
    chosen = _choose(session)
    if chosen is None:
        console.note("gitnotes: nothing was committed")
        raise typer.Exit(give_up(session.git))
    session.accept(chosen)
    session.remember(chosen)


def _choose(session: Session) -> Candidate | None:
    """Shows a candidate after the other until one is taken; None when the user gives up."""
    from gitnotes.errors import GitnotesError
    from gitnotes.guard.text import show
    from gitnotes.show import console
    from gitnotes.show.choosing import KEYS, show_candidate

    place = 0
    while True:
        candidate = session.candidates[place]
        keys = {
            name
            for name in KEYS
            if not (name == "next" and len(session.candidates) == 1)
            and not (name == "again" and session.options.model is None)
        }
        show_candidate(candidate, place, len(session.candidates), keys, session.told)
        key = _ask_key(keys)
        if key == "accept":
            return candidate
        if key == "quit":
            return None
        try:
            place = _go_on(session, place, key)
        except GitnotesError as problem:  # what the editor left is no text; the others are still there
            console.note(f"gitnotes: {show(str(problem))}")


def _go_on(session: Session, place: int, key: str) -> int:
    """Does what the key asks for with the candidate at `place`; the place of the one to show next.

    Raises GitnotesError: the edited text cannot be read, nothing can be drafted.
    """
    from gitnotes.recipes.committing import edit_message

    candidate = session.candidates[place]
    found: Candidate | None = None
    if key == "next":
        return (place + 1) % len(session.candidates)
    if key == "why":
        why = _ask_text("Why is this changed?")
        found = session.add_why(candidate, why) if why else None
    elif key == "again":
        hint = _ask_text("What should it be like?")
        found = session.draft(hint) if hint else None
    elif key == "edit":
        found = edit_message(session, candidate)
    return place if found is None else session.candidates.index(found)


def _ask_text(question: str) -> str:
    answer = typer.prompt(question, default="", show_default=False, prompt_suffix=" ", err=True)
    return str(answer).strip()


def _ask_key(names: set[str]) -> str:
    """The one of `names` whose key was pressed; other keys do nothing."""
    from gitnotes.show.choosing import KEYS

    known = {key.lower(): name for name, (key, _) in KEYS.items() if name in names}
    known |= {"\r": "accept", "\n": "accept", "a": "accept", "\x1b": "quit", "\x04": "quit", "": "quit"}
    while True:
        try:
            pressed = typer.getchar().lower()
        except EOFError:  # Ctrl-D, and a terminal that is gone
            return "quit"
        if pressed == "\x03":
            raise KeyboardInterrupt
        if pressed in known:
            return known[pressed]
