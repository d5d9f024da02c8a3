"""What is asked of the form of one commit's message, by settings, other tools and the history together?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from gitnotes.config import Override, Settings
from gitnotes.conventional import TYPES, Habits
from gitnotes.findings import Conventions
from gitnotes.grade.rules.settings import Case, FormSettings

_NOTHING = Conventions(())
_NO_HABITS = Habits()
_SIGN_OFF = "signed-off-by"


def form_settings(
    settings: Settings,
    conventions: Conventions | None,
    *,
    author: str,
    paths: Iterable[str],
    habits: Habits = _NO_HABITS,
) -> FormSettings:
    """What the graders ask of the message of `author`, "Name <email>", for a change of `paths`.

    A setting that somebody made, in an override that applies or elsewhere, wins over `conventions`,
    these win over the `habits` of the history, and these over the defaults. `paths` are read only
    where an override asks for them.
    """
    found = conventions or _NOTHING
    own = {name: getattr(settings, name) for name in settings.origins if hasattr(settings, name)}
    levels = dict(found.levels)
    if habits.stop:
        levels.setdefault("trailing-stop", "off")
    levels.update(settings.rules)
    if settings.overrides:
        paths = tuple(paths)
        for override in settings.overrides:
            if applies(override, author=author, paths=paths):
                own.update(override.values)
                levels.update(override.rules)

    def choose(name: str, taken: Any) -> Any:
        if name in own:
            return own[name]
        return getattr(settings, name) if taken is None else taken

    sign_off = choose("sign_off", any(key.lower() == _SIGN_OFF for key in found.trailers))
    return FormSettings(
        subject_limit=choose("subject_limit", found.subject_limit),
        subject_min=choose("subject_min", found.subject_min),
        body_limit=choose("body_limit", found.body_limit),
        types=choose("types", found.types) or TYPES,
        scopes=choose("scopes", found.scopes),
        capital=_choose_case(choose("capital", "auto"), found, habits),
        subject_pattern=found.subject_pattern,
        ticket=choose("ticket", found.ticket),
        sign_off=sign_off,
        attribution=choose("attribution", None),
        trailers=tuple(key for key in found.trailers if key.lower() != _SIGN_OFF),
        levels=levels,
    )


def applies(override: Override, *, author: str, paths: tuple[str, ...]) -> bool:
    """Whether an override counts for a commit: every path matches, and so does the author.

    One path outside is enough to leave it out, so that nobody gets the easier rules of a folder by
    touching a file in it. Without any path an override for paths does not count.
    """
    from gitnotes.globs import matches_author, matches_path

    if override.authors and not matches_author(author, override.authors):
        return False
    return not override.paths or (bool(paths) and all(matches_path(path, override.paths) for path in paths))


def _choose_case(chosen: str, found: Conventions, habits: Habits) -> Case:
    if chosen != "auto":
        return cast(Case, chosen)
    if found.subject_case:
        return found.subject_case
    return "untyped" if habits.capital else "any"
