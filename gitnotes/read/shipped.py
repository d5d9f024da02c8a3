"""Which changes of a range were in an earlier release already, by way of another branch?

A fix is released from a maintenance branch and picked to the main line, or the other way round; the
next release of the main line would announce it again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from gitnotes.read.git import Git
from gitnotes.read.history import read_range
from gitnotes.read.relations import read_relations
from gitnotes.read.versions import Tag, VersionRange, commit_time, list_tags
from gitnotes.records import Commit, CommitTree
from gitnotes.versioning import read_version, release_ranks

_MOST_TAGS = 30
"""Releases of other branches that are looked at, the newest ones; a range seldom has one."""
_MOST_ASKED = 1000
"""Tags that one command line names."""
_MOST_COMMITS = 5000


def find_shipped(
    git: Git, span: VersionRange, tree: CommitTree, tags: Sequence[Tag] | None = None
) -> dict[str, str]:
    """For each commit of `tree` whose change an earlier release has, the name of that release.

    Looked at are the versions from the start of the range to before its end, by number and by
    date, that the end does not descend from. A change is the same by the line of
    `git cherry-pick -x` (on either side), by its patch, or by subject and pull request. Patches are
    made only of commits that touch the same files as one of the other side, so `tree` should have
    files. `tags` are those of the repository, where they were listed already. Raises GitError.
    """
    release: dict[str, str] = {}
    outside: list[Commit] = []
    for tag in _side_releases(git, span, list_tags(git) if tags is None else tags):
        for commit in read_range(
            git, span.end_sha, tag.sha, files=True, renames=False, limit=_MOST_COMMITS
        ).commits:
            if release.setdefault(commit.sha, tag.name) == tag.name:
                outside.append(commit)
    if not outside:
        return {}
    found: dict[str, str] = {}
    side = CommitTree(None, span.end, tuple(outside))
    # A pick on the other side names its original here.
    for pick in read_relations(git, side, outside=tree.commits).picks:
        if pick.how == "line":
            found.setdefault(pick.source, release[pick.sha])
    for pick in (
        *read_relations(git, tree, outside=outside).picks,
        *read_relations(
            git, _alike(tree, outside), patches=True, outside=_alike(side, tree.commits).commits
        ).picks,
    ):
        if pick.source in release:
            found.setdefault(pick.sha, release[pick.source])
    inside = {commit.sha for commit in tree.commits}
    return {sha: name for sha, name in found.items() if sha in inside}


def _side_releases(git: Git, span: VersionRange, tags: Sequence[Tag]) -> list[Tag]:
    """The versions between both ends that the end does not descend from, in release order."""
    end = read_version(span.end) or read_version(span.version)
    start = read_version(span.start) if span.start else None
    series = (end or start).series if end or start else ""  # type: ignore[union-attr]
    tags = [tag for tag in tags if tag.version and tag.version.series == series]
    ranks = release_ranks(
        version for version in (*(tag.version for tag in tags), end, start) if version is not None
    )
    first = ranks[start.name] if start else -1
    last = ranks[end.name] if end else len(ranks)
    # A maintenance release that came out later has nothing from which the range could repeat it.
    time = _time_of(git, span, tags)
    between = [
        tag
        for tag in tags
        if (tag.time <= time or tag.name == span.start)
        and tag.version
        and first <= ranks[tag.version.name] < last
    ]
    between.sort(key=lambda tag: ranks[tag.version.name] if tag.version else 0)
    return _not_merged(git, span.end_sha, between)[-_MOST_TAGS:]


def _not_merged(git: Git, end: str, tags: list[Tag]) -> list[Tag]:
    """Those of the tags that `end` does not descend from. git is asked about these alone, since it walks
    the history for each tag that it is asked about."""
    if not tags:
        return []
    names = [f"refs/tags/{tag.name}" for tag in tags[-_MOST_ASKED:]]
    if any(sign in name for name in names for sign in "*?[\\"):
        names = ["refs/tags"]
    found = git.run("for-each-ref", f"--no-merged={end}", "--format=%(refname:strip=2)", *names)
    outside = set(found.decode("utf-8", "surrogateescape").split("\n"))
    return [tag for tag in tags if tag.name in outside]


def _time_of(git: Git, span: VersionRange, tags: Sequence[Tag]) -> int:
    """When the end of the range was tagged, else committed."""
    named = [tag.time for tag in tags if tag.name == span.end and tag.sha == span.end_sha]
    return named[0] if named else commit_time(git, span.end_sha)


def _alike(tree: CommitTree, others: Sequence[Commit]) -> CommitTree:
    """The tree with only the commits that touch the same files as one of `others`."""
    wanted = {_touched(commit) for commit in others}
    kept = tuple(commit for commit in tree.commits if commit.files and _touched(commit) in wanted)
    return dataclasses.replace(tree, commits=kept)


def _touched(commit: Commit) -> frozenset[str]:
    return frozenset(change.path for change in commit.files or ())
