"""Which subject lines fit a change, the best first?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from gitnotes.draft.code import say_code, say_options
from gitnotes.draft.condense import condense
from gitnotes.draft.evidence import Evidence, by_action, conventional_type, is_safe_path
from gitnotes.draft.moves import bump_of, say_dependencies, spelled
from gitnotes.draft.naming import inside, place, say_files
from gitnotes.draft.settings import say_settings, say_swap
from gitnotes.draft.sources import is_downgrade
from gitnotes.draft.style import Style, room_for
from gitnotes.draft.topics import say_documents, say_tests, say_workflows
from gitnotes.draft.values import say_value
from gitnotes.draft.words import say_count
from gitnotes.kinds import common_folder, kind_of, main_paths
from gitnotes.records import FileChange

_SMALL = 30
"""Changed lines up to which one bump among other edits names the change."""


def subjects(evidence: Evidence, style: Style) -> Iterator[tuple[str, str]]:
    """Subjects in the imperative, best first, not yet in the repository's shape; each after the name
    of what it is made of."""
    if not evidence.change.files:
        yield "empty", "Make an empty commit"
        return
    for name, maker in _MAKERS.items():
        for words in maker(evidence, style):
            yield name, words
    for words in _fallback(evidence):
        yield "fallback", words


def _release(evidence: Evidence, style: Style) -> Iterator[str]:
    project = evidence.project
    version = project.new if project else evidence.released
    big = sum(evidence.kinds.values()) > 600 and evidence.theme != "changelog"
    if not version or big or by_action(evidence.code, "added", "function", "class"):
        return
    if project and is_downgrade(project):
        yield f"Revert version to {version}"
    elif re.search(r"dev|snapshot|alpha\.0|-0$", version, re.IGNORECASE):
        final = re.sub(r"[.-]?(?:dev|SNAPSHOT)\w*$", "", version)
        if style.start:
            yield style.start.replace("{version}", final)
        yield f"Start version {final}"
    else:
        name = project.name if project else ""
        if style.release and (name or "{name}" not in style.release):
            told = style.release.replace("v{version}", "{version}") if version[0] == "v" else style.release
            yield told.replace("{version}", version).replace("{name}", name)
        yield f"Release version {version}"
    yield f"Bump version to {version}"


def _whole_files(evidence: Evidence, style: Style) -> Iterator[str]:
    files = evidence.change.files
    modules = [item for item in files if item.submodule]
    others = set(main_paths(evidence.paths)) - {item.path for item in modules} - {".gitmodules"}
    if modules and not others:
        item = modules[0]
        old, new = item.submodule or ("", "")
        if len(modules) == 1 and is_safe_path(item.path):
            name = item.path.rpartition("/")[2]
            if item.status == "A" or not old.strip("0"):
                yield f"Add submodule {name} at {new[:7]}"
            elif item.status == "D" or not new.strip("0"):
                yield f"Remove submodule {name}"
            else:
                yield f"Update submodule {name} from {old[:7]} to {new[:7]}"
        yield f"Update {say_count(len(modules), 'submodule')}"
    modes = [item for item in files if item.old_mode and item.new_mode and item.old_mode != item.new_mode]
    if len(modes) == len(files) and not evidence.change.hunks:
        executable = {item.new_mode[-3:] for item in files}
        name = place(evidence.paths)
        if executable == {"755"}:
            yield f"Make {name} executable"
        elif executable == {"644"}:
            yield f"Make {name} non-executable"
        yield f"Change mode of {name}"
    statuses = Counter(item.status for item in files)
    changed = sum(evidence.kinds.values())
    if statuses["R"] == len(files) and changed <= 10 * len(files):
        yield from _renamed_files(files)
    if statuses["D"] == len(files):
        yield f"Remove {say_files(files, 'from')}"
        if len(files) > 1:
            yield f"Remove {place(evidence.paths)}"
    if not evidence.change.hunks and statuses["A"] == len(files) and not modules:
        yield f"Add {say_files(files, 'to')}"


def _renamed_files(files: Sequence[FileChange]) -> Iterator[str]:
    if len(files) == 1:
        item = files[0]
        old_folder, _, old = (item.old_path or "").rpartition("/")
        folder, _, name = item.path.rpartition("/")
        if all(map(is_safe_path, (old, name, old_folder or "x", folder or "x"))):
            if old == name:
                yield f"Move {name} to {folder or 'the top folder'}"
            elif folder == old_folder:
                yield f"Rename {old} to {name}"
            yield f"Move {old} to {item.path}"
        return
    old_folder, folder = (
        common_folder(item.old_path or "" for item in files),
        common_folder(item.path for item in files),
    )
    if old_folder and folder and old_folder != folder and is_safe_path(old_folder) and is_safe_path(folder):
        same = all(item.path.rpartition("/")[2] == (item.old_path or "").rpartition("/")[2] for item in files)
        yield f"{'Move' if same else 'Rename'} {old_folder} to {folder}"
    where = folder if folder and is_safe_path(folder) else ""
    if all(item.path.rpartition("/")[0] == (item.old_path or "").rpartition("/")[0] for item in files):
        yield f"Rename {say_count(len(files), 'file')}" + (f" in {where}" if where else "")
    else:
        yield f"Move {say_count(len(files), 'file')}" + (f" to {where}" if where else "")


def _small(evidence: Evidence, style: Style) -> Iterator[str]:
    edits = evidence.edits
    where = place(evidence.paths)
    if edits.years_only:
        yield f"Update copyright year to {edits.years_only[1]}"
    if edits.formatting_only:
        yield (
            f"Reformat {_full_name(evidence.paths[0]) if len(evidence.paths) == 1 else where}"
            if not evidence.kinds.keys() <= {"docs", "changelog"}
            else f"Fix formatting of {where}"
        )
    if edits.typo:
        noun = "typo" if len(edits.typo) == 1 else "typos"
        if len(edits.typo) == 1:
            yield f"Fix {noun} in {where}"
            yield f"Fix {noun} in {where}: {edits.typo[0][0]} to {edits.typo[0][1]}"
        else:
            yield f"Fix {noun} in {where}"
    if edits.comments_only and evidence.theme not in {"docs", "ci"}:
        within = inside(evidence)
        removed = sum(line[:1] == "+" for hunk in evidence.change.hunks for line in hunk.lines) == 0
        verb = "Remove" if removed else "Update"
        yield f"{verb} comment{'s' if len(evidence.change.hunks) > 1 else ''} in {within or where}"


def _full_name(path: str) -> str:
    return path.rpartition("/")[2] if is_safe_path(path) else place([path])


def _entry(evidence: Evidence, style: Style) -> Iterator[str]:
    """The author's own words: what the change adds to the changelog."""
    yield from (told for told, _ in _orders(evidence, style))


