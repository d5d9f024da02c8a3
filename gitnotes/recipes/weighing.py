"""How likely does a model on this machine find messages, does that help their grade, and is it counted?

It is counted only for a model of which `judge-check` has found, in this repository, that grades tell
messages of other commits better with it. What was found is kept in the user's own cache.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from gitnotes.codec import SCHEMA, from_json, to_json
from gitnotes.grade.judging.controls import ControlSet, make_controls, weigh
from gitnotes.grade.judging.folding import Gain, compare_folded, fold_in
from gitnotes.grade.judging.likelihood import (
    BATCH,
    LEAST_HISTORY,
    Known,
    judge_by_likelihood,
    place_in,
    weigh_cases,
)
from gitnotes.read.git import Git
from gitnotes.recipes.grading import Graded, grade_text
from gitnotes.recipes.judging import (
    CheckedJudge,
    enough,
    is_asked,
    make_case,
    read_judged,
    read_written,
)
from gitnotes.records import Change, Signature

if TYPE_CHECKING:
    from gitnotes.config import Settings
    from gitnotes.generation import LocalGenerator

__all__ = ["Fold", "Gain", "check_likelihood", "find_fold", "judge_likelihood", "weigh_history"]

Progress = Callable[[int], None]
"""Is told how many texts are weighed."""

_HISTORY = 60
"""Earlier messages that a likelihood is read against."""


@dataclass(frozen=True, slots=True)
class Fold:
    """That a likelihood is counted in the grades of a repository."""

    repository: str
    judge: str
    overalls: tuple[float, ...]
    """Grades of earlier messages, in rising order."""
    gain: Gain


def check_likelihood(
    git: Git,
    settings: Settings,
    model: LocalGenerator,
    *,
    count: int,
    known: Known | None = None,
    progress: Progress | None = None,
) -> CheckedJudge:
    """How the judge of likelihood does on the controls, and whether it helps the grade.

    What is found is remembered for `judge_likelihood`. Raises CannotJudge for fewer than 5 messages of
    people, ModelError.
    """
    written = list(islice(read_written(git), count))
    cases = [make_case(change, message, model.count_tokens) for message, change in written]
    controls = make_controls(enough(cases))
    values = list(_told(weigh_cases(controls.all(), model, known), progress))
    signed = Signature("likelihood", model.signature.version, dict(model.signature.settings))
    gain = _find_gain(git, settings, controls, [change for _, change in written], values, signed)
    return CheckedJudge(weigh(controls, values), signed, len(values), len(values), 0, gain)


def weigh_history(
    git: Git, model: LocalGenerator, *, known: Known | None = None, progress: Progress | None = None
) -> list[float]:
    """What the earlier messages of the repository weigh, in nats a token. Raises ModelError."""
    weighed = weigh_cases(read_judged(git, model.count_tokens, _HISTORY), model, known)
    return [value for value in _told(weighed, progress) if value is not None]


def judge_likelihood(
    git: Git,
    graded: Iterable[Graded],
    model: LocalGenerator,
    *,
    history: Sequence[float],
    known: Known | None = None,
) -> Iterator[Graded]:
    """The same messages with the place of their likelihood in `history`, which `weigh_history` gives.

    Where that helps the grade, it is counted in it. Raises UsageError when the repository has too few,
    ModelError.
    """
    fold = find_fold(git, model.signature)
    graded = iter(graded)
    while batch := list(islice(graded, BATCH)):
        asked = [is_asked(one) for one in batch]
        cases = [
            make_case(one.change, one.message, model.count_tokens)
            for one, wanted in zip(batch, asked, strict=True)
            if wanted and one.change is not None
        ]
        found = judge_by_likelihood(cases, model, history=history, signature=model.signature, known=known)
        for one, wanted in zip(batch, asked, strict=True):
            if not wanted:
                yield one
                continue
            judged = replace(one, judgement=next(found))
            yield _fold(judged, fold) if fold is not None else judged


def _told(values: Iterable[float | None], progress: Progress | None) -> Iterator[float | None]:
    for number, value in enumerate(values, 1):
        if progress is not None:
            progress(number)
        yield value


def find_fold(git: Git, signature: Signature) -> Fold | None:
    """What was found of a model's likelihood in this repository, where it helps; None elsewhere."""
    judge = _name(signature)
    with suppress(OSError, ValueError, RecursionError):
        told = json.loads(_place(git, judge).read_text("utf-8"))
        if isinstance(told, dict):
            found = from_json(Fold, {key: told[key] for key in told if key not in ("schema", "kind")})
            fits = found.judge == judge and found.repository == _repository(git)
            return found if fits and found.gain.helps and found.overalls else None
    return None


