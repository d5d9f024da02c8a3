"""What does the release note of a range say?"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from gitnotes import __version__
from gitnotes.draft.notes.categories import Category
from gitnotes.draft.notes.entries import Entry, read_entries
from gitnotes.draft.notes.markup import Links, markdown
from gitnotes.draft.notes.note_style import learn_note_style
from gitnotes.draft.notes.presets import AUDIENCES, PRESETS, NoteStyle, in_language
from gitnotes.draft.notes.titles import one_line
from gitnotes.draft.notes.voice import choose_style
from gitnotes.draft.notes.wording import names_of_code
from gitnotes.draft.notes.writer import NoteWriter
from gitnotes.errors import UsageError
from gitnotes.note_languages import find_language, phrase
from gitnotes.records import CommitTree, Draft, Omission, Signature
from gitnotes.versioning import is_unreleased, read_version

if TYPE_CHECKING:
    from gitnotes.note_rules import Fragment, NoteRules

__all__ = ["NoteStyle", "Selection", "draft_note", "learn_note_style", "render_note", "select_entries"]

_WHY: dict[Category, str] = {"Internal": "internal change", "Documentation": "documentation"}
_HIGHLIGHTS = 3
_NEWS: tuple[Category, ...] = ("Breaking", "Security", "Features", "Performance")
"""What may be a highlight, the most important first."""
_COUNTED: tuple[tuple[Category, str, str], ...] = (
    ("Breaking", "breaking change", "breaking changes"),
    ("Security", "security fix", "security fixes"),
    ("Features", "feature", "features"),
    ("Fixes", "fix", "fixes"),
)


@dataclass(frozen=True, slots=True)
class Selection:
    """What a note is to tell, and how it will look."""

    entries: tuple[Entry, ...]
    """Oldest first."""
    omitted: tuple[Omission, ...]
    """Each commit that is in no entry, by its id, with the reason."""
    style: NoteStyle
    settings: Mapping[str, str]
    """For the signature."""
    first: tuple[Category, ...] = ()
    """The kinds of change that the audience reads first."""
    headings: tuple[str, ...] = ()
    """Those of the project's own rules, in their order."""
    prelude: str = ""
    """What people wrote to open this note."""


def draft_note(
    tree: CommitTree,
    *,
    version: str,
    date: str,
    remote: Links | None = None,
    style: str | NoteStyle = "keepachangelog",
    contributors: bool = False,
    internal: bool = True,
    heading: bool = True,
    shipped: Mapping[str, str] | None = None,
) -> Draft:
    """The release note of `tree`: a section with its heading, without a line end at the end.

    `internal` false leaves out what is for developers alone. The rest is as for `select_entries` and
    `render_note`. Raises UsageError for an unknown style.
    """
    selection = select_entries(tree, style, shipped=shipped, without=() if internal else ("Internal",))
    return render_note(
        selection, tree, version=version, date=date, remote=remote, contributors=contributors, heading=heading
    )


