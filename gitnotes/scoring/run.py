"""How do files of pairs become a summary? Each row is read, scored, added up and written once."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gitnotes.errors import InputError, UsageError
from gitnotes.grade.significance import BATCHES, LEVEL, RESAMPLES, SEED, Test, compare
from gitnotes.guard.text import show
from gitnotes.read.pairs import Layout, PairFile, Row, open_aligned, open_pairs
from gitnotes.scoring.pool import Pool, Task, score_chunk
from gitnotes.scoring.results import Compared, Summary
from gitnotes.scoring.tally import Tally, differing_references

if TYPE_CHECKING:
    from gitnotes.scoring.rows import RowsFile

CHUNK = 256
"""Rows that are scored together."""

_CHUNK_CHARACTERS = 1 << 18
MAX_SYSTEMS = 100
"""Values of the system column after which it is taken for another column."""

Progress = Callable[[int, float | None], None]
"""Called with the rows done, and the share of the input, 0 to 1, where it is known."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to compute."""

    metrics: tuple[str, ...] = ("log-mnext",)
    by: str | None = None
    """The column to give group means for."""
    system: str | None = None
    """The column that names the system of a row."""
    keep: tuple[str, ...] = ()
    """Columns to copy to the file of rows."""
    rows: Path | None = None
    """Where the score of each row goes, .csv or .jsonl."""
    resume: bool = False
    processes: int = 1
    test: Test = "bootstrap"
    resamples: int = RESAMPLES
    seed: int = SEED
    level: float = LEVEL

    def columns(self) -> tuple[str, ...]:
        """The columns to read besides the texts: system, group, copied ones."""
        names = (self.system, self.by, *self.keep)
        return tuple(dict.fromkeys(name for name in names if name is not None))


class _Chunk(NamedTuple):
    """Rows, from row `start`; `known` has the scores of the first of them, from an earlier run."""

    file: int
    start: int
    systems: list[str]
    rows: list[Row]
    known: list[list[float]]


def score_files(
    paths: Sequence[str], layout: Layout, plan: Plan, progress: Progress | None = None
) -> Summary:
    """Scores tables of pairs; several files are several systems, and the first one is the baseline.

    Raises UsageError and InputError for what cannot be begun at all. What goes wrong later is in
    the summary: unscored rows by reason, files that broke off.
    """
    _check_rows_path(plan.rows, paths)
    return _run([partial(open_pairs, path, layout) for path in paths], _names(paths), plan, progress)


def score_aligned(
    references: Sequence[str],
    predictions: Sequence[str],
    layout: Layout,
    plan: Plan,
    progress: Progress | None = None,
) -> Summary:
    """Scores files of lines; several files of predictions are several systems.

    Raises what `score_files` raises.
    """
    if plan.columns():
        raise UsageError("Files of lines have no columns.", "Give a table for --by, --system and --keep.")
    _check_rows_path(plan.rows, [*references, *predictions])
    sides = [*references, *predictions]
    twice = next(
        (path for place, path in enumerate(references) if any(_is_same(path, x) for x in sides[place + 1 :])),
        None,
    )
    if twice is not None:
        raise UsageError(f"{show(twice)} is named for two sides.", "Name another file for each side.")
    openers = [partial(open_aligned, references, path, layout) for path in predictions]
    return _run(openers, _names(predictions), plan, progress)


def _check_rows_path(rows: Path | None, paths: Sequence[str]) -> None:
    """Raises UsageError when the rows would be written into a file that is read."""
    if rows is None or not rows.exists():
        return
    for path in paths:
        if path != "-" and Path(path).exists() and rows.samefile(path):
            raise UsageError(f"{show(str(rows))} is the input itself.", "Name another file for --rows.")


def _is_same(one: str, other: str) -> bool:
    """Whether two paths lead to one file."""
    if one == other:
        return True
    try:
        return "-" not in (one, other) and Path(one).samefile(other)
    except OSError:
        return False  # that it is not there is said when it is opened


