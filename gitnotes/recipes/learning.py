"""How does a project's history become a model that writes like it? Collect, split, tune, describe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gitnotes.customs import repository_settings
from gitnotes.learn.dataset import Example, Report
from gitnotes.read.git import open_git
from gitnotes.recipes.collecting import Collected, Wanted


@dataclass(frozen=True, slots=True)
class DataSet:
    """Examples that are split, and the report on them."""

    examples: tuple[Example, ...]
    report: Report


def make_dataset(
    places: Sequence[str],
    files: Sequence[Path],
    wanted: Wanted,
    *,
    notes: bool = False,
    processes: int = 0,
    watch: Callable[[str, int], None] | None = None,
) -> DataSet:
    """The examples of the repositories at `places` and of the public sets in `files`.

    `watch` is told the name of a repository and how many commits were read. Raises CannotJudge when
    there is too little to learn from or nobody has written it, and what the readers raise.
    """
    from gitnotes import __version__
    from gitnotes.guard.secrets import sharing_detectors
    from gitnotes.learn.dataset import check_size, split_by_time, summarise
    from gitnotes.learn.near import drop_near_duplicates
    from gitnotes.read.history import without_collection
    from gitnotes.recipes.collecting import check_has_people, collect_file
    from gitnotes.records import Signature

    heads: dict[str, str] = {}
    found: list[Collected] = []
    for place in places:
        with sharing_detectors(), without_collection():
            name, collected = _collect(place, wanted, notes, processes, watch)
        heads[name] = collected.head
        found.append(collected)
    check_has_people(found)
    mine = split_by_time(item for collected in found for item in collected.examples)
    sets = [collect_file(path, wanted) for path in files]
    # A public set says itself what is held out; where it does not, its newest rows are.
    others = [item for collected in sets for item in collected.examples]
    others = others if any(item.split != "train" for item in others) else split_by_time(others)
    examples, near = drop_near_duplicates([*mine, *others])
    everything = [*found, *sets]
    dropped = sum((item.dropped for item in everything), Counter[str]())
    dropped["nearly the same as one that is held out"] += near
    masked = sum((item.masked for item in everything), Counter[str]())
    check_size(examples, +dropped, shallow=any(open_git(place).is_shallow() for place in places))
    settings = {
        "last": str(wanted.last),
        "min-grade": f"{wanted.min_grade:g}",
        "budget": str(wanted.budget),
        "answer": "message" if wanted.body else "subject",
        "drafts": str(wanted.drafts),
    }
    signature = Signature("dataset", __version__, settings)
    return DataSet(tuple(examples), summarise(examples, heads, +dropped, masked, signature))


def _collect(
    place: str,
    wanted: Wanted,
    notes: bool,
    processes: int,
    watch: Callable[[str, int], None] | None,
) -> tuple[str, Collected]:
    from gitnotes.recipes.collecting import collect_commits, collect_notes, name_repository

    git = open_git(place)
    name = name_repository(git, place)
    if notes:
        return name, collect_notes(git, wanted, name=name)
    told = None if watch is None else lambda count: watch(name, count)
    settings = repository_settings(git)
    return name, collect_commits(git, settings, wanted, name=name, processes=processes, watch=told)


def check_place(path: Path) -> None:
    """Raises UsageError or InputError when no data set can be written to `path`, before the work is done."""
    from gitnotes.learn.storing import check_format
    from gitnotes.write.atomic import check_target

    check_format(path)
    check_target(path)


def save_dataset(path: Path, data: DataSet) -> None:
    """Writes a data set and its report; raises UsageError and InputError."""
    from gitnotes.learn.storing import write_examples
    from gitnotes.write.atomic import replace_file

    write_examples(path, data.examples, data.report, replace_file)


def load_dataset(path: Path) -> DataSet:
    """The data set that `save_dataset` wrote to `path`; raises InputError and UsageError."""
    from gitnotes import __version__
    from gitnotes.learn.dataset import summarise
    from gitnotes.learn.storing import read_examples, read_report
    from gitnotes.records import Signature

    examples = tuple(read_examples(path))
    report = read_report(path)
    if report is None:
        unknown = Signature("dataset", __version__, {"report": "none"})
        report = summarise(examples, {}, Counter(), Counter(), unknown)
    return DataSet(examples, replace(report))
