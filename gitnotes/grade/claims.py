"""What does a message claim about the change that its lines, files and versions contradict?"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from functools import cache

from gitnotes.grade.concepts import QUOTED_TEXT
from gitnotes.grade.footprint import Footprint, defines, is_prose
from gitnotes.grade.lexicon import (
    JOINTS,
    KIND_NOUNS,
    PRODUCTS,
    STOPWORDS,
    SUFFIXES,
    pieces,
    proof_weight,
    stem,
    stems_of,
    words_of,
)
from gitnotes.grade.message import Message
from gitnotes.guard.patterns import late
from gitnotes.verbs import Tense, imperative_of, inflect

ADDING = frozenset(
    ["add", "introduce", "create", "implement", "support", "allow", "enable", "expose", "include", "insert",
     "provide"]
)  # fmt: skip
REMOVING = frozenset(["remove", "delete", "drop", "eliminate", "uninstall"])
_DISCARDING = frozenset(["discard", "purge", "strip", "prune", "evict", "clear", "ignore", "skip"])
"""What programs do, and changes hardly ever: no line has to go for it."""
_LIFTING = frozenset(["allow", "enable", "support"])
"""Verbs whose object was shut out before: lines that did so go."""
_MAKING = frozenset(["add", "introduce", "create", "implement"])
"""Verbs whose object was not there before; what is supported, allowed or included may have been."""
_REMOVING_STEMS = frozenset(stem(verb) for verb in REMOVING | _DISCARDING) | {"del"}
_BUMPING = frozenset(["bump", "upgrade", "downgrade"])
_RENAMING = frozenset(["rename"])
_LEAST_KNOWN = 0.4
"""Share of the object, below which the lines do not tell whether it came or went; see compare_direction."""
_MOST_SENTENCES = 40
_MOST_CLAIMS = 12

_CODE_NAME = late(
    r"`([^`\n]{2,80})`|\b([A-Za-z]\w*_\w+|[a-z][a-z0-9]*[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+"
    r"|[A-Za-z_]\w*(?=\(\)))"
)
_PATH_RUN = late(r"[\w./-]+")
_VERSION = late(r"(?<![\w.#/-])v?(\d{1,9}(?:\.\d{1,9}){1,5})(?![\w/])")
_LINK = late(r"https?://\S+")
_MARK = late(r"\s*\[[^\[\]\n]{1,60}\]:?\s*(?=\S)")
_TEXT = late(QUOTED_TEXT)
_TOKEN = late(r"`[^`\n]{1,80}`|[\w.]+(?:\(\))?|[,;:]")
_DONE = {"removed": -1, "deleted": -1, "dropped": -1, "added": 1, "introduced": 1, "created": 1}
_IS = frozenset(["is", "are", "was", "were", "been", "be", "being", "gets", "got", "now"])
_DOCSTRING = stem("docstring")
_TELLING = frozenset(
    stem(word)
    for word in (
        *("man", "manual", "openapi", "swagger", "help", "example", "usage"),
        *("www", "site", "website", "blog", "html"),
    )
)
"""What a path to text for people holds, beside the words for documents."""
_TEST = stem("test")
_TYPO = stem("typo")
_BUMP = stem("bump")


Direction = tuple[int, float, bool]
"""What the first verb says (1 added, -1 removed), how far the lines agree, whether they show the opposite."""
NOWHERE: Direction = (0, 0.0, False)


def split_names(
    sentences: Sequence[str], footprint: Footprint, *, versions: bool = False
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The identifiers, paths and versions of `sentences` that the change holds, and lacks.

    `versions` counts a version as lacking also where the change holds no number at all.
    """
    found: list[str] = []
    missing: list[str] = []
    for where in sentences:
        where = _LINK().sub(" ", where) if "://" in where else where
        for match in _CODE_NAME().finditer(where):
            name = match.group(1) or match.group(2)
            parts = [part.lower() for part in words_of(name)]
            if parts and len(parts) <= 6 and name.lower() not in PRODUCTS:
                (found if any(_is_near(part, footprint) for part in parts) else missing).append(name)
        for path in _paths(where):
            known = _knows_path(path.lower(), footprint)
            (found if known else missing).append(path)
        for version in _VERSION().findall(where):
            # Where the change states no version, it may pin one by the id of a commit.
            if versions or any("." in number for number in footprint.numbers):
                known = any(
                    number == version or number.startswith(version + ".") or version.startswith(number + ".")
                    for number in footprint.numbers
                )
                (found if known else missing).append(version)
    return tuple(dict.fromkeys(found)), tuple(dict.fromkeys(missing))


