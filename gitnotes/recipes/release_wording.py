"""What does a language model make of the entries of a note, one by one and within a budget?"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from gitnotes.errors import InputError, ModelError
from gitnotes.read.git import Git
from gitnotes.recipes.asking import Remembering
from gitnotes.recipes.release_language import reply_language
from gitnotes.recipes.releasing import Material, Release, render
from gitnotes.records import Omission

if TYPE_CHECKING:
    from gitnotes.draft.notes.entries import Entry
    from gitnotes.records import Commit, Judgement

SECONDS = 300.0
"""For all entries and the highlights together."""
_EACH = 60.0
"""For one of them."""
_READERS = {"users": "its users", "developers": "its developers", "operators": "those who run it"}


def word_release(
    git: Git, release: Release, spec: str, *, progress: Callable[[int], None] | None = None
) -> tuple[Release, tuple[Omission, ...]]:
    """The release with its entries worded by the model that `spec` names, and what was not used and why.

    An entry whose text names or counts what its commits do not, or that is not done within the budget,
    stays as it is; so do dependency updates and what people wrote a fragment for. The answers are kept, so
    that a second run is free. Raises UsageError for what the user has to settle (unknown model, no
    consent, not installed), ModelError when the model cannot be asked at all.
    """
    from gitnotes.draft.models.note_words import word_entry, word_highlights
    from gitnotes.recipes.judging import open_cache
    from gitnotes.recipes.models import find_generator

    material = release.material
    language = reply_language(material.options.language or material.selection.style.language)
    readers = _READERS.get(material.options.audience, "its users")
    commits = {commit.sha: commit for commit in material.tree.commits}
    told: list[Omission] = []
    entries: list[Entry] = []
    deadline = time.monotonic() + SECONDS
    with ExitStack() as stack:
        generator = find_generator(spec, git)
        signature = str(generator.signature)
        with suppress(InputError):  # without a cache it only takes longer
            generator = Remembering(generator, stack.enter_context(open_cache()))
        for at, entry in enumerate(material.selection.entries):
            left = min(_EACH, deadline - time.monotonic())
            entries.append(entry)
            if entry.bumps or entry.marked or left <= 0:
                if left <= 0:
                    told.append(Omission("", f"not worded in time: {entry.text}"))
                continue
            try:
                words = word_entry(
                    said_of(entry, commits),
                    readers,
                    generator,
                    left,
                    must_share=entry.text,
                    language=language,
                )
            except ModelError as problem:
                if not at:
                    raise
                told.append(Omission("", f"the model gave up: {problem}"))
                entries.extend(material.selection.entries[at + 1 :])
                break
            if words.text:
                entries[-1] = dataclasses.replace(entry, text=words.text, prefix="")
            else:
                told.append(Omission("", f"kept as it is ({words.refused}): {entry.text}"))
            if progress is not None:
                progress(at + 1)
        paragraph = ""
        left = min(_EACH, deadline - time.monotonic())
        if material.options.highlights and entries and left > 0:
            with suppress(ModelError):
                shown = [entry.text for entry in entries]
                found = word_highlights(shown, readers, generator, left, language=language)
                paragraph = found.text
    worded = _replace(material, tuple(entries), signature)
    return Release(render(git, worded, highlights=paragraph), worded), tuple(told)


def said_of(entry: Entry, commits: dict[str, Commit]) -> list[str]:
    """All that the commits of an entry say of it: its title first, then subjects and bodies."""
    mine = [commits[sha] for sha in entry.commits if sha in commits]
    return list(
        dict.fromkeys([entry.text, *entry.breaking, *(commit.message[:2000].strip() for commit in mine)])
    )


def judge_release(
    git: Git, release: Release, note: str, spec: str, *, tell: Callable[[int], None] | None = None
) -> Judgement:
    """What the model that `spec` names thinks of a note for the range of the release.

    `tell` is given the calls that it takes before any is made. Raises UsageError, ModelError.
    """
    from gitnotes.grade.judging.asking import Plan
    from gitnotes.grade.judging.notes import count_calls
    from gitnotes.grade.judging.rubric import find_profile
    from gitnotes.recipes.judging import judge_note, note_changes, open_cache
    from gitnotes.recipes.models import find_generator

    generator = find_generator(spec, git)
    plan = Plan(find_profile("release"))
    if tell is not None:
        tell(count_calls(plan, len(note_changes(release.material.tree))))
    with ExitStack() as stack:
        cache = None
        with suppress(InputError):
            cache = stack.enter_context(open_cache())
        drafter = release.material.selection.settings.get("model", "")
        return judge_note(release.material.tree, note, generator, plan=plan, drafter=drafter, cache=cache)


def _replace(material: Material, entries: tuple[Entry, ...], signature: str) -> Material:
    settings = {**material.selection.settings, "model": signature}
    selection = dataclasses.replace(material.selection, entries=entries, settings=settings)
    return dataclasses.replace(material, selection=selection)
