"""Which subjects fit a change of dependencies, workflows, documents or tests alone?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gitnotes.draft.evidence import Evidence, by_action, is_safe
from gitnotes.draft.naming import (
    full_name,
    inside,
    outer,
    place,
    say_test,
    subject_of,
    test_target,
    test_words,
)
from gitnotes.draft.quotes import added_code_names, added_headings, changelog_sentences
from gitnotes.draft.sources import is_downgrade
from gitnotes.draft.style import Style, phrase_key
from gitnotes.draft.words import join_names, say_count, shorten
from gitnotes.kinds import kind_of
from gitnotes.records import DefinitionChange, DependencyChange


def say_dependencies(evidence: Evidence, style: Style) -> Iterator[str]:
    """Bumps, pins, new and dropped dependencies, when the change is about them."""
    found = [item for item in evidence.dependencies if not item.project]
    total = sum(evidence.kinds.values())
    lines = evidence.kinds.get("manifest", 0) + evidence.kinds.get("lock", 0)
    mostly = lines * 10 >= total * 8 or len(found) * 6 >= total
    if evidence.theme != "dependencies" and not (
        found and mostly and evidence.theme in {"ci", "manifest", "config", "mixed"}
    ):
        return
    direct = [item for item in found if kind_of(item.path) != "lock"] or found
    # Where requirements are compiled, the `.in` file has what a person asked for.
    direct = [item for item in direct if item.path.endswith(".in")] or direct
    phrase = style.phrases.get(phrase_key(evidence.paths)) or style.phrases.get("dependencies")
    if phrase and len({item.name for item in direct}) > 1 and evidence.theme == "dependencies":
        yield phrase
    if len({item.name for item in direct}) == 1:
        item = direct[0]
        yield _bump(item)
        if item.old and item.new:
            yield f"Bump {_short(item.name)} from {item.old} to {item.new}"
    elif direct:
        yield from _several(direct)
    else:
        yield from say_swap(evidence, style)
        if phrase:
            yield phrase
    if evidence.theme == "dependencies":
        yield "Update lock file" if set(evidence.kinds) == {"lock"} else "Update dependencies"


def _several(direct: Sequence[DependencyChange]) -> Iterator[str]:
    for action, verb in (("removed", "Remove"), ("added", "Add")):
        if all(getattr(item, action) for item in direct):
            names = [_short(item.name) for item in direct[:3]]
            yield f"{verb} {join_names(names) if len(direct) <= 3 else ', '.join(names) + ' and others'}"
    if len(direct) <= 3 and not any(item.added or item.removed for item in direct):
        listed = join_names([_short(item.name) for item in direct])
        if not any(item.new for item in direct):
            yield f"Unpin {listed}"
        elif not any(item.old for item in direct):
            yield f"Pin {listed}"
    if len({item.new for item in direct}) == 1 and all(item.old and item.new for item in direct):
        shared = _shared_name([item.name for item in direct])
        yield f"Update {shared or say_count(len(direct), 'dependency')} to {direct[0].new}"
    tools = {item.tool for item in direct}
    noun = {"action": "actions", "hook": "pre-commit hooks"}.get(tools.pop(), "dependencies")
    if len(direct) <= 3:
        yield f"Update {join_names([_short(item.name) for item in direct])}"
    yield f"Update {noun if not tools else 'dependencies'}"


def _bump(item: DependencyChange) -> str:
    name = _short(item.name)
    if item.added:
        return f"Add {name}{' dependency' if not item.tool else ''}"
    if item.removed:
        return f"Remove {name}{' dependency' if not item.tool else ''}"
    if not item.new:
        return f"Unpin {name}"
    if not item.old:
        return f"Pin {name} to {item.new}"
    return f"{'Downgrade' if is_downgrade(item) else 'Update'} {name} to {item.new}"


def _short(name: str) -> str:
    return name.removeprefix("github.com/").removeprefix("golang.org/")


def _shared_name(names: Sequence[str]) -> str:
    """`@codemirror` for `@codemirror/view` and `@codemirror/state`; empty when they share no first part."""
    heads = {re.split(r"[/_-]", name, maxsplit=1)[0] for name in names}
    head = heads.pop() if len(heads) == 1 else ""
    return head if len(head) > 2 and "." not in head else ""


def say_workflows(evidence: Evidence, style: Style) -> Iterator[str]:
    """A change of nothing but CI."""
    if evidence.theme != "ci":
        return
    files = evidence.change.files
    name = place(evidence.paths).partition(".")[0]
    if all(item.status == "A" for item in files):
        yield f"Add {name} workflow" if len(files) == 1 else f"Add {say_count(len(files), 'workflow')}"
    keys = {
        action: [item for item in evidence.settings if item.action == action and item.kind == "key"]
        for action in ("added", "removed")
    }
    named = {action: [item.name for item in items if len(item.name) > 3] for action, items in keys.items()}
    if len(named["added"]) in (1, 2) and not keys["removed"]:
        yield f"Add {join_names(named['added'])} to {name} workflow"
    if len(named["removed"]) in (1, 2) and not keys["added"]:
        yield f"Remove {join_names(named['removed'])} from {name} workflow"
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


_URL = re.compile(r"https?://[^\s)>`\"']+")


def _links(evidence: Evidence, sign: str) -> bool:
    return any(_URL.search(line) for line in evidence.change.lines(sign))


def _only_links(evidence: Evidence) -> bool:
    old, new = ("\n".join(evidence.change.lines(sign)) for sign in "-+")
    return old != new and _URL.sub("", old) == _URL.sub("", new)


def say_tests(evidence: Evidence, style: Style) -> Iterator[str]:
    """A change of nothing but tests."""
    if evidence.theme != "test":
        return
    about = subject_of(evidence.paths)
    tests = about if re.search(r"\btests?$", about) else f"{about} tests"
    if {line.strip() for line in evidence.change.lines("+")} - {""} == {"t.Parallel()"}:
        yield f"Run {tests} in parallel"
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
    if len(changed) == 1 and not added:
        words = test_words(changed[0].name).removesuffix(" test")
        yield f"Update {words} test"
    growing = not (changed or removed) and not any(item.removed for item in evidence.change.files)
    yield f"{'Add' if growing else 'Update'} {tests}"


def _named_tests(items: Sequence[DefinitionChange], verb: str, about: str) -> Iterator[str]:
    if len(items) == 1:
        yield f"{verb} {say_test(items[0].name)}"
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


def say_swap(evidence: Evidence, style: Style) -> Iterator[str]:
    """One token that became another one wherever it changed."""
    swap = evidence.edits.swap
    if swap and is_safe(swap[0]) and is_safe(swap[1]):
        where = inside(evidence) or place(evidence.paths)
        if re.fullmatch(r"v?\d[\w.]*", swap[0]) and re.fullmatch(r"v?\d[\w.]*", swap[1]):
            yield f"Change {swap[0]} to {swap[1]} in {where}"
        else:
            yield f"Replace {swap[0]} with {swap[1]} in {where}"
