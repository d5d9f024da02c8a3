"""Which records pass between the rooms?

All records are frozen. Paths are `str` as `os.fsdecode` gives them, so bytes that
are not UTF-8 survive as surrogate escapes. Text is `str` with `\\n` line ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from gitnotes.findings import Conventions as Conventions
from gitnotes.findings import Finding as Finding
from gitnotes.findings import Level as Level
from gitnotes.findings import Severity as Severity

Status = Literal["A", "M", "D", "R", "C", "T"]


@dataclass(frozen=True, slots=True)
class Signature:
    """Every setting that changes a result, so that a published number can be repeated."""

    name: str
    version: str
    settings: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [self.name, *(f"{key}:{value}" for key, value in self.settings.items())]
        return "|".join([*parts, f"version:{self.version}"])


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a change; `added` and `removed` are line counts, None when not counted."""

    path: str
    status: Status
    old_path: str | None = None
    added: int | None = None
    removed: int | None = None
    old_mode: str = ""
    new_mode: str = ""
    similarity: int | None = None
    """Percent, for renames and copies."""
    submodule: tuple[str, str] | None = None
    """Old and new commit, when the path is a submodule."""
    old_id: str = ""
    new_id: str = ""
    """Object ids of the content before and after; empty when there is none or it is not known."""
    size: int | None = None
    """Bytes after the change (before, for a removal), where it was asked for: binary, big, LFS."""
    lfs: bool = False
    """Whether the content is a pointer of git-lfs; `size` is then that of the real file."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """One block of changed lines; each of `lines` starts with ' ', '+' or '-'."""

    path: str
    old_start: int
    old_count: int
    new_start: int
    new_count: int
    heading: str
    """The enclosing definition, as git printed it after `@@`; may be empty."""
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DefinitionChange:
    """What happened to one definition; `lines` counts the changed lines that belong to it."""

    action: Literal["added", "removed", "changed", "renamed", "moved"]
    kind: str
    """function, method, class, type, constant, test, option or key."""
    name: str
    path: str
    lines: int = 0
    owner: str = ""
    """The class, type or section around it."""
    old_name: str = ""
    old_path: str = ""
    added_parameters: tuple[str, ...] = ()
    removed_parameters: tuple[str, ...] = ()
    base: str = ""
    """What a new class derives from."""


@dataclass(frozen=True, slots=True)
class DependencyChange:
    """One dependency, or the project itself, before and after; an empty version is absent or not stated."""

    name: str
    old: str
    new: str
    path: str
    added: bool = False
    removed: bool = False
    project: bool = False
    tool: str = ""
    """`action`, `hook`, `image`, `language` where the name alone would not say it."""
    direct: bool | None = None
    """Whether the project asks for it itself; None where the file does not tell."""


@dataclass(frozen=True, slots=True)
class SubmoduleMove:
    """What a submodule gained when its commit changed, or lost when it went back."""

    path: str
    old: str
    new: str
    subjects: tuple[str, ...] = ()
    """Of the commits in between, newest first; those that were lost when `backward`."""
    backward: bool = False
    reason: str = ""
    """Why the subjects are not all there; empty when they are."""


@dataclass(frozen=True, slots=True)
class Omission:
    """Something that was not read, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Change:
    """What is about to be committed, or what one commit did."""

    base: str
    """Object id of the tree or commit that the change starts from; empty for a bare diff."""
    target: str
    """'index', 'worktree', 'diff', or the object id of a commit."""
    files: tuple[FileChange, ...] = ()
    hunks: tuple[Hunk, ...] = ()
    omitted: tuple[Omission, ...] = ()
    definitions: tuple[DefinitionChange, ...] = ()
    """The one with most changed lines first."""
    dependencies: tuple[DependencyChange, ...] = ()
    submodules: tuple[SubmoduleMove, ...] = ()

    def hunks_of(self, path: str) -> Iterator[Hunk]:
        return (hunk for hunk in self.hunks if hunk.path == path)

    def lines(self, sign: str) -> Iterator[str]:
        """The added ('+') or removed ('-') lines, without their sign."""
        return (line[1:] for hunk in self.hunks for line in hunk.lines if line[:1] == sign)


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, or one message that is about to become one (then `sha` is empty)."""

    sha: str
    parents: tuple[str, ...]
    author: str
    email: str
    time: int
    """Author date, seconds since the epoch."""
    subject: str
    body: str
    trailers: tuple[tuple[str, str], ...] = ()
    files: tuple[FileChange, ...] | None = None
    """None when nobody asked for them."""

    @property
    def message(self) -> str:
        return f"{self.subject}\n\n{self.body}" if self.body else self.subject

    @property
    def is_merge(self) -> bool:
        return len(self.parents) > 1


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An earlier commit whose change resembles another one."""

    subject: str
    author: str
    """`Name <email>`."""
    paths: tuple[str, ...]
    words: float = 0.0
    """How alike the words of both changes are, 0 to 1."""
    files: float = 0.0
    """The share of the paths that both changes have (Jaccard's index)."""
    age: int = 0
    """Commits between it and the change."""
    sha: str = ""


