"""What can be seen of a change: its files and lines, and the definitions and dependencies in them?"""

from __future__ import annotations

import dataclasses

from gitnotes.read.diff import read_commit, read_staged
from gitnotes.read.git import Git
from gitnotes.records import Change


def read_staged_change(git: Git, *, amend: bool = False, copies: bool = False) -> Change:
    """The staged change. Raises BareRepository where nothing can be staged."""
    git.top()
    return read_staged(git, amend=amend, copies=copies)


def read_change(git: Git, revision: str | None = None, *, copies: bool = False) -> Change:
    """All that can be seen of the staged change, or of what the commit `revision` did."""
    from gitnotes.read.definitions import add_definitions
    from gitnotes.read.manifests import add_dependencies
    from gitnotes.read.submodules import add_submodules

    if revision is None:
        change = read_staged_change(git, copies=copies)
    else:
        change = read_commit(git, revision, copies=copies)
    return add_submodules(git, add_dependencies(git, add_definitions(git, change)))


def add_parts(git: Git, change: Change) -> Change:
    """The change with its definitions and dependencies; where whole files cannot be read, from its lines."""
    from gitnotes.read.definitions import add_definitions, definitions_from_hunks
    from gitnotes.read.manifests import add_dependencies, dependencies_from_hunks

    # A draft is worth more than what parsers of whole files add to it, so none of their faults ends it.
    try:
        change = add_definitions(git, change)
    except Exception:
        change = dataclasses.replace(change, definitions=definitions_from_hunks(change))
    try:
        return add_dependencies(git, change)
    except Exception:
        return dataclasses.replace(change, dependencies=dependencies_from_hunks(change))
