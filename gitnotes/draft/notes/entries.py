"""What does a reader call a change, and which commits of the tree made it?

A change is a merged pull request with the commits that it brought, a squashed one, or a lone commit.
Every commit of the tree ends in exactly one entry or in one omission with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from gitnotes.conventional import read_head
from gitnotes.draft.notes.bumps import Bump, read_bumps
from gitnotes.draft.notes.categories import QUIET, Category, category_of, housekeeping, plumbing
from gitnotes.draft.notes.reverts import cancel_reverts, reverted_title
from gitnotes.draft.notes.titles import (
    Title,
    breaking_notes,
    further_subjects,
    is_step,
    one_line,
    pull_of_merge,
    read_merge,
    read_title,
    squashed_parts,
)
from gitnotes.draft.notes.units import Unit, plain_words
from gitnotes.kinds import kind_of
from gitnotes.messages import is_bot, is_fixup, without_fixup
from gitnotes.records import Commit, CommitTree, Omission

_PICKED = re.compile(r"\(cherry picked from commit ([0-9a-f]{40,64})\)")
_CO_AUTHOR = re.compile(r"\s*([^<>]{1,100}?)\s*<([^<>\s]{1,200})>")


@dataclass(frozen=True, slots=True)
class Entry:
    """One change as a reader sees it."""

    text: str
    category: Category
    scope: str = ""
    pulls: tuple[str, ...] = ()
    """Pull or merge requests as `#12` or `!12`."""
    breaking: tuple[str, ...] = ()
    """What breaks and what to do, in the words of the commits."""
    parts: tuple[Title, ...] = ()
    """What a squashed pull request lists in its body."""
    bumps: tuple[Bump, ...] = ()
    """For dependency updates: one per name; `text` is then only a summary."""
    commits: tuple[str, ...] = ()
    """Object ids."""
    authors: tuple[str, ...] = ()
    """Authors and co-authors by name, each once, bots left out."""
    source: str = ""
    """The commit whose message says this too; that commit is counted in another entry."""
    shipped: str = ""
    """The earlier release that had this change already."""
    prefix: str = ""
    """Type, scope and emoji as the title had them, for styles that show titles as they are."""
    group: str = ""
    """The heading that the project's own rules give it."""
    issues: tuple[str, ...] = ()
    """Issues as `#12`, where a fragment names them."""
    marked: str = ""
    """What a fragment says, in its own markup; `text` has the same in plain words."""
    markup: Literal["", "rst", "markdown"] = ""
    """That of `marked`."""

    @property
    def kind(self) -> str:
        """The conventional type that the title declares, in lower case; empty when it declares none."""
        head = read_head(f"{self.prefix}{self.text}") if self.prefix else None
        return head.type.lower() if head else ""


def read_entries(
    tree: CommitTree, shipped: Mapping[str, str] | None = None, *, flat: bool = False
) -> tuple[tuple[Entry, ...], tuple[Omission, ...]]:
    """The changes of the tree, oldest first, and the commits that are in none of them with the reason.

    `shipped` gives the commits whose change an earlier release had already the name of that release.
    `flat` looks at commits alone: each is a change, and merges are left out.
    """
    units, omitted = _list_commits(tree) if flat else _gather(tree)
    units = _fold_fixups(units)
    cancel_reverts(units)
    # After the reverts: what was undone and picked again is a change.
    units = _fold_picks(units)
    for unit in units:
        if not unit.omit:
            unit.omit = plumbing(unit.title.text) or (
                "" if _breaks(unit) else housekeeping(_paths(unit.commits))
            )
    units = _join_bumps(units)
    units = _join_doubles(units)
    entries: list[Entry] = []
    for unit in units:
        if unit.omit:
            omitted.extend(Omission(commit.sha, unit.omit) for commit in unit.all_commits())
        else:
            entries.append(_entry(unit, shipped or {}))
            entries.extend(_further(unit, entries[-1]))
    return tuple(entries), tuple(omitted)


def _gather(tree: CommitTree) -> tuple[list[Unit], list[Omission]]:
    """The tree cut into changes, oldest first; merges without a title are opened."""
    by_sha = {commit.sha: commit for commit in tree.commits}
    rank = {commit.sha: at for at, commit in enumerate(tree.commits)}
    seen: set[str] = set()
    units: list[Unit] = []
    omitted: list[Omission] = []

    def line_from(sha: str) -> list[Commit]:
        line: list[Commit] = []
        while sha in by_sha and sha not in seen:
            seen.add(sha)
            line.append(by_sha[sha])
            if not by_sha[sha].parents:
                break
            sha = by_sha[sha].parents[0]
        return line[::-1]

    for tip in tree.commits:  # one tip in a plain range; the loop also finds what has no way to it
        if tip.sha in seen:
            continue
        stack: list[tuple[Iterator[Commit], str]] = [(iter(line_from(tip.sha)), "")]
        while stack:
            commit = next(stack[-1][0], None)
            pull = stack[-1][1]
            if commit is None:
                stack.pop()
                continue
            title = read_merge(commit)
            reason = (
                plumbing(title.text) if title else "merge without a title; what it brought in stands alone"
            )
            # A release pull request may bring a real change along, so it is opened as well.
            if commit.is_merge and reason:
                omitted.append(Omission(commit.sha, reason))
                inner = [item for parent in commit.parents[1:] for item in line_from(parent)]
                stack.append((iter(inner), pull_of_merge(commit)))
                continue
            brought = _brought(commit, by_sha, seen) if commit.is_merge else []
            if title is None:
                title = read_title(without_fixup(further_subjects(commit.subject, "")[0]))
            if pull and not title.pulls:
                title = replace(title, pulls=(pull,))
            brought.sort(key=lambda item: rank[item.sha])
            units.append(Unit(commit, title, [commit, *brought], rank[commit.sha]))
    return units, omitted


