"""How does a range become a release note? Read the tree, learn the style, draft."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

from gitnotes.errors import UsageError
from gitnotes.guard.text import shorten
from gitnotes.read.git import Git, open_git
from gitnotes.records import CommitTree, Draft

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from gitnotes.draft.notes.note import Selection
    from gitnotes.draft.notes.presets import NoteStyle
    from gitnotes.note_rules import Fragment, NoteRules
    from gitnotes.read.remotes import Remote
    from gitnotes.read.versions import Tag, VersionRange

Source = Literal["tree", "commits", "diffs"]

_STEMS = ("changelog", "changes", "history", "news", "release_notes", "releases")
_CHANGELOG = re.compile(rf"({'|'.join(_STEMS)})(?:\.(?:md|markdown|rst|rest|txt))?", re.IGNORECASE)
_LARGEST = 8_000_000
"""Bytes of a changelog; only the newest notes are looked at."""


@dataclass(frozen=True, slots=True)
class NoteOptions:
    """What a note should be like; what is left empty the project decides."""

    style: str | None = None
    """The name of a preset, or `auto`."""
    source: Source = "tree"
    """What entries are made from."""
    language: str = ""
    """That of headings and phrases, by code or name; entries stay as they are written."""
    audience: str = ""
    contributors: bool = False
    highlights: bool = False
    package: str = ""
    """The folder of a package that has versions of its own."""
    template: Path | None = None
    """A Jinja2 template that lays it out."""
    breaking: bool = False
    """Whether what breaks is also looked for in the code; `source` diffs does in any case."""
    version: str = ""
    """What to call the end of the range where it has no tag yet, such as `1.2.0` or `v1.2.0`."""


@dataclass(frozen=True, slots=True)
class Material:
    """What a release note is made from."""

    range: VersionRange
    tree: CommitTree
    selection: Selection
    remote: Remote | None
    options: NoteOptions
    changelog: str = field(default="", repr=False)
    """The text of the changelog whose style it has; empty when there is none."""
    changelog_name: str = ""
    rules: NoteRules | None = None
    """Those of the project's files for other tools."""
    fragments: tuple[Fragment, ...] = ()
    told: tuple[str, ...] = ()
    """A sentence for each thing of these files that could not be followed."""
    possible: tuple[str, ...] = ()
    """A sentence for each thing that may break somebody, where the code was asked."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release note and what it was made from."""

    note: Draft
    material: Material

    @property
    def range(self) -> VersionRange:
        return self.material.range


def read_source(text: str) -> Source:
    """What the user wrote as the source of entries; raises UsageError when it is none."""
    if text in get_args(Source):
        return cast(Source, text)
    raise UsageError(
        f"Entries cannot be made from '{shorten(text)}'.", f"Choose one of: {', '.join(get_args(Source))}."
    )


def release_note(versions: str, *, repo: str | Path | None = None, style: str | None = None) -> Draft:
    """A release note for a range such as `v1.0..v1.1`, or for one tag.

    It looks like those in the changelog that the project has at the end of the range, and as Keep a
    Changelog where it has none; `style` names a preset instead, or `auto` for the one that suits the
    commits. Raises GitnotesError: no repository, unknown revision, empty range, history not here,
    unknown style.
    """
    return draft_release(open_git(repo), versions, NoteOptions(style=style)).note