def _is_near(part: str, footprint: Footprint) -> bool:
    return part in footprint.names or (part not in STOPWORDS and stem(part) in footprint.nearby)


def _paths(text: str) -> Iterator[str]:
    """What looks like a path; a run of characters is cut up once, so that long ones cost no more."""
    if "." not in text.rstrip("."):
        return
    for match in _PATH_RUN().finditer(text):
        path = match.group().rstrip(".-/").removeprefix("./")
        name, dot, suffix = path.rpartition(".")
        if not dot or suffix not in SUFFIXES or len(path) > 200 or not name or name[-1:] in "./":
            continue
        if text[match.start() - 1 : match.start()] == ":" or path[0] in "/.":
            continue
        if suffix == "js" and path[0].isupper() and "/" not in path:
            continue  # Node.js and its like are no files.
        yield path


def _knows_path(name: str, footprint: Footprint) -> bool:
    if name in footprint.names or any(known.endswith("/" + name) for known in footprint.names):
        return True
    # `request.json` may be an attribute as well as a file.
    parts = words_of(name)
    return (
        "/" not in name
        and len(parts) > 1
        and all(_is_near(part, footprint) or _holds(footprint, stem(part)) for part in parts)
    )


def compare_direction(subject: str, footprint: Footprint) -> Direction:
    """What the first verb says, how far the lines agree with it, and whether they show the opposite."""
    # `[uninstall] Query ...` names a part, and says nothing of removing.
    words = words_of(_MARK().sub("", subject[:400], count=1) if subject.startswith("[") else subject[:400])
    if not words:
        return NOWHERE
    verb = (imperative_of(words[0], "the") or words[0]).lower()
    sign = 1 if verb in ADDING else -1 if verb in REMOVING else 0
    if not sign:
        return NOWHERE
    if sign < 0 and any(
        footprint.added.get(word, 0) > footprint.removed.get(word, 0) for word in _REMOVING_STEMS
    ):
        # New lines that remove something: the verb tells what the program does, not the change.
        negated = "never" in map(str.lower, words)
        return sign, -1.0 if negated else 0.0, negated
    lines = footprint.lines_added + footprint.lines_removed
    balance = (footprint.lines_added - footprint.lines_removed) / lines if lines else 0.0
    plus = minus = total = 0.0
    # What is added or removed stands right after the verb.
    for word in itertools.takewhile(lambda word: word.lower() not in JOINTS, words[1:6]):
        for piece in pieces(word):
            weight = proof_weight(piece)
            more = footprint.added.get(piece, 0) - footprint.removed.get(piece, 0)
            # Each word has one vote, however often it occurs.
            total += weight
            plus += weight if more > 0 else 0.0
            minus += weight if more < 0 else 0.0
    votes = (plus - minus) / (plus + minus) if plus + minus else balance
    agreement = sign * (0.6 * votes + 0.4 * balance)
    # Of what no line names it cannot be said that it came or went.
    known = min(1.0, 2 * (plus + minus) / total) if total else 1.0
    agreement *= max(known, _LEAST_KNOWN)
    if verb in _LIFTING:
        return sign, max(agreement, 0.0), False
    only = lines > 0 and abs(balance) == 1.0 and sign * balance < 0
    against = only or (agreement < -0.5 and sign * balance < 0)
    return sign, agreement, against and known >= _LEAST_KNOWN