def _list_commits(tree: CommitTree) -> tuple[list[Unit], list[Omission]]:
    """Each commit as a change of its own, oldest first."""
    units = [
        Unit(commit, read_title(without_fixup(further_subjects(commit.subject, "")[0])), [commit], rank)
        for rank, commit in enumerate(tree.commits)
        if not commit.is_merge
    ]
    merges = [
        Omission(commit.sha, "merge; only commits are told") for commit in tree.commits if commit.is_merge
    ]
    return units[::-1], merges


def _brought(merge: Commit, by_sha: dict[str, Commit], seen: set[str]) -> list[Commit]:
    found: list[Commit] = []
    todo = list(merge.parents[1:])
    while todo:
        sha = todo.pop()
        if sha in by_sha and sha not in seen:
            seen.add(sha)
            found.append(by_sha[sha])
            todo.extend(by_sha[sha].parents)
    return found


def _fold_fixups(units: list[Unit]) -> list[Unit]:
    by_subject = {one_line(commit.subject): unit for unit in units for commit in unit.commits}
    kept: list[Unit] = []
    for unit in units:
        subject = without_fixup(one_line(unit.head.subject))
        home = by_subject.get(subject) if is_fixup(unit.head.subject) else None
        if home is None or home is unit:
            kept.append(unit)
        else:
            home.commits.extend(unit.commits)
    return kept


def _fold_picks(units: list[Unit]) -> list[Unit]:
    """A change that was picked from another commit of the range is said once."""
    home_of = {commit.sha: unit for unit in units for commit in unit.commits}
    kept: list[Unit] = []
    for unit in units:
        match = _PICKED.search(unit.head.body[-2000:]) if len(unit.commits) == 1 else None
        home = home_of.get(match[1]) if match else None
        is_copy = home is not None and home.rank > unit.rank and _are_alike(home.title.text, unit.title.text)
        if home is None or not is_copy or home.omit or unit.omit:
            kept.append(unit)
        else:
            home.commits.extend(unit.commits)
            home_of[unit.head.sha] = home
    return kept


def _are_alike(one: str, other: str) -> bool:
    """Whether most words are the same: a trailer alone must not hide a change behind another."""
    first, second = set(plain_words(one).split()), set(plain_words(other).split())
    return 2 * len(first & second) > min(len(first), len(second))


def _join_bumps(units: list[Unit]) -> list[Unit]:
    """Updates of the same dependency become one change; a group update joins all its names."""
    home: dict[str, Unit] = {}
    result: list[Unit] = []
    for unit in units:
        if not unit.omit:
            unit.bumps = read_bumps(unit.title, unit.commits)
        homes = list(
            {
                id(home[bump.name.casefold()]): home[bump.name.casefold()]
                for bump in unit.bumps
                if bump.name.casefold() in home
            }.values()
        )
        if not homes:
            result.append(unit)
            homes = [unit]
        else:
            first = homes[0]
            for other in homes[1:]:
                first.bumps = (*first.bumps, *other.bumps)
                first.extra.extend([other, *other.extra])
                result.remove(other)
            first.bumps = (*first.bumps, *unit.bumps)
            first.extra.append(unit)
        home.update((bump.name.casefold(), homes[0]) for bump in homes[0].bumps)
    for unit in result:
        if unit.bumps:
            unit.bumps = _chain(unit.bumps)
            if not unit.bumps:
                unit.omit = "updates dependencies and puts them back"
    return result


def _chain(bumps: Iterable[Bump]) -> tuple[Bump, ...]:
    """One bump per name, from the first old to the last new version; what ends where it began is gone."""
    joined: dict[str, Bump] = {}
    for bump in bumps:
        known = joined.get(bump.name.casefold())
        if known is None:
            joined[bump.name.casefold()] = bump
        else:
            pulls = tuple(dict.fromkeys((*known.pulls, *bump.pulls)))
            joined[bump.name.casefold()] = Bump(bump.name, known.old or bump.old, bump.new, pulls)
    return tuple(bump for bump in joined.values() if bump.old != bump.new)


