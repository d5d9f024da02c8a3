"""How do grades look as a Markdown table, for a comment or the summary of a job?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitnotes.recipes.gate import Judged, Tally
from gitnotes.show.reports import Shape
from gitnotes.show.reports.escaping import markdown
from gitnotes.show.reports.text import summarise

MOST_ROWS = 500
"""Rows of a table; GitHub takes a summary of up to a megabyte."""
_HEAD = ("| | score | commit | subject | what to mend |", "|---|---:|---|---|---|")


def report(judged: Iterable[Judged], tally: Tally, shape: Shape) -> Iterator[str]:
    """A heading, the table, and a line that sums up."""
    yield "### Commit messages\n"
    yield from _HEAD
    left = 0
    for number, one in enumerate(judged):
        if number < MOST_ROWS or one.faults:
            yield write_row(one)
        else:
            left += 1
    yield from finish(left, tally, shape)


def write_table(rows: Iterable[str], left: int, tally: Tally, shape: Shape) -> str:
    """The whole table from rows that were kept, when the rest is counted as `left`."""
    return "\n".join(["### Commit messages\n", *_HEAD, *rows, *finish(left, tally, shape)]) + "\n"


def finish(left: int, tally: Tally, shape: Shape) -> Iterator[str]:
    yield ""
    if left:
        yield f"{left:,} more rows are left out.\n"
    yield markdown(summarise(tally, shape))


def write_row(one: Judged) -> str:
    """A row of the table: a sign, the score, the commit, its subject, and what to do."""
    item = one.item
    overall = item.grade.overall
    sign = "❌" if one.faults else "❔" if item.unreadable else "➖" if overall is None else "✅"
    score = "" if overall is None else f"{overall:.0f}"
    cells = []
    if item.unreadable:
        cells.append(markdown(f"cannot judge: {item.unreadable}"))
    others = [
        finding
        for finding in item.grade.findings
        if finding.severity != "info" and finding not in one.faults and finding not in one.known
    ]
    for finding in (*one.faults, *others):
        name = markdown(finding.rule)
        label = f"**{name}**" if finding in one.faults else name
        cells.append(f"{label}: {markdown(f'{finding.message} {finding.remedy}'.rstrip())}")
    if one.suggestion:
        text, better = one.suggestion
        subject = text.partition("\n")[0]
        cells.append(f"better ({better:.0f}): <code>{markdown(subject)}</code>")
    elif one.unimproved:
        cells.append(f"better: none; {markdown(one.unimproved)}")
    sha = f"<code>{item.sha[:9]}</code>" if item.sha else ""
    return f"| {sign} | {score} | {sha} | {markdown(item.subject)} | {'<br>'.join(cells)} |"
