"""Which prefix did earlier commits of the same files carry, and is it the one for this change?"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Sequence

from gitnotes.conventional import read_head
from gitnotes.draft.evidence import Evidence, conventional_type, unknown_names
from gitnotes.draft.style import Style, belongs, package_for, split_prefix, type_in_use
from gitnotes.guard.text import clean
from gitnotes.kinds import main_paths
from gitnotes.messages import is_bot
from gitnotes.records import Neighbour

_LEAST = 1.0
"""Weight of votes that makes a habit: two commits of the very same files, or several like it."""
_DECIDED = frozenset({"docs", "test"})
"""Themes whose type follows from the files."""
# Found on 943 commits of three repositories that keep to Conventional Commits.
_ANY, _HABIT, _OWN = 0.02, 0.6, 0.4
# Found on commits 200 to 380 of nine repositories.
_HABIT_OF_SCOPE, _IN_PATH, _LEAST_VOTES = 0.6, 0.3, 0.3
_LONG_AGO = 300
"""Commits after which a vote counts half."""


def learn_from_neighbours(style: Style, evidence: Evidence, neighbours: Sequence[Neighbour]) -> Style:
    """The style with the prefix that most of the earlier commits of the same files carry, where most do."""
    votes: Counter[str] = Counter()
    for item in neighbours:
        if item.files > 0 and not is_bot(item.author):
            form = split_prefix(clean(item.subject[:200]))[0]
            votes[form] += item.files * (0.5 + item.words) / (1 + item.age / 500)  # type: ignore[assignment]
    total = sum(votes.values())
    if total < _LEAST:
        return style
    form, count = votes.most_common(1)[0]
    if count * 2 <= total or (form and not belongs(form, evidence.paths)):
        return style
    if "{type}" not in form and style.conventional:
        return style
    return dataclasses.replace(style, nearest=form)


def learn_scope(style: Style, evidence: Evidence, neighbours: Sequence[Neighbour], shown: str) -> Style:
    """The style with the scope for which the changes like this one, its paths and the habit speak most.

    `shown` is the haystack of the change; a scope that it does not show is none.
    """
    if not (style.conventional and style.scopes and neighbours):
        return style
    if "release" in style.scopes and conventional_type(evidence) == "release":
        return dataclasses.replace(style, nearest="{type}(release): ")
    package = package_for(style, evidence.paths)
    if package and package not in style.scopes:  # a new one, of which nobody can have spoken
        return dataclasses.replace(style, nearest=f"{{type}}({package}): ")
    votes: Counter[str] = Counter()
    for item in neighbours:
        _, kind, scope, _ = split_prefix(item.subject)
        if kind and not is_bot(item.author):
            votes[scope] += _weight(item)  # type: ignore[assignment]
    total, typed = max(sum(votes.values()), _LEAST_VOTES), sum(style.types.values()) or 1
    habits = {**style.scopes, "": max(typed - sum(style.scopes.values()), 0)}
    folders = {name.lower() for path in main_paths(evidence.paths) for name in re.split(r"[/.]", path)}
    scores = {
        scope: votes[scope] / total
        + _HABIT_OF_SCOPE * habits.get(scope, 0) / typed
        + _IN_PATH * (scope.lower() in folders)
        for scope in {*votes, *habits}
        if not unknown_names(scope, shown)
    }
    scope = max(sorted(scores), key=scores.__getitem__, default="")
    return dataclasses.replace(style, nearest=f"{{type}}({scope}): " if scope else "{type}: ")


def _weight(item: Neighbour) -> float:
    return (item.words**2 + item.files + _ANY) / (1 + item.age / _LONG_AGO)


def learn_type(style: Style, kind: str, evidence: Evidence, neighbours: Sequence[Neighbour]) -> str:
    """The conventional type, in the repository's own word: that which follows from the files, else the
    one for which the change (`kind`), the changes like it and the habit speak most."""
    own = type_in_use(style, kind)
    if evidence.theme in _DECIDED or not neighbours:
        return own
    votes: Counter[str] = Counter()
    for item in neighbours:
        head = read_head(item.subject)
        if head is not None and head.is_usual:
            votes[head.type.lower()] += _weight(item)  # type: ignore[assignment]
    total = sum(style.types.values()) or 1
    scores = {
        name: votes[name] + _HABIT * style.types.get(name, 0) / total + _OWN * (name == own)
        for name in {*votes, *style.types, own}
    }
    return max(sorted(scores), key=scores.__getitem__)
