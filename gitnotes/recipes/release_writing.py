"""Where does a release note go: changelog, tag, git note, the text for GitHub?

One text goes to all of them. Everything is checked before anything is written, and the tag, which other
people may fetch, comes last.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gitnotes.errors import UsageError
from gitnotes.guard.text import show
from gitnotes.read.git import Git
from gitnotes.recipes.releasing import Release, render
from gitnotes.versioning import read_version

if TYPE_CHECKING:
    from gitnotes.draft.notes.presets import NoteStyle


@dataclass(frozen=True, slots=True)
class Targets:
    """The places that a note is to be written to."""

    changelog: Path | None = None
    tag: str = ""
    git_note: bool = False
    github: Path | None = None
    """A file for the text of the release on GitHub: Markdown without the heading."""

    def __bool__(self) -> bool:
        return bool(self.changelog or self.tag or self.git_note or self.github)


@dataclass(frozen=True, slots=True)
class Written:
    """What became of one place."""

    place: str
    """A path, the name of a tag, or that of the reference that holds git notes."""
    kind: str
    """`changelog`, `tag`, `git-note` or `github-release`."""
    changed: bool
    """False when it had the note already."""
    warning: str = ""


def write_release(git: Git, release: Release, targets: Targets, *, replace: bool = False) -> list[Written]:
    """Writes the note of a release to each of the places; those that have it already do not change.

    What goes into the tag, the git note and the file for GitHub is the section of the changelog where it
    has one, with what people wrote into it, else the draft. Raises UsageError when a place has another
    note for this version and `replace` is false, InputError, GitError.
    """
    if not targets:
        return []
    from gitnotes.write.atomic import check_target
    from gitnotes.write.tags import check_tag

    if targets.tag and read_version(targets.tag) is None:
        raise UsageError(f"'{show(targets.tag)}' is no version.", "Name the tag after one, such as v1.2.0.")
    for path in (targets.changelog, targets.github):
        if path is not None:
            check_target(path)
    if targets.changelog and targets.github and targets.changelog.resolve() == targets.github.resolve():
        raise UsageError("The changelog and the text for GitHub would be one file.", "Name two.")
    if targets.tag:
        check_tag(git, targets.tag)
    section = _planned_section(release, targets.changelog, replace)
    text = section or release.note.text
    _check_git(git, release, targets, text, replace)
    done: list[Written] = []
    if targets.changelog:
        done.append(_write_changelog(release, targets.changelog, replace))
    if targets.github:
        done.append(_write_github(git, release, targets.github, section))
    if targets.git_note:
        from gitnotes.write.notes import RELEASES, save_note

        changed = save_note(git, release.range.end_sha, text, replace=replace)
        done.append(Written(RELEASES, "git-note", changed))
    if targets.tag:
        from gitnotes.write.tags import write_tag

        done.append(Written(targets.tag, "tag", write_tag(git, targets.tag, release.range.end_sha, text)))
    return done


def _check_git(git: Git, release: Release, targets: Targets, text: str, replace: bool) -> None:
    """Raises what the tag or the git note would raise, as long as nothing is written."""
    commit, is_new = release.range.end_sha, False
    if targets.git_note:
        from gitnotes.write.notes import has_note

        is_new = not has_note(git, commit, text, replace=replace)
    if targets.tag:
        from gitnotes.write.tags import is_tagged

        is_new = not is_tagged(git, targets.tag, commit, text) or is_new
    if is_new:
        git.run("var", "GIT_COMMITTER_IDENT")  # git makes neither for somebody whom it does not know


def _planned_section(release: Release, path: Path | None, replace: bool) -> str:
    """The section that the changelog will have for this version; without a file to write to, the one that
    the project's changelog has at the end of the range. Empty if none."""
    from gitnotes.write.changelog import preview_changelog
    from gitnotes.write.release_body import find_section

    version = read_version(release.range.version)
    if path is None:
        return find_section(release.material.changelog, version) if version else ""
    text = preview_changelog(path, release.note.text, release.range.version, replace=replace, move=True)
    return find_section(text, version)


def _write_changelog(release: Release, path: Path, replace: bool) -> Written:
    from gitnotes.write.changelog import write_changelog

    changed = write_changelog(path, release.note.text, release.range.version, replace=replace, move=True)
    return Written(str(path), "changelog", changed)


def _write_github(git: Git, release: Release, path: Path, section: str) -> Written:
    from gitnotes.write.atomic import replace_file
    from gitnotes.write.release_body import fit_body, without_heading

    style = release.material.selection.style
    if style.markup == "markdown":
        body = without_heading(section or release.note.text)
    else:  # GitHub shows Markdown
        selection = dataclasses.replace(release.material.selection, style=in_markdown(style))
        body = render(git, dataclasses.replace(release.material, selection=selection), heading=False).text
    fitted = fit_body(body, _see_more(release))
    data = f"{fitted}\n".encode("utf-8", "replace")
    changed = not path.is_file() or path.read_bytes() != data
    if changed:
        replace_file(path, data)
    warning = "" if fitted == body else f"cut to {len(fitted):,} of {len(body):,} characters, as GitHub asks"
    return Written(str(path), "github-release", changed, warning)


def in_markdown(style: NoteStyle) -> NoteStyle:
    """The same layout in Markdown."""
    pulls = "brackets" if style.pulls == "role" else style.pulls
    bullet = f"{style.bullet.strip()} " if style.bullet.strip() in ("-", "*", "+") else "- "
    return dataclasses.replace(
        style, markup="markdown", underline="", below="", heading="## {version}", pulls=pulls, bullet=bullet
    )


def _see_more(release: Release) -> str:
    material = release.material
    name = material.changelog_name or "the changelog"
    if material.remote and material.range.start:
        url = material.remote.compare_url(material.range.start, material.range.end)
        return f"The rest is in {name}; [all changes]({url})."
    return f"The rest is in {name}."
