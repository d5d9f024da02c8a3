"""How much of a message does the change bear out, and what does it say against it?"""

from __future__ import annotations

from typing import NamedTuple

from gitnotes.grade import phrases
from gitnotes.grade.footprint import FilePart, Footprint, read_footprint
from gitnotes.grade.lexicon import IDENTIFIER, STOPWORDS, pieces, proof_weight, stem, stem_weight, stems_of
from gitnotes.grade.message import Message, split_message
from gitnotes.guard.patterns import late
from gitnotes.messages import is_revert_line, without_fixup
from gitnotes.records import Change
from gitnotes.verbs import imperative_of

ADDING = frozenset(
    [
        "add",
        "introduce",
        "create",
        "implement",
        "support",
        "allow",
        "enable",
        "expose",
        "include",
        "insert",
        "provide",
    ]
)
REMOVING = frozenset(
    ["remove", "delete", "drop", "eliminate", "discard", "purge", "uninstall", "strip", "prune"]
)
_REMOVING_STEMS = frozenset(stem(verb) for verb in REMOVING)
_TURNING_STEMS = frozenset(stem(verb) for verb in ADDING | REMOVING)

_CODE_NAME = late(
    r"`([^`\n]{2,80})`|\b([A-Za-z]\w*_\w+|[a-z]+[a-z0-9]*[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+"
    r"|[A-Za-z_]\w*(?=\(\)))"
)
_PATH = late(
    r"(?<![\w/:.])(?:[\w.-]+/)*[\w-]+\.(?:py|pyi|go|js|jsx|ts|tsx|rs|java|c|h|cpp|rb|md|rst|txt|toml"
    r"|ya?ml|json|cfg|ini|sh|html|css|xml)\b"
)
_VERSION = late(r"(?<![\w.#/-])v?(\d+\.\d+(?:\.\d+)*)(?![\w/])")
_LINK = late(r"https?://\S+")
_DOCSTRING = stem("docstring")
_DOC_TYPES = frozenset({"docs", "doc"})
_TEST_TYPES = frozenset({"test", "tests"})


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


class Evidence(NamedTuple):
    """What speaks for and against a message, given the change."""

    assessable: bool
    """False when the change holds nothing to compare with; `reason` says why."""
    reason: str = ""
    said: float = 0.0
    """Weight of the different informative stems of the subject."""
    found: float = 0.0
    """Weight of those that the change holds."""
    body_said: float = 0.0
    body_found: float = 0.0
    names_found: tuple[str, ...] = ()
    names_missing: tuple[str, ...] = ()
    """Identifiers, paths and versions that the message names and the change lacks."""
    direction: float = 0.0
    """-1 (the message says the opposite of what the change does) to 1; 0 when it says neither."""
    saying: int = 0
    """1 when the first verb says that something is added, -1 removed, else 0."""
    reversed: bool = False
    kind_wrong: str = ""
    """What the message says the change is about, where no file bears it out."""
    scope_found: bool | None = None
    """None when the subject names no scope."""
    unsaid: float = 0.0
    """Share, by size, of the parts of the change that no word of the message touches."""
    unsaid_part: str = ""
    largest: str = ""
    """The most changed definition or file."""
    claims: tuple[str, ...] = ()
    anchors: frozenset[str] = frozenset()
    """The stems of the change."""

    @property
    def share(self) -> float:
        """Share of the subject that the change bears out, 0 to 1."""
        return self.found / self.said if self.said else 0.0


def read_text(message: str, *, parents: int | None = None, author: str = "") -> Text:
    """The part of `message` that counts, see `Text`."""
    parts = split_message(message, parents=parents, author=author)
    instructions = phrases.find_instructions(parts.lines)
    if instructions:
        kept = [instructions.get(number, line) for number, line in enumerate(parts.lines)]
        parts = split_message("\n".join(kept).strip(), parents=parents, author=author)
    subject = without_fixup(parts.description)
    if parts.kind == "revert":
        subject = parts.subject
    body = "\n".join(
        line for line in parts.body if not is_revert_line(line) and not line.startswith("git-svn-id:")
    )
    seen = {_fold(parts.subject), _fold(subject)}
    sentences: list[str] = []
    claims: list[str] = []
    repeated = praise = 0
    for sentence in phrases.sentences(body):
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
    )


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
    if not footprint.textual:
        return Evidence(
            False,
            "no line of the change is text that can be read",
            said=said,
            claims=text.claims,
            largest=largest,
        )
    names_found, names_missing = _compare_names(text, footprint)
    saying, direction, turned = _compare_direction(text, footprint)
    first = stem((IDENTIFIER.findall(text.subject) or [""])[0])
    if first in _TURNING_STEMS and first not in footprint.concepts:
        # Whether the change adds or removes is weighed by its direction, not by the word.
        total, found = _compare_stems(subject_stems - {first}, footprint)
    else:
        total, found = _compare_stems(subject_stems, footprint)
    body_total, body_found = _compare_stems(body_stems, footprint)
    tests = "test" in footprint.kinds
    return Evidence(
        assessable=True,
        said=total,
        found=found,
        body_said=body_total,
        body_found=body_found,
        names_found=names_found,
        names_missing=names_missing,
        saying=saying,
        direction=direction,
        reversed=turned,
        kind_wrong=_compare_kind(text, footprint),
        scope_found=_compare_scope(text.message, footprint),
        unsaid=unsaid,
        unsaid_part=unsaid_part,
        largest=largest,
        claims=tuple(
            claim for claim in text.claims if not (tests and "test" in claim.lower() and len(claim) < 40)
        ),
        anchors=frozenset(anchors | footprint.concepts),
    )


