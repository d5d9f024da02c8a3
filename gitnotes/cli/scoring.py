"""score: how close are predictions to their references?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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

if TYPE_CHECKING:
    from gitnotes.grade.metric import Metric
    from gitnotes.read.pairs import Layout
    from gitnotes.scoring.results import Summary
    from gitnotes.scoring.run import Plan


_PLAIN = 10_000
"""Characters of a text that is certainly not too long."""


def score(
    pairs: Annotated[
        list[str] | None,
        typer.Argument(metavar="PAIRS", help=TABLE_HELP),
    ] = None,
    prediction: Annotated[
        list[str] | None, typer.Option("--prediction", metavar="TEXT", help="One text that was written.")
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
    metric: Metrics = None,
    reference_column: Annotated[
        list[str] | None,
        typer.Option("--reference-column", metavar="NAME", help="Where the references are (repeatable)."),
    ] = None,
    prediction_column: Annotated[
        list[str] | None,
        typer.Option("--prediction-column", metavar="NAME", help="Where the predictions are."),
    ] = None,
    no_header: NoHeader = False,
    format: Format = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    rows: Annotated[
        list[Path] | None,
        typer.Option("--rows", metavar="FILE", help="Write each row's scores (.csv, .jsonl)."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the --rows file of a run that was stopped.")
    ] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="COLUMN", help="Copy this column to the --rows file (repeatable)."),
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option("--by", metavar="COLUMN", help="Means for each value of this column.")
    ] = None,
    system: Annotated[
        list[str] | None, typer.Option("--system", metavar="COLUMN", help="The column that names the system.")
    ] = None,
    test: Annotated[
        list[str] | None,
        typer.Option(
            "--test", metavar="NAME", help="Between systems: bootstrap or randomization. [default: bootstrap]"
        ),
    ] = None,
    resamples: Annotated[
        list[int] | None,
        typer.Option(
            "--resamples",
            metavar="N",
            min=100,
            max=100_000,
            help="Of intervals and tests, 100 to 100000. [default: 1000]",
        ),
    ] = None,
    seed: Annotated[
        list[int] | None,
        typer.Option("--seed", metavar="N", min=0, help="Of intervals and tests. [default: 12345]"),
    ] = None,
    processes: Annotated[
        list[int] | None,
        typer.Option(
            "--processes", metavar="N", min=1, max=256, help="How many score at the same time. [default: 1]"
        ),
    ] = None,
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
    from gitnotes.scoring.naming import read_metrics

    names = read_metrics(metric or ["log-mnext"])
    one = bool(prediction) or bool(reference)
    lines = bool(predictions) or bool(references)
    if one + lines + bool(pairs) != 1:
        raise UsageError(
            "Give one pair, tables of pairs, or files of lines."
            if one + lines + bool(pairs)
            else "There is nothing to score.",
            "See: gitnotes score --help",
        )
    for_tables = {
        "--reference-column": reference_column,
        "--prediction-column": prediction_column,
        "--no-header": no_header,
        "--format": format,
        "--delimiter": delimiter,
        "--keep": keep,
        "--by": by,
        "--system": system,
    }
    for_files = {
        "--encoding": encoding,
        "--rows": rows,
        "--resume": resume,
        "--test": test,
        "--resamples": resamples,
        "--seed": seed,
        "--processes": processes,
    }
    if one:
        _refuse(for_tables | for_files, "One pair of texts has", "files of pairs")
        text = once("--prediction", prediction)
        if text is None or not reference:
            raise UsageError("One pair has two sides.", "Give both --reference and --prediction.")
        _check_text("--prediction", text)
        for other in reference:
            _check_text("--reference", other)
        _score_one(text, reference, names, explain, json)
        return
    if lines:
        _refuse(for_tables, "Files of lines have", "tables")
    if [*(predictions or ()), *(references or ()), *(pairs or ())].count("-") > 1:
        raise UsageError("Standard input is read once.", "Name files for all but one side.")
    if explain:
        raise UsageError("--explain shows one pair.", "Give it with --reference and --prediction.")
    if resume and not rows:
        raise UsageError("--resume needs the rows of the earlier run.", "Name them with --rows FILE.")
    if keep and not rows:
        raise UsageError("--keep copies columns to the file of rows.", "Name it with --rows FILE.")
    if len(set(keep or ())) < len(keep or ()):
        raise UsageError("--keep names a column twice.", "Name it once.")
    from gitnotes.grade.significance import RESAMPLES, SEED, TESTS
    from gitnotes.guard.text import show
    from gitnotes.read.pairs import Layout
    from gitnotes.scoring.run import Plan

    wanted = once("--test", test) or TESTS[0]
    kind = next((known for known in TESTS if known == wanted), None)
    if kind is None:
        raise UsageError(f"There is no test '{show(wanted)[:40]}'.", f"Known are {' and '.join(TESTS)}.")
    draws, start = once("--resamples", resamples), once("--seed", seed)
    plan = Plan(
        names,
        once("--by", by),
        once("--system", system),
        tuple(keep or ()),
        once("--rows", rows),
        resume,
        once("--processes", processes) or 1,
        kind,
        RESAMPLES if draws is None else draws,
        SEED if start is None else start,
    )
    layout = Layout(
        tuple(reference_column or ()),
        once("--prediction-column", prediction_column),
        plan.columns(),
        not no_header,
        once("--encoding", encoding),
        read_format(format),
        read_sign(delimiter),
    )
    if lines and not (predictions and references):
        raise UsageError("Lines need two files.", "Give both --references and --predictions.")
    _show(_score_files(pairs or [], references or [], predictions or [], layout, plan), json)


def _check_text(option: str, text: str) -> None:
    """Raises UsageError for bytes that are no text in the encoding of the command line."""
    from gitnotes.errors import UsageError

    try:
        text.encode()
    except UnicodeEncodeError as problem:
        code = ord(text[problem.start])
        raise UsageError(
            f"The text of {option} has a byte that is no character, 0x{code & 0xFF:02x}.", "Give it as UTF-8."
        ) from problem


def _refuse(options: dict[str, Any], what: str, home: str) -> None:
    """Raises UsageError for an option that has no effect here."""
    from gitnotes.errors import UsageError

    for option, value in options.items():
        if value:
            raise UsageError(f"{what} no use for {option}.", f"Leave it out; it is for {home}.")


def _score_files(
    pairs: list[str], references: list[str], predictions: list[str], layout: Layout, plan: Plan
) -> Summary:
    from gitnotes.scoring.run import score_aligned, score_files
    from gitnotes.show.scores import ScoreProgress

    with ScoreProgress() as progress:
        try:
            if pairs:
                return score_files(pairs, layout, plan, progress.update)
            return score_aligned(references, predictions, layout, plan, progress.update)
        except KeyboardInterrupt:
            progress.__exit__()
            _say_how_to_go_on(plan.rows)
            raise


def _score_one(
    prediction: str, reference: list[str], names: tuple[str, ...], explain: bool, json: bool
) -> None:
    from gitnotes.errors import UsageError
    from gitnotes.show import console

    if explain and json:
        raise UsageError("--explain is a table for people.", "Leave --json or --explain out.")
    problem = _why_unscored(prediction, reference)
    if names == ("log-mnext",) and not problem:
        from gitnotes.grade.log_mnext import log_mnext
        from gitnotes.show import formats

        found = log_mnext(prediction, reference)
        if explain:
            from gitnotes.show.scores import write_explanation

            write_explanation(found)
        else:
            console.write(formats.score_json(found) if json else formats.score_text(found))
        return
    from gitnotes.grade.metric import make_metric
    from gitnotes.show.scores import OneValue, values_json, values_text

    if explain and names != ("log-mnext",):
        raise UsageError("--explain shows the words of Log-MNEXT.", "Leave --metric out.")
    metrics = [make_metric(name) for name in names]
    values = [
        OneValue(
            item.name,
            None if problem else item.score(prediction, reference),
            str(item.signature),
            problem or _why_none(item),
        )
        for item in metrics
    ]
    console.write(values_json(values) if json else values_text(values))


def _why_unscored(prediction: str, references: list[str]) -> str:
    """What a table would say about this pair; empty when it can be scored."""
    if all(text.strip() and len(text) < _PLAIN for text in (prediction, *references)):
        return ""  # without what reads tables, which takes longer to import than a score takes
    from gitnotes.read.pairs import check_row

    return check_row(1, references, prediction).detail


def _why_none(metric: Metric) -> str:
    """Why a metric may have no score for a pair."""
    from gitnotes.read.pairs import PROBLEMS

    limit = metric.signature.settings.get("most-words")
    return f"a text has more than {int(limit):,} words" if limit else PROBLEMS["no-score"]


def _show(found: Summary, json: bool) -> None:
    from gitnotes.errors import InputError
    from gitnotes.show import console
    from gitnotes.show.scores import summary_json, summary_text

    console.write(summary_json(found) if json else summary_text(found))
    if found.broken:
        # The numbers are out; what is wrong with them is the last word and the exit code.
        raise InputError(f"{found.broken[0]}.", "The numbers are those of the rows that could be read.")


def _say_how_to_go_on(rows: Path | None) -> None:
    from gitnotes.guard.text import show
    from gitnotes.show import console

    if rows is not None:
        console.note(f"gitnotes: the rows so far are in {show(str(rows))}; --resume goes on with them.")
