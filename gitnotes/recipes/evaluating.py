"""How do drafters do on this history, each commit drafted as if it were about to be made?

The newest commits are drafted from their ancestors alone. What a model says is taken as it is, so that
the table shows what the checks of a real draft would refuse.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gitnotes.config import Settings
from gitnotes.errors import CannotJudge, InputError, ModelError, UsageError
from gitnotes.guard.text import shorten, show
from gitnotes.learn.dataset import MOST_FILES, MOST_LINES, day_of
from gitnotes.learn.evaluate import Evaluation, Measured, System, compare_all, recommend, score_draft
from gitnotes.read.git import Git
from gitnotes.recipes.cases import Case, read_cases
from gitnotes.records import Signature

if TYPE_CHECKING:
    from gitnotes.generation import Generator

NEAREST = "nearest"
"""The drafter that repeats the subject of the nearest earlier change: what the others must beat."""
DEFAULT = (NEAREST, "structure", "history", "best")
_SECONDS = 60.0
"""Of an answer."""


Draft = Callable[[Case], str]


def evaluate_drafters(
    git: Git,
    settings: Settings,
    names: Sequence[str],
    *,
    last: int = 200,
    revision: str = "HEAD",
    against: Sequence[Path] = (),
    name: str = "",
    watch: Callable[[str, int], None] | None = None,
) -> Evaluation:
    """The drafters called `names` side by side on the `last` newest commits of people.

    A name is one of the drafters, `nearest`, or a model such as `local:PATH`; each file of `against`
    has another tool's drafts. The first one is what the others are compared with. Raises UsageError
    for an unknown name, CannotJudge for a history without commits of people, ModelError.
    """
    from gitnotes import __version__

    for item in names:
        _check_name(item)
    outputs = [(path.stem, _read_outputs(path)) for path in against]
    cases = list(read_cases(git, settings, last, revision, watch))
    if not cases:
        raise CannotJudge(
            "There is no commit of a person to draft.",
            f"Merges, bots, the first commit and more than {MOST_FILES} files or {MOST_LINES:,} lines do not "
            "count.",
        )
    systems = [_run(item, cases, settings, git, watch) for item in names]
    systems += [_from_outputs(label, found, cases, settings) for label, found in outputs]
    chosen, reason = recommend(systems)
    settings_told = {"commits": str(len(cases)), "end": git.resolve(revision)[:12], "seed": "1"}
    return Evaluation(
        repository=name,
        commits=len(cases),
        first=min(case.time for case in cases),
        last=max(case.time for case in cases),
        systems=tuple(systems),
        duels=compare_all(systems),
        recommended=chosen,
        reason=reason,
        signature=Signature("evaluate", __version__, settings_told),
        notes=tuple(note for system in systems for note in system.notes),
    )


def draft_by_model(generator: Generator, case: Case) -> str:
    """What a model says first, unchecked; empty when it says nothing or not in time."""
    from gitnotes.draft.models.asking import ANSWER_TOKENS
    from gitnotes.draft.models.prompt import build_prompt
    from gitnotes.draft.models.replies import read_reply
    from gitnotes.draft.models.short import build_short_prompt, pick_similar
    from gitnotes.generation import Request

    similar = pick_similar(case.neighbours)
    tuning = getattr(generator, "tuning", None)
    if tuning is not None:
        prompt = build_short_prompt(
            case.change,
            budget=tuning.budget,
            examples=similar,
            drafts=case.draft(tuning.drafts) if tuning.drafts else (),
        )
        tokens = tuning.answer_tokens
    else:
        budget = min(generator.context - ANSWER_TOKENS - 64, 6000)
        prompt = build_prompt(
            case.change, case.style, budget=budget, count=generator.count_tokens, examples=similar
        )
        tokens = ANSWER_TOKENS
    try:
        answer = generator.complete(Request(prompt.turns, max_tokens=tokens, seed=1, timeout=_SECONDS))[0]
    except ModelError as problem:
        if "in time" in problem.message:
            return ""
        raise
    reply = read_reply(answer.text, known=prompt.known)
    return reply.text or next((line.strip() for line in answer.text.split("\n") if line.strip()), "")


def _run(
    name: str,
    cases: Sequence[Case],
    settings: Settings,
    git: Git,
    watch: Callable[[str, int], None] | None,
) -> System:
    gc.collect()
    before = resident_memory()
    draft, notes, is_model = _find(name, git)
    rows = []
    most = before
    for number, case in enumerate(cases, 1):
        started = time.perf_counter()
        text = draft(case)
        seconds = time.perf_counter() - started
        rows.append(measure(case, text, seconds, settings))
        most = max(most, resident_memory())
        if watch is not None:
            watch(name, number)
    added = most - before if before else None
    return System(name, tuple(rows), added, is_model, notes, choice=name != NEAREST)


def measure(case: Case, text: str, seconds: float, settings: Settings) -> Measured:
    """A draft beside what the person wrote."""
    from gitnotes.draft.evidence import haystack, unknown_names
    from gitnotes.draft.models.short import without_reference
    from gitnotes.recipes.grading import grade_for

    subject = without_reference(text.partition("\n")[0])
    grade = grade_for(text, case.change, settings, conventional=case.style.conventional).overall
    return Measured(
        case.sha,
        case.reference,
        text,
        score_draft(subject, case.reference),
        grade,
        bool(unknown_names(text, haystack(case.change))),
        seconds,
    )


def _find(name: str, git: Git) -> tuple[Draft, tuple[str, ...], bool]:
    """The drafter called `name`, what must be said about it, and whether it is a model."""
    from gitnotes.draft import find_drafter

    if name == NEAREST:
        return _repeat_nearest, (), False
    if ":" not in name:
        drafter = find_drafter(name)
        return lambda case: drafter(case.change, case.style, 1, case.neighbours)[0], (), False
    from gitnotes.recipes.catalogue import resolve
    from gitnotes.recipes.models import find_generator

    kind, _, rest = name.partition(":")
    if kind == "local":
        found = resolve(rest)
        generator = find_generator(f"local:{found.source}", git, adapter=found.adapter)
        notes = _notes_on(found.adapter, name)
    else:
        generator, notes = find_generator(name, git), ()
    return lambda case: draft_by_model(generator, case), notes, True


def _notes_on(adapter: Path | None, name: str) -> tuple[str, ...]:
    from gitnotes.recipes.training import read_card

    card = None if adapter is None else read_card(adapter)
    if card is None:
        return ()
    dated = [(show(item.name), day_of(item.learned)) for item in card.origins]
    learned = ", ".join(f"{source} to {day}" for source, day in dated if day)
    return (f"{shorten(name)} has learned from: {learned}",) if learned else ()


def _repeat_nearest(case: Case) -> str:
    from gitnotes.draft.models.short import pick_similar

    return next(iter(pick_similar(case.neighbours)), "")


def _check_name(name: str) -> None:
    from gitnotes.draft import DRAFTERS

    if name != NEAREST and name not in DRAFTERS and ":" not in name:
        known = ", ".join([NEAREST, *sorted(DRAFTERS)])
        raise UsageError(
            f"There is no drafter called '{shorten(name)}'.",
            f"Choose of: {known}; or a model: local:PATH, openai:NAME.",
        )


class _Outputs(NamedTuple):
    """Commit to draft, as another tool wrote them, and how many rows are none."""

    texts: dict[str, str]
    unread: int


def _read_outputs(path: Path) -> _Outputs:
    """The drafts in a table with the columns `sha` and `message`."""
    from gitnotes.learn.formats import open_rows

    table = open_rows(path)
    ids = next((name for name in ("sha", "commit", "hash", "id") if name in table.names), None)
    texts = next(
        (name for name in ("message", "prediction", "text", "draft", "output") if name in table.names), None
    )
    if ids is None or texts is None:
        table.close()
        raise InputError(
            f"{show(str(path))} has no columns for commits and messages.", "Call them sha and message."
        )
    found: dict[str, str] = {}
    unread = 0
    for record in table:
        row = {} if record.problem else dict(zip(table.names, record.cells, strict=False))
        sha, text = row.get(ids), row.get(texts)
        if isinstance(sha, str) and isinstance(text, str):
            found[sha.strip().lower()] = text
        else:
            unread += 1
    if table.broken:
        raise InputError(f"{show(str(path))} breaks off: {table.broken}.", "Make it again.")
    return _Outputs(found, unread)


def _from_outputs(label: str, outputs: _Outputs, cases: Sequence[Case], settings: Settings) -> System:
    texts, unread = outputs
    by_start = {key[:7]: text for key, text in texts.items() if len(key) >= 7}
    drafts = [texts.get(case.sha, by_start.get(case.sha[:7], "")) for case in cases]
    missing = sum(not text for text in drafts)
    wrong = f"{unread:,} of its rows cannot be read" if unread else ""
    if missing == len(cases):
        raise InputError(
            f"None of the commits is in '{shorten(label)}'{f'; {wrong}' if wrong else ''}.",
            "Give the drafts of the newest commits, by sha.",
        )
    without = f"no draft for {missing} of {len(cases)} commits" if missing else ""
    told = "; ".join(filter(None, [without, wrong]))
    note = f"{shorten(label)}: {told}" if told else ""
    rows = tuple(measure(case, text, 0.0, settings) for case, text in zip(cases, drafts, strict=True))
    return System(label, rows, None, True, (note,) if note else (), choice=False)


def resident_memory() -> int:
    """Bytes of main memory that this process has now; 0 where it cannot be told."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
            pages = int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    import os

    return pages * os.sysconf("SC_PAGE_SIZE")


def set_drafter(git: Git, name: str) -> str:
    """Makes `name` the drafter of the repository, in its own file; what that is called.

    Raises UsageError for a model, which is given where it is used, and InputError.
    """
    from gitnotes.draft import DRAFTERS
    from gitnotes.recipes.configuring import write_setting

    if name not in DRAFTERS:
        raise UsageError(
            f"'{shorten(name)}' cannot be set in the configuration.", "Give it with --model where it is used."
        )
    where, _ = write_setting(git, "drafter", name, "repository")
    return where
