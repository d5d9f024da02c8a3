"""How do the drafters do on one repository, each commit drafted as if it were about to be made?"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.drafting.baselines import Cosines, majority, nearest_by_files, nngen, update_file
from bench.drafting.measures import Row, measure, show_change
from bench.drafting.models import model_drafters
from bench.drafting.past import History, Past, without_reference
from gitnotes.changes import add_parts
from gitnotes.config import Settings
from gitnotes.draft import DRAFTERS, find_drafter
from gitnotes.draft.style import Style, learn_style
from gitnotes.errors import InputError
from gitnotes.generation import Generator
from gitnotes.index import Index, open_index
from gitnotes.read.diff import read_commit
from gitnotes.read.git import open_git
from gitnotes.records import Change


@dataclass(frozen=True, slots=True)
class Outcome:
    """The rows of each drafter, commit by commit."""

    commits: tuple[str, ...]
    rows: dict[str, list[Row]]


def run(folder: Path, last: int, skip: int = 0, generator: Generator | None = None) -> Outcome:
    """Drafts the `last` newest commits of people after the `skip` newest, each from its ancestors; with
    the model `generator` as well, where there is one."""
    git = open_git(folder)
    history = History(git)
    cosines = Cosines(history.people)
    settings = Settings()
    rows: dict[str, list[Row]] = defaultdict(list)
    items = history.newest(last, skip)
    with TemporaryDirectory() as place:
        index = open_index(git, Path(place) / "history.sqlite")
        if index is None:
            raise InputError("There is no room for an index in the folder for temporary files.")
        with index:
            index.update(git, git.resolve("HEAD"))
            for item in items:
                known, recent = history.before(item, settings.history)
                change = add_parts(git, read_commit(git, item.commit.sha))
                style = learn_style(recent)
                drafters: dict[str, Callable[[], str]] = {
                    "nngen": partial(_nngen, cosines, item, known),
                    "nearest-files": partial(nearest_by_files, item, known),
                    "update-file": partial(update_file, item),
                    "majority": partial(majority, known),
                    **{name: partial(_draft, name, change, style, index) for name in DRAFTERS},
                }
                if generator is not None:
                    neighbours = index.neighbours(change, change.base)
                    drafters |= model_drafters(generator, git, change, style, neighbours)
                earlier = {past.subject.lower() for past in known}
                for name, row in _measure(drafters, item, show_change(change), style, earlier):
                    rows[name].append(row)
    rows["default"] = rows[settings.drafter]
    return Outcome(tuple(item.commit.sha for item in items), dict(rows))


def _measure(
    drafters: dict[str, Callable[[], str]], item: Past, shown: str, style: Style, earlier: set[str]
) -> Iterator[tuple[str, Row]]:
    for name, draft in drafters.items():
        started = time.perf_counter()
        text = draft()
        seconds = time.perf_counter() - started
        subject, _, body = text.partition("\n")
        text = without_reference(subject) + ("\n" + body if body else "")
        yield name, measure(text, item.subject, shown, style, seconds, earlier)


def _nngen(cosines: Cosines, item: Past, known: Sequence[Past]) -> str:
    return nngen(item, cosines.nearest(item, known))


def _draft(name: str, change: Change, style: Style, index: Index) -> str:
    neighbours = [] if name == "structure" else index.neighbours(change, change.base)
    return find_drafter(name)(change, style, 1, neighbours)[0]
