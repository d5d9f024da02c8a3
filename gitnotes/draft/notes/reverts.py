"""Which changes of a range undo others of it, so that neither is news?"""

from __future__ import annotations

import re

from gitnotes.draft.notes.titles import one_line, read_title
from gitnotes.draft.notes.units import Unit, plain_words

# As people write it too; git's own form is in `gitnotes.messages`.
_REVERT = re.compile(r"(?:revert(?:s|ed|ing)?|reapply|back ?out|backed out)\b[: ]*", re.I)
_REVERTED_SHA = re.compile(r"reverts? commit ([0-9a-f]{7,64})")
_REVERTED_PULL = re.compile(
    r"reverts? (?:pull request |merge request |PR |MR )?(?:[\w./-]{1,100})?([#!]\d{1,9})\b", re.I
)


def cancel_reverts(units: list[Unit]) -> None:
    """Newest first, a revert and what it undoes vanish together; a reverted revert undoes nothing."""
    home_of = {commit.sha: unit for unit in units for commit in unit.commits}
    by_pull: dict[str, list[Unit]] = {}
    by_text: dict[str, list[Unit]] = {}
    for unit in sorted(units, key=lambda item: item.rank):
        for pull in unit.title.pulls:
            by_pull.setdefault(pull, []).append(unit)
        for text in {
            plain_words(unit.title.text),
            plain_words(one_line(unit.head.subject)),
            plain_words(read_title(unit.head.subject).text),
        }:
            by_text.setdefault(text, []).append(unit)

    for unit in sorted(units, key=lambda item: item.rank):
        if unit.omit or not _is_revert(unit):
            continue
        wanted = _reverted(unit)
        targets: list[Unit] = []
        complete = bool(wanted)
        for kind, value in wanted:
            if kind == "sha":
                homes = [_home(home_of, value)]
                shas = {sha for name, sha in wanted if name == "sha"}
                found = [home for home in homes if home is not None and _is_whole(home, shas)]
            else:
                found = (by_pull if kind == "pull" else by_text).get(value, [])
            found = [home for home in found if home.rank > unit.rank and not home.omit]
            complete = complete and bool(found)
            targets.extend(found[:1])
        if complete:
            for target in targets:
                target.omit = f"undone in this range by {unit.head.sha[:9]}"
            unit.omit = f"undoes {targets[0].head.sha[:9]} of this range"


def _is_revert(unit: Unit) -> bool:
    plain = [commit for commit in unit.commits if not commit.is_merge]
    return (
        unit.title.category == "Reverted"
        or _REVERT.match(unit.title.text) is not None
        or (bool(plain) and all(_REVERT.match(one_line(commit.subject)) for commit in plain))
    )


def _reverted(unit: Unit) -> list[tuple[str, str]]:
    """What a revert says that it undoes: by object id, else by pull request, else by title."""
    shas = [
        ("sha", sha)
        for commit in unit.commits
        if _REVERT.match(one_line(commit.subject)) or commit is unit.head
        for sha in _REVERTED_SHA.findall(commit.body[:20_000])
    ]
    if shas:
        return shas
    pulls = [
        ("pull", pull)
        for commit in unit.commits
        for pull in _REVERTED_PULL.findall(f"{commit.subject[:500]}\n{commit.body[:20_000]}")
    ]
    if pulls:
        return list(dict.fromkeys(pulls))
    title = read_title(reverted_title(unit.title.text))
    return [("pull", pull) for pull in title.pulls] or [("text", plain_words(title.text))]


def _home(home_of: dict[str, Unit], sha: str) -> Unit | None:
    if sha in home_of:
        return home_of[sha]
    found = [name for name in home_of if name.startswith(sha)]
    return home_of[found[0]] if len(found) == 1 else None


def _is_whole(unit: Unit, shas: set[str]) -> bool:
    """Whether undoing `shas` undoes all of the change."""
    if any(unit.head.sha.startswith(sha) for sha in shas):
        return True
    return all(
        any(commit.sha.startswith(sha) for sha in shas) for commit in unit.commits if not commit.is_merge
    )


def reverted_title(text: str) -> str:
    """The title inside `Revert "title"`."""
    rest = _REVERT.sub("", text, count=1).strip()
    return rest[1:-1] if len(rest) > 1 and rest[0] in "\"'“" and rest[-1] in "\"'”" else rest
