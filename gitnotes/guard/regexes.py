"""May a regular expression from somebody's configuration be run here?

Python's engine tries every way to match, so a pattern can keep it busy for years. What is refused
is told from the parsed pattern: each choice that the next character does not decide multiplies the
ways, and a choice inside a repeat multiplies them at each turn.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

if sys.version_info >= (3, 11):
    from re import _constants as codes  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
else:
    import sre_constants as codes
    import sre_parse as parser

LONGEST = 500
"""Characters of a pattern."""
LONGEST_TEXT = 300
"""Characters of a text that such a pattern is run on."""
_MANY = 20
"""Turns from which a repeat counts as endless."""
_MAX_DEGREE = 2
"""Endless repeats that the next character does not end."""
_MAX_WAYS = 64
_MAX_WIDTH = 70_000
"""Characters in the ranges of a pattern; compiling one without case looks at each."""
_OTHER = 128
"""Stands for all characters that are not ASCII."""
_ALL = frozenset(range(129))
_REPEATS = frozenset(
    getattr(codes, name) for name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") if hasattr(codes, name)
)
_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    codes.CATEGORY_DIGIT: str.isdigit,
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_WORD: lambda sign: sign.isalnum() or sign == "_",
    codes.CATEGORY_NOT_DIGIT: lambda sign: not sign.isdigit(),
    codes.CATEGORY_NOT_SPACE: lambda sign: not sign.isspace(),
    codes.CATEGORY_NOT_WORD: lambda sign: not (sign.isalnum() or sign == "_"),
}

Signs = frozenset[int]


class Refused(ValueError):
    """A pattern that is not run, with the reason as a clause: `it has no end`."""


class _Cost(NamedTuple):
    degree: int
    """A text of n characters can be matched in some n ** degree * ways ways."""
    ways: int

    def times(self, other: _Cost, turns: int = 1) -> _Cost:
        return _Cost(self.degree + other.degree * turns, min(self.ways * other.ways**turns, _MAX_WAYS + 1))


_ONE = _Cost(0, 1)


@lru_cache(maxsize=256)
def compile_foreign(pattern: str, *, search: bool = False) -> re.Pattern[str]:
    """The compiled `pattern`, to be run on at most LONGEST_TEXT characters.

    `search` says that it may match anywhere, not only from the start. Raises Refused for a pattern
    that is too long, does not compile, or could take more than a fraction of a second.
    """
    if len(pattern) > LONGEST:
        raise Refused(f"it is longer than {LONGEST} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = parser.parse(pattern)
            _check_width(parsed)
            cost = _cost(list(parsed), frozenset()).times(_Cost(int(search), 1))
            if cost.degree > _MAX_DEGREE or cost.ways > _MAX_WAYS:
                raise Refused("it could be matched in too many ways")
            return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as problem:
        raise Refused(f"it is no regular expression of Python: {problem}") from problem


def _check_width(parsed: Any) -> None:
    width = 0
    todo: list[Any] = [parsed]
    while todo:
        node = todo.pop()
        if isinstance(node, tuple) and len(node) == 2 and node[0] is codes.RANGE:
            width += node[1][1] - node[1][0]
        elif isinstance(node, tuple | list | parser.SubPattern):
            todo.extend(node)
    if width > _MAX_WIDTH:
        raise Refused("its ranges hold too many characters")


def _cost(items: Sequence[Any], after: Signs) -> _Cost:
    """In how many ways `items` can match, where one of `after` may follow."""
    total = _ONE
    for place, (code, argument) in enumerate(items):
        rest = _first(items[place + 1 :], after)
        if code in _REPEATS:
            total = total.times(_repeat_cost(argument, rest))
        elif code is codes.BRANCH:
            total = total.times(_branch_cost(argument[1], rest))
        elif code in (codes.GROUPREF, codes.GROUPREF_EXISTS):
            raise Refused("it refers back to a group")
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            total = total.times(_cost(list(argument[1]), frozenset()))
        elif (inner := _inside(code, argument)) is not None:
            total = total.times(_cost(inner, rest))
    return total


def _repeat_cost(argument: tuple[int, int, Any], rest: Signs) -> _Cost:
    low, high, inside = int(argument[0]), int(argument[1]), list(argument[2])
    begin = _first(inside, frozenset())
    turn = _cost(inside, rest | begin if high > 1 else rest)
    is_open = low != high and bool((begin if not _may_be_empty(inside) else _ALL) & rest)
    if high <= _MANY:
        ways = _Cost(0, high - low + 1 if is_open else 1)
        return ways.times(turn, max(high, 1))
    if turn != _ONE or _may_be_empty(inside):
        raise Refused("a repeat in it holds another choice, so it could be matched in too many ways")
    return _Cost(int(is_open), 1)


def _branch_cost(branches: Iterable[Any], rest: Signs) -> _Cost:
    degree, ways = 0, 1
    firsts = []
    for branch in map(list, branches):
        cost = _cost(branch, rest)
        degree, ways = max(degree, cost.degree), max(ways, cost.ways)
        firsts.append(_first(branch, rest))
    alike = max(sum(sign in first for first in firsts) for sign in _ALL)
    return _Cost(degree, min(ways * max(alike, 1), _MAX_WAYS + 1))


def _first(items: Sequence[Any], after: Signs) -> Signs:
    """The signs that a match of `items`, or what follows an empty one, may begin with."""
    found: Signs = frozenset()
    for code, argument in items:
        found |= _begin(code, argument)
        if not _is_optional(code, argument):
            return found
    return found | after


def _begin(code: Any, argument: Any) -> Signs:
    if code in _REPEATS:
        return _first(list(argument[2]), frozenset())
    if code is codes.BRANCH:
        return frozenset().union(*(_first(list(branch), frozenset()) for branch in argument[1]))
    if (inner := _inside(code, argument)) is not None:
        return _first(inner, frozenset())
    return _signs(code, argument)


def _is_optional(code: Any, argument: Any) -> bool:
    if code in _REPEATS:
        return argument[0] == 0 or _may_be_empty(list(argument[2]))
    if code is codes.BRANCH:
        return any(_may_be_empty(list(branch)) for branch in argument[1])
    if (inner := _inside(code, argument)) is not None:
        return _may_be_empty(inner)
    return code in (codes.AT, codes.ASSERT, codes.ASSERT_NOT, codes.GROUPREF, codes.GROUPREF_EXISTS)


def _may_be_empty(items: Sequence[Any]) -> bool:
    return all(_is_optional(code, argument) for code, argument in items)


def _inside(code: Any, argument: Any) -> list[Any] | None:
    if code is codes.SUBPATTERN:
        return list(argument[-1])
    if code is getattr(codes, "ATOMIC_GROUP", None):
        return list(argument)
    return None


def _signs(code: Any, argument: Any) -> Signs:
    """The signs that one character of a pattern stands for, never too few; capitals as small letters."""
    if code is codes.LITERAL:
        return frozenset([_sign(argument)])
    if code is codes.IN:
        inside = frozenset[int]().union(*(_signs(*item) for item in argument))
        if argument[0][0] is codes.NEGATE:
            # A capital in it does not keep the small letter out.
            letters = frozenset(range(ord("a"), ord("z") + 1))
            return (_ALL - inside) | letters | {_OTHER}
        return inside
    if code is codes.RANGE:
        low, high = argument
        return frozenset(map(_sign, range(low, min(high, 128) + 1))) | ({_OTHER} if high > 127 else set())
    if code is codes.CATEGORY:
        return frozenset(_sign(number) for number in range(128) if _CATEGORIES[argument](chr(number))) | {
            _OTHER
        }
    return frozenset() if code in (codes.AT, codes.NEGATE, codes.ASSERT, codes.ASSERT_NOT) else _ALL


def _sign(number: int) -> int:
    return ord(chr(number).lower()) if number < 128 else _OTHER
