"""How does a note look that a template of the project lays out?

The template is Jinja2 and runs in its sandbox: it sees texts and lists, no objects of ours, and can change
nothing. What comes from commits is escaped for Markdown unless it asks for `.text`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gitnotes.draft.notes.entries import Entry
from gitnotes.draft.notes.markup import Links, markdown
from gitnotes.draft.notes.note import Selection, tell_highlights
from gitnotes.draft.notes.titles import one_line
from gitnotes.draft.notes.wording import with_capital
from gitnotes.draft.notes.writer import NoteWriter
from gitnotes.errors import UsageError
from gitnotes.guard.text import clean, shorten
from gitnotes.records import CommitTree
from gitnotes.versioning import read_version

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment

_LARGEST = 200_000
"""Characters of a template; a longer one is none."""
_MOST = 5_000_000
"""Characters that a template may write."""
_MOST_TURNS = 1_000_000
"""Numbers that all `range` of a template may hand out, one loop inside another included."""


def render_template(
    source: str,
    selection: Selection,
    tree: CommitTree,
    *,
    version: str,
    date: str,
    remote: Links | None = None,
    contributors: Sequence[str] = (),
    newcomers: frozenset[str] = frozenset(),
) -> str:
    """What the template makes of the note, without line ends at its end.

    It is given `version`, `date`, `start`, `end`, `commits` (a number), `compare_url`, `highlights`,
    `contributors`, `newcomers`, `entries`, and `groups`: a list of `name` (of a category), `heading`
    (as the project calls it) and `entries`. An entry has `markdown` (escaped), `text` (as it is), `category`,
    `scope`, `breaking`, `authors`, `shipped`, `commit`, `commit_url`, and `pulls`: a list of `name` and
    `url`.

    Raises UsageError when Jinja2 is missing or the template has a fault.
    """
    try:
        environment = _sandbox()
    except ImportError as problem:
        raise UsageError(
            "Templates need Jinja2, which is not installed.", "Install it: pip install jinja2"
        ) from problem
    if len(source) > _LARGEST:
        raise UsageError(f"The template has more than {_LARGEST:,} characters.", "Is it a template?")
    known = [(entry, _entry(entry, remote)) for entry in selection.entries]
    writer = NoteWriter(selection.style, remote, first=selection.first, headings=selection.headings)
    groups: dict[str, dict[str, Any]] = {}
    for entry, shown in sorted(known, key=lambda pair: writer.place_of(pair[0])):
        heading = writer.heading_of(entry)
        group = groups.setdefault(heading, {"name": entry.category, "heading": heading, "entries": []})
        group["entries"].append(shown)
    context = {
        "version": one_line(version),
        "date": date,
        "start": tree.start or "",
        "end": tree.end,
        "commits": len(tree.commits),
        "compare_url": _compare(tree, remote),
        "highlights": tell_highlights(selection.entries),
        "contributors": [markdown(name, None) for name in contributors],
        "newcomers": sorted(markdown(name, None) for name in newcomers & set(contributors)),
        "entries": [shown for _, shown in known],
        "groups": list(groups.values()),
    }
    parts: list[str] = []
    size = 0
    try:
        for part in environment.from_string(source).generate(context):
            size += len(part)
            if size > _MOST:
                raise _endless()
            parts.append(part)
    except UsageError:
        raise
    except RecursionError as problem:
        raise UsageError(
            "The template is nested too deeply, or a macro calls itself.", "Make it flatter."
        ) from problem
    except Exception as problem:  # filters and tests raise whatever Python does with what they are given
        line = getattr(problem, "lineno", None)
        where = f" (line {line})" if line else ""
        what = shorten(str(problem) or type(problem).__name__).rstrip(".")
        raise UsageError(
            f"The template has a fault{where}: {what}.", "docs/release.md lists what a template is given."
        ) from problem
    return clean("".join(parts)).rstrip("\n")


def _sandbox() -> SandboxedEnvironment:
    """Jinja2's sandbox, which also bounds what one expression or `range` may cost."""
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment, safe_range

    class Sandbox(ImmutableSandboxedEnvironment):
        intercepted_binops = frozenset(("*", "**"))

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            is_repeating = operator == "*" and any(hasattr(side, "__len__") for side in (left, right))
            if is_repeating and _size(left) * _size(right) > _MOST:
                raise _endless()
            if operator == "**" and max(abs(left), abs(right)) > 1000:
                raise _endless()
            return super().call_binop(context, operator, left, right)

    environment = Sandbox(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    environment.globals["range"] = _counted(safe_range)
    return environment


def _size(value: Any) -> int:
    return len(value) if hasattr(value, "__len__") else int(value)


def _counted(make: Callable[..., range]) -> Callable[..., range]:
    used = 0

    def counted(*bounds: int) -> range:
        nonlocal used
        numbers = make(*bounds)
        used += len(numbers)
        if used > _MOST_TURNS:
            raise _endless()
        return numbers

    return counted


def _endless() -> UsageError:
    return UsageError("The template does not come to an end.", "Look at its loops.")


def _entry(entry: Entry, remote: Links | None) -> dict[str, Any]:
    sha = entry.commits[0] if entry.commits else entry.source
    text = with_capital(entry.text)
    pulls = [
        {"name": pull, "url": remote.pull_url(int(pull[1:])) if remote else ""}
        for pull in (entry.pulls or tuple(pull for bump in entry.bumps for pull in bump.pulls))
    ]
    return {
        "text": text,
        "markdown": markdown(text, remote),
        "category": entry.category,
        "scope": markdown(entry.scope, None),
        "breaking": [markdown(one, remote) for one in entry.breaking],
        "authors": [markdown(name, None) for name in entry.authors],
        "shipped": entry.shipped,
        "commit": sha[:7],
        "commit_url": remote.commit_url(sha) if remote else "",
        "pulls": pulls,
    }


def _compare(tree: CommitTree, remote: Links | None) -> str:
    if remote is None or tree.start is None or not (read_version(tree.start) and read_version(tree.end)):
        return ""
    return remote.compare_url(tree.start, tree.end)
