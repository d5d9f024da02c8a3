"""How does a release look as text and as JSON? docs/json.md documents the objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gitnotes.codec import to_json
from gitnotes.guard.text import show
from gitnotes.show.formats import draft_content, dump
from gitnotes.show.judging import judgement_object
from gitnotes.show.note_grades import grade_content

if TYPE_CHECKING:
    from pathlib import Path

    from gitnotes.recipes.release_all import Changelog
    from gitnotes.recipes.release_bump import Bump
    from gitnotes.recipes.release_grading import Checked
    from gitnotes.recipes.release_writing import Written
    from gitnotes.recipes.releasing import Release
    from gitnotes.records import Judgement

_MOST_POSSIBLE = 10
_ID = 9
"""Characters of an object id that a person is shown."""


def release_json(
    release: Release,
    written: Sequence[Written] = (),
    checked: Checked | None = None,
    judgement: Judgement | None = None,
) -> str:
    changelog = next((one for one in written if one.kind == "changelog"), None)
    return dump(
        "release",
        {
            **draft_content(release.note),
            "draft_kind": release.note.kind,
            "range": to_json(release.range),
            "commits": len(release.material.tree.commits),
            "entries": [_entry(entry) for entry in release.material.selection.entries],
            "possibly_breaking": list(release.material.possible),
            "path": changelog.place if changelog else None,
            "changed": changelog.changed if changelog else False,
            "written": to_json(list(written)),
            **({"grade": grade_content(checked.grade)} if checked else {}),
            **({"judgement": judgement_object(judgement)} if judgement else {}),
        },
    )


def _entry(entry: Any) -> dict[str, Any]:
    content: dict[str, Any] = to_json(entry)
    content["parts"] = [part.text for part in entry.parts]
    return content


def written_text(written: Written, version: str) -> str:
    """What became of one place, in a sentence."""
    what = {"changelog": "the section of ", "github-release": "the text of "}.get(
        written.kind, "the note of "
    )
    place = f"tag {show(written.place)}" if written.kind == "tag" else show(written.place)
    warning = f" It is {written.warning}." if written.warning else ""
    if written.changed:
        return f"{place}: wrote {what}{show(version)}.{warning}"
    return f"{place}: has {what}{show(version)} already; nothing changed.{warning}"


def remarks(release: Release) -> str:
    """What a reader of the note should know about its range; mostly nothing."""
    span = release.range
    possible = release.material.possible
    said = [show(one) for one in release.material.told]
    said.extend(f"possibly breaking: {show(one)}" for one in possible[:_MOST_POSSIBLE])
    if len(possible) > _MOST_POSSIBLE:
        said.append(f"possibly breaking: {len(possible) - _MOST_POSSIBLE:,} more, all in --json")
    if not span.start_is_ancestor:
        said.append(
            f"{show(span.start or '')} was released from another branch than {show(span.end)}; "
            "entries that were out already are marked."
        )
    return "\n".join(said)


def coverage_text(release: Release) -> str:
    """One line for each commit of the range, newest first: its entry, or why it is in none."""
    selection = release.material.selection
    told = {sha: entry.text for entry in selection.entries for sha in entry.commits}
    left = {item.path: item.reason for item in selection.omitted}
    lines: list[str] = []
    for commit in release.material.tree.commits:
        sha = commit.sha
        where = f"in: {show(told[sha])}" if sha in told else f"left out: {show(left.get(sha, 'unknown'))}"
        lines.append(f"{sha[:_ID]} {where}")
    total = len(release.material.tree.commits)
    lines.append(
        f"{total:,} commits: {len(told):,} in {len(selection.entries):,} entries, {len(left):,} left out."
    )
    return "\n".join(lines)


def bump_json(bump: Bump) -> str:
    return dump("bump", {"tag": bump.tag, **to_json(bump.proposal), "range": to_json(bump.range)})


def reasons_text(bump: Bump) -> str:
    """Why that version; long lists are cut."""
    reasons = [show(reason) for reason in bump.proposal.reasons]
    more = [f"and {len(reasons) - 5} more"] if len(reasons) > 5 else []
    head = (
        f"{bump.proposal.scheme}, {bump.proposal.part}:"
        if bump.proposal.part != "none"
        else "no new version:"
    )
    return "\n".join([head, *(f"  {reason}" for reason in [*reasons[:5], *more])])


def changelog_json(changelog: Changelog, path: Path | None, changed: bool) -> str:
    versions = [
        {
            "name": one.name,
            "version": one.version,
            "commits": one.commits,
            "text": one.note.text,
            "omitted": to_json(one.note.omitted),
        }
        for one in changelog.versions
    ]
    place = str(path) if path else None
    return dump(
        "changelog",
        {
            "text": changelog.text,
            "commits": changelog.commits,
            "versions": versions,
            "path": place,
            "changed": changed,
        },
    )


def unfollowed_text(changelog: Changelog) -> str:
    """What of other tools' files the changelog does not follow; mostly nothing."""
    return "\n".join(map(show, changelog.told))


def whole_text(changelog: Changelog, path: Path, changed: bool) -> str:
    count = f"{len(changelog.versions):,} versions from {changelog.commits:,} commits"
    return f"{show(str(path))}: wrote {count}." if changed else f"{show(str(path))}: has {count} already."
