"""correlate: how well do metrics go along with people?"""

from __future__ import annotations

from typing import Annotated

import typer

from gitnotes.cli.pair_options import (
    TABLE_HELP,
    Delimiter,
    Encoding,
    Format,
    Metrics,
    NoHeader,
    once,
    read_format,
    read_sign,
)


def correlate(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help=TABLE_HELP),
    ],
    human: Annotated[
        list[str],
        typer.Option(
            "--human", metavar="A,B", help='The columns with human values; a comma in a name needs "quotes".'
        ),
    ],
    metric: Metrics = None,
    prediction: Annotated[
        list[str] | None,
        typer.Option(
            "--prediction", "--prediction-column", metavar="COLUMN", help="Where the predictions are."
        ),
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            "--reference",
            "--reference-column",
            metavar="COLUMN",
            help="Where the references are (repeatable).",
        ),
    ] = None,
    cluster: Annotated[
        list[str] | None,
        typer.Option("--cluster", metavar="COLUMN", help="Rows with the same value are drawn together."),
    ] = None,
    no_header: NoHeader = False,
    format: Format = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    resamples: Annotated[
        list[int] | None,
        typer.Option(
            "--resamples",
            metavar="N",
            min=0,
            max=100_000,
            help="Of the intervals, to 100000; 0 for none. [default: 1000]",
        ),
    ] = None,
    seed: Annotated[
        list[int] | None,
        typer.Option("--seed", metavar="N", min=0, help="Of the intervals. [default: 12345]"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Correlate metrics with human values.

    Spearman, Kendall tau-b and Pearson, each with its 95 % interval.

    Every metric is also compared with the first one, on the same rows.

    Example: gitnotes correlate rated.csv --metric log-mnext,mnext-f1 --human adequacy,fluency
    """
    from gitnotes.errors import InputError
    from gitnotes.grade.correlation import RESAMPLES, SEED
    from gitnotes.read.pairs import Layout
    from gitnotes.scoring.correlating import correlate_file
    from gitnotes.scoring.naming import read_metrics, split_names
    from gitnotes.show import console
    from gitnotes.show.correlations import correlations_json, correlations_text
    from gitnotes.show.scores import ScoreProgress

    layout = Layout(
        tuple(reference or ()),
        once("--prediction", prediction),
        (),
        not no_header,
        once("--encoding", encoding),
        read_format(format),
        read_sign(delimiter),
    )
    draws, start = once("--resamples", resamples), once("--seed", seed)
    bars = {"rows": ScoreProgress(), "resamples": ScoreProgress("Drawing", "resamples")}

    def tell(unit: str, done: int, share: float | None) -> None:
        if unit == "resamples":
            bars["rows"].__exit__()
        bars[unit].update(done, share)

    with bars["rows"], bars["resamples"]:
        found = correlate_file(
            file,
            layout,
            read_metrics(metric or ["log-mnext"]),
            split_names(human),
            cluster=once("--cluster", cluster),
            resamples=RESAMPLES if draws is None else draws,
            seed=SEED if start is None else start,
            progress=tell,
        )
    console.write(correlations_json(found) if json else correlations_text(found))
    if found.broken:
        # As with score: the numbers are out, what is wrong with them is the exit code.
        raise InputError(f"{found.broken}.", "The numbers are those of the rows that could be read.")
