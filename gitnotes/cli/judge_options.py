"""Who judges, and how, by the options that `gitnotes grade` was given?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

if TYPE_CHECKING:
    from gitnotes.generation import Generator, LocalGenerator
    from gitnotes.grade.judging.asking import Plan
    from gitnotes.read.git import Git
    from gitnotes.recipes.grading import Graded


ProfileName = Annotated[
    str, typer.Option("--profile", metavar="NAME", help="What is judged: commit, coderpe or checklist.")
]
Roles = Annotated[
    str, typer.Option("--roles", metavar="LIST", help="As reviewer,author,editor,analyst or some of them.")
]
Turns = Annotated[int, typer.Option("--turns", min=1, max=3, metavar="N", help="Times to ask.")]
FormName = Annotated[str, typer.Option("--form", metavar="NAME", help="score, analyze-rate or rate-explain.")]
Shown = Annotated[
    int, typer.Option("--k", min=0, max=8, metavar="N", help="Demonstrations to show: 0, 4, 8.")
]
Steps = Annotated[bool, typer.Option("--steps", help="Show the judge steps by which to go about it.")]
MaxCalls = Annotated[
    int | None, typer.Option("--max-calls", min=1, metavar="N", help="Stop asking after N calls.")
]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", min=1, metavar="N", help="Stop asking after N tokens.")
]
MaxSeconds = Annotated[
    float | None, typer.Option("--max-seconds", min=0.1, metavar="N", help="Stop asking after N seconds.")
]


class JudgeOptions(NamedTuple):
    """What was asked for."""

    kind: str | None
    """`model`, `pair`, `likelihood`, or None for no judge."""
    model: str | None
    profile: str
    roles: str
    turns: int
    form: str
    demonstrations: int
    max_calls: int | None
    max_tokens: int | None = None
    max_seconds: float | None = None
    steps: bool = False
    references: Sequence[str] = ()
    """Texts that it is shown beside; for `pair` the one that it is compared with."""

    def check(self) -> None:
        """Raises UsageError for options without a judge, and a judge without a model."""
        from gitnotes.errors import UsageError

        if self.kind is None:
            if self.model is not None:
                raise UsageError("--model names a judge.", "Add --judge.")
            return
        if self.kind not in ("model", "pair", "likelihood"):
            raise UsageError(
                "There is no such kind of judge.", "Give --judge, --judge pair or --judge likelihood."
            )
        if self.kind == "pair" and len(self.references) != 1:
            raise UsageError(
                "Two texts are compared: the one that is graded and another.", "Give one with --reference."
            )
        if self.profile == "release":
            raise UsageError(
                "A message is no release note.", "Judge a note with: gitnotes release A..B --grade --judge"
            )
        if (self.kind == "pair" or self.profile == "checklist") and (self.form != "score" or self.steps):
            raise UsageError(
                "Only ratings of dimensions have a form and steps.", "Leave --form and --steps out."
            )
        if self.max_seconds is not None and not math.isfinite(self.max_seconds):
            raise UsageError("--max-seconds is not a number.", "Give one, or leave it out.")
        if self.model is None:
            raise UsageError("There is no model to judge.", "Give --model openai:NAME or --model local:PATH.")

    def apply(self, git: Git | None, graded: Iterator[Graded], total: int | None) -> Iterator[Graded]:
        """The same messages with what the judge thinks; what it may cost is said before."""
        if self.kind is None or self.model is None:
            return graded
        from gitnotes.errors import UsageError
        from gitnotes.recipes.models import find_generator, find_local

        if self.kind == "likelihood":
            kind, _, name = self.model.partition(":")
            if git is None or kind != "local":
                raise UsageError(
                    "The likelihood needs a model on this machine, and a repository.",
                    "Give --model local:PATH.",
                )
            return _weighed(git, graded, find_local(name))
        plan = self.plan()
        generator = find_generator(self.model, git)
        calls = 2 * len(plan.roles) * plan.turns if self.kind == "pair" else plan.calls
        say_budget(plan, calls, total)
        rival = self.references[0] if self.kind == "pair" else None
        return _judged(graded, plan, generator, () if rival else self.references, rival)

    def plan(self) -> Plan:
        """How it is judged. Raises UsageError for a profile, role or form that there is not."""
        from gitnotes.errors import UsageError
        from gitnotes.grade.judging.asking import Plan
        from gitnotes.grade.judging.rubric import FORMS, find_profile, find_roles

        form = next((known for known in FORMS if known == self.form), None)
        if form is None:
            raise UsageError("There is no such form of rating.", f"Choose one of: {', '.join(FORMS)}.")
        return Plan(
            find_profile(self.profile), find_roles(self.roles), turns=self.turns, form=form,
            steps=self.steps, demonstrations=self.demonstrations, max_calls=self.max_calls,
            max_tokens=self.max_tokens, max_seconds=self.max_seconds,
        )  # fmt: skip


def say_budget(plan: Plan, calls: int, texts: int | None) -> None:
    """Says before it is spent what a judge may cost: calls for each text, and where it stops."""
    from gitnotes.show import console

    cost = f"{calls:,} call{'s' if calls != 1 else ''} for "
    if texts == 1:
        cost += "1 text"
    elif texts is None:
        cost += "each text"
    else:
        cost += f"each of {texts:,} texts, {calls * texts:,} in all"
    limits = [
        f"{limit:,g} {unit} at most".replace("  ", " ")
        for limit, unit in (
            (plan.max_calls, ""),
            (plan.max_tokens, "tokens"),
            (plan.max_seconds, "seconds"),
        )
        if limit is not None
    ]
    console.note(f"Judge: {', '.join([cost, *limits])}.")


def _weighed(git: Git, graded: Iterator[Graded], model: LocalGenerator) -> Iterator[Graded]:
    from gitnotes.grade.judging.cache import Weights
    from gitnotes.recipes.judging import open_cache
    from gitnotes.recipes.weighing import judge_likelihood, weigh_history
    from gitnotes.show import console

    with open_cache() as cache:
        known = Weights(cache)
        with console.counting("Earlier messages weighed:") as tell:
            history = weigh_history(git, model, known=known, progress=tell)
        yield from judge_likelihood(git, graded, model, history=history, known=known)


def _judged(
    graded: Iterator[Graded],
    plan: Plan,
    generator: Generator,
    references: Sequence[str],
    rival: str | None,
) -> Iterator[Graded]:
    from gitnotes.recipes import judging

    with judging.open_cache() as cache:
        if rival is not None:
            yield from judging.prefer_graded(graded, rival, plan, generator, cache=cache)
        else:
            yield from judging.judge_graded(graded, plan, generator, references=references, cache=cache)
