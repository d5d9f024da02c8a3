"""release: what is new in a range of versions, and where is it to be written?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gitnotes.read.git import Git
    from gitnotes.recipes.releasing import NoteOptions


def release(
    context: typer.Context,
    versions: Annotated[
        str | None,
        typer.Argument(
            metavar="RANGE",
            help="v1.0..v1.1, v1.0.. (up to HEAD), one tag, latest or unreleased, which is the default.",
        ),
    ] = None,
    style: Annotated[
        str | None,
        typer.Option(
            "--style",
            metavar="NAME",
            help="A layout by name, or auto for the one that suits the commits;"
            " without it that of the project's changelog.",
        ),
    ] = None,
    template: Annotated[
        Path | None,
        typer.Option(
            "--template", metavar="FILE", readable=False, help="A Jinja2 template that lays it out."
        ),
    ] = None,
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="WHAT",
            help="What entries are made from: tree (the default), commits alone, or diffs.",
        ),
    ] = "tree",
    breaking: Annotated[
        bool, typer.Option("--breaking", help="Look in the code for public definitions that are gone.")
    ] = False,
    audience: Annotated[
        str, typer.Option("--for", metavar="WHOM", help="users, developers or operators.")
    ] = "",
    language: Annotated[
        str,
        typer.Option(
            "--language", metavar="NAME", help="Of headings and phrases: de, en, es, fr, ja, pt or zh."
        ),
    ] = "",
    highlights: Annotated[
        bool, typer.Option("--highlights", help="Begin with a paragraph of the greatest news.")
    ] = False,
    contributors: Annotated[
        bool, typer.Option("--contributors", help="End with the people; who is new is marked.")
    ] = False,
    package: Annotated[
        str | None, typer.Option("--package", metavar="PATH", help="Only what touches this folder.")
    ] = None,
    version: Annotated[
        str | None, typer.Option("--as", metavar="VERSION", help="Call the end of the range this.")
    ] = None,
    unreleased: Annotated[
        bool, typer.Option("--unreleased", help="The same as the range `unreleased`.")
    ] = False,
    write: Annotated[
        Path | None,
        typer.Option(
            "--write",
            metavar="FILE",
            readable=False,
            help="Insert the note into this changelog; what stands under Unreleased becomes part of it.",
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Write over the note that this version has already.")
    ] = False,
    tag: Annotated[
        str | None,
        typer.Option(
            "--tag",
            metavar="NAME",
            help="Tag the end of the range with the note; signed if tag.gpgSign is set.",
        ),
    ] = None,
    notes: Annotated[
        bool, typer.Option("--notes", help="Keep the note as a git note, under refs/notes/releases.")
    ] = False,
    github: Annotated[
        Path | None,
        typer.Option(
            "--github-release", metavar="FILE", readable=False, help="Write the text for a release on GitHub."
        ),
    ] = None,
    whole: Annotated[
        bool, typer.Option("--all", help="Make the whole changelog anew, every version that has a tag.")
    ] = False,
    bump: Annotated[
        bool, typer.Option("--bump", help="Propose the next version instead; the reasons go to stderr.")
    ] = False,
    check: Annotated[
        Path | None,
        typer.Option(
            "--check",
            metavar="FILE",
            readable=False,
            help="Grade the section in this changelog; exit code 1 when it forgot or invented something.",
        ),
    ] = None,
    grade: Annotated[bool, typer.Option("--grade", help="Grade the draft, on stderr.")] = False,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="NAME", help="Have openai:NAME or local:PATH word the entries, each checked."
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option("--judge", metavar="", help="With --grade: have the --model judge the note instead."),
    ] = None,
    bar: Annotated[
        float,
        typer.Option(
            "--min", metavar="1-5", min=1, max=5, help="With --check: the bar for completeness and accuracy."
        ),
    ] = 5.0,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Tell on stderr where each commit of the range is.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the note as JSON.")] = False,
) -> None:
    """Print or write the release note of a range of versions.

    Its entries come from the commit tree: a merged pull request is one entry, reverts cancel, and
    dependency bumps fold.

    Examples: gitnotes release v1.0..v1.1; gitnotes release --as 1.2.0 --write CHANGELOG.md;
    gitnotes release v1.1 --tag v1.1.0 --github-release body.md
    """
    from gitnotes.errors import UsageError
    from gitnotes.guard.text import show
    from gitnotes.read.git import open_git
    from gitnotes.recipes.release_writing import Targets, write_release
    from gitnotes.recipes.releasing import NoteOptions, draft_release, read_source
    from gitnotes.show import console, formats, releases
    from gitnotes.show.note_grades import grade_text, judgement_text

    if unreleased and versions is not None:
        raise UsageError("--unreleased is a range of its own.", "Leave out the other one.")
    for name, value in (("tag", tag), ("as", version), ("package", package)):
        if value is not None and not value.strip():
            raise UsageError(f"--{name} is empty.", "Give it a value, or leave it out.")
    for name, path in (("write", write), ("github-release", github), ("check", check)):
        if path is not None and str(path) in (".", "-"):
            raise UsageError(f"--{name} needs the name of a file.", "Name one such as CHANGELOG.md.")
    tag, version, package = tag or "", version or "", package or ""
    targets = Targets(write, tag, notes, github)
    if replace and not targets:
        raise UsageError("--replace is for --write and --notes.", "Name the changelog with --write FILE.")
    if sum((whole, bump, check is not None)) > 1:
        raise UsageError("--all, --bump and --check are questions of their own.", "Ask one at a time.")
    if (bump or check is not None) and targets:
        raise UsageError("--bump and --check write nothing.", "Leave out where to write to.")
    if whole and (versions is not None or unreleased or tag or notes or github):
        raise UsageError(
            "--all is about every version.", "Only --write and what the notes are like go with it."
        )
    if judge is not None and (model is None or not grade):
        raise UsageError("A judge needs a model, and a note to grade.", "Give --grade --judge --model NAME.")
    if judge is not None and (judge != "model" or check is not None or whole or bump):
        raise UsageError("A model judges the draft of one note.", "Give --grade --judge --model NAME alone.")
    git = open_git(context.obj.folder, light=True)
    options = NoteOptions(
        style=style,
        source=read_source(source),
        template=template,
        audience=audience,
        breaking=breaking,
        language=language,
        contributors=contributors,
        highlights=highlights,
        package=package.strip("/"),
        version=version or tag,
    )
    if bump:
        from gitnotes.recipes.release_bump import propose_bump

        proposal = propose_bump(git, versions or "unreleased", options)
        console.write(releases.bump_json(proposal) if json else show(proposal.tag))
        console.note("" if json else releases.reasons_text(proposal))
        return
    if check is not None:
        _check(git, versions or "unreleased", check, options, bar, json)
        return
    if whole:
        _write_all(git, options, write, replace, json)
        return
    with console.counting("Reading changes:") as progress:
        made = draft_release(git, versions or "unreleased", options, path=write, progress=progress)
    if model is not None and judge is None:
        from gitnotes.recipes.release_wording import word_release

        with console.counting("Entries worded:") as progress:
            made, told = word_release(git, made, model, progress=progress)
        console.note(formats.omitted_text(told, limit=None))
    written = write_release(git, made, targets, replace=replace)
    graded = judgement = None
    if grade:
        from gitnotes.recipes.release_grading import grade_release

        graded = grade_release(made)
        if model is not None and judge is not None:
            from gitnotes.recipes.release_wording import judge_release

            judgement = judge_release(
                git, made, graded.text, model, tell=lambda calls: console.note(f"Judge: {calls:,} calls.")
            )
    if json:
        console.write(releases.release_json(made, written, graded, judgement))
    elif not written:
        console.write(made.note.text)
    for one in written:
        console.note(releases.written_text(one, made.range.version))
    console.note(releases.remarks(made))
    if graded is not None:
        console.note(grade_text(graded))
        if judgement is not None:
            console.note(judgement_text(judgement))
    if coverage:
        console.note(releases.coverage_text(made))


def _check(git: Git, versions: str, path: Path, options: NoteOptions, bar: float, json: bool) -> None:
    from gitnotes.recipes.release_grading import check_note
    from gitnotes.show import console, note_grades

    checked = check_note(git, versions, path, options)
    console.write(note_grades.grade_json(checked, bar) if json else note_grades.grade_text(checked))
    if not checked.passes(bar):
        raise typer.Exit(1)


def _write_all(git: Git, options: NoteOptions, path: Path | None, replace: bool, json: bool) -> None:
    from gitnotes.customs import read_input
    from gitnotes.recipes.release_all import draft_changelog, write_whole
    from gitnotes.show import console, releases

    existing, name = None, ""
    if path is not None and path.is_file():
        existing, name = read_input(path).decode("utf-8", "replace"), path.name
    with console.counting("Reading commits:") as progress:
        changelog = draft_changelog(git, options, existing=existing, name=name, progress=progress)
    changed = write_whole(path, changelog, replace=replace) if path is not None else False
    if json:
        console.write(releases.changelog_json(changelog, path, changed))
    elif path is None:
        console.write(changelog.text.rstrip("\n"))
    console.note(releases.unfollowed_text(changelog))
    if path is not None:
        console.note(releases.whole_text(changelog, path, changed))