def select_entries(
    tree: CommitTree,
    style: str | NoteStyle = "keepachangelog",
    *,
    shipped: Mapping[str, str] | None = None,
    audience: str = "",
    without: tuple[Category, ...] = (),
    folder: str = "",
    flat: bool = False,
    rules: NoteRules | None = None,
    fragments: Sequence[Fragment] = (),
    own_headings: bool = True,
    gone: Mapping[str, Sequence[str]] | None = None,
    language: str = "",
) -> Selection:
    """The entries of `tree` that a note in this style has; each commit is in one or in `omitted`.

    The style `auto` takes the preset that suits the commits. `shipped` names for commits an earlier
    release that had their change already. `audience` is one of `presets.AUDIENCES`. With `folder` (from
    the top, `/` between names) only changes that touch it are told; the tree must have files then.
    `flat` makes each commit a change of its own, as if there were no merges. `rules` are those of the
    project, which give headings where `own_headings` is true, and `fragments` word the changes they came
    with. `gone` says for commits, sentence by sentence, what they took away; such a change breaks.
    `language` is that of the headings and phrases; one that is not known changes nothing.

    Raises UsageError for an unknown style or audience.
    """
    style, settings = _find_style(style, tree)
    if rules is not None and rules.labels and own_headings and style.layout == "flat":
        style = dataclasses.replace(style, layout="sections", grouped=True)
    if language and (found := find_language(language)):
        style, settings["language"] = in_language(style, found), found.code
    first: tuple[Category, ...] = ()
    if audience:
        if audience not in AUDIENCES:
            raise UsageError(
                f"There is no audience '{one_line(audience)}'.", f"Take one of: {', '.join(AUDIENCES)}."
            )
        chosen = AUDIENCES[audience]
        first = chosen.first
        style = dataclasses.replace(style, without=chosen.without, types=())
        settings["for"] = audience
    if without:
        style = dataclasses.replace(style, without=(*style.without, *without))
    entries, omitted = read_entries(tree, shipped, flat=flat)
    if gone:
        entries = tuple(_with_gone(entry, gone) for entry in entries)
    if folder:
        entries, elsewhere = inside_folder(entries, tree, folder)
        omitted = (*omitted, *elsewhere)
    everything = audience == "developers"
    headings: tuple[str, ...] = ()
    prelude = ""
    if fragments:
        from gitnotes.draft.notes.fragments import tell_by_fragments, tell_prelude

        entries, omitted = tell_by_fragments(entries, omitted, fragments, everything=everything)
        prelude = tell_prelude(fragments)
    if rules is not None:
        from gitnotes.draft.notes.rules import follow_rules

        ruled = follow_rules(entries, tree, rules, headings=own_headings, everything=everything)
        entries, omitted, headings = ruled.entries, (*omitted, *ruled.omitted), ruled.headings
        settings["rules"] = ",".join(rules.sources)
    entries, left_out = _told(entries, style, headings)
    return Selection(entries, (*omitted, *left_out), style, settings, first, headings, prelude)


def render_note(
    selection: Selection,
    tree: CommitTree,
    *,
    version: str,
    date: str,
    remote: Links | None = None,
    contributors: bool = False,
    newcomers: frozenset[str] = frozenset(),
    highlights: bool | str = False,
    heading: bool = True,
) -> Draft:
    """The note as text: a section with its heading, without a line end at the end.

    `version` and `date` (ISO) go into the heading; without `heading` the note is for a page that has the
    version as its title. `remote` makes links, and without it there are none. `contributors` credits
    authors and co-authors in the text, and `newcomers` are those of them who are new; the draft names them
    in any case. `highlights` puts a paragraph first, one of facts or this text.
    """
    style, entries = selection.style, selection.entries
    compare = _compare(tree, remote)
    names = names_of_code(tree.commits) if style.capitals else frozenset()
    writer = NoteWriter(style, remote, names, selection.first, selection.headings)
    blocks = [writer.heading(one_line(version), date, compare)] if heading else []
    if style.date_line and not is_unreleased(version):
        blocks.append(style.date_line.replace("{date}", style.show_date(date)))
    if tree.start is None and tree.commits:
        blocks.append(writer.sentence(writer.phrase("first_release")))
    if selection.prelude:
        blocks.append(writer.sentence(writer.escape(selection.prelude)))
    if highlights and (
        said := highlights if isinstance(highlights, str) else tell_highlights(entries, style)
    ):
        blocks.append(writer.sentence(writer.escape(said)))
    blocks.extend(writer.entries(entries) or [writer.sentence(writer.phrase("nothing"))])
    people = _people(entries)
    if contributors and people:
        blocks.extend(writer.people(people, newcomers))
    if style.compare_line and compare and remote and style.markup == "markdown":
        shown = markdown(f"{tree.start}...{tree.end}", None)
        blocks.append(f"{writer.phrase('all_changes')}: [{shown}]({compare})")
    text = "\n\n".join(blocks)
    settings = {
        **selection.settings,
        "entries": str(len(entries)),
        "links": "remote" if remote else "none",
    }
    return Draft(
        text=text,
        kind="note",
        signature=Signature("note", __version__, settings),
        candidates=(text,),
        omitted=selection.omitted,
        contributors=tuple(people),
    )