def _orders(evidence: Evidence, style: Style) -> Iterator[tuple[str, str]]:
    """The entries of the changelog as orders that fit, with the entry."""
    room = room_for(style, evidence.paths, conventional_type(evidence))
    for entry in evidence.entries[:2]:
        if told := condense(entry, room, code_marks=style.code_marks):
            yield told, entry


def untold(evidence: Evidence, style: Style, subject: str) -> str:
    """The sentence of the changelog that `subject` shortens or leaves out; empty when it says all of it."""
    if evidence.project or evidence.released:
        return ""  # what a release touches in the changelog is older than this change
    sentence = next(iter(evidence.entries), "")
    for told, entry in _orders(evidence, style):
        if told == subject:
            sentence = entry if len(told.split()) + 3 < len(entry.split()) else ""
    return sentence[:1].upper() + sentence[1:] + "." if sentence else ""


def _fallback(evidence: Evidence) -> Iterator[str]:
    files = evidence.change.files
    for kind, words in (("generated", "Regenerate"), ("vendored", "Update vendored")):
        if set(evidence.kinds) == {kind}:
            yield f"{words} {place(evidence.paths)}"
    moved = [item for item in evidence.dependencies if not item.project and kind_of(item.path) != "lock"]
    small = sum(evidence.kinds.values()) <= _SMALL
    if small and len({item.name for item in moved}) == 1 and not evidence.code and not evidence.tests:
        yield bump_of(spelled(evidence.change, moved[0]))
    if set(evidence.kinds) <= {"config", "manifest", "lock"}:
        yield from say_settings(evidence)
    statuses = {item.status for item in files}
    verb = {"A": "Add", "D": "Remove"}.get(next(iter(statuses)), "Update") if len(statuses) == 1 else "Update"
    where = place(evidence.paths)
    if (verb != "Update" and len(files) > 1) or len(where) <= 2 or where.endswith((" file", " files")):
        yield f"{verb} {say_files(files, {'Add': 'to', 'Remove': 'from'}.get(verb, 'in'))}"
    yield f"{verb} {where}"


_MAKERS: dict[str, Callable[[Evidence, Style], Iterator[str]]] = {
    "release": _release,
    "files": _whole_files,
    "small": _small,
    "entry": _entry,
    "dependencies": say_dependencies,
    "value": say_value,
    "workflows": say_workflows,
    "documents": say_documents,
    "tests": say_tests,
    "options": say_options,
    "code": say_code,
    "swap": say_swap,
}
