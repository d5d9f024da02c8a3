"""What does the release note of a range say?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import get_args

from gitnotes import __version__
from gitnotes.draft.notes.categories import Category
from gitnotes.draft.notes.entries import Entry, read_entries
from gitnotes.draft.notes.markup import Links, markdown, restructured
from gitnotes.draft.notes.note_style import PRESETS, NoteStyle, learn_note_style
from gitnotes.draft.notes.titles import one_line
from gitnotes.draft.notes.wording import names_of_code, with_capital, with_stop
from gitnotes.errors import UsageError
from gitnotes.guard.width import columns
from gitnotes.records import CommitTree, Draft, Omission, Signature
from gitnotes.versioning import is_unreleased, read_version

__all__ = ["NoteStyle", "draft_note", "learn_note_style"]

_LABELS: dict[Category, str] = {
    "Breaking": "CHANGE",
    "Features": "FEATURE",
    "Fixes": "BUGFIX",
    "Performance": "PERF",
    "Security": "SECURITY",
    "Deprecations": "DEPRECATION",
    "Changes": "ENHANCEMENT",
    "Reverted": "REVERT",
    "Documentation": "DOCS",
    "Dependencies": "DEPS",
    "Internal": "INTERNAL",
}
_NOTHING = "No changes beyond the preparation of the release."


def draft_note(
    tree: CommitTree,
    *,
    version: str,
    date: str,
    remote: Links | None = None,
    style: str | NoteStyle = "keepachangelog",
    contributors: bool = False,
    internal: bool = True,
    shipped: Mapping[str, str] | None = None,
) -> Draft:
    """The release note of `tree`: a section with its heading, without a line end at the end.

    `version` and `date` (ISO) go into the heading; `remote` makes links, and without it there are
    none. `internal` false leaves out what is for developers alone. `shipped` names for commits an
    earlier release that had their change already, and their entries say so. `contributors` credits
    authors and co-authors in the text; the draft names them in any case. Each commit is in one entry
    or in `omitted`, as its object id with the reason.

    Raises UsageError for an unknown style.
    """
    if isinstance(style, str):
        if style not in PRESETS:
            raise UsageError(
                f"There is no note style '{one_line(style)}'.", f"Take one of: {', '.join(PRESETS)}."
            )
        settings = {"style": style}
        style = PRESETS[style]
    else:
        settings = {"style": "learned" if style not in PRESETS.values() else "preset"}
    entries, omitted = read_entries(tree, shipped)
    if not internal:
        omitted = (
            *omitted,
            *(
                Omission(sha, "internal change")
                for entry in entries
                if entry.category == "Internal"
                for sha in entry.commits
            ),
        )
        entries = tuple(entry for entry in entries if entry.category != "Internal")
    compare = _compare(tree, remote)
    writer = _Writer(style, remote, names_of_code(tree.commits) if style.capitals else frozenset())
    blocks = [writer.heading(one_line(version), date, compare)]
    if style.date_line and not is_unreleased(version):
        blocks.append(style.date_line.replace("{date}", style.show_date(date)))
    if tree.start is None and tree.commits:
        blocks.append(writer.sentence("First release."))
    blocks.extend(writer.entries(entries) or [writer.sentence(_NOTHING)])
    people = _people(entries)
    if contributors and people:
        names = [f"{style.bullet}{writer.escape(name)}" for name in people]
        blocks.extend([*writer.subheading("Contributors"), "\n".join(names)])
    if style.compare_line and compare and remote and style.markup == "markdown":
        shown = markdown(f"{tree.start}...{tree.end}", None)
        blocks.append(f"Full changelog: [{shown}]({compare})")
    text = "\n\n".join(blocks)
    settings |= {"entries": str(len(entries)), "links": "remote" if remote else "none"}
    return Draft(
        text=text,
        kind="note",
        signature=Signature("note", __version__, settings),
        candidates=(text,),
        omitted=omitted,
        contributors=tuple(people),
    )


class _Writer:
    """Writes entries in one style; a block is what stands between blank lines."""

    def __init__(self, style: NoteStyle, remote: Links | None, names: frozenset[str]) -> None:
        self._names = names
        self._style = style
        self._remote = remote
        self._is_rst = style.markup == "rst"

    def escape(self, text: str) -> str:
        if self._style.markup == "plain":
            return text
        return restructured(text, self._remote) if self._is_rst else markdown(text, self._remote)

    def sentence(self, text: str) -> str:
        """A line of prose; under a plain heading all that belongs to it is indented."""
        return f"  {text}" if self._style.markup == "plain" else text

    def heading(self, version: str, date: str, compare: str) -> str:
        template = self._style.heading
        if not compare:
            template = (
                template.replace("]({compare})", "]").replace("[{version}]", "{version}")
                if ("{compare}" in template)
                else template
            )
        if is_unreleased(version):
            before, _, _ = template.partition("{version}")
            closing = "]" if before.endswith("[") else ""
            template = f"{before.removesuffix('v')}{{version}}{closing}"
        # One pass, so that a version that holds a place's name is not filled in again.
        parts = {"{version}": version, "{date}": self._style.show_date(date), "{compare}": compare}
        shown = "".join(parts.get(part, part) for part in _split_places(template))
        if self._style.underline:
            return f"{shown}\n{self._style.underline * max(columns(shown), 3)}"
        return shown

    def subheading(self, name: str) -> list[str]:
        style = self._style
        if style.layout != "sections":
            return []
        if self._is_rst:
            return [f"{name}\n{('~' if style.underline != '~' else '^') * columns(name)}"]
        level = len(style.heading) - len(style.heading.lstrip("#"))
        return [f"{'#' * (level + 1 if level else 3)} {name}"]

    def entries(self, entries: Iterable[Entry]) -> list[str]:
        """The blocks of all entries, category by category."""
        blocks: list[str] = []
        flat: list[str] = []
        known = list(entries)
        for category in get_args(Category):
            lines = [line for entry in known if entry.category == category for line in self._entry(entry)]
            if not lines:
                continue
            if self._style.layout == "sections":
                blocks.extend([*self.subheading(self._style.name_of(category)), "\n".join(lines)])
            else:
                flat.extend(lines)
        return [*blocks, "\n".join(flat)] if flat else blocks

    def _entry(self, entry: Entry) -> list[str]:
        style = self._style
        start = style.bullet
        if style.layout == "labels":
            start += f"[{_LABELS[entry.category]}] "
        if entry.bumps:
            return [
                f"{start}{self.escape(_shown_bump(bump.name, bump.old, bump.new))}{self._pulls(bump.pulls)}"
                for bump in entry.bumps
            ]
        scope = ""
        if entry.scope:
            scope = f"{self.escape(entry.scope)}:"
            scope = f"**{scope}** " if self._style.markup == "markdown" else f"{scope} "
        known = f" (already in {self.escape(one_line(entry.shipped))})" if entry.shipped else ""
        lines = [f"{start}{scope}{self.escape(self._worded(entry.text))}{self._pulls(entry.pulls)}{known}"]
        below = [*map(self._begun, entry.breaking), *(self._worded(part.text) for part in entry.parts)]
        if below and self._is_rst:  # a nested list stands between blank lines
            lines.append("")
        indent = " " * len(style.bullet)
        lines.extend(f"{indent}{style.bullet}{self.escape(text)}" for text in below)
        if below and self._is_rst:
            lines.append("")
        return lines

    def _worded(self, text: str) -> str:
        return with_stop(self._begun(text), self._style.full_stops)

    def _begun(self, text: str) -> str:
        return with_capital(text, self._names) if self._style.capitals else text

    def _pulls(self, pulls: tuple[str, ...]) -> str:
        if not pulls:
            return ""
        if self._style.pulls == "role":
            return "".join(f" :pr:`{pull[1:]}`" for pull in pulls)
        shown = []
        for pull in pulls:
            label = f"{self._remote.pull_mark}{pull[1:]}" if self._remote else pull
            if self._remote is None or self._style.markup == "plain":
                shown.append(label)
            elif self._is_rst:
                shown.append(f"`{label} <{self._remote.pull_url(int(pull[1:]))}>`__")
            else:
                shown.append(f"[{label}]({self._remote.pull_url(int(pull[1:]))})")
        joined = ", ".join(shown)
        return f" {joined}" if self._style.pulls == "bare" else f" ({joined})"


def _split_places(template: str) -> list[str]:
    return template.replace("{", "\0{").replace("}", "}\0").split("\0")


def _shown_bump(name: str, old: str, new: str) -> str:
    return f"{name} {old} -> {new}" if old else f"{name} {new}"


def _compare(tree: CommitTree, remote: Links | None) -> str:
    """The address that shows all changes, when both ends are versions that the host knows."""
    if remote is None or tree.start is None:
        return ""
    if read_version(tree.start) is None or read_version(tree.end) is None:
        return ""
    return remote.compare_url(tree.start, tree.end)


def _people(entries: Iterable[Entry]) -> list[str]:
    return sorted({name for entry in entries for name in entry.authors}, key=str.casefold)
