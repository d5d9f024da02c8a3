"""How does a history become examples? Read each change, leave out what teaches nothing, grade, mask, render.

Reading is shared out among processes: git, the grader and the search for secrets each take about as
long. What resembles what is found afterwards, oldest first, so that no example knows a later one.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from gitnotes.config import Settings
from gitnotes.errors import CannotJudge, GitError
from gitnotes.learn.dataset import Example, target_of, why_unfit
from gitnotes.read.git import Git, open_git
from gitnotes.recipes.shares import map_shares

if TYPE_CHECKING:
    from gitnotes.records import Change, Commit

MOST_COMMITS = 5000
_SHARE = 500
"""Commits that a process reads at a time."""
_LICENCE_BYTES = 100_000
_UNDERLINE = re.compile(r"\A\s*[-=~^\"'+#*]{3,}[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which commits are collected, and how."""

    last: int = MOST_COMMITS
    """Newest commits that are looked at."""
    min_grade: float = 30.0
    budget: int = 256
    """Tokens of a change."""
    body: bool = False
    """Whether the whole message is to be answered, not its subject alone."""
    drafts: int = 0
    """Subjects drafted without a model that come with each, which takes ten times as long."""
    revision: str = "HEAD"
    only: frozenset[str] | None = None
    """The ids of the commits that count; None for all."""


@dataclass(slots=True)
class Collected:
    """What came of one repository or file."""

    examples: list[Example] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    masked: Counter[str] = field(default_factory=Counter)
    head: str = ""


@dataclass(frozen=True, slots=True)
class _Found:
    """A commit as a process hands it back; with a reason there is no example."""

    subject: str
    author: str
    words: tuple[str, ...]
    example: Example | None
    reason: str
    masked: Counter[str]


def collect_commits(
    git: Git,
    settings: Settings,
    wanted: Wanted,
    *,
    name: str,
    processes: int = 0,
    watch: Callable[[int], None] | None = None,
) -> Collected:
    """The examples of one repository, oldest first, all of the split `train`.

    `watch` is told how many commits were read. Raises CannotJudge when there is no commit, UsageError
    when the check for secrets is missing.
    """
    from gitnotes.draft.models.short import is_told, pick_similar, tame_subject, without_reference
    from gitnotes.learn.past import Past

    head = git.resolve(wanted.revision)
    count = min(int(git.text("rev-list", "--count", "--no-merges", head, "--")), wanted.last)
    if not count:
        raise CannotJudge("There is no commit to learn from.", "Name another repository.")
    licence = read_licence(git, head)
    result = Collected(head=head)
    past = Past()
    tamed = lru_cache(maxsize=None)(tame_subject)  # a subject is near to many that come later
    for number, found in enumerate(_read(git, settings, wanted, head, count, processes), 1):
        if watch is not None and number % 100 == 0:
            watch(number)
        words = Counter(found.words)
        told = is_told(found.subject, found.author)
        if found.example is None:
            result.dropped[found.reason] += 1
        else:
            similar = tuple(map(tamed, pick_similar(past.nearest(words))))
            message = without_reference(found.example.message)
            result.examples.append(
                replace(found.example, repository=name, licence=licence, similar=similar, message=message)
            )
            result.masked.update(found.masked)
        if told and words:
            past.add(words, found.subject, found.author)
    if wanted.drafts:
        result.examples = _add_drafts(git, settings, wanted, result, processes or _cores(), watch)
    return result


def _add_drafts(
    git: Git,
    settings: Settings,
    wanted: Wanted,
    result: Collected,
    processes: int,
    watch: Callable[[int], None] | None,
) -> list[Example]:
    from gitnotes.recipes.cases import predraft

    shas = [item.id for item in result.examples]
    known = predraft(git, settings, shas, result.head, drafts=wanted.drafts, processes=processes, watch=watch)
    return [
        replace(item, similar=known[item.id][0], drafts=known[item.id][1])
        for item in result.examples
        if item.id in known
    ]


