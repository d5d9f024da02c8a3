"""Which commits does `v1.0..v1.1`, `latest` or `unreleased` mean, and when was it released?"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from gitnotes.errors import CannotJudge, UnknownRevision, UsageError
from gitnotes.guard.text import shorten, show
from gitnotes.read.git import Git
from gitnotes.read.paths import plain_path
from gitnotes.versioning import Version, read_version, release_ranks

UNRELEASED = "Unreleased"
"""The version that is shown for an end that has no version tag."""

_UNSHALLOW = "Fetch the rest of the history with: git fetch --unshallow --tags"
_SERIES_WORD = re.compile(r"(?!refs/|tags/|heads/)((?:.{0,200}[-@/_v])?)(latest|unreleased)")
_TAG_FORMAT = (
    "%(refname:strip=2)%00%(objectname)%00%(objecttype)%00%(*objectname)%00%(*objecttype)%00"
    "%(creatordate:unix)%00%(*committerdate:unix)"
)
# git's own reading: the digits behind the last `>` of the line.
_COMMITTER = re.compile(rb"^committer [^\n]*> *([0-9]{1,20})", re.MULTILINE)
_YEAR_10000 = 253_402_300_800


@dataclass(frozen=True, slots=True)
class VersionRange:
    """The commits that are in `end` and not in `start`."""

    start: str | None
    """The name as typed, or the tag that was found; None for the whole history up to `end`."""
    end: str
    start_sha: str | None
    end_sha: str
    version: str
    """What a reader is shown: `1.1.0` for `pkg/v1.1.0`; `Unreleased` when no version tag is there."""
    date: str
    """`YYYY-MM-DD` in UTC: of the annotated tag, else of the commit; 1970-01-01 where neither has one."""
    start_is_ancestor: bool
    """False when `start` was released from another branch, so that changes may be in both."""
    merge_base: str | None = None
    """Where the two branches parted, when `start` is no ancestor; None when they share nothing."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag that leads to a commit."""

    name: str
    sha: str
    """The commit, also for an annotated tag."""
    time: int
    """Of the annotated tag, else of the commit; 0 where neither has a date that a calendar knows."""
    version: Version | None


def list_tags(git: Git) -> list[Tag]:
    """All tags that lead to a commit; a tag of a blob or tree is left out."""
    output = git.run("for-each-ref", f"--format={_TAG_FORMAT}", "refs/tags").decode(
        "utf-8", "surrogateescape"
    )
    tags: list[Tag] = []
    for line in output.split("\n"):
        if line.count("\0") != 6:
            continue
        name, sha, kind, peeled, peeled_kind, tagged, committed = line.split("\0")
        if kind == "tag":
            sha, kind = peeled, peeled_kind
        if kind == "tag":  # a tag of a tag: older versions of git peel one level only
            found = git.find(f"refs/tags/{name}")
            if found is None:
                continue
            sha, kind = found, "commit"
        if kind == "commit":
            tags.append(Tag(name, sha, _read_time(tagged) or _read_time(committed), read_version(name)))
    return tags


def commit_time(git: Git, sha: str) -> int:
    """When the commit was made, in seconds since the epoch; 0 where it states no date of the years
    1970 to 9999. Raises GitError."""
    # Not by `git log` or `git show`, which a dozen settings make say something else.
    header = git.run("cat-file", "commit", sha).partition(b"\n\n")[0]
    found = _COMMITTER.search(header)
    return _read_time(found[1].decode()) if found else 0


def _read_time(text: str) -> int:
    time = int(text) if text.isascii() and text.isdigit() else 0
    return time if time < _YEAR_10000 else 0


