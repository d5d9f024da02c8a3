"""score: how close are predictions to their references?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gitnotes.cli.pair_options import TABLE_HELP, Encoding, Format, Metrics, NoHeader

if TYPE_CHECKING:
    from gitnotes.scoring.results import Summary


def score(
    pairs: Annotated[
        list[str] | None,
        typer.Argument(metavar="PAIRS", help=TABLE_HELP),
    ] = None,
    prediction: Annotated[
        str | None, typer.Option("--prediction", metavar="TEXT", help="One text that was written.")
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option("--reference", metavar="TEXT", help="The text it should equal (repeatable)."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the words that one pair shares, side by side.")
    ] = False,
    predictions: Annotated[
        list[str] | None,
        typer.Option("--predictions", metavar="FILE", help="A text a line (repeatable: several systems)."),
    ] = None,
    references: Annotated[
        list[str] | None,
        typer.Option("--references", metavar="FILE", help="Their references, line by line (repeatable)."),
    ] = None,
    metric: Metrics = "log-mnext",
    reference_column: Annotated[
        list[str] | None,
        typer.Option("--reference-column", metavar="NAME", help="Where the references are (repeatable)."),
    ] = None,
    prediction_column: Annotated[
        str | None, typer.Option("--prediction-column", metavar="NAME", help="Where the predictions are.")
    ] = None,
    no_header: NoHeader = False,
    format: Format = None,
    encoding: Encoding = None,
    rows: Annotated[
        Path | None, typer.Option("--rows", metavar="FILE", help="Write each row's scores (.csv, .jsonl).")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the --rows file of a run that was stopped.")
    ] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="COLUMN", help="Copy this column to the --rows file (repeatable)."),
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", metavar="COLUMN", help="Means for each value of this column.")
    ] = None,
    system: Annotated[
        str | None, typer.Option("--system", metavar="COLUMN", help="The column that names the system.")
    ] = None,
    test: Annotated[
        str, typer.Option("--test", metavar="NAME", help="Between systems: bootstrap or randomization.")
    ] = "bootstrap",
    resamples: Annotated[
        int, typer.Option("--resamples", min=100, max=100_000, help="Of intervals and tests.")
    ] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of intervals and tests.")] = 12345,
    processes: Annotated[
        int, typer.Option("--processes", min=1, max=256, help="How many score at the same time.")
    ] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Score texts against references.

    The metric is Log-MNEXT (Dey et al. 2022), or what --metric names.

    Give a pair of texts, tables of pairs, or files with a text a line. Several tables, several
    files of predictions or a system column are compared, the first one being the baseline.

    Examples: gitnotes score --reference "Add the parser" --prediction "Add a parser";
    gitnotes score pairs.csv --metric log-mnext,bleu --by language --rows scores.csv
    """
    from gitnotes.errors import UsageError

    names = tuple(dict.fromkeys(name.strip() for name in metric.split(",") if name.strip()))
    if not names:
        raise UsageError("There is no metric to score by.", "Name one with --metric.")
    one = prediction is not None or bool(reference)
    lines = bool(predictions) or bool(references)
    if one + lines + bool(pairs) != 1:
        raise UsageError(
            "Give one pair, tables of pairs, or files of lines."
            if one + lines + bool(pairs)
            else "There is nothing to score.",
            "See: gitnotes score --help",
        )
    if one:
        if prediction is None or not reference:
            raise UsageError("One pair has two sides.", "Give both --reference and --prediction.")
        _score_one(prediction, reference, names, explain, json)
        return
    if [*(predictions or ()), *(references or ())].count("-") > 1:
        raise UsageError("Standard input is read once.", "Name files for all but one side.")
    if explain:
        raise UsageError("--explain shows one pair.", "Give it with --reference and --prediction.")
    if resume and rows is None:
        raise UsageError("--resume needs the rows of the earlier run.", "Name them with --rows FILE.")
    from gitnotes.grade.significance import TESTS
    from gitnotes.read.pairs import Layout
    from gitnotes.read.tables import FORMATS
    from gitnotes.scoring.run import Plan, score_aligned, score_files
    from gitnotes.show.scores import ScoreProgress

    if format is not None and format not in FORMATS:
        raise UsageError(f"There is no format '{format[:40]}'.", f"Known are {', '.join(FORMATS)}.")
    kind = next((known for known in TESTS if known == test), None)
    if kind is None:
        raise UsageError(f"There is no test '{test[:40]}'.", f"Known are {' and '.join(TESTS)}.")
    plan = Plan(
        names, by, system, tuple(keep or ()), rows, resume, processes, kind, resamples=resamples, seed=seed
    )
    layout = Layout(
        tuple(reference_column or ()), prediction_column, plan.columns(), not no_header, encoding, format
    )
    with ScoreProgress() as progress:
        try:
            if lines:
                if not predictions or not references:
                    raise UsageError("Lines need two files.", "Give both --references and --predictions.")
                found = score_aligned(references, predictions, layout, plan, progress.update)
            else:
                found = score_files(pairs or [], layout, plan, progress.update)
        except KeyboardInterrupt:
            progress.__exit__()
            _say_how_to_go_on(rows)
            raise
    _show(found, json)


def _score_one(
    prediction: str, reference: list[str], names: tuple[str, ...], explain: bool, json: bool
) -> None:
    from gitnotes.show import console

    if names == ("log-mnext",):
        from gitnotes.grade.log_mnext import log_mnext
        from gitnotes.show import formats

        found = log_mnext(prediction, reference)
        if explain and not json:
            from gitnotes.show.scores import write_explanation

            write_explanation(found)
        else:
            console.write(formats.score_json(found) if json else formats.score_text(found))
        return
    from gitnotes.errors import UsageError
    from gitnotes.grade.metric import make_metric
    from gitnotes.show.scores import values_json, values_text

    if explain:
        raise UsageError("--explain shows the words of Log-MNEXT.", "Leave --metric out.")
    metrics = [make_metric(name) for name in names]
    values = {item.name: (item.score(prediction, reference), str(item.signature)) for item in metrics}
    console.write(values_json(values) if json else values_text(values))


def _show(found: Summary, json: bool) -> None:
    from gitnotes.errors import InputError
    from gitnotes.show import console
    from gitnotes.show.scores import summary_json, summary_text

    console.write(summary_json(found) if json else summary_text(found))
    if found.broken:
        # The numbers are out; what is wrong with them is the last word and the exit code.
        raise InputError(f"{found.broken[0]}.", "The numbers are those of the rows before that point.")


def _say_how_to_go_on(rows: Path | None) -> None:
    from gitnotes.guard.text import show
    from gitnotes.show import console

    if rows is not None:
        console.note(f"gitnotes: the rows so far are in {show(str(rows))}; --resume goes on with them.")
