"""What did people write for changes like this one, with the names of this one put in?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gitnotes.draft.candidates import Candidate, prefix_invents
from gitnotes.draft.evidence import (
    Evidence,
    haystack,
    is_safe,
    is_safe_path,
    names_in,
    unknown_names,
)
from gitnotes.draft.quotes import is_quotable
from gitnotes.draft.style import Style, apply, split_prefix
from gitnotes.guard.text import clean
from gitnotes.kinds import kind_of, main_paths
from gitnotes.messages import is_bot, is_fixup, is_merge_subject, is_revert_subject, tickets
from gitnotes.records import Change, Neighbour
from gitnotes.verbs import imperative_of

LONGEST = 100
"""Characters of a subject that is worth adapting."""
_VERSION = re.compile(r"v?\d+(?:\.\d+)+(?:[.-]?(?:dev|rc|a|b|alpha|beta)[\w.]*)?")
_MOVES = re.compile(
    r"(?:bump|update|upgrade|downgrade|require|pin)(?:s|d|ed|ing)?\b(?: to)? ([\w@/.`-]+)"
    r" (?:minimum )?(?:version )?(?:from v?\d[\w.+-]* )?(?:to )?(?:version )?[~^<>=]{0,2}v?\d",
    re.IGNORECASE,
)
_NO_NAMES = frozenset({"to", "version", "versions", "release", "from", "the", "python", "node", "go"})
_RELEASES = re.compile(
    r"(?:(?:prepare|release|version|cut|tag|publish|bump|to|the|for)\b[ :]*){0,4}v?\d[\w.+-]*(?: release)?",
    re.IGNORECASE,
)
_THING = re.compile(r"\w+ (?:the )?(\S+) (?:to|in|into|from|of|for) ")
_ADDING = frozenset({"add", "introduce", "create", "implement", "include"})
_REMOVING = frozenset({"remove", "drop", "delete"})
_KEEPING = frozenset({"update", "fix", "improve", "change", "bump", "rename"})
_MANY_TIMES = 5
"""As many lines gone as there are new ones, and a change takes away."""
_MEMBERS = re.compile(r"(?:add|remove|introduce|drop|delete|include)\b", re.IGNORECASE)
_PROPER = re.compile(r"(?<=\s)[A-Z][a-z]+[\w.-]*|`[^`]+`|(?<=\s)\w+-[\w-]+")
_REFERENCES = re.compile(
    r"\s*[(\[]?(?:(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?|see|for)\s+)?(?:#\d+|GH-\d+)[)\]]?[:,]?",
    re.IGNORECASE,
)


def propose_from_history(
    neighbours: Sequence[Neighbour], evidence: Evidence, style: Style, shown: str, kind: str
) -> Iterator[Candidate]:
    """The subjects of earlier changes that can be said of this one, in the order of `neighbours`."""
    place = 0
    for words, neighbour in adapt_all(neighbours, evidence, shown):
        subject = apply(style, words, paths=evidence.paths, kind=kind)
        if not prefix_invents(subject, words, shown):
            yield Candidate(subject, words, "history", place, neighbour)
            place += 1


def adapt_all(
    neighbours: Sequence[Neighbour], evidence: Evidence, shown: str
) -> Iterator[tuple[str, Neighbour]]:
    """The subjects of earlier changes, in the imperative and without prefix, that can be said of this change.

    A name that this change does not show is replaced by the one that stands in its place, or the
    subject is left out. `shown` is the haystack of the change. The order is that of `neighbours`.
    """
    seen: set[str] = set()
    touched = haystack(_without_context(evidence.change)) if neighbours else ""
    unfit = _unfit_verbs(evidence.change)
    for neighbour in neighbours:
        told = adapt(neighbour, evidence, shown)
        key = re.sub(r"\W+", "", told.lower())
        is_unfit = told.partition(" ")[0].lower() in unfit or _adds_another(told, touched)
        if key and key not in seen and not is_unfit:
            seen.add(key)
            yield told, neighbour


def adapt(neighbour: Neighbour, evidence: Evidence, shown: str) -> str:
    """One subject, adapted; '' when it cannot be said of this change."""
    subject = clean(neighbour.subject[: 2 * LONGEST]).strip()
    if (
        is_bot(neighbour.author)
        or is_merge_subject(subject)
        or is_revert_subject(subject)
        or is_fixup(subject)
    ):
        return ""
    rest = split_prefix(subject)[3]
    rest = _REFERENCES.sub("", rest).strip(" .,:;-") if tickets(rest) else rest.strip().rstrip(" .;,")
    if (
        not 1 + (_VERSION.fullmatch(rest) is None) <= len(rest.split()) <= 14
        or len(rest) > LONGEST
        or not is_quotable(rest)
    ):
        return ""
    as_written = rest
    for name in dict.fromkeys(unknown_names(rest, shown)):
        instead = _counterpart(name, neighbour, evidence)
        if not instead:
            return ""
        rest = rest.replace(name, instead)
    thing = _THING.match(rest) if rest != as_written else None
    if unknown_names(rest, shown) or (thing and thing[1].lower() not in shown):
        return ""
    return _to_imperative(_with_what_moved(rest, evidence))


def _unfit_verbs(change: Change) -> frozenset[str]:
    """The verbs that say the opposite of what happens to the lines and files of this change."""
    added = sum(item.added or 0 for item in change.files)
    removed = sum(item.removed or 0 for item in change.files)
    unfit: frozenset[str] = frozenset()
    if added * _MANY_TIMES < removed:
        unfit |= _ADDING
    if added and not removed and not any(item.status == "D" for item in change.files):
        unfit |= _REMOVING
    if change.files and all(item.status == "D" for item in change.files):
        unfit |= _KEEPING
    return unfit


def _without_context(change: Change) -> Change:
    hunks = (
        replace(hunk, lines=tuple(line for line in hunk.lines if line[:1] in "+-")) for hunk in change.hunks
    )
    return replace(change, hunks=tuple(hunks))


def _adds_another(told: str, touched: str) -> bool:
    """Whether it adds or removes what only stands beside the lines that are changed."""
    if _MEMBERS.match(told) is None:
        return False
    names = [name.strip("`'.,") for name in _PROPER.findall(told)]
    return any(name.lower() not in touched for name in (*names, *names_in(told)))


def _with_what_moved(rest: str, evidence: Evidence) -> str:
    """`rest`, where it gives a version, about what got one in this change; '' where that is not plain.

    The rest of the file shows other things and their versions, which have not moved.
    """
    if _RELEASES.fullmatch(rest):
        is_release = evidence.project or evidence.released
        return rest if is_release or not (evidence.entries or evidence.tests) else ""
    match = _MOVES.match(rest)
    if match is None or match[1].lower() in _NO_NAMES:
        return rest
    name = _key(match[1])
    moved = {_key(item.name): item for item in evidence.dependencies if item.name}
    has_moved = any(name in (known, *re.split("[/-]", known)) for known in moved)
    if has_moved or match[1].isupper() or not (moved or evidence.project):
        return rest
    if evidence.project or len(moved) > 1:
        return ""
    (item,) = moved.values()
    if item.new not in rest.split():
        return ""
    return rest[: match.start(1)] + item.name + rest[match.end(1) :]


def _key(name: str) -> str:
    return name.strip("`").lower().replace("_", "-")


def _counterpart(name: str, neighbour: Neighbour, evidence: Evidence) -> str:
    """What stands in this change where `name` stood in the other one; '' when that is not plain."""
    if _VERSION.fullmatch(name):
        versions = {evidence.project.new} if evidence.project else set()
        versions |= {evidence.released} if evidence.released else set()
        if not versions:
            versions = {item.new for item in evidence.dependencies if item.new}
        version = versions.pop() if len(versions) == 1 else ""
        bare = re.sub(r"[.-]?(?:dev|SNAPSHOT)\w*$", "", version).lstrip("v")
        return ("v" if name[0] == "v" else "") + bare if bare and is_safe(bare) else ""
    mine, theirs = main_paths(evidence.paths), main_paths(neighbour.paths)
    if len(mine) == len(theirs) == 1 and is_safe_path(mine[0]):
        old, new = theirs[0].rpartition("/")[2], mine[0].rpartition("/")[2]
        if name in (old, theirs[0]):
            return new if name == old else mine[0]
        if name == old.partition(".")[0] and kind_of(mine[0]) == kind_of(theirs[0]):
            return new.partition(".")[0]
    return ""


def _to_imperative(text: str) -> str:
    word, space, rest = text.partition(" ")
    verb = imperative_of(word, rest.partition(" ")[0]) if space else None
    return text if verb is None else verb + space + rest