def resolve_range(
    git: Git,
    text: str,
    *,
    since: str | None = None,
    paths: Sequence[str] = (),
    tags: list[Tag] | None = None,
) -> VersionRange:
    """The range that `text` means.

    `A..B`, `A..` (up to HEAD), `A...B` (the same as `A..B`: what came with B since the two parted),
    `..B` and a lone `B` (since the version before B, or since the first commit when there is none).
    `latest` is the newest version that HEAD descends from, `unreleased` what came after it; the
    tags of a package go before the word: `pkg@latest`, `pkg/unreleased`. (`refs/tags/latest` is a
    tag of that name.) `since` gives a lone `B` another start; with `paths` only commits that touch
    them count. `tags` are those of the repository, where they were listed already.

    Raises UsageError for an empty text, UnknownRevision with a suggestion for a name that git does
    not know, and CannotJudge for a range without commits or one that leaves a shallow clone.
    """
    text = text.strip()
    if not text or "\0" in text or "\n" in text:
        raise UsageError("A range must name revisions.", "Write it as v1.0..v1.1, or name one version tag.")
    tags = list_tags(git) if tags is None else tags
    first, dots, last = text.partition("...") if "..." in text else text.partition("..")
    if dots and not first and not last:
        raise UsageError(f"The range '{shorten(text)}' names no revision.", "Write it as v1.0..v1.1.")
    if since is not None:
        if dots:
            raise UsageError(
                f"'{shorten(text)}' has a start already.",
                f"Write {shorten(since)}..{shorten(last or 'HEAD')}.",
            )
        first, dots, last = since, "..", text
    series = _SERIES_WORD.fullmatch(first if not dots else last)
    if series and series[2] == "unreleased":
        # Up to HEAD; without another start, from the newest version of the package.
        newest = _newest(git, series[1], tags)
        first, dots, last = first if dots else (newest.name if newest else ""), "..", "HEAD"
    end = _named(git, (last or "HEAD") if dots else first, tags)
    end_sha = _resolve(git, end, tags)
    end_tag = _tag_of(end, end_sha, tags)
    if dots and first:
        start: str | None = _named(git, first, tags)
        start_sha: str | None = _resolve(git, start or "", tags)
        is_ancestor = not git.run("rev-list", "--max-count=1", start_sha or "", f"^{end_sha}", "--")
    else:
        before = _version_before(git, end_sha, end_tag, tags)
        start, start_sha = (before.name, before.sha) if before else (None, None)
        is_ancestor = True
    _check_commits(git, text, start, start_sha, end, end_sha, paths, is_ancestor=is_ancestor)
    time = (end_tag.time if end_tag else 0) or commit_time(git, end_sha)
    base = "" if is_ancestor else git.text("merge-base", start_sha or "", end_sha, ok=(0, 1))
    return VersionRange(
        start=start,
        end=end,
        start_sha=start_sha,
        end_sha=end_sha,
        version=end_tag.version.name if end_tag and end_tag.version else _plain_name(end_tag),
        date=datetime.fromtimestamp(time, timezone.utc).date().isoformat(),
        start_is_ancestor=is_ancestor,
        merge_base=base or None,
    )


def package_paths(git: Git, series: str, revision: str = "HEAD") -> tuple[str, ...]:
    """The folder of the package whose tags begin with `series` (`pkg@`, `@scope/pkg/v`), as a path
    from the top; none when no folder, or more than one equally deep, has its name. Raises GitError."""
    name = re.split(r"[/@]", series.rstrip("/@-_v"))[-1]
    if not name:
        return ()
    listed = git.run("ls-tree", "-r", "-d", "-z", "--full-tree", "--name-only", git.resolve(revision))
    folders = [os.fsdecode(path) for path in listed.split(b"\0") if path]
    mine = [path for path in folders if path.rpartition("/")[2] == name]
    depth = min((path.count("/") for path in mine), default=0)
    nearest = [path for path in mine if path.count("/") == depth]
    return (nearest[0],) if len(nearest) == 1 else ()


def _named(git: Git, name: str, tags: list[Tag]) -> str:
    """The tag that `latest` or `pkg@latest` stands for; any other name as it is."""
    match = _SERIES_WORD.fullmatch(name)
    if match is None or match[2] != "latest":
        return name
    newest = _newest(git, match[1], tags)
    if newest is None:
        raise CannotJudge(
            "No version tag leads to HEAD, so there is no latest version.", "Name a range, such as A..B."
        )
    return newest.name


def _newest(git: Git, series: str, tags: list[Tag]) -> Tag | None:
    """The highest final version that HEAD descends from, else the highest pre-release."""
    merged = _merged(git, git.resolve("HEAD"), tags)
    if not series:
        names = sorted({tag.version.series for tag in merged if tag.version})
        if "" not in names and len(names) > 1:
            raise UsageError(
                "Each package has its own versions here.",
                f"Name one, such as {shorten(names[0])}latest or {shorten(names[1])}latest.",
            )
    wanted = _series_like(series, merged)
    mine = [tag for tag in merged if tag.version and tag.version.series == wanted]
    return _highest([tag for tag in mine if tag.version and tag.version.is_final] or mine, tags)


def _series_like(series: str, tags: list[Tag]) -> str:
    """The series of that name, with or without the `v` and the sign after it; of a project that has
    only one, that one."""
    names = {tag.version.series for tag in tags if tag.version}
    if series not in names and not series and len(names) == 1:
        return names.pop()
    return series if series in names else series.removesuffix("v")


def _merged(git: Git, sha: str, tags: list[Tag]) -> list[Tag]:
    """The tags that `sha` descends from."""
    found = git.run("for-each-ref", f"--merged={sha}", "--format=%(refname:strip=2)", "refs/tags")
    names = set(found.decode("utf-8", "surrogateescape").split("\n"))
    return [tag for tag in tags if tag.name in names]


