"""How does a commit tree look as the text that ReleaseEval gives to models, the one of `git log --graph`?

    *   ebc91037 Merge pull request #320
    |\\
    | * 5b893ec7 Update Dutch translation
    * | 6e14ab52 Update fr translation
    |/
    * 2d6064f0 Sync with My List

A line of development is a lane. Below each commit the lanes move until those of the next commit are
where they belong, as git draws them, so that the text is the one that its users know.
"""

from __future__ import annotations

from collections.abc import Iterator

from gitnotes.records import CommitTree

_FREE = -1


def tree_text(tree: CommitTree, *, abbreviate: int = 8) -> str:
    """The whole tree; every line has the trailing spaces that git gives it."""
    return "\n".join(tree_lines(tree, abbreviate=abbreviate))


def tree_lines(tree: CommitTree, *, abbreviate: int = 8) -> Iterator[str]:
    """The lines of `git log --graph --oneline --abbrev=ABBREVIATE` for the commits of the tree.

    Parents outside of the tree are not drawn, and an id is not made longer to be unique.
    """
    inside = {commit.sha for commit in tree.commits}
    lanes = _Lanes()
    for commit in tree.commits:
        # git lists a parent once, however often a merge names it.
        parents = [sha for sha in dict.fromkeys(commit.parents) if sha in inside]
        lanes.enter(commit.sha, parents)
        yield from lanes.lines_above()
        yield f"{lanes.commit_line()}{commit.sha[:abbreviate]} {commit.subject}"
        yield from lanes.lines_below()


