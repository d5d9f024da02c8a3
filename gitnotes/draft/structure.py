"""What does the change itself say, as a commit message, with no model and no network?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from gitnotes.draft.clean import clean_message
from gitnotes.draft.evidence import Evidence, conventional_type, gather, haystack, is_safe_path, unknown_names
from gitnotes.draft.naming import name_of, say_definition, say_parameters
from gitnotes.draft.style import Style, apply
from gitnotes.draft.subjects import subjects
from gitnotes.draft.words import join_names, say_count, shorten
from gitnotes.kinds import kind_of
from gitnotes.records import Change, FileChange

BULLETS = 8
"""Parts listed in a body; the rest is counted."""


def draft_from_structure(change: Change, style: Style, count: int = 1) -> list[str]:
    """Up to `count` distinct messages for `change`, best first, each with a subject of at most 72 columns.

    Every name in them is in the change. A body is written when the change has several parts: one
    bullet a part, the largest first. There is always at least one message.
    """
    evidence = gather(change)
    kind = conventional_type(evidence)
    shown = haystack(change)
    bullets = [bullet for bullet in _body(evidence) if not unknown_names(bullet, shown)]
    drafts: list[str] = []
    seen: set[str] = set()
    for words in _with_last_resort(evidence, style):
        subject = apply(style, words, paths=evidence.paths, kind=kind)
        key = re.sub(r"\W+", "", subject.lower())
        if key in seen or unknown_names(words, shown) or _prefix_invents(subject, words, shown):
            continue
        seen.add(key)
        told = [bullet for bullet in bullets if re.sub(r"\W+", "", bullet.lower()) not in key]
        body = "\n".join(told) if len(told) > 1 else ""
        message = clean_message(f"{subject}\n\n{body}" if body else subject)
        if message is not None:
            drafts.append(message)
        if len(drafts) >= max(count, 1):
            break
    return drafts


def _with_last_resort(evidence: Evidence, style: Style) -> Iterator[str]:
    yield from subjects(evidence, style)
    yield f"Update {say_count(len(evidence.paths), 'file')}"


def _prefix_invents(subject: str, words: str, shown: str) -> bool:
    """Whether the learned prefix names a part of the project that the change does not touch."""
    match = re.match(r"[^:\s(]*\(([^)]*)\)!?: ", subject)
    return match is not None and bool(unknown_names(match[1], shown)) and match[1] not in words


def _body(evidence: Evidence) -> list[str]:
    """One bullet for each part of the change, largest first; empty for a change of one part."""
    parts: list[tuple[int, str]] = []
    by_file: dict[str, list[str]] = defaultdict(list)
    weights: dict[str, int] = defaultdict(int)
    for item in (*evidence.code, *evidence.tests):
        if item.action == "changed" and not (item.added_parameters or item.removed_parameters):
            continue
        if item.owner and any(
            other.name == item.owner and other.action == item.action for other in evidence.code
        ):
            continue
        sentence = (
            say_parameters(item) if item.added_parameters or item.removed_parameters else say_definition(item)
        )
        by_file[item.path].append(sentence)
        weights[item.path] += max(item.lines, 1)
    changed: dict[str, list[str]] = defaultdict(list)
    for item in evidence.code:
        if item.action == "changed" and item.path not in by_file and item.name not in changed[item.path]:
            changed[item.path].append(item.name)
    for path, sentences in by_file.items():
        parts.append((weights[path], _merge(sentences)))
    for file in evidence.change.files:
        if file.path not in by_file and kind_of(file.path) not in {"changelog", "lock"}:
            names = changed.get(file.path) if file.status == "M" else None
            told = f"Update {join_names(names[:3])} in {name_of(file.path)}" if names else _say_file(file)
            parts.append(((file.added or 0) + (file.removed or 0), told))
    bumps = [item for item in evidence.dependencies if not item.project and item.old and item.new]
    if len(bumps) > 1:
        files = {item.path for item in bumps}
        parts = [part for part in parts if not any(part[1] == _say_path("Update", path) for path in files)]
        parts.extend((1000, f"{item.name} {item.old} -> {item.new}") for item in bumps[: BULLETS - 1])
    if len(parts) < 2:
        return []
    parts.sort(key=lambda part: -part[0])
    lines = [f"- {shorten(text, 70)}" for _, text in parts[:BULLETS]]
    if len(parts) > BULLETS:
        lines.append(f"- {say_count(len(parts) - BULLETS, 'more part')}")
    return list(dict.fromkeys(lines))


def _merge(sentences: list[str]) -> str:
    """Sentences that begin with the same verb become one: `Add a, b and c`."""
    verb = sentences[0].partition(" ")[0]
    same = [sentence.partition(" ")[2] for sentence in sentences if sentence.startswith(verb + " ")]
    tail = re.search(r" to \S+$", same[0])
    if len(same) == 1 or verb not in {"Add", "Remove"}:
        return sentences[0]
    if tail and all(text.endswith(tail[0]) for text in same):
        same = [text[: -len(tail[0])] for text in same]
        return f"{verb} {join_names(same[:4])}{' and more' if len(same) > 4 else ''}{tail[0]}"
    return f"{verb} {join_names(same[:4])}{' and more' if len(same) > 4 else ''}"


def _say_file(item: FileChange) -> str:
    if item.submodule and is_safe_path(item.path):
        return f"Update submodule {item.path} from {item.submodule[0][:7]} to {item.submodule[1][:7]}"
    if item.status == "R" and item.old_path and is_safe_path(item.path) and is_safe_path(item.old_path):
        return f"Move {item.old_path} to {item.path}"
    verb = {"A": "Add", "D": "Remove", "C": "Copy"}.get(item.status, "Update")
    return _say_path(verb, item.path)


def _say_path(verb: str, path: str) -> str:
    return f"{verb} {path}" if is_safe_path(path) and len(path) < 60 else f"{verb} {name_of(path)}"
