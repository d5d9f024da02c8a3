"""grade: what is a text worth?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gitnotes.cli.grade_targets import Asked
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
)

if TYPE_CHECKING:
    from gitnotes.config import Settings
    from gitnotes.read.git import Git
    from gitnotes.recipes.gate import Gate, Judged, Tally
    from gitnotes.recipes.grading import Graded

_FEW = 20
"""One in so many ratings of a judge may be unscored before the run says so."""
_FORMATS = "text, json, sarif, junit, github, markdown"


def grade(
    context: typer.Context,
    target: Annotated[
        str | None, typer.Argument(metavar="[REV | A..B]", help="A commit or a range; HEAD without any text.")
    ] = None,
    message: Annotated[
        str | None, typer.Option("-m", "--message", metavar="TEXT", help="Grade this text.")
    ] = None,
    message_file: Annotated[
        Path | None,
        typer.Option(
            "--message-file", metavar="FILE", readable=False, help="Grade what git would store of this file."
        ),
    ] = None,
    stdin: Annotated[bool, typer.Option("--stdin", help="Grade the text on standard input.")] = False,
    staged: Annotated[
        bool, typer.Option("--staged", help="Against the staged change; this is what a text is graded with.")
    ] = False,
    diff: Annotated[
        Path | None,
        typer.Option(
            "--diff", metavar="FILE", readable=False, help="Against this patch; needs no repository."
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(
            "--title", metavar="TEXT", help="With A..B: the title of a pull request against all of it."
        ),
    ] = None,
    squash: Annotated[
        str | None,
        typer.Option(
            "--squash",
            metavar="A..B",
            help="The message that GitHub would store for a squash merge of A..B:"
            " of one commit its own; of several --title and the list of their messages. (GitLab: the title.)",
        ),
    ] = None,
    pull: Annotated[
        int | None,
        typer.Option("--pull", min=1, metavar="N", help="With --squash: adds (#N), as GitHub does."),
    ] = None,
    pre_push: Annotated[
        bool, typer.Option("--pre-push", help="The commits about to be pushed; the bar is min_score.")
    ] = False,
    rules: Annotated[
        bool, typer.Option("--rules", help="Grade the messages alone, without reading the changes.")
    ] = False,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            "--reference",
            metavar="TEXT",
            help="Add Log-MNEXT against this text; a judge sees it too (repeatable).",
        ),
    ] = None,
    minimum: Annotated[
        float | None,
        typer.Option("--min", min=0, max=100, metavar="N", help="Exit 1 if anything scores below N."),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="RULE|SEVERITY",
            help="Exit 1 on a finding of this rule, or as bad as this"
            " severity: error, warning, info (repeatable).",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="As --fail-on warning. What is never graded, such as a merge, still passes."
        ),
    ] = False,
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline", metavar="FILE", readable=False, help="Faults that this file lists do not fail."
        ),
    ] = None,
    write_baseline: Annotated[
        Path | None,
        typer.Option(
            "--write-baseline", metavar="FILE", readable=False, help="List what fails now, and exit 0."
        ),
    ] = None,
    style: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help=f"One of: {_FORMATS}.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object: --format json.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what moved the grade, and what the change bears out.")
    ] = False,
    suggest: Annotated[
        bool, typer.Option("--suggest", help="Show a better message beside each poor one, if there is one.")
    ] = False,
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="[likelihood|pair]",
            help="Ask a language model as well; or how much likelier the change makes the message;"
            " or which is better, the message or --reference.",
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The judge: openai:NAME or local:PATH.")
    ] = None,
    profile: ProfileName = "commit",
    roles: Roles = "reviewer",
    turns: Turns = 1,
    form: FormName = "score",
    demonstrations: Shown = 4,
    steps: Steps = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_seconds: MaxSeconds = None,
    save_notes: Annotated[
        bool,
        typer.Option("--save-notes", help="Keep the grades of commits as git notes in refs/notes/gitnotes."),
    ] = False,
) -> None:
    """Grade commit messages against their changes.

    A text (-m, --stdin, --message-file) is graded against the staged change, or against the change
    of REV. The findings say what is wrong and how to mend it.

    Examples: gitnotes grade; gitnotes grade main..HEAD --min 50; gitnotes grade -m "Fix cache" HEAD

    Exit codes: 0 good; 1 a message is below --min, or has a fault that --fail-on or --strict names;
    2 usage; 3 something could not be judged, such as a commit of a shallow clone, or more than one in
    twenty ratings of a judge: the rest is graded.
    """
    from gitnotes.errors import UsageError
    from gitnotes.recipes.gate import Tally, make_gate
    from gitnotes.show import console
    from gitnotes.show.reports import Shape, find_report

    asked = Asked(
        target=target, message=message, message_file=message_file, stdin=stdin, staged=staged, diff=diff,
        title=title, squash=squash, pull=pull, pre_push=pre_push, rules=rules, reference=reference,
        explain=explain,
    )  # fmt: skip
    asked.check()
    judges = JudgeOptions(
        judge, model, profile, roles, turns, form, demonstrations, max_calls, max_tokens, max_seconds, steps,
        reference or (),
    )  # fmt: skip
    judges.check()
    if judge is not None and rules:
        raise UsageError("A judge is shown the change, and --rules reads none.", "Leave one of them out.")
    if judge is not None and (style or "text") not in ("text", "json"):
        raise UsageError("What a judge thinks is shown as text and as JSON.", "Leave --format out.")
    if minimum is not None and minimum != minimum:
        raise UsageError("--min is not a number.", "Give one from 0 to 100.")
    if suggest and (asked.is_whole or diff is not None or rules):
        raise UsageError("--suggest drafts for commits and for what is staged.", "Leave it out here.")
    if save_notes and not (asked.is_many or not (asked.has_text or asked.is_whole)):
        raise UsageError("Only a commit can have a note.", "Name a commit or a range, without a text.")
    show_in = find_report(_choose_format(style, json))
    git, settings = asked.open(context.obj.folder)
    if pre_push and minimum is None:
        minimum = settings.min_score
    gate = make_gate(minimum, fail_on or (), strict=strict, known=_read_known(baseline, write_baseline))
    if write_baseline is not None and gate.is_open:
        raise UsageError("Nothing fails yet.", "Say with --min, --fail-on or --strict what is to fail.")
    graded, total = asked.find_items(git, settings)
    if asked.is_many:
        graded = console.track(graded, "Grading", total)
    tally = Tally()
    shape = Shape(asked.is_many, minimum, explain)
    run = _Run(git, settings, gate, tally, target, suggest, save_notes, write_baseline, many=asked.is_many)
    for piece in show_in(run.judge(run.watch(judges.apply(git, graded, total))), tally, shape):
        if piece:
            console.write(piece)
    code = run.finish()
    if code:
        raise typer.Exit(code)


class _Run:
    """What happens to each message after it was graded, and what is left to do at the end."""

    def __init__(
        self,
        git: Git | None,
        settings: Settings,
        gate: Gate,
        tally: Tally,
        target: str | None,
        suggest: bool,
        save_notes: bool,
        write_baseline: Path | None,
        *,
        many: bool,
    ) -> None:
        self.git, self.settings, self.gate, self.tally = git, settings, gate, tally
        self.target = target
        self.suggest = suggest
        self.many = many
        self.save_notes = save_notes
        self.write_baseline = write_baseline
        self.notes: dict[str, str] = {}
        self.faults: dict[tuple[str, str], str] = {}
        self.troubles: dict[str, int] = {}
        self.ratings = self.unscored = 0

    def judge(self, graded: Iterator[Graded]) -> Iterator[Judged]:
        from gitnotes.recipes.gate import judge_all

        judged = judge_all(graded, self.gate, self.tally)
        if self.suggest and self.git is not None:
            from gitnotes.recipes.bettering import better_all

            judged = better_all(self.git, self.settings, judged, self.settings.min_score,
                                commit=self.target, many=self.many)  # fmt: skip
        if self.save_notes:
            from gitnotes.recipes.noting import collect_notes

            judged = collect_notes(judged, self.notes)
        if self.write_baseline is not None:
            from gitnotes.recipes.baseline import collect_faults

            judged = collect_faults(judged, self.faults)
        for one in judged:
            if one.item.unreadable:
                self.troubles[one.item.unreadable] = self.troubles.get(one.item.unreadable, 0) + 1
            yield one

    def watch(self, graded: Iterator[Graded]) -> Iterator[Graded]:
        """The same messages; counted is what a judge gave no score for."""
        for one in graded:
            if one.judgement is not None:
                scores = one.judgement.scores.values()
                self.ratings += len(scores)
                self.unscored += sum(score is None for score in scores)
            yield one

    def finish(self) -> int:
        """Writes what was asked for beside the report, and says what could not be judged; the exit code."""
        from gitnotes.guard.text import show
        from gitnotes.show import console

        if self.save_notes and self.git is not None:
            from gitnotes.recipes.noting import save_notes

            console.note(save_notes(self.git, self.notes))
        if self.write_baseline is not None:
            from gitnotes.recipes.baseline import write_baseline

            count = write_baseline(self.write_baseline, self.faults)
            console.note(f"{show(str(self.write_baseline))}: {count:,} faults.")
            self.tally.failed = 0
        for reason, count in self.troubles.items():
            commits = "A commit" if count == 1 else f"{count:,} commits"
            console.note(f"gitnotes: {commits} could not be judged: {show(reason)}")
        if self.unscored * _FEW > self.ratings:
            console.note(
                f"gitnotes: {self.unscored:,} of {self.ratings:,} ratings of the judge are unscored."
            )
            return 3
        return self.tally.exit_code


def _choose_format(style: str | None, json: bool) -> str:
    from gitnotes.errors import UsageError
    from gitnotes.guard.text import shorten
    from gitnotes.show.reports import FORMATS

    if style is None:
        return "json" if json else "text"
    if json and style != "json":
        raise UsageError("--json is --format json.", "Give one of both.")
    if style not in FORMATS:
        import difflib

        near = difflib.get_close_matches(style[:60], FORMATS, 1)
        hint = f"Did you mean {near[0]}?" if near else f"Choose one of: {_FORMATS}."
        raise UsageError(f"There is no format '{shorten(style)}'.", hint)
    return style


def _read_known(baseline: Path | None, write_baseline: Path | None) -> frozenset[tuple[str, str]]:
    from gitnotes.errors import UsageError

    if baseline is None:
        return frozenset()
    if write_baseline is not None:
        raise UsageError("--write-baseline lists all that fails now.", "Leave --baseline out.")
    from gitnotes.recipes.baseline import read_baseline

    return read_baseline(baseline)
