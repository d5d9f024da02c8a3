"""How is a whole changelog made anew: every version, newest first, each commit in one of them?

One walk of `git log` over all tags. A commit belongs to the lowest version that reaches it, so that what
a maintenance release had first is not news in a later one, and pre-releases are part of the version that
they led to.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from gitnotes.errors import CannotJudge
from gitnotes.guard.regexes import LONGEST_TEXT, compile_foreign
from gitnotes.read.git import Git
from gitnotes.read.versions import UNRELEASED, Tag, list_tags
from gitnotes.recipes.release_language import why_not_spoken
from gitnotes.recipes.release_rules import find_fragments, find_rules, fit_rules
from gitnotes.recipes.releasing import NoteOptions, find_changelog, find_series, tag_name, today_in
from gitnotes.records import Commit, CommitTree, Draft
from gitnotes.versioning import read_version, release_ranks

if TYPE_CHECKING:
    from gitnotes.draft.notes.presets import NoteStyle


@dataclass(frozen=True, slots=True)
class VersionNote:
    """One version of a whole changelog."""

    name: str
    """The tag, or HEAD for what is not released yet."""
    version: str
    commits: int
    note: Draft


@dataclass(frozen=True, slots=True)
class Changelog:
    """All versions, newest first, and the file as a text."""

    versions: tuple[VersionNote, ...]
    text: str
    commits: int
    """How many commits lead to HEAD or a version; each is in one of the versions."""
    told: tuple[str, ...] = ()
    """A sentence for each thing of other tools' files that could not be followed."""


@dataclass(slots=True)
class _Part:
    """A version while commits are given out."""

    tag: Tag | None
    sha: str
    commits: list[Commit]
    before: int = -1
    """The place of the version that it builds on; -1 for none."""


def draft_changelog(
    git: Git,
    options: NoteOptions | None = None,
    *,
    existing: str | None = None,
    name: str = "",
    progress: Callable[[int], None] | None = None,
) -> Changelog:
    """Drafts the note of every version, in the style of `existing` (the file called `name`) or else of
    the project's changelog; what that says above its first version, below its last, and of versions
    without a tag stays.

    `progress` is told how many commits have been read. Raises CannotJudge where there is no version,
    GitError.
    """
    from gitnotes.draft.notes.note import learn_note_style, render_note, select_entries
    from gitnotes.read.remotes import remote_links

    options = options or NoteOptions()
    if git.is_shallow():
        raise CannotJudge(
            "This clone is shallow, so that it lacks the first versions.",
            "Fetch the rest of the history with: git fetch --unshallow --tags",
        )
    head = git.resolve("HEAD")
    rules = find_rules(git)
    if existing is None:
        known = rules.changelog if rules else ""
        existing, name = ("", "") if options.style else find_changelog(git, head, known)
    style: str | NoteStyle = options.style or learn_note_style(existing, name)
    remote = remote_links(git)
    told = (*why_not_spoken(options.language), *(rules.notes if rules else ()))
    rules, own_headings = fit_rules(rules, style)
    tags = _versions(git, options, rules.tag_pattern if rules else "")
    wants_files = bool(options.package or (rules and rules.place))
    parts = _give_out(git, tags, head, wants_files, progress)
    today = today_in(git).isoformat()
    notes: list[VersionNote] = []
    for part in parts:
        if part.tag is None and not part.commits:
            continue
        before = parts[part.before].tag if part.before >= 0 else None
        end = part.tag.name if part.tag else "HEAD"
        version, date = UNRELEASED, today
        if part.tag and part.tag.version:
            version = part.tag.version.name
            date = datetime.fromtimestamp(part.tag.time, timezone.utc).date().isoformat()
        elif options.version:
            wanted = read_version(options.version)
            version = wanted.name if wanted else version
            end = tag_name(options.version, before.name if before else None)
        tree = CommitTree(before.name if before else None, end, tuple(part.commits))
        fragments, unread = find_fragments(git, rules, tree)
        told = (*told, *unread)
        selection = select_entries(
            tree, style, audience=options.audience, folder=options.package, flat=options.source == "commits",
            rules=rules, fragments=fragments, own_headings=own_headings, language=options.language,
        )  # fmt: skip
        # An auto style is chosen once: the versions are to look alike.
        style = selection.style if style == "auto" else style
        note = render_note(
            selection, tree, version=version, date=date, remote=remote,
            contributors=options.contributors, highlights=options.highlights,
        )  # fmt: skip
        if part.tag or selection.entries:
            notes.append(VersionNote(end, version, len(part.commits), note))
    notes.reverse()
    header = rules.header if rules and own_headings else ""
    text = _join(existing, notes, name, header)
    return Changelog(tuple(notes), text, sum(len(part.commits) for part in parts), told)


def _versions(git: Git, options: NoteOptions, pattern: str) -> list[Tag]:
    """The tags of all final versions in release order, and the pre-releases that no final one followed.

    Where the project's rules have a `pattern`, a tag that it is not found in is no version.
    """
    series = find_series(git, options.package) if options.package else None
    tags = [tag for tag in list_tags(git) if tag.version is not None]
    if series is None:
        names = {tag.version.series for tag in tags if tag.version}
        series = "" if "" in names or len(names) != 1 else names.pop()
    mine = [tag for tag in tags if tag.version and tag.version.series == series]
    if pattern:
        match = compile_foreign(pattern, search=True)
        mine = [tag for tag in mine if match.search(tag.name[:LONGEST_TEXT])]
    if not mine:
        raise CannotJudge(
            "There is no version tag, so there are no versions to tell of.",
            "Tag one first, or draft a range: gitnotes release A..B",
        )
    ranks = release_ranks(tag.version for tag in mine if tag.version)
    rank = {tag.name: ranks[tag.version.name] for tag in mine if tag.version}
    last = max((rank[tag.name] for tag in mine if tag.version and tag.version.is_final), default=-1)
    kept = [tag for tag in mine if tag.version and (tag.version.is_final or rank[tag.name] > last)]
    # Go modules want `v0.314.0` on the commit of `v3.14.0`: another name, not another version.
    highest = {tag.sha: tag for tag in sorted(kept, key=lambda tag: rank[tag.name])}
    kept = [tag for tag in kept if _major(tag) == _major(highest[tag.sha])]
    # Two names for one version, as `1.0` and `v1.0`: the first stands for both.
    unique = {rank[tag.name]: tag for tag in reversed(kept)}
    return [unique[place] for place in sorted(unique)]


