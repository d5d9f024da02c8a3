"""How much of a message does the change bear out, and what does it say against it?"""

from __future__ import annotations

import itertools
import re
from typing import NamedTuple

from gitnotes.grade import claims as claimed
from gitnotes.grade import phrases, speech
from gitnotes.grade.claims import ADDING, REMOVING
from gitnotes.grade.echoes import read_echoes
from gitnotes.grade.footprint import FilePart, Footprint, read_footprint
from gitnotes.grade.lexicon import STOPWORDS, pieces, proof_weight, stem, stem_weight, words_of
from gitnotes.grade.message import Message, split_message
from gitnotes.guard.patterns import late
from gitnotes.messages import is_revert_line, is_revert_subject, without_ci_orders, without_fixup
from gitnotes.records import Change

_TURNING_STEMS = frozenset(stem(verb) for verb in ADDING | REMOVING)
_MOST_BODY = 16_384
"""Characters of a body that are weighed; nothing that a person writes is longer."""
_MOST_SENTENCES = 200
_SIGNATURE = late(r"[A-Za-z-]{1,40}-by:\s")
_LONG_RUN = late(r"[!-~]{201,}")
_LINK = late(r"https?://\S+")
_NUMBER = late(r"(?<![\w.#/-])\d{2,9}(?![\w.])")
_VERSION = late(r"(?<![\w.#/-])v?(\d{1,9}(?:\.\d{1,9}){1,5})(?![\w/])")
_DIGIT = late(r"(?<![\w.])(?:[1-9]|10)(?![\w.])")
_DIGITS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10",
}  # fmt: skip


class Text(NamedTuple):
    """The part of a message that counts: without what speaks to a grader, without repetition."""

    message: Message
    subject: str
    """Description of the subject, without type, scope and fixup marks."""
    sentences: tuple[str, ...]
    """The different sentences of the body."""
    trailers: str
    repeated: int
    """Sentences that were said before."""
    dropped: tuple[int, ...]
    """0-based lines that lost text which speaks to a grader."""
    claims: tuple[str, ...]
    praise: int
    foreign: bool = False
    """Whether the subject is in a language whose words are not known."""
    undoes: int = 1
    """-1 when the subject quotes what the commit undoes."""
    undone_named: bool = False
    """Whether git named the commit that is undone."""


class Evidence(NamedTuple):
    """What speaks for and against a message, given the change."""

    assessable: bool
    """False when the change holds nothing to compare with; `reason` says why."""
    reason: str = ""
    said: float = 0.0
    """Weight of the different informative stems of the subject."""
    found: float = 0.0
    """Weight of those that the change holds."""
    kind_found: float = 0.0
    """That of those which name a kind of change alone: test, typo, version."""
    body_said: float = 0.0
    body_found: float = 0.0
    names_found: tuple[str, ...] = ()
    names_missing: tuple[str, ...] = ()
    """Identifiers, paths and versions that the subject names and the change lacks."""
    background: int = 0
    """Names of the body alone that the change lacks: background more often than a wrong claim."""
    body_names: int = 0
    """Names of the body that the change holds."""
    opposites: tuple[str, ...] = ()
    """Names of which the subject says the opposite of what happened to them."""
    body_opposites: tuple[str, ...] = ()
    direction: float = 0.0
    """-1 (the message says the opposite of what the change does) to 1; 0 when it says neither."""
    saying: int = 0
    """1 when the first verb says that something is added, -1 removed, else 0."""
    reversed: bool = False
    kind_wrong: str = ""
    """What the message says the change is about, where no file bears it out."""
    kind_sure: bool = False
    docs_only: bool = False
    where_only: bool = False
    """The subject names a place of the change and does not say what happened there."""
    scope_found: bool | None = None
    """None when the subject names no scope."""
    unsaid: float = 0.0
    """Share, by size, of the parts of the change that no word of the message touches."""
    unsaid_part: str = ""
    largest: str = ""
    """The most changed definition or file."""
    little: float = 0.0
    """How few words the change has to compare with, 0 to 1."""
    claims: tuple[str, ...] = ()
    anchors: frozenset[str] = frozenset()
    """The stems of the change."""
    echoes: dict[str, float] = {}  # noqa: RUF012
    """What `echoes.read_echoes` gives."""

    @property
    def share(self) -> float:
        """Share of the subject that the change bears out, 0 to 1."""
        return self.found / self.said if self.said else 0.0


def read_text(message: str, *, parents: int | None = None, author: str = "") -> Text:
    """The part of `message` that counts, see `Text`."""
    return read_parts(split_message(message, parents=parents, author=author), parents=parents, author=author)


