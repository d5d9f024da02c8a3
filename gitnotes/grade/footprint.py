"""Which words, names, numbers and plain facts does a change leave behind to compare a message with?"""

from __future__ import annotations

import math
from bisect import insort
from collections import Counter
from operator import itemgetter
from typing import NamedTuple

from gitnotes.grade.concepts import read_edit, related_stems, stems_for
from gitnotes.grade.lexicon import IDENTIFIER, LONGEST_WORD, pieces, proof_weight, words_of
from gitnotes.guard.patterns import late
from gitnotes.kinds import Kind, kind_of
from gitnotes.records import Change, FileChange, Hunk

MOST_LINES = 4000
"""Changed lines that are read; the budget is shared out evenly among the files."""
MOST_FILES = 400
LONGEST_LINE = 400
_MOST_RANKED = 200
_MOST_SALIENT = 12
_FEW_WORDS = 4.0
"""Weight of the different changed words beyond which a message that is right nearly always has some."""

_NUMBER = late(r"\d[\d.]*\d")
_SIGN = late(r"[^\w\s,'`-]")
_COMMENT = late(r"\s*(?:#(?!include|define|if|endif|!)|//|/\*|\*|--\s|<!--|\"\"\"|'''|;;|%)")
_DEFINITION = late(
    r"^\s*(?:export\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|pub(?:\([^)]{0,20}\))?\s+"
    r"|default\s+)*"
    r"(?:def|class|func|function|fn|struct|interface|type|trait|enum"
    r"|module)\s+(?:\([^)\n]{0,80}\)\s*)?([A-Za-z_]\w*)"
)
_TYPING_NAMES = frozenset(
    ["typing", "TypeVar", "cast", "overload", "Optional", "TYPE_CHECKING", "reveal_type"]
)
_LINT_NAMES = frozenset(["noqa", "nolint", "pylint", "eslint", "mypy", "pyright", "cast", "TYPE_CHECKING"])
# What no message tells apart from the program or its documents.
_COARSE: dict[Kind, Kind] = {
    "vendored": "code", "generated": "code", "config": "code", "other": "code", "licence": "docs",
}  # fmt: skip
_CHECKERS = late(r"pre-commit|ruff|flake8|golangci|rubocop|eslint|prettier|editorconfig|pylint|mypy")
_VERSION_FILES = frozenset(["version", "version.txt", "version.py", "_version.py", "__version__.py"])


class FilePart(NamedTuple):
    """One file of a change as far as words go."""

    path: str
    kind: Kind
    """code, test, docs, ci, manifest, lock, changelog or image."""
    lines: int
    """Changed lines; 1 when they are not counted."""
    terms: frozenset[str]
    definitions: tuple[str, ...]
    """Names defined or enclosing, most changed first."""


class Footprint(NamedTuple):
    """What a change holds; stems are those of `lexicon.stem`."""

    files: tuple[FilePart, ...]
    added: dict[str, int]
    removed: dict[str, int]
    """Stem to the number of occurrences in added and in removed lines."""
    most: int
    """The occurrences of the informative stem that occurs most; at least 1."""
    salient: tuple[tuple[str, float], ...]
    """The most telling stems of the changed lines, each with its weight."""
    nearby: frozenset[str]
    """Stems of paths, headings and context lines."""
    paths: frozenset[str]
    """Stems of paths alone."""
    names: frozenset[str]
    """Identifiers and file names as they stand, lower case."""
    numbers_added: frozenset[str]
    numbers_removed: frozenset[str]
    """Versions and numbers of two digits and more in added and in removed lines."""
    concepts: frozenset[str]
    """Stems of words for what happened: typo, dependency, rename."""
    related: frozenset[str]
    """Stems of words for what the changed lines do, and of other words for theirs."""
    little: float
    """How few telling words the changed lines have to compare with: 1 is none, 0 many."""
    kinds: frozenset[Kind]
    lines_added: int
    lines_removed: int
    textual: bool
    """False when no line of text can be read: binary, mode or empty change."""
    cut: bool
    """True when a part was not read for size."""
    comments_only: bool = False
    comments: int = 0
    new_definitions: frozenset[str] = frozenset()
    """Names, as they stand, whose definition is in added lines alone."""
    old_definitions: frozenset[str] = frozenset()
    """Names whose definition is in removed lines alone."""
    definitions: frozenset[str] = frozenset()
    """Names defined in the change, and those that git or the reader names around it; see `defines`."""
    changed: tuple[str, ...] = ()
    """The changed lines that were read."""
    around: tuple[str, ...] = ()
    """The lines around them."""
    statuses: dict[str, str] = {}  # noqa: RUF012
    """Path and file name, lower case, to the letter of what happened to the file."""

    @property
    def numbers(self) -> frozenset[str]:
        return self.numbers_added | self.numbers_removed