def _names(paths: Sequence[str]) -> list[str]:
    """A short name for each file; the path where short names would not differ."""
    for place, path in enumerate(paths):
        if any(_is_same(path, other) for other in paths[:place]):
            raise UsageError(f"{show(path)} is named twice.", "Name each file once.")
    short = ["standard input" if path == "-" else Path(path).name for path in paths]
    return short if len(set(short)) == len(paths) else list(paths)


def _run(
    openers: Sequence[Callable[[], PairFile]], names: list[str], plan: Plan, progress: Progress | None
) -> Summary:
    if plan.system is not None and len(names) > 1:
        raise UsageError("With --system, one file holds all systems.", "Give one file.")
    keep = len(names) > 1 or plan.system is not None
    tallies: dict[str, Tally] = {}
    group = None if plan.by is None else plan.columns().index(plan.by)

    def tally_of(system: str) -> Tally:
        if system not in tallies:
            if len(tallies) >= MAX_SYSTEMS:
                raise UsageError(
                    f"The system column has more than {MAX_SYSTEMS} values.", "Group by --by instead."
                )
            tallies[system] = Tally(system, plan.metrics, by=group, keep=keep)
        return tallies[system]

    with ExitStack() as stack:
        files = []
        for opener in openers:
            files.append(opener())
            stack.callback(files[-1].close)
        pool = stack.enter_context(Pool(plan.metrics, plan.processes))
        signatures = {
            name: str(metric.signature) for name, metric in zip(plan.metrics, pool.metrics, strict=True)
        }
        # After the helpers are there, so that none of them holds its lock.
        rows_file = (
            None if plan.rows is None else stack.enter_context(_open_rows(plan.rows, plan, signatures))
        )
        done = 0
        chunks = _chunks(files, names, plan.system is not None, rows_file)
        for scored in pool.map(_tasks(chunks)):
            chunk = scored.context
            scores = _spread(chunk, scored.scores, len(plan.metrics))
            fresh = len(chunk.known)
            if fresh:
                _check_earlier(pool, plan, chunk)
            if rows_file is not None:
                lines = _by_row(scores, len(chunk.rows))
                rows_file.write(chunk.systems[fresh:], chunk.start + fresh, chunk.rows[fresh:], lines[fresh:])
            if plan.system is None:
                tally_of(names[chunk.file]).add(chunk.rows, scores)
            else:
                for system in dict.fromkeys(chunk.systems):
                    mine = [place for place, other in enumerate(chunk.systems) if other == system]
                    tally_of(system).add(
                        [chunk.rows[place] for place in mine],
                        [[values[place] for place in mine] for values in scores],
                    )
            done += len(chunk.rows)
            if progress is not None:
                share = files[chunk.file].progress
                progress(done, None if share is None else (chunk.file + share) / len(files))
        if rows_file is not None:
            rows_file.finish()
    for name in names if plan.system is None else ():
        tally_of(name)  # a file without rows is a result too
    return _summarize(files, list(tallies.values()), plan, signatures, rows_file)


def _open_rows(path: Path, plan: Plan, signatures: dict[str, str]) -> RowsFile:
    from gitnotes.scoring.rows import RowsFile

    hidden = plan.system is not None
    return RowsFile(path, signatures, plan.columns()[hidden:], hidden=hidden, resume=plan.resume)


def _summarize(
    files: Sequence[PairFile],
    tallies: list[Tally],
    plan: Plan,
    signatures: dict[str, str],
    rows_file: RowsFile | None,
) -> Summary:
    notes = [note for file in files for note in file.notes]
    comparisons = _compare(tallies, plan, notes)
    settings = {
        "interval": "percentile bootstrap",
        "level": f"{plan.level:g}",
        "resamples": str(plan.resamples),
        "seed": str(plan.seed),
        "batches": str(BATCHES),
    }
    if len(tallies) > 1:
        settings["test"] = f"paired {plan.test}"
    return Summary(
        systems=tuple(
            tally.result(resamples=plan.resamples, seed=plan.seed, level=plan.level) for tally in tallies
        ),
        signatures=signatures,
        settings=settings,
        comparisons=tuple(comparisons),
        notes=tuple(notes),
        broken=tuple(f"{file.name} breaks off: {file.broken}" for file in files if file.broken),
        resumed=rows_file.resumed if rows_file is not None else 0,
        extras={key: value for key, value in (("by", plan.by), ("system", plan.system)) if value is not None},
    )