def read_parts(parts: Message, *, parents: int | None = None, author: str = "") -> Text:
    """As `read_text`, for a message that is cut into its parts already."""
    parts = parts._replace(subject=without_ci_orders(parts.subject).strip() or parts.subject)
    instructions = phrases.find_instructions(parts.lines)
    if instructions:
        kept = [instructions.get(number, line) for number, line in enumerate(parts.lines)]
        parts = split_message("\n".join(kept).strip(), parents=parents, author=author)
    subject, undoes = _quoted(parts) if parts.kind == "revert" else (without_fixup(parts.description), 1)
    undone_named = any(is_revert_line(line) for line in parts.body)
    body = "\n".join(
        line
        for line in parts.body
        # A squash merge leaves the signatures of its commits all over the body.
        if not (is_revert_line(line) or line.startswith("git-svn-id:") or _SIGNATURE().match(line))
    )[:_MOST_BODY]
    subject = _shorten_runs(subject[:1000])
    body = _shorten_runs(body)
    seen = {_fold(parts.subject), _fold(subject)}
    sentences: list[str] = []
    claims: list[str] = []
    repeated = praise = 0
    for sentence in phrases.sentences(body)[:_MOST_SENTENCES]:
        folded = _fold(sentence)
        if folded in seen:
            repeated += 1
            continue
        seen.add(folded)
        if phrases.is_claim(sentence):
            claims.append(sentence)
        elif phrases.is_praise(sentence):
            praise += 1
        else:
            sentences.append(sentence)
    if phrases.is_claim(subject):
        claims.insert(0, subject)
    return Text(
        message=parts,
        subject=subject,
        sentences=tuple(sentences),
        trailers="\n".join(line for line in parts.trailers if not line.startswith("git-svn-id:")),
        repeated=repeated,
        dropped=tuple(instructions),
        claims=tuple(claims),
        praise=praise,
        foreign=speech.is_foreign(subject),
        undoes=undoes,
        undone_named=undone_named,
    )


def _quoted(parts: Message) -> tuple[str, int]:
    """What a revert undoes, without the marks around it, and whether it is undone (-1) or done again."""
    subject, sign = parts.subject, 1
    while is_revert_subject(subject):
        sign = -sign if subject.startswith("Revert") else sign
        subject = subject.partition('"')[2].rpartition('"')[0]
    return split_message(subject).description, sign


def _shorten_runs(text: str) -> str:
    """`text` with what is no word by its length cut, so that no pattern meets a run of thousands."""
    return _LONG_RUN().sub(lambda match: match.group()[:80] + " ", text) if len(text) > 200 else text


def weigh(message: str, change: Change | None) -> Evidence:
    """The evidence for and against `message` in `change`.

    Not assessable without a change, for an empty change, and for one of binary files alone.
    At most 4000 changed lines and the first 64 KiB of the message are read.
    """
    return weigh_text(read_text(message), None if change is None else read_footprint(change))


def weigh_text(text: Text, footprint: Footprint | None) -> Evidence:
    """As `weigh`, for a message and a change that are read already."""
    said = sum(map(stem_weight, _stems(text.subject)))
    if footprint is None:
        return Evidence(False, "the change was not given", said=said, claims=text.claims)
    if not footprint.files:
        return Evidence(False, "the change is empty", said=said, claims=text.claims)
    subject_stems = _stems(text.subject)
    body_stems = _stems(" ".join(text.sentences)) - subject_stems
    anchors = footprint.added.keys() | footprint.removed.keys() | footprint.nearby
    mentioned = subject_stems | body_stems | _stems(text.message.scope + " " + text.message.prefix)
    unsaid, unsaid_part, largest = _find_unsaid(footprint, mentioned)
    more_said, more_found = _compare_short(text.subject, footprint)
    if not footprint.textual:
        return Evidence(
            False,
            "no line of the change is text that can be read",
            said=said + more_said,
            found=more_found,
            claims=text.claims,
            largest=largest,
        )
    kind_wrong, kind_sure = claimed.compare_kind(text.message, text.subject, footprint)
    found_names, names_missing = claimed.split_names(
        (text.subject,), footprint, versions=kind_wrong == "a new version"
    )
    body_names, background = claimed.split_names(text.sentences, footprint)
    names_found = tuple(dict.fromkeys(found_names + body_names))
    revert = text.message.kind == "revert"
    turn = claimed.NOWHERE if revert else claimed.compare_direction(text.subject, footprint)
    first = stem((words_of(text.subject) or [""])[0])
    if first in _TURNING_STEMS and first not in footprint.concepts:
        # Whether the change adds or removes is weighed by its direction, not by the word.
        subject_stems = subject_stems - {first}
    area = "" if text.message.conventional else text.message.prefix
    echoes = read_echoes(
        text.subject, text.sentences, subject_stems | _stems(f"{text.message.scope} {area}"), body_stems,
        footprint, trailers=text.trailers, sign=text.undoes if turn[0] >= 0 else -1, foreign=text.foreign,
    )  # fmt: skip
    total, found = _compare_stems(subject_stems, footprint)
    _, kind_found = _compare_stems(subject_stems & footprint.concepts, footprint)
    total, found = total + more_said, found + more_found
    body_total, body_found = _compare_stems(body_stems, footprint)
    tests = "test" in footprint.kinds
    numbers = _anchor_numbers(text.sentences, footprint)
    return Evidence(
        assessable=True,
        said=total,
        found=found,
        kind_found=kind_found,
        body_said=body_total,
        body_found=body_found,
        names_found=names_found,
        names_missing=names_missing,
        saying=turn[0],
        direction=turn[1],
        reversed=turn[2],
        background=len(background),
        body_names=len(body_names),
        opposites=tuple(claimed.find_opposites(text.subject, footprint, text.undoes)),
        body_opposites=() if revert else tuple(claimed.find_body_opposites(text.sentences, footprint)),
        kind_wrong="" if revert else kind_wrong,
        kind_sure=kind_sure,
        docs_only=bool(footprint.kinds) and footprint.kinds <= {"docs", "changelog"},
        where_only=not revert
        and speech.says_where_only(text.subject, footprint, typed=text.message.conventional),
        scope_found=claimed.compare_scope(text.message, footprint),
        unsaid=unsaid,
        unsaid_part=unsaid_part,
        largest=largest,
        little=footprint.little,
        claims=tuple(
            claim for claim in text.claims if not (tests and "test" in claim.lower() and len(claim) < 40)
        ),
        anchors=frozenset(anchors | footprint.concepts | numbers),
        echoes=echoes,
    )


