"""Which scope does a change have where scopes are named after packages?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gitnotes.kinds import main_paths

_SAFE = re.compile(r"[\w.@-]{1,40}")


def scope_of(
    packages: Sequence[str],
    paths: Sequence[str],
    habits: Mapping[str, str],
    scopes: Mapping[str, int],
    typed: int,
) -> str:
    """The name of the one package that holds a change; '' where the repository would not name it.

    `packages` are patterns of folders, `habits` folders with the prefix that their commits carry, and
    `scopes` those in use with their count among the `typed` subjects, of which a third must be packages.
    """
    folders = {package_of(packages, path) for path in main_paths(paths)}
    folder = folders.pop() if len(folders) == 1 else ""
    if not folder or habits.get(folder, "").startswith("{type}: "):
        return ""  # this package has a habit, and it is to name no scope
    known = {name.rpartition("/")[2] for name in packages} | {
        name.rpartition("/")[2] for name in habits if package_of(packages, f"{name}/") == name
    }
    named = sum(count for scope, count in scopes.items() if scope in known)
    scope = folder.rpartition("/")[2]
    return scope if named * 3 >= max(typed, 1) and _SAFE.fullmatch(scope) else ""


def package_of(packages: Sequence[str], path: str) -> str:
    """The folder of the package that a path lies in; '' for none."""
    parts = path.split("/")
    for pattern in packages:
        wanted = pattern.replace("/**", "/*").split("/")
        if len(parts) > len(wanted) and all(
            name in ("*", part) for name, part in zip(wanted, parts, strict=False)
        ):
            return "/".join(parts[: len(wanted)])
    return ""
