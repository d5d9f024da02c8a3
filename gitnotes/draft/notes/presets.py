"""How can a release note be laid out, and which layouts have a name?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date as calendar_date
from typing import Literal, get_args

from gitnotes.draft.notes.categories import Category
from gitnotes.note_items import category_of_heading
from gitnotes.note_languages import ENGLISH, NoteLanguage, fitting_headings

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)

LABELS: dict[Category, str] = {
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
"""What stands in brackets before an entry in the layout `labels`."""


@dataclass(frozen=True, slots=True)
class NoteStyle:
    """How a release note is laid out."""

    heading: str = "## [{version}] - {date}"
    """With `{version}`, `{date}` and `{compare}` (an address) in their places."""
    markup: Literal["markdown", "rst", "plain"] = "markdown"
    underline: str = ""
    """The sign that underlines the heading; empty for headings with `#` and for plain lines."""
    below: str = ""
    """The hashes of the headings below it, the sign that underlines them, `**` for bold lines or `:` for
    lines that end in one; empty where the project has none."""
    layout: Literal["sections", "flat", "labels", "table"] = "sections"
    """Headings by category, one list, one list with `[FEATURE]` before each entry, or a table."""
    intro: str = ""
    """A heading of its own above the entries, such as `What's Changed`."""
    names: tuple[tuple[str, str], ...] = ()
    """Category to heading, where it is not the category's own name."""
    sequence: tuple[Category, ...] = ()
    """The order of the categories, where it is not the usual one; what is missing follows its usual place."""
    without: tuple[Category, ...] = ()
    """The categories that it leaves out."""
    types: tuple[tuple[str, str], ...] = ()
    """Conventional type to heading, as conventional-changelog is set up: what declares none of these
    types is left out. Empty where categories decide."""
    grouped: bool = True
    """Whether entries stand category by category."""
    order: Literal["oldest", "newest", "name"] = "oldest"
    """Which entry comes first, within its category where they are grouped."""
    bullet: str = "- "
    date_line: str = ""
    """A line under the heading, such as `Released {date}`."""
    date_format: str = "%Y-%m-%d"
    refs: Literal["pull", "commit", "either", "both", "none"] = "pull"
    """What an entry leads to: its pull requests, its commit, the commit where there is no pull request,
    or both."""
    pulls: Literal["brackets", "bare", "role", "in"] = "brackets"
    """`(#12)`, `#12`, ``:pr:`12` `` or `in #12`."""
    linked: bool = True
    """Whether numbers of pull requests and issues lead to their pages, when the remote is known."""
    ids: Literal["after", "before"] = "after"
    """Where the id of a commit stands."""
    authors: bool = False
    """Whether an entry says who made it, where that is known."""
    typed: bool = False
    """Whether titles keep their type, as in `fix(core): repair`."""
    capitals: bool = True
    """Whether an entry begins with a capital, where its first word is a plain one; else as written."""
    full_stops: bool = False
    """Whether an entry ends with a full stop."""
    language: str = ""
    """The code of the language of its headings and phrases; empty for English."""
    compare_line: bool = False
    """Whether the note ends with a link to all changes, when the remote is known."""

    def name_of(self, category: Category) -> str:
        return dict(self.names).get(category, category)

    def heading_of(self, category: Category, kind: str) -> str:
        """The heading above an entry of this category and conventional type; empty when it has no place.

        Breaking changes are told in any case.
        """
        if category == "Breaking":
            return self.name_of(category)
        if self.types:
            return dict(self.types).get(kind, "")
        return "" if category in self.without else self.name_of(category)

    def show_date(self, date: str) -> str:
        """The ISO date as this style writes it; a text that is no ISO date stays."""
        try:
            day = calendar_date.fromisoformat(date)
        except ValueError:
            return date
        # `strftime` follows the locale for names of months; the changelog is in English.
        month = MONTHS[day.month - 1]
        return (
            self.date_format.replace("%Y", f"{day.year:04}")
            .replace("%m", f"{day.month:02}")
            .replace("%B", month)
            .replace("%b", month[:3])
            .replace("%d", f"{day.day:02}" if "%m" in self.date_format else str(day.day))
        )


def _all_others(other: str, **names: str) -> tuple[tuple[str, str], ...]:
    """A name for each category: `other` where none is given."""
    return tuple((category, names.get(category, other)) for category in get_args(Category))


