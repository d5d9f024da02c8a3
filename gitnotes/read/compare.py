"""What happened to each definition between two versions of the files?

Definitions of the same name and place are compared line by line; those left over on both sides
are moved when name and body agree, renamed when place and body agree, else removed and added.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gitnotes.guard.patterns import late
from gitnotes.read.syntax import Definition, innermost
from gitnotes.records import DefinitionChange

MOVED = 0.5
"""Share of common telling lines from which two definitions of one name are the same, moved."""
RENAMED = 0.6
"""The same for two definitions of one place, renamed; half of it where the names are alike."""
MAX_CANDIDATES = 150
"""Definitions left over on one side up to which every pair is compared."""

# What any two definitions may have in common: brackets, and the ends and beginnings of blocks.
_COMMON_LINE = late(
    r"\W*(?:(?:end|fi|done|esac|pass|else|try|finally|begin|do|then|break|continue|default|None|self)\W*"
    r"|(?:return|yield)\b\W*(?:nil|null|None|true|false|True|False|self|this|err|\d)?\W*"
    r"|if \(?err != nil\)? \{|return \w+, (?:err|nil)|super\(?\)?\.?(?:__init__)?\(\);?)?"
)
_LONGEST_COMMON = 80
_KEYWORD = re.compile(rb"[a-z_]+(?= )")
_GROUPS = {"function": "code", "method": "code", "test": "code", "class": "type", "type": "type"}
Key = tuple[str, tuple[str, ...], str]


class Side:
    """One version of a file: its lines, its definitions, and which lines the change touches."""

    def __init__(
        self, path: str, source: bytes, definitions: Sequence[Definition], rows: Iterable[int]
    ) -> None:
        self.path = path
        self.source = source
        self.lines = [line.strip() for line in source.split(b"\n")]
        self.definitions = definitions
        self.rows = sorted(row for row in rows if row < len(self.lines) and self.lines[row])
        self._begins: defaultdict[int, list[int]] | None = None
        self.own: Counter[int] = Counter()
        for positions in innermost(definitions, self.rows):
            self.own.update(positions)

    def touched(self, index: int) -> int:
        """Changed lines inside the definition, those of definitions in it included."""
        item = self.definitions[index]
        return bisect_right(self.rows, item.last) - bisect_left(self.rows, item.first)

    def own_text(self, index: int) -> list[bytes]:
        """The lines of a definition that belong to no definition inside it; blank ones are left out."""
        item = self.definitions[index]
        result: list[bytes] = []
        row = item.first
        if item.end and item.start == item.last:
            return [line for line in (*self.lines[row : item.start], self._alone(item)) if line]
        if item.holds:
            for inner in self.definitions[index + 1 :]:
                if inner.first > item.last:
                    break
                if (inner.first, inner.last) != (item.first, item.last):
                    result.extend(self.lines[row : inner.first])
                    row = max(row, inner.last + 1)
        result.extend(self.lines[row : item.last + 1])
        if item.end and result and row <= item.last:  # not the comma behind it
            result[-1] = self._last_line(item)
        return [line for line in result if line]

    def _alone(self, item: Definition) -> bytes:
        """The text of a definition on a line that it may share with others."""
        own = self.source[item.begin : item.end].strip()
        keyword = _KEYWORD.match(self.lines[item.start])  # `const`, `attr_reader`: of all on the line
        lead = keyword[0] if keyword and not self.lines[item.start].startswith(own) else b""
        return lead + own + self._behind(item)

    def _last_line(self, item: Definition) -> bytes:
        begin = self.source.rfind(b"\n", 0, max(item.end - 1, 0)) + 1
        return self.source[begin : item.end].strip() + self._behind(item)

    def _behind(self, item: Definition) -> bytes:
        """What follows on the line, such as a comment: not the sign between two definitions, nor the next."""
        if self.source[item.end - 1 : item.end] == b"\n":
            return b""
        line_end = self.source.find(b"\n", item.end)
        if self._is_followed(item.last, item.end, line_end):
            return b""
        return self.source[item.end : line_end if line_end >= 0 else None].strip().lstrip(b",;").lstrip()

    def _is_followed(self, row: int, begin: int, end: int) -> bool:
        """Whether another definition begins on the row, between those bytes."""
        if self._begins is None:
            self._begins = defaultdict(list)
            for item in self.definitions:
                self._begins[item.start].append(item.begin)
        return any(begin <= place < end for place in self._begins[row])

    def body(self, index: int) -> list[bytes]:
        """The lines of a definition without the comment above, its name blanked."""
        item = self.definitions[index]
        text = b"\n".join(line for line in self.lines[item.start : item.last + 1] if line)
        name = re.escape(item.name.encode("utf-8", "replace"))
        return re.sub(rb"(?<!\w)" + name + rb"(?!\w)", b"\0", text).split(b"\n")


def telling_lines(body: Sequence[bytes]) -> list[bytes]:
    """The lines of a body that tell it from another: not those down to its name, which is blanked,
    and none that says as much in any definition."""
    first = next((number for number, line in enumerate(body, 1) if b"\0" in line), 0)
    return [
        line
        for line in body[first:]
        if len(line) > _LONGEST_COMMON or not _COMMON_LINE().fullmatch(line.decode("latin-1"))
    ]


class FilePair(NamedTuple):
    """Both versions of a file; a side without definitions stands for a file that is not there."""

    old: Side
    new: Side


@dataclass(eq=False, slots=True)
class _Left:
    """A definition that has no counterpart in its own file."""

    side: Side
    index: int
    file: int
    lines: int
    _body: list[bytes] | None = field(default=None)
    _telling: list[bytes] | None = field(default=None)

    @property
    def item(self) -> Definition:
        return self.side.definitions[self.index]

    @property
    def body(self) -> list[bytes]:
        if self._body is None:
            self._body = self.side.body(self.index)
        return self._body

    @property
    def telling(self) -> list[bytes]:
        if self._telling is None:
            self._telling = telling_lines(self.body)
        return self._telling

    @property
    def within(self) -> tuple[str, ...]:
        return (*self.item.scope, self.item.name)


def compare(files: Sequence[FilePair]) -> list[DefinitionChange]:
    """What happened to the definitions that the changed lines touch, in the order of the files."""
    result: list[DefinitionChange] = []
    gone: list[_Left] = []
    come: list[_Left] = []
    for number, file in enumerate(files):
        result.extend(_compare_file(file, number, gone, come))
    # Types first, because what is in them goes with them.
    for holds in (True, False):
        for is_match in (_moved_exactly, _renamed_exactly, _moved_roughly, _renamed_roughly):
            for old, new in _match(gone, come, is_match, holds=holds):
                result.extend(_tell(old, new, gone, come))
    result.extend(_alone("added", come))
    result.extend(_alone("removed", gone))
    return result


_Judge = Callable[[_Left, _Left], float]


def _key(item: Definition) -> Key:
    return _GROUPS.get(item.kind, item.kind), item.scope, item.name


def _compare_file(
    file: FilePair, number: int, gone: list[_Left], come: list[_Left]
) -> Iterator[DefinitionChange]:
    old, new = file.old, file.new
    before: dict[Key, list[int]] = defaultdict(list)
    after: dict[Key, list[int]] = defaultdict(list)
    for side, place in ((old, before), (new, after)):
        for index, item in enumerate(side.definitions):
            place[_key(item)].append(index)
    for key in dict.fromkeys((*after, *before)):
        pairs, first, second = _pair(old, new, before.get(key, []), after.get(key, []))
        for one, other in pairs:
            lines = old.own[one] + new.own[other]
            if lines and old.own_text(one) != new.own_text(other):
                yield _changed(old.definitions[one], new.definitions[other], new.path, lines)
        gone.extend(_Left(old, index, number, lines) for index in first if (lines := old.touched(index)))
        come.extend(_Left(new, index, number, lines) for index in second if (lines := new.touched(index)))


def _pair(
    old: Side, new: Side, before: list[int], after: list[int]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Definitions of one name (overloads, getter and setter, ...) in pairs, and what is left over."""
    if len(before) == 1 and len(after) == 1:
        return [(before[0], after[0])], [], []
    before, after = list(before), list(after)
    pairs: list[tuple[int, int]] = []
    if before and after and max(len(before), len(after)) <= MAX_CANDIDATES:
        texts = {index: old.own_text(index) for index in before}
        for other in list(after):
            text = new.own_text(other)
            parameters = new.definitions[other].parameters
            best = next((index for index in before if texts[index] == text), None)
            if best is None and parameters:
                best = next((one for one in before if old.definitions[one].parameters == parameters), None)
            if best is not None:
                pairs.append((best, other))
                before.remove(best)
                after.remove(other)
    count = min(len(before), len(after))
    pairs.extend(zip(before[:count], after[:count], strict=True))
    return pairs, before[count:], after[count:]


