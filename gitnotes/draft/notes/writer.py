"""How is a release note written in one style: its heading, its sections, each entry?"""

from __future__ import annotations

from collections.abc import Iterable

from gitnotes.draft.notes.categories import Category
from gitnotes.draft.notes.entries import Entry
from gitnotes.draft.notes.markup import Links, markdown, restructured
from gitnotes.draft.notes.note_order import complete_sequence
from gitnotes.draft.notes.presets import LABELS, NoteStyle
from gitnotes.draft.notes.titles import one_line
from gitnotes.draft.notes.wording import with_capital, with_stop
from gitnotes.guard.width import columns
from gitnotes.note_languages import phrase
from gitnotes.versioning import is_unreleased

_LIBRARIES = ("dep", "deps")
_REFERENCES = {"bare": "{}", "in": "in {}"}


class NoteWriter:
    """Writes entries in one style; a block is what stands between blank lines.

    `names` are words that are written in small letters, `first` the kinds of change that go before others,
    `headings` those of the project's own rules in their order.
    """

    def __init__(
        self,
        style: NoteStyle,
        remote: Links | None,
        names: frozenset[str] = frozenset(),
        first: tuple[Category, ...] = (),
        headings: tuple[str, ...] = (),
    ) -> None:
        self._names = names
        order = dict.fromkeys((*first, *complete_sequence(style.sequence)))
        self._place = {category: place for place, category in enumerate(order)}
        self._headings = {heading: place for place, heading in enumerate(headings)}
        self._style = style
        self._remote = remote
        self._is_rst = style.markup == "rst"

    def escape(self, text: str) -> str:
        if self._style.markup == "plain":
            return text
        links = self._remote if self._style.linked else None
        if self._is_rst:
            return restructured(text, links, "issue" if self._style.pulls == "role" else "")
        return markdown(text, links)

    def phrase(self, name: str) -> str:
        """A fixed phrase in the language of the style."""
        return phrase(self._style.language, name)

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
        return self._heading_below(name) if self._style.layout == "sections" else []

    def _heading_below(self, name: str) -> list[str]:
        style = self._style
        if style.below.startswith("#"):
            return [f"{style.below} {name}"]
        if style.below in ("**", ":"):
            return [f"**{name}**" if style.below == "**" else f"{name}:"]
        if self._is_rst or style.below:
            sign = style.below or ("~" if style.underline != "~" else "^")
            return [f"{name}\n{sign * max(columns(name), 3)}"]
        level = len(style.heading) - len(style.heading.lstrip("#"))
        return [f"{'#' * (level + 1 if level else 3)} {name}"]

    def people(self, names: Iterable[str], newcomers: frozenset[str]) -> list[str]:
        """The blocks that credit people; those who are new are marked."""
        new = f" ({self.phrase('first_contribution')})"
        lines = [
            f"{self._style.bullet}{self.escape(name)}{new if name in newcomers else ''}" for name in names
        ]
        is_plain = self._style.markup == "plain"
        title = self.phrase("contributors")
        head = [self.sentence(f"{title}:")] if is_plain else self._heading_below(title)
        return [*head, "\n".join(lines)]

    def entries(self, entries: Iterable[Entry]) -> list[str]:
        """The blocks of all entries, in the order of the style."""
        style = self._style
        known = self._sorted(entries)
        if not known:
            return []
        if style.layout == "table":
            return [self._table(known)]
        head = self._heading_below(style.intro) if style.intro else []
        if style.layout != "sections":
            return [*head, "\n".join(line for entry in known for line in self._entry(entry))]
        sections = {
            heading: [line for entry in mine for line in self._entry(entry)]
            for heading, mine in self.grouped(known).items()
        }
        names = sorted(sections) if style.order == "name" and not self._headings else list(sections)
        return [
            *head,
            *(block for name in names for block in (*self.subheading(name), "\n".join(sections[name]))),
        ]

    def grouped(self, entries: Iterable[Entry]) -> dict[str, list[Entry]]:
        """The entries under their headings, both in the order of the note."""
        found: dict[str, list[Entry]] = {}
        for entry in self._sorted(entries):
            found.setdefault(self.heading_of(entry), []).append(entry)
        return found

    def heading_of(self, entry: Entry) -> str:
        """The heading that an entry stands under."""
        style = self._style
        own = entry.group if self._has_own_heading(entry) else ""
        return own or style.heading_of(entry.category, entry.kind) or style.name_of(entry.category)

    def _has_own_heading(self, entry: Entry) -> bool:
        """Whether the project's rules place it. What breaks is not to be lost among features."""
        if entry.group not in self._headings:
            return False
        return entry.category != "Breaking" or bool(entry.marked) or "break" in entry.group.lower()

    def _sorted(self, entries: Iterable[Entry]) -> list[Entry]:
        known = list(entries)
        if self._style.order == "newest":
            known.reverse()
        elif self._style.order == "name":
            known.sort(key=lambda entry: (entry.scope or entry.text, entry.text))
        if self._style.grouped or self._style.layout == "sections":
            known.sort(key=self.place_of)
        return known

    def place_of(self, entry: Entry) -> tuple[int, int]:
        """Where the heading of an entry stands: what breaks, the project's own headings, all others."""
        if self._has_own_heading(entry):
            return 1, self._headings[entry.group]
        is_first = entry.category == "Breaking" and (self._headings or "Breaking" not in self._style.sequence)
        return (0 if is_first else 2), self._place[entry.category]

    def _table(self, entries: list[Entry]) -> str:
        rows = ["| Type | Description | Link |", "| --- | --- | --- |"]
        for entry in entries:
            kind = self._style.name_of(entry.category)
            refs = ", ".join(self._references(entry))
            rows.extend(f"| {kind} | {text} | {refs} |" for text in self._sentences(entry))
        return "\n".join(rows)

    def _sentences(self, entry: Entry) -> list[str]:
        """What the entry says, escaped: one sentence, or one for each dependency."""
        if entry.bumps and not (self._style.typed and len(entry.bumps) == 1 and _says(entry)):
            return [self.escape(_shown_bump(bump.name, bump.old, bump.new)) for bump in entry.bumps]
        if self._style.typed:
            return [self.escape(f"{entry.prefix}{entry.text}")]
        if self._style.layout == "flat" and entry.kind in _LIBRARIES and " " not in entry.text:
            # Without a heading above it, `x@2.0` says nothing.
            return [f"{entry.kind}: {self.escape(entry.text)}"]
        scope = ""
        if entry.scope:
            scope = f"{self.escape(entry.scope)}:"
            scope = f"**{scope}** " if self._style.markup == "markdown" else f"{scope} "
        return [f"{scope}{self.escape(self._worded(entry.text))}"]

    def _entry(self, entry: Entry) -> list[str]:
        style = self._style
        start = style.bullet
        if style.layout == "labels":
            start += f"[{LABELS[entry.category]}] "
        if entry.marked and entry.markup == style.markup:
            return self._marked(entry, start)
        sentences = self._sentences(entry)
        if len(entry.bumps) > 1:
            return [
                f"{start}{text}{self._pulls(bump.pulls)}"
                for text, bump in zip(sentences, entry.bumps, strict=True)
            ]
        known = ""
        if entry.shipped:
            known = f" ({self.phrase('already_in').format(self.escape(one_line(entry.shipped)))})"
        before, after = "", self._behind(entry)
        if style.refs == "commit" and style.ids == "before":
            before, after = f"{self._shown_commit(entry)} ", ""
        lines = [f"{start}{before}{sentences[0]}{after}{known}"]
        below = [*map(self._begun, entry.breaking), *(self._worded(part.text) for part in entry.parts)]
        if below and self._is_rst:  # a nested list stands between blank lines
            lines.append("")
        indent = " " * len(style.bullet)
        lines.extend(f"{indent}{style.bullet}{self.escape(text)}" for text in below)
        if below and self._is_rst:
            lines.append("")
        return lines

    def _marked(self, entry: Entry, start: str) -> list[str]:
        """A fragment as people wrote it, below its bullet; references end its first paragraph, or the last
        where the first leads on to it."""
        lines = entry.marked.strip("\n").split("\n")
        end = next((at for at, line in enumerate(lines) if not line.strip()), len(lines)) - 1
        if lines[end].rstrip().endswith(":") and lines[-1][:1].isalnum():
            end = len(lines) - 1
        last = lines[end].rstrip()
        # What two colons announce has to follow them.
        literal = "::" if last.endswith("::") and self._is_rst else ""
        lines[end] = f"{last.removesuffix(literal)}{self._behind(entry)}{literal}"
        indent = " " * len(self._style.bullet)
        shown = [f"{indent}{line}".rstrip() for line in lines]
        shown[0] = f"{start}{lines[0].lstrip()}"
        # What stands in several paragraphs ends with a blank line, or the next bullet would belong to it.
        return [*shown, ""] if self._is_rst and "" in shown else shown

    def _behind(self, entry: Entry) -> str:
        """Who made the change and where it is, as it stands behind the sentence."""
        by = ""
        if self._style.authors and entry.authors:
            by = f" by {', '.join(map(self.escape, entry.authors))}"
        pulls = entry.bumps[0].pulls if entry.bumps else entry.pulls
        refs = self._style.refs
        shown = "" if refs in ("commit", "none") else self._pulls(entry.issues or pulls, bool(entry.issues))
        if refs in ("commit", "both") or (refs == "either" and not pulls):
            commit = self._shown_commit(entry)
            shown += f" {_REFERENCES.get(self._style.pulls, '({})').format(commit)}"
        return f"{by}{shown}"

    def _shown_commit(self, entry: Entry) -> str:
        sha = entry.commits[0] if entry.commits else entry.source
        return self._link(sha[:7], self._remote.commit_url(sha)) if self._remote else sha[:7]

    def _worded(self, text: str) -> str:
        return with_stop(self._begun(text), self._style.full_stops)

    def _begun(self, text: str) -> str:
        return with_capital(text, self._names) if self._style.capitals else text

    def _pulls(self, pulls: tuple[str, ...], are_issues: bool = False) -> str:
        if not pulls:
            return ""
        if self._style.pulls == "role":
            role = "issue" if are_issues else "pr"
            return "".join(f" :{role}:`{pull[1:]}`" for pull in pulls)
        joined = ", ".join(map(self._shown_issue if are_issues else self._shown_pull, pulls))
        return f" {_REFERENCES.get(self._style.pulls, '({})').format(joined)}"

    def _shown_pull(self, pull: str) -> str:
        if self._remote is None:
            return pull
        if not self._style.linked:
            return f"{self._remote.pull_mark}{pull[1:]}"
        return self._link(f"{self._remote.pull_mark}{pull[1:]}", self._remote.pull_url(int(pull[1:])))

    def _shown_issue(self, issue: str) -> str:
        if self._remote is None or not self._style.linked:
            return issue
        return self._link(issue, self._remote.issue_url(int(issue[1:])))

    def _link(self, label: str, url: str) -> str:
        if self._style.markup == "plain":
            return label
        return f"`{label} <{url}>`__" if self._is_rst else f"[{label}]({url})"

    def _references(self, entry: Entry) -> list[str]:
        pulls = dict.fromkeys((*entry.pulls, *(pull for bump in entry.bumps for pull in bump.pulls)))
        return [self._shown_pull(pull) for pull in pulls] or [self._shown_commit(entry)]


def _says(entry: Entry) -> bool:
    """Whether the title of an update names the versions that it led to in the end."""
    return all(bump.old in entry.text and bump.new in entry.text for bump in entry.bumps)


def _split_places(template: str) -> list[str]:
    return template.replace("{", "\0{").replace("}", "}\0").split("\0")


def _shown_bump(name: str, old: str, new: str) -> str:
    return f"{name} {old} -> {new}" if old else f"{name} {new}"
