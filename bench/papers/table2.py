"""Which part of Log-MNEXT makes it go along with people (Table 2, as switches)?

Table 2 of the Log-MNEXT paper says which factors each metric has and that Log-MNEXT has those
that help. It has no numbers to repeat, so each part is switched here: rho of every variant with
the mean rating, rounded as the paper's scripts do and not rounded, and the difference that the
switch makes.
"""

from __future__ import annotations

from pathlib import Path

from bench.papers.data import complain, read_rated, write_json
from bench.papers.table1 import as_scorer, rho
from gitnotes.grade.correlation import pearson, spearman
from gitnotes.grade.metric import make_metric

SWITCHES = {
    "as published": "",
    "no rule for identical texts": "+no-identity",
    "only identical texts pay no penalty": "+strict-identity",
    "each word matched once": "+stems-once",
    "... and only identical texts": "+stems-once+strict-identity",
    "... and no rule": "+stems-once+no-identity",
    "fewest chunks": "+fewest-chunks",
    "synonyms either way": "+stems-once+symmetric-synonyms",
    "no synonyms": "+no-synonyms",
    "exact words only": "+weights=1/0/0+stems-once",
    "equation 5 as printed": "+stems-once+strict-identity+equation-5",
    "punctuation kept": "+keep-punctuation",
    "case kept": "+keep-case",
    "METEOR 1.5 rank": "+rank+stems-once+strict-identity",
    "METEOR 1.5 adq": "+adq+stems-once+strict-identity",
    "METEOR 1.5 hter": "+hter+stems-once+strict-identity",
    "METEOR": "+meteor+stems-once+no-identity",
    "no penalty": "+no-penalty",
    "no penalty, recall as precision": "+no-penalty+alpha=0.5",
}


def run(folder: Path, output: Path | None = None) -> int:
    """Prints the table; 3 without data."""
    pairs = read_rated(folder)
    if not pairs:
        return complain("Table 2 was not measured: there is no Dataset/human_annotations.csv.")
    people = [pair.mean for pair in pairs]
    print(f"Table 2 as switches: correlation with the mean of 3 ratings, {len(pairs)} pairs")
    print(f"{'':37}{'rho rounded':>12}{'rho':>8}{'change':>8}{'r':>8}  metric")
    rows = []
    first = None
    for name, switches in SWITCHES.items():
        score = as_scorer(make_metric(f"log-mnext{switches}"))
        values = [score(pair.prediction, pair.reference) for pair in pairs]
        rounded, plain, linear = rho(pairs, score), spearman(values, people), pearson(values, people)
        assert plain is not None and linear is not None
        first = plain if first is None else first
        print(
            f"{name:37}{rounded:>12.4f}{plain:>8.4f}{plain - first:>+8.4f}{linear:>8.4f}  log-mnext{switches}"
        )
        rows.append({"name": name, "switches": switches, "rounded": rounded, "rho": plain, "r": linear})
    write_json(output, {"table2": rows})
    return 0