def _read(
    git: Git, settings: Settings, wanted: Wanted, head: str, count: int, processes: int
) -> Iterator[_Found]:
    """Each of the newest `count` commits, oldest first."""
    from gitnotes.customs import read_habits

    conventional = read_habits(git, settings, head).conventional
    spans = [(skip, min(_SHARE, count - skip)) for skip in range(0, count, _SHARE)][::-1]
    folder = str(git.common_folder())
    tasks = [(folder, settings, wanted, conventional, head, skip, size) for skip, size in spans]
    for found in map_shares(_read_span, tasks, processes or _cores()):
        yield from found


def _read_span(task: tuple[str, Settings, Wanted, bool, str, int, int]) -> list[_Found]:
    """The commits of one share, oldest first; where git cannot read on, those before."""
    from gitnotes.guard.secrets import sharing_detectors
    from gitnotes.read.history import stream_changes, without_collection

    folder, settings, wanted, conventional, head, skip, size = task
    git = open_git(folder)
    found: list[_Found] = []
    revisions = ["--no-merges", f"--max-count={size}", head]
    try:
        with sharing_detectors(), without_collection():
            for commit, message, change in stream_changes(git, revisions, skip=skip):
                found.append(_look_at(commit, message, change, settings, wanted, conventional))
    except GitError as problem:
        # A partial clone has no old contents, and a shallow one no parent.
        found += [_unread(problem.message)] * (size - len(found))
    return found[::-1]


def _look_at(
    commit: Commit, message: str, change: Change, settings: Settings, wanted: Wanted, conventional: bool
) -> _Found:
    from gitnotes.draft.models.short import render_briefly
    from gitnotes.guard.secrets import mask_text
    from gitnotes.guard.text import clean
    from gitnotes.read.words import words_of
    from gitnotes.recipes.grading import grade_for

    author = f"{commit.author} <{commit.email}>"
    reason = why_unfit(commit, change)
    if not reason and wanted.only is not None and commit.sha not in wanted.only:
        reason = "without a suggestion"
    words = () if not change.files else tuple(words_of(change))
    example = None
    masked: Counter[str] = Counter()
    if not reason:
        grade = grade_for(message, change, settings, conventional=conventional, author=author)
        if grade.overall is not None and grade.overall < wanted.min_grade:
            reason = f"graded below {wanted.min_grade:g}"
    if not reason:
        shown, _, masked = render_briefly(change, wanted.budget)
        told, found = mask_text(clean(target_of(commit, body=wanted.body)))
        masked.update(found)
        example = Example("", commit.sha, commit.time, told, shown, grade=grade.overall)
    return _Found(commit.subject, author, words, example, reason, masked)


def _unread(reason: str) -> _Found:
    return _Found("", "", (), None, f"git cannot read them: {reason}", Counter())


def collect_notes(git: Git, wanted: Wanted, *, name: str) -> Collected:
    """The versions of a repository as examples: the commit tree of each, and the note in its changelog.

    Raises CannotJudge when there is no changelog with sections of versions that are tagged.
    """
    from gitnotes.guard.secrets import mask_text
    from gitnotes.guard.text import clean
    from gitnotes.read.history import read_range
    from gitnotes.read.tree_text import tree_text
    from gitnotes.read.versions import list_tags, resolve_range

    head = git.resolve(wanted.revision)
    sections = _read_sections(git, head)
    result = Collected(head=head)
    licence = read_licence(git, head)
    for tag in list_tags(git):
        note = sections.get(tag.version.name) if tag.version else None
        if note is None:
            continue
        try:
            span = resolve_range(git, tag.name)
        except GitError:
            result.dropped["versions without commits"] += 1
            continue
        tree = tree_text(read_range(git, span.start_sha, span.end_sha))
        if len(tree) > 12 * wanted.budget * 3:
            result.dropped["versions with too many commits"] += 1
            continue
        shown, found = mask_text(clean(tree))
        result.masked.update(found)
        text = mask_text(clean(note))[0]
        result.examples.append(Example(name, tag.name, tag.time, text, shown, kind="note", licence=licence))
    if not result.examples:
        raise CannotJudge(
            "No version is both tagged and described in a changelog.", "Leave --notes out, or fetch the tags."
        )
    return result


