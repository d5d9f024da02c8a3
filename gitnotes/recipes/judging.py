"""How do messages and their changes come before a judge, and is the judge fit for it?"""

from __future__ import annotations

import secrets
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from gitnotes.errors import CannotJudge, InputError, UsageError
from gitnotes.grade.judging.asking import OVER, Plan
from gitnotes.grade.judging.controls import ControlSet, Fitness, make_controls, weigh
from gitnotes.grade.judging.folding import Gain
from gitnotes.grade.judging.judge import judge_texts
from gitnotes.grade.judging.questions import Case
from gitnotes.grade.judging.rubric import find_profile
from gitnotes.grade.judging.writers import credited_writers, wrote_it_itself
from gitnotes.read.git import Git
from gitnotes.recipes.grading import Graded
from gitnotes.records import Change, CommitTree, Grade, Judgement, Signature

if TYPE_CHECKING:
    from gitnotes.generation import Generator
    from gitnotes.grade.judging.cache import AnswerCache

SOURCE_TOKENS = 1500
"""Tokens of a change that a judge is shown; what is cut is said to it."""
_LOCAL_SECONDS = 300.0
_NOTHING, _DOUBTED, _FULL = 1.0, 2.0, 3.5
"""Consistency from 0 to 4: of ours below the second and the judge's from the third on, or of the judge's up
to the first and ours from the third on, one must be wrong."""
_UNSEEN = ("Internal", "Documentation")
"""Changes that a note may leave out."""
_SEEN = ("consistency", "supported", "direction", "whole", "checklist")
"""What can only be said of a message when its change can be seen."""
_SALT = 32
"""Bytes of it."""
_LEAST = 5
"""Messages without which a judge cannot be checked."""


@dataclass(frozen=True, slots=True)
class CheckedJudge:
    """How a judge did on the controls of a repository."""

    fitness: Fitness
    signature: Signature
    controls: int
    """Texts that were judged."""
    calls: int
    cached: int
    gain: Gain | None = None
    """Whether it helps the grade; None for a judge that is not counted in it."""


def make_case(
    change: Change, message: str, count_tokens: Callable[[str], int], *, references: Sequence[str] = ()
) -> Case:
    """A message and what it is for, with secrets masked and cut to what a judge is shown.

    Raises UsageError when the check for secrets is not installed.
    """
    from gitnotes.draft.models.prompt import render_change
    from gitnotes.guard.secrets import mask_text

    masked: Counter[str] = Counter()
    shown, omitted = render_change(change, budget=SOURCE_TOKENS, count=count_tokens, masked=masked)
    reference = mask_text("\n\n".join(references))[0]
    return Case(shown, mask_text(message)[0], reference, cut=bool(omitted))


def read_judged(git: Git, count_tokens: Callable[[str], int], count: int) -> list[Case]:
    """The newest messages of people, and their changes, as a judge is shown them."""
    return [make_case(change, message, count_tokens) for message, change in islice(read_written(git), count)]


def read_written(git: Git) -> Iterator[tuple[str, Change]]:
    """The messages of people with their changes, the newest first."""
    from gitnotes.messages import is_bot, is_fixup, is_revert_subject
    from gitnotes.read.history import read_changes

    for commit, change in read_changes(git, None, "HEAD"):
        author = f"{commit.author} <{commit.email}>"
        subject = commit.subject
        if not (commit.is_merge or is_bot(author) or is_fixup(subject) or is_revert_subject(subject)):
            yield commit.message, change


def read_controls(git: Git, generator: Generator, count: int) -> ControlSet:
    """The newest `count` messages, and what was made worse of them.

    Raises CannotJudge when the repository has fewer than 5.
    """
    return make_controls(enough(read_judged(git, generator.count_tokens, count)))


def check_judge(
    controls: ControlSet,
    generator: Generator,
    plan: Plan,
    *,
    cache: AnswerCache | None = None,
    progress: Callable[[int], None] | None = None,
) -> CheckedJudge:
    """Has a judge rate the controls.

    Raises CannotJudge when the budget of the plan ends before, so that nothing can be said; ModelError.
    """
    plan = fit_plan(plan, generator)
    found: list[Judgement] = list(
        judge_texts(
            controls.all(), plan, generator, salt=judge_salt(), cache=cache, progress=progress, pleas=True
        )
    )
    reasons = Counter(reason for item in found for reason in item.unscored.values())
    if any(reason.startswith(OVER) for reason in reasons):
        raise CannotJudge(
            "The budget is used up, and too little is known of the judge.",
            "Raise it; what was answered is kept.",
        )
    most = reasons.most_common(1)
    return CheckedJudge(
        weigh(controls, [item.overall for item in found], most[0][0] if most else ""),
        found[0].signature,
        len(found),
        sum(item.calls for item in found),
        sum(item.cached for item in found),
    )