def find_opposites(sentence: str, footprint: Footprint, sign: int = 1) -> list[str]:
    """The names of which `sentence` says the opposite of what their lines and definitions show.

    `sign` is -1 for the quoted subject of a revert, which undoes what it says.
    """
    return [name for name, verb in _objects(sentence) if _is_opposite(name, verb, sign, footprint)]


@cache
def _turning_forms() -> frozenset[str]:
    tenses: tuple[Tense, ...] = ("imperative", "third", "past", "gerund")
    return frozenset(inflect(verb, tense) for verb in ADDING | REMOVING for tense in tenses)


def _objects(sentence: str) -> Iterator[tuple[str, str]]:
    """Names that are the whole object of a verb that adds or removes, with that verb."""
    sentence = sentence[:400]
    first = (words_of(sentence[:40]) or [""])[0].lower()
    lowered = sentence.lower()
    if first != "get" and first not in _turning_forms() and not any(form in lowered for form in _DONE):
        return
    tokens: list[str] = _TOKEN().findall(sentence)
    if [token.lower() for token in tokens[:3]] == ["get", "rid", "of"]:
        tokens[:3] = ["remove"]
    if not tokens:
        return
    verb = (imperative_of(tokens[0], "the") or tokens[0]).lower()
    if verb in ADDING or verb in REMOVING:
        for at in range(1, min(len(tokens), _MOST_CLAIMS)):
            if tokens[at].lower() in JOINTS:
                break
            following = tokens[at + 1].lower() if at + 1 < len(tokens) else ","
            if following in JOINTS or following in KIND_NOUNS or following in (",", ";", ":", "and"):
                yield _bare(tokens[at]), verb
    for at in range(2, min(len(tokens), 2 * _MOST_CLAIMS)):
        done = _DONE.get(tokens[at].lower())
        if done and tokens[at - 1].lower() in _IS:
            for token in tokens[max(0, at - 4) : at - 1]:
                yield _bare(token), "add" if done > 0 else "remove"


def _bare(token: str) -> str:
    token = token.strip("`.").removesuffix("()")
    return token if _suffix(token) in SUFFIXES else token.rpartition(".")[2]


def _suffix(token: str) -> str:
    return token.rpartition(".")[2] if "." in token else ""


def _is_opposite(name: str, verb: str, sign: int, footprint: Footprint) -> bool:
    adds = (verb in ADDING) == (sign > 0)
    if _suffix(name) in SUFFIXES or "/" in name:
        status = footprint.statuses.get(name.lower(), "")
        return status == ("D" if adds else "A")
    if len(name) < 3 or not re.fullmatch(r"[A-Za-z_]\w*", name):
        return False
    if adds and name in footprint.old_definitions:
        # `fetch` that gives way to `fetch_with_retry`, said in words, is no opposite.
        return not any(name.lower() in new.lower() for new in footprint.new_definitions)
    if not adds and name in footprint.new_definitions:
        return True
    is_code = "_" in name.strip("_") or re.search("[a-z][A-Z]", name) is not None
    if not (is_code or defines(footprint, name)) or name.lower() not in footprint.names:
        return False
    whole = pieces(name)[0] if pieces(name) else ""
    if whole in footprint.paths and not defines(footprint, name):
        return False
    more, less = footprint.added.get(whole, 0), footprint.removed.get(whole, 0)
    if adds:
        return verb in _MAKING | REMOVING and more == 0
    removes = any(footprint.added.get(word, 0) > footprint.removed.get(word, 0) for word in _REMOVING_STEMS)
    return less == 0 and (not removes or not more)


