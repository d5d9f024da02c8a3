"""How is git asked, so that neither the user's settings nor a hostile repository change the answer?

This is the only module that starts git. GitPython runs the command; inside a hook, where its import
alone (60 ms) would be the whole budget, and where variables must be taken away, which its runner
cannot, the same command is started by the standard library. Nothing of GitPython's own parsing is
used: it loses paths that are not UTF-8, and it reads the wrong index under `git commit FILE`.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from gitnotes.errors import BareRepository, CannotJudge, GitError, NotARepository, UnknownRevision, UsageError
from gitnotes.guard.text import shorten
from gitnotes.read.complaints import explain, quote, translate
from gitnotes.read.environment import BINDING, NEUTRALISED, PINNED

OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NOT_FETCHED = re.compile(rb"could not fetch ([0-9a-f]{40,64}) from promisor remote")
_BLOCK = 1 << 18
_PATIENCE = 20
"""Missing objects of a partial clone that are found one by one, before all objects are listed."""


class Git:
    """git in one repository; made by `open_git`."""

    def __init__(self, folder: str | None, *, light: bool, dropped: tuple[str, ...] = ()) -> None:
        self._folder = folder
        self._light = light or bool(dropped)
        self._dropped = dropped
        self._top: Path | None = None
        self._common: Path | None = None
        self._settings: list[tuple[str, str | None]] | None = None

    def run(self, *arguments: str, ok: tuple[int, ...] = (0,), feed: bytes = b"") -> bytes:
        """What `git ARGUMENTS` prints when it is given `feed` on standard input.

        Raises GitError or a subclass when the exit code is not one of `ok`.
        """
        code, output, error = self._execute(["git", "--no-pager", *arguments], feed)
        if code not in ok:
            raise self._explain(error, arguments)
        return output

    def text(self, *arguments: str, ok: tuple[int, ...] = (0,)) -> str:
        """The same as text without the final line end; bytes that are not UTF-8 are replaced."""
        return self.run(*arguments, ok=ok).decode("utf-8", "replace").rstrip("\n")

    def stream(self, *arguments: str) -> Iterator[bytes]:
        """What `git ARGUMENTS` prints, in blocks as it comes, so that memory stays flat.

        Raises GitError or a subclass at the end when git failed; git is stopped when the reader is.
        """
        process = self._open(["git", "--no-pager", *arguments])
        assert process.stdout is not None and process.stderr is not None
        complaints: list[bytes] = []
        # A git that has much to say on stderr would wait for ever if nobody listened.
        listener = threading.Thread(target=_listen, args=(process.stderr, complaints), daemon=True)
        listener.start()
        try:
            while block := os.read(process.stdout.fileno(), _BLOCK):
                yield block
            code = process.wait()
            listener.join()
            if code != 0:
                raise self._explain(b"".join(complaints), arguments)
        finally:
            process.kill()
            process.wait()
            listener.join()
            process.stdout.close()
            process.stderr.close()

    def blobs(self, ids: Sequence[str], *, limit: int, diffed: bool = False) -> dict[str, bytes]:
        """The contents of those blobs, by object id, but of none that is larger than `limit` bytes, is not
        here or is no blob. `diffed` says that git has just compared their lines, so that none is.
        """
        small = [*ids] if diffed else [name for name, size in self.blob_sizes(ids).items() if size <= limit]
        if not small:
            return {}
        output = self.run("cat-file", "--batch", feed="\n".join([*small, ""]).encode())
        found: dict[str, bytes] = {}
        position = 0
        while (end := output.find(b"\n", position)) >= 0:
            words = output[position:end].split(b" ")
            position = end + 1
            if len(words) == 3 and words[1] == b"blob":
                size = int(words[2])
                found[words[0].decode()] = output[position : position + size]
                position += size + 1
        return found

    def blob_sizes(self, ids: Sequence[str]) -> dict[str, int]:
        """The size in bytes of those blobs that are here, by object id; nothing is read or fetched."""
        wanted = [name for name in dict.fromkeys(ids) if OBJECT_ID.fullmatch(name)]
        if not wanted:
            return {}
        rows = map(str.split, self._check_blobs(wanted).decode("ascii", "replace").splitlines())
        found = {row[0]: int(row[2]) for row in rows if len(row) == 3 and row[1] == "blob"}
        return {name: found[name] for name in wanted if name in found}

    def _check_blobs(self, wanted: list[str]) -> bytes:
        question = ("cat-file", "--batch-check")
        for _ in range(_PATIENCE):
            code, output, error = self._execute(["git", *question], "\n".join([*wanted, ""]).encode())
            if code == 0:
                return output
            # In a partial clone git does not answer "missing": it gives up at the first that is.
            missing = _NOT_FETCHED.search(error)
            if missing is None or missing[1].decode() not in wanted:
                raise self._explain(error, question)
            wanted = [name for name in wanted if name != missing[1].decode()]
        return self.run(*question, "--batch-all-objects", "--unordered")

    def hand_over(self, *arguments: str, variables: dict[str, str] | None = None) -> int:
        """Runs `git ARGUMENTS` with the terminal as its own and our environment; its exit code."""
        environment = {**os.environ, **(variables or {})}
        try:
            return subprocess.call(["git", *arguments], cwd=self._folder, env=environment)
        except OSError as problem:
            raise GitError(f"git cannot be started: {problem.strerror}.", "Is it installed?") from problem

    def settings(self) -> list[tuple[str, str | None]]:
        """All that git's configuration says, read once; the value None is a key without one."""
        if self._settings is None:
            output = self.run("config", "--list", "--null").decode("utf-8", "replace")
            pairs = (item.partition("\n") for item in output.split("\0") if item)
            self._settings = [(key, value if mark else None) for key, mark, value in pairs]
        return self._settings

    def config(self, key: str) -> str | None:
        """The value of a setting, or None when it is not set."""
        return dict(self.settings()).get(key.lower())

    def resolve(self, revision: str) -> str:
        """The object id of the commit that `revision` names.

        Raises UnknownRevision, naming it.
        """
        found = self.find(revision)
        if found is None:
            if revision == "HEAD":
                raise self._why_no_head()
            if kind := self.kind(revision):
                raise UnknownRevision(
                    f"'{shorten(revision)}' is {kind}, not a commit.", "Name a commit, or a tag of one."
                )
            hint = "List the names with: git tag; git branch -a"
            start = re.split(r"[~^]", revision, maxsplit=1)[0]
            if start not in ("", revision) and self.find(start):
                hint = f"'{shorten(start)}' is there, but has no such ancestor."
            if self.is_shallow():
                hint = "This clone is shallow; fetch the rest with: git fetch --unshallow --tags"
            raise UnknownRevision(f"git does not know the revision '{shorten(revision)}'.", hint)
        return found

    def find(self, revision: str) -> str | None:
        """The object id of the commit that `revision` names, or None.

        Raises GitError when git cannot even look: no repository, one that it does not trust, ...
        """
        if "\0" in revision:
            return None
        question = ("rev-parse", "--quiet", "--verify", "--end-of-options", f"{revision}^{{commit}}")
        code, output, error = self._execute(["git", "--no-pager", *question], b"")
        # With an unknown object git repeats the question, so only an object id counts as an answer.
        answer = output.decode("utf-8", "replace").rstrip("\n")
        if code == 0 and OBJECT_ID.fullmatch(answer):
            return answer
        if code in (0, 1):
            return None
        complaint = error.decode("utf-8", "replace")
        problem = translate(complaint)
        if problem is None and revision == "HEAD":
            problem = quote(complaint, question)
        if problem is not None and not isinstance(problem, UnknownRevision | CannotJudge):
            raise problem
        if revision != "HEAD":
            self.find("HEAD")  # a repository that cannot even tell this one is damaged
        return None

    def kind(self, revision: str) -> str:
        """What `revision` names that is no commit, in words; empty when it names nothing or a commit."""
        if "\0" in revision:
            return ""
        name = revision
        for suffix in ("", "^{}"):  # behind a path the suffix would be part of it
            question = ("rev-parse", "--quiet", "--verify", "--end-of-options", name + suffix)
            _, output, _ = self._execute(["git", "--no-pager", *question], b"")
            name = output.decode("utf-8", "replace").rstrip("\n")
            if not OBJECT_ID.fullmatch(name):
                return ""
        _, kind, _ = self._execute(["git", "cat-file", "-t", name], b"")
        return {b"blob": "the content of a file", b"tree": "a folder"}.get(kind.strip(), "")

    def _why_no_head(self) -> GitError:
        """Why HEAD names no commit: there is none yet, or the repository is damaged."""
        # Only this command tells a branch that is not born from one that is broken.
        question = ("log", "--max-count=0", "--format=")
        code, _, error = self._execute(["git", "--no-pager", *question], b"")
        complaint = error.decode("utf-8", "replace")
        if "does not have any commits yet" in complaint or code == 0:
            if self.run("for-each-ref", "--count=1", "refs/heads", "refs/tags", ok=(0, 128)):
                return CannotJudge(
                    "The branch that is checked out has no commits yet.",
                    "Make the first commit, or switch to another branch.",
                )
            return CannotJudge(
                "This repository has no commits yet.", "Make the first commit, then ask again."
            )
        problem = self._explain(error, question)
        if not isinstance(problem, UnknownRevision):
            return problem
        name = self.run("rev-parse", "--quiet", "--verify", "HEAD", ok=(0, 1, 128)).strip()
        if name.strip(b"0") and not complaint.startswith("error:"):
            return self._explain(b"error: could not read the commit of HEAD: missing commit", question)
        return quote(complaint, question)

    def head(self) -> str | None:
        """The object id of HEAD, or None while there are no commits.

        Raises GitError when HEAD names a commit that is not in the repository.
        """
        found = self.find("HEAD")
        if found is None:
            why = self._why_no_head()
            if not isinstance(why, CannotJudge):
                raise why
        return found

    def empty_tree(self) -> str:
        """The object id of the empty tree, in the repository's own hash."""
        return self.text("hash-object", "-t", "tree", "--stdin")

    def is_shallow(self) -> bool:
        return self.text("rev-parse", "--is-shallow-repository") == "true"

    def top(self) -> Path:
        """The top folder of the work tree. Raises BareRepository where there is none, or outside of it."""
        if self._top is not None:
            return self._top
        # Two questions in one, since each start of git takes milliseconds.
        question = ("rev-parse", "--is-bare-repository", "--show-toplevel", "--git-common-dir")
        code, output, error = self._execute(["git", *question], b"")
        is_bare, *places = output[:-1].split(b"\n")
        if code == 0:
            if len(places) != 2:  # a name with a line end in it
                places = [self.run("rev-parse", name)[:-1] for name in question[2:]]
            self._top, self._common = (self._absolute(place) for place in places)
            return self._top
        if is_bare == b"false":
            raise BareRepository("This folder is git's own, not a work tree.", "Change into the work tree.")
        raise self._explain(error, ("rev-parse",))

    def path(self, name: str) -> Path:
        """Where git really keeps `name` (`hooks`, `COMMIT_EDITMSG`, ...), as an absolute path."""
        return self._absolute(self.run("rev-parse", "--git-path", name)[:-1])

    def common_folder(self) -> Path:
        """The folder that git keeps for all work trees of the repository, as an absolute path."""
        if self._common is None:
            self._common = self._absolute(self.run("rev-parse", "--git-common-dir")[:-1])
        return self._common

    def _absolute(self, name: bytes) -> Path:
        return Path(self._folder or Path.cwd(), os.fsdecode(name))

    def _explain(self, error: bytes, arguments: tuple[str, ...]) -> GitError:
        settings = ("config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$")
        partial = self._execute(["git", *settings], b"")[0] == 0
        return explain(error.decode("utf-8", "replace"), arguments, partial=partial)

    def _execute(self, command: list[str], feed: bytes) -> tuple[int, bytes, bytes]:
        try:
            if self._light:
                done = subprocess.run(
                    command, cwd=self._folder, env=self._environment(), input=feed, capture_output=True
                )
                code, output, error = done.returncode, done.stdout, done.stderr
            else:
                code, output, error = self._execute_by_gitpython(command, feed)
        except OSError as problem:
            raise GitError(f"git cannot be started: {problem.strerror}.", "Is it installed?") from problem
        if code == -signal.SIGINT:  # git heard the Ctrl-C before we did; its answer is no answer
            raise KeyboardInterrupt
        return code, output, error

    def _execute_by_gitpython(self, command: list[str], feed: bytes) -> tuple[int, bytes, bytes]:
        git = _import_gitpython()
        if git is None:  # without it git itself says what is wrong: a broken configuration, mostly
            self._light = True
            return self._execute(command, feed)
        import tempfile  # 10 ms that the hooks, which are light, do not pay

        # GitPython takes a file as standard input, not bytes; without one it is closed.
        with tempfile.TemporaryFile() as standard_input:
            standard_input.write(feed)
            standard_input.seek(0)
            try:
                code, output, error = git.cmd.Git(self._folder).execute(
                    command,
                    istream=standard_input,
                    env=self._environment(),
                    with_extended_output=True,
                    with_exceptions=False,
                    stdout_as_string=False,
                    strip_newline_in_stdout=False,
                    shell=False,
                )
            except git.GitCommandNotFound as problem:
                raise GitError("git cannot be started.", "Is it installed?") from problem
        # GitPython decodes stderr or not, depending on its version.
        return code, output, error.encode("utf-8", "replace") if isinstance(error, str) else error

    def _open(self, command: list[str]) -> subprocess.Popen[bytes]:
        try:
            if self._light:
                return subprocess.Popen(
                    command,
                    cwd=self._folder,
                    env=self._environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
            git = _import_gitpython()
            if git is None:
                self._light = True
                return self._open(command)
            try:
                started = git.cmd.Git(self._folder).execute(
                    command, env=self._environment(), as_process=True, shell=False
                )
            except git.GitCommandNotFound as problem:
                raise GitError("git cannot be started.", "Is it installed?") from problem
            process: subprocess.Popen[bytes] = started.proc
            started.proc = None  # its own clean-up would wait for stderr, which is read here
            return process
        except OSError as problem:
            raise GitError(f"git cannot be started: {problem.strerror}.", "Is it installed?") from problem

    def _environment(self) -> dict[str, str]:
        if self._light:
            away = {*NEUTRALISED, *self._dropped}
            return {name: value for name, value in os.environ.items() if name not in away} | PINNED
        return PINNED | {name: "" for name in NEUTRALISED if name in os.environ}


def open_git(folder: str | Path | None = None, *, light: bool = False) -> Git:
    """git for our own repository (no `folder`), or for the one that `folder` is in.

    Our own: the environment is inherited and the folder is not changed, because inside a hook
    `GIT_INDEX_FILE` may be relative and names the index that will be committed. Another one: every
    variable that ties git to the first is taken away. `light` avoids the import of GitPython.

    Raises NotARepository, or UsageError when `folder` is not a folder.
    """
    if folder is None:
        _check_folder_exists()
        return Git(None, light=light)
    place = os.fspath(folder)
    if "\0" in place or not Path(place).is_dir():
        raise UsageError(f"There is no folder '{shorten(place)}'.", "Name a git repository.")
    bound = any(name in os.environ for name in BINDING)
    return Git(place, light=light, dropped=BINDING if bound else ())


def _import_gitpython() -> Any:
    """GitPython, or None when its own look for git failed while it was imported."""
    try:
        import git
    except ImportError:
        return None
    return git


def _listen(stream: IO[bytes], said: list[bytes]) -> None:
    """Keeps the first of what git says on stderr and throws the rest away."""
    kept = 0
    while block := os.read(stream.fileno(), _BLOCK):
        if kept < _BLOCK:
            said.append(block)
            kept += len(block)


def _check_folder_exists() -> None:
    try:
        Path.cwd()
    except OSError as problem:
        raise NotARepository("The current folder no longer exists.", "Change into another one.") from problem
