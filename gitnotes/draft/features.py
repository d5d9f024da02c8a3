"""By which numbers are the candidates for a subject told apart?"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from gitnotes.draft.candidates import Candidate
from gitnotes.draft.evidence import Evidence
from gitnotes.draft.style import Style
from gitnotes.draft.words import bag, split_name
from gitnotes.kinds import kind_of, theme_of
from gitnotes.records import Neighbour
from gitnotes.verbs import forms

_PIECE = re.compile(r"[^\W_]+")
_MINOR = bag(
    "a an the and or of in on for to from with by at as is are be it its this that when if not no"
    " into via per use using"
)
_STEM = 5
"""Letters that two forms of one word have in common."""
_OPENINGS = bag("add updat fix remov chang bump make")
"""Stems of verbs that say nothing of what a change is about."""
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_LINES = 3000
"""Changed lines in which words are looked up."""


def describe(
    candidates: Sequence[Candidate], evidence: Evidence, style: Style, neighbours: Sequence[Neighbour]
) -> list[dict[str, float]]:
    """The numbers of each candidate by name; what is missing is 0."""
    bags = [_stems(item.words) for item in candidates]
    near = [(_stems(item.subject), item) for item in neighbours]
    shown, paths = _shown_stems(evidence)
    nearest = max((item.words for item in neighbours), default=0.0)
    openings = _openings(neighbours)
    found = []
    for at, (item, words) in enumerate(zip(candidates, bags, strict=True)):
        others = [
            other for place, other in enumerate(bags) if place != at and candidates[place].source != "history"
        ]
        numbers = _describe_text(item, words, style)
        numbers["shown"] = _share(words, shown)
        numbers["in paths"] = _share(words, paths)
        numbers["agree"] = _mean([overlap(words, other) for other in others])
        total = sum(other.words for _, other in near if other is not item.neighbour) or 1.0
        agreements = [
            other.words * overlap(words, stems) for stems, other in near if other is not item.neighbour
        ]
        numbers["agree near"] = sum(agreements) / total
        numbers["agree best"] = max(agreements, default=0.0)
        numbers["opening"] = openings.get(_opening(item.words), 0.0)
        if item.neighbour is None:
            numbers[f"from {item.source}"] = 1.0
            numbers["place"] = 1 / (1 + item.place)
            numbers["own, near"] = nearest
        else:
            numbers |= _describe_neighbour(item, item.neighbour, evidence)
            numbers["repeated"] = math.log(
                sum(stems == _stems(item.neighbour.subject) for stems, _ in near) or 1
            )
        found.append(numbers)
    return found


def _describe_text(item: Candidate, words: Counter[str], style: Style) -> dict[str, float]:
    count = len(item.subject.split())
    return {
        "length": math.log(1 + count),
        "short": float(count < 4),
        "long": max(0, count - 9) / 5,
        "against habit": abs(math.log((1 + len(item.subject)) / (1 + style.length))),
        "generic": float(_opening(item.words) in ("update", "change", "improve")),
        "names": min(sum("_" in word or "." in word[:-1] for word in item.words.split()), 3) / 3,
    }


def _describe_neighbour(item: Candidate, neighbour: Neighbour, evidence: Evidence) -> dict[str, float]:
    theme = theme_of(neighbour.paths)
    numbers = {
        "from history": 1.0,
        "words": neighbour.words,
        "words squared": neighbour.words**2,
        "files": neighbour.files,
        "age": math.log(1 + neighbour.age),
        "same theme": float(theme == evidence.theme),
        f"history, {evidence.theme}": 1.0,
        "history place": 1 / (1 + item.place),
    }
    numbers["adapted"] = float(item.words.lower() not in neighbour.subject.lower())
    return numbers


def overlap(one: Counter[str], other: Counter[str]) -> float:
    """The F1 of two bags of stems, minor words counting a third."""
    if not one or not other:
        return 0.0
    common = sum(_weight(stem) * count for stem, count in (one & other).items())
    total = sum(_weight(stem) * count for bag in (one, other) for stem, count in bag.items())
    return 2 * common / total


def _weight(stem: str) -> float:
    return 0.3 if stem in _MINOR else 1.0


def _stems(text: str) -> Counter[str]:
    return Counter(word[:_STEM] for word in _PIECE.findall(_in_words(text)))


def _in_words(text: str) -> str:
    """The text in small letters with its identifiers as words."""
    return " ".join(
        split_name(word) if re.search(r"[_A-Z].*[a-z]", word) else word for word in text.split()
    ).lower()


def _shown_stems(evidence: Evidence) -> tuple[set[str], set[str]]:
    """The stems of the changed lines and of the paths."""
    paths = {stem for path in evidence.paths for stem in _stems(re.sub(r"[/.]", " ", path))}
    found: set[str] = set(paths)
    left = _LINES
    for hunk in evidence.change.hunks:
        if kind_of(hunk.path) == "lock":
            continue
        found.update(_stems(hunk.heading[:200]))
        for line in hunk.lines:
            if line[:1] != " ":
                found.update(word[:_STEM].lower() for word in _PARTS.findall(line[1:400]))
                left -= 1
        if left < 0:
            break
    return found, paths


def _share(words: Counter[str], known: set[str]) -> float:
    """How much of the words that mean something is known."""
    content = [stem for stem in words if stem not in _MINOR and stem not in _OPENINGS]
    return sum(stem in known for stem in content) / len(content) if content else 0.0


def _opening(text: str) -> str:
    word = text.partition(" ")[0].lower()
    form = forms().get(word)
    return form.verb if form else ""


def _openings(neighbours: Sequence[Neighbour]) -> dict[str, float]:
    """The share of the neighbours that open with each verb, the nearer ones counting more."""
    shares: Counter[str] = Counter()
    for item in neighbours:
        shares[_opening(item.subject.rpartition(": ")[2])] += item.words  # type: ignore[assignment]
    total = sum(shares.values()) or 1
    return {verb: share / total for verb, share in shares.items() if verb}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
