"""train: how does a model come to write like this project?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def train(
    context: typer.Context,
    data: Annotated[
        Path | None,
        typer.Argument(metavar="[DATA]", help="A data set of `gitnotes dataset`; none: this history."),
    ] = None,
    base: Annotated[
        str, typer.Option("--base", metavar="MODEL", help="A name of `gitnotes models`, a folder or a file.")
    ] = "smollm2-135m",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Where the adapter goes. [default: the user's cache]"),
    ] = None,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="What it is called. [default: the folder's name]")
    ] = "",
    repo: Annotated[
        list[str] | None, typer.Option("--repo", metavar="FOLDER", help="Further histories (repeatable).")
    ] = None,
    from_feedback: Annotated[
        bool, typer.Option("--from-feedback", help="Learn only from commits that had a suggestion.")
    ] = False,
    epochs: Annotated[
        float, typer.Option("--epochs", metavar="N", min=0.01, help="Times that all is seen.")
    ] = 3.0,
    minutes: Annotated[
        float,
        typer.Option(
            "--minutes", metavar="N", min=0, help="Fewer epochs, so that it takes no longer; 0: no limit."
        ),
    ] = 0.0,
    batch: Annotated[int, typer.Option("--batch", metavar="N", min=1, help="Examples a step.")] = 16,
    at_a_time: Annotated[
        int,
        typer.Option(
            "--at-a-time", metavar="N", min=0, help="Examples that go through together; 0: by the machine."
        ),
    ] = 0,
    tokens: Annotated[
        int, typer.Option("--tokens", metavar="N", min=64, help="Of a change and its message.")
    ] = 384,
    rate: Annotated[
        float, typer.Option("--rate", metavar="N", min=0, help="Learning rate; 0: by the model.")
    ] = 0.0,
    rank: Annotated[
        int, typer.Option("--rank", metavar="N", min=1, max=512, help="Of the LoRA matrices.")
    ] = 16,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="The same seed gives the same adapter.")
    ] = 1,
    threads: Annotated[int, typer.Option("--threads", metavar="N", min=0, help="0: half of the cores.")] = 0,
    device: Annotated[str, typer.Option("--device", metavar="NAME", help="auto, cpu, cuda or mps.")] = "auto",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would take, and stop.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Tune a model on a history, on this machine.

    A LoRA adapter is learned from changes and the subjects that people gave them. What it takes is
    told before it starts; it stops when commits that it does not see are no better predicted.
    On several GPUs: accelerate launch -m gitnotes train ...

    Examples: gitnotes train --minutes 30; gitnotes train mine.jsonl --base ./model --out ./adapter
    """
    from gitnotes.learn.sizing import Plan
    from gitnotes.recipes.training import Job, can_go_on, find_data, place_for, train_adapter
    from gitnotes.show import console, learning

    places = [str(context.obj.folder or "."), *(repo or [])]
    folder, called = place_for(out, name, places[0])
    with learning.Counting("commits") as counting:
        found = find_data(data, places, from_feedback=from_feedback, watch=counting.update)
    plan = Plan(
        epochs=epochs, batch=batch, at_a_time=at_a_time, tokens=tokens, rate=rate, rank=rank, seed=seed
    )
    job = Job(base, folder, plan, called, minutes, resume, dry_run, threads, device)
    try:
        with learning.Following() as following:
            outcome = train_adapter(
                found,
                job,
                told=lambda *what: console.note(learning.plan_text(*what)),
                watch=following.update,
            )
    except KeyboardInterrupt:
        if can_go_on(folder):
            console.note("gitnotes: stopped; the same command with --resume goes on")
        raise
    if outcome is not None:
        console.write(learning.outcome_json(outcome) if json else learning.outcome_text(outcome))
