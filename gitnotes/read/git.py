"""How is git asked, so that neither the user's settings nor a hostile repository change the answer?

This is the only module that starts git. GitPython finds the repository and runs the command;
inside a hook, where its import alone (60 ms) would be the whole budget, the same command is
started by the standard library. Nothing of GitPython's own parsing is used: it loses paths that
are not UTF-8, and it reads the wrong index under `git commit FILE`.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from gitnotes.errors import BareRepository, CannotJudge, GitError, NotARepository, UnknownRevision, UsageError
from gitnotes.guard.text import show

if TYPE_CHECKING:
    Process = subprocess.Popen[bytes]

# Set for every call. Values that are empty neutralise a variable that GitPython's runner cannot drop.
_PINNED = {
    "LC_ALL": "C",
    "LANGUAGE": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # A partial clone with a dead remote answers with an error instead of a hang.
    "GIT_NO_LAZY_FETCH": "1",
}
_NEUTRALISED = (
    "GIT_DIFF_OPTS",
    "GIT_EXTERNAL_DIFF",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE_SETUP",
)
# Variables that tie git to one repository: kept for our own, overridden for another one.
_BINDING = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
)

# (what git says, the class to raise, our sentence, the next step)
_TRANSLATIONS: tuple[tuple[str, type[GitError], str, str], ...] = (
    (
        r"not a git repository",
        NotARepository,
        "This folder is not inside a git repository.",
        "Change into one, or name one with -C.",
    ),
    (
        r"dubious ownership",
        GitError,
        "git does not trust this repository, because another user owns it.",
        "If you do, run: git config --global --add safe.directory <its path>",
    ),
    (
        r"must be run in a work tree|cannot be used without a working tree",
        BareRepository,
        "This repository is bare: it has no work tree and no staged changes.",
        "Name a commit or a range instead.",
    ),
    (
        r"does not have any commits yet|bad default revision 'HEAD'",
        CannotJudge,
        "This repository has no commits yet.",
        "Make the first commit, then ask again.",
    ),
    (
        r"unknown revision|bad revision|Needed a single revision|ambiguous argument"
        r"|bad object|not a valid object",
        UnknownRevision,
        "git does not know that revision.",
        "List the names with: git tag; git branch -a",
    ),
    (
        r"lazy fetching disabled|promisor remote|could not fetch",
        GitError,
        "This is a partial clone, and an object that is needed was never fetched.",
        "Run `git fetch --refetch` while the remote can be reached.",
    ),
    (
        r"index file corrupt|bad signature|index file smaller",
        GitError,
        "The index of this repository is damaged.",
        "Move .git/index aside and run: git reset",
    ),
)


_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Git:
    """git in one repository; made by `open_git`."""

    def __init__(self, folder: str | None, environment: dict[str, str], *, light: bool) -> None:
        self._folder = folder
        self._environment = environment
        self._light = light

    def run(self, *arguments: str, ok: tuple[int, ...] = (0,), feed: bytes = b"") -> bytes:
        """What `git ARGUMENTS` prints when it is given `feed` on standard input.

        Raises GitError or a subclass when the exit code is not one of `ok`.
        """
        code, output, error = self._execute(["git", "--no-pager", *arguments], feed)
        if code not in ok:
            raise _translate(error.decode("utf-8", "replace"), arguments)
        return output

    def text(self, *arguments: str, ok: tuple[int, ...] = (0,)) -> str:
        """The same as text without the final line end; bytes that are not UTF-8 are replaced."""
        return self.run(*arguments, ok=ok).decode("utf-8", "replace").rstrip("\n")

    def stream(self, *arguments: str) -> Iterator[bytes]:
        """What `git ARGUMENTS` prints, in blocks as it comes, so that memory stays flat."""
        process = self._popen(arguments, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert process.stdout is not None and process.stderr is not None
        try:
            while block := process.stdout.read(1 << 18):
                yield block
            error = process.stderr.read()
            if process.wait() != 0:
                raise _translate(error.decode("utf-8", "replace"), arguments)
        finally:
            process.kill()
            process.communicate()

    def blobs(self, ids: Sequence[str], *, limit: int) -> dict[str, bytes]:
        """The contents of those blobs, by object id.

        Left out: what is larger than `limit` bytes, is not here (nothing is fetched) or is no blob.
        """
        wanted = [name for name in dict.fromkeys(ids) if _OBJECT_ID.fullmatch(name)]
        small = [name for name, size in self.blob_sizes(wanted).items() if size <= limit]
        if not small:
            return {}
        output = self.run("cat-file", "--batch", feed=_as_lines(small))
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
        wanted = [name for name in dict.fromkeys(ids) if _OBJECT_ID.fullmatch(name)]
        if not wanted:
            return {}
        output = self.run("cat-file", "--batch-check", feed=_as_lines(wanted))
        rows = (line.split(" ") for line in output.decode("ascii", "replace").splitlines())
        return {row[0]: int(row[2]) for row in rows if len(row) == 3 and row[1] == "blob"}

    def pipe(self, data: bytes, *commands: Sequence[str]) -> bytes:
        """What the last command prints: the first reads `data`, each other what the one before it prints.

        Raises GitError when one of them fails.
        """
        running: list[subprocess.Popen[bytes]] = []
        # Files, not pipes: a pipe that nobody empties would stop the whole chain.
        with contextlib.ExitStack() as stack:
            source: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())
            source.write(data)
            source.seek(0)
            errors = [stack.enter_context(tempfile.TemporaryFile()) for _ in commands]
            try:
                for arguments, error in zip(commands, errors, strict=True):
                    process = self._popen(arguments, stdin=source, stderr=error)
                    running.append(process)
                    source.close()
                    assert process.stdout is not None
                    source = process.stdout
                output = source.read()
                for process, arguments, error in zip(running, commands, errors, strict=True):
                    if process.wait() != 0:
                        error.seek(0)
                        raise _translate(error.read().decode("utf-8", "replace"), tuple(arguments))
            finally:
                source.close()
                for process in running:
                    process.kill()
                    process.wait()
        return output

    def _popen(self, arguments: Sequence[str], stdin: IO[bytes] | int, stderr: IO[bytes] | int) -> Process:
        try:
            return subprocess.Popen(
                ["git", "--no-pager", *arguments],
                cwd=self._folder,
                env={**os.environ, **self._environment},
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except OSError as problem:
            raise GitError(f"git cannot be started: {problem.strerror}.", "Is it installed?") from problem

    def config(self, key: str) -> str | None:
        """The value of a setting, or None when it is not set."""
        value = self.run("config", "--get", "--null", key, ok=(0, 1))
        return value.rstrip(b"\0").decode("utf-8", "replace") if value else None

    def configs(self, *keys: str) -> dict[str, str]:
        """The values of the settings that are set, in one call; keys come back in small letters."""
        pattern = "|".join(re.escape(key.lower()) for key in keys)
        output = self.run("config", "--null", "--get-regexp", f"^({pattern})$", ok=(0, 1))
        pairs = (item.partition("\n") for item in output.decode("utf-8", "replace").split("\0") if item)
        return {key: value for key, _, value in pairs}

    def resolve(self, revision: str) -> str:
        """The object id of the commit that `revision` names.

        Raises UnknownRevision, naming it.
        """
        found = self.find(revision)
        if found is None:
            if revision in ("", "HEAD"):
                raise CannotJudge(
                    "This repository has no commits yet.", "Make the first commit, then ask again."
                )
            hint = "List the names with: git tag; git branch -a"
            if self.is_shallow():
                hint = "This clone is shallow; fetch the rest with: git fetch --unshallow --tags"
            raise UnknownRevision(f"git does not know the revision '{show(revision)}'.", hint)
        return found

    def find(self, revision: str) -> str | None:
        """The object id of the commit that `revision` names, or None."""
        if "\0" in revision:
            return None
        answer = self.text(
            "rev-parse", "--quiet", "--verify", "--end-of-options", f"{revision}^{{commit}}", ok=(0, 1, 128)
        )
        # With an unknown object git repeats the question, so only an object id counts as an answer.
        return answer if _OBJECT_ID.fullmatch(answer) else None

    def empty_tree(self) -> str:
        """The object id of the empty tree, in the repository's own hash."""
        return self.text("hash-object", "-t", "tree", "--stdin")

    def is_shallow(self) -> bool:
        return self.text("rev-parse", "--is-shallow-repository") == "true"

    def top(self) -> Path:
        """The top folder of the work tree. Raises GitError in a bare repository."""
        return Path(os.fsdecode(self.run("rev-parse", "--show-toplevel").rstrip(b"\n")))

    def path(self, name: str) -> Path:
        """Where git really keeps `name` (`hooks`, `COMMIT_EDITMSG`, ...), as an absolute path."""
        found = Path(os.fsdecode(self.run("rev-parse", "--git-path", name).rstrip(b"\n")))
        return found if found.is_absolute() else Path(self._folder or Path.cwd()) / found

    def _execute(self, command: list[str], feed: bytes) -> tuple[int, bytes, bytes]:
        try:
            return self._start_light(command, feed) if self._light else self._start(command, feed)
        except OSError as problem:
            raise GitError(f"git cannot be started: {problem.strerror}.", "Is it installed?") from problem

    def _start_light(self, command: list[str], feed: bytes) -> tuple[int, bytes, bytes]:
        done = subprocess.run(
            command,
            cwd=self._folder,
            env={**os.environ, **self._environment},
            input=feed,
            capture_output=True,
        )
        return done.returncode, done.stdout, done.stderr

    def _start(self, command: list[str], feed: bytes) -> tuple[int, bytes, bytes]:
        try:
            import git
        except ImportError as problem:  # GitPython looks for git when it is imported
            raise GitError("git cannot be started.", "Is it installed?") from problem
        with tempfile.TemporaryFile() if feed else open(os.devnull, "rb") as standard_input:  # noqa: PTH123
            if feed:
                # GitPython takes a file as standard input, not bytes.
                standard_input.write(feed)
                standard_input.seek(0)
            try:
                code, output, error = git.cmd.Git(self._folder).execute(
                    command,
                    istream=standard_input,
                    env=self._environment,
                    with_extended_output=True,
                    with_exceptions=False,
                    stdout_as_string=False,
                    strip_newline_in_stdout=False,
                )
            except git.GitCommandNotFound as problem:
                raise GitError("git cannot be started.", "Is it installed?") from problem
        # GitPython decodes stderr or not, depending on its version.
        return code, output, error.encode("utf-8", "replace") if isinstance(error, str) else error


