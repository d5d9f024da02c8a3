"""How does a person give old commits other messages, so that git changes nothing else of them?

The answer is a folder: a todo for `git rebase -i`, a file for each message, and a README with the
one command that applies them. Every commit gets the tree it had: a pick onto a commit with the tree
of its old parent cannot conflict, and a merge is made again from its tree instead of being merged
a second time. Commits that no new message touches keep their names.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gitnotes.errors import InputError, UsageError
from gitnotes.guard.text import shorten, show
from gitnotes.records import Commit
from gitnotes.write.atomic import explained, replace_file

BACKUP = "refs/gitnotes/before-improve"
"""The branch as it was before the plan was applied, until another plan is."""

# No hook may change a message, and the files are UTF-8 whatever i18n.commitEncoding says.
_EXACT = "git -c core.hooksPath=/dev/null -c i18n.commitEncoding=UTF-8"
_AMEND = f"{_EXACT} commit --amend --quiet --allow-empty --cleanup=verbatim"
# The todo leaves out what it does not touch, and the messages of its picks stay as they are too.
_REBASE = "-c core.hooksPath=/dev/null -c commit.cleanup=verbatim -c rebase.missingCommitsCheck=ignore"


@dataclass(frozen=True, slots=True)
class Plan:
    """What has to be made again, oldest first, and where that starts."""

    commits: tuple[Commit, ...]
    base: str
    """The commit that the rebase starts on."""


def plan_rewording(commits: Sequence[Commit], messages: Mapping[str, str]) -> Plan:
    """The commits that get another name when those of `messages`, by object id, get their new text.

    `commits` are in topological order, newest first. Raises UsageError when nothing is to be done.
    """
    touched: set[str] = set()
    for commit in reversed(commits):
        if commit.sha in messages or not touched.isdisjoint(commit.parents):
            touched.add(commit.sha)
    again = tuple(commit for commit in reversed(commits) if commit.sha in touched)
    if not again:
        raise UsageError("There is no better message to write a plan for.", "Leave --output out.")
    return Plan(again, again[0].parents[0] if len(again[0].parents) == 1 else again[0].sha)


def write_todo(plan: Plan, files: Mapping[str, str], old: str) -> str:
    """The todo that gives each commit of `files`, by object id, the message in the file of that path.

    `old` is the object id of the branch, which is kept under `BACKUP`.
    """
    labels = _labels(plan)
    made = {commit.sha for commit in plan.commits}
    lines = [f"exec git update-ref {BACKUP} {old}"]
    at = plan.base
    for commit in plan.commits:
        again = not made.isdisjoint(commit.parents)
        # A root, or a merge of commits that stay, is amended where it is.
        start, name = commit.sha, commit.sha
        if len(commit.parents) == 1 or again:
            start = commit.parents[0]
            name = labels.get(start, start)
        if start != at:
            lines.append(f"reset {name}")
        if len(commit.parents) == 1:
            lines.append(f"pick {commit.sha} {show(commit.subject)}".rstrip())
        elif again:
            lines += _merge_again(commit, labels)
        if commit.sha in files:
            lines.append(f"exec {_AMEND} -F {shlex.quote(files[commit.sha])}")
        if commit.sha in labels:
            lines.append(f"label {labels[commit.sha]}")
        at = commit.sha
    return "\n".join(lines) + "\n"


def _labels(plan: Plan) -> dict[str, str]:
    """The names for commits that are made again and have another child than the one that follows."""
    made = {commit.sha for commit in plan.commits}
    wanted: dict[str, None] = {}
    at = plan.base
    for commit in plan.commits:
        first, *others = commit.parents or ("",)
        wanted.update(dict.fromkeys([*([first] if first != at else []), *others]))
        at = commit.sha
    return {sha: f"parent-{number}" for number, sha in enumerate(filter(made.__contains__, wanted), 1)}


def _merge_again(commit: Commit, labels: Mapping[str, str]) -> list[str]:
    # Merging again would ask for every conflict again, and lose what was changed beside it.
    parents = " ".join(
        f"-p {'refs/rewritten/' + labels[sha] if sha in labels else sha}" for sha in commit.parents[1:]
    )
    made = f"git commit-tree -p HEAD {parents} -m merge '{commit.sha}^{{tree}}'"
    return [
        f'exec {_EXACT} checkout --quiet --detach "$({made})"',
        f"exec {_AMEND} -C {commit.sha}",
    ]


def write_plan(folder: Path, plan: Plan, messages: Mapping[str, str], *, top: Path, old: str) -> str:
    """Writes todo, messages and README into `folder`, which is made; the command that applies them.

    `top` is the work tree, `old` the object id of its branch. Raises InputError when the folder is
    not empty or cannot be written, UsageError for a name that a todo cannot hold.
    """
    place = os.path.abspath(folder)  # noqa: PTH100 - a link in the path is the person's own
    if not show(place).isprintable() or "\n" in place or "\r" in place or "\0" in place:
        raise UsageError("The name of the folder has a line break or a control character.", "Use another.")
    with explained(shorten(place)):
        os.makedirs(place, exist_ok=True)  # noqa: PTH103
        if os.listdir(place):  # noqa: PTH208
            raise InputError(f"The folder {shorten(place)} is not empty.", "Name a new one.")
    reworded = [commit for commit in plan.commits if commit.sha in messages]
    files = {
        commit.sha: f"{place}/{number:04}-{commit.sha[:12]}.txt" for number, commit in enumerate(reworded, 1)
    }
    for sha, path in files.items():
        replace_file(path, messages[sha].rstrip("\n").encode("utf-8", "surrogateescape") + b"\n")
    replace_file(f"{place}/todo", os.fsencode(write_todo(plan, files, old)))
    editor = f"cp -- {shlex.quote(f'{place}/todo')}"
    command = (
        f"GIT_SEQUENCE_EDITOR={shlex.quote(editor)} git -C {shlex.quote(str(top))} {_REBASE} "
        f"rebase -i --rebase-merges {plan.base}"
    )
    replace_file(f"{place}/README", os.fsencode(_readme(command, len(reworded), plan, top, old)))
    return command


def _readme(command: str, reworded: int, plan: Plan, top: Path, old: str) -> str:
    git = f"git -C {shlex.quote(str(top))}"
    return f"""\
This plan gives {reworded} of the {len(plan.commits)} commits it makes again another message. Trees,
authors and author dates stay as they are. Nothing has been changed yet.

Look at the message files first, and edit them as you like. To leave a message
as it is, delete the line of `todo` that names its file.

Apply it, with the branch checked out at {old}:

{command}

See that nothing but messages changed; this prints nothing:

{git} diff {old} HEAD

Undo it:

{git} reset --keep {old}

(The old branch is also under {BACKUP}; `git rebase --abort` stops half-way.)

No hooks run meanwhile. Signatures of the old commits do not pass to the new
ones. Who has the old commits already has to be told: their branches must move
to the new ones by hand.
"""
