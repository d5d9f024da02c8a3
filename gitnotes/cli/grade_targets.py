"""Which messages do the options of `gitnotes grade` mean, and which combinations make no sense?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gitnotes.config import Settings
    from gitnotes.read.git import Git
    from gitnotes.recipes.grading import Graded
    from gitnotes.records import Change


class Asked(NamedTuple):
    """What a person asks to have graded, as typed."""

    target: str | None
    message: str | None
    message_file: Path | None
    stdin: bool
    staged: bool
    diff: Path | None
    title: str | None
    squash: str | None
    pull: int | None
    pre_push: bool
    rules: bool
    reference: list[str] | None
    explain: bool

    @property
    def has_text(self) -> bool:
        return self.message is not None or self.message_file is not None or self.stdin

    @property
    def is_range(self) -> bool:
        return self.target is not None and ".." in self.target

    @property
    def is_whole(self) -> bool:
        """Whether a pull request as a whole is graded, by its title or its squash."""
        return self.title is not None or self.squash is not None

    @property
    def is_many(self) -> bool:
        return (self.is_range and not self.is_whole) or self.pre_push

    def check(self) -> None:
        """Raises UsageError for options that contradict each other."""
        from gitnotes.errors import UsageError

        if sum([self.message is not None, self.message_file is not None, self.stdin]) > 1:
            raise UsageError("-m, --message-file and --stdin exclude each other.", "Give one text.")
        if self.pre_push and (self.target or self.has_text or self.staged or self.diff or self.is_whole):
            raise UsageError("--pre-push finds its commits by itself.", "Leave the rest out.")
        if sum([self.target is not None, self.staged, self.diff is not None, self.squash is not None]) > 1:
            raise UsageError("REV, --staged, --diff and --squash exclude each other.", "Name one change.")
        if self.is_whole and self.has_text:
            raise UsageError("--title and --squash bring their own text.", "Leave -m and the like out.")
        if self.title is not None and not self.squash and not self.is_range:
            raise UsageError(
                "--title is graded against the whole of a pull request.", "Name its commits: A..B."
            )
        if self.pull is not None and self.squash is None:
            raise UsageError("--pull goes with --squash.", "Leave it out.")
        if self.is_range and (self.has_text or (self.reference and not self.is_whole)):
            raise UsageError("A range has its own messages.", "Name one commit to grade a text against.")
        if (self.staged or self.diff) and not self.has_text:
            raise UsageError("There is no text to grade.", "Give one with -m, --message-file or --stdin.")

    def open(self, folder: Path | None) -> tuple[Git | None, Settings]:
        """The repository, or None where there is none and none is needed, and the settings that hold."""
        from gitnotes.config import load_settings
        from gitnotes.customs import repository_settings
        from gitnotes.errors import NotARepository
        from gitnotes.read.git import open_git

        try:
            # One message is graded while somebody waits for the editor: no GitPython on this path.
            git = open_git(folder, light=True)
            return git, repository_settings(git)
        except NotARepository:
            if not self.has_text or (self.diff is None and not self.rules):
                raise
            return None, load_settings()

    def find_items(self, git: Git | None, settings: Settings) -> tuple[Iterator[Graded], int | None]:
        """The graded messages as they come, and how many there will be where that is known."""
        from gitnotes import customs
        from gitnotes.recipes import grading

        if self.has_text:
            text = self._read_text(git)
            change = self._find_change(git)
            author = customs.committing_author() if self.message_file is not None else ""
            graded = grading.grade_text(
                git,
                settings,
                text,
                change=change,
                reference=self.reference,
                author=author,
                explain=self.explain,
            )
            return iter([graded]), 1
        assert git is not None
        if self.is_whole:
            return iter([self._grade_whole(git, settings)]), 1
        if self.is_many:
            return self._grade_many(git, settings)
        graded = grading.grade_commit(
            git,
            settings,
            "HEAD" if self.target is None else self.target,
            reference=self.reference,
            rules_only=self.rules,
            explain=self.explain,
        )
        return iter([graded]), 1

    def _grade_many(self, git: Git, settings: Settings) -> tuple[Iterator[Graded], int | None]:
        from gitnotes.recipes.ranges import grade_span
        from gitnotes.recipes.survey import survey_commits
        from gitnotes.recipes.targets import find_pushed, find_span

        span = find_pushed(git) if self.pre_push else find_span(git, self.target or "")
        if span is None:
            return iter(()), 0
        survey = survey_commits(git, settings, span.revisions, span.end)
        items = grade_span(git, settings, span, survey, rules_only=self.rules, explain=self.explain)
        return items, len(survey.order)

    def _grade_whole(self, git: Git, settings: Settings) -> Graded:
        from gitnotes.recipes.grading import grade_text
        from gitnotes.recipes.targets import find_span, read_squash_message, read_whole_change

        versions = self.squash or self.target or ""
        text = self.title or ""
        if self.squash is not None:
            text = read_squash_message(git, find_span(git, versions), self.title, self.pull)
        change = None if self.rules else read_whole_change(git, versions)
        return grade_text(
            git,
            settings,
            text,
            change=change,
            reference=self.reference,
            merge=False,  # what is squashed has one parent
            explain=self.explain,
        )

    def _read_text(self, git: Git | None) -> str:
        from gitnotes import customs

        if self.message_file is not None:
            return customs.read_stored_message(git, self.message_file)
        if self.message is not None:
            return self.message
        data = customs.read_standard_input(customs.MAX_MESSAGE)
        return customs.clean_message(git, data, editor=False)

    def _find_change(self, git: Git | None) -> Change | None:
        from gitnotes import customs
        from gitnotes.changes import read_staged_change
        from gitnotes.read.diff import parse_patch, read_commit

        if self.diff is not None:
            return parse_patch(customs.read_input(self.diff))
        if self.rules or git is None:
            return None
        if self.target is not None:
            return read_commit(git, self.target)
        change = read_staged_change(git)
        if not change.files and not change.omitted:
            from gitnotes.show import console

            console.note(
                "gitnotes: nothing is staged to hold the text against; `git add` it, or name a commit."
            )
        return change
