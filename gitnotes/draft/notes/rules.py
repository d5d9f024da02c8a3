"""Under which heading do the project's own rules put a change, and what do they leave out?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gitnotes.conventional import is_conventional
from gitnotes.draft.notes.entries import Entry
from gitnotes.draft.notes.labels import OTHERS, commits_of, excluded_by, heading_by_labels
from gitnotes.draft.notes.titles import further_subjects, read_title
from gitnotes.guard.regexes import LONGEST_TEXT, compile_foreign
from gitnotes.note_items import category_of_heading
from gitnotes.note_rules import MessageRule, NoteRules
from gitnotes.records import Commit, CommitTree, Omission

_TAG = re.compile(r"<!--.{0,200}?-->|<[^>]{0,200}>")


@dataclass(frozen=True, slots=True)
class Ruled:
    """The changes as the rules have them."""

    entries: tuple[Entry, ...]
    omitted: tuple[Omission, ...]
    """The commits that the rules leave out, with the reason."""
    headings: tuple[str, ...]
    """In the order of the note."""


def follow_rules(
    entries: Iterable[Entry], tree: CommitTree, rules: NoteRules, *, headings: bool, everything: bool = False
) -> Ruled:
    """The entries with the headings that the rules give them (with `headings`), and without those that the
    rules leave out (unless `everything`)."""
    by_sha = {commit.sha: commit for commit in tree.commits}
    order = tuple(dict.fromkeys(map(shown_group, rules.order)))
    kept: list[Entry] = []
    omitted: list[Omission] = []
    for entry in entries:
        commits = commits_of(entry, by_sha)
        group, reason = _judge(entry, commits, rules)
        if reason and not everything:
            omitted.extend(Omission(sha, reason) for sha in entry.commits)
            continue
        if headings and not entry.group:
            entry = replace(entry, group=group or _like(entry, order))
        kept.append(entry)
    if rules.newest_first:
        kept.reverse()
    titles = (*order, *(group.title for group in rules.labels), *([OTHERS] if rules.labels else []))
    if rules.place is not None:
        titles = (*(kind.title for kind in rules.place.types), *titles)
    return Ruled(tuple(kept), tuple(omitted), titles if headings else ())


def shown_group(group: str) -> str:
    """A group of git-cliff as a reader sees it, without the comment that gives its place."""
    plain = " ".join(_TAG.sub("", group).split())
    return plain[:1].upper() + plain[1:]


def _judge(entry: Entry, commits: Sequence[Commit], rules: NoteRules) -> tuple[str, str]:
    """The heading that the rules give a change, and why they leave it out; both may be empty."""
    if rules.excluded and (what := excluded_by(rules.excluded, entry, commits)):
        return "", f"{rules.excluded.title} leaves out {what}"
    source = next((name for name in rules.sources if "release.y" not in name), "the configuration")
    if rules.only_conventional and not _is_conventional(entry, commits):
        return "", f"{source} leaves out what is not conventional"
    if rules.messages:
        rule = _rule_of(entry, commits, rules.messages)
        if rule is None and rules.only_matched:
            return "", f"{source} has no rule for it"
        if rule is not None and rule.skip and not (rules.keeps_breaking and entry.category == "Breaking"):
            return "", f"{source} skips {rule.pattern}"
        return shown_group(rule.group) if rule else "", ""
    return heading_by_labels(rules, entry, commits) if rules.labels else "", ""


def _is_conventional(entry: Entry, commits: Sequence[Commit]) -> bool:
    return bool(entry.kind) or any(is_conventional(commit.subject) for commit in commits)


def _rule_of(entry: Entry, commits: Sequence[Commit], rules: Sequence[MessageRule]) -> MessageRule | None:
    """The rule for the title, else that of the commits that a merge brought in: one that tells rather than
    one that skips."""
    title = f"{entry.prefix}{entry.text}"
    if entry.source:
        return _first_rule(title, "", rules)
    if commits and commits[0].is_merge and (found := _first_rule(title, commits[0].body, rules)):
        return found
    matched = [
        found
        for commit in commits
        if not commit.is_merge
        and (found := _first_rule(further_subjects(commit.subject, "")[0], commit.body, rules))
    ]
    return next((rule for rule in matched if not rule.skip), matched[0] if matched else None)


def _first_rule(subject: str, body: str, rules: Sequence[MessageRule]) -> MessageRule | None:
    texts: Mapping[str, str] = {
        "message": f"{subject}\n\n{body}"[:LONGEST_TEXT],
        "body": body[:LONGEST_TEXT],
        "scope": read_title(subject).scope[:LONGEST_TEXT],
    }
    for rule in rules:
        if texts[rule.field] and compile_foreign(rule.pattern, search=True).search(texts[rule.field]):
            return rule
    return None


def _like(entry: Entry, order: Sequence[str]) -> str:
    """The group that has the name of the entry's kind, where no rule is about it."""
    return next((title for title in order if category_of_heading(title) == entry.category), "")
