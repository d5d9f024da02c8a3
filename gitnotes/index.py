"""Which earlier commits changed things like these?

The newest commits of a repository stand in a small database in `.git/gitnotes/`, shared by all work
trees: what each was called, which paths it touched, and an inverted index of its words. It is made
from git alone, so that it can be deleted at any time. SQLite keeps it whole: an update is one
transaction, two processes take turns, and a killed one leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import math
import sqlite3
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from itertools import islice, repeat
from pathlib import Path

from gitnotes.ancestry import Graph
from gitnotes.errors import GitError
from gitnotes.read.git import Git
from gitnotes.read.words import MAX_PATHS, read_changed_words, words_of
from gitnotes.records import Change, Commit, FileChange, Neighbour

DEPTH = 5000
"""Newest commits that an index begins with."""
MOST = 2 * DEPTH
"""Commits after which it is made anew."""
NEAREST, SAME_FILES, NEWEST = 12, 8, 5
"""How many neighbours are told: by their words, by their files, and by their age."""
_QUERY = 96
"""Words of a change that are looked up, those that say most."""
_COMMON = 0.3
"""Share of the commits from which a word says nothing."""
_TIPS = 50
_BODY = 1000
"""Characters of a body that are kept."""
_PATIENCE = 1.0
"""Seconds to wait for another process."""
_SCHEMA = 2
_TABLES = """
CREATE TABLE commits (
    id INTEGER PRIMARY KEY, sha TEXT NOT NULL UNIQUE, parents TEXT NOT NULL, time INTEGER NOT NULL,
    author TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL
);
CREATE TABLE graph (first BLOB, second BLOB, others BLOB, times BLOB, norms BLOB, sizes BLOB);
CREATE TABLE files (path TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (path, id)) WITHOUT ROWID;
CREATE TABLE words (word TEXT PRIMARY KEY, count INTEGER NOT NULL, places BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX files_of ON files (id);
CREATE TABLE tips (id INTEGER PRIMARY KEY, sha TEXT NOT NULL UNIQUE);
"""
# A place is the id of a commit with the number of times, at most 255, that it has the word.
_SHIFT = 8
_MASK = (1 << _SHIFT) - 1
_WEIGHTS = [0.0, *(1 + math.log(count) for count in range(1, _MASK + 1))]


class Index:
    """The index of one repository; made by `open_index`, closed by `with`."""

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def __len__(self) -> int:
        (count,) = self._base.execute("SELECT count(*) FROM commits").fetchone()
        return int(count)

    def knows(self, sha: str) -> bool:
        """Whether the commit is in the index."""
        return self._base.execute("SELECT 1 FROM commits WHERE sha = ?", (sha,)).fetchone() is not None

    def update(self, git: Git, tip: str, *, progress: Callable[[int], None] | None = None) -> int:
        """Takes in what `tip` reaches and the index has not; how many commits that were.

        `progress` is told how many were read so far. Where git cannot read on (a partial clone has no
        old contents) the newer commits are kept. Raises sqlite3.Error when the index cannot be written.
        """
        if self.knows(tip):
            return 0
        tips = [
            sha for (sha,) in self._base.execute("SELECT sha FROM tips ORDER BY id DESC LIMIT ?", (_TIPS,))
        ]
        found = _read(git, tip, tips, progress)
        if not found and tips:  # a tip that git has thrown away since
            found = _read(git, tip, (), progress)
        if not found:
            return 0
        self._base.execute("BEGIN IMMEDIATE")
        try:
            if len(self) + len(found) > MOST:
                for table in ("commits", "graph", "files", "words", "tips"):
                    self._base.execute(f"DELETE FROM {table}")
            self._add(found)
            self._base.execute("INSERT OR IGNORE INTO tips (sha) VALUES (?)", (tip,))
            self._base.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):  # done by itself when the disk is full
                self._base.execute("ROLLBACK")
            raise
        return len(found)

    def _add(self, found: Sequence[tuple[Commit, tuple[str, ...], Counter[str]]]) -> None:
        known = dict(self._base.execute("SELECT sha, id FROM commits"))
        (last,) = self._base.execute("SELECT coalesce(max(id), 0) FROM commits").fetchone()
        fresh = [item for item in found if item[0].sha not in known]
        places: dict[str, array[int]] = defaultdict(lambda: array("I"))
        for number, (_, _, words) in enumerate(fresh, last + 1):
            for word, count in words.items():
                places[word].append(number << _SHIFT | min(count, _MASK))
        counts: dict[str, int] = {}
        for word, mine in places.items():
            row = (
                self._base.execute("SELECT places FROM words WHERE word = ?", (word,)).fetchone()
                if last
                else None
            )
            blob = (row[0] if row else b"") + mine.tobytes()
            counts[word] = len(blob) // mine.itemsize
            self._base.execute("INSERT OR REPLACE INTO words VALUES (?, ?, ?)", (word, counts[word], blob))
        known.update((item[0].sha, number) for number, item in enumerate(fresh, last + 1))
        total = len(known)
        graph = self._graph()
        rarity = {word: math.log(1 + total / count) for word, count in counts.items()}
        for number, (commit, paths, words) in enumerate(fresh, last + 1):
            norm = math.sqrt(
                sum((_WEIGHTS[min(count, _MASK)] * rarity[word]) ** 2 for word, count in words.items())
            )
            texts = map(_plain, (f"{commit.author} <{commit.email}>", commit.subject))
            body = _plain(commit.body[:_BODY])
            row = (number, commit.sha, " ".join(commit.parents), commit.time, *texts)
            shown = {*map(_plain, paths)}
            self._base.execute("INSERT INTO commits VALUES (?,?,?,?,?,?,?)", (*row, body))
            self._base.executemany("INSERT INTO files VALUES (?, ?)", zip(shown, repeat(number)))
            graph.add([known.get(sha, 0) for sha in commit.parents], commit.time, norm, len(shown))
        self._base.execute("DELETE FROM graph")
        self._base.execute("INSERT INTO graph VALUES (?,?,?,?,?,?)", graph.columns())

    def _graph(self) -> Graph:
        """Raises sqlite3.DatabaseError when it does not fit the commits."""
        (last,) = self._base.execute("SELECT coalesce(max(id), 0) FROM commits").fetchone()
        try:
            graph = Graph(self._base.execute("SELECT * FROM graph").fetchone())
        except (TypeError, ValueError) as problem:
            raise sqlite3.DatabaseError(f"no graph: {problem}") from problem
        if len(graph) != last:
            raise sqlite3.DatabaseError("the graph of other commits")
        return graph

    def look_up(self, change: Change, base: str, recent: int = 0) -> tuple[list[Neighbour], list[Commit]]:
        """Commits like `change` among the ancestors of `base` and itself, each once, and the `recent`
        newest of those ancestors, merges left out, with the paths of their files and the first of
        their bodies.

        Neighbours are first those with the nearest words by the cosine of tf-idf weights, then those
        of the same files, then the newest. Both are empty when the index has not the base.
        """
        row = self._base.execute("SELECT id FROM commits WHERE sha = ?", (base,)).fetchone()
        if row is None:
            return [], []
        graph = self._graph()
        newest = sorted(graph.ancestors(row[0]), key=lambda number: -graph.times[number])
        ages = {number: age for age, number in enumerate(newest)}
        return self._neighbours(change, graph, ages), self._recent(newest[:recent])

    def neighbours(self, change: Change, base: str) -> list[Neighbour]:
        """The neighbours alone; see `look_up`."""
        return self.look_up(change, base)[0]

    def _recent(self, numbers: Sequence[int]) -> list[Commit]:
        marks = ",".join("?" * len(numbers))
        files: dict[int, list[FileChange]] = defaultdict(list)
        for number, path in self._base.execute(
            f"SELECT id, path FROM files WHERE id IN ({marks})", [*numbers]
        ):
            files[number].append(FileChange(path, "M"))
        asked = f"SELECT id, sha, parents, author, time, subject, body FROM commits WHERE id IN ({marks})"
        found: dict[int, Commit] = {}
        for number, sha, parents, author, seconds, subject, body in self._base.execute(asked, [*numbers]):
            name, _, email = author.rpartition(" <")
            found[number] = Commit(
                sha,
                tuple(parents.split()),
                name,
                email[:-1],
                seconds,
                subject,
                body,
                (),
                tuple(files[number]),
            )
        return [found[number] for number in numbers]

    def _neighbours(self, change: Change, graph: Graph, ages: dict[int, int]) -> list[Neighbour]:
        alike = self._cosines(Counter(words_of(change)), graph, ages)
        shares = self._shares([_plain(item.path) for item in change.files], graph, ages)
        chosen = dict.fromkeys(
            [
                *sorted(alike, key=lambda place: (-alike[place], ages[place]))[:NEAREST],
                *sorted(shares, key=lambda place: (-shares[place], ages[place]))[:SAME_FILES],
                *islice(ages, NEWEST),
            ]
        )
        return [
            self._tell(place, alike.get(place, 0.0), shares.get(place, 0.0), ages[place]) for place in chosen
        ]

    def _tell(self, place: int, words: float, files: float, age: int) -> Neighbour:
        asked = "SELECT subject, author, sha FROM commits WHERE id = ?"
        subject, author, sha = self._base.execute(asked, (place,)).fetchone()
        paths = self._base.execute("SELECT path FROM files WHERE id = ?", (place,))
        return Neighbour(subject, author, tuple(path for (path,) in paths), words, files, age, sha)

    def _shares(self, mine: Sequence[str], graph: Graph, known: Container[int]) -> dict[int, float]:
        """Jaccard's index of the paths, for those commits that have one in common."""
        common: Counter[int] = Counter()
        for path in mine[:MAX_PATHS]:
            common.update(
                number for (number,) in self._base.execute("SELECT id FROM files WHERE path = ?", (path,))
            )
        return {
            number: count / (len(mine) + graph.sizes[number] - count)
            for number, count in common.items()
            if number in known
        }

    def _cosines(self, words: Counter[str], graph: Graph, known: Container[int]) -> dict[int, float]:
        total = len(self)
        most = max(_COMMON * total, 3)
        asked = f"SELECT word, count FROM words WHERE word IN ({','.join('?' * len(words))})"
        counts = dict(self._base.execute(asked, [*words]))
        weights = {
            word: _WEIGHTS[min(count, _MASK)] * math.log(1 + total / counts.get(word, 1))
            for word, count in words.items()
        }
        usable = sorted((word for word in counts if counts[word] <= most), key=lambda word: -weights[word])
        dots: dict[int, float] = defaultdict(float)
        for word in usable[:_QUERY]:
            (blob,) = self._base.execute("SELECT places FROM words WHERE word = ?", (word,)).fetchone()
            weight = weights[word] * math.log(1 + total / counts[word])
            for place in array("I", blob):
                dots[place >> _SHIFT] += weight * _WEIGHTS[place & _MASK]
        size = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {
            place: min(dot / size / graph.norms[place], 1.0)
            for place, dot in dots.items()
            if place in known and graph.norms[place]
        }


def look_up(
    git: Git,
    change: Change,
    recent: int = 0,
    *,
    build: bool = True,
    progress: Callable[[int], None] | None = None,
) -> tuple[list[Neighbour], list[Commit]]:
    """Commits like `change` in what it starts from, and the newest there; none where the index cannot
    be used. See `Index.look_up`.

    `build` makes the index where there is none, which takes as long as `git log -p` over its commits;
    without it only what came since is added. Raises GitError when this is no repository.
    """
    place = _place(git)
    if not build and not place.exists():
        return [], []
    index = open_index(git, place)
    if index is None:
        return [], []
    with index:
        try:
            index.update(git, change.base, progress=progress)
            return index.look_up(change, change.base, recent)
        except (sqlite3.DatabaseError, ValueError, TypeError, IndexError) as problem:
            if isinstance(problem, sqlite3.OperationalError) and "decode" not in str(problem):
                return [], []  # locked, no space
            # Damaged: bytes that SQLite has no check for come back as values of another kind.
            with contextlib.suppress(OSError):
                place.unlink(missing_ok=True)
            return [], []


def fill_index(git: Git, *, progress: Callable[[int], None] | None = None) -> int:
    """Makes or brings up to date the index of HEAD; how many commits were read, 0 where it cannot be."""
    head = git.head()
    index = open_index(git) if head else None
    if index is None or head is None:
        return 0
    with index, contextlib.suppress(sqlite3.Error):
        return index.update(git, head, progress=progress)
    return 0


def count_indexed(git: Git, tip: str) -> tuple[int, bool]:
    """How many commits are in the index, and whether `tip` is one; no index is made or mended.

    Raises sqlite3.Error when it is damaged.
    """
    place = _place(git)
    if not place.exists():
        return 0, False
    base = sqlite3.connect(f"{place.absolute().as_uri()}?mode=ro", uri=True, timeout=_PATIENCE)
    with Index(base) as index:
        return len(index), index.knows(tip)


def _place(git: Git) -> Path:
    return git.common_folder() / "gitnotes" / "history.sqlite"


def open_index(git: Git, place: Path | None = None) -> Index | None:
    """The index of the repository, made empty where there is none; None where it cannot be written.

    `place` is another file for it. One that is damaged or of another version is begun anew.
    """
    place = place or _place(git)
    for _ in range(2):
        try:
            place.parent.mkdir(exist_ok=True)
            return Index(_open(place))
        except sqlite3.OperationalError:  # locked, read-only, no space
            return None
        except (sqlite3.DatabaseError, OSError):
            with contextlib.suppress(OSError):
                place.unlink(missing_ok=True)
    return None


def _open(place: Path) -> sqlite3.Connection:
    base = sqlite3.connect(place, timeout=_PATIENCE, isolation_level=None)
    try:
        (version,) = base.execute("PRAGMA user_version").fetchone()
        if version not in (0, _SCHEMA):
            raise sqlite3.DatabaseError("another version")
        if version == 0:
            base.execute("BEGIN IMMEDIATE")
            if base.execute("PRAGMA user_version").fetchone() == (0,):
                for statement in filter(str.strip, _TABLES.split(";")):
                    base.execute(statement)
                base.execute(f"PRAGMA user_version = {_SCHEMA}")
            base.execute("COMMIT")
    except BaseException:
        base.close()
        raise
    return base


def _read(
    git: Git, tip: str, known: Iterable[str], progress: Callable[[int], None] | None
) -> list[tuple[Commit, tuple[str, ...], Counter[str]]]:
    """What of each commit goes into the index; as much as git can tell."""
    found: list[tuple[Commit, tuple[str, ...], Counter[str]]] = []
    with contextlib.suppress(GitError):
        for commit, paths, words in read_changed_words(git, tip, [*known], DEPTH):
            found.append((commit, paths, Counter(words)))
            if progress is not None and len(found) % 50 == 0:
                progress(len(found))
    return found


def _plain(text: str) -> str:
    """Text that SQLite takes: without the lone surrogates of bytes that are not UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
