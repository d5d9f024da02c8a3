"""Which commits does `v1.0..v1.1` mean, when was it released, and where does the project live on the web?"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Literal
from urllib.parse import quote, unquote, urlsplit

from gitnotes.errors import CannotJudge, UnknownRevision, UsageError
from gitnotes.guard.text import show
from gitnotes.read.git import Git
from gitnotes.versioning import Version, read_version

UNRELEASED = "Unreleased"
"""The version that is shown for an end that has no version tag."""

_UNSHALLOW = "Fetch the rest of the history with: git fetch --unshallow --tags"
_TAG_FORMAT = (
    "%(refname:strip=2)%00%(objectname)%00%(objecttype)%00%(*objectname)%00%(*objecttype)%00"
    "%(creatordate:unix)"
)


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
    """`YYYY-MM-DD` in UTC: of the annotated tag, else of the commit."""
    start_is_ancestor: bool
    """False when `start` was released from another branch, so that changes may be in both."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag that leads to a commit."""

    name: str
    sha: str
    """The commit, also for an annotated tag."""
    time: int
    version: Version | None


@dataclass(frozen=True, slots=True)
class Remote:
    """Where the project's pages are; no part of it carries a user name or password."""

    kind: Literal["github", "gitlab", "bitbucket", "azure", "gitea"]
    base: str
    """Address of the project's front page, without a slash at the end."""

    @property
    def pull_mark(self) -> str:
        """The sign before the number of a pull or merge request."""
        return "!" if self.kind in ("gitlab", "azure") else "#"

    def commit_url(self, sha: str) -> str:
        part = {"gitlab": "-/commit", "bitbucket": "commits"}.get(self.kind, "commit")
        return f"{self.base}/{part}/{quote(sha)}"

    def pull_url(self, number: int) -> str:
        part = {
            "github": "pull",
            "gitlab": "-/merge_requests",
            "bitbucket": "pull-requests",
            "azure": "pullrequest",
            "gitea": "pulls",
        }[self.kind]
        return f"{self.base}/{part}/{number}"

    def issue_url(self, number: int) -> str:
        if self.kind == "azure":
            return f"{self.base.split('/_git/')[0]}/_workitems/edit/{number}"
        return f"{self.base}/{'-/issues' if self.kind == 'gitlab' else 'issues'}/{number}"

    def compare_url(self, start: str, end: str) -> str:
        """The page that shows what is in tag `end` and not in tag `start`."""
        first, last = quote(start), quote(end)
        if self.kind == "azure":
            return (
                f"{self.base}/branchCompare?baseVersion=GT{quote(start, '')}&targetVersion=GT{quote(end, '')}"
            )
        if self.kind == "bitbucket":
            return f"{self.base}/branches/compare/{quote(end, '')}%0D{quote(start, '')}"
        return f"{self.base}/{'-/compare' if self.kind == 'gitlab' else 'compare'}/{first}...{last}"


def list_tags(git: Git) -> list[Tag]:
    """All tags that lead to a commit; a tag of a blob or tree is left out."""
    output = git.run("for-each-ref", f"--format={_TAG_FORMAT}", "refs/tags").decode(
        "utf-8", "surrogateescape"
    )
    tags: list[Tag] = []
    for line in output.split("\n"):
        if line.count("\0") != 5:
            continue
        name, sha, kind, peeled, peeled_kind, time = line.split("\0")
        if kind == "tag":
            sha, kind = peeled, peeled_kind
        if kind == "tag":  # a tag of a tag: older versions of git peel one level only
            found = git.find(f"refs/tags/{name}")
            if found is None:
                continue
            sha, kind = found, "commit"
        if kind == "commit":
            tags.append(Tag(name, sha, int(time or 0), read_version(name)))
    return tags