def draft_release(
    git: Git,
    versions: str,
    options: NoteOptions | None = None,
    *,
    path: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> Release:
    """Reads the commit tree of a range and drafts its note.

    The style is that of the notes in the file at `path`, or without one of the project's changelog,
    unless the options name one. Raises GitnotesError.
    """
    from gitnotes.draft.notes.note import learn_note_style, select_entries
    from gitnotes.read.history import read_range
    from gitnotes.read.remotes import remote_links
    from gitnotes.read.shipped import find_shipped
    from gitnotes.read.versions import list_tags
    from gitnotes.recipes.release_language import why_not_spoken
    from gitnotes.recipes.release_rules import find_fragments, find_rules, fit_rules
    from gitnotes.versioning import read_version
    from gitnotes.write.release_body import without_section

    options = options or NoteOptions()
    tags = list_tags(git)
    span = find_span(git, versions, options, tags)
    rules = find_rules(git)
    existing, name = (_read_changelog(path), path.name) if path else ("", "")
    if path is None:
        existing, name = find_changelog(git, span.end_sha, rules.changelog if rules else "")
    if options.version:
        span = dataclasses.replace(span, date=_date_of(git, span, existing))
    tree = read_range(
        git, span.start_sha, span.end_sha, files=True, mailmap=True, renames=False, name=span.end
    )
    tree = dataclasses.replace(tree, start=span.start)
    # A second run must not learn from what the first one wrote.
    earlier = without_section(existing, read_version(span.version)) if existing else ""
    style: str | NoteStyle = options.style or learn_note_style(earlier, name)
    rules, own_headings = fit_rules(rules, style)
    fragments, unread = find_fragments(git, rules, tree, span)
    evidence = None
    if options.breaking or options.source == "diffs":
        from gitnotes.recipes.release_breaking import find_breaks

        evidence = find_breaks(git, span)
    selection = select_entries(
        tree,
        style,
        rules=rules,
        fragments=fragments,
        own_headings=own_headings,
        gone=evidence.gone if evidence else None,
        language=options.language,
        shipped=find_shipped(git, span, tree, tags),
        audience=options.audience,
        folder=options.package,
        flat=options.source == "commits",
    )
    from gitnotes.recipes.release_evidence import tell_by_diffs

    if options.source != "commits":
        told, count = tell_by_diffs(
            git, selection.entries, tree, every=options.source == "diffs", progress=progress
        )
        settings = {**selection.settings, "from": options.source, "diffs": str(count)}
        selection = dataclasses.replace(selection, entries=told, settings=settings)
    else:
        selection = dataclasses.replace(selection, settings={**selection.settings, "from": "commits"})
    unfollowed = [*why_not_spoken(options.language), *(rules.notes if rules else ()), *unread]
    possible: list[str] = []
    if evidence:
        told_of = {sha for entry in selection.entries for sha in entry.commits}
        possible.extend(one for sha, mine in evidence.gone.items() if sha not in told_of for one in mine)
        possible.extend(evidence.possible)
        unfollowed.extend([evidence.cut] if evidence.cut else [])
    material = Material(
        range=span,
        tree=tree,
        selection=selection,
        remote=remote_links(git),
        options=options,
        changelog=existing,
        changelog_name=name,
        rules=rules,
        fragments=fragments,
        told=tuple(unfollowed),
        possible=tuple(possible),
    )
    return Release(render(git, material), material)


def render(git: Git, material: Material, *, heading: bool = True, highlights: str = "") -> Draft:
    """The note as text, with what the options ask for besides its entries; `highlights` are those of a
    model, where it wrote some."""
    from gitnotes.draft.notes.note import render_note

    span, options = material.range, material.options
    wants_people = options.contributors or options.template is not None
    newcomers = find_newcomers(git, span, material.tree) if wants_people else frozenset()
    note = render_note(
        material.selection,
        material.tree,
        version=span.version,
        date=span.date,
        remote=material.remote,
        contributors=options.contributors,
        newcomers=newcomers,
        highlights=highlights or options.highlights,
        heading=heading,
    )
    if options.template is None:
        return note
    from gitnotes.customs import read_input
    from gitnotes.draft.notes.template import render_template

    text = render_template(
        read_input(options.template).decode("utf-8", "replace"),
        material.selection,
        material.tree,
        version=span.version,
        date=span.date,
        remote=material.remote,
        contributors=note.contributors,
        newcomers=newcomers,
    )
    return dataclasses.replace(note, text=text, candidates=(text,))


def find_span(git: Git, versions: str, options: NoteOptions, tags: list[Tag] | None = None) -> VersionRange:
    """The range that the words mean, with the version that the options give its end. Raises GitnotesError."""
    from gitnotes.read.versions import resolve_range
    from gitnotes.versioning import read_version

    paths: tuple[str, ...] = ()
    if options.package:
        paths = (options.package,)
        if versions in ("latest", "unreleased"):
            versions = f"{find_series(git, options.package)}{versions}"
    span = resolve_range(git, versions, paths=paths, tags=tags)
    if not options.version:
        return span
    version = read_version(options.version)
    if version is None:
        raise UsageError(f"'{shorten(options.version)}' is no version.", "Name one such as 1.2.0.")
    return dataclasses.replace(span, version=version.name, end=tag_name(options.version, span.start))


def _date_of(git: Git, span: VersionRange, changelog: str) -> str:
    """When a version is released that may have no tag yet: as its tag or the changelog says, or today."""
    from gitnotes.draft.notes.note_style import read_date
    from gitnotes.versioning import read_version
    from gitnotes.write.release_body import find_section

    if git.find(f"refs/tags/{span.end}") == span.end_sha:
        return span.date
    section = find_section(changelog, read_version(span.version)) if changelog else ""
    if date := read_date("\n".join(section.split("\n", 5)[:5])):
        return date
    return today_in(git).isoformat()


def today_in(git: Git) -> date:
    """The day that git would write into a tag now, in UTC; the environment may say another one."""
    from datetime import datetime, timezone

    time = git.text("var", "GIT_COMMITTER_IDENT", ok=(0, 128)).rpartition("> ")[2].partition(" ")[0]
    moment = datetime.fromtimestamp(int(time), timezone.utc) if time.isdigit() else datetime.now(timezone.utc)
    return moment.date()


def tag_name(version: str, start: str | None) -> str:
    """The tag of a version, written as the one before it: `v1.2.0` after `v1.1.0`."""
    from gitnotes.versioning import read_version

    before = read_version(start) if start else None
    if before is None or start is None or not version[:1].isdigit():
        return version
    return f"{start.removesuffix(before.name)}{version}" if start.endswith(before.name) else version


def find_series(git: Git, package: str) -> str:
    """What the version tags of a package begin with, such as `pkg@`. Raises UsageError when none do."""
    from gitnotes.read.versions import list_tags, package_paths

    wanted = package.rstrip("/")
    names = sorted({tag.version.series for tag in list_tags(git) if tag.version and tag.version.series})
    name = wanted.rpartition("/")[2]
    for series in names:
        if re.split(r"[/@]", series.rstrip("/@-_v"))[-1] != name and not series.startswith(f"{wanted}/"):
            continue
        if series.startswith(f"{wanted}/") or package_paths(git, series) == (wanted,):
            return series
    raise UsageError(
        f"No version tag is of the package {shorten(package)}.",
        f"Its tags would be called {shorten(name)}-1.0.0, {shorten(name)}@1.0.0 or {shorten(name)}/v1.0.0.",
    )


def find_newcomers(git: Git, span: VersionRange, tree: CommitTree) -> frozenset[str]:
    """The names of those who made a commit of the range and none before it; nobody in a first release."""
    if span.start_sha is None:
        return frozenset()
    known: set[str] = set()
    for line in (
        git.run("log", "--format=%aN%x00%aE", span.start_sha, "--").decode("utf-8", "replace").split("\n")
    ):
        known.update(part.casefold() for part in line.split("\0"))
    people = {(commit.author, commit.email) for commit in tree.commits}
    old = {name for name, email in people if {name.casefold(), email.casefold()} & known}
    return frozenset(name for name, _ in people) - old


def find_changelog(git: Git, commit: str, known: str = "") -> tuple[str, str]:
    """The text and the name of the changelog of a commit: the one at the path `known`, else the one at the
    top; both empty when there is none."""
    found: list[tuple[int, str, str]] = []
    if known:
        listed = git.run("ls-tree", "-z", commit, "--", f":(top,literal){known}")
        words = listed.partition(b"\t")[0].decode("ascii", "replace").split(" ")
        if len(words) == 3 and words[1] == "blob":
            found.append((-1, known, words[2]))
    for line in git.run("ls-tree", "-z", commit).decode("utf-8", "surrogateescape").split("\0"):
        about, _, name = line.partition("\t")
        match = _CHANGELOG.fullmatch(name)
        if match and " blob " in about:
            found.append((_STEMS.index(match[1].lower()), name, about.split(" ")[2]))
    if not found:
        return "", ""
    _, name, blob = min(found)
    content = git.blobs([blob], limit=_LARGEST).get(blob, b"")
    return content.decode("utf-8", "replace"), name


def _read_changelog(path: Path) -> str:
    from gitnotes.customs import read_input

    return read_input(path).decode("utf-8", "replace") if path.is_file() else ""