class _Lanes:
    """The lanes above and below one commit, and the way from the ones to the others.

    A slot is a column of the screen; lane n belongs into slot 2n. `_slots` says for each slot which
    lane passes it, `_before` the same one line earlier.
    """

    def __init__(self) -> None:
        self._above: list[str] = []
        """The commit that each lane above is waiting for."""
        self._below: list[str] = []
        self._slots: list[int] = []
        self._before: list[int] = []
        self._width = 0
        self._at = 0
        """The lane of the commit; one past the last when it is the tip of a new one."""
        self._last_at = 0
        self._parents: list[str] = []
        self._sha = ""
        self._opens_right = True
        """Whether the first parent of a merge goes straight down, and not into a lane on the left."""
        self._added = 0
        """How many lanes the merge adds; -1 when its last one joins its neighbour at once."""
        self._last_added = 0
        self._last_line = ""
        """What the line before was: `merge`, `move` or anything else."""

    def enter(self, sha: str, parents: list[str]) -> None:
        """Takes up the next commit: finds the lanes below it and in which slots they start."""
        self._sha, self._parents = sha, parents
        self._above, self._below = self._below, []
        self._last_at, self._last_added, self._added = self._at, self._added, 0
        self._width = 0
        self._slots = [_FREE] * (2 * (len(self._above) + len(parents)) + 2)
        found = False
        for lane, waiting in enumerate([*self._above, sha]):
            if lane == len(self._above) and found:
                break
            if waiting != sha:
                self._place(waiting)
                continue
            found = True
            self._at = lane
            for number, parent in enumerate(parents):
                self._place(parent, first_of_merge=number == 0 and len(parents) > 1)
            if not parents:
                self._width += 2
        while len(self._slots) > 1 and self._slots[-1] == _FREE:
            self._slots.pop()

    def _place(self, waiting: str, *, first_of_merge: bool = False) -> None:
        """Gives the commit that is waited for a lane below and a slot to start from."""
        try:
            lane = self._below.index(waiting)
        except ValueError:
            lane = len(self._below)
            self._below.append(waiting)
        if first_of_merge:
            left = self._at - lane
            self._opens_right = left <= 0
            self._added = len(self._parents) - (1 if self._opens_right else 2)
            slot = self._width
            if self._opens_right:
                self._width += 2
            else:
                slot -= 2 * left - 3 if left > 1 else 1
        elif self._added > 0 and lane == self._slots[self._width - 2]:
            slot = self._width - 2
            self._added = -1
        else:
            slot = self._width
            self._width += 2
        self._slots[slot] = lane

    def lines_above(self) -> Iterator[str]:
        """For a merge of three or more, lines in which the lanes on its right make room."""
        if len(self._parents) < 3 or self._at >= len(self._above) - 1:
            return
        for row in range(2 * self._arms()):
            yield self._line(self._room_signs(row))
            self._last_line = "room"

    def _room_signs(self, row: int) -> Iterator[str]:
        for lane in range(len(self._above)):
            if lane == self._at:
                yield "|" + " " * row
            elif lane > self._at and (row or (self._last_line == "merge" and self._last_at < lane)):
                yield "\\"
            else:
                yield "|"

    def _arms(self) -> int:
        """How many parents of a merge are drawn beside it, as in `*-.`."""
        return max(len(self._parents) - (2 if self._opens_right else 3), 0)

    def commit_line(self) -> str:
        """What stands before the commit itself."""
        line = self._line(self._commit_signs())
        self._last_line = "commit"
        return line

    def _commit_signs(self) -> Iterator[str]:
        for lane in range(max(len(self._above), self._at + 1)):
            if lane == self._at:
                arms = self._arms() if len(self._parents) > 2 else 0
                yield "*" + ("--" * arms)[:-1] + ("." if arms else "")
            elif lane > self._at and self._added > 1:
                yield "\\"
            elif lane > self._at and self._added == 1:
                moved = self._last_line == "merge" and self._last_added > 0 and self._last_at < lane
                yield "\\" if moved else "|"
            elif self._last_line == "move" and self._came_from_right(lane):
                yield "/"
            else:
                yield "|"

    def _came_from_right(self, lane: int) -> bool:
        slot = 2 * lane
        before = self._before[slot + 1] if slot + 1 < len(self._before) else _FREE
        now = self._slots[slot] if slot < len(self._slots) else _FREE
        return before == lane and now < lane

    def lines_below(self) -> Iterator[str]:
        """The arms of a merge, then the lanes as they move to where they belong."""
        if len(self._parents) > 1:
            yield self._merge_line()
            self._last_line = "merge"
        while any(lane not in (_FREE, slot // 2) for slot, lane in enumerate(self._slots)):
            yield self._move()
            self._last_line = "move"

    def _merge_line(self) -> str:
        signs: list[str] = []
        passed_parent = False
        first = self._parents[0]
        for lane, waiting in enumerate([*self._above, self._sha][: max(len(self._above), self._at + 1)]):
            if lane == self._at:
                arms = ("|" if self._opens_right else "/|") + "\\" * len(self._parents)
                arms = arms[: len(self._parents)]
                signs.append("".join(arms[at] + self._gap_after(arms, at) for at in range(len(arms))))
                if self._added == 0:
                    signs.append(" ")
            elif lane > self._at:
                signs.append("\\ " if self._added > 0 else "| ")
            else:
                signs.append("|")
                if self._opens_right or lane != self._at - 1:
                    signs.append("_" if passed_parent else " ")
            passed_parent = passed_parent or waiting == first
        return "".join(signs).ljust(self._width)

    def _gap_after(self, arms: str, at: int) -> str:
        """Arms to the right stand apart; the last one touches the lane that it joins at once."""
        return " " if arms[at] == "\\" and (self._added > 0 or at < len(arms) - 1) else ""

    def _move(self) -> str:
        """Moves each lane a step to the left; one of them may cross others in one go, by `_`."""
        old = self._slots
        new = [_FREE] * len(old)
        long_edge, long_lane = _FREE, _FREE
        for slot, lane in enumerate(old):
            if lane == _FREE:
                continue
            if 2 * lane == slot:
                new[slot] = lane
                continue
            if new[slot - 1] == lane:
                continue  # two lanes become one
            crosses = new[slot - 1] != _FREE
            new[slot - 2 if crosses else slot - 1] = lane
            if long_edge == _FREE:
                long_edge, long_lane = (slot - 1 if crosses else slot), lane
                for passed in range(2 * lane + 3, slot - 2, 2):
                    new[passed] = lane
        self._before = new.copy()
        if len(new) > 1 and new[-1] == _FREE:
            new.pop()
        signs: list[str] = []
        has_bar = False
        for slot, lane in enumerate(new):
            if lane == _FREE:
                signs.append(" ")
            elif 2 * lane == slot:
                signs.append("|")
            elif lane == long_lane and slot != long_edge - 1:
                if slot != 2 * lane + 3:
                    new[slot] = _FREE
                has_bar = True
                signs.append("_")
            else:
                if has_bar and slot < long_edge:
                    new[slot] = _FREE
                signs.append("/")
        self._slots = new
        return "".join(signs).ljust(self._width)

    def _line(self, signs: Iterator[str]) -> str:
        return "".join(f"{sign} " for sign in signs).ljust(self._width)