def resolve_range(git: Git, text: str) -> VersionRange:
    """The range that `text` means.

    `A..B`, `A..` (up to HEAD), `A...B` (the same as `A..B`: what came with B since the two parted),
    `..B` and a lone `B` (since the version before B, or since the first commit when there is none).

    Raises UsageError for an empty text, UnknownRevision with a suggestion for a name that git does
    not know, and CannotJudge for a range without commits or one that leaves a shallow clone.
    """
    text = text.strip()
    if not text or "\0" in text or "\n" in text:
        raise UsageError("A range must name revisions.", "Write it as v1.0..v1.1, or name one version tag.")
    tags = list_tags(git)
    first, dots, last = text.partition("...") if "..." in text else text.partition("..")
    end = (last or "HEAD") if dots else first
    if dots and not first and not last:
        raise UsageError(f"The range '{text}' names no revision.", "Write it as v1.0..v1.1.")
    end_sha = _resolve(git, end, tags)
    end_tag = _tag_of(end, end_sha, tags)
    if dots and first:
        start: str | None = first
        start_sha: str | None = _resolve(git, first, tags)
        is_ancestor = not git.run("rev-list", "--max-count=1", start_sha or "", f"^{end_sha}", "--")
    else:
        before = _version_before(git, end_sha, end_tag, tags)
        start, start_sha = (before.name, before.sha) if before else (None, None)
        is_ancestor = True
    _check_commits(git, text, start, start_sha, end, end_sha, is_ancestor)
    time = end_tag.time if end_tag else int(git.text("show", "-s", "--format=%ct", end_sha, "--"))
    return VersionRange(
        start=start,
        end=end,
        start_sha=start_sha,
        end_sha=end_sha,
        version=end_tag.version.name if end_tag and end_tag.version else _plain_name(end_tag),
        date=datetime.fromtimestamp(time, timezone.utc).date().isoformat(),
        start_is_ancestor=is_ancestor,
    )


def remote_links(git: Git) -> Remote | None:
    """The web pages of the remote that issue numbers belong to, or None when its host is not known.

    `upstream` goes before `origin`: a fork has its issues and pull requests there.
    """
    names = git.text("remote").split("\n")
    order = [name for name in ("upstream", "origin") if name in names] or [name for name in names if name][:1]
    for name in order:
        remote = read_remote_url(git.text("remote", "get-url", "--", name).split("\n")[0])
        if remote is not None:
            return remote
    return None


def read_remote_url(url: str) -> Remote | None:
    """The project behind a remote's address: https, ssh, git or `user@host:path`. Credentials are dropped."""
    url = url.strip()
    if any(sign < "!" for sign in url) or len(url) > 2000:
        return None
    if "://" in url:
        try:
            parts = urlsplit(url)
            host, path, port = (parts.hostname or ""), parts.path, parts.port
        except ValueError:
            return None
        web = parts.scheme if parts.scheme in ("http", "https") else ""
        if not web and parts.scheme not in ("ssh", "git", "git+ssh", "ssh+git"):
            return None
    else:
        match = re.fullmatch(r"(?:[^@:/]*@)?([A-Za-z0-9.-]+):(?!//)(.+)", url)
        # A single letter before the colon is a Windows drive.
        if match is None or len(match[1]) < 2:
            return None
        host, path, port, web = match[1].lower(), match[2], None, ""
    if not re.fullmatch(r"[a-z0-9.-]+", host):
        return None
    names = [unquote(part) for part in path.split("/") if part]
    if names:
        names[-1] = names[-1].removesuffix(".git")
    if len(names) < 2 or any(part in ("", ".", "..") for part in names):
        return None
    place = f"{web or 'https'}://{host}{f':{port}' if web and port else ''}"
    return _project(host, place, names)


def _project(host: str, place: str, names: list[str]) -> Remote | None:
    labels = host.split(".")
    if host in ("dev.azure.com", "ssh.dev.azure.com") or host.endswith(".visualstudio.com"):
        return _azure(host, [name for name in names if name.lower() not in ("_git", "defaultcollection")])
    path = "/".join(quote(name, safe="~") for name in names)
    if "github" in labels:
        return Remote("github", f"{place}/{path}") if len(names) == 2 else None
    if "gitlab" in labels:
        return Remote("gitlab", f"{place}/{path}")
    if host in ("bitbucket.org", "altssh.bitbucket.org"):
        return Remote("bitbucket", f"https://bitbucket.org/{path}") if len(names) == 2 else None
    if {"codeberg", "gitea", "forgejo"} & set(labels):
        return Remote("gitea", f"{place}/{path}")
    return None