def tell_highlights(entries: Iterable[Entry], style: NoteStyle | None = None) -> str:
    """What a reader should know first, as a paragraph: how much there is of what, and the greatest news.

    Only counts and the entries' own words; the news with most commits go first within their kind. The
    counts are those of headings where `style` has another language than English.
    """
    known = list(entries)
    counts = [
        f"{number:,} {one if number == 1 else many}"
        for category, one, many in _COUNTED
        if (number := sum(entry.category == category for entry in known))
    ]
    news = [entry for entry in known if entry.category in _NEWS]
    news.sort(key=lambda entry: (_NEWS.index(entry.category), -len(entry.commits)))
    said = "; ".join(entry.text.rstrip(".") for entry in news[:_HIGHLIGHTS])
    if not counts:
        return ""
    if style is not None and style.language:
        ordered = sorted(known, key=lambda entry: get_args(Category).index(entry.category))
        counted = Counter(style.name_of(entry.category) for entry in ordered)
        listed = ", ".join(f"{name}: {number:,}" for name, number in counted.items())
        return f"{listed}. {phrase(style.language, 'notable')}: {said}." if said else f"{listed}."
    listed = f"{', '.join(counts[:-1])} and {counts[-1]}" if len(counts) > 1 else counts[0]
    return f"{listed}. Most notable: {said}." if said and len(known) > _HIGHLIGHTS else f"{listed}."


def _find_style(style: str | NoteStyle, tree: CommitTree) -> tuple[NoteStyle, dict[str, str]]:
    if not isinstance(style, str):
        return style, {"style": "learned" if style not in PRESETS.values() else "preset"}
    name = choose_style(tree) if style == "auto" else style
    if name not in PRESETS:
        raise UsageError(
            f"There is no note style '{one_line(name)}'.", f"Take one of: auto, {', '.join(PRESETS)}."
        )
    return PRESETS[name], {"style": name if name == style else f"auto {name}"}


def _with_gone(entry: Entry, gone: Mapping[str, Sequence[str]]) -> Entry:
    mine = dict.fromkeys(said for sha in entry.commits for said in gone.get(sha, ()))
    if not mine:
        return entry
    return dataclasses.replace(entry, category="Breaking", breaking=(*entry.breaking, *mine))


def inside_folder(
    entries: tuple[Entry, ...], tree: CommitTree, folder: str
) -> tuple[tuple[Entry, ...], list[Omission]]:
    """The entries with a commit that touches the folder, and the commits of the others."""
    start = f"{folder.rstrip('/')}/"
    touching = {
        commit.sha
        for commit in tree.commits
        if any(
            path == start[:-1] or path.startswith(start)
            for change in commit.files or ()
            for path in (change.path, change.old_path or "")
        )
    }
    kept = tuple(entry for entry in entries if touching & {*entry.commits, entry.source})
    found = {id(entry) for entry in kept}
    reason = f"touches nothing in {one_line(folder)}"
    return kept, [
        Omission(sha, reason) for entry in entries if id(entry) not in found for sha in entry.commits
    ]


def _told(
    entries: tuple[Entry, ...], style: NoteStyle, headings: tuple[str, ...]
) -> tuple[tuple[Entry, ...], tuple[Omission, ...]]:
    """What the style or the project's rules have a place for; the note is not left empty while there is
    news for users."""
    told = tuple(
        entry for entry in entries if style.heading_of(entry.category, entry.kind) or entry.group in headings
    )
    if not told:
        told = tuple(entry for entry in entries if entry.category not in ("Internal", "Documentation"))
    if not told and "Internal" not in style.without:
        told = entries
    kept = {id(entry) for entry in told}
    left_out = [
        Omission(sha, _WHY.get(entry.category, "has no place in this style"))
        for entry in entries
        if id(entry) not in kept
        for sha in entry.commits
    ]
    return told, tuple(left_out)


def _compare(tree: CommitTree, remote: Links | None) -> str:
    """The address that shows all changes, when both ends are versions that the host knows."""
    if remote is None or tree.start is None:
        return ""
    if read_version(tree.start) is None or read_version(tree.end) is None:
        return ""
    return remote.compare_url(tree.start, tree.end)


def _people(entries: Iterable[Entry]) -> list[str]:
    return sorted({name for entry in entries for name in entry.authors}, key=str.casefold)