def compare_kind(message: Message, subject: str, footprint: Footprint) -> tuple[str, bool]:
    """The kind that the message names and that nothing in the change bears out, and whether that is sure."""
    prefix = message.prefix
    kinds = footprint.kinds
    words = [word.lower() for word in words_of(subject[:400])]
    verb = (imperative_of(words[0], "the") or words[0]).lower() if words else ""
    opening = set(words[:3])
    object_words = _object_words(words)
    if prefix in ("docs", "doc") or (
        not prefix
        and opening & {"document", "docs", "documentation", "readme", "docstring", "docstrings"}
        and kinds == {"code"}
    ):
        documented = kinds & {"docs", "changelog", "image"} or any(
            "doc" in word or word in _TELLING for word in footprint.paths
        )
        told = documented or _comments(footprint) or _holds_text(footprint)
        return ("" if told else "documentation"), True
    if prefix in ("test", "tests") or (
        (verb in ADDING or verb in ("test", "write", "extend")) and object_words & {"test", "tests"}
    ):
        tested = kinds & {"test", "ci", "manifest"} or _changes(footprint, _TEST)
        asserts = any(word.startswith("assert") for word in footprint.added)
        return ("" if tested or asserts else "tests"), True
    if prefix == "ci" and not kinds & {"ci", "manifest"}:
        held = any(_holds(footprint, word) for word in ("ci", "github"))
        return ("" if held else "continuous integration"), False
    if prefix in ("feat", "perf") and kinds and kinds <= {"docs", "changelog"}:
        return "a change of the program", False
    if verb in _BUMPING or (verb == "update" and "from" in words and "to" in words):
        versions = _VERSION().findall(subject)
        held_versions, _ = split_names((" ".join(versions),), footprint)
        # A version that is pinned by a commit id stands in no line.
        if versions and not held_versions and _BUMP not in footprint.concepts:
            return "a new version", True
    if verb in _RENAMING and (pair := _renamed(subject)):
        old, new = pair
        if not (_changes(footprint, old) and _changes(footprint, new)) and "R" not in (
            footprint.statuses.values()
        ):
            return "a new name", True
    if verb in ("fix", "correct") and object_words & {"typo", "typos", "spelling"}:
        small = footprint.lines_added <= 3 * footprint.lines_removed
        if not (
            small or _TYPO in footprint.concepts or kinds & {"docs", "changelog"} or _comments(footprint)
        ):
            return "a corrected typo", True
    return "", False


def _object_words(words: list[str]) -> set[str]:
    found: set[str] = set()
    for word in words[1:8]:
        if word in JOINTS:
            break
        found.add(word)
    return found


def _renamed(subject: str) -> tuple[str, str] | None:
    """The stems of the whole old and new name, where both look like names of code."""
    words = subject.split()
    for at, word in enumerate(words[1:-1], 1):
        if word == "to":
            old, new = words[at - 1].strip("`.,()"), words[at + 1].strip("`.,()")
            if all(re.fullmatch(r"[A-Za-z_]\w{1,79}", name) and "_" in name for name in (old, new)):
                return pieces(old)[0], pieces(new)[0]
    return None


def compare_scope(message: Message, footprint: Footprint) -> bool | None:
    """Whether the change touches the scope or area that the subject names; None when it names none."""
    scope = message.scope or ("" if message.conventional else message.prefix)
    wanted = stems_of(scope) - {""} if scope else set()
    if not wanted:
        return None
    known = footprint.paths | footprint.concepts
    return any(word in known or _holds(footprint, word) for word in wanted)


def find_body_opposites(sentences: Sequence[str], footprint: Footprint) -> list[str]:
    """As `find_opposites`, for the sentences of a body."""
    return [
        name
        for sentence in sentences[:_MOST_SENTENCES]
        for name in find_opposites(sentence.lstrip("-* "), footprint)
    ]


def _holds_text(footprint: Footprint) -> bool:
    """Whether half of the changed lines hold a string of several words: what a program tells people."""
    lines = [line for line in footprint.changed if line.strip()]
    return 2 * sum(1 for line in lines if _TEXT().search(line)) >= max(len(lines), 1)


def _comments(footprint: Footprint) -> bool:
    return is_prose(footprint) or _DOCSTRING in footprint.concepts or _DOCSTRING in footprint.added


def _changes(footprint: Footprint, word: str) -> bool:
    return word in footprint.added or word in footprint.removed or word in footprint.paths


def _holds(footprint: Footprint, word: str) -> bool:
    return word in footprint.added or word in footprint.removed or word in footprint.nearby