def _azure(host: str, names: list[str]) -> Remote | None:
    if names[0] == "v3":
        names = names[1:]
    elif host.endswith(".visualstudio.com"):
        names = [host.split(".")[0], *names]
    if len(names) == 2:  # the repository that has the project's name
        names = [*names, names[1]]
    if len(names) != 3:
        return None
    organisation, project, repository = (quote(name, safe="~") for name in names)
    return Remote("azure", f"https://dev.azure.com/{organisation}/{project}/_git/{repository}")


def _resolve(git: Git, name: str, tags: list[Tag]) -> str:
    found = git.find(name)
    if found is not None:
        return found
    if name != "HEAD" and git.find("HEAD") is not None and not git.is_shallow():
        branches = git.text("for-each-ref", "--format=%(refname:strip=2)", "refs/heads").split("\n")
        close = _similar(name, [*(tag.name for tag in tags), *branches])
        if close:
            raise UnknownRevision(
                f"git does not know the revision '{show(name)}'.", f"Did you mean {' or '.join(close)}?"
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
    return [show(item) for item in (same or difflib.get_close_matches(name[:200], names, n=3))[:3]]


def _tag_of(name: str, sha: str, tags: list[Tag]) -> Tag | None:
    """The tag that `name` is, else the newest version tag on the same commit."""
    short = name.removeprefix("refs/").removeprefix("tags/")
    for tag in tags:
        if tag.name == short and tag.sha == sha:
            return tag
    here = [tag for tag in tags if tag.sha == sha and tag.version is not None and not tag.version.series]
    return max(here, key=_order, default=None)


def _plain_name(tag: Tag | None) -> str:
    return show(tag.name) if tag else UNRELEASED


def _order(tag: Tag) -> tuple[object, ...]:
    assert tag.version is not None
    return tag.version.key


def _version_before(git: Git, sha: str, end: Tag | None, tags: list[Tag]) -> Tag | None:
    """The highest earlier version of the same series that `sha` descends from.

    A final version looks back to the final one before it, so that its release candidates are part
    of its own notes. An end that is no version looks back to the highest version below it.
    """
    version = end.version if end else None
    if end is not None and version is None:
        return None
    series = version.series if version else ""
    merged = set(
        git.text("for-each-ref", f"--merged={sha}", "--format=%(refname:strip=2)", "refs/tags").split("\n")
    )
    earlier = [
        tag
        for tag in tags
        if tag.version is not None
        and tag.version.series == series
        and tag.name in merged
        and (version is None or tag.version.key < version.key)
        and (tag.version.is_final or (version is not None and not version.is_final))
    ]
    return max(earlier, key=_order, default=None)


def _check_commits(
    git: Git,
    text: str,
    start: str | None,
    start_sha: str | None,
    end: str,
    end_sha: str,
    start_is_ancestor: bool,
) -> None:
    limits = [f"^{start_sha}"] if start_sha else []
    if git.is_shallow():
        edge = git.path("shallow")
        boundary = set(edge.read_text("ascii").split()) if edge.exists() else set()
        if boundary & set(git.text("rev-list", end_sha, *limits, "--").split()):
            raise CannotJudge(
                f"This clone is shallow, and '{show(text)}' goes back further than it does.", _UNSHALLOW
            )
    if git.run("rev-list", "--max-count=1", end_sha, *limits, "--"):
        return
    names = f"'{show(start or '')}' and '{show(end)}'"
    if start_sha == end_sha:
        raise CannotJudge(
            f"There is nothing between {names}: both are commit {end_sha[:9]}.", "Name another start."
        )
    assert not start_is_ancestor
    raise CannotJudge(
        f"There is nothing in '{show(end)}' that is not in '{show(start or '')}' already.",
        f"Did you mean {show(end)}..{show(start or '')}?",
    )
