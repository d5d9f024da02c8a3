"""judge-check: is a model fit to judge messages?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import count as count_from
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gitnotes.cli.judge_options import (
    FormName,
    JudgeOptions,
    MaxCalls,
    MaxSeconds,
    MaxTokens,
    ProfileName,
    Roles,
    Shown,
    Steps,
    Turns,
    say_budget,
)

if TYPE_CHECKING:
    from gitnotes.grade.judging.cache import AnswerCache


def judge_check(
    context: typer.Context,
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="openai:NAME, local:PATH, or likelihood:PATH.")
    ],
    count: Annotated[
        int, typer.Option("-n", "--count", min=5, max=500, metavar="N", help="Newest messages to use.")
    ] = 20,
    profile: ProfileName = "commit",
    roles: Roles = "reviewer",
    turns: Turns = 1,
    form: FormName = "score",
    demonstrations: Shown = 4,
    steps: Steps = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_seconds: MaxSeconds = None,
    ratings: Annotated[
        Path | None,
        typer.Option(
            "--ratings",
            metavar="FILE",
            help="Put it on the scale of your ratings instead: a table with rating and commit,"
            " or rating, message and diff.",
        ),
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Ask again what was asked before.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Tell whether a model is fit to judge messages.

    It needs no ratings. The model is shown the newest messages with their changes, the messages of
    other commits, messages that say removed for added, padded ones, and ones that ask for a good mark.
    A fit judge tells the first from the second and the third, and is not moved by the others.

    With --ratings a map from its scores to yours is fitted and kept for this judge alone; from then on
    `grade --judge` shows both.

    Examples: gitnotes judge-check openai:gpt-4o-mini; gitnotes judge-check likelihood:~/models/smollm2

    Exit codes: 0 fit; 1 not fit; 2 usage; 3 the repository has too few messages; 4 the model failed.
    """
    from gitnotes.errors import UsageError
    from gitnotes.read.git import open_git
    from gitnotes.recipes import judging
    from gitnotes.recipes.calibrating import calibrate_judge, read_rated
    from gitnotes.recipes.models import find_generator, find_local
    from gitnotes.show import console
    from gitnotes.show.judging import calibration_json, calibration_text, check_json, check_text

    kind, name = judging.parse_judge(model)
    if ratings is not None and kind == "likelihood":
        raise UsageError("A likelihood is shown as a percentile, not as a rating.", "Leave --ratings out.")
    options = JudgeOptions(
        "model", name, profile, roles, turns, form, demonstrations, max_calls, max_tokens, max_seconds, steps
    )
    options.check()
    plan = options.plan()
    git = open_git(context.obj.folder)
    if kind == "likelihood":
        from gitnotes.customs import repository_settings
        from gitnotes.grade.judging.cache import Weights
        from gitnotes.recipes.weighing import check_likelihood

        with _cache(no_cache) as cache, console.counting("Texts weighed:") as tell:
            known = Weights(cache) if cache is not None else None
            checked = check_likelihood(
                git, repository_settings(git), find_local(name), count=count, known=known, progress=tell
            )
    else:
        generator = find_generator(name, git)
        if ratings is not None:
            rated = read_rated(git, ratings, generator)
            if rated.left_out:
                console.note(f"{rated.left_out:,} rows name no commit of this repository, or no number.")
            say_budget(plan, plan.calls, len(rated.texts))
            with _cache(no_cache) as cache, _progress() as tell:
                fitted, place = calibrate_judge(rated.texts, plan, generator, cache=cache, progress=tell)
            console.write(calibration_json(fitted, place) if json else calibration_text(fitted, place))
            return
        controls = judging.read_controls(git, generator, count)
        say_budget(plan, plan.calls, len(controls.all()))
        with _cache(no_cache) as cache, _progress() as tell:
            checked = judging.check_judge(controls, generator, plan, cache=cache, progress=tell)
    console.write(check_json(checked) if json else check_text(checked))
    if checked.fitness.faults:
        raise typer.Exit(1)


def _cache(unused: bool) -> AbstractContextManager[AnswerCache | None]:
    from gitnotes.recipes.judging import open_cache

    return nullcontext() if unused else open_cache()


@contextmanager
def _progress() -> Iterator[Callable[[int], None]]:
    """Shows how many texts are judged."""
    from gitnotes.show import console

    done = count_from(1)
    with console.counting("Texts judged:") as tell:
        yield lambda _calls: tell(next(done))