def _stems(text: str) -> set[str]:
    """The stems of `text`, without links and words that carry nothing."""
    if "://" in text:
        text = _LINK().sub(" ", text)
    found: set[str] = set()
    for identifier in words_of(text):
        if identifier.lower() not in STOPWORDS:
            found.update(pieces(identifier)[:5])
    return found


def _compare_stems(stems: set[str], footprint: Footprint) -> tuple[float, float]:
    """The weight of `stems`, and how much of it the change holds."""
    total = found = 0.0
    most = footprint.most
    for word in stems:
        weight = proof_weight(word)
        if word in footprint.concepts:
            # What kind of change it is says more than the frequency of the word does.
            weight = (
                max(weight, 0.45) if word not in ("add", "creat", "new", "link", "lin", "build") else weight
            )
            total += weight
            found += weight
            continue
        if not weight:
            continue
        total += weight
        count = footprint.added.get(word, 0) + footprint.removed.get(word, 0)
        if count:
            # A word that the change is full of is what it is about.
            found += weight * (0.75 + 0.25 * min(1.0, count / most) ** 0.5)
        elif word in footprint.nearby:
            found += weight * (0.95 if word in footprint.paths else 0.6)
        elif word in footprint.related:
            found += weight * 0.6
    return total, found


def _compare_short(subject: str, footprint: Footprint) -> tuple[float, float]:
    """As `_compare_stems`, for what has no stem: numbers, and files with the shortest of names."""
    said = found = 0.0
    for number in _NUMBER().findall(subject):
        said += 0.4
        found += 0.4 if number in footprint.numbers else 0.0
    for number in set(_VERSION().findall(subject)[:10] if "." in subject else ()):
        said += 0.8
        found += 0.8 if number in footprint.numbers else 0.0
    spoken = [word.lower() for word in words_of(subject)[:40]]
    for first, second in itertools.pairwise(spoken):
        # "make response" is how a person says make_response, of two words that alone say little.
        if f"{first}_{second}" in footprint.names:
            weight = max(0.0, 0.7 - proof_weight(stem(first)) - proof_weight(stem(second)))
            said += weight
            found += weight
    words = subject.split()
    name = words[1].strip("`'\"") if 2 <= len(words) <= 4 else ""
    # "Add a" is about the file `a`; "Add a test" is not.
    if name.lower() in footprint.statuses and (len(words) == 2 or words[2] in ("to", "from", "in")):
        weight = sum(map(stem_weight, _stems(name)))
        if weight < 0.8:
            said += 0.8 - weight
            found += 0.8 - weight
    return said, found


def _anchor_numbers(sentences: tuple[str, ...], footprint: Footprint) -> set[str]:
    """The small numbers of the change, as digits and as words, when the body has one at all."""
    wanted = {word for sentence in sentences for word in re.findall(r"\w+", sentence.lower())}
    if wanted.isdisjoint(_DIGITS) and wanted.isdisjoint(_DIGITS.values()):
        return set()
    digits = set(_DIGIT().findall("\n".join(footprint.changed)))
    return digits | {word for word, digit in _DIGITS.items() if digit in digits}


def _find_unsaid(footprint: Footprint, mentioned: set[str]) -> tuple[float, str, str]:
    """Share and name of what the message leaves out, and the name of the largest part."""
    mains = [part for part in footprint.files if part.kind in ("code", "ci", "docs")] or list(footprint.files)
    codes = [part for part in mains if part.kind == "code"] or mains
    largest = max(codes, key=lambda part: part.lines)
    informative = {word for word in mentioned if stem_weight(word) >= 0.3}
    total = left = 0.0
    worst: FilePart | None = None
    for part in mains:
        # The root keeps one long file from hiding ten short ones.
        size = float(part.lines) ** 0.5
        total += size
        if informative.isdisjoint(part.terms):
            left += size
            if worst is None or part.lines > worst.lines:
                worst = part
    return (left / total if total else 0.0), _name_of(worst), _name_of(largest)


def _name_of(part: FilePart | None) -> str:
    if part is None:
        return ""
    return part.definitions[0] if part.definitions and part.kind == "code" else part.path


def _fold(sentence: str) -> str:
    return " ".join(word.lower() for word in words_of(sentence))
