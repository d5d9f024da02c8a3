"""gitnotes: read git, draft text, grade text, write it back.

The public names are loaded on first use, so that `import gitnotes` costs nothing.
"""

from __future__ import annotations

import sys

# Not from typing, whose import costs more than all else that the hook loads before it decides.
TYPE_CHECKING = False

__version__ = "0.1.0"

__all__ = ["GitnotesError", "__version__", "grade", "log_mnext", "release_note", "suggest"]

if TYPE_CHECKING:
    from typing import Any

    from gitnotes.errors import GitnotesError
    from gitnotes.grade.log_mnext import log_mnext
    from gitnotes.recipes.drafting import suggest
    from gitnotes.recipes.grading import grade
    from gitnotes.recipes.releasing import release_note

_HOMES = {
    "GitnotesError": "gitnotes.errors",
    "log_mnext": "gitnotes.grade.log_mnext",
    "release_note": "gitnotes.recipes.releasing",
    "suggest": "gitnotes.recipes.drafting",
}


class _CallableRoom(type(sys)):  # type: ignore[misc]
    """The class of the package `gitnotes.grade`, which is the public function `grade` as well."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """See `gitnotes.recipes.grading.grade`."""
        from gitnotes.recipes.grading import grade as function

        return function(*args, **kwargs)


def __getattr__(name: str) -> Any:
    import importlib

    if name == "grade":
        return importlib.import_module("gitnotes.grade")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'gitnotes' has no attribute {name!r}")
