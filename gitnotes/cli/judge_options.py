"""Who judges, and how, by the options that `gitnotes grade` was given?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gitnotes.read.git import Git
    from gitnotes.recipes.gate import Judged


class JudgeOptions(NamedTuple):
    """What was asked for."""

    kind: str | None
    """`model`, `likelihood`, or None for no judge."""
    model: str | None
    profile: str
    roles: str
    turns: int
    form: str
    demonstrations: int
    max_calls: int | None

    def check(self) -> None:
        """Raises UsageError for options without a judge, and a judge without a model."""
        from gitnotes.errors import UsageError

        if self.kind is None:
            if self.model is not None:
                raise UsageError("--model names a judge.", "Add --judge.")
            return
        if self.kind not in ("model", "likelihood"):
            raise UsageError("There are two kinds of judges.", "Give --judge, or --judge likelihood.")
        if self.model is None:
            raise UsageError("There is no model to judge.", "Give --model openai:NAME or --model local:PATH.")

    def apply(self, git: Git | None, judged: Iterator[Judged], total: int | None) -> Iterator[Judged]:
        """The same messages with what the judge thinks; what it may cost is said before."""
        if self.kind is None or self.model is None:
            return judged
        from gitnotes.errors import UsageError
        from gitnotes.recipes import judging
        from gitnotes.recipes.models import find_generator, find_local

        if self.kind == "likelihood":
            kind, _, name = self.model.partition(":")
            if git is None or kind != "local":
                raise UsageError(
                    "The likelihood needs a model on this machine, and a repository.",
                    "Give --model local:PATH.",
                )
            return judging.judge_likelihood(git, judged, find_local(name))
        from gitnotes.grade.judging.asking import Plan
        from gitnotes.grade.judging.rubric import FORMS, find_profile, find_roles
        from gitnotes.show import console

        form = next((known for known in FORMS if known == self.form), None)
        if form is None:
            raise UsageError("There is no such form of rating.", f"Choose one of: {', '.join(FORMS)}.")
        plan = Plan(
            find_profile(self.profile), find_roles(self.roles), turns=self.turns, form=form,
            demonstrations=self.demonstrations, max_calls=self.max_calls,
        )  # fmt: skip
        generator = find_generator(self.model, git)
        many = "each text" if total is None else f"{total:,} text{'s' if total != 1 else ''}"
        console.note(
            f"Judge: {plan.calls} calls for {many}"
            + (f", {self.max_calls:,} at most." if self.max_calls is not None else ".")
        )
        return _judged(judged, plan, generator)


def _judged(judged: Iterator[Judged], plan: object, generator: object) -> Iterator[Judged]:
    from gitnotes.recipes import judging

    with judging.open_cache() as cache:
        yield from judging.judge_graded(judged, plan, generator, cache=cache)  # type: ignore[arg-type]