def _highest(some: list[Tag], tags: list[Tag]) -> Tag | None:
    """The one of `some` with the highest version; all tags of the series say which scheme it keeps."""
    ranks = _ranks(some, tags)
    return max(some, key=lambda tag: (ranks[tag.version.name] if tag.version else -1, tag.time), default=None)


def _ranks(some: list[Tag], tags: list[Tag]) -> dict[str, int]:
    series = {tag.version.series for tag in some if tag.version}
    return release_ranks(tag.version for tag in tags if tag.version and tag.version.series in series)


def _resolve(git: Git, name: str, tags: list[Tag]) -> str:
    found = git.find(name)
    if found is not None:
        return found
    if name != "HEAD" and git.find("HEAD") and not git.kind(name) and not git.is_shallow():
        branches = git.text("for-each-ref", "--format=%(refname:strip=2)", "refs/heads").split("\n")
        close = _similar(name, [*(tag.name for tag in tags), *branches])
        if close:
            raise UnknownRevision(
                f"git does not know the revision '{shorten(name)}'.", f"Did you mean {' or '.join(close)}?"
            )
    return git.resolve(name)


def _similar(name: str, known: Iterable[str]) -> list[str]:
    names = [item for item in known if item]
    wanted = read_version(name)
    same = [
        item
        for item in names
        if wanted is not None
        and (version := read_version(item)) is not None
        and (version.name == wanted.name or (version.key, version.series) == (wanted.key, wanted.series))
    ]
    return [shorten(item) for item in (same or difflib.get_close_matches(name[:200], names, n=3))[:3]]


def _tag_of(name: str, sha: str, tags: list[Tag]) -> Tag | None:
    """The tag that `name` is, else the newest version tag on the same commit."""
    short = name.removeprefix("refs/").removeprefix("tags/")
    for tag in tags:
        if tag.name == short and tag.sha == sha:
            return tag
    main = _series_like("", tags)
    return _highest(
        [tag for tag in tags if tag.sha == sha and tag.version is not None and tag.version.series == main],
        tags,
    )


def _plain_name(tag: Tag | None) -> str:
    return show(tag.name) if tag else UNRELEASED


def _version_before(git: Git, sha: str, end: Tag | None, tags: list[Tag]) -> Tag | None:
    """The highest earlier version of the same series that `sha` descends from.

    A final version looks back to the final one before it, so that its release candidates are part
    of its own notes. An end that is no version looks back to the highest version below it.
    """
    version = end.version if end else None
    if end is not None and version is None:
        return None
    series = version.series if version else _series_like("", tags)
    ranks = release_ranks(tag.version for tag in tags if tag.version and tag.version.series == series)
    earlier = [
        tag
        for tag in _merged(git, sha, tags)
        if tag.version is not None
        and tag.version.series == series
        and (version is None or ranks[tag.version.name] < ranks[version.name])
        and (tag.version.is_final or (version is not None and not version.is_final))
    ]
    return _highest(earlier, tags)


def _check_commits(
    git: Git,
    text: str,
    start: str | None,
    start_sha: str | None,
    end: str,
    end_sha: str,
    paths: Sequence[str],
    *,
    is_ancestor: bool,
) -> None:
    limits = [f"^{start_sha}"] if start_sha else []
    if git.is_shallow():
        edge = git.path("shallow")
        boundary = set(edge.read_text("ascii").split()) if edge.exists() else set()
        if boundary & set(git.text("rev-list", end_sha, *limits, "--").split()):
            raise CannotJudge(
                f"This clone is shallow, and '{shorten(text)}' goes back further than it does.", _UNSHALLOW
            )
    # To find one commit between two ends git walks the history down to where they part.
    if start_sha and start_sha != end_sha and is_ancestor and not paths:
        return
    if git.run("rev-list", "--max-count=1", end_sha, *limits, "--", *paths):
        return
    if paths and git.run("rev-list", "--max-count=1", end_sha, *limits, "--"):
        raise CannotJudge(
            f"No commit of '{shorten(text)}' touches {shorten(', '.join(map(plain_path, paths)))}.",
            "Are the paths spelled right?",
        )
    names = f"'{shorten(start or '')}' and '{shorten(end)}'"
    if start_sha == end_sha:
        raise CannotJudge(
            f"There is nothing between {names}: both are commit {end_sha[:9]}.", "Name another start."
        )
    raise CannotJudge(
        f"There is nothing in '{shorten(end)}' that is not in '{shorten(start or '')}' already.",
        f"Did you mean {shorten(end)}..{shorten(start or '')}?",
    )
