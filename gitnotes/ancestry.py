"""Which commits of an index does a commit reach, told from numbers alone?

What is asked of every commit stands in columns at the place of its id. To read 5,000 rows instead
would take ten times as long, which is more than all the rest of a look into the index.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import islice


class Graph:
    """The parents, times, norms and sizes of commits by their ids, 1 and up without gaps.

    Place 0 stands for every commit that is not in the index. Raises ValueError or TypeError for
    columns that are none.
    """

    def __init__(self, columns: Sequence[bytes] | None = None) -> None:
        first, second, others, times, norms, sizes = columns or (b"\0" * 4,) * 2 + (b"",) + (
            b"\0" * 8,
        ) * 2 + (b"\0" * 4,)
        self.first = array("I", first)
        self.second = array("I", second)
        self.others = array("I", others)
        """The id of a commit and that of a parent after its second, in turn."""
        self.times = array("q", times)
        self.norms = array("d", norms)
        self.sizes = array("I", sizes)
        """How many files each changed."""
        count = len(self.first)
        if not count or any(
            len(column) != count for column in (self.second, self.times, self.norms, self.sizes)
        ):
            raise ValueError("columns of unequal length")

    def __len__(self) -> int:
        return len(self.first) - 1

    def add(self, parents: Sequence[int], time: int, norm: float, size: int) -> None:
        """Takes in the commit with the next id."""
        first, second, *more = (*parents, 0, 0)
        self.others.extend(item for parent in more if parent for item in (len(self.first), parent))
        self.first.append(first)
        self.second.append(second)
        self.times.append(time)
        self.norms.append(norm)
        self.sizes.append(size)

    def columns(self) -> list[bytes]:
        """What makes the same graph again."""
        return [
            column.tobytes()
            for column in (self.first, self.second, self.others, self.times, self.norms, self.sizes)
        ]

    def ancestors(self, start: int) -> list[int]:
        """The commits that changed something, `start` among them, as far as it reaches, by their ids.

        Raises IndexError for a parent that is not there.
        """
        others: dict[int, list[int]] = defaultdict(list)
        for child, parent in zip(
            islice(self.others, 0, None, 2), islice(self.others, 1, None, 2), strict=True
        ):
            others[child].append(parent)
        seen = bytearray(len(self.first))
        seen[0] = 1
        todo = [start]
        while todo:
            number = todo.pop()
            while not seen[number]:
                seen[number] = 1
                if self.second[number]:
                    todo += [self.second[number], *others.get(number, ())]
                number = self.first[number]
        return [number for number, size in enumerate(self.sizes) if size and seen[number]]
