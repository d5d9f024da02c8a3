"""What could be written? Drafters turn a change or a commit tree into text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from gitnotes.errors import UsageError

if TYPE_CHECKING:
    from gitnotes.draft.style import Style
    from gitnotes.records import Change, Neighbour

    Drafter = Callable[[Change, Style, int, Sequence[Neighbour]], list[str]]

DRAFTERS = {
    "best": "gitnotes.draft.choose:draft_best",
    "history": "gitnotes.draft.choose:draft_from_history",
    "structure": "gitnotes.draft.structure:draft_from_structure",
}
"""Name of a drafter to `module:function`; the module is imported on first use."""


def find_drafter(name: str) -> Drafter:
    """The function `(change, style, count, neighbours) -> messages, best first` of the drafter called `name`.

    Raises UsageError when no drafter has that name.
    """
    try:
        module, _, function = DRAFTERS[name].partition(":")
    except KeyError:
        raise UsageError(
            f"There is no drafter called {name!r}.", f"Choose one of: {', '.join(sorted(DRAFTERS))}."
        ) from None
    drafter: Drafter = getattr(import_module(module), function)
    return drafter