def _read_sections(git: Git, head: str) -> dict[str, str]:
    """The version to its section in the changelog, without the heading."""
    from gitnotes.kinds import kind_of
    from gitnotes.write.outline import read_outline

    names = git.run("ls-tree", "-z", "--name-only", head).decode("utf-8", "surrogateescape").split("\0")
    found: dict[str, str] = {}
    for name in names:
        if kind_of(name) != "changelog":
            continue
        text = git.run("cat-file", "blob", f"{head}:{name}", ok=(0, 128)).decode("utf-8", "replace")
        for section in read_outline(text.replace("\r\n", "\n")).sections:
            if section.version is not None:
                body = text[section.start : section.end].partition("\n")[2]
                found.setdefault(section.version.name, _UNDERLINE.sub("", body).strip())
    return {version: body for version, body in found.items() if len(body.split()) > 3}


def collect_file(path: Path, wanted: Wanted) -> Collected:
    """The examples in a public set; raises InputError or UsageError, see `learn.formats.read_public`."""
    from gitnotes.guard.secrets import sharing_detectors
    from gitnotes.learn.formats import read_public

    result = Collected()
    with sharing_detectors():
        for row in read_public(path):
            if isinstance(row, str):
                result.dropped[row] += 1
                continue
            example, masked = _from_row(row, path.name, wanted)
            result.examples.append(example)
            result.masked.update(masked)
    return result


def _from_row(row: object, name: str, wanted: Wanted) -> tuple[Example, Counter[str]]:
    from gitnotes.draft.models.short import render_briefly
    from gitnotes.guard.secrets import mask_text
    from gitnotes.guard.text import clean
    from gitnotes.learn.formats import Row
    from gitnotes.read.diff import parse_patch

    assert isinstance(row, Row)
    message, masked = mask_text(clean(row.message).strip())
    change = None if row.is_tree else parse_patch(row.patch)
    if change is not None and change.hunks:
        shown, _, found = render_briefly(change, wanted.budget)
    else:
        limit = 3 * wanted.budget * (12 if row.is_tree else 1)
        shown, found = mask_text(clean(row.patch)[:limit])
    if not row.is_tree and not wanted.body:
        message = message.partition("\n")[0]
    masked.update(found)
    example = Example(
        row.repository or name,
        row.id,
        row.time,
        message,
        shown,
        kind="note" if row.is_tree else "message",
        licence=row.licence,
        split=row.split or "train",
    )
    return example, masked


def read_licence(git: Git, head: str) -> str:
    """The SPDX identifiers of the licences at the top of the repository; empty when none is known."""
    from gitnotes.learn.licences import is_licence_file, name_licences

    names = git.run("ls-tree", "-z", "--name-only", head).decode("utf-8", "surrogateescape").split("\0")
    texts: dict[str, str] = {}
    for name in names:
        if is_licence_file(name):
            data = git.run("cat-file", "blob", f"{head}:{name}", ok=(0, 128))
            texts[name] = data[:_LICENCE_BYTES].decode("utf-8", "replace")
    return name_licences(texts)


def name_repository(git: Git, place: str) -> str:
    """`owner/name` by its remote, else the name of its folder."""
    from gitnotes.read.remotes import remote_links

    links = remote_links(git)
    if links is not None:
        parts = links.base.rstrip("/").split("/")
        return "/".join(parts[-2:])
    path = Path(place).resolve()
    return path.parent.name if path.name in (".git", "repo") else path.name


def check_has_people(found: Iterable[Collected]) -> None:
    """Raises CannotJudge when nobody but programs has written the messages."""
    dropped: Counter[str] = Counter()
    for item in found:
        if item.examples:
            return
        dropped.update(item.dropped)
    if dropped and dropped["written by bots"] == sum(dropped.values()):
        raise CannotJudge(
            "All of these commits were written by bots, so there is nobody to learn from.",
            "Name another repository.",
        )


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