def _chunks(
    files: Sequence[PairFile], names: Sequence[str], by_column: bool, rows_file: RowsFile | None
) -> Iterator[_Chunk]:
    for place, (file, name) in enumerate(zip(files, names, strict=True)):
        start = 1
        for rows in _pack(file):
            systems = [row.extras[0] for row in rows] if by_column else [name] * len(rows)
            known = rows_file.take(systems, start, rows) if rows_file is not None else []
            yield _Chunk(place, start, systems, rows, known)
            start += len(rows)


def _pack(rows: Iterator[Row] | PairFile) -> Iterator[list[Row]]:
    """Lists of up to CHUNK rows and about `_CHUNK_CHARACTERS` characters."""
    pack: list[Row] = []
    size = 0
    for row in rows:
        pack.append(row)
        size += len(row.prediction) + len(row.references[0] if row.references else "")
        if len(pack) >= CHUNK or size >= _CHUNK_CHARACTERS:
            yield pack
            pack, size = [], 0
    if pack:
        yield pack


def _tasks(chunks: Iterator[_Chunk]) -> Iterator[Task[_Chunk]]:
    for chunk in chunks:
        rows = chunk.rows[len(chunk.known) :] if chunk.known else chunk.rows
        yield Task(chunk, [(row.prediction, row.references) for row in rows if not row.problem])


def _spread(chunk: _Chunk, found: list[array[float]], metrics: int) -> list[array[float]]:
    """The scores of all rows of a chunk by metric; NaN for rows with a problem."""
    fresh = chunk.rows[len(chunk.known) :]
    if not chunk.known and (not found or len(found[0]) == len(fresh)):
        return found
    spread = []
    for index in range(metrics):
        values = array("d", (scores[index] for scores in chunk.known))
        mine = iter(found[index])
        values.extend(math.nan if row.problem else next(mine) for row in fresh)
        spread.append(values)
    return spread


def _by_row(scores: Sequence[array[float]], count: int) -> list[list[float]]:
    """Scores by metric turned into scores by row."""
    return [[values[place] for values in scores] for place in range(count)]


def _check_earlier(pool: Pool, plan: Plan, chunk: _Chunk) -> None:
    """Scores rows of an earlier run again: the whole first chunk, and a row of each other one.

    Raises InputError when a score has changed.
    """
    known = [
        (number, row, scores)
        for number, row, scores in zip(count(chunk.start), chunk.rows, chunk.known, strict=False)
        if not row.problem
    ]
    if chunk.start > 1:
        known = known[chunk.start // CHUNK % len(known) :][:1] if known else []
    again = score_chunk(pool.metrics, [(row.prediction, row.references) for _, row, _ in known])
    for (number, _, scores), now in zip(known, _by_row(again, len(known)), strict=True):
        if repr(scores) != repr(now):
            raise InputError(
                f"Row {number} of {show(str(plan.rows))} has another score than it would get now.",
                "It was begun with another version or other settings; name another file for --rows.",
            )


def _compare(tallies: list[Tally], plan: Plan, notes: list[str]) -> list[Compared]:
    """Every system against the first one, where their rows belong together."""
    found: list[Compared] = []
    for other in tallies[1:]:
        baseline = tallies[0]
        names = f"{show(baseline.system)} and {show(other.system)}"
        if baseline.rows != other.rows:
            notes.append(f"{names} have {baseline.rows:,} and {other.rows:,} rows, so they are not compared")
            continue
        row = differing_references(baseline, other)
        if row:
            notes.append(f"{names} differ in the reference of row {row:,}, so they are not compared")
            continue
        for index, metric in enumerate(plan.metrics):
            result = compare(
                baseline.scores[index],
                other.scores[index],
                test=plan.test,
                resamples=plan.resamples,
                seed=plan.seed,
                level=plan.level,
            )
            if result is None:
                notes.append(f"{names} have fewer than two rows that both have {metric} for")
            else:
                found.append(Compared(baseline.system, other.system, metric, result))
    return found
