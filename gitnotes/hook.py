"""Does this call of git's want gitnotes, and how does a commit survive whatever goes wrong?

    gitnotes hook prepare-commit-msg [--strict] FILE [SOURCE [SHA]]
    gitnotes hook commit-msg [--strict] [--rules] FILE

The decision needs `os` and `sys` alone; only a call that is wanted loads more. Unless
GITNOTES_STRICT or `--strict` asks for it, a failure prints one line and lets git go on with
the file as it was. A poor message is refused when one of them, or the setting `strict`, says
so. An interrupt ends with 130 either way: git got the same signal.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_USAGE = "usage: gitnotes hook NAME [--strict] FILE"
_HELP = """\
usage: gitnotes hook prepare-commit-msg [--strict] FILE [SOURCE [SHA]]
       gitnotes hook commit-msg [--strict] [--rules] FILE

What git calls: the first puts a suggestion into FILE, the second grades its text.
'gitnotes install' sets both up.

  --strict   a failure or a poor message stops the commit
  --rules    grade by the rules alone, without reading the change
"""
_IDS = {"prepare-commit-msg": "gitnotes-draft", "commit-msg": "gitnotes-grade"}
"""The git hooks that gitnotes serves, and what `SKIP` calls them."""
_SECONDS = 5.0
_LONGEST = 86_400.0
_CANNOT_JUDGE = 3
_INTERRUPTED = 130
_SHIFT = 64
"""Added to an exit code that is meant, so that a wrapper can tell it from a broken interpreter."""


def main(argv: Sequence[str]) -> int:
    """Run the hook `argv[0]` on the file that follows; the result is the exit code.

    Only an unknown name or a strict run gives anything but 0.
    """
    return _shifted(_main(list(argv)))


def _shifted(code: int) -> int:
    return code + _SHIFT if _is_on("GITNOTES_WRAPPED") and 0 < code < _SHIFT else code


def _main(argv: list[str]) -> int:
    if set(argv[:2]) & {"-h", "--help"}:
        sys.stdout.write(_HELP)
        return 0
    if not argv or argv[0] not in _IDS:
        _say(f"gitnotes: there is no hook {argv[0]!r}; {_USAGE}" if argv else f"gitnotes: {_USAGE}")
        return 2
    name, *rest = argv
    strict, rules = _is_on("GITNOTES_STRICT"), False
    while rest and rest[0].startswith("--"):
        option = rest.pop(0)
        if option == "--strict":
            strict = True
        elif option == "--rules" and name == "commit-msg":
            rules = True
        elif option == "--":
            break
        else:
            _say(f"gitnotes: {name} has no option {option!r}; {_USAGE}")
            return 2 if strict else 0
    if not rest:
        _say(f"gitnotes: {name} needs the message file that git gives it; {_USAGE}")
        return 2 if strict else 0
    if not _is_wanted(name, rest):
        return 0
    return _run(name, rest[0], strict, rules)


def _is_wanted(name: str, arguments: list[str]) -> bool:
    """Whether to act; `arguments` are the file and what git or pre-commit says of its source."""
    if _is_on("GITNOTES_SKIP"):
        return False
    if _IDS[name] in (item.strip() for item in os.environ.get("SKIP", "").split(",")):
        return False
    # A wrapper above this process runs other people's hooks first and comes to us itself.
    outer = os.environ.get("GITNOTES_HOOK")
    if outer and outer in (f"{name}:{folder}/{arguments[0]}" for folder in _folders()):
        return False
    if name != "prepare-commit-msg":
        return True
    # `gitnotes commit` is the editor that will open, and drafts itself.
    if os.environ.get("GITNOTES_COMMIT"):
        return False
    # The pre-commit framework drops git's arguments and puts them into the environment.
    source = arguments[1] if len(arguments) > 1 else os.environ.get("PRE_COMMIT_COMMIT_MSG_SOURCE", "")
    # git sets this editor when it will open none; merges, picks and rebases have a source.
    return source in ("", "template", "squash") and os.environ.get("GIT_EDITOR") != ":"


def _folders() -> list[str]:
    return [folder for folder in (os.environ.get("PWD"), _current_folder()) if folder]


def _current_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib would be loaded for nothing
    except OSError:
        return ""


def _run(name: str, file: str, strict: bool, rules: bool) -> int:
    _open_standard_files()
    finish = _start_clock(name, file, strict)
    try:
        return _prepare(file) if name == "prepare-commit-msg" else _check(file, strict, rules)
    except KeyboardInterrupt:
        _say("gitnotes: interrupted.")
        return _INTERRUPTED
    except BaseException as problem:
        _say(f"gitnotes: {_sentence(problem)}")
        code = getattr(problem, "exit_code", _CANNOT_JUDGE)
        return (
            code if strict and isinstance(code, int) and 0 < code < _SHIFT else _CANNOT_JUDGE if strict else 0
        )
    finally:
        finish()


def _prepare(file: str) -> int:
    from pathlib import Path

    from gitnotes.recipes import hooking

    seconds = _time_box()
    note = hooking.fill_message_file(Path(file), seconds if seconds > 0 else _LONGEST)
    if note:
        _say(note)
    return 0


def _check(file: str, strict: bool, rules: bool) -> int:
    from pathlib import Path

    if rules:
        from gitnotes.recipes.hook_rules import check_rules as check
    else:
        from gitnotes.recipes.hooking import check_message_file as check

    verdict = check(Path(file))
    for line in verdict.lines:
        _say(line)
    if verdict.passed:
        return 0
    if not (strict or verdict.strict):
        _say("gitnotes: to mend it now: git commit --amend")
        return 0
    _say(_way_back(file))
    return 1


def _way_back(file: str) -> str:
    import shlex

    # git resolves -F from the folder where the command was typed, the hook runs at the top.
    kept = os.path.abspath(file) if os.environ.get("GIT_PREFIX") else file  # noqa: PTH100
    return (
        "gitnotes: nothing was committed; take your message up again with: "
        f"git commit -e -F {shlex.quote(kept)}"
    )


def _start_clock(name: str, file: str, strict: bool) -> Callable[[], None]:
    """End the process when the time is up; the result stops the clock.

    Leaving at any moment is safe: the message file is only ever replaced whole.
    """
    seconds = _time_box()
    if seconds <= 0:
        return lambda: None
    import threading

    done = threading.Event()

    def watch() -> None:
        if done.wait(seconds):
            return
        fate = "the commit was stopped" if strict else "was left out"
        _say(f"gitnotes: {name} took longer than {seconds:g} s and {fate}; GITNOTES_TIMEOUT sets the limit.")
        if strict and name == "commit-msg":
            _say(_way_back(file))
        os._exit(_shifted(_CANNOT_JUDGE) if strict else 0)

    threading.Thread(target=watch, name="gitnotes-clock", daemon=True).start()
    return done.set


def _time_box() -> float:
    """Seconds that a hook may take; 0 means as long as it wants."""
    try:
        seconds = float(os.environ.get("GITNOTES_TIMEOUT") or _SECONDS)
    except ValueError:
        return _SECONDS
    return min(seconds, _LONGEST) if seconds == seconds else _SECONDS


def _is_on(variable: str) -> bool:
    return os.environ.get(variable, "") not in ("", "0")


def _open_standard_files() -> None:
    """Point descriptors 0 to 2 somewhere, lest a file that is opened later becomes the stderr of git."""
    try:
        descriptor = os.open(os.devnull, os.O_RDWR)
        while descriptor <= 2:
            descriptor = os.open(os.devnull, os.O_RDWR)
        os.close(descriptor)
    except OSError:
        pass


def _sentence(problem: BaseException) -> str:
    """What went wrong, on one line that does nothing to a terminal."""
    try:
        text = " ".join(str(problem).split())
        if not hasattr(problem, "exit_code") or not text:
            text = f"{type(problem).__name__}: {text}" if text else type(problem).__name__
    except BaseException:
        text = type(problem).__name__
    return "".join(sign if sign.isprintable() else "?" for sign in text[:500])


def _say(line: str) -> None:
    """Print to stderr, or to nobody when it is closed or full."""
    stream = sys.stderr
    if stream is None:
        return
    try:
        try:
            stream.write(line + "\n")
        except UnicodeError:
            stream.write(ascii(line) + "\n")
        stream.flush()
    except (OSError, ValueError):
        # What stays in the buffer would fail once more at exit and turn the exit code into 120.
        sys.stderr = None