def _major(tag: Tag) -> int:
    return tag.version.key[1][0] if tag.version else -1


def _give_out(
    git: Git, tags: Sequence[Tag], head: str, files: bool, progress: Callable[[int], None] | None
) -> list[_Part]:
    """The versions in release order and last what is not released, each with its commits, newest first."""
    commits = _read(git, [head, *(tag.sha for tag in tags)], files, progress)
    place = {commit.sha: at for at, commit in enumerate(commits)}
    parts = [_Part(tag, tag.sha, []) for tag in tags] + [_Part(None, head, [])]
    part_at = {part.sha: at for at, part in reversed(list(enumerate(parts[:-1])))}
    owner: dict[str, int] = {}
    for at, part in enumerate(parts):
        # A version with a higher number may be among the ancestors: what it has is its own.
        reached = _reach(commits, place, part.sha, owner)
        inner = [part_at[commit.sha] for commit in reached if part_at.get(commit.sha, at) != at]
        for other in sorted((one for one in inner if one > at), key=lambda one: -place[parts[one].sha]):
            _take(parts, other, _reach(commits, place, parts[other].sha, owner), owner)
        _take(parts, at, _reach(commits, place, part.sha, owner), owner)
    return parts


def _read(
    git: Git, revisions: Sequence[str], files: bool, progress: Callable[[int], None] | None
) -> list[Commit]:
    from gitnotes.read.history import read_range, stream_messages

    commits: list[Commit] = []
    for commit, _ in stream_messages(git, list(dict.fromkeys(revisions))):
        commits.append(commit)
        if progress is not None and len(commits) % 1000 == 0:
            progress(len(commits))
    if not files:
        return commits
    # Which folder a change touches is known only with its files.
    touched = {commit.sha: commit.files for commit in read_range(git, None, revisions[0], files=True).commits}
    return [dataclasses.replace(commit, files=touched.get(commit.sha)) for commit in commits]


def _reach(
    commits: Sequence[Commit], place: Mapping[str, int], start: str, owner: Mapping[str, int]
) -> list[Commit]:
    """The commits that `start` reaches and nobody owns, newest first."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        sha = todo.pop()
        if sha in seen or sha in owner or sha not in place:
            continue
        seen.add(sha)
        todo.extend(commits[place[sha]].parents)
    return [commits[at] for at in sorted(place[sha] for sha in seen)]


def _take(parts: Sequence[_Part], at: int, commits: Iterable[Commit], owner: dict[str, int]) -> None:
    part = parts[at]
    if part.sha in owner:
        part.before = max(part.before, owner[part.sha]) if owner[part.sha] != at else part.before
        return
    part.commits = list(commits)
    for commit in part.commits:
        owner[commit.sha] = at
    builds_on = {owner[sha] for commit in part.commits for sha in commit.parents if sha in owner} - {at}
    lower = [one for one in builds_on if one < at]
    part.before = max(lower or builds_on, default=-1)


def _join(existing: str, notes: Sequence[VersionNote], name: str, header: str = "") -> str:
    """The file: what stood around the versions, and the notes; versions without a tag keep their text.

    A new file begins with the `header`.
    """
    from gitnotes.write.changelog import insert_section
    from gitnotes.write.outline import read_outline

    mark = "\ufeff" if existing.startswith("\ufeff") else ""
    newline = "\r\n" if "\r\n" in existing else "\n"
    plain = existing.removeprefix("\ufeff").replace("\r\n", "\n")
    outline = read_outline(plain)
    is_rst = name.lower().endswith((".rst", ".rest"))
    top = "Changelog\n=========\n\n" if is_rst else "# Changelog\n\n"
    if header:
        top = f"{header}\n\n"
    if outline.sections:
        top = plain[: outline.sections[0].lead]
    elif plain.strip():
        top = plain[: outline.tail].rstrip("\n") + "\n\n"
    text = top + "\n\n".join(note.note.text for note in notes) + "\n"
    told = {version.key for note in notes if (version := read_version(note.version))}
    for section in outline.sections:
        if section.version is not None and section.version.key not in told:
            kept = plain[section.start : section.end]
            text = insert_section(text, kept, section.version.name)
    if outline.tail < len(plain):
        text += "\n" + plain[outline.tail :].lstrip("\n")
    return mark + text.replace("\n", newline)


def write_whole(path: Path, changelog: Changelog, *, replace: bool) -> bool:
    """Writes the changelog to `path`; False when the file has this text.

    Raises UsageError when the file is there with another text and `replace` is false, InputError.
    """
    from gitnotes.errors import UsageError
    from gitnotes.guard.text import show
    from gitnotes.write.atomic import check_target, lock, replace_file

    check_target(path)
    data = changelog.text.encode("utf-8", "replace")
    with lock(path):
        if path.is_file():
            if path.read_bytes() == data:
                return False
            if not replace and path.stat().st_size:
                raise UsageError(
                    f"{show(str(path))} is there already, with other notes.", "Write over it with --replace."
                )
        replace_file(path, data)
    return True
