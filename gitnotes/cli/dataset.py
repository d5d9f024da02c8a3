"""dataset: what can be learned from these histories?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def dataset(
    context: typer.Context,
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Where it goes: .jsonl or .parquet.")
    ] = Path("dataset.jsonl"),
    repo: Annotated[
        list[str] | None,
        typer.Option("--repo", metavar="FOLDER", help="A repository (repeatable). [default: this one]"),
    ] = None,
    public: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="A public set: NNGen, MCMD, CommitBench, CommitChronicle, ReleaseEval (repeatable).",
        ),
    ] = None,
    last: Annotated[int, typer.Option("--last", metavar="N", min=1, help="Newest commits of each.")] = 5000,
    min_grade: Annotated[
        float,
        typer.Option("--min-grade", metavar="N", min=0, max=100, help="Messages below it are left out."),
    ] = 30.0,
    budget: Annotated[
        int,
        typer.Option("--budget", metavar="N", min=32, max=8192, help="Tokens of a change that a model sees."),
    ] = 256,
    drafts: Annotated[
        int,
        typer.Option(
            "--drafts", metavar="N", min=0, max=5, help="Also draft each without a model, for it to improve."
        ),
    ] = 0,
    body: Annotated[bool, typer.Option("--body", help="Learn whole messages, not subjects alone.")] = False,
    notes: Annotated[
        bool, typer.Option("--notes", help="Learn release notes: commit tree to changelog, by version.")
    ] = False,
    processes: Annotated[
        int,
        typer.Option(
            "--processes", metavar="N", min=0, max=256, help="How many read at a time; 0: one a core."
        ),
    ] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")] = False,
) -> None:
    """Make a data set of the changes and messages of a history.

    Left out are merges, bots, git's own messages and what is graded below the bar. The newest commits
    are held out, and nothing that nearly equals them is learned from. Secrets are masked.

    Examples: gitnotes dataset --out mine.jsonl; gitnotes dataset --repo a --repo b --out both.parquet
    """
    from gitnotes.recipes.collecting import Wanted
    from gitnotes.recipes.learning import check_place, make_dataset, save_dataset
    from gitnotes.show import console, learning

    check_place(out)
    places = repo or ([] if public else [str(context.obj.folder or ".")])
    wanted = Wanted(last, min_grade, budget, body, drafts)
    with learning.Counting("commits") as counting:
        data = make_dataset(
            places, public or [], wanted, notes=notes, processes=processes, watch=counting.update
        )
    save_dataset(out, data)
    console.write(learning.report_json(data.report) if json else learning.report_text(data.report, out))
