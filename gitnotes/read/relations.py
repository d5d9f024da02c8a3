"""Which commits undo, repeat or bundle others, and which pull requests do they come from?

Everything but the comparison of patches is read from the messages of the tree; patches are compared
only when somebody asks, because git has to make each of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from gitnotes.guard.patterns import late
from gitnotes.read.diff import PATCH_OPTIONS, PATCH_SETTINGS
from gitnotes.read.git import Git
from gitnotes.read.history import read_range
from gitnotes.read.squashes import split_squash
from gitnotes.records import Commit, CommitTree
from gitnotes.relations import Pick, Relations, Revert

_ID = r"[0-9a-f]{7,64}"
# The sentence that git writes, which begins a line; quoted or qualified it reverts nothing.
_REVERTS = late(r"^This reverts\s{1,3}(?:merge )?commits?\s{1,3}(?=[0-9a-f]{7})", re.M)
_NEXT_ID = late(rf"({_ID})\b(?:[, \t]{{0,3}}\n?(?:and\s{{1,3}})?(?:commit )?(?={_ID}\b))?")
_AFTER_IDS = late(
    r"[ \t]{0,3}(?:[.,;]?[ \t]*$|\.[ \t]|\("
    r"|,?\s(?:reversing|because|since|due to|as it|from (?:PR|MR|pull))\b)",
    re.M,
)
_REVERTED_PULL = late(
    r"^(?:Reverts|This (?:PR |MR )?reverts) (?:pull request |merge request |PR |MR )?"
    r"(?:[\w.-]{1,100}/[\w./-]{1,100})?([#!]\d{1,9})\b",
    re.M | re.I,
)
_REVERT_TITLE = late(r"(?:Revert|Reapply|Re-apply) [\"“'](.*)[\"”'][ ]{0,3}(?:\([#!]\d{1,9}\))?$", re.S)
_REVERT_START = late(r"(?:[a-z]{1,20}(?:\([^()]{1,60}\))?!?: ?)?(?:re-?vert|re-?apply|back ?out)", re.I)
_PICKED = late(rf"^\(cherry[ -]picked from commit ({_ID})\)", re.M)
_PORT_MARK = late(r"^\[(?:backport|release|stable|cherry-?pick|v?\d)[^\]]{0,40}\][ :-]*", re.I)

_NUMBER_AT_END = late(r"\(((?:PR |MR |backport |cherry[- ]pick )?[#!]\d{1,9}(?:, ?[#!]\d{1,9})*)\)[ .]*$")
_PORT_NUMBER = late(r"\((?:backport|cherry[- ]pick) [#!]\d{1,9}\)", re.I)
_MERGE_NUMBER = late(
    r"(?:Merge pull request |Merge PR |Auto merge of |Rollup merge of |Merge )#(\d{1,9})\b"
    r"|Merged in .{1,300} \(pull request #(\d{1,9})\)"
    r"|Merge pull request ['\"].{1,300}['\"] \(#(\d{1,9})\) from "
    r"|Merged PR (\d{1,9}):"
)
_MERGE_REQUEST = late(r"^See merge request (?:[\w./-]{0,200})!(\d{1,9})[ \t]*$", re.M)
_AZURE = "Merged PR "

_BATCH = 100
"""Commits whose patches are held in memory at a time."""


def read_relations(
    git: Git, tree: CommitTree, *, patches: bool = False, outside: Sequence[Commit] = ()
) -> Relations:
    """How the commits of `tree` relate to each other and to `outside`.

    `outside` are commits that a reader has already, such as those of `read_left_side`. `patches`
    compares the patches of all of them as well (about a millisecond each). Raises GitError.
    """
    pulls = {commit.sha: found for commit in tree.commits if (found := pull_numbers(commit))}
    reverts = tuple(find_reverts(tree, pulls))
    picks = {pick.sha: pick for pick in _named_picks(tree, outside)}
    for pick in (*_picks_by_pull(tree, outside), *_ports_by_pull(tree, pulls)):
        picks.setdefault(pick.sha, pick)
    if patches:
        undoes = {revert.sha: revert.target for revert in reverts}
        for pick in _equal_patches(git, tree, outside):
            if not _is_applied_again(pick, undoes):
                picks.setdefault(pick.sha, pick)
    return Relations(
        reverts=tuple(_on_this_side(reverts, tree, picks)),
        picks=tuple(picks[commit.sha] for commit in tree.commits if commit.sha in picks),
        squashes={commit.sha: parts for commit in tree.commits if (parts := split_squash(commit))},
        pulls=pulls,
    )


def read_left_side(git: Git, start: str | None, end: str) -> tuple[Commit, ...]:
    """The commits that `start` has and `end` has not: what a release from another branch holds,
    and what a range may repeat. Raises GitError."""
    return () if start is None else read_range(git, end, start).commits


def pull_numbers(commit: Commit) -> tuple[str, ...]:
    """The pull or merge requests that a commit says it comes from, as `#12` or `!12`.

    Reads the merge messages and squashed subjects of GitHub, GitLab, Bitbucket, Azure and Gitea.
    """
    found: list[str] = []
    subject = commit.subject[:1000]
    if match := _MERGE_NUMBER().match(subject):
        mark = "!" if subject.startswith(_AZURE) else "#"
        found.append(mark + next(number for number in match.groups() if number))
    if "See merge request" in commit.body:
        found += [f"!{number}" for number in _MERGE_REQUEST().findall(commit.body)]
    if subject.rstrip(" .").endswith(")"):
        numbers: list[str] = []
        while match := _NUMBER_AT_END().search(subject[-200:]):
            numbers[:0] = re.findall(r"[#!]\d{1,9}", match[1])
            subject = subject[: len(subject) - len(subject[-200:]) + match.start()]
        found += numbers
    return tuple(dict.fromkeys(found))


def find_reverts(tree: CommitTree, pulls: dict[str, tuple[str, ...]] | None = None) -> Iterator[Revert]:
    """What each commit of the tree undoes, newest first.

    By the ids in `This reverts commit ...`; without one by the pull request in `Reverts #12`; else
    by the title in `Revert "..."` when exactly one older commit has it.
    """
    if pulls is None:
        pulls = {commit.sha: found for commit in tree.commits if (found := pull_numbers(commit))}
    place = {commit.sha: at for at, commit in enumerate(tree.commits)}
    known = sorted(place)
    by_pull: dict[str, list[str]] = {}
    by_title: dict[str, list[str]] = {}
    for commit in tree.commits:
        by_title.setdefault(_title(commit.subject), []).append(commit.sha)
        for pull in pulls.get(commit.sha, ()):
            by_pull.setdefault(pull, []).append(commit.sha)
    for at, commit in enumerate(tree.commits):
        body = commit.body
        ids = _reverted_ids(body) if "everts" in body else []
        if ids:
            for name in ids:
                yield Revert(commit.sha, _complete(name, known), "id")
            continue
        if not _REVERT_START().match(commit.subject):
            continue
        numbers = _REVERTED_PULL().findall(f"{commit.subject[:1000]}\n{body}")
        # A merge repeats the title of its only commit; what came last made it part of the line.
        undone = [sha for pull in numbers for sha in _older(by_pull.get(pull, []), place, at)[:1]]
        if undone:
            for sha in dict.fromkeys(undone):
                yield Revert(commit.sha, sha, "pull")
            continue
        match = _REVERT_TITLE().match(commit.subject)
        older = _older(by_title.get(_title(match[1]), []), place, at) if match else []
        if match and commit.subject.startswith("Re") and commit.subject[2] != "v":
            # `Reapply "x"` undoes the revert of x.
            older = _older(by_title.get(_title(f'Revert "{match[1]}"'), []), place, at)
        if len(older) == 1:
            yield Revert(commit.sha, older[0], "title")


def _on_this_side(reverts: Iterable[Revert], tree: CommitTree, picks: dict[str, Pick]) -> Iterator[Revert]:
    """A revert that was picked from another branch names the commit there; here it undoes its copy."""
    inside = {commit.sha for commit in tree.commits}
    copies = {pick.source: pick.sha for pick in picks.values()}
    for revert in reverts:
        copy = copies.get(revert.target)
        if revert.target not in inside and copy and copy != revert.sha:
            revert = Revert(revert.sha, copy, revert.how)
        yield revert


def _reverted_ids(body: str) -> list[str]:
    """The ids named as reverted; those of `reversing changes made to ...` are not among them."""
    found: list[str] = []
    for match in _REVERTS().finditer(body):
        ids: list[str] = []
        end = match.end()
        while after := _NEXT_ID().match(body, end):
            ids.append(after[1])
            end = after.end()
        if _AFTER_IDS().match(body, end):
            found += ids
    return list(dict.fromkeys(found))


def _complete(name: str, ids: Sequence[str]) -> str:
    """The one id that begins with `name`, else `name`."""
    at = bisect_left(ids, name)
    near = [item for item in ids[at : at + 2] if item.startswith(name)]
    return near[0] if len(near) == 1 else name


def _older(shas: Iterable[str], place: dict[str, int], than: int) -> list[str]:
    return [sha for sha in shas if place[sha] > than]


def _title(subject: str) -> str:
    """A subject without pull-request numbers and the mark of a port, for comparison."""
    text = " ".join(_PORT_MARK().sub("", subject).split())
    while match := _NUMBER_AT_END().search(text[-200:]):
        text = text[: len(text) - len(text[-200:]) + match.start()].rstrip()
    return text.casefold()


def _named_picks(tree: CommitTree, outside: Sequence[Commit]) -> Iterator[Pick]:
    """By `git cherry-pick -x`; where a commit was picked again and again, the last line counts."""
    ids = sorted({commit.sha for commit in (*tree.commits, *outside)})
    for commit in tree.commits:
        found = _PICKED().findall(commit.body) if "(cherry" in commit.body else None
        if found:
            yield Pick(commit.sha, _complete(found[-1], ids), "line")


def _picks_by_pull(tree: CommitTree, outside: Sequence[Commit]) -> Iterator[Pick]:
    """A patch that had to be adapted has another id, but often the subject and pull request of its
    original on the other side."""
    others: dict[tuple[str, str], str] = {}
    for commit in outside:
        for pull in pull_numbers(commit):
            others.setdefault((_title(commit.subject), pull), commit.sha)
    if not others:
        return
    for commit in tree.commits:
        for pull in pull_numbers(commit):
            source = others.get((_title(commit.subject), pull))
            if source and not commit.is_merge:
                yield Pick(commit.sha, source, "pull")
                break


def _ports_by_pull(tree: CommitTree, pulls: dict[str, tuple[str, ...]]) -> Iterator[Pick]:
    """A commit that is marked as a port, with the subject and a pull request of one without a mark."""
    originals: dict[tuple[str, str], str] = {}
    marked: list[Commit] = []
    for commit in tree.commits:
        if commit.is_merge or commit.sha not in pulls:
            continue
        if _PORT_MARK().match(commit.subject) or _PORT_NUMBER().search(commit.subject[-200:]):
            marked.append(commit)
        else:
            originals.update({(_title(commit.subject), pull): commit.sha for pull in pulls[commit.sha]})
    for commit in marked:
        keys = ((_title(commit.subject), pull) for pull in pulls[commit.sha])
        source = next((originals[key] for key in keys if key in originals), None)
        if source is not None:
            yield Pick(commit.sha, source, "pull")


def _is_applied_again(pick: Pick, undoes: dict[str, str]) -> bool:
    """Whether the commit undoes what undid the other, which makes the two patches equal."""
    sha, seen = pick.sha, {pick.sha}
    while (sha := undoes.get(sha, "")) and sha not in seen:
        if sha == pick.source:
            return True
        seen.add(sha)
    return False


def _equal_patches(git: Git, tree: CommitTree, outside: Sequence[Commit]) -> Iterator[Pick]:
    """Pairs with the same `git patch-id --stable`: the older commit is the original."""
    wanted = [commit.sha for commit in (*outside, *reversed(tree.commits)) if not commit.is_merge]
    ids = patch_ids(git, wanted)
    inside = {commit.sha for commit in tree.commits}
    first: dict[str, str] = {}
    for sha in wanted:
        if sha not in ids:
            continue
        source = first.setdefault(ids[sha], sha)
        if source != sha and sha in inside:
            yield Pick(sha, source, "patch")


def patch_ids(git: Git, shas: Sequence[str]) -> dict[str, str]:
    """`git patch-id --stable` of each commit that changes something; line numbers and white space do
    not count. Raises GitError."""
    found: dict[str, str] = {}
    for at in range(0, len(shas), _BATCH):
        asked = "".join(f"{sha}\n" for sha in shas[at : at + _BATCH]).encode("ascii")
        patches = git.run(*PATCH_SETTINGS, "diff-tree", "--stdin", "--root", "-r", *PATCH_OPTIONS, feed=asked)
        if patches:
            answer = git.run("patch-id", "--stable", feed=patches).decode("ascii")
            found.update((line[-len(shas[0]) :], line.split(" ", 1)[0]) for line in answer.splitlines())
    return found