def _parameters(old: Definition, new: Definition) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The parameters that came and that went."""
    if old.parameters is None or new.parameters is None:
        return (), ()
    gained = tuple(name for name in new.parameters if name not in old.parameters)
    return gained, tuple(name for name in old.parameters if name not in new.parameters)


def _changed(old: Definition, new: Definition, path: str, lines: int) -> DefinitionChange:
    gained, lost = _parameters(old, new)
    return DefinitionChange(
        "changed",
        new.kind,
        new.name,
        path,
        lines,
        new.owner,
        added_parameters=gained,
        removed_parameters=lost,
    )


def _match(
    gone: list[_Left], come: list[_Left], is_match: _Judge, *, holds: bool
) -> Iterator[tuple[_Left, _Left]]:
    """Pairs that `is_match` scores, the best first; what is paired leaves both lists."""
    pools: dict[str, list[_Left]] = defaultdict(list)
    for old in gone:
        if old.item.holds == holds:
            pools[_key(old.item)[0]].append(old)
    scored: list[tuple[float, int, int, _Left, _Left]] = []
    for position, new in enumerate(come):
        pool = pools[_key(new.item)[0]] if new.item.holds == holds else []
        if len(pool) > MAX_CANDIDATES or len(come) > 4 * MAX_CANDIDATES:
            pool = [old for old in pool if old.item.name == new.item.name][:MAX_CANDIDATES]
        for rank, old in enumerate(pool):
            score = is_match(old, new)
            if score > 0:
                scored.append((-score, position, rank, old, new))
    for _, _, _, old, new in sorted(scored, key=lambda row: row[:3]):
        if old in gone and new in come:
            gone.remove(old)
            come.remove(new)
            yield old, new


def _moved_exactly(old: _Left, new: _Left) -> float:
    same = old.item.kind != "key" and old.item.name == new.item.name and old.body == new.body
    return float(same)


def _renamed_exactly(old: _Left, new: _Left) -> float:
    if old.file != new.file or old.item.scope != new.item.scope or old.body != new.body:
        return 0.0
    return float(bool(old.telling) or are_alike(old.item.name, new.item.name))


def _moved_roughly(old: _Left, new: _Left) -> float:
    if old.item.kind == "key" or old.item.name != new.item.name:
        return 0.0
    share = (
        common_share(old.telling, new.telling)
        if old.telling or new.telling
        else common_share(old.body, new.body)
    )
    if max(len(old.body), len(new.body)) == 1 and old.file != new.file and not new.item.scope:
        share = max(share, MOVED)  # a constant whose value changed on the way
    return share if share >= MOVED else 0.0


def _renamed_roughly(old: _Left, new: _Left) -> float:
    if old.file != new.file or old.item.scope != new.item.scope or old.item.kind in {"key", "constant"}:
        return 0.0
    # One line alone must be the same, which then is all there is to compare.
    share = common_share(old.telling, new.telling)
    enough = RENAMED / 2 if are_alike(old.item.name, new.item.name) else RENAMED
    return share if share >= enough else 0.0


def common_share(one: list[bytes], other: list[bytes]) -> float:
    """Lines in common, of the mean length of both."""
    if not one or not other or 3 * min(len(one), len(other)) < max(len(one), len(other)):
        return 0.0
    shared = sum((Counter(one) & Counter(other)).values())
    return 2 * shared / (len(one) + len(other))


def are_alike(one: str, other: str) -> bool:
    """Whether two names look like the same thing called anew: one is in the other, or half is common."""
    a, b = one.lower().strip("_"), other.lower().strip("_")
    if a == b or (min(len(a), len(b)) > 3 and (a in b or b in a)):
        return True
    common = 0
    for left, right in zip(a, b, strict=False):
        if left != right:
            break
        common += 1
    return common * 2 >= max(len(a), len(b))


def _tell(old: _Left, new: _Left, gone: list[_Left], come: list[_Left]) -> Iterator[DefinitionChange]:
    """The record of a pair, and what changed inside it on the way."""
    gained, lost = _parameters(old.item, new.item)
    renamed = old.item.name != new.item.name
    moved = old.file != new.file or old.item.scope != new.item.scope
    old_name = old.item.name if renamed else ""
    if moved and not renamed and old.item.owner != new.item.owner and old.item.owner:
        old_name = f"{old.item.owner}.{old.item.name}"
    yield DefinitionChange(
        "renamed" if renamed else "moved" if moved else "changed",
        new.item.kind,
        new.item.name,
        new.side.path,
        new.lines,
        new.item.owner,
        old_name,
        old.side.path if moved else "",
        gained,
        lost,
        new.item.base,
    )
    if not new.item.holds:
        return
    depth = len(new.within)
    members: dict[Key, list[_Left]] = defaultdict(list)
    for left in gone:
        if left.file == old.file and left.item.scope[: len(old.within)] == old.within:
            group, scope, name = _key(left.item)
            members[group, scope[len(old.within) :], name].append(left)
    for left in list(come):
        if left.file != new.file or left.item.scope[:depth] != new.within:
            continue
        group, scope, name = _key(left.item)
        if candidates := members.get((group, scope[depth:], name)):
            before = candidates.pop(0)
            gone.remove(before)
            come.remove(left)
            one = Counter(before.side.own_text(before.index))
            other = Counter(left.side.own_text(left.index))
            if lines := sum(((one - other) + (other - one)).values()):
                yield _changed(before.item, left.item, left.side.path, lines)


def _alone(action: str, items: list[_Left]) -> Iterator[DefinitionChange]:
    keys = {(left.file, left.within) for left in items if left.item.kind == "key"}
    for left in items:
        item = left.item
        # A new section is told once, not again for each of its keys.
        if item.kind == "key" and any(
            (left.file, item.scope[:length]) in keys for length in range(1, len(item.scope) + 1)
        ):
            continue
        yield DefinitionChange(
            "added" if action == "added" else "removed",
            item.kind,
            item.name,
            left.side.path,
            left.lines,
            item.owner,
            base=item.base,
        )