@dataclass(frozen=True, slots=True)
class CommitTree:
    """The commits of a range, newest first in topological order."""

    start: str | None
    """Name of the excluded end of the range; None for the whole history."""
    end: str
    commits: tuple[Commit, ...]

    def first_parent_line(self) -> list[Commit]:
        """The commits of the main line, newest first."""
        by_sha = {commit.sha: commit for commit in self.commits}
        line: list[Commit] = []
        commit = self.commits[0] if self.commits else None
        while commit is not None:
            line.append(commit)
            commit = by_sha.get(commit.parents[0]) if commit.parents else None
        return line

    def brought_in(self) -> dict[str, tuple[Commit, ...]]:
        """For each merge of the main line, the commits that it brought in, newest first.

        A commit belongs to the oldest merge that reaches it, so each is listed once.
        """
        by_sha = {commit.sha: commit for commit in self.commits}
        place = {commit.sha: at for at, commit in enumerate(self.commits)}
        line = self.first_parent_line()
        seen = {commit.sha for commit in line}
        result: dict[str, tuple[Commit, ...]] = {}
        for merge in reversed(line):
            if not merge.is_merge:
                continue
            mine: set[str] = set()
            todo = list(merge.parents[1:])
            while todo:
                sha = todo.pop()
                if sha in by_sha and sha not in seen:
                    seen.add(sha)
                    mine.add(sha)
                    todo.extend(by_sha[sha].parents)
            result[merge.sha] = tuple(by_sha[sha] for sha in sorted(mine, key=place.__getitem__))
        return result


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that gitnotes proposes."""

    text: str
    kind: Literal["message", "note"]
    signature: Signature
    candidates: tuple[str, ...] = ()
    """The texts that were considered, best first; the first one is `text`."""
    omitted: tuple[Omission, ...] = ()
    """What the drafter did not use, and why."""
    contributors: tuple[str, ...] = ()
    """For a note: authors and co-authors by name, each once, bots left out."""
    drafters: tuple[str, ...] = ()
    """For a message: who wrote each of the candidates, in their order: a drafter, a model, or `squash` for
    what the commits said that are squashed."""


@dataclass(frozen=True, slots=True)
class Match:
    """A pair of aligned words: 0-based positions, and which stage found the pair."""

    prediction: int
    reference: int
    stage: Literal["exact", "stem", "synonym"]


@dataclass(frozen=True, slots=True)
class Score:
    """The value of a metric with the parts that explain it."""

    value: float
    signature: Signature
    precision: float = 0.0
    recall: float = 0.0
    f_mean: float = 0.0
    penalty: float = 0.0
    chunks: int = 0
    prediction: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()
    matches: tuple[Match, ...] = ()


@dataclass(frozen=True, slots=True)
class Grade:
    """What a message is worth; what could not be graded is None and has its reason in `unscored`."""

    overall: float | None
    """0 to 100; None when unscored."""
    scores: dict[str, float | None]
    """what, why, consistency, form, conciseness: 0 to 4. log-mnext: 0 to 1."""
    findings: tuple[Finding, ...]
    signature: Signature
    parts: dict[str, float] = field(default_factory=dict)
    """The signals that moved the scores."""
    unscored: dict[str, str] = field(default_factory=dict)
    """Name of a score, or 'overall', to the reason why there is none."""
    confidence: float | None = None
    """Estimated probability, .5 to 1, that people put the message on the same side of good."""
    contributions: dict[str, float] = field(default_factory=dict)
    """Points of `overall` that each signal added or took against a typical message, as
    `dimension.signal`, or `dimension` where it has no signals of its own."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a language model thinks of a text."""

    scores: dict[str, float | None]
    overall: float | None
    """On the scale of the profile; the mean of the dimensions that count, None when one is unscored."""
    signature: Signature
    spread: dict[str, float] = field(default_factory=dict)
    """Standard deviation over turns and roles."""
    sources: dict[str, str] = field(default_factory=dict)
    """`logprobs`, `sample` or `mixed`, for each dimension."""
    unscored: dict[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    """What makes the scores doubtful."""
    explanations: tuple[str, ...] = ()
    calls: int = 0
    cached: int = 0
    tokens: int | None = None
    calibrated: float | None = None
    """The overall on the scale of ratings that the user has given; None where there are none."""
    replies: tuple[str, ...] = ()
    """What the judge said where it could not be read, after the name of what was asked."""