def open_git(folder: str | Path | None = None, *, light: bool = False) -> Git:
    """git for our own repository (no `folder`), or for the one that `folder` is in.

    Our own: the environment is inherited and the folder is not changed, because inside a hook
    `GIT_INDEX_FILE` may be relative and names the index that will be committed. Another one: every
    variable that ties git to the first is overridden. `light` avoids the import of GitPython.

    Raises NotARepository, or UsageError when `folder` is not a folder.
    """
    environment = dict(_PINNED)
    environment.update((name, "") for name in _NEUTRALISED if name in os.environ)
    if folder is None:
        _check_folder_exists()
        return Git(None, environment, light=light)
    place = os.fspath(folder)
    if not Path(place).is_dir():
        raise UsageError(f"There is no folder '{show(place)}'.", "Name a git repository.")
    if any(name in os.environ for name in _BINDING):
        environment.update(_bind(place))
    return Git(place, environment, light=light)


def _bind(folder: str) -> dict[str, str]:
    """The variables that make git answer from the repository at `folder` alone."""
    import git

    try:
        repository = git.Repo(folder, search_parent_directories=True)
    except git.InvalidGitRepositoryError as problem:
        raise NotARepository(
            "This folder is not inside a git repository.", "Change into one, or name one with -C."
        ) from problem
    git_dir = Path(repository.git_dir).resolve()
    common_dir = Path(repository.common_dir).resolve()
    settings = {
        "GIT_DIR": str(git_dir),
        "GIT_INDEX_FILE": str(git_dir / "index"),
        "GIT_OBJECT_DIRECTORY": str(common_dir / "objects"),
        "GIT_COMMON_DIR": str(common_dir),
    }
    if repository.working_tree_dir is not None:
        settings["GIT_WORK_TREE"] = str(Path(repository.working_tree_dir).resolve())
    for name in _BINDING:
        if name in os.environ:
            settings.setdefault(name, "")
    repository.close()
    return settings


def _as_lines(names: Sequence[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode("ascii")


def _check_folder_exists() -> None:
    try:
        Path.cwd()
    except OSError as problem:
        raise NotARepository("The current folder no longer exists.", "Change into another one.") from problem


def _translate(error: str, arguments: tuple[str, ...]) -> GitError:
    """git's complaint as a sentence with the next step."""
    for pattern, kind, sentence, hint in _TRANSLATIONS:
        if re.search(pattern, error):
            return kind(sentence, hint)
    lines = [line for line in error.splitlines() if line.strip()] or [f"git {arguments[0]} failed"]
    first = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0])
    return GitError(f"git says: {show(first.strip())[:300]}")
