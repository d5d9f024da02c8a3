"""correlate: how well do metrics go along with people?"""

from __future__ import annotations

from typing import Annotated

import typer

from gitnotes.cli.pair_options import TABLE_HELP, Encoding, Format, Metrics, NoHeader


def correlate(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help=TABLE_HELP),
    ],
    human: Annotated[
        str, typer.Option("--human", metavar="A,B", help="The columns with human values, by commas.")
    ],
    metric: Metrics = "log-mnext",
    prediction: Annotated[
        str | None, typer.Option("--prediction", metavar="COLUMN", help="Where the predictions are.")
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option("--reference", metavar="COLUMN", help="Where the references are (repeatable)."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", metavar="COLUMN", help="Rows with the same value are drawn together."),
    ] = None,
    no_header: NoHeader = False,
    format: Format = None,
    encoding: Encoding = None,
    resamples: Annotated[
        int, typer.Option("--resamples", min=0, max=100_000, help="Of the intervals; 0 for none.")
    ] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the intervals.")] = 12345,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Correlate metrics with human values.

    Spearman, Kendall tau-b and Pearson, each with its 95 % interval.

    Every metric is also compared with the first one, on the same rows.

    Example: gitnotes correlate rated.csv --metric log-mnext,mnext-f1 --human adequacy,fluency
    """
    from gitnotes.errors import UsageError
    from gitnotes.read.pairs import Layout
    from gitnotes.read.tables import FORMATS
    from gitnotes.scoring.correlating import correlate_file
    from gitnotes.show import console
    from gitnotes.show.correlations import correlations_json, correlations_text

    names = list(dict.fromkeys(name.strip() for name in metric.split(",") if name.strip()))
    if not names:
        raise UsageError("There is no metric to score by.", "Name one with --metric.")
    if format is not None and format not in FORMATS:
        raise UsageError(f"There is no format '{format[:40]}'.", f"Known are {', '.join(FORMATS)}.")
    found = correlate_file(
        file,
        Layout(tuple(reference or ()), prediction, (), not no_header, encoding, format),
        names,
        [name.strip() for name in human.split(",") if name.strip()],
        cluster=cluster,
        resamples=resamples,
        seed=seed,
    )
    console.write(correlations_json(found) if json else correlations_text(found))