def fit_plan(plan: Plan, generator: Generator) -> Plan:
    """The plan for a model on this machine: time enough for each call, and one at a time in our process.

    A server here may read on a processor, and one that queues makes the last of several wait for all.
    """
    from gitnotes.draft.models.endpoint import is_on_this_machine

    patient = replace(plan, call_seconds=max(plan.call_seconds, _LOCAL_SECONDS))
    if generator.signature.name != "endpoint":
        return replace(patient, workers=1)
    host = dict(generator.signature.settings).get("host", "")
    return patient if is_on_this_machine(f"http://{host}") else plan


def judge_graded(
    graded: Iterable[Graded],
    plan: Plan,
    generator: Generator,
    *,
    references: Sequence[str] = (),
    cache: AnswerCache | None = None,
) -> Iterator[Graded]:
    """The same messages with what a model thinks of each; without a change or a grade it is not asked.

    It is shown the `references` as well. Raises ModelError when the model cannot be asked at all.
    """
    from gitnotes.recipes.calibrating import calibrate

    waiting: deque[tuple[Graded, bool]] = deque()

    def cases() -> Iterator[Case]:
        for one in graded:
            asked = is_asked(one)
            waiting.append((one, asked))
            if asked and one.change is not None:
                yield make_case(one.change, one.message, generator.count_tokens, references=references)

    plan = fit_plan(plan, generator)
    for judgement in judge_texts(cases(), plan, generator, salt=judge_salt(), cache=cache):
        while not waiting[0][1]:
            yield waiting.popleft()[0]
        one, _ = waiting.popleft()
        if one.change is not None and _shows_nothing(one.change):
            judgement = _without_consistency(judgement)
        judgement = doubt_own(_dispute(judgement, one.grade), credited_writers(one.message))
        yield replace(one, judgement=calibrate(judgement))
    for one, _ in waiting:
        yield one


def prefer_graded(
    graded: Iterable[Graded],
    rival: str,
    plan: Plan,
    generator: Generator,
    *,
    cache: AnswerCache | None = None,
) -> Iterator[Graded]:
    """The same messages with how far a model prefers each to `rival`; it is asked in both orders.

    Raises ModelError when the model cannot be asked at all, UsageError for an empty rival.
    """
    from gitnotes.grade.judging.pairs import prefer
    from gitnotes.guard.secrets import mask_text

    if not rival.strip():
        raise UsageError("There is nothing to compare with.", "Give another text with --reference.")
    plan = fit_plan(plan, generator)
    other = mask_text(rival)[0]
    for one in graded:
        change = one.change
        if change is None or not is_asked(one):
            yield one
            continue
        case = make_case(change, one.message, generator.count_tokens)
        judgement = prefer(case, other, plan, generator, salt=judge_salt(), cache=cache)
        writers = [*credited_writers(one.message), *credited_writers(rival)]
        yield replace(one, judgement=doubt_own(judgement, writers))


def judge_note(
    tree: CommitTree,
    note: str,
    generator: Generator,
    *,
    plan: Plan | None = None,
    drafter: str = "",
    cache: AnswerCache | None = None,
) -> Judgement:
    """What a model thinks of a release note for the commits of `tree`, and which changes it misses.

    Asked about are the changes that users see, or all when there are none. `plan` is one of the
    profile `release`; `drafter` is the signature of the model that wrote the note, where one did.
    Raises UsageError for another profile and for an empty range, ModelError.
    """
    from gitnotes.grade.judging.notes import judge_note_text
    from gitnotes.guard.secrets import mask_text

    plan = fit_plan(plan or Plan(find_profile("release")), generator)
    if plan.profile.name != "release":
        raise UsageError("A release note is judged by the profile release.", "Leave --profile out.")
    entries = [mask_text(entry)[0] for entry in note_changes(tree)]
    found = judge_note_text(entries, mask_text(note)[0], plan, generator, salt=judge_salt(), cache=cache)
    return doubt_own(found, [drafter])


