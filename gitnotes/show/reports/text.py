"""How does a person read grades: which message, what is wrong, how to mend it?"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from gitnotes.recipes.gate import Judged, Tally
from gitnotes.records import Finding, Grade
from gitnotes.show import console
from gitnotes.show.reports import DIMENSIONS, Shape
from gitnotes.show.reports.escaping import plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text as RichText

    from gitnotes.records import Judgement

UNSCORED = "unscored"
_SIGNALS = 8
"""Signals that are explained one by one."""
_WIDTH = 80
_MARKS = {"error": "!", "warning": "!", "info": "-"}
_COLOURS = {"x": "bold red", "!": "yellow", "-": "dim", " ": "cyan"}


class Line(NamedTuple):
    """A labelled line below the head of a message."""

    mark: str
    """`x` fails the message, `!` is wrong, `-` is advice, a blank tells more."""
    label: str
    text: str
    remedy: str = ""


def report(judged: Iterable[Judged], tally: Tally, shape: Shape) -> Iterator[str]:
    """A head of score, commit and subject for each message, and labelled lines below it.

    Long lines are wrapped under their label, on a terminal to its width and coloured where that is
    wanted, elsewhere to 80 columns.
    """
    wide = sys.stdout.isatty() or console.wants_colour(sys.stdout)
    reasons: set[str] = set()
    for one in judged:
        # Why a merge has no score is news once.
        lines = [
            line for line in list_lines(one, shape) if line.label != UNSCORED or line.text not in reasons
        ]
        reasons.update(line.text for line in lines if shape.many and line.label == UNSCORED)
        yield _paint(one, lines) if wide else _write(one, lines)
    if shape.many:
        yield ("\n" if tally.failed and wide else "") + summarise(tally, shape)
        if tally.failed:
            yield "`gitnotes improve` drafts better messages and a plan to reword them."


def summarise(tally: Tally, shape: Shape) -> str:
    """The last line of a range."""
    found = tally.summary()
    if not tally.commits:
        return "There is nothing to grade."
    parts = [f"{tally.commits:,} commit{'s' if tally.commits != 1 else ''}"]
    if tally.values:
        parts.append(f"median {found['median']:.0f}, lowest {found['lowest']:.0f} of 100")
    if unscored := tally.commits - len(tally.values) - tally.unreadable:
        parts.append(f"{unscored:,} unscored")
    if tally.unreadable:
        parts.append(f"{tally.unreadable:,} could not be judged")
    if shape.minimum is not None:
        parts.append(f"{tally.below:,} below {shape.minimum:g}")
    if tally.failed:
        parts.append(f"{tally.failed:,} failed")
    if tally.known:
        parts.append(f"{tally.known:,} known fault{'s' if tally.known != 1 else ''} in the baseline")
    return "; ".join(parts) + "."


def list_lines(one: Judged, shape: Shape) -> Iterator[Line]:
    """What is to be said of a message, the worst first; of many, what is only advice is left out."""
    item = one.item
    if item.unreadable:
        yield Line("x", "cannot judge", plain(item.unreadable))
    elif shape.many and item.grade.overall is None:
        yield Line(" ", UNSCORED, plain(item.grade.unscored.get("overall", "")))
    elif not shape.many:
        yield from _list_scores(item.grade)
    for finding in one.faults:
        yield _read(finding, "x")
    for finding in item.grade.findings:
        if finding in one.faults or finding in one.known or (shape.many and finding.severity == "info"):
            continue
        yield _read(finding, _MARKS[finding.severity])
    if one.known:
        names = ", ".join(dict.fromkeys(finding.rule for finding in one.known))
        yield Line("-", "in the baseline", names)
    if shape.explain:
        yield from _explain(one)
    if one.item.judgement:
        yield from _list_judgement(one.item.judgement, brief=shape.many)
    if one.suggestion:
        better, score = one.suggestion
        subject, *body = better.split("\n")
        yield Line(" ", f"better ({score:.0f})", plain(subject))
        for text in body:
            if text:
                yield Line(" ", "", plain(text))
    elif one.unimproved:
        yield Line("-", "better", f"none; {plain(one.unimproved)}.")


def _list_scores(grade: Grade) -> Iterator[Line]:
    scores = [f"{key} {_value(grade.scores[key])}" for key in DIMENSIONS if key in grade.scores]
    if any(grade.scores.get(key) is not None for key in DIMENSIONS):
        yield Line(" ", "scores", ", ".join(scores))
    for key, value in grade.scores.items():
        if key not in DIMENSIONS and value is not None:
            yield Line(" ", key, f"{value:.4f}")
    for reason in dict.fromkeys(grade.unscored.values()):
        names = [key for key, value in grade.unscored.items() if value == reason]
        yield Line(" ", UNSCORED, f"{', '.join(names)}: {plain(reason)}")


def _list_judgement(judgement: Judgement, *, brief: bool) -> Iterator[Line]:
    """What a language model thinks, beside our own grade."""
    scores = [f"{name} {_value(score)}" for name, score in judgement.scores.items()]
    overall = UNSCORED if judgement.overall is None else f"{judgement.overall:.2f}"
    yield Line(" ", f"judge {overall}", ", ".join(scores))
    for reason in dict.fromkeys(judgement.unscored.values()):
        yield Line(" ", UNSCORED, plain(reason))
    for flag in judgement.flags:
        yield Line("!", "judge", plain(flag))
    if not brief:
        for explanation in judgement.explanations[:_SIGNALS]:
            yield Line(" ", "", plain(explanation))
        yield Line(" ", "", plain(str(judgement.signature)))


def _explain(one: Judged) -> Iterator[Line]:
    """The signals that moved the grade, in points of 100, then what was found in the change."""
    points = one.item.grade.contributions
    ranked = sorted(points.items(), key=lambda pair: -abs(pair[1]))
    if ranked:
        yield Line(" ", "points", "of 100 that a signal gives or takes, against a typical message")
    for name, value in ranked[:_SIGNALS]:
        yield Line(" ", "", f"{value:+6.1f} {plain(name)}")
    if left := ranked[_SIGNALS:]:
        yield Line(" ", "", f"{sum(value for _, value in left):+6.1f} {len(left)} smaller ones together")
    for label, text in one.item.evidence:
        yield Line(" ", label, plain(text))


def _read(finding: Finding, mark: str) -> Line:
    place = f"line {finding.line}: " if finding.line and finding.line > 1 else ""
    return Line(mark, finding.rule, place + plain(finding.message), plain(finding.remedy))


def _head(one: Judged) -> tuple[str, str]:
    overall = one.item.grade.overall
    name = f"{one.item.sha[:9]} " if one.item.sha else ""
    return ("  -" if overall is None else f"{overall:3.0f}"), f"{name}{plain(one.item.subject)}"


def _write(one: Judged, lines: Iterable[Line]) -> str:
    score, title = _head(one)
    rows = _wrap(title, f"{score}  ")
    for line in lines:
        label = f"{line.label}: " if line.label else "  "
        rows += _wrap(f"{label}{f'{line.text} {line.remedy}'.rstrip()}", f"   {line.mark} ")
    return "\n".join(rows)


def _wrap(text: str, head: str) -> list[str]:
    """`text` after `head`, which is five columns wide, in lines of at most 80 columns between words."""
    import textwrap

    if len(head) + len(text) <= _WIDTH:
        return [head + text]
    return textwrap.wrap(
        text, _WIDTH, initial_indent=head, subsequent_indent=" " * len(head), break_long_words=False,
        break_on_hyphens=False, drop_whitespace=True,
    ) or [head]  # fmt: skip


def _paint(one: Judged, lines: Iterable[Line]) -> str:
    from rich.text import Text

    score, title = _head(one)
    overall = one.item.grade.overall
    bad = bool(one.faults or one.item.unreadable)
    if bad:
        colour = "bold red"
    elif overall is None:
        colour = "dim"
    else:
        colour = "red" if overall < 40 else "yellow" if overall < 65 else "green"
    screen = console.make_console(sys.stdout)
    with screen.capture() as shown:
        _print_wrapped(screen, Text.assemble((score, colour), "  ", (title, "bold" if bad else "")), 0, 5)
        for line in lines:
            paint = _COLOURS[line.mark]
            label = f"{line.label}: " if line.label else ""
            said = Text.assemble((line.mark, paint), " ", (label, paint), line.text)
            _print_wrapped(screen, said, 3, 5)
            if line.remedy:
                _print_wrapped(screen, Text.assemble(("-> ", "green"), line.remedy), 5, 8)
    return shown.get().rstrip("\n")


def _print_wrapped(screen: Console, text: RichText, first: int, rest: int) -> None:
    """Prints one paragraph, its first line and the others indented by that many blanks."""
    for number, line in enumerate(text.wrap(screen, max(20, screen.width - rest))):
        screen.print(" " * (rest if number else first), line, sep="", soft_wrap=True)


def _value(value: float | None) -> str:
    return "unscored" if value is None else f"{value:.1f}"
