"""Which words would be matched if each were matched once, either way round, or in the fewest runs?

`gitnotes.grade.alignment` gives what the authors' code finds in lower case; this gives what their
paper and METEOR describe, for words in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gitnotes.grade.alignment import Alignment, Pair, count_chunks
from gitnotes.grade.words import STEMS, SYNONYMS

BEAM = 32
"""How many part-way alignments are kept in the search for the fewest chunks."""

OTHERS = 6
"""How many places that begin a chunk are tried for a word in each of them."""

MAX_WORDS = 256
"""Above this many words in a text the fewest chunks are not looked for, to bound the time."""

Counts = tuple[int, int, int]
"""How many pairs the exact, stem and synonym stages have."""


def align_once(
    prediction: Sequence[str],
    reference: Sequence[str],
    *,
    stems: str = "once",
    synonyms: str = "directed",
    fewest_chunks: bool = False,
    synonyms_of_stems: bool = False,
) -> Alignment:
    """The alignment in three stages from the end; see `variants.Settings` for the choices.

    With `fewest_chunks`, an alignment with as many pairs in each stage as that one has, and with
    no more chunks; a search in the manner of METEOR's aligner, which keeps the best part-way
    alignments. Countss then never share a word.
    """
    left, free = dict(enumerate(prediction)), dict(enumerate(reference))
    exact = _match(left, free, lambda word: (word,))
    stem = _match_stems(left, free, take=stems == "once" or fewest_chunks)
    if synonyms_of_stems:
        left = {position: _stem(word) for position, word in left.items()}
        free = {place: _stem(word) for place, word in free.items()}
    synonym: list[Pair] = []
    if synonyms != "none":
        synonym = match_synonyms(left, free, synonyms == "symmetric")
    found = Alignment(exact, stem, synonym)
    if fewest_chunks and max(len(prediction), len(reference)) <= MAX_WORDS:
        return _fewest_chunks(prediction, reference, found, synonyms)
    return found


def _match(left: dict[int, str], free: dict[int, str], keys: Callable[[str], Sequence[str]]) -> list[Pair]:
    """The pairs of words with a key in common, taken away from `left` and `free`."""
    places: dict[str, list[int]] = {}
    for place, word in free.items():
        for key in keys(word):
            places.setdefault(key, []).append(place)
    pairs = []
    for position in sorted(left, reverse=True):
        for key in keys(left[position]):
            if places.get(key):
                place = places[key].pop()
                pairs.append((position, place))
                del left[position], free[place]
                break
    return pairs


def _match_stems(left: dict[int, str], free: dict[int, str], *, take: bool) -> list[Pair]:
    if not take:
        left, free = dict(left), dict(free)
    return _match(left, free, lambda word: (_stem(word),))


def match_synonyms(left: dict[int, str], free: dict[int, str], symmetric: bool = False) -> list[Pair]:
    """The pairs of synonyms; `free` is searched by what its words can be named by."""
    named: dict[str, list[int]] = {}
    reverse: dict[str, list[int]] = {}
    for place, word in free.items():
        named.setdefault(word, []).append(place)
        for name in _names(word) if symmetric else ():
            reverse.setdefault(name, []).append(place)
    taken: set[int] = set()
    pairs = []
    for position in sorted(left, reverse=True):
        word = left[position]
        stacks = [named[name] for name in _names(word) if name in named]
        if word in reverse:
            stacks.append(reverse[word])
        for stack in stacks:
            while stack and stack[-1] in taken:
                stack.pop()
        last = max((stack[-1] for stack in stacks if stack), default=None)
        if last is not None:
            taken.add(last)
            pairs.append((position, last))
    return pairs


def _stem(word: str) -> str:
    """The stem of a word in any case; nltk's stemmer lowers it."""
    return STEMS[word.lower()]


def _names(word: str) -> frozenset[str]:
    """The synonyms of a word in any case, itself among them; WordNet is asked for it in lower case."""
    return SYNONYMS[word.lower()] | {word}


class _State(NamedTuple):
    """A part-way alignment."""

    counts: Counts
    chunks: int
    used: int
    """The words of the reference in use, a bit each."""
    last: Pair
    link: Any
    """The state before, the stage and the pair that were added; None at the start."""


def _fewest_chunks(
    prediction: Sequence[str], reference: Sequence[str], found: Alignment, synonyms: str
) -> Alignment:
    """The alignment with the stage counts of `found` and the fewest chunks that the search finds."""
    goal = len(found.exact), len(found.stem), len(found.synonym)
    options = [_options(word, reference, synonyms) for word in prediction]
    # How many of the words after each one can still take part in each stage.
    later: list[Counts] = [(0, 0, 0)]
    for choices in reversed(options[1:]):
        exact, stem, synonym = later[-1]
        stages = set(choices.values())
        later.append((exact + (0 in stages), stem + (1 in stages), synonym + (2 in stages)))
    later.reverse()
    states = [_State((0, 0, 0), 0, 0, (-2, -2), None)]
    for position, choices in enumerate(options):
        after: dict[tuple[Counts, int, Pair], _State] = {}
        least = [goal[stage] - later[position][stage] for stage in range(3)]
        for state in states:
            for new in (state, *_steps(state, position, choices)):
                if all(least[stage] <= new.counts[stage] <= goal[stage] for stage in range(3)):
                    key = new.counts, new.used, new.last
                    if key not in after or new.chunks < after[key].chunks:
                        after[key] = new
        states = sorted(after.values(), key=lambda state: (state.chunks, -sum(state.counts)))[:BEAM]
    finished = [state for state in states if state.counts == goal]
    best = min(finished, key=lambda state: state.chunks, default=None)
    if best is None or best.chunks >= count_chunks(found.pairs()):
        return found
    pairs: tuple[list[Pair], list[Pair], list[Pair]] = ([], [], [])
    while best.link is not None:
        best, stage, pair = best.link
        pairs[stage].append(pair)
    return Alignment(*pairs)


def _options(word: str, reference: Sequence[str], synonyms: str) -> dict[int, int]:
    """The places in the reference that `word` can take, each with its stage."""
    options = {}
    for place, other in enumerate(reference):
        if word == other:
            options[place] = 0
        elif _stem(word) == _stem(other):
            options[place] = 1
        elif synonyms != "none" and (
            other in _names(word) or (synonyms == "symmetric" and word in _names(other))
        ):
            options[place] = 2
    return options


def _steps(state: _State, position: int, options: dict[int, int]) -> list[_State]:
    """What `state` becomes with one more pair: that which goes on with a chunk, and a few others."""
    ahead = state.last[1] + 1 if state.last[0] == position - 1 else -1
    places = [place for place in options if place != ahead and not state.used >> place & 1][:OTHERS]
    if ahead in options and not state.used >> ahead & 1:
        places.append(ahead)
    steps = []
    for place in places:
        counts = list(state.counts)
        counts[options[place]] += 1
        steps.append(
            _State(
                (counts[0], counts[1], counts[2]),
                state.chunks + (place != ahead),
                state.used | 1 << place,
                (position, place),
                (state, options[place], (position, place)),
            )
        )
    return steps
