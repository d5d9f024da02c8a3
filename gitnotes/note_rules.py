"""What do the configuration files of other tools for release notes ask of a note?

Read by `read/conventions`, followed by `draft/notes`: `.github/release.yml`, `cliff.toml`, and the
fragments of towncrier and reno.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Field = Literal["message", "body", "scope"]


@dataclass(frozen=True, slots=True)
class LabelGroup:
    """A heading of `.github/release.yml`, and which changes stand under it."""

    title: str
    labels: tuple[str, ...] = ()
    """In small letters; `*` takes what no other heading takes."""
    without_labels: tuple[str, ...] = ()
    without_authors: tuple[str, ...] = ()
    """Names of accounts, in small letters."""


@dataclass(frozen=True, slots=True)
class MessageRule:
    """One of the `commit_parsers` of git-cliff: what it finds in a commit decides its heading."""

    field: Field
    pattern: str
    """A regular expression that `guard.regexes` let pass, found anywhere."""
    group: str = ""
    """As it is written, which is also its place: `<!-- 0 -->Features`."""
    skip: bool = False


@dataclass(frozen=True, slots=True)
class FragmentType:
    """A kind of fragment: what its file or section is called, and the heading that it stands under."""

    name: str
    title: str
    shown: bool = True
    """False where only its number is told."""


@dataclass(frozen=True, slots=True)
class FragmentPlace:
    """Where the fragments of a project are."""

    tool: Literal["towncrier", "reno"]
    folder: str
    """From the top, without a slash at its end."""
    types: tuple[FragmentType, ...]
    """In the order of the note."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """One entry of a note that people wrote along with the change that it is about."""

    path: str
    commit: str
    """The commit that added it."""
    text: str
    type: FragmentType
    issues: tuple[str, ...] = ()
    """As `#12`."""
    markup: Literal["rst", "markdown"] = "rst"
    released: str = ""
    """The earlier release that told it, from another branch."""
    prelude: bool = False
    """Whether it opens the whole note."""


@dataclass(frozen=True, slots=True)
class NoteRules:
    """What the files ask; what is empty they leave open."""

    sources: tuple[str, ...] = ()
    """The files that it was read from."""
    labels: tuple[LabelGroup, ...] = ()
    excluded: LabelGroup | None = None
    """What is left out of the whole note; its title is the file's name."""
    messages: tuple[MessageRule, ...] = ()
    order: tuple[str, ...] = ()
    """The groups of `messages` in the order of the note."""
    only_conventional: bool = False
    """Whether commits that are not conventional are left out."""
    only_matched: bool = False
    """Whether commits that no rule of `messages` is about are left out."""
    keeps_breaking: bool = False
    """Whether what breaks is told even if a rule skips it."""
    newest_first: bool = False
    tag_pattern: str = ""
    header: str = ""
    """What a new changelog begins with."""
    changelog: str = ""
    """The path of the project's changelog, from the top."""
    place: FragmentPlace | None = None
    notes: tuple[str, ...] = ()
    """A sentence for each thing that could not be taken over."""