def note_changes(tree: CommitTree) -> list[str]:
    """What a note for `tree` should cover, a line each: what users see, or all when they see nothing."""
    from gitnotes.draft.notes.entries import read_entries

    entries, _ = read_entries(tree)
    seen = [item for item in entries if item.category not in _UNSEEN] or list(entries)
    return [item.text for item in seen]


def doubt_own(judgement: Judgement, writers: Iterable[str]) -> Judgement:
    """The judgement, flagged when one of the `writers` of the text is the judge itself."""
    settings = judgement.signature.settings
    models = [settings.get("model", ""), *settings.get("answered-by", "").split(",")]
    name = wrote_it_itself(models, writers)
    if not name:
        return judgement
    flag = f"self-preference: {name} judges what it is said to have written itself"
    return replace(judgement, flags=(*judgement.flags, flag))


def is_asked(one: Graded) -> bool:
    """Whether a judge is asked about a message: not without a change or a grade."""
    return one.change is not None and one.grade.overall is not None


def _dispute(judgement: Judgement, grade: Grade) -> Judgement:
    """Marks full marks for a message of which the change bears out little or nothing, and the opposite."""
    ours = grade.scores.get("consistency")
    for name in ("consistency", "supported"):
        theirs = judgement.scores.get(name)
        if ours is None or theirs is None:
            continue
        if (ours < _DOUBTED and theirs >= _FULL) or (theirs <= _NOTHING and ours >= _FULL):
            flag = f"disputed: {theirs:g} for {name}, and by the words of the change it is {ours:.1f}"
            judgement = replace(judgement, flags=(*judgement.flags, flag))
    return judgement


def _shows_nothing(change: Change) -> bool:
    """Whether all that happened is that files without text have other contents."""
    return not change.hunks and all(
        file.status == "M" and file.added is None and file.submodule is None for file in change.files
    )


def _without_consistency(judgement: Judgement) -> Judgement:
    """No judge can hold a message against contents that it was not shown, whatever it answers."""
    blind = [name for name in _SEEN if judgement.scores.get(name) is not None]
    if not blind:
        return judgement
    reason = "the change shows no text to hold the message against"
    return replace(
        judgement,
        scores={**judgement.scores, **dict.fromkeys(blind)},
        overall=None,
        unscored={**judgement.unscored, **dict.fromkeys(blind, reason)},
    )


def open_cache() -> AnswerCache:
    """The answers of judges in the user's cache. Raises InputError when it cannot be used."""
    from gitnotes.draft.models.gguf import cache_folder
    from gitnotes.grade.judging.cache import AnswerCache

    return AnswerCache(cache_folder() / "judge.sqlite")


def judge_salt() -> bytes:
    """What makes the boundaries of questions: unknown to others, and the same on this machine.

    The same, because a cache keyed on the whole question would never find one again otherwise.
    """
    from gitnotes.draft.models.gguf import cache_folder
    from gitnotes.write.atomic import replace_file

    path = cache_folder() / "judge.salt"
    with suppress(OSError, InputError):
        if not path.exists() or path.stat().st_size < _SALT:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Whole or not at all; of two processes the later one wins, and both read what it wrote.
            replace_file(path, secrets.token_bytes(_SALT), mode=0o600)
        return path.read_bytes()[:_SALT]
    return secrets.token_bytes(_SALT)


def enough(cases: list[Case]) -> list[Case]:
    """The cases. Raises CannotJudge when there are too few to check a judge with."""
    if len(cases) < _LEAST:
        raise CannotJudge(
            f"The repository has {len(cases)} messages of people, and {_LEAST} are needed to check a judge.",
            "Use an older repository.",
        )
    return cases


def parse_judge(spec: str) -> tuple[str, str]:
    """What the user wrote as judge: `likelihood` and the name of a local model, or `model` and its name.

    Raises UsageError when it is neither.
    """
    if spec.startswith("likelihood:"):
        return "likelihood", spec.partition(":")[2]
    if spec.startswith(("openai:", "local:")):
        return "model", spec
    raise UsageError("This names no judge.", "Write openai:NAME, local:PATH or likelihood:PATH.")
