"""How is a judge put on the scale of ratings that a person has given, and remembered for it?

The map is kept in the user's own cache under the judge that it was fitted for, and used for no other.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from gitnotes.codec import SCHEMA, from_json, to_json
from gitnotes.errors import CannotJudge, GitError, InputError, UsageError
from gitnotes.grade.judging.asking import Plan
from gitnotes.grade.judging.calibration import Calibration, check_side, fit_calibration, name_judge
from gitnotes.grade.judging.judge import judge_texts
from gitnotes.grade.judging.questions import Case
from gitnotes.guard.text import show
from gitnotes.read.git import Git
from gitnotes.records import Judgement, Signature

if TYPE_CHECKING:
    from gitnotes.generation import Generator
    from gitnotes.grade.judging.cache import AnswerCache

__all__ = ["Calibration", "calibrate_judge", "find_calibration", "read_rated"]

_RATINGS = ("rating", "human", "score", "mean")
_COMMITS = ("commit", "sha", "hash", "id")
_MESSAGES = ("message", "text")
_DIFFS = ("diff", "patch", "change")


class Rated(NamedTuple):
    """What people have rated."""

    texts: list[tuple[Case, float]]
    """As a judge is shown it, with the mean of its ratings."""
    left_out: int
    """Rows that name a commit of another clone, or no number."""


def calibrate_judge(
    rated: Sequence[tuple[Case, float]],
    plan: Plan,
    generator: Generator,
    *,
    cache: AnswerCache | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[Calibration, Path]:
    """Has a judge rate what a person has rated, and remembers how the one scale becomes the other.

    Gives the map and the file that it is kept in. Raises CannotJudge for fewer than 20 texts with a score
    or when all ratings or all scores are the same, ModelError.
    """
    from gitnotes.recipes.judging import fit_plan, judge_salt
    from gitnotes.write.atomic import replace_file

    check_side([rating for _, rating in rated], "ratings")  # before anything is paid for
    plan = fit_plan(plan, generator)
    cases = [case for case, _ in rated]
    found = list(judge_texts(cases, plan, generator, salt=judge_salt(), cache=cache, progress=progress))
    known = [
        (judgement.overall, rating)
        for judgement, (_, rating) in zip(found, rated, strict=True)
        if judgement.overall is not None
    ]
    judge = name_judge(found[0].signature) if found else ""
    fitted = fit_calibration([score for score, _ in known], [rating for _, rating in known], judge)
    place = _place(judge)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    content = {"schema": SCHEMA, "kind": "calibration", **to_json(fitted)}
    replace_file(place, (json.dumps(content, indent=2) + "\n").encode())
    return fitted, place


def find_calibration(signature: Signature) -> Calibration | None:
    """The map that was fitted for the judge of a judgement; None without one."""
    judge = name_judge(signature)
    with suppress(OSError, ValueError, RecursionError):
        told = json.loads(_place(judge).read_text("utf-8"))
        if isinstance(told, dict):
            found = from_json(Calibration, {key: told[key] for key in told if key not in ("schema", "kind")})
            return found if found.judge == judge and found.points else None
    return None


def calibrate(judgement: Judgement) -> Judgement:
    """The judgement with what its overall is on the scale of the user's ratings, where that is known."""
    if judgement.overall is None:
        return judgement
    known = find_calibration(judgement.signature)
    if known is None:
        return judgement
    value = known.apply(judgement.overall)
    told = f"calibrated: {value:.2f} on the scale of {known.rated} ratings, {known.error:.2f} off on average"
    return replace(judgement, calibrated=value, explanations=(told, *judgement.explanations))


def read_rated(git: Git | None, path: Path, generator: Generator) -> Rated:
    """What people have rated.

    `path` is a table with a column `rating` and either `commit`, of the repository, or `message` and
    `diff`; commits of another clone and rows without a number are left out. Raises InputError for
    another table, CannotJudge when nothing is left.
    """
    from gitnotes.read.pairs import PROBLEMS
    from gitnotes.read.tables import open_table

    try:
        table = open_table(str(path), format=None, encoding=None, header=True)
    except UsageError as problem:  # that it should be told an option, which there is none for
        raise InputError(problem.message, "Call it .csv, .tsv, .jsonl or .parquet.") from None
    found: dict[Case, list[float]] = {}
    left_out = 0
    with closing(table):
        ratings, commits, messages, diffs = (
            next((name for name in names if name in table.names), None)
            for names in (_RATINGS, _COMMITS, _MESSAGES, _DIFFS)
        )
        if ratings is None or (commits is None and (messages is None or diffs is None)):
            raise InputError(
                f"{show(str(path))} has no columns for ratings and what was rated.",
                "Call them rating and commit, or rating, message and diff.",
            )
        for record in table:
            if record.problem:
                told = PROBLEMS.get(record.problem, record.problem)
                raise InputError(f"{show(str(path))}, line {record.line}: {told}.", "Mend the line.")
            row = dict(zip(table.names, record.cells, strict=False))
            rating = _number(row[ratings])
            case = None
            if rating is not None and commits is not None:
                case = _commit_case(git, str(row[commits]), generator)
            elif rating is not None:
                case = _row_case(str(row[messages or ""]), str(row[diffs or ""]), generator)
            if rating is None or case is None:
                left_out += 1
            else:
                found.setdefault(case, []).append(rating)
    if not found:
        raise CannotJudge(f"Nothing that is rated in {show(str(path))} is here.", "Check the commits.")
    # Of several raters of one text the mean, so that a text counts once.
    return Rated([(case, fmean(given)) for case, given in found.items()], left_out)


def _commit_case(git: Git | None, name: str, generator: Generator) -> Case | None:
    from gitnotes.read.history import stream_changes
    from gitnotes.recipes.judging import make_case

    if git is None:
        raise InputError("There is no repository for these commits.", "Give message and diff instead.")
    try:
        sha = git.resolve(name.strip())
        _, message, change = next(stream_changes(git, ["--no-walk", sha]))
    except (GitError, StopIteration):
        return None  # another clone may have it
    return make_case(change, message, generator.count_tokens)


def _row_case(message: str, diff: str, generator: Generator) -> Case:
    from gitnotes.read.diff import parse_patch
    from gitnotes.recipes.judging import make_case

    return make_case(parse_patch(diff.encode("utf-8", "surrogateescape")), message, generator.count_tokens)


def _number(cell: Any) -> float | None:
    try:
        value = float(str(cell).replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _place(judge: str) -> Path:
    from gitnotes.draft.models.gguf import cache_folder

    name = hashlib.sha256(judge.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return cache_folder() / "calibrations" / f"{name}.json"