def _stems(text: str) -> set[str]:
    """The stems of `text`, without links and words that carry nothing."""
    if "://" in text:
        text = _LINK().sub(" ", text)
    found: set[str] = set()
    for identifier in IDENTIFIER.findall(text):
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
    return total, found


def _compare_names(text: Text, footprint: Footprint) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The identifiers, paths and versions of the subject and body that the change holds, and lacks."""
    found: list[str] = []
    missing: list[str] = []
    for where in (text.subject, *text.sentences):
        where = _LINK().sub(" ", where) if "://" in where else where
        for match in _CODE_NAME().finditer(where):
            name = match.group(1) or match.group(2)
            parts = [part.lower() for part in IDENTIFIER.findall(name)]
            if not parts or len(parts) > 6:
                continue
            known = any(
                part in footprint.names or (part not in STOPWORDS and stem(part) in footprint.nearby)
                for part in parts
            )
            (found if known else missing).append(name)
        for path in _PATH().findall(where):
            name = path.lower()
            if name.endswith(".js") and path[0].isupper() and "/" not in path:
                continue  # Node.js and its like are no files.
            known = name in footprint.names or any(known.endswith("/" + name) for known in footprint.names)
            (found if known else missing).append(path)
        for version in _VERSION().findall(where):
            if footprint.numbers:
                known = any(
                    number == version or number.startswith(version + ".") or version.startswith(number + ".")
                    for number in footprint.numbers
                )
                (found if known else missing).append(version)
    return tuple(dict.fromkeys(found)), tuple(dict.fromkeys(missing))


def _compare_direction(text: Text, footprint: Footprint) -> tuple[int, float, bool]:
    """What the first verb says, how far the lines agree with it, and whether they show the opposite."""
    words = IDENTIFIER.findall(text.subject)
    if not words or text.message.kind == "revert":
        return 0, 0.0, False
    verb = (imperative_of(words[0], "the") or words[0]).lower()
    sign = 1 if verb in ADDING else -1 if verb in REMOVING else 0
    if not sign:
        return 0, 0.0, False
    if sign < 0 and any(
        footprint.added.get(word, 0) > footprint.removed.get(word, 0) for word in _REMOVING_STEMS
    ):
        # New lines that remove something: the verb tells what the program does, not the change.
        return sign, 0.0, False
    lines = footprint.lines_added + footprint.lines_removed
    balance = (footprint.lines_added - footprint.lines_removed) / lines if lines else 0.0
    plus = minus = 0.0
    # What is added or removed stands right after the verb.
    for word in words[1:6]:
        for piece in pieces(word):
            weight = proof_weight(piece)
            if weight:
                more = footprint.added.get(piece, 0) - footprint.removed.get(piece, 0)
                # Each word has one vote, however often it occurs.
                plus += weight if more > 0 else 0.0
                minus += weight if more < 0 else 0.0
    votes = (plus - minus) / (plus + minus) if plus + minus else balance
    agreement = sign * (0.6 * votes + 0.4 * balance)
    only = lines > 0 and abs(balance) == 1.0 and sign * balance < 0
    return sign, agreement, only or (agreement < -0.5 and sign * balance < 0)


def _compare_kind(text: Text, footprint: Footprint) -> str:
    """The kind that the message names and that no file bears out; empty when all is well."""
    prefix = text.message.prefix
    kinds = footprint.kinds
    words = {word.lower() for word in IDENTIFIER.findall(text.subject)[:3]}
    if prefix in _DOC_TYPES and not kinds & {"docs", "changelog", "image"}:
        if not _comments(footprint):
            return "documentation"
    elif prefix in _TEST_TYPES and "test" not in kinds and not _holds(footprint, "test"):
        return "tests"
    elif prefix == "ci" and not kinds & {"ci", "manifest"} and not _holds_any(footprint, "ci", "github"):
        return "continuous integration"
    elif prefix in ("feat", "perf") and kinds and kinds <= {"docs", "changelog"}:
        return "a change of the program"
    elif not prefix and words & {"document", "docs"} and kinds == {"code"} and not _comments(footprint):
        return "documentation"
    return ""


def _comments(footprint: Footprint) -> bool:
    return footprint.comments_only or _DOCSTRING in footprint.concepts or _DOCSTRING in footprint.added


def _holds(footprint: Footprint, word: str) -> bool:
    return word in footprint.added or word in footprint.removed or word in footprint.nearby


def _holds_any(footprint: Footprint, *words: str) -> bool:
    return any(_holds(footprint, word) for word in words)


def _compare_scope(message: Message, footprint: Footprint) -> bool | None:
    scope = message.scope or ("" if message.conventional else message.prefix)
    if not scope:
        return None
    wanted = stems_of(scope) - {""}
    if not wanted:
        return None
    known = footprint.paths | footprint.concepts
    return any(word in known or _holds(footprint, word) for word in wanted)


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
    return " ".join(word.lower() for word in IDENTIFIER.findall(sentence))
