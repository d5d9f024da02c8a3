"""Which subjects fit a change of workflows, documents or tests alone?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gitnotes.draft.code import say_calls
from gitnotes.draft.evidence import Evidence, by_action
from gitnotes.draft.naming import (
    first_phrase,
    full_name,
    outer,
    place,
    say_files,
    say_test,
    subject_of,
    test_target,
    test_words,
)
from gitnotes.draft.quotes import added_code_names, added_headings, changelog_sentences
from gitnotes.draft.settings import say_settings, say_swap
from gitnotes.draft.style import Style, phrase_key
from gitnotes.draft.words import join_names, say_count, shorten
from gitnotes.guard.patterns import late
from gitnotes.kinds import kind_of, stem_of
from gitnotes.records import DefinitionChange


def say_workflows(evidence: Evidence, style: Style) -> Iterator[str]:
    """A change of nothing but CI."""
    if evidence.theme != "ci":
        return
    files = evidence.change.files
    name = place(evidence.paths).partition(".")[0]
    if all(item.status == "A" for item in files):
        yield f"Add {name} workflow" if len(files) == 1 else f"Add {say_count(len(files), 'workflow')}"
    yield from say_settings(evidence, f"{name} workflow" if len(files) == 1 else "CI workflows")
    yield from say_swap(evidence, style)
    phrase = style.phrases.get(phrase_key(evidence.paths)) or style.phrases.get("ci")
    if phrase:
        yield phrase
    yield f"Update {name} workflow" if len(evidence.paths) == 1 else "Update CI workflows"


def say_documents(evidence: Evidence, style: Style) -> Iterator[str]:
    """A change of nothing but documents, a changelog or a licence."""
    if evidence.theme == "changelog":
        yield from _changelog(evidence, style)
    elif evidence.theme == "licence":
        yield f"Update {place(evidence.paths)}"
    elif evidence.theme == "docs":
        yield from _documents(evidence, style)


def _changelog(evidence: Evidence, style: Style) -> Iterator[str]:
    sentences = changelog_sentences(evidence.change)
    removed = any(line[:1] == "-" for hunk in evidence.change.hunks for line in hunk.lines)
    if len(sentences) == 1:
        yield "Update changelog entry" if removed else shorten(f"Add changelog entry: {sentences[0]}")
    phrase = style.phrases.get(phrase_key(evidence.paths)) or style.phrases.get("changelog")
    if phrase:
        yield phrase
    yield "Update changelog"


def _documents(evidence: Evidence, style: Style) -> Iterator[str]:
    name = subject_of(evidence.paths)
    files = evidence.change.files
    headings = [item for item in added_headings(evidence.change) if len(item.split()) <= 7]
    docs = f"{name} docs" if not re.match(r"(?i)readme|contributing|.*\bdocs?\b|.* files$", name) else name
    added = sum(item.added or 0 for item in files)
    removed = sum(item.removed or 0 for item in files)
    small = any(len(stem_of(item.path).partition(".")[0]) <= 2 for item in files)
    if small and len({item.status for item in files}) == 1:
        verb, link = {"A": ("Add", "to"), "D": ("Remove", "from")}.get(files[0].status, ("Update", "in"))
        yield f"{verb} {say_files(files, link)}"
    if all(item.status == "A" for item in files):
        # The headings of a README are the project's name and parts that every README has.
        named = headings and not name.lower().startswith("readme")
        yield f"Add {headings[0]} docs" if named else f"Add {docs}"
    elif headings and added > 2 * removed:
        yield f"Document {headings[0]}" if len(headings) == 1 else f"Add {join_names(headings[:2])} to {docs}"
    if _only_links(evidence):
        yield f"Update link{'s' if added > 1 else ''} in {docs}"
    yield from say_swap(evidence, style)
    names = added_code_names(evidence.change)
    if 1 <= len(names) <= 2 and added >= removed:
        yield f"Document {join_names(names)} in {docs}"
    if removed and not added:
        yield f"Remove {'link' if _links(evidence, '-') else 'text'} from {docs}"
    yield f"{'Extend' if added > 4 * removed + 4 else 'Update'} {docs}"


_URL = late(r"https?://[^\s)>`\"']+")


def _links(evidence: Evidence, sign: str) -> bool:
    return any(_URL().search(line) for line in evidence.change.lines(sign))


def _only_links(evidence: Evidence) -> bool:
    old, new = ("\n".join(evidence.change.lines(sign)) for sign in "-+")
    return old != new and _URL().sub("", old) == _URL().sub("", new)


def say_tests(evidence: Evidence, style: Style) -> Iterator[str]:
    """A change of nothing but tests."""
    lines = {kind: count for kind, count in evidence.kinds.items() if kind not in {"lock", "changelog"}}
    mostly = evidence.theme == "mixed" and lines.get("test", 0) * 10 >= sum(lines.values()) * 8
    if evidence.theme != "test" and not mostly:
        return
    paths = [path for path in evidence.paths if kind_of(path) == "test"]
    about = subject_of(paths)
    tests = about if re.search(r"\btests?$", about) else f"{about} tests"
    if {line.strip() for line in evidence.change.lines("+")} - {""} == {"t.Parallel()"}:
        yield f"Run {tests} in parallel"
    yield from say_calls(evidence)
    added, removed = by_action(evidence.tests, "added", "test"), by_action(evidence.tests, "removed", "test")
    yield from _named_tests(added, "Add", about)
    if not added:
        yield from _named_tests(removed, "Remove", about)
        for item in outer(evidence.tests):
            if item.action in {"removed", "renamed"} and item.kind != "test":
                verb = "Remove" if item.action == "removed" else "Rename"
                yield f"{verb} {full_name(item)} {'from' if verb == 'Remove' else 'in'} {tests}"
    changed = [
        item for item in evidence.tests if item.action in {"changed", "renamed"} and item.kind == "test"
    ]
    yield from say_swap(evidence, style)
    single = len(changed) == 1 or (changed and changed[0].action == "changed")
    if single and not added and changed[0].lines * 2 >= sum(item.lines for item in changed):
        words = test_words(changed[0].name).removesuffix(" test")
        yield f"Update {words} test"
    growing = not (changed or removed) and not any(item.removed for item in evidence.change.files)
    yield f"{'Add' if growing else 'Update'} {tests}"


def _named_tests(items: Sequence[DefinitionChange], verb: str, about: str) -> Iterator[str]:
    if len(items) == 1:
        yield f"{verb} {say_test(items[0].name)}"
        phrase = first_phrase(test_words(items[0].name))
        if len(phrase.split()) > 1:
            yield f"{verb} test for {phrase}"
    elif items:
        words = [test_words(item.name).split() for item in items]
        common: list[str] = []
        for pieces in zip(*words, strict=False):
            if len(set(pieces)) > 1:
                break
            common.append(pieces[0])
        if len(items) == 2 and len(common) < 2:
            yield f"{verb} tests for {join_names([test_target(item.name) for item in items])}"
        yield f"{verb} tests for {' '.join(common) or about}"