def _join_doubles(units: list[Unit]) -> list[Unit]:
    """Changes that say the same are said once, with the pull requests of both."""
    first: dict[tuple[str, str], Unit] = {}
    result: list[Unit] = []
    for unit in units:
        key = (unit.title.scope.casefold(), plain_words(unit.title.text))
        known = first.get(key)
        if unit.omit or unit.bumps or known is None or not key[1]:
            if not unit.omit and not unit.bumps:
                first[key] = unit
            result.append(unit)
            continue
        known.extra.extend([unit, *unit.extra])
        pulls = tuple(dict.fromkeys((*known.title.pulls, *unit.title.pulls)))
        known.title = replace(
            known.title,
            pulls=pulls,
            breaking=known.title.breaking or unit.title.breaking,
            category=known.title.category or unit.title.category,
        )
    return result


def _entry(unit: Unit, shipped: Mapping[str, str]) -> Entry:
    commits = unit.all_commits()
    shas = tuple(commit.sha for commit in commits)
    title, text = unit.title, unit.title.text
    category: Category
    if unit.bumps:
        category = "Dependencies"
    elif title.category == "Reverted" or re.match(r"(?i)revert|back(?:ed)? ?out", text):
        undone = read_title(reverted_title(text))
        category, text = "Reverted", f"Reverted: {undone.text}"
        if (meant := category_of(undone.text, _paths(commits), undone.category)) in QUIET:
            category = meant
    else:
        category = category_of(text, _paths(commits), title.category, title.scope, is_new=_only_adds(commits))
    notes = tuple(dict.fromkeys(_breaking(unit, commits)))
    if notes or _breaks(unit):
        category = "Breaking"
    parts = (
        tuple(read_title(part) for part in squashed_parts(unit.head.body)) if len(unit.commits) == 1 else ()
    )
    return Entry(
        text=text or "(no subject)",
        category=category,
        scope=title.scope,
        pulls=title.pulls,
        breaking=notes,
        parts=tuple(part for part in parts if not is_step(part, text)),
        bumps=unit.bumps,
        commits=shas,
        authors=_authors(commits),
        shipped=_release_of(commits, shipped),
        prefix=title.prefix,
    )


def _breaking(unit: Unit, commits: Iterable[Commit]) -> Iterator[str]:
    """What the footers say that breaks; and the titles of commits that break where the change's does not."""
    for commit in commits:
        yield from breaking_notes(commit.body)
        title = read_title(commit.subject)
        if title.breaking and not unit.title.breaking and title.text != unit.title.text:
            yield title.text


def _breaks(unit: Unit) -> bool:
    return unit.title.breaking or any(
        read_title(commit.subject).breaking or breaking_notes(commit.body) for commit in unit.all_commits()
    )


def _further(unit: Unit, entry: Entry) -> Iterator[Entry]:
    """What the message of a lone commit says besides its subject; bullets are parts of the entry."""
    if len(unit.commits) > 1 or unit.bumps or entry.parts or unit.head.is_merge:
        return
    said = {plain_words(entry.text)}
    for text in further_subjects(unit.head.subject, unit.head.body)[1]:
        title = read_title(text)
        words = plain_words(title.text)
        if words in said or is_step(title) or plumbing(title.text):
            continue
        said.add(words)
        yield Entry(
            text=title.text,
            category="Breaking" if title.breaking else title.category or "Changes",
            scope=title.scope,
            pulls=title.pulls or entry.pulls,
            authors=entry.authors,
            source=unit.head.sha,
            shipped=entry.shipped,
        )


def _paths(commits: Iterable[Commit]) -> list[str] | None:
    """All paths that the commits touch; None when one of them was not looked at."""
    plain = [commit for commit in commits if not commit.is_merge]
    if not plain or any(commit.files is None for commit in plain):
        return None
    return [change.path for commit in plain for change in commit.files or ()]


def _only_adds(commits: Iterable[Commit]) -> bool:
    """Whether every file that the commits touch, tests and papers apart, is a new one."""
    touched = [change for commit in commits if not commit.is_merge for change in commit.files or ()]
    code = [change for change in touched if kind_of(change.path) == "code"]
    return bool(code) and all(change.status == "A" for change in code)


def _release_of(commits: Iterable[Commit], shipped: Mapping[str, str]) -> str:
    """The release that had the whole change; what a part of it had is news still."""
    names = {shipped.get(commit.sha, "") for commit in commits if not commit.is_merge}
    return names.pop() if len(names) == 1 else ""


def _authors(commits: Iterable[Commit]) -> tuple[str, ...]:
    people: dict[str, str] = {}
    for commit in commits:
        named = [(commit.author, commit.email)]
        for key, value in commit.trailers:
            match = _CO_AUTHOR.match(value) if key.lower() == "co-authored-by" else None
            if match:
                named.append((match[1], match[2]))
        for name, email in named:
            name = one_line(name)
            if name and not is_bot(f"{name} <{email}>"):
                people.setdefault(email.casefold() or name, name)
    return tuple(dict.fromkeys(people.values()))
