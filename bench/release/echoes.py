"""Which lists of subjects does any release note have to beat?

`flat` is every subject that is no merge's. `tree` walks the first parents: a merge is its title (the first
line of the body below `Merge pull request`, else a subject of its own), and one without a title is opened.
`tree-filtered` leaves out bumps, CI, tests, documentation, chores and releases; `tree-bodies` also takes
the first paragraph of a merge for its title. None uses anything of `gitnotes.draft`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from gitnotes.records import Commit, CommitTree

_NOISE = re.compile(
    r"(?:chore|ci|build|tests?|docs?|style|refactor)(?:\([^)]*\))?!?:|(?:\[?docs?\]?|ci|tests?)\b"
    r"|(?:bump|update dependenc|upgrade) "
    r"|.*\b(?:typos?|readme|changelog|lint|flake8|mypy|pre-commit|workflow)\b"
    r"|(?:release|prepare|start|cut|version|set version)\b|v?\d+\.\d+",
    re.I,
)
_GENERATED = re.compile(r"Merge (?:branch|remote-tracking|tag|commit|pull request)|Merged in ")
_PULL = re.compile(r"Merge pull request #\d+|Auto merge of #\d+|Merge #\d+")


def flat(tree: CommitTree) -> list[str]:
    """Every subject that is no merge's, newest first."""
    return [commit.subject for commit in tree.commits if not commit.is_merge]


def walk(tree: CommitTree, *, bodies: bool = False) -> list[str]:
    """What the first parents say, newest first, each text once."""
    by_sha = {commit.sha: commit for commit in tree.commits}
    seen: set[str] = set()
    found: dict[str, None] = {}
    todo = [tree.commits[0].sha] if tree.commits else []
    while todo:
        sha = todo.pop()
        commit = by_sha.get(sha)
        if commit is None or sha in seen:
            continue
        seen.add(sha)
        title = _title(commit, bodies) if commit.is_merge else commit.subject
        if title:
            found.setdefault(title)
            todo.extend(commit.parents[:1])
        else:
            todo.extend(commit.parents)
    return list(found)


def filtered(lines: list[str]) -> list[str]:
    """The lines without those that are no news to users, as a rule."""
    return [line for line in lines if not _NOISE.match(line)]


def _title(merge: Commit, bodies: bool) -> str:
    if not _GENERATED.match(merge.subject):
        return merge.subject
    paragraph = merge.body.strip().split("\n\n", 1)[0]
    if _PULL.match(merge.subject):
        return paragraph.split("\n", 1)[0].strip()
    return " ".join(paragraph.split()) if bodies else ""


ECHOES: dict[str, Callable[[CommitTree], list[str]]] = {
    "flat": flat,
    "tree": walk,
    "tree-filtered": lambda tree: filtered(walk(tree)),
    "tree-bodies": lambda tree: filtered(walk(tree, bodies=True)),
}
