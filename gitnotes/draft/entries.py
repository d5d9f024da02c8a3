"""What does a reader call a change, and which commits of the tree made it?

A change is a merged pull request with the commits that it brought, a squashed one, or a lone commit.
Every commit of the tree ends in exactly one entry or in one omission with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from gitnotes.draft.bumps import Bump, read_bumps
from gitnotes.draft.categories import Category, category_of, plumbing
from gitnotes.draft.titles import (
    Title,
    breaking_notes,
    one_line,
    pull_of_merge,
    read_merge,
    read_title,
    squashed_parts,
)
from gitnotes.messages import is_bot, is_fixup, without_fixup
from gitnotes.records import Commit, CommitTree, Omission

# As people write it too; git's own form is in `gitnotes.messages`.
_REVERT = re.compile(r"(?:revert(?:s|ed|ing)?|reapply|back ?out|backed out)\b[: ]*", re.I)
_REVERTED_SHA = re.compile(r"reverts? commit ([0-9a-f]{7,64})")
_REVERTED_PULL = re.compile(
    r"reverts? (?:pull request |merge request |PR |MR )?(?:[\w./-]{1,100})?([#!]\d{1,9})\b", re.I
)
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


@dataclass(slots=True, eq=False)
class _Unit:
    """A change while it is put together."""

    head: Commit
    title: Title
    commits: list[Commit]
    rank: int
    """Position in the tree: 0 is the newest."""
    omit: str = ""
    bumps: tuple[Bump, ...] = ()
    extra: list[_Unit] = field(default_factory=list)

    def all_commits(self) -> list[Commit]:
        return [*self.commits, *(commit for unit in self.extra for commit in unit.commits)]


def read_entries(tree: CommitTree) -> tuple[tuple[Entry, ...], tuple[Omission, ...]]:
    """The changes of the tree, oldest first, and the commits that are in none of them with the reason."""
    units, omitted = _gather(tree)
    units = _fold_fixups(units)
    _cancel_reverts(units)
    # After the reverts: what was undone and picked again is a change.
    units = _fold_picks(units)
    for unit in units:
        if not unit.omit:
            unit.omit = plumbing(unit.title.text)
    units = _join_bumps(units)
    units = _join_doubles(units)
    entries: list[Entry] = []
    for unit in units:
        if unit.omit:
            omitted.extend(Omission(commit.sha, unit.omit) for commit in unit.all_commits())
        else:
            entries.append(_entry(unit))
    return tuple(entries), tuple(omitted)


def _gather(tree: CommitTree) -> tuple[list[_Unit], list[Omission]]:
    """The tree cut into changes, oldest first; merges without a title are opened."""
    by_sha = {commit.sha: commit for commit in tree.commits}
    rank = {commit.sha: at for at, commit in enumerate(tree.commits)}
    seen: set[str] = set()
    units: list[_Unit] = []
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
                title = read_title(without_fixup(one_line(commit.subject)))
            if pull and not title.pulls:
                title = replace(title, pulls=(pull,))
            brought.sort(key=lambda item: rank[item.sha])
            units.append(_Unit(commit, title, [commit, *brought], rank[commit.sha]))
    return units, omitted


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


def _fold_fixups(units: list[_Unit]) -> list[_Unit]:
    by_subject = {one_line(commit.subject): unit for unit in units for commit in unit.commits}
    kept: list[_Unit] = []
    for unit in units:
        subject = without_fixup(one_line(unit.head.subject))
        home = by_subject.get(subject) if is_fixup(unit.head.subject) else None
        if home is None or home is unit:
            kept.append(unit)
        else:
            home.commits.extend(unit.commits)
    return kept


def _fold_picks(units: list[_Unit]) -> list[_Unit]:
    """A change that was picked from another commit of the range is said once."""
    home_of = {commit.sha: unit for unit in units for commit in unit.commits}
    kept: list[_Unit] = []
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
    first, second = set(_key(one).split()), set(_key(other).split())
    return 2 * len(first & second) > min(len(first), len(second))


def _cancel_reverts(units: list[_Unit]) -> None:
    """Newest first, a revert and what it undoes vanish together; a reverted revert undoes nothing."""
    home_of = {commit.sha: unit for unit in units for commit in unit.commits}
    by_pull: dict[str, list[_Unit]] = {}
    by_text: dict[str, list[_Unit]] = {}
    for unit in sorted(units, key=lambda item: item.rank):
        for pull in unit.title.pulls:
            by_pull.setdefault(pull, []).append(unit)
        for text in {
            _key(unit.title.text),
            _key(one_line(unit.head.subject)),
            _key(read_title(unit.head.subject).text),
        }:
            by_text.setdefault(text, []).append(unit)

    for unit in sorted(units, key=lambda item: item.rank):
        if unit.omit or not _is_revert(unit):
            continue
        wanted = _reverted(unit)
        targets: list[_Unit] = []
        complete = bool(wanted)
        for kind, value in wanted:
            if kind == "sha":
                homes = [_home(home_of, value)]
                shas = {sha for name, sha in wanted if name == "sha"}
                found = [home for home in homes if home is not None and _is_whole(home, shas)]
            else:
                found = (by_pull if kind == "pull" else by_text).get(value, [])
            found = [home for home in found if home.rank > unit.rank and not home.omit]
            complete = complete and bool(found)
            targets.extend(found[:1])
        if complete:
            for target in targets:
                target.omit = f"undone in this range by {unit.head.sha[:9]}"
            unit.omit = f"undoes {targets[0].head.sha[:9]} of this range"


def _is_revert(unit: _Unit) -> bool:
    plain = [commit for commit in unit.commits if not commit.is_merge]
    return (
        unit.title.category == "Reverted"
        or _REVERT.match(unit.title.text) is not None
        or (bool(plain) and all(_REVERT.match(one_line(commit.subject)) for commit in plain))
    )


def _reverted(unit: _Unit) -> list[tuple[str, str]]:
    """What a revert says that it undoes: by object id, else by pull request, else by title."""
    shas = [
        ("sha", sha)
        for commit in unit.commits
        if _REVERT.match(one_line(commit.subject)) or commit is unit.head
        for sha in _REVERTED_SHA.findall(commit.body[:20_000])
    ]
    if shas:
        return shas
    pulls = [
        ("pull", pull)
        for commit in unit.commits
        for pull in _REVERTED_PULL.findall(f"{commit.subject[:500]}\n{commit.body[:20_000]}")
    ]
    if pulls:
        return list(dict.fromkeys(pulls))
    title = read_title(_inner(unit.title.text))
    return [("pull", pull) for pull in title.pulls] or [("text", _key(title.text))]


def _home(home_of: dict[str, _Unit], sha: str) -> _Unit | None:
    if sha in home_of:
        return home_of[sha]
    found = [name for name in home_of if name.startswith(sha)]
    return home_of[found[0]] if len(found) == 1 else None


def _is_whole(unit: _Unit, shas: set[str]) -> bool:
    """Whether undoing `shas` undoes all of the change."""
    if any(unit.head.sha.startswith(sha) for sha in shas):
        return True
    return all(
        any(commit.sha.startswith(sha) for sha in shas) for commit in unit.commits if not commit.is_merge
    )


def _inner(text: str) -> str:
    """The title inside `Revert "title"`."""
    rest = _REVERT.sub("", text, count=1).strip()
    return rest[1:-1] if len(rest) > 1 and rest[0] in "\"'“" and rest[-1] in "\"'”" else rest


def _join_bumps(units: list[_Unit]) -> list[_Unit]:
    """Updates of the same dependency become one change; a group update joins all its names."""
    home: dict[str, _Unit] = {}
    result: list[_Unit] = []
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


def _join_doubles(units: list[_Unit]) -> list[_Unit]:
    """Changes that say the same are said once, with the pull requests of both."""
    first: dict[tuple[str, str], _Unit] = {}
    result: list[_Unit] = []
    for unit in units:
        key = (unit.title.scope.casefold(), _key(unit.title.text))
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


def _entry(unit: _Unit) -> Entry:
    commits = unit.all_commits()
    shas = tuple(commit.sha for commit in commits)
    title, text = unit.title, unit.title.text
    paths = [change.path for commit in commits for change in commit.files or ()]
    category: Category
    if unit.bumps:
        category = "Dependencies"
    elif title.category == "Reverted" or re.match(r"(?i)revert|back(?:ed)? ?out", text):
        category, text = "Reverted", f"Reverted: {read_title(_inner(text)).text}"
    else:
        category = title.category or category_of(text, paths)
    notes = tuple(dict.fromkeys(note for commit in commits for note in breaking_notes(commit.body)))
    if notes or title.breaking or any(read_title(commit.subject).breaking for commit in commits):
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
        parts=tuple(part for part in parts if _key(part.text) != _key(text)),
        bumps=unit.bumps,
        commits=shas,
        authors=_authors(commits),
    )


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


def _key(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
