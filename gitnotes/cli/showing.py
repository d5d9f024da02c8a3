"""show-tree: what does the tool see of a range?"""

from __future__ import annotations

from typing import Annotated

import typer


def show_tree(
    context: typer.Context,
    versions: Annotated[
        str,
        typer.Argument(
            metavar="RANGE", help="v1.0..v1.1, v1.0.. (up to HEAD), one tag, latest, or unreleased."
        ),
    ],
    files: Annotated[bool, typer.Option("--files", help="Also the files of each commit.")] = False,
    counts: Annotated[
        bool, typer.Option("--counts", help="Also the lines that each file gained and lost (slow).")
    ] = False,
    path: Annotated[
        list[str] | None,
        typer.Option("--path", metavar="PATH", help="Only commits that touch PATH; may be repeated."),
    ] = None,
    patches: Annotated[
        bool, typer.Option("--patches", help="Compare patches to find cherry-picks that do not say so.")
    ] = False,
    mailmap: Annotated[bool, typer.Option("--mailmap", help="Name authors as .mailmap does.")] = False,
    notes: Annotated[
        str | None, typer.Option("--notes", metavar="REF", help="Also the git notes under REF.")
    ] = None,
    graph: Annotated[
        bool, typer.Option("--graph", help="Draw all lines of development, as `git log --graph` does.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the CommitTree record as JSON.")] = False,
) -> None:
    """Print what gitnotes sees of a range of commits.

    Merges with what they brought in, reverts, cherry-picks, the commits that a squashed one lists;
    what was left out is named with the reason.

    Examples: gitnotes show-tree v1.0..v1.1; gitnotes show-tree unreleased --files --json
    """
    from dataclasses import replace

    from gitnotes.errors import UsageError
    from gitnotes.guard.text import show
    from gitnotes.read.git import open_git
    from gitnotes.read.history import list_omitted, read_notes, read_range
    from gitnotes.read.paths import literal_paths
    from gitnotes.read.relations import read_left_side, read_relations
    from gitnotes.read.tree_text import tree_lines
    from gitnotes.read.versions import resolve_range
    from gitnotes.show import console, outline, trees

    if graph and json:
        raise UsageError("--graph and --json exclude each other.", "Choose one.")
    git = open_git(context.obj.folder)
    paths = literal_paths(path or ())
    span = resolve_range(git, versions, paths=paths)
    tree = read_range(
        git,
        span.start_sha,
        span.end_sha,
        files=files,
        counts=counts,
        mailmap=mailmap,
        paths=paths,
        name=span.end,
    )
    tree = replace(tree, start=span.start)
    if graph:
        console.write("\n".join(show(line) for line in tree_lines(tree)))
        return
    left = read_left_side(git, span.start_sha, span.end_sha)
    shown = trees.ShownTree(
        tree,
        read_relations(git, tree, patches=patches, outside=left),
        tuple(list_omitted(git, tree, span.start_sha, span.end_sha, paths, counts=counts, notes=notes)),
        read_notes(git, span.start_sha, span.end_sha, notes) if notes is not None else {},
    )
    if json:
        console.write(trees.tree_json(shown))
    else:
        outline.write_outline(trees.tree_outline(shown))