def _fold(one: Graded, fold: Fold) -> Graded:
    judgement, overall = one.judgement, one.grade.overall
    if judgement is None or judgement.overall is None or overall is None:
        return one
    folded = fold_in(overall, judgement.overall / 4, fold.overalls)
    grade = replace(
        one.grade,
        overall=folded,
        contributions={**one.grade.contributions, "likelihood": folded - overall},
        signature=replace(
            one.grade.signature, settings={**one.grade.signature.settings, "likelihood": fold.judge}
        ),
    )
    told = f"counted in the grade: {overall:.0f} becomes {folded:.0f}"
    judgement = replace(judgement, explanations=(*judgement.explanations, told))
    return replace(one, grade=grade, judgement=judgement)


def _find_gain(
    git: Git,
    settings: Settings,
    controls: ControlSet,
    changes: list[Change],
    values: list[float | None],
    signature: Signature,
) -> Gain | None:
    """Whether the likelihood helps, kept for later; None with fewer messages than can tell."""
    count = len(changes)
    own, swapped = (
        [
            grade_text(git, settings, case.text, change=change).grade.overall
            for case, change in zip(cases, changes, strict=True)
        ]
        for cases in (controls.own, controls.swapped)
    )
    rows = [
        (mine, other, value, of_other)
        for mine, other, value, of_other in zip(
            own, swapped, values[:count], values[count : 2 * count], strict=True
        )
        if mine is not None and other is not None and value is not None and of_other is not None
    ]
    place = _place(git, _name(signature))
    if len(rows) < LEAST_HISTORY:
        place.unlink(missing_ok=True)
        return None
    overalls = tuple(sorted(row[0] for row in rows))
    history = [row[2] for row in rows]
    # A message is not part of the history that it is read against.
    others = [sorted(history[:at] + history[at + 1 :]) for at in range(len(rows))]
    gain = compare_folded(
        [
            (mine, fold_in(mine, place_in(value, rest), overalls))
            for (mine, _, value, _), rest in zip(rows, others, strict=True)
        ],
        [
            (other, fold_in(other, place_in(value, rest), overalls))
            for (_, other, _, value), rest in zip(rows, others, strict=True)
        ],
    )
    if gain.helps:
        _keep(place, Fold(_repository(git), _name(signature), overalls, gain))
    else:
        place.unlink(missing_ok=True)
    return gain


def _keep(place: Path, fold: Fold) -> None:
    from gitnotes.write.atomic import replace_file

    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    content = {"schema": SCHEMA, "kind": "fold", **to_json(fold)}
    replace_file(place, (json.dumps(content, indent=2) + "\n").encode())


def _name(signature: Signature) -> str:
    """The model, whatever kind of judge it is asked as."""
    return str(replace(signature, name="likelihood"))


def _repository(git: Git) -> str:
    return str(git.common_folder())


def _place(git: Git, judge: str) -> Path:
    from gitnotes.draft.models.gguf import cache_folder

    whole = f"{_repository(git)}\0{judge}"
    name = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return cache_folder() / "folds" / f"{name}.json"