def read_footprint(change: Change) -> Footprint:
    """The footprint of `change`; linear in its size, of which at most 4000 changed lines are read."""
    files = change.files[:MOST_FILES]
    by_path: dict[str, list[Hunk]] = {}
    for hunk in change.hunks:
        by_path.setdefault(hunk.path, []).append(hunk)
    budget = max(MOST_LINES // max(len(files), 1), 10)
    facts = _Facts()
    parts = [_read_file(file, by_path.get(file.path, ()), budget, facts) for file in files]
    _note_definitions(change, facts)
    cut = facts.cut or len(change.files) > MOST_FILES or bool(change.omitted)
    kinds = frozenset(part.kind for part in parts)
    concepts = facts.concepts | kinds
    if "lock" in kinds:
        concepts.add("manifest")
    comments_only = facts.comments > 0 and facts.comments == facts.changed
    if facts.comments >= 2 and facts.comments * 3 >= facts.changed:
        concepts.add("comment")
    lines_added = sum(file.added or 0 for file in change.files) or facts.lines_added
    lines_removed = sum(file.removed or 0 for file in change.files) or facts.lines_removed
    if lines_removed > 4 * lines_added:
        concepts.add("less")
    most, salient = _rank(facts)
    changed_stems = facts.added.keys() | facts.removed.keys()
    return Footprint(
        files=tuple(parts),
        added=facts.added,
        removed=facts.removed,
        most=most,
        salient=salient,
        nearby=frozenset(facts.nearby | facts.paths),
        paths=frozenset(facts.paths),
        names=frozenset(facts.names),
        numbers_added=frozenset(facts.numbers_added),
        numbers_removed=frozenset(facts.numbers_removed),
        concepts=stems_for(concepts),
        related=related_stems("\n".join(facts.lines).lower(), changed_stems | facts.paths),
        little=math.exp(-sum(map(proof_weight, changed_stems)) / _FEW_WORDS),
        kinds=kinds,
        lines_added=lines_added,
        lines_removed=lines_removed,
        textual=facts.lines_added + facts.lines_removed > 0 or any(file.status in "RC" for file in files),
        cut=cut,
        comments_only=comments_only,
        comments=facts.comments,
        new_definitions=frozenset(facts.new - facts.old),
        old_definitions=frozenset(facts.old - facts.new),
        definitions=frozenset(facts.around | facts.new | facts.old),
        changed=tuple(facts.lines),
        around=tuple(facts.context),
        statuses=facts.statuses,
    )


def defines(footprint: Footprint, name: str) -> bool:
    """Whether `name` is defined in the change or in the lines around it."""
    if name in footprint.definitions:
        return True
    near = (_DEFINITION().match(line) for line in footprint.around if name in line)
    return any(match is not None and match.group(1) == name for match in near)


def is_prose(footprint: Footprint) -> bool:
    """Whether half of the changed lines of the change, or more, are comments or text for people."""
    lines = [line.strip() for line in footprint.changed]
    prose = sum(
        1
        for line in lines
        if line.count(" ") >= 3
        and line[-1] not in "{}()[];:,"
        and 10 * len(_SIGN().findall(line)) <= len(line)
        and not _COMMENT().match(line)
    )
    return footprint.comments_only or 2 * (footprint.comments + prose) >= max(sum(map(bool, lines)), 1)


def _rank(facts: _Facts) -> tuple[int, tuple[tuple[str, float], ...]]:
    """`Footprint.most` and `Footprint.salient`."""
    added, removed = facts.added, facts.removed
    counts = {word: count + removed.get(word, 0) for word, count in added.items()}
    counts.update((word, count) for word, count in removed.items() if word not in added)
    most = 1
    ranked: list[tuple[float, str]] = []
    for word, count in sorted(counts.items(), key=itemgetter(1), reverse=True)[:_MOST_RANKED]:
        if len(ranked) >= _MOST_SALIENT and most > 1 and math.log1p(count) < ranked[-_MOST_SALIENT][0]:
            # No word that is rarer still can be among the first.
            break
        weight = proof_weight(word)
        if weight <= 0.2:
            continue
        before, after = removed.get(word, 0), added.get(word, 0)
        if weight >= 0.5:
            most = max(most, before, after)
        # What stands as often on both sides is where the change is, not what it is.
        insort(ranked, (weight * math.log1p(count) * (0.5 if before == after else 1.0), word))
    return most, tuple((word, weight) for weight, word in ranked[-_MOST_SALIENT:])


class _Facts:
    """What is gathered while the files are read, one after the other."""

    def __init__(self) -> None:
        self.added: dict[str, int] = {}
        self.removed: dict[str, int] = {}
        self.nearby: set[str] = set()
        self.paths: set[str] = set()
        self.names: set[str] = set()
        self.numbers_added: set[str] = set()
        self.numbers_removed: set[str] = set()
        self.concepts: set[str] = set()
        self.new: set[str] = set()
        self.old: set[str] = set()
        self.around: set[str] = set()
        self.around_read: set[str] = set()
        self.statuses: dict[str, str] = {}
        self.comments = 0
        self.lines: list[str] = []
        self.context: list[str] = []
        self.changed = 0
        self.lines_added = 0
        self.lines_removed = 0
        self.cut = False


def _note_definitions(change: Change, facts: _Facts) -> None:
    """What the reader found by parsing is surer than what the lines look like."""
    for item in change.definitions[:1000]:
        names = {item.name, item.old_name, item.owner} - {""}
        facts.around |= names
        facts.names |= {name.lower() for name in names}
        if item.action == "added":
            facts.new.add(item.name)
        elif item.action == "removed":
            facts.old.add(item.name)
        elif item.action == "renamed":
            facts.new.add(item.name)
            facts.old.add(item.old_name)
        else:
            facts.new.discard(item.name)
            facts.old.discard(item.name)


def _read_file(
    file: FileChange, hunks: list[Hunk] | tuple[Hunk, ...], budget: int, facts: _Facts
) -> FilePart:
    path_terms: set[str] = set()
    for path in {file.path, file.old_path or file.path}:
        facts.names.add(path.lower())
        facts.names.add(path.rpartition("/")[2].lower())
        for name in (path.lower(), path.rpartition("/")[2].lower()):
            status = facts.statuses.setdefault(name, file.status)
            if status != file.status:
                facts.statuses[name] = "?"
        for identifier in words_of(path):
            facts.names.add(identifier.lower())
            path_terms.update(pieces(identifier))
    facts.paths |= path_terms
    _note_status(file, facts)
    added: list[str] = []
    removed: list[str] = []
    around: list[str] = []
    definitions: dict[str, int] = {}
    for hunk in hunks:
        if hunk.heading:
            around.append(hunk.heading[:LONGEST_LINE])
            match = _DEFINITION().match(hunk.heading)
            if match:
                definitions[match.group(1)] = definitions.get(match.group(1), 0) + len(hunk.lines) // 4
                facts.around.add(match.group(1))
        if budget <= 0:
            facts.cut = True
            break
        budget -= _read_hunk(hunk, budget, added, removed, around, definitions, facts)
    facts.lines += added
    facts.lines += removed
    facts.context += around
    terms = _count(added, facts.added, facts.numbers_added, facts)
    terms |= _count(removed, facts.removed, facts.numbers_removed, facts)
    for identifier in set(words_of("\n".join(around))) - facts.around_read:
        facts.around_read.add(identifier)
        facts.names.add(identifier.lower())
        facts.nearby.update(pieces(identifier))
    kind = kind_of(file.path)
    return FilePart(
        path=file.path,
        kind=_COARSE.get(kind, kind),
        lines=((file.added or 0) + (file.removed or 0)) or len(added) + len(removed) or 1,
        terms=frozenset(terms | path_terms),
        definitions=tuple(sorted(definitions, key=lambda name: -definitions[name])[:5]),
    )


def _note_status(file: FileChange, facts: _Facts) -> None:
    name = file.path.rpartition("/")[2].lower()
    if name in _VERSION_FILES:
        facts.concepts.add("changelog")
    if _CHECKERS().search(name):
        facts.concepts.add("checks")
    if file.status in "RC":
        facts.concepts.add("rename")
    elif file.status == "D":
        facts.concepts.add("deleted")
    elif file.status == "A":
        facts.concepts.add("created")
    if file.submodule is not None:
        facts.concepts.add("submodule")
    if file.old_mode and file.new_mode and file.old_mode != file.new_mode and file.status == "M":
        facts.concepts.add("mode")


def _read_hunk(
    hunk: Hunk,
    budget: int,
    added: list[str],
    removed: list[str],
    around: list[str],
    definitions: dict[str, int],
    facts: _Facts,
) -> int:
    """Sort the lines of `hunk` into the three lists; the number of changed lines read."""
    is_comment, define = _COMMENT().match, _DEFINITION().match
    first_added, first_removed = len(added), len(removed)
    for line in hunk.lines:
        sign, rest = line[:1], line[1 : LONGEST_LINE + 1]
        if sign == "+":
            added.append(rest)
        elif sign == "-":
            removed.append(rest)
        else:
            around.append(rest)
            continue
        budget -= 1
        if budget < 0:
            facts.cut = True
            break
        stripped = rest.lstrip()
        if not stripped:
            facts.changed -= 1
        elif is_comment(rest):
            facts.comments += 1
        elif stripped.startswith(("import ", "from ", "use ", "#include", "require")):
            facts.concepts.add("import")
        elif stripped.startswith(("uses: ", "- uses: ")):
            # An action is a dependency of the workflow.
            facts.concepts.add("manifest")
        match = define(rest)
        if match:
            definitions[match.group(1)] = definitions.get(match.group(1), 0) + 3
            (facts.new if sign == "+" else facts.old).add(match.group(1))
    new, old = added[first_added:], removed[first_removed:]
    facts.changed += len(new) + len(old)
    facts.lines_added += len(new)
    facts.lines_removed += len(old)
    if new and len(new) == len(old) <= 12:
        for before, after in zip(old, new, strict=True):
            facts.concepts |= read_edit(before, after)
    elif new and old and "".join(new).split() == "".join(old).split():
        facts.concepts.add("blanks")
    return len(new) + len(old)


def _count(lines: list[str], counts: dict[str, int], numbers: set[str], facts: _Facts) -> set[str]:
    """Add the stems of `lines` to `counts` and their numbers to `numbers`; the set of the stems."""
    if not lines:
        return set()
    text = "\n".join(lines)
    occurrences: Counter[str] = Counter(IDENTIFIER.findall(text))
    found: set[str] = set()
    for identifier, number in occurrences.items():
        if len(identifier) > LONGEST_WORD:
            continue
        facts.names.add(identifier.lower())
        parts = pieces(identifier)
        found.update(parts)
        for piece in parts:
            counts[piece] = counts.get(piece, 0) + number
    if "-> " in text or not occurrences.keys().isdisjoint(_TYPING_NAMES):
        facts.concepts.add("typing")
    if not occurrences.keys().isdisjoint(_LINT_NAMES) or "type: ignore" in text:
        facts.concepts.add("lint")
    numbers.update(_NUMBER().findall(text))
    return found
