"""Which rules for notes does a configuration of git-cliff set?

Its keys: git-cliff.org/docs/configuration. Templates in Tera are not run: of the layout the order of the
headings is taken over, and the rest is learned from the changelog that they made.
"""

from __future__ import annotations

from typing import Any

from gitnotes.guard.regexes import Refused, compile_foreign
from gitnotes.guard.text import clean, shorten
from gitnotes.note_rules import Field, MessageRule, NoteRules
from gitnotes.read.manifests.entries import items, table, text_of

_MOST_RULES = 200
_MOST_NOTES = 20
_LONGEST_HEADER = 20_000
_LONGEST_NAME = 200
_FIELDS: tuple[Field, ...] = ("message", "body", "scope")
_ELSEWHERE = ("commit_preprocessors", "link_parsers", "skip_tags", "ignore_tags", "split_commits")


def read_cliff(loaded: dict[str, Any], source: str) -> NoteRules:
    """The rules of the loaded file; what cannot be taken over is noted."""
    changelog, git = table(loaded, "changelog"), table(loaded, "git")
    notes: list[str] = []
    rules: list[MessageRule] = []
    parsers = items(git.get("commit_parsers"))
    for found in parsers[:_MOST_RULES]:
        rules.extend(_rules(found if isinstance(found, dict) else {}, source, notes))
    if len(parsers) > _MOST_RULES:
        notes.append(f"{source}: only the first {_MOST_RULES} commit_parsers are followed.")
    body = text_of(changelog.get("body"))
    header = clean(text_of(changelog.get("header"))[:_LONGEST_HEADER]).strip("\n")
    unread = [
        *(["the templates in Tera"] if "{{" in body or "{%" in body else []),
        *(key for key in _ELSEWHERE if git.get(key)),
    ]
    if "{{" in header or "{%" in header:
        header = ""
    if unread:
        notes.append(f"{source}: {', '.join(unread)} cannot be followed; a layout is taken with --template.")
    groups = dict.fromkeys(rule.group for rule in rules if rule.group)
    conventional = git.get("conventional_commits", True) is not False
    return NoteRules(
        (source,),
        messages=tuple(rules),
        order=tuple(groups if "commit_parsers_groups" in body else sorted(groups)),
        only_conventional=conventional and git.get("filter_unconventional") is True,
        only_matched=git.get("filter_commits") is True,
        keeps_breaking=git.get("protect_breaking_commits") is True,
        newest_first=git.get("sort_commits") == "newest",
        tag_pattern=_pattern(git.get("tag_pattern"), "tag_pattern", source, notes),
        header=header,
        notes=tuple(notes[:_MOST_NOTES]),
    )


def _rules(found: dict[str, Any], source: str, notes: list[str]) -> list[MessageRule]:
    fields = [field for field in _FIELDS if found.get(field) is not None]
    if len(fields) != 1:
        what = ", ".join(sorted(map(str, found))) or "one of the commit_parsers"
        notes.append(f"{source}: a rule with {shorten(what)} is not followed.")
        return []
    pattern = _pattern(found[fields[0]], f"commit_parsers ({fields[0]})", source, notes)
    group = " ".join(clean(text_of(found.get("group"))[:_LONGEST_NAME]).split())
    skip = found.get("skip") is True
    if not pattern or not (group or skip):
        return []
    return [MessageRule(fields[0], pattern, group, skip)]


def _pattern(found: Any, what: str, source: str, notes: list[str]) -> str:
    pattern = text_of(found)
    if not pattern:
        return ""
    try:
        compile_foreign(pattern, search=True)
    except Refused as problem:
        notes.append(f"{source}: {what} {shorten(pattern)} is not followed, {shorten(str(problem))}.")
        return ""
    return pattern
