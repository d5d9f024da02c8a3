"""What does git's complaint mean, and what can be done about it?"""

from __future__ import annotations

import re

from gitnotes.errors import BareRepository, CannotJudge, GitError, NotARepository, UnknownRevision
from gitnotes.guard.text import shorten, show

NEVER_FETCHED = "This is a partial clone, and an object that is needed was never fetched."
_FETCH = "While the remote can be reached, run: git fetch --refetch --no-filter"
_DAMAGED = "Check what is missing with: git fsck; then fetch it again, or clone anew."

# (what git says, the class to raise, our sentence, the next step); `{0}` is the first group of the
# pattern. git runs with LC_ALL=C, so its words are these. The first row that is found counts.
_MEANINGS: tuple[tuple[str, type[GitError], str, str], ...] = (
    (
        r"detected dubious ownership in repository at '([^'\n]{1,4096})'",
        GitError,
        "git does not trust this repository, because another user owns it.",
        "If you do, run: git config --global --add safe.directory '{0}'",
    ),
    (
        r"dubious ownership|unsafe repository",
        GitError,
        "git does not trust this repository, because another user owns it.",
        "If you do, run: git config --global --add safe.directory <its path>",
    ),
    (
        r"bad config (?:line|variable|value)[^\n]{0,1000}|bad (?:numeric|boolean) config value[^\n]{0,1000}"
        r"|unable to parse '[^\n]{0,200}' from command-line config|bogus config parameter[^\n]{0,200}",
        GitError,
        "git cannot read its own configuration: {all}.",
        "See where it comes from with: git config --list --show-origin",
    ),
    (
        r"unknown repository extensions? found|Expected git repo version",
        GitError,
        "This repository needs a newer git than the one that is installed.",
        "Update git.",
    ),
    (
        r"not a git repository",
        NotARepository,
        "This folder is not inside a git repository.",
        "Change into one, or name one with -C.",
    ),
    (
        r"must be run in a work tree|cannot be used without a working tree",
        BareRepository,
        "This repository is bare: it has no work tree and no staged changes.",
        "Name a commit or a range instead.",
    ),
    (
        r"'([^'\n]{0,4096})' is outside repository|Invalid path '([^'\n]{0,4096})'",
        GitError,
        "The path '{0}' is outside of this repository.",
        "Name one inside of it.",
    ),
    (
        r"unable to auto-detect (?:email|name)|[Pp]lease tell me who you are|empty ident name"
        r"|no (?:email|name) was given",
        GitError,
        "git does not know who you are, and what it keeps has an author.",
        "Tell it with: git config user.name NAME; git config user.email ADDRESS",
    ),
    (
        r"gpg failed to sign|unable to sign the tag|failed to write commit object.*gpg|cannot run gpg",
        GitError,
        "git could not sign.",
        "See why with: git tag -s -m x signing-test; or sign nothing: git config tag.gpgSign false",
    ),
    (
        r"No space left on device|Disk quota exceeded",
        GitError,
        "The disk is full.",
        "Make room, then ask again.",
    ),
    (
        r"Unable to create '([^'\n]{0,4096}\.lock)': File exists",
        GitError,
        "Another git is at work in this repository, or one crashed: '{0}' exists.",
        "Wait for it; if none runs, remove that file.",
    ),
    (
        r"Unable to create '([^'\n]{0,4096}\.lock)'|insufficient permission|Permission denied",
        GitError,
        "A file of this repository may not be read or written by you.",
        "Look at its owner and permissions with: ls -l .git",
    ),
    (
        r"lazy fetching disabled|promisor remote|[Cc]ould not fetch|transport '[a-z+]{1,20}' not allowed",
        GitError,
        NEVER_FETCHED,
        _FETCH,
    ),
    (
        r"index file corrupt|bad signature|index file smaller|index file open failed|unknown index entry"
        r"|bad index file|unordered stage entries|bad index version|malformed name field"
        r"|index file SHA-?1 signature|unable to map index file",
        GitError,
        "The index of this repository is damaged.",
        "Move .git/index aside and run: git reset",
    ),
    (
        r"index uses [^\n]{1,40} extension, which we do not understand",
        GitError,
        "The index was written by a newer git than the one that is installed.",
        "Update git.",
    ),
    (
        r"is corrupt|unable to unpack|inflate: |object file [^\n]{0,300} is empty|corrupt(?:ed)? loose object"
        r"|packfile [^\n]{0,4096} (?:is|cannot|does not)|bad object header|hash mismatch|garbage at end",
        GitError,
        "An object of this repository is damaged.",
        _DAMAGED,
    ),
    (
        r"unable to read (?:tree )?\(?([0-9a-f]{40,64})|[Cc]ould not read ([0-9a-f]{40,64})"
        r"|missing (?:blob|tree|commit)|bad tree object|[Uu]nable to read (?:source )?tree"
        r"|unable to find all commit-graph|could not parse commit|failed to (?:read|traverse)"
        r"|cannot read object",
        GitError,
        "An object that is needed is missing from this repository.",
        _DAMAGED,
    ),
    (
        r"does not have any commits yet|bad default revision 'HEAD'",
        CannotJudge,
        "This repository has no commits yet.",
        "Make the first commit, then ask again.",
    ),
    (
        r"unknown revision|bad revision|Needed a single revision|ambiguous argument"
        r"|bad object|[Nn]ot a valid object|[Ii]nvalid object name|invalid upstream",
        UnknownRevision,
        "git does not know that revision.",
        "List the names with: git tag; git branch -a",
    ),
)


def explain(error: str, arguments: tuple[str, ...], *, partial: bool = False) -> GitError:
    """git's complaint about `git ARGUMENTS` as a sentence with the next step.

    `partial` says that the clone is partial: an object that is missing was then never fetched.
    """
    known = translate(error, partial=partial)
    return known if known is not None else quote(error, arguments)


def quote(error: str, arguments: tuple[str, ...]) -> GitError:
    """git's complaint in its own words."""
    lines = [line for line in error.splitlines() if line.strip()] or [f"git {_verb(arguments)} failed"]
    first = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0])
    return GitError(f"git says: {show(first.strip())[:300]}", "See whether it repeats with: git status")


def translate(error: str, *, partial: bool = False) -> GitError | None:
    """The same, or None when the complaint is not one of those that are known."""
    for pattern, kind, sentence, hint in _MEANINGS:
        found = re.search(pattern, error)
        if not found:
            continue
        if partial and hint is _DAMAGED:
            return GitError(NEVER_FETCHED, _FETCH)
        name = next((part for part in found.groups() if part), "")
        # The hint is to be typed, so it has the whole name.
        told = sentence.replace("{0}", shorten(name)).replace("{all}", show(found[0])[:300])
        return kind(told, hint.replace("{0}", show(name)))
    return None


def _verb(arguments: tuple[str, ...]) -> str:
    """The command among its options, as in `-c key=value diff-index`."""
    words = iter(arguments)
    for word in words:
        if word == "-c":
            next(words, None)
        elif not word.startswith("-"):
            return show(word)
    return ""
