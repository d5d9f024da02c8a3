"""What did people write for changes like this one, with the names of this one put in?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gitnotes.draft.candidates import Candidate, prefix_invents
from gitnotes.draft.evidence import Evidence, is_safe, is_safe_path, unknown_names
from gitnotes.draft.quotes import is_quotable
from gitnotes.draft.style import Style, apply, split_prefix
from gitnotes.guard.text import clean
from gitnotes.kinds import kind_of, main_paths
from gitnotes.messages import is_bot, is_fixup, is_merge_subject, is_revert_subject, tickets
from gitnotes.records import Neighbour
from gitnotes.verbs import imperative_of

LONGEST = 100
"""Characters of a subject that is worth adapting."""
_VERSION = re.compile(r"v?\d+(?:\.\d+)+(?:[.-]?(?:dev|rc|a|b|alpha|beta)[\w.]*)?")
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
    for neighbour in neighbours:
        told = adapt(neighbour, evidence, shown)
        key = re.sub(r"\W+", "", told.lower())
        if key and key not in seen:
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
    rest = _REFERENCES.sub("", rest).strip(" .,:;-") if tickets(rest) else rest.strip().rstrip(".")
    if (
        not 1 + (_VERSION.fullmatch(rest) is None) <= len(rest.split()) <= 14
        or len(rest) > LONGEST
        or not is_quotable(rest)
        or "http" in rest
    ):
        return ""
    for name in dict.fromkeys(unknown_names(rest, shown)):
        instead = _counterpart(name, neighbour, evidence)
        if not instead:
            return ""
        rest = rest.replace(name, instead)
    if unknown_names(rest, shown):
        return ""
    return _to_imperative(rest)


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