_TYPES = (
    ("feat", "Features"),
    ("feature", "Features"),
    ("fix", "Bug Fixes"),
    ("perf", "Performance Improvements"),
    ("revert", "Reverts"),
)
_QUIET: tuple[Category, ...] = ("Internal", "Documentation")

_CONVENTIONAL = NoteStyle(
    heading="## [{version}]({compare}) ({date})",
    names=(("Breaking", "BREAKING CHANGES"),),
    types=_TYPES,
    order="name",
    bullet="* ",
    refs="both",
    capitals=False,
)


def in_language(style: NoteStyle, language: NoteLanguage) -> NoteStyle:
    """The style with headings and phrases in a language; one that speaks it already keeps its own."""
    code = "" if language.code == ENGLISH else language.code
    if style.language == code:
        return style
    headings = fitting_headings(language, ())
    types = tuple((kind, headings.get(category_of_heading(name), name)) for kind, name in style.types)
    return replace(style, names=tuple(headings.items()), types=types, language=code)


@dataclass(frozen=True, slots=True)
class Audience:
    """What the readers of a note want to know."""

    without: tuple[Category, ...] = ()
    """The kinds of change that are not for them."""
    first: tuple[Category, ...] = ()
    """Those that they read before all others."""


AUDIENCES: dict[str, Audience] = {
    "users": Audience(without=("Internal", "Dependencies")),
    "developers": Audience(),
    # Who runs it asks whether to upgrade and what to do first.
    "operators": Audience(
        without=_QUIET, first=("Breaking", "Security", "Deprecations", "Fixes", "Performance", "Dependencies")
    ),
}

PRESETS: dict[str, NoteStyle] = {
    "keepachangelog": NoteStyle(compare_line=True),
    "plain": NoteStyle(heading="## {version} ({date})", compare_line=True),
    "rst": NoteStyle(heading="{version} ({date})", markup="rst", underline="-"),
    # What conventional-changelog and semantic-release write: with pull requests, without, and with
    # restructured code as news.
    "conventional": _CONVENTIONAL,
    "semantic": replace(_CONVENTIONAL, refs="commit"),
    "maintenance": replace(
        _CONVENTIONAL, refs="commit", types=(*_TYPES, ("refactor", "Maintenance Improvements"))
    ),
    # GitHub's generated release notes.
    "github": NoteStyle(
        heading="## {version} ({date})",
        layout="flat",
        intro="What's Changed",
        grouped=False,
        bullet="* ",
        refs="either",
        pulls="in",
        authors=True,
        typed=True,
        capitals=False,
        compare_line=True,
    ),
    # A list of commits below `Changelog`, as GoReleaser writes it.
    "commits": NoteStyle(
        heading="## {version} ({date})",
        layout="flat",
        intro="Changelog",
        grouped=False,
        order="newest",
        bullet="* ",
        refs="commit",
        ids="before",
        typed=True,
        capitals=False,
    ),
    # Titles, each followed by its commit.
    "log": NoteStyle(
        heading="## {version} ({date})",
        layout="flat",
        grouped=False,
        order="newest",
        refs="commit",
        pulls="bare",
        typed=True,
        capitals=False,
    ),
    # The changes for users as one list, with references and without.
    "bullets": NoteStyle(
        heading="## {version} ({date})", layout="flat", grouped=False, without=_QUIET, refs="none"
    ),
    "list": NoteStyle(
        heading="## {version} ({date})", layout="flat", grouped=False, without=_QUIET, refs="either"
    ),
    # One list, everything in it, as the titles are.
    "titles": NoteStyle(
        heading="## {version} ({date})",
        layout="flat",
        grouped=False,
        order="newest",
        typed=True,
        capitals=False,
    ),
    # One list of improvements by area.
    "improvements": NoteStyle(
        heading="## {version} ({date})",
        layout="flat",
        intro="Improvements",
        grouped=False,
        order="newest",
        without=("Internal",),
        capitals=False,
    ),
    "table": NoteStyle(
        heading="## {version} ({date})",
        layout="table",
        names=_all_others(
            "Improvement", Breaking="Break", Features="Feature", Fixes="Fix", Deprecations="Deprecation"
        ),
        grouped=False,
        without=_QUIET,
    ),
    "sections": NoteStyle(
        heading="## {version} ({date})",
        names=_all_others("Misc", Features="New features", Fixes="Bug fixes", Breaking="Breaking changes"),
        without=_QUIET,
        refs="either",
    ),
}
