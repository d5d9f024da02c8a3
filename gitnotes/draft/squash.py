"""How do the messages of commits that are squashed become one?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitnotes.draft.repair import take_apart
from gitnotes.messages import is_fixup, is_merge_subject
from gitnotes.relations import SquashedCommit

PARTS = 50
"""Commits whose messages are merged; of more the newest are only counted."""


def merge_messages(parts: Sequence[SquashedCommit], drafts: Sequence[str]) -> Iterator[str]:
    """Messages for the whole, in no order of worth: one for each subject that could stand for all,
    those of the `drafts` included, over a list of the others, oldest first.

    Fixups, merges and what is said twice disappear; bodies and trailers stay. `parts` are in the order
    of `git log`, newest first. Nothing for parts that say nothing.
    """
    known = {item.subject: item for item in reversed(parts[-PARTS:]) if _tells(item.subject)}
    later = len({item.subject for item in parts[:-PARTS] if _tells(item.subject)} - set(known))
    rest = [f"- {later:,} later commit{'s' if later > 1 else ''}"] if later else []
    items = [take_apart(f"{item.subject}\n\n{item.body}") for item in known.values()]
    if not items:
        return
    trailers = tuple(dict.fromkeys(line for item in items for line in item.trailers))
    for main in items:
        others = [item for item in items if item is not main]
        body = [*main.body, *([""] if main.body and others else []), *_list(others), *rest]
        yield main._replace(body=tuple(body), trailers=trailers).join()
    if len(items) > 1:
        for draft in drafts:
            yield take_apart(draft)._replace(body=(*_list(items), *rest), trailers=trailers).join()


def _tells(subject: str) -> bool:
    return bool(subject) and not is_fixup(subject) and not is_merge_subject(subject)


def _list(items: Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]) -> Iterator[str]:
    for subject, body, _ in items:
        yield f"- {subject}"
        yield from (f"  {line}".rstrip() for line in body)
