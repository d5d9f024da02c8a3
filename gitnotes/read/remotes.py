"""Where does the project live on the web, so that a note can link to it?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import quote, unquote, urlsplit

from gitnotes.read.git import Git

Kind = Literal["github", "gitlab", "bitbucket", "azure", "gitea"]
_KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Remote:
    """Where the project's pages are; no part of it carries a user name or password."""

    kind: Kind
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


def remote_links(git: Git) -> Remote | None:
    """The web pages of the remote that issue numbers belong to, or None when its host is not known.

    `upstream` goes before `origin`: a fork has its issues and pull requests there. A host that has
    its own name is known when the setting `gitnotes.forge` says what runs there.
    """
    said = (git.config("gitnotes.forge") or "").lower()
    kind = next((name for name in _KINDS if name == said), None)
    for url in _urls(git):
        remote = read_remote_url(url, kind)
        if remote is not None:
            return remote
    return None


def _urls(git: Git) -> Iterator[str]:
    """The addresses of the remotes that count, the weightiest first."""
    settings = git.settings()
    if not any(key.startswith("url.") for key, _ in settings):  # nothing is written in place of another
        usual = [f"remote.{name}.url" for name in ("upstream", "origin")]
        told = {key: value for key, value in reversed(settings) if key in usual and value}
        if told:
            yield from (told[key] for key in usual if key in told)
            return
    names = git.text("remote").split("\n")
    order = [name for name in ("upstream", "origin") if name in names] or [name for name in names if name][:1]
    for name in order:
        yield git.text("remote", "get-url", "--", name).split("\n")[0]


def read_remote_url(url: str, kind: Kind | None = None) -> Remote | None:
    """The project behind a remote's address: https, ssh, git or `user@host:path`. Credentials are dropped.

    `kind` says what runs on a host whose name does not tell.
    """
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
    return _project(host, place, names, kind)


def _project(host: str, place: str, names: list[str], kind: Kind | None) -> Remote | None:
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
    return Remote(kind, f"{place}/{path}") if kind and kind != "azure" else None


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
